-- +goose Up
-- Requests at the same time counted the same mails, so that an address could get more than ten in an hour. They count one after the other now.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    many constant text := 'too many for the address';
    over boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('mails:' || new_kind || ':' || lower(address), 0));
    over := (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind
        AND created_at > now() - interval '1 hour' AND error IS DISTINCT FROM many) >= 10;
    IF over AND claimant IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO mails (id, kind, email, user_id, invitation_id, base_url, failed_at, error)
    VALUES (new_id, new_kind, address, claimant, invitation, base, CASE WHEN over THEN now() END, CASE WHEN over THEN many END);
    RETURN NOT over;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    many constant text := 'too many for the address';
    over boolean := (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind
        AND created_at > now() - interval '1 hour' AND error IS DISTINCT FROM many) >= 10;
BEGIN
    IF over AND claimant IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO mails (id, kind, email, user_id, invitation_id, base_url, failed_at, error)
    VALUES (new_id, new_kind, address, claimant, invitation, base, CASE WHEN over THEN now() END, CASE WHEN over THEN many END);
    RETURN NOT over;
END
    $$;
-- +goose StatementEnd

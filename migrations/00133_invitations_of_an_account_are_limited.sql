-- +goose Up
-- An account could have invitations mailed to any number of addresses: where anybody may register, that is anybody. Mails of before have no
-- invited_to, the account of the invitation, and do not count.
ALTER TABLE mails ADD COLUMN invited_to uuid;
CREATE INDEX mails_invited_to ON mails (invited_to, created_at) WHERE invited_to IS NOT NULL;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    many constant text := 'too many for the address';
    account constant uuid := (SELECT i.account_id FROM invitations i WHERE i.id = invitation);
    over boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('mails:' || new_kind || ':' || lower(address), 0));
    over := (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind
        AND created_at > now() - interval '1 hour' AND error IS DISTINCT FROM many) >= 10
        OR (SELECT count(*) FROM mails m WHERE m.invited_to = account AND m.created_at > now() - interval '1 day') >= 100;
    IF over AND claimant IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO mails (id, kind, email, user_id, invitation_id, invited_to, base_url, failed_at, error)
    VALUES (new_id, new_kind, address, claimant, invitation, account, base, CASE WHEN over THEN now() END, CASE WHEN over THEN many END);
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
ALTER TABLE mails DROP COLUMN invited_to;

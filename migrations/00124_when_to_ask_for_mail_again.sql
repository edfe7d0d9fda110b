-- +goose Up
-- Whoever asks for mails to their own address must know when no more are sent. Only what they asked for counts here: mails that others asked for would
-- show that somebody else claims the address. So a mail that is one too many for the address is written down for its user, as one that was given up.
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
-- app_mail_wait returns after how many seconds the user of the transaction may ask for another mail; 0: at once.
-- +goose StatementBegin
CREATE FUNCTION app_mail_wait(wanted text) RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    SELECT COALESCE((SELECT EXTRACT(EPOCH FROM m.created_at + interval '1 hour' - now())::double precision FROM mails m
        WHERE m.user_id = app_user_id() AND m.kind = wanted AND m.created_at > now() - interval '1 hour'
        ORDER BY m.created_at DESC OFFSET 9 LIMIT 1), 0)
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_mail_wait(text) OWNER TO dealflow_system;

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    INSERT INTO mails (id, kind, email, user_id, invitation_id, base_url)
    SELECT new_id, new_kind, address, claimant, invitation, base
    WHERE (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind AND created_at > now() - interval '1 hour') < 10;
    RETURN FOUND;
END
    $$;
-- +goose StatementEnd
DROP FUNCTION app_mail_wait(text);

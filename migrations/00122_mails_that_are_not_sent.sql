-- +goose Up
-- Whoever invites an address that was mailed too often must know that no mail goes out. app_add_mail reports whether it added one.
DROP FUNCTION app_add_mail(uuid, text, text, uuid, uuid, text);
-- +goose StatementBegin
CREATE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS boolean
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
ALTER FUNCTION app_add_mail(uuid, text, text, uuid, uuid, text) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_add_mail(uuid, text, text, uuid, uuid, text);
-- +goose StatementBegin
CREATE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    INSERT INTO mails (id, kind, email, user_id, invitation_id, base_url)
    SELECT new_id, new_kind, address, claimant, invitation, base
    WHERE (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind AND created_at > now() - interval '1 hour') < 10
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_add_mail(uuid, text, text, uuid, uuid, text) OWNER TO dealflow_system;

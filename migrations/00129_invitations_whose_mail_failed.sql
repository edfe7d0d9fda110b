-- +goose Up
-- Members see which invitations of their accounts never arrived. They may not read mails, which have the links of others.
CREATE FUNCTION app_invitation_mail_failed(invitation uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT EXISTS (SELECT FROM mails m JOIN invitations i ON i.id = m.invitation_id
        WHERE m.invitation_id = invitation AND m.failed_at IS NOT NULL AND i.account_id IN (SELECT app_account_ids()))
    $$;
ALTER FUNCTION app_invitation_mail_failed(uuid) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_invitation_mail_failed(uuid);

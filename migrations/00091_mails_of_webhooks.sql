-- +goose Up
-- Owners and admins are mailed when a webhook of their account is disabled because its receiver failed.
ALTER TABLE mails ADD COLUMN webhook_id uuid REFERENCES webhooks ON DELETE CASCADE;
CREATE INDEX mails_webhook ON mails (webhook_id) WHERE webhook_id IS NOT NULL;
ALTER TABLE mails DROP CONSTRAINT mails_kind_check,
    ADD CONSTRAINT mails_kind_check CHECK (kind IN ('invitation', 'verification', 'reset', 'webhook'));

-- Writes down a mail for each owner and admin with a proven address. The webhook was disabled in this transaction, so that there is one mail for each time.
CREATE FUNCTION app_mail_disabled_webhook(hook uuid, base text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    INSERT INTO mails (id, kind, email, user_id, webhook_id, base_url)
    SELECT gen_random_uuid(), 'webhook', u.email, u.id, w.id, base
    FROM webhooks w JOIN memberships m ON m.account_id = w.account_id AND m.role IN ('owner', 'admin') JOIN users u ON u.id = m.user_id
    WHERE w.id = hook AND NOT w.enabled AND w.disabled_reason IS NOT NULL AND w.account_id IN (SELECT app_account_ids()) AND u.proven_at IS NOT NULL
        AND (SELECT count(*) FROM mails o WHERE lower(o.email) = lower(u.email) AND o.kind = 'webhook' AND o.created_at > now() - interval '1 hour') < 10
    $$;
ALTER FUNCTION app_mail_disabled_webhook(uuid, text) OWNER TO dealflow_system;

DROP FUNCTION app_take_mails(integer, interval);
-- +goose StatementBegin
CREATE FUNCTION app_take_mails(most integer, lease interval)
    RETURNS TABLE (id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamptz,
        account_name text, inviter text, account_id uuid, webhook_id uuid, webhook_url text, disabled_reason text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    RETURN QUERY
    WITH taken AS (
        UPDATE mails m SET next_at = now() + lease, attempt = m.attempt + 1
        WHERE m.id IN (SELECT d.id FROM mails d WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.next_at <= now()
            ORDER BY d.next_at LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING m.*)
    SELECT t.id, t.kind, t.email, t.user_id, t.invitation_id, t.base_url, t.attempt, t.created_at, COALESCE(a.name, ''), COALESCE(u.name, ''),
        w.account_id, w.id, COALESCE(w.url, ''), COALESCE(w.disabled_reason, '')
    FROM taken t LEFT JOIN invitations i ON i.id = t.invitation_id LEFT JOIN webhooks w ON w.id = t.webhook_id
        LEFT JOIN accounts a ON a.id = COALESCE(i.account_id, w.account_id) LEFT JOIN users u ON u.id = i.invited_by;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_take_mails(integer, interval) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_take_mails(integer, interval);
-- +goose StatementBegin
CREATE FUNCTION app_take_mails(most integer, lease interval)
    RETURNS TABLE (id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamptz,
        account_name text, inviter text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY
    WITH taken AS (
        UPDATE mails m SET next_at = now() + lease, attempt = m.attempt + 1
        WHERE m.id IN (SELECT d.id FROM mails d WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.next_at <= now()
            ORDER BY d.next_at LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING m.*)
    SELECT t.id, t.kind, t.email, t.user_id, t.invitation_id, t.base_url, t.attempt, t.created_at, COALESCE(a.name, ''), COALESCE(u.name, '')
    FROM taken t LEFT JOIN invitations i ON i.id = t.invitation_id LEFT JOIN accounts a ON a.id = i.account_id LEFT JOIN users u ON u.id = i.invited_by;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_take_mails(integer, interval) OWNER TO dealflow_system;
DROP FUNCTION app_mail_disabled_webhook(uuid, text);
DELETE FROM mails WHERE kind = 'webhook';
ALTER TABLE mails DROP COLUMN webhook_id, DROP CONSTRAINT mails_kind_check,
    ADD CONSTRAINT mails_kind_check CHECK (kind IN ('invitation', 'verification', 'reset'));

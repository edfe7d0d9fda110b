-- +goose Up
-- An attempt at a mail ends only itself, and only those that reached the mail server count as tries. app_end_mail with three arguments stays for
-- processes of the release before.

ALTER TABLE mails ADD COLUMN tries integer NOT NULL DEFAULT 0; -- failed attempts that reached the mail server

DROP FUNCTION app_take_mails(integer, interval);
-- +goose StatementBegin
CREATE FUNCTION app_take_mails(most integer, lease interval)
    RETURNS TABLE (id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamptz,
        account_name text, inviter text, account_id uuid, webhook_id uuid, webhook_url text, disabled_reason text, tries integer)
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
        w.account_id, w.id, COALESCE(w.url, ''), COALESCE(w.disabled_reason, ''), t.tries
    FROM taken t LEFT JOIN invitations i ON i.id = t.invitation_id LEFT JOIN webhooks w ON w.id = t.webhook_id
        LEFT JOIN accounts a ON a.id = COALESCE(i.account_id, w.account_id) LEFT JOIN users u ON u.id = i.invited_by;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_take_mails(integer, interval) OWNER TO dealflow_system;

-- An attempt at a mail sent it (no error), failed and is to be followed by another (after a while), or was the last. A mail that was sent stays so,
-- whichever attempt sent it. A failure changes nothing once another attempt has begun.
-- +goose StatementBegin
CREATE FUNCTION app_end_mail(mail uuid, of_attempt integer, problem text, again interval, counts boolean) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    UPDATE mails SET error = problem, next_at = COALESCE(now() + again, next_at), sent_at = CASE WHEN problem IS NULL THEN now() END,
        failed_at = CASE WHEN problem IS NOT NULL AND again IS NULL THEN now() END, tries = tries + counts::integer
    WHERE id = mail AND sent_at IS NULL AND (problem IS NULL OR attempt = of_attempt)
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_end_mail(uuid, integer, text, interval, boolean) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_end_mail(uuid, integer, text, interval, boolean);
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
ALTER TABLE mails DROP COLUMN tries;

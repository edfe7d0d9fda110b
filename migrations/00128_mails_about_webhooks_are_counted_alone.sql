-- +goose Up
-- Webhooks that were disabled at the same time counted the same mails, so that an address could get more than ten about webhooks in an hour.
-- They count one after the other now, as app_add_mail does. Addresses are locked in order, so that no two transactions wait for each other.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_mail_disabled_webhook(hook uuid, base text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    addressee record;
BEGIN
    FOR addressee IN SELECT u.id, u.email
        FROM webhooks w JOIN memberships m ON m.account_id = w.account_id AND m.role IN ('owner', 'admin') JOIN users u ON u.id = m.user_id
        WHERE w.id = hook AND NOT w.enabled AND w.disabled_reason IS NOT NULL AND w.account_id IN (SELECT app_account_ids())
            AND u.proven_at IS NOT NULL
        ORDER BY lower(u.email) COLLATE "C"
    LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('mails:webhook:' || lower(addressee.email), 0));
        INSERT INTO mails (id, kind, email, user_id, webhook_id, base_url)
        SELECT gen_random_uuid(), 'webhook', addressee.email, addressee.id, hook, base
        WHERE (SELECT count(*) FROM mails o WHERE lower(o.email) = lower(addressee.email) AND o.kind = 'webhook'
            AND o.created_at > now() - interval '1 hour') < 10;
    END LOOP;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_mail_disabled_webhook(hook uuid, base text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    INSERT INTO mails (id, kind, email, user_id, webhook_id, base_url)
    SELECT gen_random_uuid(), 'webhook', u.email, u.id, w.id, base
    FROM webhooks w JOIN memberships m ON m.account_id = w.account_id AND m.role IN ('owner', 'admin') JOIN users u ON u.id = m.user_id
    WHERE w.id = hook AND NOT w.enabled AND w.disabled_reason IS NOT NULL AND w.account_id IN (SELECT app_account_ids()) AND u.proven_at IS NOT NULL
        AND (SELECT count(*) FROM mails o WHERE lower(o.email) = lower(u.email) AND o.kind = 'webhook' AND o.created_at > now() - interval '1 hour') < 10
    $$;
-- +goose StatementEnd

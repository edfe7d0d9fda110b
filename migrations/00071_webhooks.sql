-- +goose Up
-- Who is told of an account's changes by HTTP (ADR 69). A webhook follows the changes as a reader does, from a place of its own, as the user who made it.
CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    url text NOT NULL,
    description text NOT NULL DEFAULT '',
    event_types text[] NOT NULL DEFAULT '{}', -- none: all
    enabled boolean NOT NULL DEFAULT true,
    disabled_reason text,
    secret bytea NOT NULL, -- sealed, as is the next
    old_secret bytea,
    old_secret_until timestamptz,
    place_transaction xid8 NOT NULL,
    place_thing uuid NOT NULL,
    place_database text NOT NULL,
    failing_since timestamptz,
    failures integer NOT NULL DEFAULT 0, -- since then
    retry_at timestamptz, -- before then nothing is sent to a receiver that fails
    created_by uuid NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);

CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_type text NOT NULL,
    body text NOT NULL, -- as it is signed
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    status_code integer,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
    attempted_at timestamptz,
    next_at timestamptz,
    FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks (account_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_created ON webhook_deliveries USING brin (created_at);

ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks TO dealflow_app;
GRANT SELECT, INSERT, UPDATE ON webhook_deliveries TO dealflow_app;
GRANT SELECT ON webhooks TO dealflow_system;
GRANT SELECT, UPDATE, DELETE ON webhook_deliveries TO dealflow_system;
-- Who made a webhook and is a plain member by now sees it too, as it is run as them.
CREATE POLICY app_all ON webhooks TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[])
    AND (account_id IN (SELECT app_admin_account_ids()) OR created_by = app_user_id()));
CREATE POLICY app_all ON webhook_deliveries TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[])
    AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = webhook_id));
CREATE POLICY system_select ON webhooks FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_all ON webhook_deliveries TO dealflow_system USING (true);

CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON webhooks FOR EACH ROW WHEN (current_user <> 'dealflow_system')
    EXECUTE FUNCTION app_audit('webhook', 'created updated deleted', 'url event_types enabled !secret');

-- The webhooks that have changes to read, and as whom.
CREATE FUNCTION app_webhooks_behind() RETURNS TABLE (id uuid, account_id uuid, runs_as uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    SELECT w.id, w.account_id, CASE WHEN EXISTS (SELECT FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.created_by)
        THEN w.created_by ELSE app_oldest_owner(w.account_id) END
    FROM webhooks w WHERE w.enabled AND (w.place_database <> app_cluster() OR EXISTS (SELECT FROM changes c WHERE c.account_id = w.account_id
        AND (c.xid, c.thing) > (w.place_transaction, w.place_thing) AND c.xid < pg_snapshot_xmin(pg_current_snapshot())))
    $$;

-- Removes old deliveries, and ends those whose work has ended without them.
-- +goose StatementBegin
CREATE FUNCTION app_tidy_webhooks(keep interval) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    DELETE FROM webhook_deliveries d WHERE d.created_at < now() - keep AND d.state <> 'pending';
    UPDATE webhook_deliveries d SET state = 'failed', error = 'it could not be worked on', next_at = NULL
        WHERE d.state = 'pending' AND NOT EXISTS (SELECT FROM work k WHERE k.subject_id = d.id AND k.state IN ('queued', 'running'));
END
    $$;
-- +goose StatementEnd

-- For the metrics: how long the oldest delivery that is due has waited, in seconds.
CREATE FUNCTION app_webhook_wait() RETURNS double precision LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    SELECT COALESCE(max(extract(epoch FROM now() - d.created_at)), 0) FROM webhook_deliveries d WHERE d.state = 'pending' AND d.attempts = 0
    $$;
ALTER FUNCTION app_webhooks_behind() OWNER TO dealflow_system;
ALTER FUNCTION app_tidy_webhooks(interval) OWNER TO dealflow_system;
ALTER FUNCTION app_webhook_wait() OWNER TO dealflow_system;

-- As before, with the secrets of webhooks.
CREATE OR REPLACE FUNCTION app_sealed() RETURNS TABLE (id uuid, member text, sealed bytea) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    SELECT i.id, v.member, v.sealed FROM integrations i, LATERAL (VALUES ('token', i.token), ('secret', i.secret), ('signing_key', i.signing_key)) v(member, sealed)
        WHERE v.sealed IS NOT NULL
    UNION ALL SELECT f.user_id, 'totp', f.secret FROM second_factors f
    UNION ALL SELECT w.id, v.member, v.sealed FROM webhooks w, LATERAL (VALUES ('webhook', w.secret), ('webhook_old', w.old_secret)) v(member, sealed)
        WHERE v.sealed IS NOT NULL
    $$;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_reseal(of uuid, member text, sealed bytea, again bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    CASE member
    WHEN 'token' THEN UPDATE integrations i SET token = again WHERE i.id = of AND i.token = sealed;
    WHEN 'secret' THEN UPDATE integrations i SET secret = again WHERE i.id = of AND i.secret = sealed;
    WHEN 'signing_key' THEN UPDATE integrations i SET signing_key = again WHERE i.id = of AND i.signing_key = sealed;
    WHEN 'totp' THEN UPDATE second_factors f SET secret = again WHERE f.user_id = of AND f.secret = sealed;
    WHEN 'webhook' THEN UPDATE webhooks w SET secret = again WHERE w.id = of AND w.secret = sealed;
    WHEN 'webhook_old' THEN UPDATE webhooks w SET old_secret = again WHERE w.id = of AND w.old_secret = sealed;
    END CASE;
    RETURN FOUND;
END
    $$;
-- +goose StatementEnd
GRANT UPDATE (secret, old_secret) ON webhooks TO dealflow_system;
CREATE POLICY system_update ON webhooks FOR UPDATE TO dealflow_system USING (true);

-- +goose Down
CREATE OR REPLACE FUNCTION app_sealed() RETURNS TABLE (id uuid, member text, sealed bytea) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    SELECT i.id, v.member, v.sealed FROM integrations i, LATERAL (VALUES ('token', i.token), ('secret', i.secret), ('signing_key', i.signing_key)) v(member, sealed)
        WHERE v.sealed IS NOT NULL
    UNION ALL SELECT f.user_id, 'totp', f.secret FROM second_factors f
    $$;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_reseal(of uuid, member text, sealed bytea, again bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    CASE member
    WHEN 'token' THEN UPDATE integrations i SET token = again WHERE i.id = of AND i.token = sealed;
    WHEN 'secret' THEN UPDATE integrations i SET secret = again WHERE i.id = of AND i.secret = sealed;
    WHEN 'signing_key' THEN UPDATE integrations i SET signing_key = again WHERE i.id = of AND i.signing_key = sealed;
    WHEN 'totp' THEN UPDATE second_factors f SET secret = again WHERE f.user_id = of AND f.secret = sealed;
    END CASE;
    RETURN FOUND;
END
    $$;
-- +goose StatementEnd
DROP FUNCTION app_webhook_wait();
DROP FUNCTION app_tidy_webhooks(interval);
DROP FUNCTION app_webhooks_behind();
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;

-- +goose Up
-- What a key may do and how long it works; from where a session was begun, when it was last seen, and when it ends for want of use.

ALTER TABLE api_keys
    ADD COLUMN scopes       text[] NOT NULL DEFAULT '{read,write,admin}'
        CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'admin']),
    ADD COLUMN expires_at   timestamptz, -- null: never
    ADD COLUMN last_used_at timestamptz; -- to within a minute

ALTER TABLE sessions
    ADD COLUMN device       text NOT NULL DEFAULT '', -- what the browser calls itself
    ADD COLUMN ip           text NOT NULL DEFAULT '',
    ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now(), -- to within a minute
    ADD COLUMN idle_until   timestamptz NOT NULL DEFAULT now() + interval '7 days'; -- moved on while the session is used
GRANT SELECT (device, ip, last_seen_at, idle_until) ON sessions TO dealflow_app;

-- The key behind a hash, while it works: before there is an identity.
DROP FUNCTION app_key_by_hash(bytea);
-- +goose StatementBegin
CREATE FUNCTION app_key_by_hash(key_hash bytea) RETURNS TABLE (key_id uuid, user_id uuid, scopes text[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT k.id, k.user_id, k.scopes FROM api_keys k
        WHERE k.hash = key_hash AND (k.expires_at IS NULL OR k.expires_at > now());
END
    $$;
-- +goose StatementEnd

-- The session behind a hash, while it lasts.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_session_by_hash(session_hash bytea) RETURNS TABLE (session_id uuid, user_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT s.id, s.user_id FROM sessions s
        WHERE s.hash = session_hash AND s.expires_at > now() AND s.idle_until > now();
END
    $$;
-- +goose StatementEnd

-- Notes when and from where sessions and keys were used: two arrays of {"id", "address"}.
-- +goose StatementBegin
CREATE FUNCTION app_note_uses(uses jsonb, idle interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    UPDATE sessions s SET last_seen_at = now(), ip = u.address, idle_until = now() + idle
    FROM jsonb_to_recordset(COALESCE(uses -> 'sessions', '[]')) u(id uuid, address text) WHERE s.id = u.id AND s.idle_until > now();
    UPDATE api_keys k SET last_used_at = now() FROM jsonb_to_recordset(COALESCE(uses -> 'keys', '[]')) u(id uuid) WHERE k.id = u.id;
    $$;
-- +goose StatementEnd

-- Sessions that have ended, also for want of use.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_forget_sessions() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    WITH gone AS (DELETE FROM sessions WHERE LEAST(expires_at, idle_until) <= now() RETURNING 1) SELECT count(*) FROM gone
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_key_by_hash(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_note_uses(jsonb, interval) OWNER TO dealflow_system;
GRANT UPDATE (last_used_at) ON api_keys TO dealflow_system;
GRANT UPDATE (last_seen_at, ip, idle_until) ON sessions TO dealflow_system;

-- +goose Down
REVOKE UPDATE (last_seen_at, ip, idle_until) ON sessions FROM dealflow_system;
REVOKE UPDATE (last_used_at) ON api_keys FROM dealflow_system;
DROP FUNCTION app_note_uses(jsonb, interval);
DROP FUNCTION app_key_by_hash(bytea);
CREATE FUNCTION app_key_by_hash(key_hash bytea) RETURNS TABLE (key_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT k.id, k.user_id FROM api_keys k WHERE k.hash = key_hash $$;
ALTER FUNCTION app_key_by_hash(bytea) OWNER TO dealflow_system;
CREATE OR REPLACE FUNCTION app_session_by_hash(session_hash bytea) RETURNS TABLE (session_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT s.id, s.user_id FROM sessions s WHERE s.hash = session_hash AND s.expires_at > now() $$;
CREATE OR REPLACE FUNCTION app_forget_sessions() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ WITH gone AS (DELETE FROM sessions WHERE expires_at <= now() RETURNING 1) SELECT count(*) FROM gone $$;
REVOKE SELECT (device, ip, last_seen_at, idle_until) ON sessions FROM dealflow_app;
ALTER TABLE sessions DROP COLUMN device, DROP COLUMN ip, DROP COLUMN last_seen_at, DROP COLUMN idle_until;
ALTER TABLE api_keys DROP COLUMN scopes, DROP COLUMN expires_at, DROP COLUMN last_used_at;

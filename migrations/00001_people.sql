-- +goose Up
-- Who may: users, accounts (teams), memberships, API keys. The roles dealflow_app (policies apply to it) and
-- dealflow_system (owns the SECURITY DEFINER functions) are made by postgres.Migrate, since roles belong to the whole cluster.

GRANT USAGE ON SCHEMA public TO dealflow_app, dealflow_system;
GRANT CREATE ON SCHEMA public TO dealflow_system; -- to own functions here
GRANT SELECT ON goose_db_version TO dealflow_app;             -- to check at start that the schema is new enough

CREATE TABLE users (
    id            uuid PRIMARY KEY,
    email         text NOT NULL,
    name          text NOT NULL,
    picture_url   text,
    password_hash text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));

CREATE TABLE accounts (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, user_id)
);
CREATE INDEX memberships_user_id ON memberships (user_id);

CREATE TABLE api_keys (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text NOT NULL,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the key; the key itself is stored nowhere
    hint       text NOT NULL,         -- how the key begins, so that a person can tell keys apart
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_keys_user_id ON api_keys (user_id);

-- Identity of the transaction. Nobody: null.
CREATE FUNCTION app_user_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT NULLIF(current_setting('app.user_id', true), '')::uuid $$;

-- The accounts of the caller. Policies call it once a query: account_id = ANY(ARRAY(SELECT app_account_ids())).
CREATE FUNCTION app_account_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT account_id FROM memberships WHERE user_id = app_user_id() $$;

-- The accounts whose settings the caller may change.
CREATE FUNCTION app_admin_account_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT account_id FROM memberships WHERE user_id = app_user_id() AND role IN ('owner', 'admin') $$;

-- Everybody who shares an account with the caller.
CREATE FUNCTION app_peer_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT user_id FROM memberships WHERE account_id IN (SELECT account_id FROM memberships WHERE user_id = app_user_id()) $$;

-- The caller's role in an account; '' when it exists and he is no member; null when there is none.
CREATE FUNCTION app_account_role(account uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT COALESCE(m.role, '')
    FROM accounts a LEFT JOIN memberships m ON m.account_id = a.id AND m.user_id = app_user_id()
    WHERE a.id = account
    $$;

-- Who finishes what somebody without access left behind, and as whom the operator's commands act.
CREATE FUNCTION app_oldest_owner(account uuid) RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT user_id FROM memberships WHERE account_id = account AND role = 'owner' ORDER BY created_at, id LIMIT 1 $$;

-- The key behind a hash: before there is an identity.
CREATE FUNCTION app_key_by_hash(key_hash bytea) RETURNS TABLE (key_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT k.id, k.user_id FROM api_keys k WHERE k.hash = key_hash $$;

-- The owner of a key, for the operator's `key revoke`.
CREATE FUNCTION app_key_user(key uuid) RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT user_id FROM api_keys WHERE id = key $$;

-- The user with an address, whatever its case: for login and the operator's commands.
CREATE FUNCTION app_user_by_email(address text) RETURNS TABLE (user_id uuid, password_hash text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT u.id, u.password_hash FROM users u WHERE lower(u.email) = lower(address) $$;

CREATE FUNCTION app_create_user(new_id uuid, new_email text, new_name text, new_password_hash text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ INSERT INTO users (id, email, name, password_hash) VALUES (new_id, new_email, new_name, new_password_hash) $$;

-- A new account belongs to the caller.
-- +goose StatementBegin
CREATE FUNCTION app_create_account(new_id uuid, membership_id uuid, new_name text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    INSERT INTO accounts (id, name) VALUES (new_id, new_name);
    INSERT INTO memberships (id, account_id, user_id, role) VALUES (membership_id, new_id, app_user_id(), 'owner');
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_account_ids() OWNER TO dealflow_system;
ALTER FUNCTION app_admin_account_ids() OWNER TO dealflow_system;
ALTER FUNCTION app_peer_ids() OWNER TO dealflow_system;
ALTER FUNCTION app_account_role(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_oldest_owner(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_key_by_hash(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_key_user(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_user_by_email(text) OWNER TO dealflow_system;
ALTER FUNCTION app_create_user(uuid, text, text, text) OWNER TO dealflow_system;
ALTER FUNCTION app_create_account(uuid, uuid, text) OWNER TO dealflow_system;

ALTER TABLE users       ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE accounts    ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memberships ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE api_keys    ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Password hashes are readable through app_user_by_email alone.
GRANT SELECT (id, email, name, picture_url, created_at, updated_at) ON users TO dealflow_app;
GRANT UPDATE (name, picture_url, password_hash, updated_at) ON users TO dealflow_app;
GRANT SELECT, UPDATE ON accounts TO dealflow_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON memberships TO dealflow_app;
GRANT SELECT, INSERT, DELETE ON api_keys TO dealflow_app;

CREATE POLICY app_select ON users FOR SELECT TO dealflow_app
    USING (id = app_user_id() OR id = ANY (ARRAY(SELECT app_peer_ids())));
CREATE POLICY app_update ON users FOR UPDATE TO dealflow_app USING (id = app_user_id());
CREATE POLICY app_select ON accounts FOR SELECT TO dealflow_app USING (id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_update ON accounts FOR UPDATE TO dealflow_app USING (id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_select ON memberships FOR SELECT TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_insert ON memberships FOR INSERT TO dealflow_app WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_update ON memberships FOR UPDATE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_delete ON memberships FOR DELETE TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())) OR user_id = app_user_id());
CREATE POLICY app_all ON api_keys TO dealflow_app USING (user_id = app_user_id());

GRANT SELECT, INSERT ON users, accounts, memberships TO dealflow_system;
GRANT SELECT ON api_keys TO dealflow_system;
CREATE POLICY system_all ON users TO dealflow_system USING (true);
CREATE POLICY system_all ON accounts TO dealflow_system USING (true);
CREATE POLICY system_all ON memberships TO dealflow_system USING (true);
CREATE POLICY system_all ON api_keys TO dealflow_system USING (true);

-- +goose Down
DROP TABLE api_keys, memberships, accounts, users CASCADE;
DROP FUNCTION app_account_ids(), app_admin_account_ids(), app_peer_ids(), app_account_role(uuid), app_oldest_owner(uuid), app_key_by_hash(bytea),
    app_key_user(uuid), app_user_by_email(text), app_create_user(uuid, text, text, text), app_create_account(uuid, uuid, text), app_user_id();

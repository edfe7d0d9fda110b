-- +goose Up
-- How a team grows and how its people log in: sessions, invitations, members who come and go, the fields that a team
-- keeps of its companies.

CREATE TABLE sessions (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the cookie's token; the token itself is stored nowhere
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_user_id ON sessions (user_id);

CREATE TABLE invitations (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    email       text NOT NULL,
    role        text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    invited_by  uuid NOT NULL REFERENCES users,
    hash        bytea NOT NULL UNIQUE, -- SHA-256 of the token in accept_url
    expires_at  timestamptz NOT NULL,
    accepted_at timestamptz,           -- kept, so that a used token can be told from an unknown one
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX invitations_open ON invitations (account_id, lower(email)) WHERE accepted_at IS NULL;
CREATE INDEX invitations_account ON invitations (account_id, created_at, id);

CREATE TABLE field_settings (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name       text NOT NULL,
    field_type text NOT NULL CHECK (field_type IN ('text', 'number', 'date', 'url', 'email', 'select', 'multi_select', 'boolean')),
    options    jsonb NOT NULL DEFAULT '[]', -- strings; of the select types alone
    required   boolean NOT NULL DEFAULT false,
    position   integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX field_settings_name ON field_settings (account_id, lower(name));

-- Only one stage is the one that a client preselects.
CREATE UNIQUE INDEX company_statuses_default ON company_statuses (account_id) WHERE is_default;

-- The accounts that the caller owns: no admin makes or touches an owner.
CREATE FUNCTION app_owner_account_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT account_id FROM memberships WHERE user_id = app_user_id() AND role = 'owner' $$;

-- The session behind a hash, while it lasts: before there is an identity.
CREATE FUNCTION app_session_by_hash(session_hash bytea) RETURNS TABLE (session_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT s.id, s.user_id FROM sessions s WHERE s.hash = session_hash AND s.expires_at > now() $$;

-- The invitation behind a hash, whatever its state: who accepts it is in no team yet.
CREATE FUNCTION app_invitation_by_hash(invitation_hash bytea) RETURNS TABLE (invitation_id uuid, email text, used boolean, expired boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT i.id, i.email, i.accepted_at IS NOT NULL, i.expires_at <= now() FROM invitations i WHERE i.hash = invitation_hash $$;

-- Makes the caller, whose address must be the invited one, a member, and gives the account; null where the invitation is
-- used, expired, revoked or another's. Who is a member already keeps his role.
-- +goose StatementBegin
CREATE FUNCTION app_accept_invitation(invitation_hash bytea, membership_id uuid) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH accepted AS (
        UPDATE invitations i SET accepted_at = now() FROM users u
        WHERE i.hash = invitation_hash AND i.accepted_at IS NULL AND i.expires_at > now()
            AND u.id = app_user_id() AND lower(u.email) = lower(i.email)
        RETURNING i.account_id, i.role
    ), joined AS (
        INSERT INTO memberships (id, account_id, user_id, role) SELECT membership_id, account_id, app_user_id(), role FROM accepted
        ON CONFLICT (account_id, user_id) DO NOTHING
    )
    SELECT account_id FROM accepted
    $$;
-- +goose StatementEnd

-- Ends a membership and says how that went: removed, missing, denied, last_owner. What nobody would see any more, the
-- leaver's private companies and the shared ones that no other was given, passes to the oldest owner.
-- +goose StatementBegin
CREATE FUNCTION app_remove_member(account uuid, member uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
DECLARE
    caller_role text;
    member_role text;
BEGIN
    PERFORM 1 FROM accounts WHERE id = account FOR NO KEY UPDATE; -- two owners who leave at once would both see the other stay
    caller_role := app_account_role(account);
    SELECT role INTO member_role FROM memberships WHERE account_id = account AND user_id = member;
    IF caller_role IS NULL OR caller_role = '' OR (caller_role = 'member' AND member <> app_user_id()) THEN
        RETURN 'denied';
    ELSIF member_role IS NULL THEN
        RETURN 'missing';
    ELSIF member_role = 'owner' AND caller_role <> 'owner' THEN
        RETURN 'denied';
    ELSIF member_role = 'owner' AND NOT EXISTS (SELECT 1 FROM memberships WHERE account_id = account AND role = 'owner' AND user_id <> member) THEN
        RETURN 'last_owner';
    END IF;
    DELETE FROM memberships WHERE account_id = account AND user_id = member;
    UPDATE companies c SET created_by = app_oldest_owner(account)
    WHERE c.account_id = account AND c.created_by = member AND (c.visibility = 'private' OR (c.visibility = 'shared'
        AND NOT EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id)
        AND NOT EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id)));
    RETURN 'removed';
END
    $$;
-- +goose StatementEnd

-- Moves every company of a stage to another stage of the account, also those that the caller, who must be an owner or an
-- admin, does not see, and gives their number.
-- +goose StatementBegin
CREATE FUNCTION app_move_companies(account uuid, from_status uuid, to_status uuid) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH moved AS (
        UPDATE companies SET company_status_id = to_status, updated_by = app_user_id(), updated_at = now()
        WHERE account_id = account AND company_status_id = from_status AND app_account_role(account) IN ('owner', 'admin')
        RETURNING 1)
    SELECT count(*) FROM moved
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_owner_account_ids() OWNER TO dealflow_system;
ALTER FUNCTION app_session_by_hash(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_invitation_by_hash(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_accept_invitation(bytea, uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_remove_member(uuid, uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_move_companies(uuid, uuid, uuid) OWNER TO dealflow_system;

ALTER TABLE sessions       ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE invitations    ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE field_settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Hashes are written, and compared in the functions above, but read by nobody.
GRANT SELECT (id, user_id, expires_at, created_at), INSERT, DELETE ON sessions TO dealflow_app;
GRANT SELECT (id, account_id, email, role, invited_by, expires_at, accepted_at, created_at), INSERT, DELETE ON invitations TO dealflow_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON field_settings TO dealflow_app;

CREATE POLICY app_all ON sessions TO dealflow_app USING (user_id = app_user_id());
CREATE POLICY app_select ON invitations FOR SELECT TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_insert ON invitations FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids())) AND invited_by = app_user_id()
        AND (role <> 'owner' OR account_id = ANY (ARRAY(SELECT app_owner_account_ids()))));
CREATE POLICY app_delete ON invitations FOR DELETE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_select ON field_settings FOR SELECT TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_insert ON field_settings FOR INSERT TO dealflow_app WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_update ON field_settings FOR UPDATE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_delete ON field_settings FOR DELETE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));

-- Members leave through app_remove_member alone, and only owners make or change owners.
REVOKE UPDATE, DELETE ON memberships FROM dealflow_app;
GRANT UPDATE (role) ON memberships TO dealflow_app;
DROP POLICY app_insert ON memberships;
DROP POLICY app_update ON memberships;
DROP POLICY app_delete ON memberships;
CREATE POLICY app_insert ON memberships FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids()))
        AND (role <> 'owner' OR account_id = ANY (ARRAY(SELECT app_owner_account_ids()))));
CREATE POLICY app_update ON memberships FOR UPDATE TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids()))
        AND (role <> 'owner' OR account_id = ANY (ARRAY(SELECT app_owner_account_ids()))));

GRANT SELECT ON sessions TO dealflow_system;
GRANT SELECT, UPDATE (accepted_at) ON invitations TO dealflow_system;
GRANT UPDATE (updated_at) ON accounts TO dealflow_system; -- to lock a row
GRANT DELETE ON memberships TO dealflow_system;
GRANT UPDATE (created_by, company_status_id, updated_by, updated_at) ON companies TO dealflow_system;
CREATE POLICY system_all ON sessions TO dealflow_system USING (true);
CREATE POLICY system_all ON invitations TO dealflow_system USING (true);
CREATE POLICY system_hand_over ON companies FOR UPDATE TO dealflow_system USING (true);

-- +goose Down
DROP POLICY system_hand_over ON companies;
REVOKE UPDATE (created_by, company_status_id, updated_by, updated_at) ON companies FROM dealflow_system;
REVOKE DELETE ON memberships FROM dealflow_system;
REVOKE UPDATE (updated_at) ON accounts FROM dealflow_system;
DROP POLICY app_insert ON memberships;
DROP POLICY app_update ON memberships;
REVOKE UPDATE (role) ON memberships FROM dealflow_app;
GRANT UPDATE, DELETE ON memberships TO dealflow_app;
CREATE POLICY app_insert ON memberships FOR INSERT TO dealflow_app WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_update ON memberships FOR UPDATE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_delete ON memberships FOR DELETE TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())) OR user_id = app_user_id());
DROP INDEX company_statuses_default;
DROP TABLE field_settings, invitations, sessions CASCADE;
DROP FUNCTION app_session_by_hash(bytea), app_invitation_by_hash(bytea), app_accept_invitation(bytea, uuid), app_remove_member(uuid, uuid),
    app_move_companies(uuid, uuid, uuid), app_owner_account_ids();

-- +goose Up
-- Who asks, found out once in a transaction. Policies are part of every query, so what they call is PL/pgSQL, whose plans outlive a query,
-- and says honestly how many rows it returns.

-- The accounts of the caller, which the rest of the transaction remembers: in a setting that begins with the caller's id, so that
-- another identity does not inherit it.
-- +goose StatementBegin
CREATE FUNCTION app_find_accounts() RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER COST 200 SET search_path = public, pg_temp
    AS $$
DECLARE
    me uuid := NULLIF(current_setting('app.user_id', true), '');
    mine uuid[] := ARRAY(SELECT m.account_id FROM memberships m WHERE m.user_id = me);
BEGIN
    IF me IS NOT NULL THEN
        PERFORM set_config('app.accounts', me || mine::text, true);
    END IF;
    RETURN mine;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_accounts() RETURNS uuid[] LANGUAGE plpgsql STABLE COST 10
    AS $$
DECLARE
    known text := current_setting('app.accounts', true);
BEGIN
    IF known <> '' AND left(known, 36) = current_setting('app.user_id', true) THEN
        RETURN substr(known, 37);
    END IF;
    RETURN app_find_accounts();
END
    $$;
-- +goose StatementEnd

-- The same as rows.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_account_ids() RETURNS SETOF uuid LANGUAGE plpgsql STABLE COST 15 ROWS 3
    AS $$
DECLARE
    account uuid;
BEGIN
    FOREACH account IN ARRAY app_accounts() LOOP
        RETURN NEXT account;
    END LOOP;
END
    $$;
-- +goose StatementEnd

-- A change of memberships ends what was remembered of them.
-- +goose StatementBegin
CREATE FUNCTION app_forget_accounts() RETURNS trigger LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('app.accounts', '', true);
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
CREATE TRIGGER forget_accounts AFTER INSERT OR UPDATE OR DELETE ON memberships FOR EACH STATEMENT EXECUTE FUNCTION app_forget_accounts();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_admin_account_ids() RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20 ROWS 3 SET search_path = public, pg_temp
    AS $$
DECLARE
    me uuid := app_user_id();
BEGIN
    RETURN QUERY SELECT m.account_id FROM memberships m WHERE m.user_id = me AND m.role IN ('owner', 'admin');
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_owner_account_ids() RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20 ROWS 3 SET search_path = public, pg_temp
    AS $$
DECLARE
    me uuid := app_user_id();
BEGIN
    RETURN QUERY SELECT m.account_id FROM memberships m WHERE m.user_id = me AND m.role = 'owner';
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_peer_ids() RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER COST 40 ROWS 20 SET search_path = public, pg_temp
    AS $$
DECLARE
    mine uuid[] := app_accounts();
BEGIN
    RETURN QUERY SELECT m.user_id FROM memberships m WHERE m.account_id = ANY (mine);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_account_role(account uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20 SET search_path = public, pg_temp
    AS $$
DECLARE
    me uuid := app_user_id();
    found text := (SELECT m.role FROM memberships m WHERE m.account_id = account AND m.user_id = me);
BEGIN
    IF found IS NULL AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = account) THEN
        RETURN '';
    END IF;
    RETURN found;
END
    $$;
-- +goose StatementEnd

-- Whether a shared company is the caller's to see by an assignment or a share: two looks into an index, however many the caller has.
-- +goose StatementBegin
CREATE FUNCTION app_has_share(company uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20 SET search_path = public, pg_temp
    AS $$
DECLARE
    me uuid := app_user_id();
BEGIN
    RETURN EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = company AND a.user_id = me)
        OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = company AND s.user_id = me);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_access(company uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER COST 40 SET search_path = public, pg_temp
    AS $$
DECLARE
    found record;
BEGIN
    SELECT c.account_id, c.visibility, c.created_by INTO found FROM companies c WHERE c.id = company;
    RETURN CASE
        WHEN found.account_id IS NULL THEN NULL
        WHEN found.account_id <> ALL (app_accounts()) THEN 'outside'
        WHEN found.visibility = 'team' OR found.created_by = app_user_id() THEN 'visible'
        WHEN found.visibility = 'shared' AND app_has_share(company) THEN 'visible'
        ELSE 'hidden' END;
END
    $$;
-- +goose StatementEnd

-- The key, or the session, behind a hash becomes the transaction's identity; its id and its user are null where there is none, and nobody asks then. A
-- trip that begins with this needs no other to find out who asks.
-- +goose StatementBegin
CREATE FUNCTION app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) LANGUAGE plpgsql SECURITY DEFINER COST 40
    SET search_path = public, pg_temp
    AS $$
BEGIN
    SELECT k.key_id, k.user_id, k.scopes INTO proof, person, scopes FROM app_key_by_hash(key_hash) AS k;
    PERFORM set_config('app.user_id', COALESCE(person::text, ''), true);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_enter_by_session(session_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) LANGUAGE plpgsql SECURITY DEFINER COST 40
    SET search_path = public, pg_temp
    AS $$
BEGIN
    SELECT s.session_id, s.user_id INTO proof, person FROM app_session_by_hash(session_hash) AS s;
    PERFORM set_config('app.user_id', COALESCE(person::text, ''), true);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_key_by_hash(key_hash bytea) RETURNS TABLE (key_id uuid, user_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path = public, pg_temp
    AS $$ BEGIN RETURN QUERY SELECT k.id, k.user_id FROM api_keys k WHERE k.hash = key_hash; END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_session_by_hash(session_hash bytea) RETURNS TABLE (session_id uuid, user_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path = public, pg_temp
    AS $$ BEGIN RETURN QUERY SELECT s.id, s.user_id FROM sessions s WHERE s.hash = session_hash AND s.expires_at > now(); END $$;
-- +goose StatementEnd

ALTER FUNCTION app_find_accounts() OWNER TO dealflow_system;
ALTER FUNCTION app_has_share(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_enter_by_key(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_enter_by_session(bytea) OWNER TO dealflow_system;

-- The tables that every list of companies reads.
ALTER POLICY app_all ON companies USING (account_id = ANY ((SELECT app_accounts())::uuid[])
    AND (visibility = 'team' OR created_by = app_user_id() OR (visibility = 'shared' AND app_has_share(id))));
ALTER POLICY app_select ON company_statuses USING (account_id = ANY ((SELECT app_accounts())::uuid[]));
ALTER POLICY app_all ON company_assignees USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
ALTER POLICY app_all ON company_files USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));

-- +goose Down
ALTER POLICY app_all ON companies USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND (
    visibility = 'team' OR created_by = app_user_id()
    OR (visibility = 'shared' AND id = ANY (ARRAY(SELECT app_shared_company_ids())))));
ALTER POLICY app_select ON company_statuses USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
ALTER POLICY app_all ON company_assignees USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
ALTER POLICY app_all ON company_files USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
DROP TRIGGER forget_accounts ON memberships;

CREATE OR REPLACE FUNCTION app_account_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public
    AS $$ SELECT account_id FROM memberships WHERE user_id = app_user_id() $$;
CREATE OR REPLACE FUNCTION app_admin_account_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public
    AS $$ SELECT account_id FROM memberships WHERE user_id = app_user_id() AND role IN ('owner', 'admin') $$;
CREATE OR REPLACE FUNCTION app_owner_account_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public
    AS $$ SELECT account_id FROM memberships WHERE user_id = app_user_id() AND role = 'owner' $$;
CREATE OR REPLACE FUNCTION app_peer_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER ROWS 1000 SET search_path = pg_catalog, public
    AS $$ SELECT user_id FROM memberships WHERE account_id IN (SELECT account_id FROM memberships WHERE user_id = app_user_id()) $$;
CREATE OR REPLACE FUNCTION app_account_role(account uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT COALESCE(m.role, '')
    FROM accounts a LEFT JOIN memberships m ON m.account_id = a.id AND m.user_id = app_user_id()
    WHERE a.id = account
    $$;
CREATE OR REPLACE FUNCTION app_company_access(company uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT CASE
        WHEN NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = c.account_id AND m.user_id = app_user_id()) THEN 'outside'
        WHEN c.visibility = 'team' OR c.created_by = app_user_id() THEN 'visible'
        WHEN c.visibility = 'shared' AND c.id IN (SELECT app_shared_company_ids()) THEN 'visible'
        ELSE 'hidden' END
    FROM companies c WHERE c.id = company
    $$;
CREATE OR REPLACE FUNCTION app_key_by_hash(key_hash bytea) RETURNS TABLE (key_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT k.id, k.user_id FROM api_keys k WHERE k.hash = key_hash $$;
CREATE OR REPLACE FUNCTION app_session_by_hash(session_hash bytea) RETURNS TABLE (session_id uuid, user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT s.id, s.user_id FROM sessions s WHERE s.hash = session_hash AND s.expires_at > now() $$;
DROP FUNCTION app_enter_by_key(bytea), app_enter_by_session(bytea), app_has_share(uuid), app_forget_accounts(), app_accounts(), app_find_accounts();

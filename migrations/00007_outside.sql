-- +goose Up
-- What outsiders are shown: links to a chosen set of companies. And what the dashboard counts.

CREATE TABLE shared_links (
    id                 uuid PRIMARY KEY,
    account_id         uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name               text,
    description        text,
    short_code         text NOT NULL UNIQUE,
    password_hash      text, -- argon2id
    password_protected boolean NOT NULL GENERATED ALWAYS AS (password_hash IS NOT NULL) STORED,
    expires_at         timestamptz,
    view_count         bigint NOT NULL DEFAULT 0,
    created_by         uuid NOT NULL REFERENCES users, -- as whom the page is read
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX shared_links_newest ON shared_links (account_id, created_at DESC, id DESC);

CREATE TABLE shared_link_companies (
    account_id  uuid NOT NULL,
    link_id     uuid NOT NULL,
    company_id  uuid NOT NULL,
    permissions text NOT NULL CHECK (permissions IN ('view_deck', 'view', 'full')),
    position    integer NOT NULL,
    PRIMARY KEY (account_id, link_id, company_id),
    FOREIGN KEY (account_id, link_id) REFERENCES shared_links (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX shared_link_companies_company ON shared_link_companies (account_id, company_id);

-- The link behind a short code: before there is an identity. One whose maker has left the team opens nothing.
CREATE FUNCTION app_link_by_code(code text) RETURNS TABLE (link_id uuid, account_id uuid, created_by uuid, password_hash text, expires_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT l.id, l.account_id, l.created_by, l.password_hash, l.expires_at FROM shared_links l
    WHERE l.short_code = code AND EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = l.account_id AND m.user_id = l.created_by)
    $$;

-- The links of others that would show the caller a company that he does not see: whoever knows a link's code can open it.
CREATE FUNCTION app_hidden_link_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT i.link_id FROM shared_link_companies i JOIN companies c ON c.id = i.company_id JOIN shared_links l ON l.id = i.link_id
    WHERE i.account_id IN (SELECT app_account_ids()) AND l.created_by <> app_user_id()
        AND c.visibility = 'shared' AND c.created_by <> app_user_id() AND c.id NOT IN (SELECT app_shared_company_ids())
    $$;

ALTER FUNCTION app_link_by_code(text) OWNER TO dealflow_system;
ALTER FUNCTION app_hidden_link_ids() OWNER TO dealflow_system;

ALTER TABLE shared_links          ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE shared_link_companies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Password hashes are readable through app_link_by_code alone. What a link shows, and to whom, never changes.
GRANT SELECT (id, account_id, name, description, short_code, password_protected, expires_at, view_count, created_by, created_at, updated_at),
    INSERT, DELETE, UPDATE (view_count) ON shared_links TO dealflow_app;
GRANT SELECT, INSERT ON shared_link_companies TO dealflow_app;

CREATE POLICY app_select ON shared_links FOR SELECT TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND id <> ALL (ARRAY(SELECT app_hidden_link_ids())));
CREATE POLICY app_insert ON shared_links FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY (ARRAY(SELECT app_account_ids())) AND created_by = app_user_id());
CREATE POLICY app_update ON shared_links FOR UPDATE TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND created_by = app_user_id());
CREATE POLICY app_delete ON shared_links FOR DELETE TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND id <> ALL (ARRAY(SELECT app_hidden_link_ids())));
CREATE POLICY app_select ON shared_link_companies FOR SELECT TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)
        AND EXISTS (SELECT 1 FROM shared_links l WHERE l.id = link_id));
CREATE POLICY app_insert ON shared_link_companies FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)
        AND EXISTS (SELECT 1 FROM shared_links l WHERE l.id = link_id AND l.created_by = app_user_id()));

GRANT SELECT ON shared_links, shared_link_companies TO dealflow_system;
CREATE POLICY system_select ON shared_links FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON shared_link_companies FOR SELECT TO dealflow_system USING (true);

-- What was done last in an account, as far as the caller sees it, with the name that the company has now. The policy of activity asks for each
-- row whether its company is seen; for these few rows that is much cheaper than a list of all companies, which the planner would make where
-- such a list had room in memory.
CREATE FUNCTION app_newest_activity(account uuid, most integer) RETURNS TABLE (id uuid, account_id uuid, user_id uuid, type text, description text,
    company_id uuid, created_at timestamptz, company_name text) LANGUAGE sql STABLE SET search_path = pg_catalog, public SET work_mem = '64kB'
    AS $$
    SELECT a.id, a.account_id, a.user_id, a.type, a.description, a.company_id, a.created_at, c.name
    FROM activity a LEFT JOIN companies c ON c.id = a.company_id
    WHERE a.account_id = account ORDER BY a.created_at DESC, a.id DESC LIMIT most
    $$;

-- The order of lists, with all that the dashboard counts by and that the policy looks at: it need not read the rows themselves.
DROP INDEX companies_newest;
CREATE INDEX companies_newest ON companies (account_id, created_at, id) INCLUDE (company_status_id, source, visibility, created_by);

-- +goose Down
DROP INDEX companies_newest;
CREATE INDEX companies_newest ON companies (account_id, created_at DESC, id DESC);
DROP TABLE shared_link_companies, shared_links CASCADE;
DROP FUNCTION app_link_by_code(text), app_hidden_link_ids(), app_newest_activity(uuid, integer);

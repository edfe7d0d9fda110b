-- +goose Up
-- The pipeline, the companies and all that hangs on a company.

CREATE TABLE company_statuses (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name        text NOT NULL,
    color       text NOT NULL,
    description text,
    rank        integer NOT NULL,
    is_default  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX company_statuses_order ON company_statuses (account_id, rank, created_at, id);

CREATE TABLE companies (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name              text NOT NULL,
    deck_link         text,
    deck_storage_path text,
    visibility        text NOT NULL CHECK (visibility IN ('private', 'shared', 'team')),
    source            text NOT NULL CHECK (source IN ('manual', 'email', 'form', 'referral', 'website', 'event', 'other')),
    source_content    text,
    notes             text,
    company_status_id uuid,
    metadata          jsonb NOT NULL DEFAULT '{}',
    created_by        uuid NOT NULL REFERENCES users,
    updated_by        uuid NOT NULL REFERENCES users,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, company_status_id) REFERENCES company_statuses (account_id, id)
);
CREATE INDEX companies_newest ON companies (account_id, created_at DESC, id DESC);
CREATE INDEX companies_status ON companies (account_id, company_status_id);

CREATE TABLE company_assignees (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id    uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, user_id),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, user_id) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX company_assignees_user ON company_assignees (user_id);

CREATE TABLE company_shares (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id    uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, user_id),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, user_id) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX company_shares_user ON company_shares (user_id);

-- A company's files: its deck and its attachments. role is 'undecided' until the analysis has picked the deck of several.
CREATE TABLE company_files (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL,
    company_id        uuid NOT NULL,
    role              text NOT NULL CHECK (role IN ('deck', 'attachment', 'undecided')),
    attachment_type   text NOT NULL CHECK (attachment_type IN ('file', 'link')),
    position          integer NOT NULL DEFAULT 0, -- N of the upload's file_N
    title             text NOT NULL,
    description       text,
    storage_path      text,
    link_url          text,
    size_bytes        bigint,
    media_type        text,
    original_filename text,
    sha256            text, -- of the content, in hexadecimal
    created_by        uuid NOT NULL REFERENCES users,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX company_files_company ON company_files (company_id, position, id);
CREATE UNIQUE INDEX company_files_deck ON company_files (company_id) WHERE role = 'deck';

-- What was read of a file, page by page; error says why nothing was.
CREATE TABLE file_texts (
    file_id    uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    company_id uuid NOT NULL,
    reader     text NOT NULL,
    title      text NOT NULL,
    pages      jsonb NOT NULL,
    error      text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, file_id) REFERENCES company_files (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX file_texts_company ON file_texts (company_id);

-- Who did what: the audit trail, and the dashboard's recent activity.
CREATE TABLE activity (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id     uuid NOT NULL REFERENCES users,
    type        text NOT NULL,
    description text NOT NULL,
    company_id  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX activity_newest ON activity (account_id, created_at DESC, id DESC);
CREATE INDEX activity_company ON activity (company_id);

-- The companies that the caller sees through an assignment or a share.
CREATE FUNCTION app_shared_company_ids() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT company_id FROM company_assignees WHERE user_id = app_user_id()
    UNION SELECT company_id FROM company_shares WHERE user_id = app_user_id()
    $$;

-- The 403-or-404 question: visible; hidden (in a team of the caller, behind its row rules); outside (of another team); null (none such).
CREATE FUNCTION app_company_access(company uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT CASE
        WHEN NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = c.account_id AND m.user_id = app_user_id()) THEN 'outside'
        WHEN c.visibility = 'team' OR c.created_by = app_user_id() THEN 'visible'
        WHEN c.visibility = 'shared' AND c.id IN (SELECT app_shared_company_ids()) THEN 'visible'
        ELSE 'hidden' END
    FROM companies c WHERE c.id = company
    $$;

-- Whether a stored object still belongs to anything: asked before what an upload left behind is removed.
CREATE FUNCTION app_file_exists(file uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT EXISTS (SELECT 1 FROM company_files WHERE id = file) $$;

ALTER FUNCTION app_shared_company_ids() OWNER TO dealflow_system;
ALTER FUNCTION app_company_access(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_file_exists(uuid) OWNER TO dealflow_system;

ALTER TABLE company_statuses  ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE companies         ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE company_assignees ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE company_shares    ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE company_files     ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE file_texts        ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE activity          ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

GRANT SELECT, INSERT, UPDATE, DELETE ON company_statuses, companies, company_assignees, company_shares, company_files, file_texts TO dealflow_app;
GRANT SELECT, INSERT ON activity TO dealflow_app;

CREATE POLICY app_select ON company_statuses FOR SELECT TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_insert ON company_statuses FOR INSERT TO dealflow_app WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_update ON company_statuses FOR UPDATE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_delete ON company_statuses FOR DELETE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));

CREATE POLICY app_all ON companies TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND (
        visibility = 'team' OR created_by = app_user_id()
        OR (visibility = 'shared' AND id = ANY (ARRAY(SELECT app_shared_company_ids())))));

-- What hangs on a company follows it: the subquery on companies is itself under the caller's policy.
CREATE POLICY app_all ON company_assignees TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_all ON company_shares TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_all ON company_files TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_all ON file_texts TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_select ON activity FOR SELECT TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids()))
        AND (company_id IS NULL OR EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)));
CREATE POLICY app_insert ON activity FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY (ARRAY(SELECT app_account_ids())) AND user_id = app_user_id());

GRANT SELECT ON companies, company_assignees, company_shares, company_files TO dealflow_system;
CREATE POLICY system_select ON companies FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON company_assignees FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON company_shares FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON company_files FOR SELECT TO dealflow_system USING (true);

-- +goose Down
DROP TABLE activity, file_texts, company_files, company_shares, company_assignees, companies, company_statuses CASCADE;
DROP FUNCTION app_shared_company_ids(), app_company_access(uuid), app_file_exists(uuid);

-- +goose Up
-- A link may ask who opens it, keep its files from being downloaded, and mark the pages that it shows.
ALTER TABLE shared_links
    ADD COLUMN ask_email boolean NOT NULL DEFAULT false,
    ADD COLUMN view_only boolean NOT NULL DEFAULT false,
    ADD COLUMN watermark boolean NOT NULL DEFAULT false;
GRANT SELECT (ask_email, view_only, watermark) ON shared_links TO dealflow_app;

-- A page of a link that was opened, and by whom as they say.
CREATE TABLE link_visits (
    id         uuid PRIMARY KEY, -- who knows it may add the time that was spent
    account_id uuid NOT NULL,
    link_id    uuid NOT NULL,
    email      text,             -- null: nobody was asked
    opened_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, link_id) REFERENCES shared_links (account_id, id) ON DELETE CASCADE
);
CREATE INDEX link_visits_newest ON link_visits (account_id, link_id, opened_at DESC, id DESC);

-- How long a page of a deck was in sight.
CREATE TABLE link_page_times (
    account_id   uuid NOT NULL,
    visit_id     uuid NOT NULL,
    company_id   uuid NOT NULL,
    page         integer NOT NULL CHECK (page > 0),
    milliseconds bigint NOT NULL CHECK (milliseconds > 0),
    PRIMARY KEY (account_id, visit_id, company_id, page),
    FOREIGN KEY (account_id, visit_id) REFERENCES link_visits (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX link_page_times_company ON link_page_times (account_id, company_id);

ALTER TABLE link_visits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE link_page_times ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON link_visits TO dealflow_app;
GRANT SELECT, INSERT, UPDATE (milliseconds) ON link_page_times TO dealflow_app;

-- Who sees a link sees its visits. A page is opened, and its time counted, as the link's maker.
CREATE POLICY app_select ON link_visits FOR SELECT TO dealflow_app USING (
    account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM shared_links l WHERE l.id = link_id));
CREATE POLICY app_insert ON link_visits FOR INSERT TO dealflow_app WITH CHECK (
    account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM shared_links l WHERE l.id = link_id AND l.created_by = app_user_id()));
CREATE POLICY app_delete ON link_visits FOR DELETE TO dealflow_app USING (
    account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM shared_links l WHERE l.id = link_id AND l.created_by = app_user_id()));
CREATE POLICY app_select ON link_page_times FOR SELECT TO dealflow_app USING (
    account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM link_visits v WHERE v.id = visit_id)
    AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_insert ON link_page_times FOR INSERT TO dealflow_app WITH CHECK (
    account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)
    AND EXISTS (SELECT 1 FROM link_visits v JOIN shared_links l ON l.id = v.link_id WHERE v.id = visit_id AND l.created_by = app_user_id()));
CREATE POLICY app_update ON link_page_times FOR UPDATE TO dealflow_app USING (
    account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)
    AND EXISTS (SELECT 1 FROM link_visits v JOIN shared_links l ON l.id = v.link_id WHERE v.id = visit_id AND l.created_by = app_user_id()));

DROP FUNCTION app_link_by_code(text);
CREATE FUNCTION app_link_by_code(code text)
    RETURNS TABLE (link_id uuid, account_id uuid, created_by uuid, password_hash text, expires_at timestamptz, ask_email boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT l.id, l.account_id, l.created_by, l.password_hash, l.expires_at, l.ask_email FROM shared_links l
    WHERE l.short_code = code AND EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = l.account_id AND m.user_id = l.created_by)
    $$;
ALTER FUNCTION app_link_by_code(text) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_link_by_code(text);
CREATE FUNCTION app_link_by_code(code text)
    RETURNS TABLE (link_id uuid, account_id uuid, created_by uuid, password_hash text, expires_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT l.id, l.account_id, l.created_by, l.password_hash, l.expires_at FROM shared_links l
    WHERE l.short_code = code AND EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = l.account_id AND m.user_id = l.created_by)
    $$;
ALTER FUNCTION app_link_by_code(text) OWNER TO dealflow_system;
DROP TABLE link_page_times;
DROP TABLE link_visits;
ALTER TABLE shared_links DROP COLUMN ask_email, DROP COLUMN view_only, DROP COLUMN watermark;

-- +goose Up
-- Filters, order and columns of a list of companies, under a name. A view is its maker's, or everybody's in the account where it is shared (ADR 77).
CREATE TABLE saved_views (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name              text NOT NULL,
    shared            boolean NOT NULL DEFAULT false,
    search            text NOT NULL DEFAULT '',
    company_status_id uuid,
    no_status         boolean NOT NULL DEFAULT false, -- companies without a status only
    source            text NOT NULL DEFAULT '',
    sort_by           text NOT NULL,
    ascending         boolean NOT NULL,
    columns           text[] NOT NULL,
    created_by        uuid NOT NULL REFERENCES users,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    CHECK (company_status_id IS NULL OR NOT no_status),
    FOREIGN KEY (account_id, company_status_id) REFERENCES company_statuses (account_id, id) ON DELETE SET NULL (company_status_id)
);
CREATE INDEX saved_views_account ON saved_views (account_id, created_at, id);
CREATE INDEX saved_views_status ON saved_views (company_status_id) WHERE company_status_id IS NOT NULL;

-- The columns that a member last chose for the table of companies.
CREATE TABLE column_choices (
    account_id uuid NOT NULL,
    user_id    uuid NOT NULL,
    columns    text[] NOT NULL,
    PRIMARY KEY (account_id, user_id),
    FOREIGN KEY (account_id, user_id) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE
);

ALTER TABLE saved_views    ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE column_choices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON saved_views TO dealflow_app;
GRANT UPDATE (name, shared, search, company_status_id, no_status, source, sort_by, ascending, columns, updated_at) ON saved_views TO dealflow_app;
GRANT SELECT, INSERT, UPDATE (columns) ON column_choices TO dealflow_app;

-- A shared view is changed by its maker, and by owners and admins.
CREATE POLICY app_select ON saved_views FOR SELECT TO dealflow_app
    USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND (shared OR created_by = app_user_id()));
CREATE POLICY app_insert ON saved_views FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY ((SELECT app_accounts())::uuid[]) AND created_by = app_user_id());
CREATE POLICY app_update ON saved_views FOR UPDATE TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[])
    AND (created_by = app_user_id() OR shared AND account_id IN (SELECT app_admin_account_ids())));
CREATE POLICY app_delete ON saved_views FOR DELETE TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[])
    AND (created_by = app_user_id() OR shared AND account_id IN (SELECT app_admin_account_ids())));
CREATE POLICY app_all ON column_choices TO dealflow_app
    USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND user_id = app_user_id());

-- +goose Down
DROP TABLE column_choices;
DROP TABLE saved_views;

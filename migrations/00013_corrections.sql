-- +goose Up
-- What an account teaches by changing what an analysis found, and what a model answered before.

-- What an analysis found and wrote to a company, so that a later change can be told from it. found has the members name, status (a stage's id, ''
-- for none), source and founders, each only where the analysis decided it; cues is what of the text others are likened to it by.
CREATE TABLE detections (
    company_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    found      jsonb NOT NULL,
    cues       jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX detections_newest ON detections (account_id, created_at DESC);

-- What people set instead: one row a field. A field that is set back has none.
CREATE TABLE corrections (
    company_id uuid NOT NULL,
    field      text NOT NULL CHECK (field IN ('name', 'status', 'source', 'founders')),
    account_id uuid NOT NULL,
    detected   jsonb NOT NULL,
    corrected  jsonb NOT NULL,
    cues       jsonb NOT NULL,
    excerpt    text NOT NULL, -- how the text begins
    created_by uuid NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (company_id, field),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX corrections_newest ON corrections (account_id, updated_at DESC);

-- A model's answers, by the hash of all that they depend on. One about a company goes with it; one about what others may not see is the user's
-- alone, who is part of the key then.
CREATE TABLE model_answers (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    key        text NOT NULL,
    user_id    uuid, -- null: the team's
    company_id uuid, -- null: a dry run's
    answer     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, key),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX model_answers_age ON model_answers (account_id, created_at DESC);
CREATE INDEX model_answers_company ON model_answers (company_id);

-- Answers that are too old, and of each account those beyond its newest ones.
CREATE FUNCTION app_forget_model_answers(age interval, most integer) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH ranked AS (SELECT account_id, key, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC) AS place FROM model_answers),
    gone AS (
        DELETE FROM model_answers m USING ranked r
        WHERE m.account_id = r.account_id AND m.key = r.key AND (r.created_at < now() - age OR r.place > most) RETURNING 1)
    SELECT count(*) FROM gone
    $$;
ALTER FUNCTION app_forget_model_answers(interval, integer) OWNER TO dealflow_system;

ALTER TABLE detections    ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE corrections   ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE model_answers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON detections, corrections TO dealflow_app;
GRANT SELECT, INSERT, DELETE ON model_answers TO dealflow_app;
GRANT SELECT (account_id, key, created_at), DELETE ON model_answers TO dealflow_system;

CREATE POLICY app_all ON detections TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_all ON corrections TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY app_all ON model_answers TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND (user_id IS NULL OR user_id = app_user_id())
        AND (company_id IS NULL OR EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)));
CREATE POLICY system_all ON model_answers TO dealflow_system USING (true);

-- +goose Down
DROP TABLE model_answers, corrections, detections CASCADE;
DROP FUNCTION app_forget_model_answers(interval, integer);

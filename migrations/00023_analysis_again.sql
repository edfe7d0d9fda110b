-- +goose Up
-- A company may be analyzed again: what an analysis wrote, it may replace.
ALTER TABLE detections ADD COLUMN written text NOT NULL DEFAULT ''; -- members of the metadata that are the analysis's, separated by spaces

-- Whether an analysis of a company waits or runs, as whomever. Who asks sees the company.
CREATE FUNCTION app_analysis_runs(company uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT EXISTS (SELECT 1 FROM work WHERE subject_id = company AND kind = 'company.analyse' AND state IN ('queued', 'running')) $$;
ALTER FUNCTION app_analysis_runs(uuid) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_analysis_runs(uuid);
ALTER TABLE detections DROP COLUMN written;

-- +goose Up
-- For who has the page of a company open: whether anything of it changed. Whether they see the company is asked with what is shown then.
CREATE FUNCTION app_company_changes(ids uuid[]) RETURNS TABLE (id uuid, changed text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT c.id, concat_ws(' ', c.xmin,
        (SELECT concat(d.created_at, d.review) FROM detections d WHERE d.company_id = c.id),
        (SELECT concat(count(*), max(f.updated_at)) FROM company_files f WHERE f.company_id = c.id),
        (SELECT concat(count(*), max(a.created_at)) FROM company_assignees a WHERE a.company_id = c.id),
        (SELECT concat(count(*), max(s.created_at)) FROM company_shares s WHERE s.company_id = c.id))
    FROM companies c WHERE c.id = ANY (ids)
    $$;
GRANT SELECT (company_id, created_at, review) ON detections TO dealflow_system;
CREATE POLICY system_select ON detections FOR SELECT TO dealflow_system USING (true);
ALTER FUNCTION app_company_changes(uuid[]) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_company_changes(uuid[]);
DROP POLICY system_select ON detections;
REVOKE SELECT (company_id, created_at, review) ON detections FROM dealflow_system;

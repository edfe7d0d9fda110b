-- +goose Up
-- For the operators' page: the newest imports of all accounts.
CREATE FUNCTION app_list_imports(most integer)
    RETURNS TABLE (id uuid, account_id uuid, account_name text, kind text, format text, status text, total bigint, processed bigint, created bigint,
        duplicates bigint, failed bigint, error text, created_at timestamptz, finished_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT i.id, i.account_id, a.name, i.kind, i.format, i.status, i.total, i.processed, i.created, i.duplicates, i.failed, i.error, i.created_at, i.finished_at
    FROM imports i JOIN accounts a ON a.id = i.account_id ORDER BY i.created_at DESC, i.id DESC LIMIT most
    $$;
ALTER FUNCTION app_list_imports(integer) OWNER TO dealflow_system;
CREATE INDEX imports_of_all ON imports (created_at DESC, id DESC);

-- +goose Down
DROP INDEX imports_of_all;
DROP FUNCTION app_list_imports(integer);

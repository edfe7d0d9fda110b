-- +goose Up
-- How many companies that the caller sees match a search and a source, of each status; the status null is none. A row without a count says
-- that they are too many to count while somebody waits.
-- +goose StatementBegin
CREATE FUNCTION app_count_matching(account uuid, search text, only_source text, most bigint) RETURNS TABLE (status uuid, count bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off SET work_mem = '32MB'
    SET enable_seqscan = off SET enable_indexscan = off -- by bitmap, or out of an index alone
    AS $$
DECLARE
    query tsquery := app_query(search);
    hits text := 'SELECT c.company_status_id FROM companies c WHERE c.account_id = $1 AND ';
BEGIN
    IF account <> ALL (app_accounts()) OR search IS NOT NULL AND query IS NULL THEN
        RETURN;
    END IF;
    IF query IS NOT NULL THEN -- by the words alone, among which the source is
        hits := hits || 'c.words @@ ' || quote_literal(concat_ws(' & ', format('''#a:%s''', account), query, '''#s:' || only_source || ''''));
    ELSE
        hits := hits || 'c.source = ' || quote_literal(only_source);
    END IF;
    RETURN QUERY EXECUTE 'WITH hits AS MATERIALIZED (' || hits || ' AND ' || app_company_sight_sql(app_user_id()) || ' LIMIT $2 + 1)
        SELECT CASE WHEN s.sum > $2 THEN NULL ELSE s.status END, CASE WHEN s.sum <= $2 THEN s.count END FROM (
            SELECT h.company_status_id AS status, count(*) AS count, (sum(count(*)) OVER ())::bigint AS sum FROM hits h GROUP BY 1) AS s' USING account, most;
END
$$;
-- +goose StatementEnd
ALTER FUNCTION app_count_matching(uuid, text, text, bigint) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_count_matching(uuid, text, text, bigint);

-- +goose Up
-- A page of companies is one call, whether of one account or of all that the caller has.

-- The ids of a page of companies that the caller sees, of one account or (null) of all theirs, in its order. Pages of several accounts are merged out
-- of the beginnings of their lists.
-- +goose StatementBegin
CREATE FUNCTION app_company_list(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    accounts uuid[] := ARRAY[account];
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ids uuid[] := '{}';
BEGIN
    IF account IS NULL THEN
        accounts := app_accounts();
    END IF;
    IF cardinality(accounts) = 1 THEN
        RETURN app_company_page(accounts[1], search, only_visibility, only_source, only_status, no_status, sort, descending, skip, take);
    END IF;
    FOREACH account IN ARRAY accounts LOOP
        ids := ids || app_company_page(account, search, only_visibility, only_source, only_status, no_status, sort, descending, 0, skip + take);
    END LOOP;
    EXECUTE format('SELECT array_agg(m.id) FROM (SELECT c.id FROM companies c WHERE c.id = ANY ($1) ORDER BY %s%s, c.id%2$s OFFSET $2 LIMIT $3) AS m',
        app_company_sort_sql(sort), direction) INTO ids USING ids, skip, take;
    RETURN ids;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_company_list(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_company_list(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint);

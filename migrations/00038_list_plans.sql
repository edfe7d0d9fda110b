-- +goose Up
-- Lists without a filter are planned once in a session, and a walk gives up as soon as looking up is cheaper.

-- The orders, with all that says who sees a company: whoever skips a million companies reads the index alone.
DROP INDEX companies_newest, companies_updated, companies_name;
CREATE INDEX companies_newest ON companies (account_id, created_at DESC, id DESC) INCLUDE (visibility, created_by);
CREATE INDEX companies_updated ON companies (account_id, updated_at, id) INCLUDE (visibility, created_by);
CREATE INDEX companies_name ON companies (account_id, lower(name), id) INCLUDE (name, visibility, created_by);

-- The page of a list without a filter, as SQL of an account ($1), a person ($2), how many rows it looks at ($3), skips ($4) and returns ($5).
-- +goose StatementBegin
CREATE FUNCTION app_company_plain_sql(sort text, descending boolean) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$
    SELECT replace(format('SELECT w.id FROM (SELECT c.id, %1$s AS place, c.visibility = ''team'' OR c.created_by = $2 OR c.visibility = ''shared'' AND ('
        || 'EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2)'
        || ' OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen'
        || ' FROM companies c WHERE c.account_id = $1 ORDER BY %1$s <>, c.id <> LIMIT $3) AS w'
        || ' WHERE w.seen ORDER BY w.place <>, w.id <> OFFSET $4 LIMIT $5', app_company_sort_sql(sort)), ' <>', CASE WHEN descending THEN ' DESC' ELSE '' END)
    $$;
-- +goose StatementEnd

-- app_company_plain returns that page, of one static statement for each order. It reads as whoever calls it.
-- +goose StatementBegin
DO $do$
DECLARE
    branches text := '';
    sort text;
    descending boolean;
BEGIN
    FOREACH sort IN ARRAY ARRAY['created_at', 'updated_at', 'name'] LOOP
        FOREACH descending IN ARRAY ARRAY[true, false] LOOP
            branches := branches || format(E'    IF sort = %L AND descending = %L THEN\n        RETURN ARRAY(%s);\n    END IF;\n', sort, descending,
                app_company_plain_sql(sort, descending));
        END LOOP;
    END LOOP;
    EXECUTE 'CREATE FUNCTION app_company_plain(account uuid, person uuid, most bigint, skip bigint, take bigint, sort text, descending boolean)
        RETURNS uuid[] LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
        SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
        AS ' || quote_literal(E'\nBEGIN\n' || branches || E'    RETURN ''{}'';\nEND\n');
END
$do$;
-- +goose StatementEnd

-- A walk at least looks at 60 rows, and then goes on only while it is expected to be cheaper than looking up. To look at a row costs it some three times
-- what the other way costs for each hit, which besides costs as much as a thousand hits to begin with.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_walk(account uuid, query tsquery, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint, OUT page uuid[], OUT narrow boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
    AS $$
DECLARE
    me CONSTANT uuid := app_user_id();
    most bigint := 4000 + 4 * (skip + take);
    patience CONSTANT interval := '10 ms';
    started CONSTANT timestamptz := clock_timestamp();
    size bigint; -- of what the caller sees of the account
    looked bigint := 0;
    visible bigint := 0;
    hits bigint := 0;
    company uuid;
    seen boolean;
    wanted boolean;
BEGIN
    page := '{}';
    FOR company, seen, wanted IN EXECUTE app_company_walk_sql(account, me, query, only_visibility, only_source, only_status, no_status, sort, descending, most) LOOP
        looked := looked + 1;
        visible := visible + seen::integer;
        IF seen AND wanted THEN
            hits := hits + 1;
            IF hits > skip THEN
                page := page || company;
            END IF;
        END IF;
        EXIT WHEN hits >= skip + take;
        IF looked % 50 = 10 AND looked > 50 AND hits * 2 < looked THEN
            IF size IS NULL THEN
                SELECT COALESCE(sum(n.count), 0) INTO size FROM company_counts n
                WHERE n.account_id = account AND n.viewer IN ('00000000-0000-0000-0000-000000000000', me) AND n.kind = 's';
            END IF;
            IF 3 * LEAST((skip + take - hits) * looked / GREATEST(hits, 1), size * looked / GREATEST(visible, 1) - looked)
                > 1000 + size * GREATEST(hits, 1) / GREATEST(visible, 1) THEN
                most := looked;
                EXIT;
            END IF;
        END IF;
        IF looked % 100 = 0 AND looked >= 300 + 4 * (skip + take) AND clock_timestamp() > started + patience THEN
            most := looked; -- long documents take longer to look at
            EXIT;
        END IF;
    END LOOP;
    IF hits < skip + take AND looked >= most THEN
        page := NULL;
    END IF;
    narrow := visible * 4 < looked;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_page(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    most CONSTANT bigint := 4000 + 4 * (skip + take);
    query tsquery;
    walk record;
    page uuid[];
BEGIN
    IF account <> ALL (app_accounts()) THEN
        RETURN '{}';
    END IF;
    IF search IS NOT NULL THEN
        query := app_query(search);
        IF query IS NULL THEN
            RETURN '{}';
        END IF;
    ELSIF only_visibility IS NULL AND only_source IS NULL AND only_status IS NULL AND NOT no_status THEN
        page := app_company_plain(account, app_user_id(), most, skip, take, sort, descending);
        IF cardinality(page) = take OR NOT EXISTS (SELECT 1 FROM companies c WHERE c.account_id = account ORDER BY c.created_at DESC OFFSET most - 1) THEN
            RETURN page;
        END IF;
    END IF;
    walk := app_company_walk(account, query, only_visibility, only_source, only_status, no_status, sort, descending, skip, take);
    IF walk.page IS NOT NULL THEN
        RETURN walk.page;
    END IF;
    RETURN app_company_match(account, walk.narrow, query, only_visibility, only_source, only_status, no_status, sort, descending, skip, take);
END
    $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION app_company_plain(uuid, uuid, bigint, bigint, bigint, text, boolean), app_company_plain_sql(text, boolean);
DROP INDEX companies_newest, companies_updated, companies_name;
CREATE INDEX companies_newest ON companies (account_id, created_at DESC, id DESC);
CREATE INDEX companies_updated ON companies (account_id, updated_at, id);
CREATE INDEX companies_name ON companies (account_id, lower(name), id);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_page(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    query tsquery := app_query(search);
    walk record;
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR search IS NOT NULL AND query IS NULL THEN
        RETURN '{}';
    END IF;
    walk := app_company_walk(account, query, only_visibility, only_source, only_status, no_status, sort, descending, skip, take);
    IF walk.page IS NOT NULL THEN
        RETURN walk.page;
    END IF;
    RETURN app_company_match(account, walk.narrow, query, only_visibility, only_source, only_status, no_status, sort, descending, skip, take);
END
    $$;
-- +goose StatementEnd

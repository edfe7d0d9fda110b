-- +goose Up
-- Lists begin behind a place, and have what changed since a time.

-- What is asked of a list of companies, with whom it is for. place and place_id are the row behind which it begins, as it is sorted: null, from the start.
CREATE TYPE company_list AS (
    account uuid, person uuid, query tsquery, visibility text, source text, status uuid, no_status boolean, since timestamptz, sort text, descending boolean,
    place text, place_id uuid, skip bigint, take bigint);

DROP FUNCTION app_company_list(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_page(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_walk(uuid, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_walk_sql(uuid, uuid, tsquery, text, text, uuid, boolean, text, boolean, bigint),
    app_company_match(uuid, boolean, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_match_sql(uuid, uuid, boolean, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_plain(uuid, uuid, bigint, bigint, bigint, text, boolean), app_company_plain_sql(text, boolean),
    app_count_submissions(uuid, uuid, boolean, text),
    app_email_page(uuid, text, text, uuid, boolean, text, text, boolean, bigint, bigint);

-- A place in an order, as SQL that is compared with app_company_sort_sql.
CREATE FUNCTION app_company_place_sql(sort text, place text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE sort WHEN 'name' THEN 'lower(' || place || '::text)' ELSE place || '::timestamptz' END $$;

-- The condition on a row c that it comes behind the place, as SQL; '' where the list has none.
CREATE FUNCTION app_company_behind_sql(sort text, descending boolean, place text, place_id text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE WHEN place IS NULL THEN '' ELSE format(' AND (%s, c.id) %s (%s, %s::uuid)', app_company_sort_sql(sort),
        CASE WHEN descending THEN '<' ELSE '>' END, app_company_place_sql(sort, place), place_id) END
    $$;

-- A page of a list without a filter, as SQL of an account ($1), a person ($2), how many rows it looks at ($3), skips ($4) and returns ($5), and where
-- asked for the place ($6) and the id ($7) behind which it begins.
-- +goose StatementBegin
CREATE FUNCTION app_company_plain_sql(sort text, descending boolean, placed boolean) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$
    SELECT replace(format('SELECT w.id FROM (SELECT c.id, %1$s AS place, c.visibility = ''team'' OR c.created_by = $2 OR c.visibility = ''shared'' AND ('
        || 'EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2)'
        || ' OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen'
        || ' FROM companies c WHERE c.account_id = $1%2$s ORDER BY %1$s <>, c.id <> LIMIT $3) AS w'
        || ' WHERE w.seen ORDER BY w.place <>, w.id <> OFFSET $4 LIMIT $5', app_company_sort_sql(sort),
        CASE WHEN placed THEN app_company_behind_sql(sort, descending, '$6', '$7') ELSE '' END), ' <>', CASE WHEN descending THEN ' DESC' ELSE '' END)
    $$;
-- +goose StatementEnd

-- app_company_plain returns that page, of one static statement for each order. It reads as whoever calls it.
-- +goose StatementBegin
DO $do$
DECLARE
    branches text := '';
    sort text;
    descending boolean;
    placed boolean;
BEGIN
    FOREACH sort IN ARRAY ARRAY['created_at', 'updated_at', 'name'] LOOP
        FOREACH descending IN ARRAY ARRAY[true, false] LOOP
            FOREACH placed IN ARRAY ARRAY[false, true] LOOP
                branches := branches || format(E'    IF sort = %L AND descending = %L AND (place IS NOT NULL) = %L THEN\n        RETURN ARRAY(%s);\n    END IF;\n',
                    sort, descending, placed, app_company_plain_sql(sort, descending, placed));
            END LOOP;
        END LOOP;
    END LOOP;
    EXECUTE 'CREATE FUNCTION app_company_plain(account uuid, person uuid, most bigint, skip bigint, take bigint, place text, place_id uuid, sort text, descending boolean)
        RETURNS uuid[] LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
        SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
        AS ' || quote_literal(E'\nBEGIN\n' || branches || E'    RETURN ''{}'';\nEND\n');
END
$do$;
-- +goose StatementEnd

-- The conditions of a list on a row c, as SQL: led by the one filter for which there is an index in this order, then the place in it; kept has the others.
-- +goose StatementBegin
CREATE FUNCTION app_company_conditions(list company_list, OUT led text, OUT led_column text, OUT kept text) LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    visible text := COALESCE(' AND c.visibility = ' || quote_literal(list.visibility), '');
    sourced text := COALESCE(' AND c.source = ' || quote_literal(list.source), '');
    staged text := CASE WHEN list.no_status THEN ' AND c.company_status_id IS NULL' ELSE COALESCE(' AND c.company_status_id = ' || quote_literal(list.status), '') END;
    since text := COALESCE(' AND c.updated_at >= ' || quote_literal(list.since) || '::timestamptz', '');
BEGIN
    led := '';
    led_column := '';
    kept := '';
    IF staged <> '' THEN
        led := staged;
        led_column := 'c.company_status_id';
        kept := visible || sourced;
    ELSIF sourced <> '' THEN
        led := sourced;
        led_column := 'c.source';
        kept := visible;
    ELSIF visible <> '' THEN
        led := visible;
        led_column := 'c.visibility';
    END IF;
    led := led || app_company_behind_sql(list.sort, list.descending, quote_literal(list.place), quote_literal(list.place_id));
    IF list.sort = 'updated_at' THEN
        led := led || since;
    ELSE
        kept := kept || since;
    END IF;
END
    $$;
-- +goose StatementEnd

-- The walk through a list in its order, as SQL: rows of an id, whether the person sees it, and whether it is what they look for. It looks at `most`
-- rows at most, of the one filter for which there is an index, so that its cost is bounded whatever the other conditions let through.
-- +goose StatementBegin
CREATE FUNCTION app_company_walk_sql(list company_list, most bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN list.descending THEN ' DESC' ELSE '' END;
    conditions record := app_company_conditions(list);
BEGIN
    RETURN 'SELECT c.id, ' || app_company_sight_sql(list.person) || ' AS seen, true' || conditions.kept || COALESCE(' AND c.words @@ ' || quote_literal(list.query), '')
        || ' AS wanted FROM companies c WHERE c.account_id = ' || quote_literal(list.account) || conditions.led
        || ' ORDER BY c.account_id' || direction || ', ' || COALESCE(NULLIF(conditions.led_column, '') || direction || ', ', '') || app_company_sort_sql(list.sort)
        || direction || ', c.id' || direction || ' LIMIT ' || most;
END
    $$;
-- +goose StatementEnd

-- The same list by what its rows hold, as SQL: for conditions that few rows meet. Where the person sees little of the account (narrow), the facets
-- say what; else that would be one more long list of rows to go through. Nothing but the words stands in the inner query, lest the planner take
-- another index.
-- +goose StatementBegin
CREATE FUNCTION app_company_match_sql(list company_list, narrow boolean) RETURNS text LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN list.descending THEN ' DESC' ELSE '' END;
    wanted tsquery := concat_ws(' & ', CASE WHEN narrow THEN format('(''#t:%1$s'' | ''#u:%1$s:%2$s'')', list.account, list.person) ELSE format('''#a:%s''', list.account) END,
        list.query, '''#v:' || list.visibility || '''', '''#s:' || list.source || '''', CASE WHEN list.no_status THEN '''#p:none''' ELSE '''#p:' || list.status || '''' END);
BEGIN
    RETURN 'WITH hits AS MATERIALIZED (SELECT c.id, c.account_id, c.visibility, c.created_by, c.updated_at, ' || app_company_sort_sql(list.sort)
        || ' AS place FROM companies c WHERE c.words @@ ' || quote_literal(wanted) || ') SELECT c.id FROM hits c WHERE c.account_id = ' || quote_literal(list.account)
        || CASE WHEN list.place IS NULL THEN '' ELSE format(' AND (c.place, c.id) %s (%s, %L::uuid)', CASE WHEN list.descending THEN '<' ELSE '>' END,
            app_company_place_sql(list.sort, quote_literal(list.place)), list.place_id) END
        || COALESCE(' AND c.updated_at >= ' || quote_literal(list.since) || '::timestamptz', '') || ' AND ' || app_company_sight_sql(list.person)
        || ' ORDER BY c.place' || direction || ', c.id' || direction || ' OFFSET ' || list.skip || ' LIMIT ' || list.take;
END
    $$;
-- +goose StatementEnd

-- The same list by when its rows changed, as SQL: for a time since which few did. It looks at most at `most` of them.
-- +goose StatementBegin
CREATE FUNCTION app_company_changed_sql(list company_list, most bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN list.descending THEN ' DESC' ELSE '' END;
    conditions record := app_company_conditions(list);
BEGIN
    RETURN 'WITH changed AS MATERIALIZED (SELECT c.id FROM companies c WHERE c.account_id = ' || quote_literal(list.account) || ' AND c.updated_at >= '
        || quote_literal(list.since) || '::timestamptz ORDER BY c.updated_at DESC, c.id DESC LIMIT ' || most
        || ') SELECT c.id FROM changed w JOIN companies c ON c.id = w.id WHERE ' || app_company_sight_sql(list.person) || conditions.led || conditions.kept
        || COALESCE(' AND c.words @@ ' || quote_literal(list.query), '')
        || ' ORDER BY ' || app_company_sort_sql(list.sort) || direction || ', c.id' || direction || ' OFFSET ' || list.skip || ' LIMIT ' || list.take;
END
    $$;
-- +goose StatementEnd

-- The walk without words, of an index alone: as many ids of a page as there are among the first `most` rows, and whether these are all rows.
-- +goose StatementBegin
CREATE FUNCTION app_company_filtered(list company_list, most bigint, OUT page uuid[], OUT whole boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
    AS $$
DECLARE
    walk text;
BEGIN
    list.person := app_user_id();
    walk := '(' || app_company_walk_sql(list, most) || ') AS w';
    EXECUTE format('SELECT ARRAY(SELECT w.id FROM %s WHERE w.seen AND w.wanted OFFSET %s LIMIT %s)', walk, list.skip, list.take) INTO page;
    whole := cardinality(page) = list.take;
    IF NOT whole THEN
        EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %s OFFSET %s)', walk, most - 1) INTO whole;
    END IF;
END
    $$;
-- +goose StatementEnd

-- The walk by words: the ids of a page, or a null page where it looked at so many rows for it that what is wanted must be rare; narrow says that the caller
-- sees less than a quarter of them. A walk at least looks at 60 rows, and then goes on only while it is expected to be cheaper than looking up. To look at
-- a row costs it some three times what the other way costs for each hit, which besides costs as much as a thousand hits to begin with.
-- +goose StatementBegin
CREATE FUNCTION app_company_walk(list company_list, OUT page uuid[], OUT narrow boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
    AS $$
DECLARE
    skip CONSTANT bigint := list.skip;
    take CONSTANT bigint := list.take;
    most bigint := 4000 + 8 * (skip + take);
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
    list.person := app_user_id();
    page := '{}';
    FOR company, seen, wanted IN EXECUTE app_company_walk_sql(list, most) LOOP
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
                size := app_company_size(list.account, list.person);
            END IF;
            IF 3 * LEAST((skip + take - hits) * looked / GREATEST(hits, 1), size * looked / GREATEST(visible, 1) - looked)
                > 1000 + size * GREATEST(hits, 1) / GREATEST(visible, 1) THEN
                most := looked;
                EXIT;
            END IF;
        END IF;
        IF looked % 100 = 0 AND looked >= 300 + 4 * (skip + take) AND hits * 2 < skip + take AND clock_timestamp() > started + patience THEN
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
CREATE FUNCTION app_company_match(list company_list, narrow boolean) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_indexscan = off SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    page uuid[];
BEGIN
    list.person := app_user_id();
    EXECUTE 'SELECT array_agg(m.id) FROM (' || app_company_match_sql(list, narrow) || ') AS m' INTO page;
    RETURN COALESCE(page, '{}');
END
    $$;
-- +goose StatementEnd

-- The page by when rows changed, or null where more than `most` did.
-- +goose StatementBegin
CREATE FUNCTION app_company_changed(list company_list, most bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off
    AS $$
DECLARE
    page uuid[];
BEGIN
    IF EXISTS (SELECT 1 FROM companies c WHERE c.account_id = list.account AND c.updated_at >= list.since ORDER BY c.updated_at DESC, c.id DESC OFFSET most) THEN
        RETURN NULL;
    END IF;
    list.person := app_user_id();
    EXECUTE 'SELECT array_agg(m.id) FROM (' || app_company_changed_sql(list, most) || ') AS m' INTO page;
    RETURN COALESCE(page, '{}');
END
    $$;
-- +goose StatementEnd

-- How many companies of an account somebody sees.
-- +goose StatementBegin
CREATE FUNCTION app_company_size(account uuid, person uuid) RETURNS bigint LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (SELECT COALESCE(sum(n.count), 0) FROM company_counts n
        WHERE n.account_id = account AND n.viewer IN ('00000000-0000-0000-0000-000000000000', person) AND n.kind = 's');
END
    $$;
-- +goose StatementEnd

-- A page without a filter that is nearer to the end than to the beginning of a long list, read from the end; null where it is not, or where the person
-- sees so little of the account that it would have to look at too many rows.
-- +goose StatementBegin
CREATE FUNCTION app_company_from_end(list company_list) RETURNS uuid[] LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    near CONSTANT bigint := 10000;
    size bigint;
    behind bigint; -- how many rows come after the page
    wanted bigint;
    page uuid[];
BEGIN
    IF list.skip < near OR list.place IS NOT NULL THEN
        RETURN NULL;
    END IF;
    size := app_company_size(list.account, list.person);
    wanted := GREATEST(0, LEAST(list.take, size - list.skip));
    behind := size - list.skip - wanted;
    IF wanted = 0 OR behind > list.skip THEN
        RETURN CASE WHEN wanted = 0 THEN ARRAY[]::uuid[] END;
    END IF;
    page := app_company_plain(list.account, list.person, 4000 + 4 * (behind + wanted), behind, wanted, NULL, NULL, list.sort, NOT list.descending);
    RETURN CASE WHEN cardinality(page) = wanted THEN ARRAY(SELECT p.id FROM unnest(page) WITH ORDINALITY AS p (id, place) ORDER BY p.place DESC) END;
END
    $$;
-- +goose StatementEnd

-- The ids of a page of an account's companies that the caller sees, in its order.
-- +goose StatementBegin
CREATE FUNCTION app_company_page(list company_list) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    most CONSTANT bigint := 4000 + 4 * (list.skip + list.take);
    walk record;
    page uuid[];
BEGIN
    IF list.account <> ALL (app_accounts()) THEN
        RETURN '{}';
    END IF;
    IF list.since IS NOT NULL AND list.sort <> 'updated_at' THEN
        page := app_company_changed(list, 5000);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
    END IF;
    IF list.query IS NULL AND list.visibility IS NULL AND list.source IS NULL AND list.status IS NULL AND NOT list.no_status AND list.since IS NULL THEN
        list.person := app_user_id();
        page := app_company_from_end(list);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
        page := app_company_plain(list.account, list.person, most, list.skip, list.take, list.place, list.place_id, list.sort, list.descending);
        IF cardinality(page) = list.take OR NOT EXISTS (SELECT 1 FROM companies c WHERE c.account_id = list.account ORDER BY c.created_at DESC OFFSET most - 1) THEN
            RETURN page;
        END IF;
    END IF;
    IF list.query IS NULL THEN
        walk := app_company_filtered(list, CASE WHEN list.since IS NULL THEN 20000 + 8 * (list.skip + list.take) ELSE most END);
        IF walk.whole THEN
            RETURN walk.page;
        ELSIF list.since IS NOT NULL THEN
            RETURN app_company_changed(list, 1e15::bigint); -- no word says when a row changed
        END IF;
        RETURN app_company_match(list, 4 * app_company_size(list.account, app_user_id()) < (
            SELECT COALESCE(sum(n.count), 0) FROM company_counts n WHERE n.account_id = list.account AND n.kind = 's'));
    END IF;
    walk := app_company_walk(list);
    RETURN COALESCE(walk.page, app_company_match(list, walk.narrow));
END
    $$;
-- +goose StatementEnd

-- The ids of a page of companies that the caller sees, of one account or (null) of all theirs, in its order. Pages of several accounts are merged out
-- of the beginnings of their lists. `search` null: whatever they hold; with no word in it: none.
-- +goose StatementBegin
CREATE FUNCTION app_company_list(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean, since timestamptz,
    sort text, descending boolean, place text, place_id uuid, skip bigint, take bigint)
    RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    accounts uuid[] := ARRAY[account];
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ids uuid[] := '{}';
    list company_list;
BEGIN
    list := ROW(account, app_user_id(), app_query(search), only_visibility, only_source, only_status, no_status, since, sort, descending, place, place_id, skip, take);
    IF search IS NOT NULL AND list.query IS NULL THEN
        RETURN '{}';
    END IF;
    IF account IS NULL THEN
        accounts := app_accounts();
    END IF;
    IF cardinality(accounts) = 1 THEN
        list.account := accounts[1];
        RETURN app_company_page(list);
    END IF;
    list.skip := 0;
    list.take := skip + take;
    FOREACH list.account IN ARRAY accounts LOOP
        ids := ids || app_company_page(list);
    END LOOP;
    EXECUTE format('SELECT array_agg(m.id) FROM (SELECT c.id FROM companies c WHERE c.id = ANY ($1) ORDER BY %s%s, c.id%2$s OFFSET $2 LIMIT $3) AS m',
        app_company_sort_sql(sort), direction) INTO ids USING ids, skip, take;
    RETURN ids;
END
    $$;
-- +goose StatementEnd

-- How many submissions the caller sees. Row security would look each one's company up; the companies that are hidden are few, so these are found once.
-- +goose StatementBegin
CREATE FUNCTION app_count_submissions(account uuid, about uuid, only_processed boolean, integration text, since timestamptz) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    found bigint;
BEGIN
    IF account NOT IN (SELECT app_account_ids()) THEN
        RETURN 0;
    END IF;
    EXECUTE 'SELECT count(*) FROM form_submissions s WHERE s.account_id = $1'
        || COALESCE(' AND s.company_id = ' || quote_literal(about), '') || COALESCE(' AND s.processed = ' || only_processed, '')
        || COALESCE(' AND s.integration_type = ' || quote_literal(integration), '') || COALESCE(' AND s.updated_at >= ' || quote_literal(since) || '::timestamptz', '')
        || ' AND (s.company_id IS NULL OR s.company_id NOT IN (SELECT c.id FROM companies c WHERE c.account_id = $1 AND c.visibility IN (''private'', ''shared'')
            AND c.created_by <> $2 AND NOT (c.visibility = ''shared'' AND c.id = ANY (ARRAY(SELECT app_shared_company_ids())))))'
        INTO found USING account, app_user_id();
    RETURN found;
END
    $$;
-- +goose StatementEnd

-- The ids of a page of an account's emails, in its order; the rows themselves are read under the caller's policies. What is null narrows nothing; a
-- search without a word finds nothing. @@ and @> are not leakproof, so under row security no index would serve them: here the policy is applied
-- by the function itself. What many rows meet is found by a walk, what few meet by the facets; what is about a company by its links.
-- +goose StatementBegin
CREATE FUNCTION app_email_page(account uuid, search text, sender text, about uuid, only_processed boolean, tag text, since timestamptz, sort text,
    descending boolean, after timestamptz, after_id uuid, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    query tsquery := app_query(search);
    place text := CASE sort WHEN 'updated_at' THEN 'e.updated_at' ELSE 'e.created_at' END;
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ordered text := place || direction || ', e.id' || direction;
    behind text := CASE WHEN after IS NULL THEN '' ELSE format(' AND (%s, e.id) %s (%L::timestamptz, %L::uuid)', place,
        CASE WHEN descending THEN '<' ELSE '>' END, after, after_id) END;
    changed text := COALESCE(' AND e.updated_at >= ' || quote_literal(since) || '::timestamptz', '');
    led text;
    kept text;
    facet tsquery;
    page uuid[];
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR search IS NOT NULL AND query IS NULL
        OR about IS NOT NULL AND app_company_access(about) IS DISTINCT FROM 'visible' THEN
        RETURN '{}';
    END IF;
    SELECT c.led || behind || changed, c.kept INTO led, kept FROM app_email_conditions(account, query, sender, only_processed, tag) AS c;
    IF about IS NULL AND (query IS NOT NULL OR tag IS NOT NULL) THEN
        page := app_email_walk(led, kept, ordered, skip, take);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
        FOREACH facet IN ARRAY ARRAY[app_facet('a', account::text), app_facet('f', lower(sender)), app_facet('p', only_processed::text), app_facet('g', tag)] LOOP
            query := COALESCE(query && facet, query, facet);
        END LOOP;
        EXECUTE format('WITH hits AS MATERIALIZED (SELECT e.id, e.created_at, e.updated_at FROM emails e WHERE e.words @@ %L)
            SELECT array_agg(p.id) FROM (SELECT e.id FROM hits e WHERE true%s%s ORDER BY %s OFFSET %s LIMIT %s) AS p',
            query, behind, changed, ordered, skip, take) INTO page;
    ELSE
        EXECUTE format('SELECT array_agg(p.id) FROM (SELECT e.id FROM emails e %s WHERE %s AND %s ORDER BY %s OFFSET %s LIMIT %s) AS p',
            COALESCE('JOIN email_companies l ON l.email_id = e.id AND l.company_id = ' || quote_literal(about), ''), led, kept, ordered, skip, take) INTO page;
    END IF;
    RETURN COALESCE(page, '{}');
END
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_company_filtered(company_list, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_walk(company_list) OWNER TO dealflow_system;
ALTER FUNCTION app_company_match(company_list, boolean) OWNER TO dealflow_system;
ALTER FUNCTION app_company_changed(company_list, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_page(company_list) OWNER TO dealflow_system;
ALTER FUNCTION app_company_list(uuid, text, text, text, uuid, boolean, timestamptz, text, boolean, text, uuid, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_count_submissions(uuid, uuid, boolean, text, timestamptz) OWNER TO dealflow_system;
ALTER FUNCTION app_email_page(uuid, text, text, uuid, boolean, text, timestamptz, text, boolean, timestamptz, uuid, bigint, bigint) OWNER TO dealflow_system;

-- Whoever walks by one filter reads its index alone, also where others narrow what is wanted.
DROP INDEX companies_status_created, companies_status_updated, companies_status_name, companies_source_created, companies_source_updated, companies_source_name,
    companies_visibility_created, companies_visibility_updated, companies_visibility_name;
CREATE INDEX companies_status_created ON companies (account_id, company_status_id, created_at, id) INCLUDE (source, visibility, created_by);
CREATE INDEX companies_status_updated ON companies (account_id, company_status_id, updated_at, id) INCLUDE (source, visibility, created_by);
CREATE INDEX companies_status_name ON companies (account_id, company_status_id, lower(name), id) INCLUDE (source, visibility, created_by, name);
CREATE INDEX companies_source_created ON companies (account_id, source, created_at, id) INCLUDE (visibility, created_by);
CREATE INDEX companies_source_updated ON companies (account_id, source, updated_at, id) INCLUDE (visibility, created_by);
CREATE INDEX companies_source_name ON companies (account_id, source, lower(name), id) INCLUDE (visibility, created_by, name);
CREATE INDEX companies_visibility_created ON companies (account_id, visibility, created_at, id) INCLUDE (created_by);
CREATE INDEX companies_visibility_updated ON companies (account_id, visibility, updated_at, id) INCLUDE (created_by);
CREATE INDEX companies_visibility_name ON companies (account_id, visibility, lower(name), id) INCLUDE (created_by, name);

CREATE INDEX meeting_minutes_updated ON meeting_minutes (account_id, updated_at, id);

-- +goose Down
DROP INDEX meeting_minutes_updated;
DROP INDEX companies_status_created, companies_status_updated, companies_status_name, companies_source_created, companies_source_updated, companies_source_name,
    companies_visibility_created, companies_visibility_updated, companies_visibility_name;
CREATE INDEX companies_status_created ON companies (account_id, company_status_id, created_at, id);
CREATE INDEX companies_status_updated ON companies (account_id, company_status_id, updated_at, id);
CREATE INDEX companies_status_name ON companies (account_id, company_status_id, lower(name), id);
CREATE INDEX companies_source_created ON companies (account_id, source, created_at, id);
CREATE INDEX companies_source_updated ON companies (account_id, source, updated_at, id);
CREATE INDEX companies_source_name ON companies (account_id, source, lower(name), id);
CREATE INDEX companies_visibility_created ON companies (account_id, visibility, created_at, id);
CREATE INDEX companies_visibility_updated ON companies (account_id, visibility, updated_at, id);
CREATE INDEX companies_visibility_name ON companies (account_id, visibility, lower(name), id);
DROP FUNCTION app_company_list(uuid, text, text, text, uuid, boolean, timestamptz, text, boolean, text, uuid, bigint, bigint), app_company_page(company_list),
    app_company_changed(company_list, bigint), app_company_match(company_list, boolean), app_company_walk(company_list), app_company_filtered(company_list, bigint), app_company_changed_sql(company_list, bigint),
    app_company_match_sql(company_list, boolean), app_company_walk_sql(company_list, bigint), app_company_conditions(company_list),
    app_company_plain(uuid, uuid, bigint, bigint, bigint, text, uuid, text, boolean), app_company_plain_sql(text, boolean, boolean),
    app_company_from_end(company_list), app_company_size(uuid, uuid), app_company_behind_sql(text, boolean, text, text), app_company_place_sql(text, text), app_count_submissions(uuid, uuid, boolean, text, timestamptz),
    app_email_page(uuid, text, text, uuid, boolean, text, timestamptz, text, boolean, timestamptz, uuid, bigint, bigint);
DROP TYPE company_list;
-- +goose StatementBegin
CREATE FUNCTION app_company_walk_sql(account uuid, person uuid, query tsquery, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, most bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    visible text := COALESCE(' AND c.visibility = ' || quote_literal(only_visibility), '');
    sourced text := COALESCE(' AND c.source = ' || quote_literal(only_source), '');
    staged text := CASE WHEN no_status THEN ' AND c.company_status_id IS NULL' ELSE COALESCE(' AND c.company_status_id = ' || quote_literal(only_status), '') END;
    wanted text := COALESCE(' AND c.words @@ ' || quote_literal(query), '');
    led text := '';
    led_column text := '';
BEGIN
    IF staged <> '' THEN
        led := staged;
        led_column := 'c.company_status_id' || direction || ', ';
        wanted := visible || sourced || wanted;
    ELSIF sourced <> '' THEN
        led := sourced;
        led_column := 'c.source' || direction || ', ';
        wanted := visible || wanted;
    ELSIF visible <> '' THEN
        led := visible;
        led_column := 'c.visibility' || direction || ', ';
    END IF;
    RETURN 'SELECT c.id, ' || app_company_sight_sql(person) || ', true' || wanted || ' FROM companies c WHERE c.account_id = ' || quote_literal(account) || led
        || ' ORDER BY c.account_id' || direction || ', ' || led_column || app_company_sort_sql(sort) || direction || ', c.id' || direction || ' LIMIT ' || most;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION app_company_match_sql(account uuid, person uuid, narrow boolean, query tsquery, only_visibility text, only_source text, only_status uuid,
    no_status boolean, sort text, descending boolean, skip bigint, take bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    wanted tsquery := concat_ws(' & ', CASE WHEN narrow THEN format('(''#t:%1$s'' | ''#u:%1$s:%2$s'')', account, person) ELSE format('''#a:%s''', account) END, query,
        '''#v:' || only_visibility || '''', '''#s:' || only_source || '''', CASE WHEN no_status THEN '''#p:none''' ELSE '''#p:' || only_status || '''' END);
BEGIN
    RETURN 'WITH hits AS MATERIALIZED (SELECT c.id, c.account_id, c.visibility, c.created_by, ' || app_company_sort_sql(sort) || ' AS place FROM companies c WHERE c.words @@ '
        || quote_literal(wanted) || ') SELECT c.id FROM hits c WHERE c.account_id = ' || quote_literal(account) || ' AND ' || app_company_sight_sql(person)
        || ' ORDER BY c.place' || direction || ', c.id' || direction || ' OFFSET ' || skip || ' LIMIT ' || take;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION app_company_match(account uuid, narrow boolean, query tsquery, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET enable_indexscan = off SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    page uuid[];
BEGIN
    EXECUTE 'SELECT array_agg(m.id) FROM (' || app_company_match_sql(account, app_user_id(), narrow, query, only_visibility, only_source, only_status, no_status,
        sort, descending, skip, take) || ') AS m' INTO page;
    RETURN COALESCE(page, '{}');
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION app_company_walk(account uuid, query tsquery, only_visibility text, only_source text, only_status uuid, no_status boolean,
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
CREATE FUNCTION app_company_plain_sql(sort text, descending boolean) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$
    SELECT replace(format('SELECT w.id FROM (SELECT c.id, %1$s AS place, c.visibility = ''team'' OR c.created_by = $2 OR c.visibility = ''shared'' AND ('
        || 'EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2)'
        || ' OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen'
        || ' FROM companies c WHERE c.account_id = $1 ORDER BY %1$s <>, c.id <> LIMIT $3) AS w'
        || ' WHERE w.seen ORDER BY w.place <>, w.id <> OFFSET $4 LIMIT $5', app_company_sort_sql(sort)), ' <>', CASE WHEN descending THEN ' DESC' ELSE '' END)
    $$;
-- +goose StatementEnd
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
-- +goose StatementBegin
CREATE FUNCTION app_company_page(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean,
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
-- +goose StatementBegin
CREATE FUNCTION app_count_submissions(account uuid, about uuid, only_processed boolean, integration text) RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    found bigint;
BEGIN
    IF account NOT IN (SELECT app_account_ids()) THEN
        RETURN 0;
    END IF;
    EXECUTE 'SELECT count(*) FROM form_submissions s WHERE s.account_id = $1'
        || COALESCE(' AND s.company_id = ' || quote_literal(about), '') || COALESCE(' AND s.processed = ' || only_processed, '')
        || COALESCE(' AND s.integration_type = ' || quote_literal(integration), '')
        || ' AND (s.company_id IS NULL OR s.company_id NOT IN (SELECT c.id FROM companies c WHERE c.account_id = $1 AND c.visibility IN (''private'', ''shared'')
            AND c.created_by <> $2 AND NOT (c.visibility = ''shared'' AND c.id = ANY (ARRAY(SELECT app_shared_company_ids())))))'
        INTO found USING account, app_user_id();
    RETURN found;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION app_email_page(account uuid, search text, sender text, about uuid, only_processed boolean, tag text, sort text, descending boolean,
    skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    query tsquery := app_query(search);
    place text := CASE sort WHEN 'updated_at' THEN 'e.updated_at' ELSE 'e.created_at' END;
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ordered text := place || direction || ', e.id' || direction;
    led text;
    kept text;
    facet tsquery;
    page uuid[];
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR search IS NOT NULL AND query IS NULL
        OR about IS NOT NULL AND app_company_access(about) IS DISTINCT FROM 'visible' THEN
        RETURN '{}';
    END IF;
    SELECT c.led, c.kept INTO led, kept FROM app_email_conditions(account, query, sender, only_processed, tag) AS c;
    IF about IS NULL AND (query IS NOT NULL OR tag IS NOT NULL) THEN
        page := app_email_walk(led, kept, ordered, skip, take);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
        FOREACH facet IN ARRAY ARRAY[app_facet('a', account::text), app_facet('f', lower(sender)), app_facet('p', only_processed::text), app_facet('g', tag)] LOOP
            query := COALESCE(query && facet, query, facet);
        END LOOP;
        EXECUTE format('WITH hits AS MATERIALIZED (SELECT e.id, %1$s AS place FROM emails e WHERE e.words @@ %2$L)
            SELECT array_agg(p.id) FROM (SELECT h.id FROM hits h ORDER BY h.place%3$s, h.id%3$s OFFSET %4$s LIMIT %5$s) AS p', place, query, direction, skip, take) INTO page;
    ELSE
        EXECUTE format('SELECT array_agg(p.id) FROM (SELECT e.id FROM emails e %s WHERE %s AND %s ORDER BY %s OFFSET %s LIMIT %s) AS p',
            COALESCE('JOIN email_companies l ON l.email_id = e.id AND l.company_id = ' || quote_literal(about), ''), led, kept, ordered, skip, take) INTO page;
    END IF;
    RETURN COALESCE(page, '{}');
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_company_walk(uuid, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_match(uuid, boolean, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_page(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_list(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_count_submissions(uuid, uuid, boolean, text) OWNER TO dealflow_system;
ALTER FUNCTION app_email_page(uuid, text, text, uuid, boolean, text, text, boolean, bigint, bigint) OWNER TO dealflow_system;

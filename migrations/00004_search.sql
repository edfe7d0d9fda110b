-- +goose Up
-- Lists of companies: an index for each order and filter, the full-text search, and what the analysis must not overwrite.

-- The columns and metadata members that somebody has set by hand since the intake, separated by spaces. The analysis leaves them alone.
ALTER TABLE companies ADD COLUMN edited text NOT NULL DEFAULT '';

-- Every word of a company and of its PDFs, and its facets: its account, who may see it, its visibility, source and status. Facets begin with
-- '#', which no word does. Triggers keep both columns.
ALTER TABLE companies ADD COLUMN words tsvector NOT NULL DEFAULT '';
ALTER TABLE file_texts ADD COLUMN words tsvector NOT NULL DEFAULT '';
ALTER TABLE companies ALTER COLUMN words SET STORAGE EXTERNAL; -- to look at one is not to unpack it

-- Case and compatibility forms are folded, accents are not. The detour over upper folds letters with two small forms.
CREATE FUNCTION app_fold(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT replace(lower(upper(normalize(given, NFKC))), 'ß', 'ss') $$;

-- The words of a folded text in their order, with repetitions. A word is what stands between punctuation, symbols and white space. Scripts
-- that put no space between words are cut into overlapping pairs of characters, and for a document (every = true) into single ones too: a
-- word in a sentence is found by its pairs, a single character by itself.
-- +goose StatementBegin
CREATE FUNCTION app_cut(folded text, every boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    gap CONSTANT text := '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387'
        '\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e3f\u0e4f\u0e5a\u0e5b\u104a-\u104f\u1680'
        '\u17d4-\u17db\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ue000-\uf8ff\ufd3e\ufd3f\ufe00-\ufe6f'
        '\ufeff\ufff0-\uffff\U0001f000-\U0001fbff\U000e0000-\U0010ffff]+';
    dense CONSTANT text := '[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3040-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf'
        '\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]';
    spaced text := regexp_replace(folded, gap, ' ', 'g');
    cut text := spaced;
BEGIN
    IF spaced ~ dense THEN
        spaced := left(spaced, 200000); -- pairs cost more than words
        cut := regexp_replace(spaced, '(' || dense || '{1,2})', ' \1 ', 'g') || ' '
            || regexp_replace(regexp_replace(spaced, '(^|[^' || substr(dense, 2) || ')' || dense, '\1 ', 'g'), '(' || dense || '{1,2})', ' \1 ', 'g');
        IF every THEN
            cut := cut || ' ' || regexp_replace(spaced, '(' || dense || ')', ' \1 ', 'g');
        END IF;
    END IF;
    RETURN array_remove(string_to_array(regexp_replace(cut, '([^ ]{64})[^ ]+', '\1', 'g'), ' '), ''); -- nobody types more of a word
END
    $$;
-- +goose StatementEnd

-- A vector of words. Postgres refuses one of more than 1 MB: where there are too many distinct words, the first ones are kept.
-- +goose StatementBegin
CREATE FUNCTION app_vector(given text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    room CONSTANT integer := 900000; -- bytes
    bytes bigint;
BEGIN
    SELECT COALESCE(sum(octet_length(w)), 0) INTO bytes FROM unnest(given) AS w;
    IF bytes > room THEN
        given := COALESCE((SELECT array_agg(k.word) FROM (
            SELECT d.word, sum(octet_length(d.word)) OVER (ORDER BY d.place) AS upto
            FROM (SELECT w.word, min(w.place) AS place FROM unnest(given) WITH ORDINALITY AS w (word, place) GROUP BY w.word) AS d) AS k
            WHERE k.upto <= room), '{}');
    END IF;
    RETURN array_to_tsvector(given);
END
    $$;
-- +goose StatementEnd

-- The words of a document; of a very long one, of its first million characters.
CREATE FUNCTION app_words(given text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT app_cut(app_fold(left(given, 1000000)), true) $$;

-- What a client searches for: every word must occur. Null where there is no word in it. Words hold no quote and no backslash.
CREATE FUNCTION app_query(given text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT string_agg(DISTINCT '''' || w || '''', ' & ')::tsquery FROM unnest(app_cut(app_fold(given), false)) AS w $$;

-- The strings in a company's metadata, on lines of their own.
CREATE FUNCTION app_strings(given jsonb) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT COALESCE(string_agg(s #>> '{}', E'\n'), '') FROM jsonb_path_query(given, 'strict $.** ? (@.type() == "string")') AS s $$;

-- The facets of a company.
-- +goose StatementBegin
CREATE FUNCTION app_company_facets(c companies) RETURNS text[] LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN ARRAY['#a:' || c.account_id, '#v:' || c.visibility, '#s:' || c.source, '#p:' || COALESCE(c.company_status_id::text, 'none')]
        || CASE c.visibility WHEN 'team' THEN ARRAY['#t:' || c.account_id] ELSE ARRAY['#u:' || c.account_id || ':' || c.created_by] END
        || CASE c.visibility WHEN 'shared' THEN COALESCE((SELECT array_agg('#u:' || c.account_id || ':' || s.user_id) FROM (
            SELECT user_id FROM company_assignees WHERE company_id = c.id UNION SELECT user_id FROM company_shares WHERE company_id = c.id) AS s), '{}') ELSE '{}' END;
END
    $$;
-- +goose StatementEnd

-- All of a company's vector, from its row and the vectors of its files.
-- +goose StatementBegin
CREATE FUNCTION app_company_vector(c companies) RETURNS tsvector LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN app_vector(app_company_facets(c)
        || app_words(concat_ws(E'\n', c.name, c.notes, app_strings(c.metadata), c.source_content))
        || COALESCE((SELECT array_agg(w.word) FROM file_texts f, unnest(tsvector_to_array(f.words)) AS w (word) WHERE f.company_id = c.id), '{}'));
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_index_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.name, NEW.notes, NEW.source_content, NEW.metadata) IS NOT DISTINCT FROM (OLD.name, OLD.notes, OLD.source_content, OLD.metadata) THEN
        NEW.words := app_refacet(NEW); -- a status that changes does not cost reading a long text again
    ELSE
        NEW.words := app_company_vector(NEW);
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd

-- The vector with its facets renewed and its words as they are.
-- +goose StatementBegin
CREATE FUNCTION app_refacet(c companies) RETURNS tsvector LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN ts_delete(c.words, COALESCE((SELECT array_agg(w) FROM unnest(tsvector_to_array(c.words)) AS w WHERE w LIKE '#%'), '{}'))
        || array_to_tsvector(app_company_facets(c));
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_index_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
BEGIN
    UPDATE companies c SET words = app_refacet(c) WHERE c.id = COALESCE(NEW.company_id, OLD.company_id) AND c.visibility = 'shared';
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_read_text() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public
    AS $$
BEGIN
    NEW.words := app_vector(app_words(concat_ws(E'\n', NEW.title, (SELECT string_agg(p, E'\n') FROM jsonb_array_elements_text(NEW.pages) AS p))));
    RETURN NEW;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_index_text() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
BEGIN
    UPDATE companies c SET words = app_company_vector(c) WHERE c.id = COALESCE(NEW.company_id, OLD.company_id);
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

CREATE TRIGGER index_company BEFORE INSERT OR UPDATE OF name, notes, source_content, metadata, visibility, source, company_status_id, created_by
    ON companies FOR EACH ROW EXECUTE FUNCTION app_index_company();
CREATE TRIGGER index_people AFTER INSERT OR DELETE ON company_assignees FOR EACH ROW EXECUTE FUNCTION app_index_people();
CREATE TRIGGER index_people AFTER INSERT OR DELETE ON company_shares FOR EACH ROW EXECUTE FUNCTION app_index_people();
CREATE TRIGGER read_text BEFORE INSERT OR UPDATE OF title, pages ON file_texts FOR EACH ROW EXECUTE FUNCTION app_read_text();
CREATE TRIGGER index_text AFTER INSERT OR DELETE OR UPDATE OF title, pages ON file_texts FOR EACH ROW EXECUTE FUNCTION app_index_text();

-- Whether a person may see a row c, as SQL: the rule of the policy on companies.
CREATE FUNCTION app_company_sight_sql(person uuid) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$
    SELECT format('(c.visibility = ''team'' OR c.created_by = %1$L OR c.visibility = ''shared'' AND ('
        || 'EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = %1$L)'
        || ' OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = %1$L)))', person)
    $$;

-- By what a list is sorted, as SQL.
CREATE FUNCTION app_company_sort_sql(sort text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE sort WHEN 'name' THEN 'lower(c.name)' WHEN 'updated_at' THEN 'c.updated_at' ELSE 'c.created_at' END $$;

-- The walk through a list in its order, as SQL: rows of an id, whether the person sees it, and whether it is what he looks for. It looks at `most`
-- rows at most, of the one filter for which there is an index, so that its cost is bounded whatever the other conditions let through.
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

-- The same list by what its rows hold, as SQL: for conditions that few rows meet. Where the person sees little of the account (narrow), the facets
-- say what; else that would be one more long list of rows to go through. Nothing but the words stands in the inner query, lest the planner take
-- another index.
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

-- The walk: the ids of a page, or a null page where it looked at so many rows for it that what is wanted must be rare; narrow tells that the caller
-- sees less than a quarter of them. The planner's switches make it keep to the order's index also before the table was ever analyzed.
-- +goose StatementBegin
CREATE FUNCTION app_company_walk(account uuid, query tsquery, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint, OUT page uuid[], OUT narrow boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
    AS $$
DECLARE
    most bigint := 4000 + 4 * (skip + take);
    patience CONSTANT interval := '10 ms';
    started CONSTANT timestamptz := clock_timestamp();
    looked bigint := 0;
    visible bigint := 0;
    hits bigint := 0;
    company uuid;
    seen boolean;
    wanted boolean;
BEGIN
    page := '{}';
    FOR company, seen, wanted IN EXECUTE app_company_walk_sql(account, app_user_id(), query, only_visibility, only_source, only_status, no_status, sort, descending, most) LOOP
        looked := looked + 1;
        visible := visible + seen::integer;
        IF seen AND wanted THEN
            hits := hits + 1;
            IF hits > skip THEN
                page := page || company;
            END IF;
        END IF;
        EXIT WHEN hits >= skip + take;
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
CREATE FUNCTION app_company_match(account uuid, narrow boolean, query tsquery, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public SET enable_seqscan = off SET enable_indexscan = off SET jit = off SET work_mem = '32MB'
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

-- The ids of a page of an account's companies that the caller sees, in its order. `search` null: whatever they hold; with no word in it: none.
-- Lists that let many rows through are walked in their order, the others are looked up.
-- +goose StatementBegin
CREATE FUNCTION app_company_page(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean,
    sort text, descending boolean, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
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

ALTER FUNCTION app_index_company() OWNER TO dealflow_system;
ALTER FUNCTION app_index_people() OWNER TO dealflow_system;
ALTER FUNCTION app_index_text() OWNER TO dealflow_system;
ALTER FUNCTION app_company_walk(uuid, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_match(uuid, boolean, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;
ALTER FUNCTION app_company_page(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint) OWNER TO dealflow_system;

GRANT SELECT ON file_texts TO dealflow_system;
GRANT UPDATE (words) ON companies TO dealflow_system;
CREATE POLICY system_select ON file_texts FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_update ON companies FOR UPDATE TO dealflow_system USING (true);

UPDATE file_texts SET title = title;
UPDATE companies SET name = name;

DROP INDEX companies_status;
CREATE INDEX companies_updated ON companies (account_id, updated_at, id);
CREATE INDEX companies_name ON companies (account_id, lower(name), id);
CREATE INDEX companies_status_created ON companies (account_id, company_status_id, created_at, id);
CREATE INDEX companies_status_updated ON companies (account_id, company_status_id, updated_at, id);
CREATE INDEX companies_status_name ON companies (account_id, company_status_id, lower(name), id);
CREATE INDEX companies_source_created ON companies (account_id, source, created_at, id);
CREATE INDEX companies_source_updated ON companies (account_id, source, updated_at, id);
CREATE INDEX companies_source_name ON companies (account_id, source, lower(name), id);
CREATE INDEX companies_visibility_created ON companies (account_id, visibility, created_at, id);
CREATE INDEX companies_visibility_updated ON companies (account_id, visibility, updated_at, id);
CREATE INDEX companies_visibility_name ON companies (account_id, visibility, lower(name), id);
CREATE INDEX companies_words ON companies USING gin (words) WITH (gin_pending_list_limit = 1024);

-- +goose Down
DROP INDEX companies_words, companies_updated, companies_name, companies_status_created, companies_status_updated, companies_status_name, companies_source_created,
    companies_source_updated, companies_source_name, companies_visibility_created, companies_visibility_updated, companies_visibility_name;
CREATE INDEX companies_status ON companies (account_id, company_status_id);
DROP TRIGGER index_company ON companies;
DROP TRIGGER index_people ON company_assignees;
DROP TRIGGER index_people ON company_shares;
DROP TRIGGER read_text ON file_texts;
DROP TRIGGER index_text ON file_texts;
DROP POLICY system_select ON file_texts;
DROP POLICY system_update ON companies;
REVOKE SELECT ON file_texts FROM dealflow_system;
REVOKE UPDATE (words) ON companies FROM dealflow_system;
DROP FUNCTION app_company_page(uuid, text, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_match(uuid, boolean, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint), app_company_walk(uuid, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_match_sql(uuid, uuid, boolean, tsquery, text, text, uuid, boolean, text, boolean, bigint, bigint),
    app_company_walk_sql(uuid, uuid, tsquery, text, text, uuid, boolean, text, boolean, bigint), app_company_sight_sql(uuid), app_company_sort_sql(text), app_index_text(), app_read_text(), app_index_people(), app_index_company(),
    app_refacet(companies), app_company_vector(companies), app_company_facets(companies), app_strings(jsonb), app_query(text), app_words(text), app_vector(text[]), app_cut(text, boolean),
    app_fold(text);
ALTER TABLE file_texts DROP COLUMN words;
ALTER TABLE companies DROP COLUMN words, DROP COLUMN edited;

-- +goose Up
-- The same words for search and the same keys of companies at a fraction of the cost: nothing is planned or compiled anew for each row, what
-- is ASCII alone takes a short way, and what did not change is not read again.

-- Most texts are ASCII, where folding is lowering and every word is a run of letters and digits.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_fold(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF octet_length(given) = length(given) THEN
        RETURN lower(given);
    END IF;
    RETURN replace(lower(upper(CASE WHEN given IS NFKC NORMALIZED THEN given ELSE normalize(given, NFKC) END)), 'ß', 'ss');
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_cut(folded text, every boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    gap CONSTANT text := '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387'
        '\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e3f\u0e4f\u0e5a\u0e5b\u104a-\u104f\u1680'
        '\u17d4-\u17db\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ue000-\uf8ff\ufd3e\ufd3f\ufe00-\ufe6f'
        '\ufeff\ufff0-\uffff\U0001f000-\U0001fbff\U000e0000-\U0010ffff]+';
    dense CONSTANT text := '[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3040-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf'
        '\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]';
    spaced text;
    cut text;
BEGIN
    IF octet_length(folded) = length(folded) THEN
        cut := regexp_replace(folded, '[^0-9A-Za-z]+', ' ', 'g');
    ELSE
        spaced := regexp_replace(folded, gap, ' ', 'g');
        cut := spaced;
        IF spaced ~ dense THEN
            spaced := left(spaced, 200000); -- pairs cost more than words
            cut := regexp_replace(spaced, '(' || dense || '{1,2})', ' \1 ', 'g') || ' '
                || regexp_replace(regexp_replace(spaced, '(^|[^' || substr(dense, 2) || ')' || dense, '\1 ', 'g'), '(' || dense || '{1,2})', ' \1 ', 'g');
            IF every THEN
                cut := cut || ' ' || regexp_replace(spaced, '(' || dense || ')', ' \1 ', 'g');
            END IF;
        END IF;
    END IF;
    IF cut ~ '[^ ]{65}' THEN
        cut := regexp_replace(cut, '([^ ]{64})[^ ]+', '\1', 'g'); -- nobody types more of a word
    END IF;
    RETURN array_remove(string_to_array(cut, ' '), '');
END
    $$;
-- +goose StatementEnd

-- The words themselves are added up only where the whole array is larger than what there is room for.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_vector(given text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    room CONSTANT integer := 900000; -- bytes
BEGIN
    IF pg_column_size(given) > room AND (SELECT sum(octet_length(w)) FROM unnest(given) AS w) > room THEN
        given := COALESCE((SELECT array_agg(k.word) FROM (
            SELECT d.word, sum(octet_length(d.word)) OVER (ORDER BY d.place) AS upto
            FROM (SELECT w.word, min(w.place) AS place FROM unnest(given) WITH ORDINALITY AS w (word, place) GROUP BY w.word) AS d) AS k
            WHERE k.upto <= room), '{}');
    END IF;
    RETURN array_to_tsvector(given);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_strings(given jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF given = '{}' THEN
        RETURN '';
    END IF;
    RETURN (SELECT COALESCE(string_agg(s #>> '{}', E'\n'), '') FROM jsonb_path_query(given, 'strict $.** ? (@.type() == "string")') AS s);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_facets(c companies) RETURNS text[] LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    facets text[] := ARRAY['#a:' || c.account_id, '#v:' || c.visibility, '#s:' || c.source, '#p:' || COALESCE(c.company_status_id::text, 'none')];
BEGIN
    IF c.visibility = 'team' THEN
        RETURN facets || ('#t:' || c.account_id);
    END IF;
    facets := facets || ('#u:' || c.account_id || ':' || c.created_by);
    IF c.visibility = 'shared' THEN
        facets := facets || ARRAY(SELECT '#u:' || c.account_id || ':' || s.user_id FROM (
            SELECT user_id FROM company_assignees WHERE company_id = c.id UNION SELECT user_id FROM company_shares WHERE company_id = c.id) AS s);
    END IF;
    RETURN facets;
END
    $$;
-- +goose StatementEnd

-- The vectors of the files are added as they are where together they have room for certain; else the first words are chosen of all.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_vector(c companies) RETURNS tsvector LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    own CONSTANT text[] := app_company_facets(c) || app_words(concat_ws(E'\n', c.name, c.notes, app_strings(c.metadata), c.source_content));
    whole tsvector := app_vector(own);
    file tsvector;
BEGIN
    FOR file IN SELECT f.words || ''::tsvector FROM file_texts f WHERE f.company_id = c.id LOOP
        IF pg_column_size(whole) + pg_column_size(file) > 900000 THEN
            RETURN app_vector(own
                || COALESCE((SELECT array_agg(w.word) FROM file_texts f, unnest(tsvector_to_array(f.words)) AS w (word) WHERE f.company_id = c.id), '{}'));
        END IF;
        whole := whole || file;
    END LOOP;
    RETURN whole;
END
    $$;
-- +goose StatementEnd

-- Facets are what a vector begins with.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_refacet(c companies) RETURNS tsvector LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    held CONSTANT text[] := tsvector_to_array(c.words);
    facets integer := 0;
BEGIN
    WHILE held[facets + 1] < '$' COLLATE "C" LOOP
        facets := facets + 1;
    END LOOP;
    RETURN ts_delete(c.words, held[:facets]) || array_to_tsvector(app_company_facets(c));
END
    $$;
-- +goose StatementEnd

-- Who stores texts of files and then changes their company in the same transaction sets app.texts_first to 'on' before: then the words are
-- made once, by the change of the company.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN -- it has no files yet
        NEW.words := app_vector(app_company_facets(NEW) || app_words(concat_ws(E'\n', NEW.name, NEW.notes, app_strings(NEW.metadata), NEW.source_content)));
    ELSIF NEW.name <> OLD.name OR NEW.notes IS DISTINCT FROM OLD.notes OR NEW.metadata <> OLD.metadata OR NEW.source_content IS DISTINCT FROM OLD.source_content
        OR current_setting('app.texts_first', true) = 'on' THEN
        NEW.words := app_company_vector(NEW);
    ELSIF NEW.visibility <> OLD.visibility OR NEW.source <> OLD.source OR NEW.company_status_id IS DISTINCT FROM OLD.company_status_id
        OR NEW.created_by <> OLD.created_by THEN
        NEW.words := app_refacet(NEW); -- a status that changes does not cost reading a long text again
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_text() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF current_setting('app.texts_first', true) = 'on' THEN
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        UPDATE companies c SET words = CASE WHEN pg_column_size(c.words) + pg_column_size(NEW.words || ''::tsvector) > 900000
            THEN app_company_vector(c) ELSE c.words || NEW.words END WHERE c.id = NEW.company_id;
    ELSE
        UPDATE companies c SET words = app_company_vector(c) WHERE c.id = OLD.company_id;
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_email_facets(e emails) RETURNS text[] LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    facets text[] := ARRAY['#a:' || e.account_id, '#f:' || lower(e.from_email), '#p:' || e.processed];
    tag text;
BEGIN
    FOREACH tag IN ARRAY e.tags LOOP
        facets := facets || ('#g:' || tag);
    END LOOP;
    RETURN facets;
END
    $$;
-- +goose StatementEnd

-- A name whose last word is how no legal form ends has none to lose, and one in ASCII has none of the East's.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_name_key(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    -- What may stand after a name alone, or, in `weak`, only before or between such forms.
    forms CONSTANT text := 'inc|incorporated|corp|corporation|co|llc|llp|lp|pllc|pbc|plc|ltd|limited|cic|gmbh|ggmbh|mbh|ag|ug|kg|kgaa|ohg|gbr|ek|eg|se|sarl|sàrl|sas|sasu|eurl|sca'
        '|sa|srl|srls|spa|sapa|snc|bv|bvba|nv|vof|cv|cvba|oy|oyj|ab|hb|as|asa|aps|ivs|ehf|hf|kft|zrt|nyrt|bt|sp z oo|spzoo|sp k|sp j|psa|s r o|sro|as|spol s r o|spol s ro'
        '|doo|dd|dno|ood|eood|ad|ead|sia|uab|oü|ou|osaühing|tov|ooo|ооо|оао|зао|пао|ао|тоо|тов|ип|pty|pte|pvt|kk|gk|yk|pt|tbk|sdn bhd|bhd|berhad|ltda|ltd şti|ltd sti|şti|a ş'
        '|anonim şirketi|lda|unipessoal lda|sl|slu|slne|sac|eirl|spa|sapi de cv|sa de cv|srl de cv|s de rl de cv|rl de cv|epe|ike|ικε|αε|επε|fzco|fze|fz llc|dmcc|jsc|ojsc|cjsc|pjsc'
        '|haftungsbeschränkt|a s|s a|s l|b v|n v|k k';
    weak CONSTANT text := 'and|und|et|y|e|private|de';
    east CONSTANT text := '株式会社|有限会社|合同会社|合資会社|股份有限公司|有限责任公司|有限責任公司|有限公司|주식회사|유한회사|\(주\)|\(株\)|\(有\)';
    folded CONSTANT text := replace(app_fold(given), '.', '');
    ascii CONSTANT boolean := octet_length(folded) = length(folded);
    words text;
    bare text;
BEGIN
    words := array_to_string(app_cut(CASE WHEN ascii THEN folded ELSE regexp_replace(folded, east, ' ', 'g') END, false), ' ');
    bare := words;
    IF strpos(forms || '|', substring(words FROM '[^ ]*$') || '|') > 0 THEN
        bare := regexp_replace(words, '(?: (?:' || weak || '))*(?: (?:' || forms || '))(?:(?: (?:' || weak || '))*(?: (?:' || forms || ')))*$', '');
    END IF;
    IF NOT ascii THEN
        bare := regexp_replace(bare, '^(?:ооо|оао|зао|пао|ао|тоо|ип) ', '');
    END IF;
    IF bare = '' THEN
        bare := COALESCE(NULLIF(words, ''), array_to_string(app_cut(folded, false), ' '));
    END IF;
    RETURN CASE WHEN bare IN ('untitled company', 'untitled', 'unnamed', 'unnamed company', 'unknown', 'unknown company', 'no name', 'n a', 'na', 'none', 'tbd', 'tba',
        'stealth', 'stealth mode', 'stealth startup', 'stealth mode startup', 'stealth company', 'newco', 'new company', 'company', 'startup', 'my company', 'confidential')
        THEN '' ELSE left(bare, 300) END;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_founder_emails(metadata jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    emails text[] := '{}';
    email text;
BEGIN
    IF jsonb_typeof(metadata) = 'object' AND NOT metadata ? 'founders' THEN
        RETURN emails;
    END IF;
    FOR email IN SELECT lower(btrim(f #>> '{}', E' \t\r\n')) FROM jsonb_path_query(metadata, 'lax $.founders[*].email ? (@.type() == "string")', '{}', true) AS f LOOP
        IF octet_length(email) <= 320 AND email ~ '^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$' AND email <> ALL (emails) THEN
            emails := emails || email;
        END IF;
        EXIT WHEN cardinality(emails) = 100;
    END LOOP;
    RETURN emails;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_keys(name text, deck_link text, metadata jsonb) RETURNS TABLE (kind text, value text) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    key CONSTANT text := app_name_key(name);
    emails CONSTANT text[] := COALESCE(app_founder_emails(metadata), '{}');
    email text;
    suffix text;
    domains text[] := '{}';
BEGIN
    FOREACH email IN ARRAY emails LOOP
        domains := domains || app_suffixes(split_part(email, '@', 2));
    END LOOP;
    IF deck_link <> '' THEN
        FOREACH suffix IN ARRAY COALESCE(app_suffixes(substring(lower(deck_link) FROM '^https?://(?:[^/?#@]*@)?([^/?#:]+)')), '{}') LOOP
            IF replace(split_part(suffix, '.', 1), '-', '') = replace(key, ' ', '') THEN
                domains := domains || suffix;
            END IF;
        END LOOP;
    END IF;
    RETURN QUERY SELECT 'name', key WHERE key <> '' UNION ALL SELECT 'email', e FROM unnest(emails) AS e UNION ALL SELECT DISTINCT 'domain', d FROM unnest(domains) AS d;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    SET plan_cache_mode = force_generic_plan -- planning would cost more than the few rows
    AS $$
DECLARE
    kinds text[];
    vals text[];
    key record;
BEGIN
    SELECT array_agg(w.kind), array_agg(w.value) INTO kinds, vals FROM app_company_keys(NEW.name, NEW.deck_link, NEW.metadata) AS w;
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck'
            AND NOT EXISTS (SELECT 1 FROM unnest(kinds, vals) AS w (kind, value) WHERE w.kind = k.kind AND w.value = k.value);
    END IF;
    FOR key IN
        INSERT INTO company_keys AS k (company_id, account_id, kind, value)
        SELECT NEW.id, NEW.account_id, w.kind, w.value FROM unnest(kinds, vals) AS w (kind, value)
        ON CONFLICT DO NOTHING RETURNING k.kind, k.value
    LOOP
        IF key.kind = 'email' AND NOT EXISTS (
            SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = key.value AND m.account_id = NEW.account_id) THEN
            INSERT INTO email_companies (email_id, company_id, account_id)
            SELECT e.id, NEW.id, NEW.account_id FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key.value
            ORDER BY e.created_at DESC, e.id DESC LIMIT 100
            ON CONFLICT DO NOTHING;
        END IF;
    END LOOP;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- The functions stay as they are: they answer what those before them did.

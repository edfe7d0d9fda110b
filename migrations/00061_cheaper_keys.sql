-- +goose Up
-- A company that is made costs less: its words and keys are found with fewer calls, and its keys are added as the first that it has.

-- ASCII is folded without the locale, which has nothing to say of it but costs several times as much.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_fold(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF octet_length(given) = length(given) THEN
        RETURN lower(given COLLATE "C");
    END IF;
    RETURN replace(lower(upper(CASE WHEN given IS NFKC NORMALIZED THEN given ELSE normalize(given, NFKC) END)), 'ß', 'ss');
END
    $$;
-- +goose StatementEnd

-- Text without a long word is cut in one step.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_cut(folded text, every boolean) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
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
        IF folded !~ '[0-9A-Za-z]{65}' THEN
            RETURN array_remove(regexp_split_to_array(folded, '[^0-9A-Za-z]+'), '');
        END IF;
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

-- The strings of a JSON value, one a line.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_strings(given jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
DECLARE
    path CONSTANT jsonpath := 'strict $.** ? (@.type() == "string")';
    found text;
BEGIN
    IF given = '{}' THEN
        RETURN '';
    END IF;
    found := jsonb_path_query_array(given, path);
    IF strpos(found, '\') = 0 THEN -- nothing is escaped, so quotes are between strings alone
        RETURN replace(substr(found, 3, greatest(length(found) - 4, 0)), '", "', E'\n');
    END IF;
    RETURN (SELECT COALESCE(string_agg(s #>> '{}', E'\n'), '') FROM jsonb_path_query(given, path) AS s);
END
    $_$;
-- +goose StatementEnd

-- A name of plain words is cut already.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_name_key(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
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
    IF octet_length(given) <= 64 AND given ~ '^[0-9A-Za-z]+( [0-9A-Za-z]+)*$' THEN
        words := folded; -- as cutting leaves it
    ELSE
        words := array_to_string(app_cut(CASE WHEN ascii THEN folded ELSE regexp_replace(folded, east, ' ', 'g') END, false), ' ');
    END IF;
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
    $_$;
-- +goose StatementEnd

-- The keys of a company as kind:value, all different.
-- +goose StatementBegin
CREATE FUNCTION app_company_key_list(name text, deck_link text, metadata jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    key CONSTANT text := app_name_key(name);
    keys text[] := '{}';
    domains text[] := '{}';
    email text;
    suffix text;
BEGIN
    IF key <> '' THEN
        keys := ARRAY['name:' || key];
    END IF;
    FOREACH email IN ARRAY COALESCE(app_founder_emails(metadata), '{}') LOOP
        keys := keys || ('email:' || email);
        domains := domains || app_suffixes(split_part(email, '@', 2));
    END LOOP;
    IF deck_link <> '' THEN
        FOREACH suffix IN ARRAY COALESCE(app_suffixes(substring(lower(deck_link) FROM '^https?://(?:[^/?#@]*@)?([^/?#:]+)')), '{}') LOOP
            IF replace(split_part(suffix, '.', 1), '-', '') = replace(key, ' ', '') THEN
                domains := domains || suffix;
            END IF;
        END LOOP;
    END IF;
    FOREACH suffix IN ARRAY domains LOOP
        IF ('domain:' || suffix) <> ALL (keys) THEN
            keys := keys || ('domain:' || suffix);
        END IF;
    END LOOP;
    RETURN keys;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_keys(name text, deck_link text, metadata jsonb) RETURNS TABLE(kind text, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT split_part(k, ':', 1), substr(k, strpos(k, ':') + 1) FROM unnest(app_company_key_list(name, deck_link, metadata)) AS k $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan' -- planning would cost more than the few rows
    AS $$
DECLARE
    wanted CONSTANT text[] := app_company_key_list(NEW.name, NEW.deck_link, NEW.metadata);
    fresh text[] := wanted;
    held text[];
    key text;
BEGIN
    IF TG_OP = 'INSERT' THEN -- it has none yet, and no two are the same
        INSERT INTO company_keys (company_id, account_id, kind, value)
            SELECT NEW.id, NEW.account_id, split_part(w, ':', 1), substr(w, strpos(w, ':') + 1) FROM unnest(wanted) AS w;
    ELSE
        held := ARRAY(SELECT k.kind || ':' || k.value FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck');
        IF NOT held <@ wanted THEN
            DELETE FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck' AND (k.kind || ':' || k.value) <> ALL (wanted);
        END IF;
        IF wanted <@ held THEN
            RETURN NULL;
        END IF;
        fresh := ARRAY(SELECT w FROM unnest(wanted) AS w WHERE w <> ALL (held));
        INSERT INTO company_keys (company_id, account_id, kind, value)
            SELECT NEW.id, NEW.account_id, split_part(w, ':', 1), substr(w, strpos(w, ':') + 1) FROM unnest(fresh) AS w ON CONFLICT DO NOTHING;
    END IF;
    FOREACH key IN ARRAY fresh LOOP
        CONTINUE WHEN NOT starts_with(key, 'email:');
        key := substr(key, 7);
        IF EXISTS (SELECT 1 FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key) -- by itself: with what follows it would be a query
            AND NOT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = key AND m.account_id = NEW.account_id) THEN
            INSERT INTO email_companies (email_id, company_id, account_id)
            SELECT e.id, NEW.id, NEW.account_id FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key
            ORDER BY e.created_at DESC, e.id DESC LIMIT 100
            ON CONFLICT DO NOTHING;
        END IF;
    END LOOP;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- Most companies are the team's: in the orders by visibility they would be all over again, and in the others their visibility stands beside them.
DROP INDEX companies_visibility_created, companies_visibility_updated, companies_visibility_name;
CREATE INDEX companies_visibility_created ON companies (account_id, visibility, created_at, id) INCLUDE (created_by) WHERE visibility <> 'team';
CREATE INDEX companies_visibility_updated ON companies (account_id, visibility, updated_at, id) INCLUDE (created_by) WHERE visibility <> 'team';
CREATE INDEX companies_visibility_name ON companies (account_id, visibility, lower(name), id) INCLUDE (created_by, name) WHERE visibility <> 'team';

-- +goose Down
DROP INDEX companies_visibility_created, companies_visibility_updated, companies_visibility_name;
CREATE INDEX companies_visibility_created ON companies (account_id, visibility, created_at, id) INCLUDE (created_by);
CREATE INDEX companies_visibility_updated ON companies (account_id, visibility, updated_at, id) INCLUDE (created_by);
CREATE INDEX companies_visibility_name ON companies (account_id, visibility, lower(name), id) INCLUDE (created_by, name);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    kinds text[] := '{}';
    vals text[] := '{}';
    held text[] := '{}';
    wanted text[] := '{}';
    key record;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        held := ARRAY(SELECT k.kind || ':' || k.value FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck');
    END IF;
    FOR key IN SELECT w.kind, w.value FROM app_company_keys(NEW.name, NEW.deck_link, NEW.metadata) AS w LOOP
        wanted := wanted || (key.kind || ':' || key.value);
        IF (key.kind || ':' || key.value) <> ALL (held) THEN
            kinds := kinds || key.kind;
            vals := vals || key.value;
        END IF;
    END LOOP;
    IF NOT held <@ wanted THEN
        DELETE FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck' AND (k.kind || ':' || k.value) <> ALL (wanted);
    END IF;
    IF kinds = '{}' THEN
        RETURN NULL;
    END IF;
    INSERT INTO company_keys (company_id, account_id, kind, value)
        SELECT NEW.id, NEW.account_id, w.kind, w.value FROM unnest(kinds, vals) AS w (kind, value) ON CONFLICT DO NOTHING;
    FOR i IN 1 .. cardinality(kinds) LOOP
        CONTINUE WHEN kinds[i] <> 'email'; -- by itself: with what follows it would be a query
        IF EXISTS (SELECT 1 FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = vals[i])
            AND NOT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = vals[i] AND m.account_id = NEW.account_id) THEN
            INSERT INTO email_companies (email_id, company_id, account_id)
            SELECT e.id, NEW.id, NEW.account_id FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = vals[i]
            ORDER BY e.created_at DESC, e.id DESC LIMIT 100
            ON CONFLICT DO NOTHING;
        END IF;
    END LOOP;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_keys(name text, deck_link text, metadata jsonb) RETURNS TABLE(kind text, value text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    key CONSTANT text := app_name_key(name);
    domains text[] := '{}';
    email text;
    suffix text;
BEGIN
    IF key <> '' THEN
        kind := 'name';
        value := key;
        RETURN NEXT;
    END IF;
    FOREACH email IN ARRAY COALESCE(app_founder_emails(metadata), '{}') LOOP
        kind := 'email';
        value := email;
        RETURN NEXT;
        domains := domains || app_suffixes(split_part(email, '@', 2));
    END LOOP;
    IF deck_link <> '' THEN
        FOREACH suffix IN ARRAY COALESCE(app_suffixes(substring(lower(deck_link) FROM '^https?://(?:[^/?#@]*@)?([^/?#:]+)')), '{}') LOOP
            IF replace(split_part(suffix, '.', 1), '-', '') = replace(key, ' ', '') THEN
                domains := domains || suffix;
            END IF;
        END LOOP;
    END IF;
    kind := 'domain';
    FOR i IN 1 .. cardinality(domains) LOOP
        IF i = 1 OR domains[i] <> ALL (domains[:i - 1]) THEN
            value := domains[i];
            RETURN NEXT;
        END IF;
    END LOOP;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_name_key(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
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
    $_$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_cut(folded text, every boolean) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_strings(given jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
BEGIN
    IF given = '{}' THEN
        RETURN '';
    END IF;
    RETURN (SELECT COALESCE(string_agg(s #>> '{}', E'\n'), '') FROM jsonb_path_query(given, 'strict $.** ? (@.type() == "string")') AS s);
END
    $_$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_fold(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF octet_length(given) = length(given) THEN
        RETURN lower(given);
    END IF;
    RETURN replace(lower(upper(CASE WHEN given IS NFKC NORMALIZED THEN given ELSE normalize(given, NFKC) END)), 'ß', 'ss');
END
    $$;
-- +goose StatementEnd

DROP FUNCTION app_company_key_list(text, text, jsonb);

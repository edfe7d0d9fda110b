-- +goose Up
-- What a company is known by, so that what arrives finds the company that is there instead of making it again: the addresses of its founders,
-- the domains of these and of a site that is called like it, its deck's hash, its name without case and legal form. Triggers keep the table, so
-- that no writer can forget it.

CREATE TABLE company_keys (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('deck', 'email', 'domain', 'name')),
    value      text NOT NULL,
    PRIMARY KEY (company_id, kind, value),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX company_keys_value ON company_keys (account_id, kind, value);

-- A name as it is compared: folded, its words alone, without the legal forms at its end, and in East Asia and Russia also at its beginning. One
-- that has nothing else keeps them. What stands for a name that is not known is none, and gives ''.
-- +goose StatementBegin
CREATE FUNCTION app_name_key(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
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
    folded text := replace(app_fold(given), '.', '');
    words text;
    bare text;
BEGIN
    words := array_to_string(app_cut(regexp_replace(folded, east, ' ', 'g'), false), ' ');
    bare := regexp_replace(words, '(?: (?:' || weak || '))*(?: (?:' || forms || '))(?:(?: (?:' || weak || '))*(?: (?:' || forms || ')))*$', '');
    bare := regexp_replace(bare, '^(?:ооо|оао|зао|пао|ао|тоо|ип) ', '');
    IF bare = '' THEN
        bare := COALESCE(NULLIF(words, ''), array_to_string(app_cut(folded, false), ' '));
    END IF;
    RETURN CASE WHEN bare IN ('untitled company', 'untitled', 'unnamed', 'unnamed company', 'unknown', 'unknown company', 'no name', 'n a', 'na', 'none', 'tbd', 'tba',
        'stealth', 'stealth mode', 'stealth startup', 'stealth mode startup', 'stealth company', 'newco', 'new company', 'company', 'startup', 'my company', 'confidential')
        THEN '' ELSE left(bare, 300) END;
END
    $$;
-- +goose StatementEnd

-- The parts of a host that may be somebody's domain, from the whole of it to its last two labels: which of them is, and no public suffix, is for
-- who asks to know; what nobody asks for does no harm.
-- +goose StatementBegin
CREATE FUNCTION app_suffixes(host text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    labels text[] := string_to_array(btrim(lower(host), '.'), '.');
    suffixes text[] := '{}';
BEGIN
    IF octet_length(host) <= 253 THEN
        FOR n IN greatest(1, cardinality(labels) - 5) .. cardinality(labels) - 1 LOOP
            suffixes := suffixes || array_to_string(labels[n:], '.');
        END LOOP;
    END IF;
    RETURN suffixes;
END
    $$;
-- +goose StatementEnd

-- The addresses of the founders in a company's metadata, which clients write too: whatever else stands there is left out.
-- +goose StatementBegin
CREATE FUNCTION app_founder_emails(metadata jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    emails text[] := '{}';
    email text;
BEGIN
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

-- What a company with these members is known by, but for its deck. A deck link says whose it is only where its site is called like the company:
-- most stand on somebody else's.
-- +goose StatementBegin
CREATE FUNCTION app_company_keys(name text, deck_link text, metadata jsonb) RETURNS TABLE (kind text, value text) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    key text := app_name_key(name);
    email text;
    suffix text;
    domains text[] := '{}';
BEGIN
    IF key <> '' THEN
        RETURN QUERY VALUES ('name', key);
    END IF;
    FOREACH email IN ARRAY app_founder_emails(metadata) LOOP
        RETURN QUERY VALUES ('email', email);
        domains := domains || app_suffixes(split_part(email, '@', 2));
    END LOOP;
    FOREACH suffix IN ARRAY COALESCE(app_suffixes(substring(lower(deck_link) FROM '^https?://(?:[^/?#@]*@)?([^/?#:]+)')), '{}') LOOP
        IF replace(split_part(suffix, '.', 1), '-', '') = replace(key, ' ', '') THEN
            domains := domains || suffix;
        END IF;
    END LOOP;
    RETURN QUERY SELECT DISTINCT 'domain', d FROM unnest(domains) AS d;
END
    $$;
-- +goose StatementEnd

-- Whether a person of the account has this address: what he writes is about no company by that alone.
CREATE FUNCTION app_is_member(account uuid, address text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = address AND m.account_id = account) $$;

-- Keeps what a company is known by. Emails that a founder sent before he was known as one are about it too, the newest hundred of each.
-- +goose StatementBegin
CREATE FUNCTION app_know_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
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
        IF key.kind = 'email' AND NOT app_is_member(NEW.account_id, key.value) THEN
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

-- Whether a file tells a company from others: presentations do, a logo in a signature does not.
CREATE FUNCTION app_is_deck(role text, media_type text, sha256 text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT COALESCE(role = 'deck' AND sha256 <> '' AND media_type IN ('application/pdf', 'application/vnd.ms-powerpoint', 'application/vnd.apple.keynote',
        'application/vnd.openxmlformats-officedocument.presentationml.presentation', 'application/vnd.oasis.opendocument.presentation'), false)
    $$;

-- +goose StatementBegin
CREATE FUNCTION app_know_deck() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.role = 'deck' THEN
        DELETE FROM company_keys k WHERE k.company_id = OLD.company_id AND k.kind = 'deck' AND k.value = OLD.sha256;
    END IF;
    IF TG_OP <> 'DELETE' AND app_is_deck(NEW.role, NEW.media_type, NEW.sha256) THEN
        INSERT INTO company_keys (company_id, account_id, kind, value) VALUES (NEW.company_id, NEW.account_id, 'deck', NEW.sha256) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- Links emails of the account to the companies that their addresses belong to: one of a founder, or the domain of a company; the n-th address,
-- with its domain ('' where that says nothing), is of the n-th email, which may stand there often, or not be in the account at all. A domain that
-- more than 20 companies have is none's own. Also companies that the caller does not see are linked, for those who do: links follow their company.
-- +goose StatementBegin
CREATE FUNCTION app_link_emails(account uuid, email_ids uuid[], addresses text[], domains text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public SET jit = off
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off -- each row by an index, whatever is known of the tables
    AS $$
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR NOT EXISTS (SELECT 1 FROM company_keys WHERE account_id = account AND kind IN ('email', 'domain')) THEN
        RETURN;
    END IF;
    INSERT INTO email_companies (email_id, company_id, account_id)
    SELECT e.id, c.id, account
    FROM (
        SELECT f.email_id, f.company_id, row_number() OVER (PARTITION BY f.email_id ORDER BY f.company_id) AS place FROM (
            SELECT g.email_id, k.company_id
            FROM unnest(email_ids, addresses) AS g (email_id, address) CROSS JOIN LATERAL (
                SELECT x.company_id FROM company_keys x WHERE x.account_id = account AND x.kind = 'email' AND x.value = g.address LIMIT 100) AS k
            UNION SELECT g.email_id, unnest(k.ids)
            FROM unnest(email_ids, domains) AS g (email_id, domain) CROSS JOIN LATERAL (
                SELECT array_agg(y.company_id) AS ids FROM (
                    SELECT x.company_id FROM company_keys x WHERE x.account_id = account AND x.kind = 'domain' AND x.value = g.domain LIMIT 21) AS y) AS k
            WHERE g.domain <> '' AND cardinality(k.ids) <= 20) AS f) AS b
        JOIN emails e ON e.id = b.email_id AND e.account_id = account JOIN companies c ON c.id = b.company_id
    WHERE b.place <= 100 ORDER BY e.id, c.id FOR KEY SHARE OF c
    ON CONFLICT DO NOTHING;
END
    $$;
-- +goose StatementEnd

GRANT SELECT ON company_keys TO dealflow_app;
GRANT SELECT, INSERT, DELETE ON company_keys TO dealflow_system;
GRANT INSERT ON email_companies TO dealflow_system;

ALTER FUNCTION app_is_member(uuid, text) OWNER TO dealflow_system;
ALTER FUNCTION app_know_company() OWNER TO dealflow_system;
ALTER FUNCTION app_know_deck() OWNER TO dealflow_system;
ALTER FUNCTION app_link_emails(uuid, uuid[], text[], text[]) OWNER TO dealflow_system;

ALTER TABLE company_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY app_select ON company_keys FOR SELECT TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY system_all ON company_keys TO dealflow_system USING (true);
CREATE POLICY system_insert ON email_companies FOR INSERT TO dealflow_system WITH CHECK (true);

-- What is there already; as the role that may, since the owner of the tables sees none of their rows.
SET LOCAL ROLE dealflow_system;
INSERT INTO company_keys (company_id, account_id, kind, value)
    SELECT c.id, c.account_id, k.kind, k.value FROM companies c CROSS JOIN LATERAL app_company_keys(c.name, c.deck_link, c.metadata) AS k;
INSERT INTO company_keys (company_id, account_id, kind, value)
    SELECT DISTINCT f.company_id, f.account_id, 'deck', f.sha256 FROM company_files f WHERE app_is_deck(f.role, f.media_type, f.sha256);
RESET ROLE;

CREATE TRIGGER know_company AFTER INSERT ON companies FOR EACH ROW EXECUTE FUNCTION app_know_company();
CREATE TRIGGER know_company_again AFTER UPDATE OF name, deck_link, metadata ON companies FOR EACH ROW
    WHEN (NEW.name <> OLD.name OR NEW.deck_link IS DISTINCT FROM OLD.deck_link OR NEW.metadata -> 'founders' IS DISTINCT FROM OLD.metadata -> 'founders')
    EXECUTE FUNCTION app_know_company();
CREATE TRIGGER know_deck AFTER INSERT ON company_files FOR EACH ROW WHEN (NEW.role = 'deck') EXECUTE FUNCTION app_know_deck();
CREATE TRIGGER know_deck_again AFTER UPDATE OF role, media_type, sha256 ON company_files FOR EACH ROW
    WHEN (NEW.role = 'deck' OR OLD.role = 'deck') EXECUTE FUNCTION app_know_deck();
CREATE TRIGGER forget_deck AFTER DELETE ON company_files FOR EACH ROW WHEN (OLD.role = 'deck') EXECUTE FUNCTION app_know_deck();

-- +goose Down
DROP TRIGGER know_company ON companies;
DROP TRIGGER know_company_again ON companies;
DROP TRIGGER know_deck ON company_files;
DROP TRIGGER know_deck_again ON company_files;
DROP TRIGGER forget_deck ON company_files;
DROP POLICY system_insert ON email_companies;
REVOKE INSERT ON email_companies FROM dealflow_system;
DROP TABLE company_keys CASCADE;
DROP FUNCTION app_link_emails(uuid, uuid[], text[], text[]), app_know_deck(), app_is_deck(text, text, text), app_know_company(), app_is_member(uuid, text),
    app_company_keys(text, text, jsonb), app_founder_emails(jsonb), app_suffixes(text), app_name_key(text);

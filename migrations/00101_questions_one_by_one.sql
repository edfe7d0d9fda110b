-- +goose Up
-- A condition of PL/pgSQL that asks two tables is one query that makes both ready. The second question is seldom asked.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_account_role(account uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := app_user_id();
    found text := (SELECT m.role FROM memberships m WHERE m.account_id = account AND m.user_id = me);
BEGIN
    IF found IS NOT NULL THEN -- by itself: with what follows it would be a query
        RETURN found;
    END IF;
    RETURN (SELECT '' FROM accounts a WHERE a.id = account);
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
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
            DELETE FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck' AND NOT k.inherited
                AND (k.kind || ':' || k.value) <> ALL (wanted);
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
        CONTINUE WHEN NOT EXISTS (SELECT 1 FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key);
        CONTINUE WHEN EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = key AND m.account_id = NEW.account_id);
        INSERT INTO email_companies (email_id, company_id, account_id)
        SELECT e.id, NEW.id, NEW.account_id FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key
        ORDER BY e.created_at DESC, e.id DESC LIMIT 100
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_account_role(account uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := app_user_id();
    found text := (SELECT m.role FROM memberships m WHERE m.account_id = account AND m.user_id = me);
BEGIN
    IF found IS NULL AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = account) THEN
        RETURN '';
    END IF;
    RETURN found;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
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
            DELETE FROM company_keys k WHERE k.company_id = NEW.id AND k.kind <> 'deck' AND NOT k.inherited
                AND (k.kind || ':' || k.value) <> ALL (wanted);
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

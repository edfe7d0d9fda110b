-- +goose Up
-- What an analysis writes to a company costs less: what did not change is neither read nor written again.

-- app_company_vector(c) from the words that the company had before, where they hold nothing that it no longer has: an analysis that adds to the
-- metadata reads what it adds alone. NULL where all has to be read again. So few words have room for certain.
-- +goose StatementBegin
CREATE FUNCTION app_added_vector(c companies, was companies) RETURNS tsvector LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    few CONSTANT integer := 3000;
    more text[];
BEGIN
    IF c.source_content IS DISTINCT FROM was.source_content OR length(was.words) > few THEN
        RETURN NULL;
    END IF;
    more := app_words(concat_ws(E'\n', c.name, c.notes, app_strings(c.metadata)));
    IF cardinality(more) > few OR (c.name, c.notes, was.metadata) IS DISTINCT FROM (was.name, was.notes, '{}')
        AND NOT app_words(concat_ws(E'\n', was.name, was.notes, app_strings(was.metadata))) <@ more THEN
        RETURN NULL;
    END IF;
    RETURN app_refacet(c) || array_to_tsvector(more);
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN -- it has no files yet
        NEW.words := app_vector(app_company_facets(NEW) || app_words(concat_ws(E'\n', NEW.name, NEW.notes, app_strings(NEW.metadata), NEW.source_content)));
    ELSIF current_setting('app.texts_first', true) = 'on' THEN
        NEW.words := app_company_vector(NEW);
    ELSIF NEW.name <> OLD.name OR NEW.notes IS DISTINCT FROM OLD.notes OR NEW.metadata <> OLD.metadata OR NEW.source_content IS DISTINCT FROM OLD.source_content THEN
        NEW.words := COALESCE(app_added_vector(NEW, OLD), app_company_vector(NEW));
    ELSIF NEW.visibility <> OLD.visibility OR NEW.source <> OLD.source OR NEW.company_status_id IS DISTINCT FROM OLD.company_status_id
        OR NEW.created_by <> OLD.created_by THEN
        NEW.words := app_refacet(NEW); -- a status that changes does not cost reading a long text again
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    SET plan_cache_mode = force_generic_plan -- planning would cost more than the few rows
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
        IF kinds[i] = 'email' AND EXISTS (SELECT 1 FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = vals[i])
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

-- A company that changes is counted once for what it was and once for what it is, but not where both are the same.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_count_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.visibility = 'team' AND NEW.visibility = 'team' AND OLD.account_id = NEW.account_id THEN
        INSERT INTO company_counts (account_id, viewer, kind, key, count)
        SELECT NEW.account_id, '00000000-0000-0000-0000-000000000000', k.kind, k.key, k.by FROM (VALUES
            ('s'::"char", COALESCE(OLD.company_status_id::text, ''), -1, OLD.company_status_id IS DISTINCT FROM NEW.company_status_id),
            ('s', COALESCE(NEW.company_status_id::text, ''), 1, OLD.company_status_id IS DISTINCT FROM NEW.company_status_id),
            ('o', OLD.source, -1, OLD.source <> NEW.source), ('o', NEW.source, 1, OLD.source <> NEW.source),
            ('d', (OLD.created_at AT TIME ZONE 'UTC')::date::text, -1, OLD.created_at <> NEW.created_at),
            ('d', (NEW.created_at AT TIME ZONE 'UTC')::date::text, 1, OLD.created_at <> NEW.created_at)) AS k (kind, key, by, changed)
        WHERE k.changed;
    ELSE
        PERFORM app_count_company(OLD, app_company_viewers(OLD.id, OLD.visibility, OLD.created_by), -1);
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        PERFORM app_count_company(NEW, app_company_viewers(NEW.id, NEW.visibility, NEW.created_by), 1);
    END IF;
    IF random() < 0.01 THEN
        PERFORM app_add_up_counts(NEW.account_id);
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- The other functions stay as they are, but for the one that would ask for the function that goes: they answer what those before them did.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.words := app_vector(app_company_facets(NEW) || app_words(concat_ws(E'\n', NEW.name, NEW.notes, app_strings(NEW.metadata), NEW.source_content)));
    ELSIF NEW.name <> OLD.name OR NEW.notes IS DISTINCT FROM OLD.notes OR NEW.metadata <> OLD.metadata OR NEW.source_content IS DISTINCT FROM OLD.source_content
        OR current_setting('app.texts_first', true) = 'on' THEN
        NEW.words := app_company_vector(NEW);
    ELSIF NEW.visibility <> OLD.visibility OR NEW.source <> OLD.source OR NEW.company_status_id IS DISTINCT FROM OLD.company_status_id
        OR NEW.created_by <> OLD.created_by THEN
        NEW.words := app_refacet(NEW);
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd
DROP FUNCTION app_added_vector(companies, companies);

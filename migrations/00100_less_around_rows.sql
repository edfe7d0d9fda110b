-- +goose Up
-- What a request costs around its rows (ADR 81).

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_origin() RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN -- not SQL: the condition of a trigger would be parsed and planned anew by each statement
    RETURN COALESCE(current_setting('app.origin', true), '');
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER COST 40
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    mine uuid[];
    ignored text; -- an assignment is no query, as PERFORM would be
BEGIN
    SELECT k.id, k.user_id, k.scopes, ARRAY(SELECT m.account_id FROM memberships m WHERE m.user_id = k.user_id)
    INTO proof, person, scopes, mine FROM api_keys k
    WHERE k.hash = key_hash AND (k.expires_at IS NULL OR k.expires_at > now());
    ignored := set_config('app.user_id', COALESCE(person::text, ''), true);
    ignored := set_config('app.accounts', COALESCE(person || mine::text, ''), true); -- as app_find_accounts would
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN -- it has no files yet
        IF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery THEN
            NEW.words := NEW.words || array_to_tsvector(app_company_facets(NEW));
            RETURN NEW;
        END IF;
        NEW.words := app_vector(app_company_facets(NEW) || app_words(concat_ws(E'\n', NEW.name, NEW.notes, app_strings(NEW.metadata), NEW.source_content)));
    ELSIF current_setting('app.texts_first', true) = 'on' THEN
        NEW.words := app_company_vector(NEW);
    ELSIF NEW.words <> OLD.words THEN -- they come with what they are of, as with a new row
        IF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery
            AND NOT EXISTS (SELECT 1 FROM file_texts f WHERE f.company_id = NEW.id) THEN
            NEW.words := NEW.words || array_to_tsvector(app_company_facets(NEW));
        ELSE
            NEW.words := app_company_vector(NEW);
        END IF;
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
CREATE OR REPLACE FUNCTION app_audit_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    what jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN -- once, so the company's id names the entry as well: to draw another costs more than to write it
        INSERT INTO audit_entries (account_id, id, actor_id, action, target_type, target_id, target_name, ip, hidden)
        VALUES (NEW.account_id, NEW.id, app_user_id(), 'company.created', 'company', NEW.id, NEW.name, NULLIF(app_origin(), '-'), NEW.visibility <> 'team');
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        IF pg_trigger_depth() = 1 THEN
            PERFORM app_audit_add(OLD.account_id, NULL, 'company.deleted', 'company', OLD.id, OLD.name, OLD.visibility <> 'team', NULL);
        END IF;
        RETURN NULL;
    END IF;
    what := app_audit_diff(
        jsonb_build_object('name', OLD.name, 'visibility', OLD.visibility, 'source', OLD.source, 'company_status_id', OLD.company_status_id,
            'deck_link', OLD.deck_link),
        jsonb_build_object('name', NEW.name, 'visibility', NEW.visibility, 'source', NEW.source, 'company_status_id', NEW.company_status_id,
            'deck_link', NEW.deck_link),
        '{name,visibility,source,company_status_id,deck_link}');
    IF OLD.notes IS DISTINCT FROM NEW.notes THEN
        what := COALESCE(what, '{}') || '{"notes": {"changed": true}}';
    END IF;
    IF OLD.source_content IS DISTINCT FROM NEW.source_content THEN
        what := COALESCE(what, '{}') || '{"source_content": {"changed": true}}';
    END IF;
    IF OLD.metadata <> NEW.metadata THEN
        what := COALESCE(what, '{}') || (
            SELECT jsonb_object_agg('metadata.' || left(k, 200), '{"changed": true}'::jsonb)
            FROM jsonb_object_keys(OLD.metadata || NEW.metadata) k WHERE OLD.metadata -> k IS DISTINCT FROM NEW.metadata -> k);
    END IF;
    IF what IS NOT NULL THEN
        PERFORM app_audit_add(NEW.account_id, NULL, 'company.updated', 'company', NEW.id, NEW.name,
            OLD.visibility <> 'team' OR NEW.visibility <> 'team', what);
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_founder_emails(metadata jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
DECLARE
    emails text[] := '{}';
    email text;
    found jsonb;
BEGIN
    IF jsonb_typeof(metadata) = 'object' AND NOT metadata ? 'founders' THEN
        RETURN emails;
    END IF;
    found := jsonb_path_query_array(metadata, 'lax $.founders[*].email ? (@.type() == "string")', '{}', true);
    FOR n IN 0 .. jsonb_array_length(found) - 1 LOOP
        email := lower(btrim(found ->> n, E' \t\r\n'));
        IF octet_length(email) <= 320 AND email ~ '^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$' AND email <> ALL (emails) THEN
            emails := emails || email;
        END IF;
        EXIT WHEN cardinality(emails) = 100;
    END LOOP;
    RETURN emails;
END
    $_$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_origin() RETURNS text
    LANGUAGE sql STABLE
    AS $$ SELECT COALESCE(current_setting('app.origin', true), '') $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER COST 40
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    SELECT k.id, k.user_id, k.scopes INTO proof, person, scopes FROM api_keys k
    WHERE k.hash = key_hash AND (k.expires_at IS NULL OR k.expires_at > now());
    PERFORM set_config('app.user_id', COALESCE(person::text, ''), true);
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN -- it has no files yet
        IF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery THEN
            NEW.words := NEW.words || array_to_tsvector(app_company_facets(NEW));
            RETURN NEW;
        END IF;
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
CREATE OR REPLACE FUNCTION app_audit_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    what jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO audit_entries (account_id, actor_id, action, target_type, target_id, target_name, ip, hidden)
        VALUES (NEW.account_id, app_user_id(), 'company.created', 'company', NEW.id, NEW.name, NULLIF(app_origin(), '-'), NEW.visibility <> 'team');
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        IF pg_trigger_depth() = 1 THEN
            PERFORM app_audit_add(OLD.account_id, NULL, 'company.deleted', 'company', OLD.id, OLD.name, OLD.visibility <> 'team', NULL);
        END IF;
        RETURN NULL;
    END IF;
    what := app_audit_diff(
        jsonb_build_object('name', OLD.name, 'visibility', OLD.visibility, 'source', OLD.source, 'company_status_id', OLD.company_status_id,
            'deck_link', OLD.deck_link),
        jsonb_build_object('name', NEW.name, 'visibility', NEW.visibility, 'source', NEW.source, 'company_status_id', NEW.company_status_id,
            'deck_link', NEW.deck_link),
        '{name,visibility,source,company_status_id,deck_link}');
    IF OLD.notes IS DISTINCT FROM NEW.notes THEN
        what := COALESCE(what, '{}') || '{"notes": {"changed": true}}';
    END IF;
    IF OLD.source_content IS DISTINCT FROM NEW.source_content THEN
        what := COALESCE(what, '{}') || '{"source_content": {"changed": true}}';
    END IF;
    IF OLD.metadata <> NEW.metadata THEN
        what := COALESCE(what, '{}') || (
            SELECT jsonb_object_agg('metadata.' || left(k, 200), '{"changed": true}'::jsonb)
            FROM jsonb_object_keys(OLD.metadata || NEW.metadata) k WHERE OLD.metadata -> k IS DISTINCT FROM NEW.metadata -> k);
    END IF;
    IF what IS NOT NULL THEN
        PERFORM app_audit_add(NEW.account_id, NULL, 'company.updated', 'company', NEW.id, NEW.name,
            OLD.visibility <> 'team' OR NEW.visibility <> 'team', what);
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_founder_emails(metadata jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
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
    $_$;
-- +goose StatementEnd

-- +goose Up
-- The words of a company may come with it, as those of an email do. Facets are added here in any case: words that hold one are not believed.
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

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

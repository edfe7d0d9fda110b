-- +goose Up
-- The words of an email may come with it, where who writes it can tell them for certain, and imports sort them into the index beside their next rows.

-- Facets are added here in any case: words that hold one are not believed. What was written in an email never changes, so a change of its facets
-- does not cost reading it again.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_index_email() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW.words := ts_delete(OLD.words, app_email_facets(OLD)) || array_to_tsvector(app_email_facets(NEW));
    ELSIF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery THEN
        NEW.words := NEW.words || array_to_tsvector(app_email_facets(NEW));
    ELSE
        NEW.words := app_vector(app_email_facets(NEW)
            || app_words(concat_ws(E'\n', NEW.subject, NEW.from_name, NEW.from_email, array_to_string(NEW.to_emails, E'\n'), NEW.content)));
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd

-- New words wait in a list, which a search reads too, until it has gin_pending_list_limit: the server's, which a transaction of an import raises for
-- itself, so that another connection can sort them in meanwhile. That belongs to the owner of the index.
ALTER INDEX emails_words RESET (gin_pending_list_limit);
CREATE FUNCTION app_sort_email_words() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT gin_clean_pending_list('public.emails_words') $$;

-- +goose Down
DROP FUNCTION app_sort_email_words();
ALTER INDEX emails_words SET (gin_pending_list_limit = 1024);

-- +goose Up
-- What a team writes down and receives: meeting minutes, form submissions, emails.

CREATE TABLE meeting_minutes (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    title        text NOT NULL,
    content      text, -- Markdown
    company_id   uuid,
    meeting_date timestamptz,
    attendees    text[] NOT NULL DEFAULT '{}',
    processed    boolean NOT NULL DEFAULT false,
    metadata     jsonb NOT NULL DEFAULT '{}',
    created_by   uuid NOT NULL REFERENCES users,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    -- Minutes are notes about their company and go with it. Without it they would be shown to the whole team.
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX meeting_minutes_newest ON meeting_minutes (account_id, created_at DESC, id DESC);
CREATE INDEX meeting_minutes_processed ON meeting_minutes (account_id, processed, created_at DESC, id DESC);
CREATE INDEX meeting_minutes_company ON meeting_minutes (company_id, created_at DESC, id DESC);
CREATE INDEX meeting_minutes_date ON meeting_minutes (account_id, meeting_date);

CREATE TABLE form_submissions (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    data             json NOT NULL, -- the answers as they were sent, to the letter
    company_id       uuid,
    integration_type text NOT NULL CHECK (integration_type IN ('integration_a', 'integration_b', 'manual')),
    external_id      text, -- what the integration calls it
    metadata         jsonb NOT NULL DEFAULT '{}',
    processed        boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, integration_type, external_id),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id)
);
CREATE INDEX form_submissions_newest ON form_submissions (account_id, created_at DESC, id DESC);
CREATE INDEX form_submissions_touched ON form_submissions (account_id, updated_at DESC, id DESC);
CREATE INDEX form_submissions_processed ON form_submissions (account_id, processed, created_at DESC, id DESC);
CREATE INDEX form_submissions_integration ON form_submissions (account_id, integration_type, created_at DESC, id DESC);
CREATE INDEX form_submissions_company ON form_submissions (company_id, created_at DESC, id DESC);

-- What is searched of an email: its words in their order. An address falls into its parts. Chinese, Japanese, Korean and Thai
-- put no spaces between words, so each of their letters counts as one. What goes into the index is bounded, as a tsvector is.
CREATE FUNCTION app_email_words(plain text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public
    AS $$
    SELECT regexp_replace(regexp_replace(left(plain, 200000), '[^[:alnum:]]+', ' ', 'g'),
        '([\u0E00-\u0E7F\u3005-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF])', ' \1 ', 'g')
    $$;

CREATE FUNCTION app_email_vector(subject text, from_name text, from_email text, to_emails text[], content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public
    AS $$
    SELECT to_tsvector('simple', app_email_words(concat_ws(E'\n', subject, from_name, from_email, left(array_to_string(to_emails, ' '), 50000), content)))
    $$;

-- Every word of the search must occur; a word that is several to the index, as an address is, must occur as it is written.
CREATE FUNCTION app_email_query(words text) RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, public
    AS $$
    SELECT COALESCE(string_agg('(' || q::text || ')', ' & '), '')::tsquery
    FROM (SELECT phraseto_tsquery('simple', app_email_words(word)) AS q FROM regexp_split_to_table(words, '\s+') AS word WHERE word ~ '[[:alnum:]]') AS each
    WHERE numnode(q) > 0
    $$;

CREATE TABLE emails (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    external_id       text NOT NULL, -- Message-ID, or what else tells it from others
    from_email        text NOT NULL,
    sender            text GENERATED ALWAYS AS (lower(from_email)) STORED,
    from_name         text NOT NULL DEFAULT '',
    to_emails         text[] NOT NULL DEFAULT '{}',
    subject           text,
    content           text NOT NULL DEFAULT '',
    content_preview   text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    attachments_count integer NOT NULL DEFAULT 0,
    processed         boolean NOT NULL DEFAULT false,
    metadata          jsonb NOT NULL DEFAULT '{}',
    search            tsvector GENERATED ALWAYS AS (app_email_vector(subject, from_name, from_email, to_emails, content)) STORED,
    created_at        timestamptz NOT NULL DEFAULT now(), -- when it arrived here
    updated_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    UNIQUE (account_id, external_id)
);
CREATE INDEX emails_newest ON emails (account_id, created_at DESC, id DESC);
CREATE INDEX emails_touched ON emails (account_id, updated_at DESC, id DESC);
CREATE INDEX emails_processed ON emails (account_id, processed, created_at DESC, id DESC);
CREATE INDEX emails_sender ON emails (account_id, sender, created_at DESC, id DESC);
CREATE INDEX emails_tags ON emails USING gin (tags);
CREATE INDEX emails_search ON emails USING gin (search);

CREATE TABLE email_companies (
    email_id   uuid NOT NULL,
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (email_id, company_id),
    FOREIGN KEY (account_id, email_id) REFERENCES emails (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX email_companies_company ON email_companies (company_id, email_id);

CREATE TABLE email_attachments (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL,
    email_id     uuid NOT NULL,
    position     integer NOT NULL DEFAULT 0,
    filename     text NOT NULL,
    content_type text NOT NULL,
    size_bytes   bigint NOT NULL,
    storage_path text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, email_id) REFERENCES emails (account_id, id) ON DELETE CASCADE
);
CREATE INDEX email_attachments_email ON email_attachments (email_id, position, id);

ALTER TABLE meeting_minutes   ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE form_submissions  ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE emails            ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE email_companies   ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE email_attachments ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

GRANT SELECT, INSERT, UPDATE, DELETE ON meeting_minutes, form_submissions, emails, email_companies, email_attachments TO dealflow_app;

-- Minutes and submissions without a company are the whole team's; those of a company follow it. An email is the whole
-- team's, and which companies it is about is told to those who see them.
CREATE POLICY app_all ON meeting_minutes TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids()))
        AND (company_id IS NULL OR EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)));
CREATE POLICY app_all ON form_submissions TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids()))
        AND (company_id IS NULL OR EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id)));
CREATE POLICY app_all ON emails TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_all ON email_attachments TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_all ON email_companies TO dealflow_app
    USING (account_id = ANY (ARRAY(SELECT app_account_ids())) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));

GRANT SELECT ON emails, email_companies, form_submissions TO dealflow_system;
GRANT UPDATE (company_id, updated_at), DELETE ON form_submissions TO dealflow_system;
CREATE POLICY system_select ON emails FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON email_companies FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_all ON form_submissions TO dealflow_system USING (true);

-- A submission came from outside and stays when its company is deleted, but what only some were to see must not become the
-- whole team's by that: those of a company that was not the team's go with it.
-- +goose StatementBegin
CREATE FUNCTION app_release_submissions() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
BEGIN
    IF OLD.visibility = 'team' THEN
        UPDATE form_submissions SET company_id = NULL, updated_at = now() WHERE company_id = OLD.id;
    ELSE
        DELETE FROM form_submissions WHERE company_id = OLD.id;
    END IF;
    RETURN OLD;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_release_submissions() OWNER TO dealflow_system;
CREATE TRIGGER release_submissions BEFORE DELETE ON companies FOR EACH ROW EXECUTE FUNCTION app_release_submissions();

-- A page of an account's emails, and of each its id alone: the rows are read under the caller's policies. Filters that are null
-- let everything through. @> and @@ are not leakproof, so under row security the planner would use no index for them; here the
-- policy is applied by the function itself. The statement holds just the filters that are given, and is planned for their values.
-- +goose StatementBegin
CREATE FUNCTION app_find_emails(account uuid, words text, from_address text, about uuid, is_processed boolean, tag text,
    sort_by text, ascending boolean, skip bigint, most integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
DECLARE
    direction text := CASE WHEN ascending THEN 'ASC' ELSE 'DESC' END;
    statement text := 'SELECT e.id FROM emails e WHERE e.account_id = $1';
BEGIN
    IF NOT account = ANY (ARRAY(SELECT app_account_ids())) OR about IS NOT NULL AND app_company_access(about) IS DISTINCT FROM 'visible' THEN
        RETURN;
    END IF;
    statement := statement
        || CASE WHEN words IS NULL THEN '' ELSE ' AND e.search @@ $2' END
        || CASE WHEN from_address IS NULL THEN '' ELSE ' AND e.sender = lower($3)' END
        || CASE WHEN about IS NULL THEN '' ELSE ' AND e.id IN (SELECT c.email_id FROM email_companies c WHERE c.company_id = $4)' END
        || CASE WHEN is_processed IS NULL THEN '' ELSE ' AND e.processed = $5' END
        || CASE WHEN tag IS NULL THEN '' ELSE ' AND e.tags @> ARRAY[$6]' END
        || format(' ORDER BY e.%1$I %2$s, e.id %2$s LIMIT $7 OFFSET $8', sort_by, direction);
    RETURN QUERY EXECUTE statement USING account, app_email_query(words), from_address, about, is_processed, tag, most, skip;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_find_emails(uuid, text, text, uuid, boolean, text, text, boolean, bigint, integer) OWNER TO dealflow_system;

-- +goose Down
DROP TRIGGER release_submissions ON companies;
DROP TABLE email_attachments, email_companies, emails, form_submissions, meeting_minutes CASCADE;
DROP FUNCTION app_release_submissions(), app_find_emails(uuid, text, text, uuid, boolean, text, text, boolean, bigint, integer), app_email_query(text),
    app_email_vector(text, text, text, text[], text), app_email_words(text);

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
    metadata     jsonb NOT NULL DEFAULT '{}' CONSTRAINT metadata_size CHECK (octet_length(metadata::text) <= 2097152),
    created_by   uuid NOT NULL REFERENCES users,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    -- Minutes are notes about their company and go with it. Without it they would be shown to the whole team.
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX meeting_minutes_created ON meeting_minutes (account_id, created_at, id);
CREATE INDEX meeting_minutes_processed ON meeting_minutes (account_id, processed, created_at, id);
CREATE INDEX meeting_minutes_company ON meeting_minutes (company_id, created_at, id);
CREATE INDEX meeting_minutes_date ON meeting_minutes (account_id, meeting_date);

CREATE TABLE form_submissions (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    data             json NOT NULL, -- the answers as they were sent, to the letter
    company_id       uuid,
    integration_type text NOT NULL CHECK (integration_type IN ('integration_a', 'integration_b', 'manual')),
    external_id      text, -- what the integration calls it
    metadata         jsonb NOT NULL DEFAULT '{}' CONSTRAINT metadata_size CHECK (octet_length(metadata::text) <= 2097152),
    processed        boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, integration_type, external_id),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id)
);
CREATE INDEX form_submissions_created ON form_submissions (account_id, created_at, id);
CREATE INDEX form_submissions_updated ON form_submissions (account_id, updated_at, id);
CREATE INDEX form_submissions_processed ON form_submissions (account_id, processed, created_at, id);
CREATE INDEX form_submissions_integration ON form_submissions (account_id, integration_type, created_at, id);
CREATE INDEX form_submissions_company ON form_submissions (company_id, created_at, id);

CREATE TABLE emails (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    external_id       text NOT NULL, -- Message-ID, or what else tells it from others
    from_email        text NOT NULL,
    from_name         text NOT NULL DEFAULT '',
    to_emails         text[] NOT NULL DEFAULT '{}',
    subject           text,
    content           text NOT NULL DEFAULT '',
    content_preview   text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    attachments_count integer NOT NULL DEFAULT 0,
    processed         boolean NOT NULL DEFAULT false,
    metadata          jsonb NOT NULL DEFAULT '{}',
    words             tsvector NOT NULL DEFAULT '', -- to search in, with facets that begin with '#'; a trigger keeps it
    created_at        timestamptz NOT NULL DEFAULT now(), -- when it arrived here
    updated_at        timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    UNIQUE (account_id, external_id)
);
CREATE INDEX emails_created ON emails (account_id, created_at, id);
CREATE INDEX emails_updated ON emails (account_id, updated_at, id);
CREATE INDEX emails_processed_created ON emails (account_id, processed, created_at, id);
CREATE INDEX emails_processed_updated ON emails (account_id, processed, updated_at, id);
CREATE INDEX emails_sender ON emails (account_id, lower(from_email), created_at, id);
CREATE INDEX emails_words ON emails USING gin (words) WITH (gin_pending_list_limit = 1024);

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

-- How many submissions the caller sees. Row security would look each one's company up; the companies that are hidden are few, so these are found once.
-- +goose StatementBegin
CREATE FUNCTION app_count_submissions(account uuid, about uuid, only_processed boolean, integration text) RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    found bigint;
BEGIN
    IF account NOT IN (SELECT app_account_ids()) THEN
        RETURN 0;
    END IF;
    EXECUTE 'SELECT count(*) FROM form_submissions s WHERE s.account_id = $1'
        || COALESCE(' AND s.company_id = ' || quote_literal(about), '') || COALESCE(' AND s.processed = ' || only_processed, '')
        || COALESCE(' AND s.integration_type = ' || quote_literal(integration), '')
        || ' AND (s.company_id IS NULL OR s.company_id NOT IN (SELECT c.id FROM companies c WHERE c.account_id = $1 AND c.visibility IN (''private'', ''shared'')
            AND c.created_by <> $2 AND NOT (c.visibility = ''shared'' AND c.id = ANY (ARRAY(SELECT app_shared_company_ids())))))'
        INTO found USING account, app_user_id();
    RETURN found;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_count_submissions(uuid, uuid, boolean, text) OWNER TO dealflow_system;

-- The facets of an email: by each of them a list can be narrowed.
CREATE FUNCTION app_email_facets(e emails) RETURNS text[] LANGUAGE sql STABLE
    AS $$ SELECT ARRAY['#a:' || e.account_id, '#f:' || lower(e.from_email), '#p:' || e.processed] || ARRAY(SELECT '#g:' || tag FROM unnest(e.tags) AS tag) $$;

-- What was written in an email never changes, so a change of its facets does not cost reading it again.
-- +goose StatementBegin
CREATE FUNCTION app_index_email() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.words := app_vector(app_email_facets(NEW)
            || app_words(concat_ws(E'\n', NEW.subject, NEW.from_name, NEW.from_email, array_to_string(NEW.to_emails, E'\n'), NEW.content)));
    ELSE
        NEW.words := ts_delete(OLD.words, app_email_facets(OLD)) || array_to_tsvector(app_email_facets(NEW));
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd
CREATE TRIGGER index_email BEFORE INSERT OR UPDATE OF tags, processed ON emails FOR EACH ROW EXECUTE FUNCTION app_index_email();

-- A facet as it stands in a query.
CREATE FUNCTION app_facet(kind text, value text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT ('''' || replace(replace('#' || kind || ':' || value, '\', '\\'), '''', '''''') || '''')::tsquery $$;

-- The conditions of a list of emails, as SQL. Those that an index leads to come in `led`, the others in `kept`.
-- +goose StatementBegin
CREATE FUNCTION app_email_conditions(account uuid, query tsquery, sender text, only_processed boolean, tag text, OUT led text, OUT kept text)
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
    led := format('e.account_id = %L', account) || COALESCE(' AND lower(e.from_email) = ' || quote_literal(lower(sender)), '')
        || COALESCE(' AND e.processed = ' || only_processed, '');
    kept := 'true' || COALESCE(' AND e.tags @> ARRAY[' || quote_literal(tag) || ']', '') || COALESCE(' AND e.words @@ ' || quote_literal(query), '');
END
    $$;
-- +goose StatementEnd

-- The walk through a list in its order: the ids of a page, or null where it looked at so many rows for it that what is wanted must be rare.
-- +goose StatementBegin
CREATE FUNCTION app_email_walk(led text, kept text, ordered text, skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    most bigint := 1000 + 4 * (skip + take);
    page uuid[] := '{}';
    seen bigint := 0;
    hits bigint := 0;
    email uuid;
    belongs boolean;
BEGIN
    FOR email, belongs IN EXECUTE format('SELECT e.id, %s FROM emails e WHERE %s ORDER BY %s LIMIT %s', kept, led, ordered, most) LOOP
        seen := seen + 1;
        IF belongs THEN
            hits := hits + 1;
            IF hits > skip THEN
                page := page || email;
            END IF;
        END IF;
        EXIT WHEN hits >= skip + take;
    END LOOP;
    RETURN CASE WHEN hits < skip + take AND seen >= most THEN NULL ELSE page END;
END
    $$;
-- +goose StatementEnd

-- The ids of a page of an account's emails, in its order; the rows themselves are read under the caller's policies. What is null narrows nothing; a
-- search without a word finds nothing. @@ and @> are not leakproof, so under row security no index would serve them: here the policy is applied
-- by the function itself. What many rows meet is found by a walk, what few meet by the facets; what is about a company by its links.
-- +goose StatementBegin
CREATE FUNCTION app_email_page(account uuid, search text, sender text, about uuid, only_processed boolean, tag text, sort text, descending boolean,
    skip bigint, take bigint) RETURNS uuid[] LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public SET enable_seqscan = off SET jit = off SET work_mem = '32MB'
    AS $$
DECLARE
    query tsquery := app_query(search);
    place text := CASE sort WHEN 'updated_at' THEN 'e.updated_at' ELSE 'e.created_at' END;
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ordered text := place || direction || ', e.id' || direction;
    led text;
    kept text;
    facet tsquery;
    page uuid[];
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR search IS NOT NULL AND query IS NULL
        OR about IS NOT NULL AND app_company_access(about) IS DISTINCT FROM 'visible' THEN
        RETURN '{}';
    END IF;
    SELECT c.led, c.kept INTO led, kept FROM app_email_conditions(account, query, sender, only_processed, tag) AS c;
    IF about IS NULL AND (query IS NOT NULL OR tag IS NOT NULL) THEN
        page := app_email_walk(led, kept, ordered, skip, take);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
        FOREACH facet IN ARRAY ARRAY[app_facet('a', account::text), app_facet('f', lower(sender)), app_facet('p', only_processed::text), app_facet('g', tag)] LOOP
            query := COALESCE(query && facet, query, facet);
        END LOOP;
        EXECUTE format('WITH hits AS MATERIALIZED (SELECT e.id, %1$s AS place FROM emails e WHERE e.words @@ %2$L)
            SELECT array_agg(p.id) FROM (SELECT h.id FROM hits h ORDER BY h.place%3$s, h.id%3$s OFFSET %4$s LIMIT %5$s) AS p', place, query, direction, skip, take) INTO page;
    ELSE
        EXECUTE format('SELECT array_agg(p.id) FROM (SELECT e.id FROM emails e %s WHERE %s AND %s ORDER BY %s OFFSET %s LIMIT %s) AS p',
            COALESCE('JOIN email_companies l ON l.email_id = e.id AND l.company_id = ' || quote_literal(about), ''), led, kept, ordered, skip, take) INTO page;
    END IF;
    RETURN COALESCE(page, '{}');
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_email_page(uuid, text, text, uuid, boolean, text, text, boolean, bigint, bigint) OWNER TO dealflow_system;

-- +goose Down
DROP TRIGGER release_submissions ON companies;
DROP TABLE email_attachments, email_companies, emails, form_submissions, meeting_minutes CASCADE;
DROP FUNCTION app_release_submissions(), app_count_submissions(uuid, uuid, boolean, text), app_email_page(uuid, text, text, uuid, boolean, text, text, boolean, bigint, bigint),
    app_email_walk(text, text, text, bigint, bigint), app_email_conditions(uuid, tsquery, text, boolean, text), app_facet(text, text), app_index_email();

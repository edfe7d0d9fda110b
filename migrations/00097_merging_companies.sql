-- +goose Up
-- Two companies that are one deal are merged into one of them: what hangs on the other is moved, its row is deleted, and what it was is kept
-- here, so that the merge can be undone. Only app_merge and app_unmerge write these tables.
CREATE TABLE company_merges (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    company_id uuid NOT NULL,               -- the one that survives
    merged_id  uuid NOT NULL,
    merged     jsonb NOT NULL,              -- the merged one's row
    changed    jsonb NOT NULL DEFAULT '{}', -- members of the surviving one: {"name": {"from": …, "to": …}}
    keys       text[] NOT NULL,             -- by which the merged one was known, as kind:value
    merged_by  uuid NOT NULL REFERENCES users,
    merged_at  timestamptz NOT NULL DEFAULT now(),
    undone_by  uuid REFERENCES users,
    undone_at  timestamptz,
    kept       jsonb NOT NULL DEFAULT '[]', -- what the undo left, since people have changed it
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, company_id) REFERENCES companies (account_id, id) ON DELETE CASCADE
);
CREATE INDEX company_merges_company ON company_merges (company_id, merged_at DESC);
CREATE UNIQUE INDEX company_merges_merged ON company_merges (merged_id) WHERE undone_at IS NULL;
CREATE INDEX company_merges_external_id ON company_merges (account_id, (merged ->> 'external_id')) WHERE undone_at IS NULL;
ALTER TABLE company_merges ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT ON company_merges TO dealflow_app;
GRANT SELECT, INSERT, UPDATE ON company_merges TO dealflow_system;
CREATE POLICY app_select ON company_merges FOR SELECT TO dealflow_app
    USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND EXISTS (SELECT 1 FROM companies c WHERE c.id = company_id));
CREATE POLICY system_all ON company_merges TO dealflow_system USING (true);

-- Rows that a merge touched: moved ones with the values that it changed, those that went with the merged company, and those that it added to the
-- surviving one, whole.
CREATE TABLE company_merge_rows (
    merge_id   uuid NOT NULL,
    account_id uuid NOT NULL,
    part       text NOT NULL, -- the table
    what       text NOT NULL CHECK (what IN ('moved', 'removed', 'added')),
    row_id     uuid NOT NULL DEFAULT gen_random_uuid(), -- of a moved row its own
    was        jsonb NOT NULL,
    PRIMARY KEY (merge_id, part, what, row_id),
    FOREIGN KEY (account_id, merge_id) REFERENCES company_merges (account_id, id) ON DELETE CASCADE
);
ALTER TABLE company_merge_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON company_merge_rows TO dealflow_system;
CREATE POLICY system_all ON company_merge_rows TO dealflow_system USING (true);

GRANT INSERT ON companies TO dealflow_system;
GRANT UPDATE (deck_storage_path) ON companies TO dealflow_system;
CREATE POLICY system_insert ON companies FOR INSERT TO dealflow_system WITH CHECK (true);
GRANT SELECT, UPDATE (company_id) ON activity, meeting_minutes TO dealflow_system;
GRANT UPDATE (company_id) ON file_texts TO dealflow_system;
GRANT UPDATE (updated_at) ON meeting_minutes TO dealflow_system;
GRANT UPDATE (company_id, role, position) ON company_files TO dealflow_system;
CREATE POLICY system_update ON activity FOR UPDATE TO dealflow_system USING (true);
CREATE POLICY system_update ON meeting_minutes FOR UPDATE TO dealflow_system USING (true);
CREATE POLICY system_update ON file_texts FOR UPDATE TO dealflow_system USING (true);
CREATE POLICY system_update ON company_files FOR UPDATE TO dealflow_system USING (true);
GRANT INSERT, DELETE ON company_assignees, company_shares, shared_link_companies TO dealflow_system;
GRANT DELETE ON email_companies TO dealflow_system;
GRANT SELECT, INSERT, DELETE ON corrections TO dealflow_system;
GRANT SELECT, INSERT ON detections, link_page_times TO dealflow_system;
GRANT SELECT ON link_visits TO dealflow_system;
CREATE POLICY system_insert ON company_assignees FOR INSERT TO dealflow_system WITH CHECK (true);
CREATE POLICY system_delete ON company_assignees FOR DELETE TO dealflow_system USING (true);
CREATE POLICY system_insert ON company_shares FOR INSERT TO dealflow_system WITH CHECK (true);
CREATE POLICY system_delete ON company_shares FOR DELETE TO dealflow_system USING (true);
CREATE POLICY system_delete ON email_companies FOR DELETE TO dealflow_system USING (true);
CREATE POLICY system_insert ON shared_link_companies FOR INSERT TO dealflow_system WITH CHECK (true);
CREATE POLICY system_delete ON shared_link_companies FOR DELETE TO dealflow_system USING (true);
CREATE POLICY system_all ON corrections TO dealflow_system USING (true);
CREATE POLICY system_insert ON detections FOR INSERT TO dealflow_system WITH CHECK (true);
CREATE POLICY system_all ON link_page_times TO dealflow_system USING (true);
CREATE POLICY system_select ON link_visits FOR SELECT TO dealflow_system USING (true);

-- Keys of companies that were merged into this one. They stay whatever becomes of its own name, founders and deck.
ALTER TABLE company_keys ADD COLUMN inherited boolean NOT NULL DEFAULT false;
GRANT UPDATE (inherited) ON company_keys TO dealflow_system;

-- As before, but that what is inherited stays.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_deck() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.role = 'deck' THEN
        DELETE FROM company_keys k WHERE k.company_id = OLD.company_id AND k.kind = 'deck' AND k.value = OLD.sha256 AND NOT k.inherited;
    END IF;
    IF TG_OP <> 'DELETE' AND app_is_deck(NEW.role, NEW.media_type, NEW.sha256) THEN
        INSERT INTO company_keys (company_id, account_id, kind, value) VALUES (NEW.company_id, NEW.account_id, 'deck', NEW.sha256) ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- Makes the keys of a company its own and those of the companies that are merged into it now; its deck and its words, those of its files.
-- +goose StatementBegin
CREATE FUNCTION app_settle_company(company uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    DELETE FROM company_keys k WHERE k.company_id = company AND k.inherited;
    INSERT INTO company_keys (company_id, account_id, kind, value)
        SELECT c.id, c.account_id, k.kind, k.value FROM companies c, app_company_keys(c.name, c.deck_link, c.metadata) AS k WHERE c.id = company
        UNION ALL
        SELECT f.company_id, f.account_id, 'deck', f.sha256 FROM company_files f
        WHERE f.company_id = company AND app_is_deck(f.role, f.media_type, f.sha256)
        ON CONFLICT DO NOTHING;
    INSERT INTO company_keys (company_id, account_id, kind, value, inherited)
        SELECT DISTINCT m.company_id, m.account_id, split_part(k, ':', 1), substr(k, strpos(k, ':') + 1), true
        FROM company_merges m, unnest(m.keys) AS k WHERE m.company_id = company AND m.undone_at IS NULL
        ON CONFLICT (company_id, kind, value) DO UPDATE SET inherited = true;
    UPDATE companies c SET words = app_company_vector(c),
        deck_storage_path = (SELECT f.storage_path FROM company_files f WHERE f.company_id = c.id AND f.role = 'deck')
    WHERE c.id = company;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_settle_company(uuid) OWNER TO dealflow_system;
REVOKE EXECUTE ON FUNCTION app_settle_company(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app_settle_company(uuid) TO dealflow_system;

-- Moves what hangs on a company to another of its account, both of which the user sees and holds locked, and keeps what it was. What is left then
-- goes with its row. Where both have a deck, takes_deck says that the merged one's is the deck from now on.
-- +goose StatementBegin
CREATE FUNCTION app_merge(merge uuid, survivor uuid, other uuid, changes jsonb, takes_deck boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    one companies;
    two companies;
    behind integer;
    name text;
BEGIN
    SELECT * INTO one FROM companies c WHERE c.id = survivor;
    SELECT * INTO two FROM companies c WHERE c.id = other;
    IF survivor = other OR one.account_id IS DISTINCT FROM two.account_id OR one.visibility IS DISTINCT FROM two.visibility
        OR app_company_access(survivor) IS DISTINCT FROM 'visible' OR app_company_access(other) IS DISTINCT FROM 'visible' THEN
        RAISE insufficient_privilege;
    END IF;
    INSERT INTO company_merges (id, account_id, company_id, merged_id, merged, changed, keys, merged_by)
        VALUES (merge, one.account_id, survivor, other, to_jsonb(two) - 'words', changes,
            ARRAY(SELECT k.kind || ':' || k.value FROM company_keys k WHERE k.company_id = other ORDER BY 1), app_user_id());

    FOREACH name IN ARRAY '{company_assignees,company_shares,email_companies,shared_link_companies,corrections,detections,link_page_times}'::text[] LOOP
        EXECUTE format('INSERT INTO company_merge_rows (merge_id, account_id, part, what, was)
            SELECT $1, $2, %L, ''removed'', to_jsonb(t) FROM %I t WHERE t.company_id = $3', name, name) USING merge, one.account_id, other;
    END LOOP;
    WITH added AS (INSERT INTO company_assignees (company_id, account_id, user_id)
        SELECT survivor, t.account_id, t.user_id FROM company_assignees t WHERE t.company_id = other ON CONFLICT DO NOTHING RETURNING *)
    INSERT INTO company_merge_rows (merge_id, account_id, part, what, was)
        SELECT merge, t.account_id, 'company_assignees', 'added', to_jsonb(t) FROM added t;
    WITH added AS (INSERT INTO company_shares (company_id, account_id, user_id)
        SELECT survivor, t.account_id, t.user_id FROM company_shares t WHERE t.company_id = other ON CONFLICT DO NOTHING RETURNING *)
    INSERT INTO company_merge_rows (merge_id, account_id, part, what, was)
        SELECT merge, t.account_id, 'company_shares', 'added', to_jsonb(t) FROM added t;
    WITH added AS (INSERT INTO shared_link_companies (account_id, link_id, company_id, permissions, position)
        SELECT t.account_id, t.link_id, survivor, t.permissions, t.position FROM shared_link_companies t WHERE t.company_id = other
        ON CONFLICT DO NOTHING RETURNING *)
    INSERT INTO company_merge_rows (merge_id, account_id, part, what, was)
        SELECT merge, t.account_id, 'shared_link_companies', 'added', to_jsonb(t) FROM added t;
    WITH added AS (INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by, created_at, updated_at)
        SELECT survivor, t.field, t.account_id, t.detected, t.corrected, t.cues, t.excerpt, t.created_by, t.created_at, t.updated_at
        FROM corrections t WHERE t.company_id = other ON CONFLICT DO NOTHING RETURNING *)
    INSERT INTO company_merge_rows (merge_id, account_id, part, what, was)
        SELECT merge, t.account_id, 'corrections', 'added', to_jsonb(t) FROM added t;
    INSERT INTO email_companies (email_id, company_id, account_id)
        SELECT t.email_id, survivor, t.account_id FROM email_companies t WHERE t.company_id = other ON CONFLICT DO NOTHING;
    INSERT INTO company_merge_rows (merge_id, account_id, part, what, was) -- with what founders that the survivor took over wrote
        SELECT merge, t.account_id, 'email_companies', 'added', to_jsonb(t) FROM email_companies t WHERE t.company_id = survivor AND t.created_at = now();

    INSERT INTO company_merge_rows (merge_id, account_id, part, what, row_id, was)
        SELECT merge, f.account_id, 'company_files', 'moved', f.id, jsonb_build_object('company_id', f.company_id, 'role', f.role, 'position', f.position)
        FROM company_files f WHERE f.company_id = other OR (takes_deck AND f.company_id = survivor AND f.role = 'deck');
    UPDATE company_files f SET role = 'attachment' WHERE takes_deck AND f.company_id = survivor AND f.role = 'deck';
    SELECT COALESCE(max(f.position) + 1, 0) INTO behind FROM company_files f WHERE f.company_id = survivor;
    UPDATE company_files f SET company_id = survivor, position = f.position + behind,
        role = CASE WHEN f.role = 'deck' AND NOT takes_deck THEN 'attachment' ELSE f.role END WHERE f.company_id = other;
    UPDATE file_texts t SET company_id = survivor WHERE t.company_id = other;
    FOREACH name IN ARRAY '{meeting_minutes,form_submissions,activity,company_merges}'::text[] LOOP
        EXECUTE format('INSERT INTO company_merge_rows (merge_id, account_id, part, what, row_id, was)
            SELECT $1, t.account_id, %L, ''moved'', t.id, jsonb_build_object(''company_id'', t.company_id) FROM %I t WHERE t.company_id = $2',
            name, name) USING merge, other;
        EXECUTE format('UPDATE %I SET company_id = $1' || CASE WHEN name IN ('meeting_minutes', 'form_submissions') THEN ', updated_at = clock_timestamp()'
            ELSE '' END || ' WHERE company_id = $2', name) USING survivor, other;
    END LOOP;
    UPDATE import_things i SET changed_at = now() WHERE i.changed_at IS NULL AND i.thing IN (
        SELECT r.row_id FROM company_merge_rows r WHERE r.merge_id = merge AND r.what = 'moved'
        UNION ALL SELECT (r.was ->> 'email_id')::uuid FROM company_merge_rows r WHERE r.merge_id = merge AND r.part = 'email_companies');
    PERFORM app_settle_company(survivor);
    PERFORM app_audit_add(one.account_id, NULL, 'company.merged', 'company', survivor, one.name, one.visibility <> 'team',
        jsonb_build_object('merged_id', jsonb_build_object('from', NULL, 'to', other)));
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_merge(uuid, uuid, uuid, jsonb, boolean) OWNER TO dealflow_system;

-- Puts a merged company and all that hung on it back, and returns what stays where it is, since people have changed it: see kept. Null, and nothing is
-- done, where somebody would see by it what they do not see now. The user sees the surviving company, and holds it locked.
-- +goose StatementBegin
CREATE FUNCTION app_unmerge(merge uuid, left_alone jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    m company_merges;
    one companies;
    back companies;
    seen uuid[];
    name text;
    elsewhere jsonb;
    stays jsonb := left_alone;
BEGIN
    SELECT * INTO m FROM company_merges x WHERE x.id = merge;
    IF m.undone_at IS NOT NULL OR app_company_access(m.company_id) IS DISTINCT FROM 'visible' THEN
        RAISE insufficient_privilege;
    END IF;
    SELECT * INTO one FROM companies c WHERE c.id = m.company_id;
    seen := app_company_viewers(one.id, one.visibility, one.created_by);
    back := jsonb_populate_record(NULL::companies, m.merged || '{"words": ""}');
    IF NOT EXISTS (SELECT FROM memberships t WHERE t.account_id = m.account_id AND t.user_id = back.created_by) THEN
        back.created_by := one.created_by;
    END IF;
    IF back.visibility <> one.visibility OR back.visibility <> 'team' AND back.created_by <> ALL (seen) THEN
        RETURN NULL;
    END IF;
    IF NOT EXISTS (SELECT FROM company_statuses s WHERE s.account_id = m.account_id AND s.id = back.company_status_id) THEN
        IF back.company_status_id IS NOT NULL THEN
            stays := stays || jsonb_build_object('kind', 'company', 'id', m.merged_id, 'field', 'company_status_id', 'reason', 'deleted');
        END IF;
        back.company_status_id := NULL;
    END IF;
    IF EXISTS (SELECT FROM companies c WHERE c.account_id = m.account_id AND c.external_id = back.external_id) THEN
        stays := stays || jsonb_build_object('kind', 'company', 'id', m.merged_id, 'field', 'external_id', 'reason', 'changed');
        back.external_id := NULL;
    END IF;
    back.updated_at := clock_timestamp();
    INSERT INTO companies SELECT (back).*;
    DELETE FROM email_companies l USING emails e WHERE l.company_id = m.merged_id AND e.id = l.email_id AND e.created_at < m.merged_at;

    -- Links of both. What the merge added to the surviving one and people have removed since is not put back; what they have added again stays.
    stays := stays || COALESCE((SELECT jsonb_agg(jsonb_build_object('kind', a.part, 'id', COALESCE(a.was ->> 'user_id', a.was ->> 'email_id')::uuid,
            'reason', 'removed'))
        FROM company_merge_rows a WHERE a.merge_id = merge AND a.what = 'added' AND (
            a.part = 'company_assignees' AND NOT EXISTS (SELECT FROM company_assignees t WHERE t.company_id = one.id AND t.user_id = (a.was ->> 'user_id')::uuid)
            OR a.part = 'company_shares' AND NOT EXISTS (SELECT FROM company_shares t WHERE t.company_id = one.id AND t.user_id = (a.was ->> 'user_id')::uuid)
            OR a.part = 'email_companies' AND EXISTS (SELECT FROM emails e WHERE e.id = (a.was ->> 'email_id')::uuid)
                AND NOT EXISTS (SELECT FROM email_companies t WHERE t.company_id = one.id AND t.email_id = (a.was ->> 'email_id')::uuid))), '[]');
    INSERT INTO company_assignees SELECT t.* FROM company_merge_rows r, jsonb_populate_record(NULL::company_assignees, r.was) t
        WHERE r.merge_id = merge AND r.part = 'company_assignees' AND r.what = 'removed' AND (back.visibility <> 'shared' OR t.user_id = ANY (seen))
            AND EXISTS (SELECT FROM memberships b WHERE b.account_id = t.account_id AND b.user_id = t.user_id)
            AND NOT stays @> jsonb_build_array(jsonb_build_object('kind', r.part, 'id', t.user_id));
    INSERT INTO company_shares SELECT t.* FROM company_merge_rows r, jsonb_populate_record(NULL::company_shares, r.was) t
        WHERE r.merge_id = merge AND r.part = 'company_shares' AND r.what = 'removed' AND (back.visibility <> 'shared' OR t.user_id = ANY (seen))
            AND EXISTS (SELECT FROM memberships b WHERE b.account_id = t.account_id AND b.user_id = t.user_id)
            AND NOT stays @> jsonb_build_array(jsonb_build_object('kind', r.part, 'id', t.user_id));
    INSERT INTO email_companies SELECT t.* FROM company_merge_rows r, jsonb_populate_record(NULL::email_companies, r.was) t
        WHERE r.merge_id = merge AND r.part = 'email_companies' AND r.what = 'removed' AND EXISTS (SELECT FROM emails e WHERE e.id = t.email_id)
            AND NOT stays @> jsonb_build_array(jsonb_build_object('kind', r.part, 'id', t.email_id))
        ON CONFLICT DO NOTHING;
    INSERT INTO shared_link_companies SELECT t.* FROM company_merge_rows r, jsonb_populate_record(NULL::shared_link_companies, r.was) t
        WHERE r.merge_id = merge AND r.part = 'shared_link_companies' AND r.what = 'removed' AND EXISTS (SELECT FROM shared_links l WHERE l.id = t.link_id);
    INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by, created_at, updated_at)
        SELECT t.company_id, t.field, t.account_id, COALESCE(t.detected, 'null'), COALESCE(t.corrected, 'null'), t.cues, t.excerpt, t.created_by,
            t.created_at, t.updated_at FROM company_merge_rows r, jsonb_populate_record(NULL::corrections, r.was) t
        WHERE r.merge_id = merge AND r.part = 'corrections' AND r.what = 'removed';
    INSERT INTO detections (company_id, account_id, found, cues, created_at, written, analysis, review)
        SELECT t.company_id, t.account_id, t.found, t.cues, t.created_at, t.written, COALESCE(t.analysis, 'null'), t.review FROM company_merge_rows r, jsonb_populate_record(NULL::detections, r.was) t
        WHERE r.merge_id = merge AND r.part = 'detections' AND r.what = 'removed';
    INSERT INTO link_page_times SELECT t.* FROM company_merge_rows r, jsonb_populate_record(NULL::link_page_times, r.was) t
        WHERE r.merge_id = merge AND r.part = 'link_page_times' AND r.what = 'removed' AND EXISTS (SELECT FROM link_visits v WHERE v.id = t.visit_id);
    DELETE FROM company_assignees t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'company_assignees' AND r.what = 'added'
        AND to_jsonb(t) = r.was;
    DELETE FROM company_shares t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'company_shares' AND r.what = 'added'
        AND to_jsonb(t) = r.was;
    DELETE FROM email_companies t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'email_companies' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = r.was;
    DELETE FROM shared_link_companies t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'shared_link_companies' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = r.was;
    DELETE FROM corrections t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'corrections' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = r.was;

    -- What was moved, as far as it is where the merge put it.
    FOREACH name IN ARRAY '{company_files,meeting_minutes,form_submissions,activity,company_merges}'::text[] LOOP
        EXECUTE format('SELECT COALESCE(jsonb_agg(jsonb_build_object(''kind'', r.part, ''id'', r.row_id,
                ''reason'', CASE WHEN t.id IS NULL THEN ''deleted'' ELSE ''moved'' END)), ''[]'')
            FROM company_merge_rows r LEFT JOIN %I t ON t.id = r.row_id
            WHERE r.merge_id = $1 AND r.part = %L AND r.what = ''moved'' AND t.company_id IS DISTINCT FROM $2', name, name)
            INTO STRICT elsewhere USING merge, one.id;
        stays := stays || elsewhere;
    END LOOP;
    UPDATE company_files f SET company_id = m.merged_id, role = r.was ->> 'role', position = (r.was ->> 'position')::integer
        FROM company_merge_rows r WHERE r.merge_id = merge AND r.part = 'company_files' AND r.what = 'moved' AND f.id = r.row_id
            AND f.company_id = one.id AND (r.was ->> 'company_id')::uuid = m.merged_id;
    UPDATE file_texts t SET company_id = f.company_id FROM company_files f WHERE f.company_id = m.merged_id AND t.file_id = f.id;
    UPDATE company_files f SET role = 'deck'
        FROM company_merge_rows r WHERE r.merge_id = merge AND r.part = 'company_files' AND r.what = 'moved' AND f.id = r.row_id
            AND f.company_id = one.id AND (r.was ->> 'company_id')::uuid = one.id
            AND NOT EXISTS (SELECT FROM company_files d WHERE d.company_id = one.id AND d.role = 'deck');
    FOREACH name IN ARRAY '{meeting_minutes,form_submissions,activity,company_merges}'::text[] LOOP
        EXECUTE format('UPDATE %I t SET company_id = $1' || CASE WHEN name IN ('meeting_minutes', 'form_submissions') THEN ', updated_at = clock_timestamp()'
            ELSE '' END || ' FROM company_merge_rows r WHERE r.merge_id = $2 AND r.part = %L AND r.what = ''moved'' AND t.id = r.row_id
            AND t.company_id = $3', name, name) USING m.merged_id, merge, one.id;
    END LOOP;
    UPDATE company_merges x SET undone_by = app_user_id(), undone_at = now(), kept = stays WHERE x.id = merge;
    PERFORM app_settle_company(one.id), app_settle_company(m.merged_id);
    PERFORM app_audit_add(m.account_id, NULL, 'company.merge_undone', 'company', one.id, one.name, one.visibility <> 'team',
        jsonb_build_object('merged_id', jsonb_build_object('from', m.merged_id, 'to', NULL)));
    RETURN stays;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_unmerge(uuid, jsonb) OWNER TO dealflow_system;

-- Whether an analysis of one of the companies waits or runs. It knows the company's files, and writes to it.
CREATE FUNCTION app_is_analyzed(companies uuid[]) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT EXISTS (SELECT 1 FROM work WHERE subject_id = ANY (companies) AND kind IN ('company.analyse', 'company.reread')
        AND state IN ('queued', 'running')) $$;
ALTER FUNCTION app_is_analyzed(uuid[]) OWNER TO dealflow_system;

-- As before; of a company that was merged into one that the user sees, that one: merged:<id>.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_access(company uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER COST 40 SET search_path = public, pg_temp
    AS $$
DECLARE
    found record;
    survivor uuid;
BEGIN
    SELECT c.account_id, c.visibility, c.created_by INTO found FROM companies c WHERE c.id = company;
    IF found.account_id IS NULL THEN
        SELECT m.company_id INTO survivor FROM company_merges m WHERE m.merged_id = company AND m.undone_at IS NULL;
        RETURN CASE WHEN survivor IS NOT NULL AND app_company_access(survivor) = 'visible' THEN 'merged:' || survivor END;
    END IF;
    RETURN CASE
        WHEN found.account_id <> ALL (app_accounts()) THEN 'outside'
        WHEN found.visibility = 'team' OR found.created_by = app_user_id() THEN 'visible'
        WHEN found.visibility = 'shared' AND app_has_share(company) THEN 'visible'
        ELSE 'hidden' END;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_access(company uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 40
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    found record;
BEGIN
    SELECT c.account_id, c.visibility, c.created_by INTO found FROM companies c WHERE c.id = company;
    RETURN CASE
        WHEN found.account_id IS NULL THEN NULL
        WHEN found.account_id <> ALL (app_accounts()) THEN 'outside'
        WHEN found.visibility = 'team' OR found.created_by = app_user_id() THEN 'visible'
        WHEN found.visibility = 'shared' AND app_has_share(company) THEN 'visible'
        ELSE 'hidden' END;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_know_deck() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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
DROP FUNCTION app_is_analyzed(uuid[]);
DROP FUNCTION app_unmerge(uuid, jsonb);
DROP FUNCTION app_merge(uuid, uuid, uuid, jsonb, boolean);
DROP FUNCTION app_settle_company(uuid);
DELETE FROM company_keys WHERE inherited;
REVOKE UPDATE (inherited) ON company_keys FROM dealflow_system;
ALTER TABLE company_keys DROP COLUMN inherited;
DROP POLICY system_select ON link_visits;
DROP POLICY system_all ON link_page_times;
DROP POLICY system_insert ON detections;
DROP POLICY system_all ON corrections;
DROP POLICY system_delete ON shared_link_companies;
DROP POLICY system_insert ON shared_link_companies;
DROP POLICY system_delete ON email_companies;
DROP POLICY system_delete ON company_shares;
DROP POLICY system_insert ON company_shares;
DROP POLICY system_delete ON company_assignees;
DROP POLICY system_insert ON company_assignees;
REVOKE SELECT ON link_visits FROM dealflow_system;
REVOKE SELECT, INSERT ON detections, link_page_times FROM dealflow_system;
GRANT SELECT (company_id, created_at, review) ON detections TO dealflow_system;
REVOKE SELECT, INSERT, DELETE ON corrections FROM dealflow_system;
REVOKE DELETE ON email_companies FROM dealflow_system;
REVOKE INSERT, DELETE ON company_assignees, company_shares, shared_link_companies FROM dealflow_system;
DROP POLICY system_update ON company_files;
DROP POLICY system_update ON file_texts;
DROP POLICY system_update ON meeting_minutes;
DROP POLICY system_update ON activity;
REVOKE UPDATE (company_id, role, position) ON company_files FROM dealflow_system;
REVOKE UPDATE (updated_at) ON meeting_minutes FROM dealflow_system;
REVOKE UPDATE (company_id) ON activity, meeting_minutes, file_texts FROM dealflow_system;
REVOKE SELECT ON activity, meeting_minutes FROM dealflow_system;
GRANT SELECT (id, account_id, company_id) ON activity, meeting_minutes TO dealflow_system;
DROP POLICY system_insert ON companies;
REVOKE UPDATE (deck_storage_path) ON companies FROM dealflow_system;
REVOKE INSERT ON companies FROM dealflow_system;
DROP TABLE company_merge_rows;
DROP TABLE company_merges;

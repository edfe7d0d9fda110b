-- +goose Up
-- Exports carry merges, and restores bring them back, so that they can be undone elsewhere, too (ADR 98).
GRANT SELECT (name, rank) ON company_statuses TO dealflow_system;

-- As before, but that the id of a company that is merged belongs to the account that can undo it, and merges have ids, too.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_restored_id(account uuid, kind text, was uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    other CONSTANT uuid := encode(substr(sha256(uuid_send(account) || uuid_send(was)), 1, 16), 'hex')::uuid;
    candidate uuid;
    owner uuid;
    taken boolean := false;
BEGIN
    FOREACH candidate IN ARRAY ARRAY[was, other] LOOP
        owner := CASE kind
            WHEN 'companies' THEN COALESCE((SELECT t.account_id FROM companies t WHERE t.id = candidate),
                (SELECT m.account_id FROM company_merges m WHERE m.merged_id = candidate AND m.undone_at IS NULL))
            WHEN 'company_files' THEN (SELECT t.account_id FROM company_files t WHERE t.id = candidate)
            WHEN 'company_statuses' THEN (SELECT t.account_id FROM company_statuses t WHERE t.id = candidate)
            WHEN 'field_settings' THEN (SELECT t.account_id FROM field_settings t WHERE t.id = candidate)
            WHEN 'meeting_minutes' THEN (SELECT t.account_id FROM meeting_minutes t WHERE t.id = candidate)
            WHEN 'form_submissions' THEN (SELECT t.account_id FROM form_submissions t WHERE t.id = candidate)
            WHEN 'emails' THEN (SELECT t.account_id FROM emails t WHERE t.id = candidate)
            WHEN 'email_attachments' THEN (SELECT t.account_id FROM email_attachments t WHERE t.id = candidate)
            WHEN 'activity' THEN (SELECT t.account_id FROM activity t WHERE t.id = candidate)
            WHEN 'company_merges' THEN (SELECT t.account_id FROM company_merges t WHERE t.id = candidate)
        END;
        IF owner = account THEN
            RETURN candidate;
        END IF;
        taken := taken OR candidate = was AND owner IS NOT NULL;
    END LOOP;
    RETURN CASE WHEN taken THEN other ELSE was END;
END
    $$;
-- +goose StatementEnd

-- The rows of a merge that the user sees, without those of shared links, which no export has.
CREATE FUNCTION app_merge_rows(merge uuid) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT COALESCE(jsonb_agg(jsonb_build_object('part', r.part, 'what', r.what, 'row_id', r.row_id, 'was', r.was) ORDER BY r.part, r.what, r.row_id), '[]')
    FROM company_merges m JOIN company_merge_rows r ON r.merge_id = m.id
    WHERE m.id = merge AND m.account_id = ANY (app_accounts()) AND app_company_access(m.company_id) = 'visible'
        AND r.part NOT IN ('shared_link_companies', 'link_page_times')
    $$;
ALTER FUNCTION app_merge_rows(uuid) OWNER TO dealflow_system;

-- Whom of the account an id means, or else its address among those that a line has; null for nobody.
CREATE FUNCTION app_restored_member(account uuid, people jsonb, was text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.account_id = account AND (m.user_id = was::uuid OR lower(u.email) = lower(people ->> was))
    ORDER BY m.user_id <> was::uuid, m.user_id LIMIT 1
    $$;
ALTER FUNCTION app_restored_member(uuid, jsonb, text) OWNER TO dealflow_system;
REVOKE EXECUTE ON FUNCTION app_restored_member(uuid, jsonb, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app_restored_member(uuid, jsonb, text) TO dealflow_system;

-- Which status of the account an id means, or else its name among those that a line has; null for none.
CREATE FUNCTION app_restored_status(account uuid, statuses jsonb, was text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT s.id FROM company_statuses s
    WHERE s.account_id = account AND (s.id = app_restored_id(account, 'company_statuses', was::uuid) OR lower(s.name) = lower(statuses ->> was))
    ORDER BY s.id <> app_restored_id(account, 'company_statuses', was::uuid), s.rank, s.id LIMIT 1
    $$;
ALTER FUNCTION app_restored_status(uuid, jsonb, text) OWNER TO dealflow_system;
REVOKE EXECUTE ON FUNCTION app_restored_status(uuid, jsonb, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app_restored_status(uuid, jsonb, text) TO dealflow_system;

-- Writes merges of an export back for an admin who sees the companies that survived, and returns those that are new. A merge whose other company
-- is here by itself is left out: it could not be undone.
-- +goose StatementBegin
CREATE FUNCTION app_restore_merges(account uuid, lines json) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    line record;
    made uuid;
    survivor uuid;
    other uuid;
    back companies;
    name text;
BEGIN
    IF NOT account = ANY (ARRAY(SELECT app_admin_account_ids())) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only an admin restores an account';
    END IF;
    FOR line IN SELECT r.* FROM json_to_recordset(lines) AS r (id uuid, company_id uuid, merged_id uuid, merged jsonb, changed jsonb, keys text[],
        merged_by text, merged_at timestamptz, undone_by text, undone_at timestamptz, kept jsonb, rows jsonb, people jsonb, statuses jsonb) LOOP
        survivor := app_restored_id(account, 'companies', line.company_id);
        other := app_restored_id(account, 'companies', line.merged_id);
        CONTINUE WHEN app_company_access(survivor) IS DISTINCT FROM 'visible'
            OR NOT EXISTS (SELECT FROM companies c WHERE c.id = survivor AND c.account_id = account)
            OR line.undone_at IS NULL AND EXISTS (SELECT FROM companies c WHERE c.id = other);
        back := jsonb_populate_record(NULL::companies, line.merged || jsonb_build_object('id', other, 'account_id', account, 'words', '',
            'deck_storage_path', NULL, 'company_status_id', app_restored_status(account, line.statuses, line.merged ->> 'company_status_id'),
            'created_by', COALESCE(app_restored_member(account, line.people, line.merged ->> 'created_by'), app_user_id()),
            'updated_by', COALESCE(app_restored_member(account, line.people, line.merged ->> 'updated_by'), app_user_id())));
        IF num_nulls(back.name, back.visibility, back.source, back.metadata, back.created_at, back.updated_at, back.edited) > 0 THEN
            RAISE not_null_violation USING MESSAGE = 'a merged company lacks a member that every company has';
        END IF;
        INSERT INTO company_merges (id, account_id, company_id, merged_id, merged, changed, keys, merged_by, merged_at, undone_by, undone_at, kept)
            SELECT app_restored_id(account, 'company_merges', line.id), account, survivor, other, to_jsonb(back) - 'words',
                line.changed || CASE WHEN jsonb_exists(line.changed, 'company_status_id') THEN jsonb_build_object('company_status_id', (
                    SELECT jsonb_object_agg(s.key, app_restored_status(account, line.statuses, s.value))
                    FROM jsonb_each_text(line.changed -> 'company_status_id') AS s)) ELSE '{}' END,
                line.keys, COALESCE(app_restored_member(account, line.people, line.merged_by), app_user_id()), line.merged_at,
                CASE WHEN line.undone_by IS NOT NULL THEN COALESCE(app_restored_member(account, line.people, line.undone_by), app_user_id()) END,
                line.undone_at,
                COALESCE((SELECT jsonb_agg(k.value || jsonb_build_object('id', CASE k.value ->> 'kind'
                    WHEN 'company_assignees' THEN app_restored_member(account, line.people, k.value ->> 'id')
                    WHEN 'company_shares' THEN app_restored_member(account, line.people, k.value ->> 'id')
                    ELSE app_restored_id(account, CASE k.value ->> 'kind' WHEN 'company' THEN 'companies' WHEN 'email_companies' THEN 'emails'
                        ELSE k.value ->> 'kind' END, (k.value ->> 'id')::uuid) END) ORDER BY k.ordinality)
                    FROM jsonb_array_elements(line.kept) WITH ORDINALITY AS k), '[]')
            ON CONFLICT DO NOTHING RETURNING id INTO made;
        CONTINUE WHEN made IS NULL;
        INSERT INTO company_merge_rows (merge_id, account_id, part, what, row_id, was)
            SELECT made, account, r.part, r.what, app_restored_id(account, r.part, r.row_id),
                r.was || jsonb_build_object('company_id', app_restored_id(account, 'companies', (r.was ->> 'company_id')::uuid))
            FROM jsonb_to_recordset(line.rows) AS r (part text, what text, row_id uuid, was jsonb)
            WHERE r.what = 'moved' AND r.part = ANY ('{company_files,meeting_minutes,form_submissions,activity,company_merges}')
            ON CONFLICT DO NOTHING;
        -- An undo compares what a merge added with what is there as a whole, so it is written as this server writes rows. What it brings back
        -- belongs to the merged company, whatever a line says.
        FOREACH name IN ARRAY '{company_assignees,company_shares,email_companies,corrections,detections}'::text[] LOOP
            EXECUTE format('INSERT INTO company_merge_rows (merge_id, account_id, part, what, row_id, was)
                SELECT $1, $2, %L, r.what, r.row_id, to_jsonb(t)
                FROM jsonb_to_recordset($4) AS r (part text, what text, row_id uuid, was jsonb)
                CROSS JOIN LATERAL jsonb_populate_record(NULL::%I, r.was || jsonb_strip_nulls(jsonb_build_object(''account_id'', $2,
                    ''company_id'', CASE r.what WHEN ''removed'' THEN $3 ELSE app_restored_id($2, ''companies'', (r.was ->> ''company_id'')::uuid) END,
                    ''email_id'', app_restored_id($2, ''emails'', (r.was ->> ''email_id'')::uuid),
                    ''user_id'', app_restored_member($2, $5, r.was ->> ''user_id''),
                    ''created_by'', CASE WHEN jsonb_exists(r.was, ''created_by'')
                        THEN COALESCE(app_restored_member($2, $5, r.was ->> ''created_by''), app_user_id()) END))) AS t
                WHERE r.part = %L AND r.what IN (''removed'', ''added'')
                    AND (NOT jsonb_exists(r.was, ''user_id'') OR app_restored_member($2, $5, r.was ->> ''user_id'') IS NOT NULL)
                    AND (NOT jsonb_exists(r.was, ''email_id'') OR EXISTS (SELECT FROM emails e
                        WHERE e.account_id = $2 AND e.id = app_restored_id($2, ''emails'', (r.was ->> ''email_id'')::uuid)))
                ON CONFLICT DO NOTHING', name, name, name) USING made, account, other, line.rows, line.people;
        END LOOP;
        PERFORM app_settle_company(survivor);
        RETURN NEXT made;
    END LOOP;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_restore_merges(uuid, json) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_restore_merges(uuid, json);
DROP FUNCTION app_restored_status(uuid, jsonb, text);
DROP FUNCTION app_restored_member(uuid, jsonb, text);
DROP FUNCTION app_merge_rows(uuid);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_restored_id(account uuid, kind text, was uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    other CONSTANT uuid := encode(substr(sha256(uuid_send(account) || uuid_send(was)), 1, 16), 'hex')::uuid;
    candidate uuid;
    owner uuid;
    taken boolean := false;
BEGIN
    FOREACH candidate IN ARRAY ARRAY[was, other] LOOP
        owner := CASE kind
            WHEN 'companies' THEN (SELECT t.account_id FROM companies t WHERE t.id = candidate)
            WHEN 'company_files' THEN (SELECT t.account_id FROM company_files t WHERE t.id = candidate)
            WHEN 'company_statuses' THEN (SELECT t.account_id FROM company_statuses t WHERE t.id = candidate)
            WHEN 'field_settings' THEN (SELECT t.account_id FROM field_settings t WHERE t.id = candidate)
            WHEN 'meeting_minutes' THEN (SELECT t.account_id FROM meeting_minutes t WHERE t.id = candidate)
            WHEN 'form_submissions' THEN (SELECT t.account_id FROM form_submissions t WHERE t.id = candidate)
            WHEN 'emails' THEN (SELECT t.account_id FROM emails t WHERE t.id = candidate)
            WHEN 'email_attachments' THEN (SELECT t.account_id FROM email_attachments t WHERE t.id = candidate)
            WHEN 'activity' THEN (SELECT t.account_id FROM activity t WHERE t.id = candidate)
        END;
        IF owner = account THEN
            RETURN candidate;
        END IF;
        taken := taken OR candidate = was AND owner IS NOT NULL;
    END LOOP;
    RETURN CASE WHEN taken THEN other ELSE was END;
END
    $$;
-- +goose StatementEnd
REVOKE SELECT (name, rank) ON company_statuses FROM dealflow_system;

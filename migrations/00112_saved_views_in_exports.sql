-- +goose Up
-- Exports carry the saved views that the admin sees, restores bring them back, and the undo of an import removes
-- them, and merges (ADR 98).
GRANT SELECT, INSERT ON saved_views TO dealflow_system;
CREATE POLICY system_select ON saved_views FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_insert ON saved_views FOR INSERT TO dealflow_system WITH CHECK (true);
ALTER TABLE import_things DROP CONSTRAINT import_things_kind_check;
ALTER TABLE import_things ADD CONSTRAINT import_things_kind_check CHECK (kind IN ('email', 'form_submission', 'meeting_minutes', 'company', 'file', 'activity', 'field', 'company_status',
    'saved_view', 'company_merge'));

-- As before, but that views have ids, too.
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
            WHEN 'saved_views' THEN (SELECT t.account_id FROM saved_views t WHERE t.id = candidate)
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

-- Writes the views of an export back for an admin, those of others too, and returns which are new. A view that was somebody's own, who is not in
-- the account, is left out: it was never the team's.
-- +goose StatementBegin
CREATE FUNCTION app_restore_views(account uuid, lines json) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF NOT account = ANY (ARRAY(SELECT app_admin_account_ids())) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only an admin restores an account';
    END IF;
    RETURN QUERY INSERT INTO saved_views (id, account_id, name, shared, search, company_status_id, no_status, source, sort_by, ascending, columns,
            created_by, created_at, updated_at)
        SELECT app_restored_id(account, 'saved_views', r.id), account, r.name, r.shared, r.search,
            app_restored_status(account, jsonb_build_object(COALESCE(r.company_status_id::text, ''), r.company_status), r.company_status_id::text),
            r.no_status, r.source, r.sort_by, r.ascending, r.columns, COALESCE(m.id, app_user_id()), r.created_at, r.updated_at
        FROM json_to_recordset(lines) AS r (id uuid, name text, shared boolean, search text, company_status_id uuid, company_status text,
            no_status boolean, source text, sort_by text, ascending boolean, columns text[], created_by uuid, created_by_email text,
            created_at timestamptz, updated_at timestamptz)
        CROSS JOIN LATERAL (SELECT app_restored_member(account, jsonb_build_object(COALESCE(r.created_by::text, ''), r.created_by_email), r.created_by::text) AS id) AS m
        WHERE r.shared OR m.id IS NOT NULL
        ON CONFLICT DO NOTHING RETURNING saved_views.id;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_restore_views(uuid, json) OWNER TO dealflow_system;

-- As before, and for views and merges.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_undo_verdicts(import uuid, of_kind text, things uuid[]) RETURNS TABLE (thing uuid, verdict text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT i.thing, CASE of_kind
        WHEN 'company' THEN CASE
            WHEN NOT EXISTS (SELECT FROM companies c WHERE c.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed'
            WHEN EXISTS (SELECT FROM company_files f WHERE f.company_id = i.thing AND NOT EXISTS (
                SELECT FROM import_things o WHERE o.import_id = import AND o.kind = 'file' AND o.thing = f.id)) THEN 'has_files'
            WHEN EXISTS (SELECT FROM meeting_minutes m WHERE m.company_id = i.thing) THEN 'has_meeting_minutes'
            WHEN EXISTS (SELECT FROM form_submissions s WHERE s.company_id = i.thing) THEN 'has_form_submissions'
            WHEN EXISTS (SELECT FROM email_companies l JOIN emails e ON e.id = l.email_id WHERE l.company_id = i.thing
                AND NOT EXISTS (SELECT FROM import_things o WHERE o.import_id = import AND o.kind = 'email' AND o.thing = e.id)
                AND (e.created_at > i.created_at OR EXISTS (
                    SELECT FROM import_things o WHERE o.kind = 'email' AND o.thing = e.id AND o.created_at > i.created_at))) THEN 'has_emails'
            WHEN EXISTS (SELECT FROM shared_link_companies l WHERE l.company_id = i.thing) THEN 'in_shared_link' END
        WHEN 'email' THEN CASE WHEN NOT EXISTS (SELECT FROM emails e WHERE e.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'form_submission' THEN CASE WHEN NOT EXISTS (SELECT FROM form_submissions s WHERE s.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'meeting_minutes' THEN CASE WHEN NOT EXISTS (SELECT FROM meeting_minutes m WHERE m.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'file' THEN CASE WHEN NOT EXISTS (SELECT FROM company_files f WHERE f.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed'
            WHEN EXISTS (SELECT FROM company_files f JOIN import_things o ON o.thing = f.company_id
                WHERE f.id = i.thing AND o.import_id = import AND o.kind = 'company') THEN 'part_of_company' END
        WHEN 'activity' THEN CASE WHEN NOT EXISTS (SELECT FROM activity a WHERE a.id = i.thing) THEN 'gone'
            WHEN EXISTS (SELECT FROM activity a JOIN import_things o ON o.thing = a.company_id
                WHERE a.id = i.thing AND o.import_id = import AND o.kind = 'company') THEN 'part_of_company' END
        WHEN 'field' THEN CASE WHEN NOT EXISTS (SELECT FROM field_settings f WHERE f.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'company_merge' THEN CASE WHEN NOT EXISTS (SELECT FROM company_merges m WHERE m.id = i.thing) THEN 'gone'
            WHEN EXISTS (SELECT FROM company_merges m WHERE m.id = i.thing AND m.undone_at > i.created_at) THEN 'changed'
            WHEN EXISTS (SELECT FROM company_merges m JOIN import_things o ON o.thing = m.company_id
                WHERE m.id = i.thing AND o.import_id = import AND o.kind = 'company') THEN 'part_of_company' END
        WHEN 'saved_view' THEN CASE WHEN NOT EXISTS (SELECT FROM saved_views v WHERE v.id = i.thing) THEN 'gone'
            WHEN EXISTS (SELECT FROM saved_views v WHERE v.id = i.thing AND v.updated_at > i.created_at) THEN 'changed' END
        ELSE CASE WHEN NOT EXISTS (SELECT FROM company_statuses s WHERE s.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed'
            WHEN EXISTS (SELECT FROM companies c WHERE c.account_id = i.account_id AND c.company_status_id = i.thing) THEN 'in_use' END
        END
    FROM import_things i WHERE i.import_id = import AND i.kind = of_kind AND i.thing = ANY (things)
        AND i.account_id IN (SELECT m.account_id FROM memberships m WHERE m.user_id = app_user_id());
END
    $$;
-- +goose StatementEnd

-- Merges are removed only where an import brought them that an admin undoes.
GRANT DELETE ON company_merges TO dealflow_system;
-- +goose StatementBegin
CREATE FUNCTION app_undo_merges(import uuid, merges uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    gone record;
BEGIN
    FOR gone IN DELETE FROM company_merges m USING import_things i
        WHERE i.import_id = import AND i.kind = 'company_merge' AND i.thing = ANY (merges) AND m.id = i.thing AND m.account_id = i.account_id
            AND i.account_id = ANY (ARRAY(SELECT app_admin_account_ids())) AND app_company_access(m.company_id) = 'visible'
        RETURNING m.id, m.company_id LOOP
        PERFORM app_settle_company(gone.company_id);
        RETURN NEXT gone.id;
    END LOOP;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_undo_merges(uuid, uuid[]) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_undo_merges(uuid, uuid[]);
REVOKE DELETE ON company_merges FROM dealflow_system;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_undo_verdicts(import uuid, of_kind text, things uuid[]) RETURNS TABLE (thing uuid, verdict text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT i.thing, CASE of_kind
        WHEN 'company' THEN CASE
            WHEN NOT EXISTS (SELECT FROM companies c WHERE c.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed'
            WHEN EXISTS (SELECT FROM company_files f WHERE f.company_id = i.thing AND NOT EXISTS (
                SELECT FROM import_things o WHERE o.import_id = import AND o.kind = 'file' AND o.thing = f.id)) THEN 'has_files'
            WHEN EXISTS (SELECT FROM meeting_minutes m WHERE m.company_id = i.thing) THEN 'has_meeting_minutes'
            WHEN EXISTS (SELECT FROM form_submissions s WHERE s.company_id = i.thing) THEN 'has_form_submissions'
            WHEN EXISTS (SELECT FROM email_companies l JOIN emails e ON e.id = l.email_id WHERE l.company_id = i.thing
                AND NOT EXISTS (SELECT FROM import_things o WHERE o.import_id = import AND o.kind = 'email' AND o.thing = e.id)
                AND (e.created_at > i.created_at OR EXISTS (
                    SELECT FROM import_things o WHERE o.kind = 'email' AND o.thing = e.id AND o.created_at > i.created_at))) THEN 'has_emails'
            WHEN EXISTS (SELECT FROM shared_link_companies l WHERE l.company_id = i.thing) THEN 'in_shared_link' END
        WHEN 'email' THEN CASE WHEN NOT EXISTS (SELECT FROM emails e WHERE e.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'form_submission' THEN CASE WHEN NOT EXISTS (SELECT FROM form_submissions s WHERE s.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'meeting_minutes' THEN CASE WHEN NOT EXISTS (SELECT FROM meeting_minutes m WHERE m.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        WHEN 'file' THEN CASE WHEN NOT EXISTS (SELECT FROM company_files f WHERE f.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed'
            WHEN EXISTS (SELECT FROM company_files f JOIN import_things o ON o.thing = f.company_id
                WHERE f.id = i.thing AND o.import_id = import AND o.kind = 'company') THEN 'part_of_company' END
        WHEN 'activity' THEN CASE WHEN NOT EXISTS (SELECT FROM activity a WHERE a.id = i.thing) THEN 'gone'
            WHEN EXISTS (SELECT FROM activity a JOIN import_things o ON o.thing = a.company_id
                WHERE a.id = i.thing AND o.import_id = import AND o.kind = 'company') THEN 'part_of_company' END
        WHEN 'field' THEN CASE WHEN NOT EXISTS (SELECT FROM field_settings f WHERE f.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed' END
        ELSE CASE WHEN NOT EXISTS (SELECT FROM company_statuses s WHERE s.id = i.thing) THEN 'gone'
            WHEN i.changed_at IS NOT NULL THEN 'changed'
            WHEN EXISTS (SELECT FROM companies c WHERE c.account_id = i.account_id AND c.company_status_id = i.thing) THEN 'in_use' END
        END
    FROM import_things i WHERE i.import_id = import AND i.kind = of_kind AND i.thing = ANY (things)
        AND i.account_id IN (SELECT m.account_id FROM memberships m WHERE m.user_id = app_user_id());
END
    $$;
-- +goose StatementEnd
DROP FUNCTION app_restore_views(uuid, json);
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
DELETE FROM import_things WHERE kind IN ('saved_view', 'company_merge');
ALTER TABLE import_things DROP CONSTRAINT import_things_kind_check;
ALTER TABLE import_things ADD CONSTRAINT import_things_kind_check CHECK (kind IN ('email', 'form_submission', 'meeting_minutes', 'company', 'file', 'activity', 'field', 'company_status'));
DROP POLICY system_insert ON saved_views;
DROP POLICY system_select ON saved_views;
REVOKE SELECT, INSERT ON saved_views FROM dealflow_system;

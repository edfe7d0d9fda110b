-- +goose Up
-- What each import brought, so that it can be undone: its rows, and what was made of them by itself. What people change since is marked,
-- by triggers below, and is kept.
CREATE TABLE import_things (
    import_id  uuid NOT NULL,
    account_id uuid NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('email', 'form_submission', 'meeting_minutes', 'company', 'file', 'activity', 'field', 'company_status')),
    thing      uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz,                        -- when somebody changed it first
    outcome    text CHECK (outcome IN ('removed', 'gone', 'kept')), -- of the undo; null before it
    reason     text,                               -- why it was kept
    PRIMARY KEY (import_id, kind, thing),
    FOREIGN KEY (account_id, import_id) REFERENCES imports (account_id, id) ON DELETE CASCADE
);
CREATE INDEX import_things_thing ON import_things (thing);
CREATE INDEX import_things_kept ON import_things (import_id, kind, thing) WHERE outcome = 'kept';
ALTER TABLE import_things ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE (outcome, reason) ON import_things TO dealflow_app;
GRANT SELECT, UPDATE (changed_at) ON import_things TO dealflow_system;
CREATE POLICY app_all ON import_things TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[]));
CREATE POLICY system_all ON import_things TO dealflow_system USING (true);

ALTER TABLE imports
    ADD COLUMN undo_status text CHECK (undo_status IN ('running', 'completed', 'failed')),
    ADD COLUMN undo_total bigint NOT NULL DEFAULT 0,
    ADD COLUMN undo_removed bigint NOT NULL DEFAULT 0, -- with what was gone before
    ADD COLUMN undo_kept bigint NOT NULL DEFAULT 0,
    ADD COLUMN undo_error text,
    ADD COLUMN undo_work_id uuid,
    ADD COLUMN undo_by uuid REFERENCES users,
    ADD COLUMN undo_started_at timestamptz,
    ADD COLUMN undo_finished_at timestamptz;
GRANT UPDATE (undo_status, undo_total, undo_removed, undo_kept, undo_error, undo_work_id, undo_by, undo_started_at, undo_finished_at) ON imports TO dealflow_app;
CREATE INDEX imports_undoing ON imports (id) WHERE undo_status = 'running';

GRANT SELECT (company_id) ON meeting_minutes, activity TO dealflow_system;
GRANT DELETE ON activity TO dealflow_system;
CREATE POLICY system_delete ON activity FOR DELETE TO dealflow_system USING (true);

-- Argument: the column that names the thing. Of what goes with its company or email nothing is marked.
-- +goose StatementBegin
CREATE FUNCTION app_mark_imported() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    UPDATE import_things i SET changed_at = now()
        WHERE i.thing = (to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END) ->> TG_ARGV[0])::uuid AND i.changed_at IS NULL;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_mark_imported() OWNER TO dealflow_system;

CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON companies FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON emails FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON form_submissions FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON meeting_minutes FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER UPDATE ON company_statuses FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.* AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER UPDATE ON field_settings FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.* AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER UPDATE OF review ON detections FOR EACH ROW
    WHEN (OLD.review <> NEW.review AND app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('company_id');
CREATE TRIGGER mark_imported AFTER UPDATE OR DELETE ON company_files FOR EACH ROW
    WHEN (app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('company_id');
CREATE TRIGGER mark_imported_file AFTER UPDATE ON company_files FOR EACH ROW
    WHEN (app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('id');
CREATE TRIGGER mark_imported AFTER INSERT OR DELETE ON company_assignees FOR EACH ROW
    WHEN (app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('company_id');
CREATE TRIGGER mark_imported AFTER INSERT OR DELETE ON company_shares FOR EACH ROW
    WHEN (app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('company_id');
CREATE TRIGGER mark_imported AFTER INSERT OR DELETE ON email_companies FOR EACH ROW
    WHEN (app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('company_id');
CREATE TRIGGER mark_imported_email AFTER INSERT OR DELETE ON email_companies FOR EACH ROW
    WHEN (app_origin() <> '' AND current_user = 'dealflow_app') EXECUTE FUNCTION app_mark_imported('email_id');

-- What is to become of things of one kind that an import brought: null where they may be removed, 'gone' where they are, else why they are kept.
-- The kinds are asked for in the order of the undo: what belonged to a company, and was not kept itself, is gone when the company is asked for.
-- +goose StatementBegin
CREATE FUNCTION app_undo_verdicts(import uuid, of_kind text, things uuid[]) RETURNS TABLE (thing uuid, verdict text)
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
ALTER FUNCTION app_undo_verdicts(uuid, text, uuid[]) OWNER TO dealflow_system;

-- Entries of the feed are removed only where an import brought them that an admin undoes.
-- +goose StatementBegin
CREATE FUNCTION app_undo_activity(import uuid, entries uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    RETURN QUERY DELETE FROM activity a USING import_things i
        WHERE i.import_id = import AND i.kind = 'activity' AND i.thing = ANY (entries) AND a.id = i.thing AND a.account_id = i.account_id
            AND i.account_id = ANY (ARRAY(SELECT app_admin_account_ids())) RETURNING a.id;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_undo_activity(uuid, uuid[]) OWNER TO dealflow_system;

-- Which stored files of companies no row names: these alone are removed from storage.
CREATE INDEX company_files_storage ON company_files (storage_path) WHERE storage_path IS NOT NULL;
CREATE FUNCTION app_unneeded_files(keys text[]) RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT k FROM unnest(keys) AS k WHERE NOT EXISTS (SELECT FROM company_files f WHERE f.storage_path = k) $$;
ALTER FUNCTION app_unneeded_files(text[]) OWNER TO dealflow_system;

-- +goose StatementBegin
CREATE FUNCTION app_audit_undo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    PERFORM app_audit_add(NEW.account_id, NEW.undo_by, 'import.undone', 'import', NEW.id, NEW.kind, false, NULL);
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_audit_undo() OWNER TO dealflow_system;
CREATE TRIGGER audit_undo AFTER UPDATE OF undo_status ON imports FOR EACH ROW
    WHEN (NEW.undo_status = 'running' AND OLD.undo_status IS DISTINCT FROM 'running') EXECUTE FUNCTION app_audit_undo();

-- As before, and ends undos whose work was given up.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_end_lost_imports(quiet interval) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    lost bigint;
    given_up bigint;
    undos bigint;
BEGIN
    UPDATE imports i SET updated_at = now(), status = CASE WHEN work_id IS NULL THEN 'failed' ELSE 'running' END,
        finished_at = CASE WHEN work_id IS NULL THEN now() END,
        error = 'the upload broke off after ' || total || ' rows: send the same file again, rows that are here already are not added twice'
    WHERE i.id IN (SELECT o.id FROM imports o WHERE o.status = 'receiving' AND o.seen_at < now() - quiet FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS lost = ROW_COUNT;
    UPDATE imports i SET updated_at = now(), status = 'failed', finished_at = now(), work_id = NULL,
        error = 'rows from number ' || processed + 1 || ' on could not be written: send the same file again, rows that are here already are not added twice'
    WHERE i.id IN (SELECT o.id FROM imports o LEFT JOIN work w ON w.id = o.work_id
        WHERE o.status IN ('receiving', 'running') AND o.work_id IS NOT NULL AND (w.id IS NULL OR w.state = 'failed') FOR UPDATE OF o SKIP LOCKED);
    GET DIAGNOSTICS given_up = ROW_COUNT;
    UPDATE imports i SET updated_at = now(), undo_status = 'failed', undo_finished_at = now(), undo_work_id = NULL,
        undo_error = 'after ' || undo_removed + undo_kept || ' of ' || undo_total || ' things it could not go on: ask for the undo again'
    WHERE i.id IN (SELECT o.id FROM imports o LEFT JOIN work w ON w.id = o.undo_work_id
        WHERE o.undo_status = 'running' AND (w.id IS NULL OR w.state IN ('failed', 'done')) FOR UPDATE OF o SKIP LOCKED);
    GET DIAGNOSTICS undos = ROW_COUNT;
    RETURN lost + given_up + undos;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_end_lost_imports(quiet interval) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
DECLARE
    lost bigint;
    given_up bigint;
BEGIN
    UPDATE imports i SET updated_at = now(), status = CASE WHEN work_id IS NULL THEN 'failed' ELSE 'running' END,
        finished_at = CASE WHEN work_id IS NULL THEN now() END,
        error = 'the upload broke off after ' || total || ' rows: send the same file again, rows that are here already are not added twice'
    WHERE i.id IN (SELECT o.id FROM imports o WHERE o.status = 'receiving' AND o.seen_at < now() - quiet FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS lost = ROW_COUNT;
    UPDATE imports i SET updated_at = now(), status = 'failed', finished_at = now(), work_id = NULL,
        error = 'rows from number ' || processed + 1 || ' on could not be written: send the same file again, rows that are here already are not added twice'
    WHERE i.id IN (SELECT o.id FROM imports o LEFT JOIN work w ON w.id = o.work_id
        WHERE o.status IN ('receiving', 'running') AND o.work_id IS NOT NULL AND (w.id IS NULL OR w.state = 'failed') FOR UPDATE OF o SKIP LOCKED);
    GET DIAGNOSTICS given_up = ROW_COUNT;
    RETURN lost + given_up;
END
    $$;
-- +goose StatementEnd
DROP TRIGGER audit_undo ON imports;
DROP FUNCTION app_audit_undo();
DROP FUNCTION app_unneeded_files(text[]);
DROP INDEX company_files_storage;
DROP FUNCTION app_undo_activity(uuid, uuid[]);
DROP FUNCTION app_undo_verdicts(uuid, text, uuid[]);
DROP TRIGGER mark_imported ON companies;
DROP TRIGGER mark_imported ON emails;
DROP TRIGGER mark_imported ON form_submissions;
DROP TRIGGER mark_imported ON meeting_minutes;
DROP TRIGGER mark_imported ON company_statuses;
DROP TRIGGER mark_imported ON field_settings;
DROP TRIGGER mark_imported ON detections;
DROP TRIGGER mark_imported ON company_files;
DROP TRIGGER mark_imported_file ON company_files;
DROP TRIGGER mark_imported ON company_assignees;
DROP TRIGGER mark_imported ON company_shares;
DROP TRIGGER mark_imported ON email_companies;
DROP TRIGGER mark_imported_email ON email_companies;
DROP FUNCTION app_mark_imported();
DROP POLICY system_delete ON activity;
REVOKE DELETE ON activity FROM dealflow_system;
REVOKE SELECT (company_id) ON meeting_minutes, activity FROM dealflow_system;
DROP INDEX imports_undoing;
ALTER TABLE imports DROP COLUMN undo_status, DROP COLUMN undo_total, DROP COLUMN undo_removed, DROP COLUMN undo_kept, DROP COLUMN undo_error,
    DROP COLUMN undo_work_id, DROP COLUMN undo_by, DROP COLUMN undo_started_at, DROP COLUMN undo_finished_at;
DROP TABLE import_things;

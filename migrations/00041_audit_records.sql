-- +goose Up
-- What people write down and receive, in the audit log: meeting minutes, form submissions, emails and their companies. What arrives by hooks and imports
-- has no origin and is no entry. Of a record of a company that not everybody saw, only its id is shown to others.

-- Arguments: the target's type; the words for what was inserted, updated and deleted.
-- +goose StatementBegin
CREATE FUNCTION app_audit_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    words text[] := string_to_array(TG_ARGV[1], ' ');
    part record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    label text;
    concealed boolean := false;
    what jsonb;
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    CASE TG_ARGV[0]
    WHEN 'email' THEN
        label := left(part.subject, 200);
        IF TG_OP = 'UPDATE' THEN
            what := app_audit_diff(jsonb_build_object('processed', OLD.processed, 'tags', OLD.tags),
                jsonb_build_object('processed', NEW.processed, 'tags', NEW.tags), '{processed,tags}');
        END IF;
    WHEN 'meeting_minutes' THEN
        label := left(part.title, 200);
        IF TG_OP = 'UPDATE' THEN
            what := app_audit_diff(to_jsonb(OLD), to_jsonb(NEW), '{title,company_id,meeting_date,attendees,processed,!content,!metadata}');
        END IF;
    ELSE
        IF TG_OP = 'UPDATE' THEN
            what := app_audit_diff(to_jsonb(OLD), to_jsonb(NEW), '{company_id,processed,!data,!metadata}');
        END IF;
    END CASE;
    IF TG_OP = 'UPDATE' AND what IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] <> 'email' THEN
        concealed := EXISTS (SELECT 1 FROM companies c WHERE c.visibility <> 'team'
            AND c.id IN (part.company_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.company_id END));
    END IF;
    PERFORM app_audit_add(part.account_id, NULL, TG_ARGV[0] || '.' || words[CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'UPDATE' THEN 2 ELSE 3 END],
        TG_ARGV[0], part.id, label, concealed, what);
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_audit_record() OWNER TO dealflow_system;

CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON meeting_minutes FOR EACH ROW WHEN (app_origin() <> '' AND current_user = 'dealflow_app')
    EXECUTE FUNCTION app_audit_record('meeting_minutes', 'created updated deleted');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON form_submissions FOR EACH ROW WHEN (app_origin() <> '' AND current_user = 'dealflow_app')
    EXECUTE FUNCTION app_audit_record('form_submission', 'created updated deleted');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON emails FOR EACH ROW WHEN (app_origin() <> '' AND current_user = 'dealflow_app')
    EXECUTE FUNCTION app_audit_record('email', 'created updated deleted');
CREATE TRIGGER audit AFTER INSERT OR DELETE ON email_companies FOR EACH ROW WHEN (app_origin() <> '' AND current_user = 'dealflow_app')
    EXECUTE FUNCTION app_audit_part('email.linked', 'email.unlinked', 'email_id');

-- As before, but that a record may be concealed too.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_audit_log(account uuid, actor uuid, word text, before timestamptz, before_id uuid, most integer)
    RETURNS TABLE (id uuid, at timestamptz, actor_id uuid, actor_name text, actor_email text, action text, target_type text, target_id uuid,
        target_name text, ip text, changes jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    IF account NOT IN (SELECT app_admin_account_ids()) THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH page AS (
        SELECT * FROM audit_entries e
        WHERE e.account_id = account AND (e.at, e.id) < (COALESCE(before, 'infinity'), COALESCE(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
            AND (actor IS NULL OR e.actor_id = actor) AND (word IS NULL OR e.action = word)
        ORDER BY e.at DESC, e.id DESC LIMIT most),
    seen AS (
        SELECT p.*, CASE p.target_type WHEN 'company' THEN COALESCE(app_company_access(p.target_id) = 'visible', NOT p.hidden OR p.actor_id = app_user_id())
            ELSE NOT p.hidden OR COALESCE(p.actor_id = app_user_id(), false) END AS open
        FROM page p)
    SELECT s.id, s.at, u.id, u.name, u.email, s.action, s.target_type, s.target_id, CASE WHEN s.open THEN s.target_name END, s.ip,
        CASE WHEN s.open THEN s.changes END
    FROM seen s LEFT JOIN users u ON u.id = s.actor_id ORDER BY s.at DESC, s.id DESC;
END
    $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER audit ON email_companies;
DROP TRIGGER audit ON emails;
DROP TRIGGER audit ON form_submissions;
DROP TRIGGER audit ON meeting_minutes;
DROP FUNCTION app_audit_record();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_audit_log(account uuid, actor uuid, word text, before timestamptz, before_id uuid, most integer)
    RETURNS TABLE (id uuid, at timestamptz, actor_id uuid, actor_name text, actor_email text, action text, target_type text, target_id uuid,
        target_name text, ip text, changes jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    IF account NOT IN (SELECT app_admin_account_ids()) THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH page AS (
        SELECT * FROM audit_entries e
        WHERE e.account_id = account AND (e.at, e.id) < (COALESCE(before, 'infinity'), COALESCE(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
            AND (actor IS NULL OR e.actor_id = actor) AND (word IS NULL OR e.action = word)
        ORDER BY e.at DESC, e.id DESC LIMIT most),
    seen AS (
        SELECT p.*, p.target_type <> 'company' OR COALESCE(app_company_access(p.target_id) = 'visible', NOT p.hidden OR p.actor_id = app_user_id()) AS open
        FROM page p)
    SELECT s.id, s.at, u.id, u.name, u.email, s.action, s.target_type, s.target_id, CASE WHEN s.open THEN s.target_name END, s.ip,
        CASE WHEN s.open THEN s.changes END
    FROM seen s LEFT JOIN users u ON u.id = s.actor_id ORDER BY s.at DESC, s.id DESC;
END
    $$;
-- +goose StatementEnd

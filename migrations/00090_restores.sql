-- +goose Up
-- An import may be an export of another installation.
ALTER TABLE imports DROP CONSTRAINT imports_kind_check;
ALTER TABLE imports ADD CONSTRAINT imports_kind_check CHECK (kind IN ('emails', 'form-submissions', 'companies', 'account'));

GRANT SELECT (id, account_id) ON company_statuses, field_settings, meeting_minutes TO dealflow_system;
GRANT SELECT (id, account_id), INSERT ON activity TO dealflow_system;
CREATE POLICY system_select ON company_statuses FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON field_settings FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON meeting_minutes FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_select ON activity FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_insert ON activity FOR INSERT TO dealflow_system WITH CHECK (true);

-- The id under which an account has, or will have, what had this id where it was exported: the same, unless another
-- account has that; then one that is made of both, so that it is the same whenever it is asked for.
-- +goose StatementBegin
CREATE FUNCTION app_restored_id(account uuid, kind text, was uuid) RETURNS uuid
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
ALTER FUNCTION app_restored_id(uuid, text, uuid) OWNER TO dealflow_system;

-- Entries of the feed are written by those who did something; an admin may write back those of others.
-- +goose StatementBegin
CREATE FUNCTION app_restore_activity(account uuid, entries json) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    IF NOT account = ANY (ARRAY(SELECT app_admin_account_ids())) THEN
        RAISE insufficient_privilege USING MESSAGE = 'only an admin restores an account';
    END IF;
    RETURN QUERY INSERT INTO activity (id, account_id, user_id, type, description, company_id, created_at)
        SELECT app_restored_id(account, 'activity', r.id), account,
            COALESCE((SELECT m.user_id FROM memberships m WHERE m.account_id = account AND m.user_id = r.user_id),
                (SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
                    WHERE m.account_id = account AND lower(u.email) = lower(r.user_email) LIMIT 1), app_user_id()),
            r.type, r.description, c.id, r.created_at
        FROM json_to_recordset(entries) AS r (id uuid, user_id uuid, user_email text, type text, description text, company_id uuid,
            created_at timestamptz)
        LEFT JOIN companies c ON c.account_id = account AND c.id = app_restored_id(account, 'companies', r.company_id)
        WHERE r.company_id IS NULL OR c.id IS NOT NULL
        ON CONFLICT DO NOTHING RETURNING activity.id;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_restore_activity(uuid, json) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_restore_activity(uuid, json);
DROP FUNCTION app_restored_id(uuid, text, uuid);
DROP POLICY system_insert ON activity;
DROP POLICY system_select ON activity;
DROP POLICY system_select ON meeting_minutes;
DROP POLICY system_select ON field_settings;
DROP POLICY system_select ON company_statuses;
REVOKE SELECT (id, account_id), INSERT ON activity FROM dealflow_system;
REVOKE SELECT (id, account_id) ON company_statuses, field_settings, meeting_minutes FROM dealflow_system;
DELETE FROM imports WHERE kind = 'account';
ALTER TABLE imports DROP CONSTRAINT imports_kind_check;
ALTER TABLE imports ADD CONSTRAINT imports_kind_check CHECK (kind IN ('emails', 'form-submissions', 'companies'));

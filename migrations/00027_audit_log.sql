-- +goose Up
-- Who changed what, and from where. Triggers write it, in the transaction of the change; nothing but the retention removes it. The role of the service may
-- neither read nor write the table: it reads through app_audit_log.

CREATE TABLE audit_entries (
    account_id  uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    id          uuid NOT NULL DEFAULT gen_random_uuid(),
    actor_id    uuid,                           -- null: the operator, or not known
    action      text NOT NULL,
    target_type text NOT NULL,
    target_id   uuid NOT NULL,
    target_name text,
    ip          text,                           -- null: the operator's commands
    hidden      boolean NOT NULL DEFAULT false, -- of a company that not everybody in the account saw then
    changes     jsonb,
    PRIMARY KEY (account_id, at, id)
);
CREATE INDEX audit_entries_at ON audit_entries USING brin (at);
CREATE INDEX audit_entries_key_uses ON audit_entries (target_id, ip, at) WHERE action = 'key.used';

-- Where the transaction comes from: an address, '-' for a request without one, '' for workers and the operator's commands.
CREATE FUNCTION app_origin() RETURNS text LANGUAGE sql STABLE AS $$ SELECT COALESCE(current_setting('app.origin', true), '') $$;

-- Adds an entry: to one account, or without one to every account that the person is a member of. Who acts without an identity, as by a mailed token, is
-- the person.
-- +goose StatementBegin
CREATE FUNCTION app_audit_add(account uuid, person uuid, word text, kind text, target uuid, label text, concealed boolean, what jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    origin text := app_origin();
    actor uuid := CASE WHEN origin <> '' THEN COALESCE(app_user_id(), person) END;
    address text := CASE WHEN origin NOT IN ('', '-') THEN origin END;
BEGIN
    IF account IS NOT NULL THEN
        INSERT INTO audit_entries (account_id, actor_id, action, target_type, target_id, target_name, ip, hidden, changes)
        SELECT account, actor, word, kind, target, label, address, concealed, what
        WHERE EXISTS (SELECT 1 FROM accounts a WHERE a.id = account); -- else the account goes, and its log with it
        RETURN;
    END IF;
    INSERT INTO audit_entries (account_id, actor_id, action, target_type, target_id, target_name, ip, hidden, changes)
    SELECT m.account_id, actor, word, kind, target, label, address, concealed, what FROM memberships m WHERE m.user_id = person;
END
    $$;
-- +goose StatementEnd

-- What differs between two states of a row, of these columns: {"name": {"from": …, "to": …}}. Of a column that begins with '!' only that it changed.
-- Null where nothing does.
CREATE FUNCTION app_audit_diff(before jsonb, after jsonb, columns text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE
    AS $$
    SELECT jsonb_object_agg(ltrim(c, '!'), CASE WHEN left(c, 1) = '!' THEN '{"changed": true}' ELSE jsonb_build_object('from', f, 'to', t) END)
    FROM unnest(columns) c, COALESCE(before -> ltrim(c, '!'), 'null') f, COALESCE(after -> ltrim(c, '!'), 'null') t
    WHERE f <> t AND (left(c, 1) <> '!' OR (before IS NOT NULL AND after IS NOT NULL))
    $$;

-- Settings and access. Arguments: the target's type; the words for what was inserted, updated and deleted; the columns that are shown.
-- What goes with its account, user or company is not an entry of its own.
-- +goose StatementBegin
CREATE FUNCTION app_audit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    words text[] := string_to_array(TG_ARGV[1], ' ');
    before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    shown jsonb := COALESCE(after, before);
    person uuid := shown ->> 'user_id';
    label text;
    what jsonb;
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    what := app_audit_diff(before, after, string_to_array(TG_ARGV[2], ' '));
    IF TG_OP = 'UPDATE' AND what IS NULL THEN
        RETURN NULL;
    END IF;
    label := CASE TG_ARGV[0]
        WHEN 'member' THEN (SELECT u.name FROM users u WHERE u.id = person)
        WHEN 'invitation' THEN shown ->> 'email'
        WHEN 'session' THEN shown ->> 'device'
        WHEN 'shared_link' THEN NULL -- its name may say which companies it shows
        ELSE shown ->> 'name' END;
    PERFORM app_audit_add(CASE TG_ARGV[0] WHEN 'account' THEN shown ->> 'id' ELSE shown ->> 'account_id' END::uuid, person,
        TG_ARGV[0] || '.' || words[CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'UPDATE' THEN 2 ELSE 3 END],
        TG_ARGV[0], (shown ->> 'id')::uuid, label, false, what);
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- Passwords and addresses. Who sets a password without an identity has a mailed token.
-- +goose StatementBegin
CREATE FUNCTION app_audit_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    IF OLD.password_hash IS DISTINCT FROM NEW.password_hash THEN
        PERFORM app_audit_add(NULL, NEW.id, CASE WHEN app_origin() <> '' AND app_user_id() IS NULL THEN 'password.reset' ELSE 'password.changed' END,
            'user', NEW.id, NEW.name, false, NULL);
    END IF;
    IF OLD.proven_at IS NULL AND NEW.proven_at IS NOT NULL THEN
        PERFORM app_audit_add(NULL, NEW.id, 'email.verified', 'user', NEW.id, NEW.name, false, NULL);
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- Companies, as people change them. Of long texts only that they changed.
-- +goose StatementBegin
CREATE FUNCTION app_audit_company() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    what jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO audit_entries (account_id, actor_id, action, target_type, target_id, target_name, ip, hidden)
        VALUES (NEW.account_id, app_user_id(), 'company.created', 'company', NEW.id, NEW.name, NULLIF(app_origin(), '-'), NEW.visibility <> 'team');
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        IF pg_trigger_depth() = 1 THEN
            PERFORM app_audit_add(OLD.account_id, NULL, 'company.deleted', 'company', OLD.id, OLD.name, OLD.visibility <> 'team', NULL);
        END IF;
        RETURN NULL;
    END IF;
    what := app_audit_diff(
        jsonb_build_object('name', OLD.name, 'visibility', OLD.visibility, 'source', OLD.source, 'company_status_id', OLD.company_status_id,
            'deck_link', OLD.deck_link),
        jsonb_build_object('name', NEW.name, 'visibility', NEW.visibility, 'source', NEW.source, 'company_status_id', NEW.company_status_id,
            'deck_link', NEW.deck_link),
        '{name,visibility,source,company_status_id,deck_link}');
    IF OLD.notes IS DISTINCT FROM NEW.notes THEN
        what := COALESCE(what, '{}') || '{"notes": {"changed": true}}';
    END IF;
    IF OLD.source_content IS DISTINCT FROM NEW.source_content THEN
        what := COALESCE(what, '{}') || '{"source_content": {"changed": true}}';
    END IF;
    IF OLD.metadata <> NEW.metadata THEN
        what := COALESCE(what, '{}') || (
            SELECT jsonb_object_agg('metadata.' || left(k, 200), '{"changed": true}'::jsonb)
            FROM jsonb_object_keys(OLD.metadata || NEW.metadata) k WHERE OLD.metadata -> k IS DISTINCT FROM NEW.metadata -> k);
    END IF;
    IF what IS NOT NULL THEN
        PERFORM app_audit_add(NEW.account_id, NULL, 'company.updated', 'company', NEW.id, NEW.name,
            OLD.visibility <> 'team' OR NEW.visibility <> 'team', what);
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- What hangs on a company: its target is the company. Arguments: the words for what was inserted and deleted; the column that is shown.
-- +goose StatementBegin
CREATE FUNCTION app_audit_part() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    part record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    name text;
    visibility text;
    shown jsonb := jsonb_build_object(CASE WHEN TG_OP = 'DELETE' THEN 'from' ELSE 'to' END, to_jsonb(part) -> TG_ARGV[2]);
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    SELECT c.name, c.visibility INTO name, visibility FROM companies c WHERE c.id = part.company_id;
    PERFORM app_audit_add(part.account_id, NULL, CASE WHEN TG_OP = 'DELETE' THEN TG_ARGV[1] ELSE TG_ARGV[0] END, 'company', part.company_id, name,
        visibility IS DISTINCT FROM 'team', jsonb_build_object(TG_ARGV[2], '{"from": null, "to": null}'::jsonb || shown));
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION app_audit('account', 'created updated deleted', 'name');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON memberships FOR EACH ROW
    EXECUTE FUNCTION app_audit('member', 'added updated removed', 'user_id role');
CREATE TRIGGER audit AFTER INSERT OR UPDATE ON invitations FOR EACH ROW
    EXECUTE FUNCTION app_audit('invitation', 'created accepted revoked', 'role expires_at accepted_at');
CREATE TRIGGER audit_revoked AFTER DELETE ON invitations FOR EACH ROW WHEN (OLD.accepted_at IS NULL AND OLD.expires_at > now())
    EXECUTE FUNCTION app_audit('invitation', 'created accepted revoked', 'role');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON company_statuses FOR EACH ROW
    EXECUTE FUNCTION app_audit('company_status', 'created updated deleted', 'name color description is_default');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON field_settings FOR EACH ROW
    EXECUTE FUNCTION app_audit('field', 'created updated deleted', 'name field_type options required');
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON integrations FOR EACH ROW
    EXECUTE FUNCTION app_audit('integration', 'created updated deleted', 'kind name enabled create_companies !token_hash !secret !signing_key');
CREATE TRIGGER audit AFTER INSERT OR DELETE ON shared_links FOR EACH ROW
    EXECUTE FUNCTION app_audit('shared_link', 'created updated deleted', 'expires_at password_protected');
CREATE TRIGGER audit AFTER INSERT OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION app_audit('key', 'created updated revoked', 'scopes expires_at');
CREATE TRIGGER audit AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION app_audit('session', 'started updated ended', '');
CREATE TRIGGER audit_ended AFTER DELETE ON sessions FOR EACH ROW WHEN (LEAST(OLD.expires_at, OLD.idle_until) > now())
    EXECUTE FUNCTION app_audit('session', 'started updated ended', '');
CREATE TRIGGER audit AFTER UPDATE OF password_hash, proven_at ON users FOR EACH ROW EXECUTE FUNCTION app_audit_user();

-- Of companies what people do, who alone have an origin. What the schema's own functions change along, such as the companies of a status that is
-- deleted, is part of the change that they are called for.
CREATE TRIGGER audit AFTER INSERT ON companies FOR EACH ROW WHEN (app_origin() <> '') EXECUTE FUNCTION app_audit_company();
CREATE TRIGGER audit_changed AFTER UPDATE ON companies FOR EACH ROW WHEN (app_origin() <> '' AND current_user = 'dealflow_app')
    EXECUTE FUNCTION app_audit_company();
CREATE TRIGGER audit_deleted AFTER DELETE ON companies FOR EACH ROW WHEN (app_origin() <> '') EXECUTE FUNCTION app_audit_company();
CREATE TRIGGER audit AFTER INSERT OR DELETE ON company_assignees FOR EACH ROW WHEN (app_origin() <> '')
    EXECUTE FUNCTION app_audit_part('company.assigned', 'company.unassigned', 'user_id');
CREATE TRIGGER audit AFTER INSERT OR DELETE ON company_shares FOR EACH ROW WHEN (app_origin() <> '')
    EXECUTE FUNCTION app_audit_part('company.shared', 'company.unshared', 'user_id');
CREATE TRIGGER audit AFTER INSERT OR DELETE ON company_files FOR EACH ROW WHEN (app_origin() <> '')
    EXECUTE FUNCTION app_audit_part('attachment.added', 'attachment.removed', 'title');

-- Notes when and from where sessions and keys were used: two arrays of {"id", "address"}. The first use of a key from an address within a day is an entry of
-- the audit log, and so is each wrong password: an array of {"id", "address", "at"}, with the user's id.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_note_uses(uses jsonb, idle interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    UPDATE sessions s SET last_seen_at = now(), ip = u.address, idle_until = now() + idle
    FROM jsonb_to_recordset(COALESCE(uses -> 'sessions', '[]')) u(id uuid, address text) WHERE s.id = u.id AND s.idle_until > now();
    UPDATE api_keys k SET last_used_at = now() FROM jsonb_to_recordset(COALESCE(uses -> 'keys', '[]')) u(id uuid) WHERE k.id = u.id;
    INSERT INTO audit_entries (account_id, actor_id, action, target_type, target_id, target_name, ip)
    SELECT m.account_id, k.user_id, 'key.used', 'key', k.id, k.name, u.address
    FROM (SELECT DISTINCT id, address FROM jsonb_to_recordset(COALESCE(uses -> 'keys', '[]')) r(id uuid, address text)) u
        JOIN api_keys k ON k.id = u.id JOIN memberships m ON m.user_id = k.user_id
    WHERE NOT EXISTS (SELECT 1 FROM audit_entries e
        WHERE e.action = 'key.used' AND e.target_id = k.id AND e.ip = u.address AND e.at > now() - interval '1 day');
    INSERT INTO audit_entries (account_id, at, action, target_type, target_id, target_name, ip)
    SELECT m.account_id, LEAST(r.at, now()), 'session.refused', 'user', p.id, p.name, r.address
    FROM jsonb_to_recordset(COALESCE(uses -> 'refused', '[]')) r(id uuid, address text, at timestamptz)
        JOIN users p ON p.id = r.id JOIN memberships m ON m.user_id = p.id;
    $$;
-- +goose StatementEnd

-- A page of an account's log, the newest first, for its owners and admins alone. What a company that the caller does not see was called, and what was changed
-- of it, is left out.
-- +goose StatementBegin
CREATE FUNCTION app_audit_log(account uuid, actor uuid, word text, before timestamptz, before_id uuid, most integer)
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

-- Removes at most so many entries that are older than what is kept.
-- +goose StatementBegin
CREATE FUNCTION app_forget_audit(keep interval, most integer) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    WITH gone AS (
        DELETE FROM audit_entries WHERE ctid = ANY (ARRAY(SELECT e.ctid FROM audit_entries e WHERE e.at < now() - keep LIMIT most)) RETURNING 1)
    SELECT count(*) FROM gone
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_audit_add(uuid, uuid, text, text, uuid, text, boolean, jsonb) OWNER TO dealflow_system;
REVOKE EXECUTE ON FUNCTION app_audit_add(uuid, uuid, text, text, uuid, text, boolean, jsonb) FROM PUBLIC;
ALTER FUNCTION app_audit() OWNER TO dealflow_system;
ALTER FUNCTION app_audit_user() OWNER TO dealflow_system;
ALTER FUNCTION app_audit_company() OWNER TO dealflow_system;
ALTER FUNCTION app_audit_part() OWNER TO dealflow_system;
ALTER FUNCTION app_audit_log(uuid, uuid, text, timestamptz, uuid, integer) OWNER TO dealflow_system;
ALTER FUNCTION app_forget_audit(interval, integer) OWNER TO dealflow_system;

ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON audit_entries TO dealflow_system;
CREATE POLICY system_all ON audit_entries TO dealflow_system USING (true);

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_note_uses(uses jsonb, idle interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    UPDATE sessions s SET last_seen_at = now(), ip = u.address, idle_until = now() + idle
    FROM jsonb_to_recordset(COALESCE(uses -> 'sessions', '[]')) u(id uuid, address text) WHERE s.id = u.id AND s.idle_until > now();
    UPDATE api_keys k SET last_used_at = now() FROM jsonb_to_recordset(COALESCE(uses -> 'keys', '[]')) u(id uuid) WHERE k.id = u.id;
    $$;
-- +goose StatementEnd
DROP FUNCTION app_audit(), app_audit_user(), app_audit_company(), app_audit_part() CASCADE; -- with their triggers
DROP FUNCTION app_forget_audit(interval, integer), app_audit_log(uuid, uuid, text, timestamptz, uuid, integer), app_audit_diff(jsonb, jsonb, text[]),
    app_audit_add(uuid, uuid, text, text, uuid, text, boolean, jsonb), app_origin();
DROP TABLE audit_entries;

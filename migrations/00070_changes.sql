-- +goose Up
-- What happened to the things of an account, for those who follow it (ADR 68). Triggers write a row for each thing that a transaction touched. A row is read
-- once no older transaction runs any more, in the order of the transactions' numbers, so that nobody who follows misses a commit that came late.
CREATE TABLE changes (
    account_id uuid NOT NULL, -- no foreign key, whose check would cost more than the row: see forget_changes
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    thing uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('company', 'meeting_minutes', 'form_submission', 'email', 'company_status')),
    action text NOT NULL CHECK (action IN ('created', 'updated', 'deleted')),
    at timestamptz NOT NULL DEFAULT now(),
    lost uuid[], -- who saw the thing before it was deleted, or before others were meant to see it; the zero UUID is the whole team
    PRIMARY KEY (account_id, xid, thing)
);
CREATE INDEX changes_deleted ON changes (thing) WHERE action = 'deleted';

-- Up to which transaction changes of an account were removed for their age.
CREATE TABLE forgotten_changes (
    account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    xid xid8 NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION app_note_change(of_account uuid, of_kind text, what text, it uuid, seen_by uuid[]) RETURNS void LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes AS c (account_id, kind, action, thing, lost) VALUES (of_account, of_kind, what, it, seen_by)
    ON CONFLICT (account_id, xid, thing) DO UPDATE SET lost = c.lost || EXCLUDED.lost, action = CASE EXCLUDED.action WHEN 'deleted' THEN 'deleted' ELSE c.action END
        WHERE EXCLUDED.lost IS NOT NULL;
END
    $$;
-- +goose StatementEnd

-- Argument of the following: the kind of thing.
-- +goose StatementBegin
CREATE FUNCTION app_change_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    INSERT INTO changes (account_id, kind, action, thing) SELECT m.account_id, TG_ARGV[0], 'created', m.id FROM made m ON CONFLICT DO NOTHING;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_change_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    seen_by uuid[];
BEGIN
    IF TG_ARGV[0] = 'company' THEN
        IF OLD.visibility <> NEW.visibility OR OLD.created_by <> NEW.created_by THEN
            seen_by := app_company_viewers(OLD.id, OLD.visibility, OLD.created_by);
        END IF;
    ELSIF TG_ARGV[0] IN ('meeting_minutes', 'form_submission') THEN
        IF OLD.company_id IS DISTINCT FROM NEW.company_id THEN
            seen_by := app_record_viewers(OLD.account_id, OLD.company_id);
        END IF;
    END IF;
    PERFORM app_note_change(NEW.account_id, TG_ARGV[0], 'updated', NEW.id, seen_by);
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- Who saw a record of a company, which the transaction may have deleted before.
-- +goose StatementBegin
CREATE FUNCTION app_record_viewers(account uuid, company uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF company IS NULL THEN
        RETURN ARRAY['00000000-0000-0000-0000-000000000000'::uuid];
    END IF;
    RETURN COALESCE((SELECT app_company_viewers(c.id, c.visibility, c.created_by) FROM companies c WHERE c.id = company),
        (SELECT d.lost FROM changes d WHERE d.account_id = account AND d.xid = pg_current_xact_id() AND d.thing = company));
END
    $$;
-- +goose StatementEnd

-- Before the company's shares go with it.
-- +goose StatementBegin
CREATE FUNCTION app_change_company_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    PERFORM app_note_change(OLD.account_id, 'company', 'deleted', OLD.id, app_company_viewers(OLD.id, OLD.visibility, OLD.created_by));
    RETURN OLD;
END
    $$;
-- +goose StatementEnd

-- Second argument: company, where the thing may be of one.
-- +goose StatementBegin
CREATE FUNCTION app_change_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    IF TG_ARGV[1] = 'company' THEN
        PERFORM app_note_change(g.account_id, TG_ARGV[0], 'deleted', g.id, app_record_viewers(g.account_id, g.company_id)) FROM gone g;
    ELSE
        PERFORM app_note_change(g.account_id, TG_ARGV[0], 'deleted', g.id, app_record_viewers(g.account_id, NULL)) FROM gone g;
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- What is shown with a thing. Argument: company, email, or people where it also says who sees the company.
-- +goose StatementBegin
CREATE FUNCTION app_change_part() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    CASE TG_ARGV[0]
    WHEN 'email' THEN
        INSERT INTO changes (account_id, kind, action, thing) SELECT DISTINCT p.account_id, 'email', 'updated', p.email_id FROM parts p ON CONFLICT DO NOTHING;
    WHEN 'company' THEN
        INSERT INTO changes (account_id, kind, action, thing) SELECT DISTINCT p.account_id, 'company', 'updated', p.company_id FROM parts p ON CONFLICT DO NOTHING;
    ELSE
        PERFORM app_note_change(p.account_id, 'company', 'updated', p.company_id, CASE WHEN TG_OP = 'DELETE' AND p.shared THEN p.people END)
        FROM (SELECT q.account_id, q.company_id, COALESCE(c.visibility = 'shared', false) AS shared, array_agg(q.user_id) AS people
            FROM parts q LEFT JOIN companies c ON c.id = q.company_id GROUP BY 1, 2, 3) AS p;
    END CASE;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_forget_account_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    DELETE FROM changes WHERE account_id = OLD.id;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

CREATE TRIGGER change_made AFTER INSERT ON companies REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION app_change_made('company');
CREATE TRIGGER change_made AFTER INSERT ON meeting_minutes REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION app_change_made('meeting_minutes');
CREATE TRIGGER change_made AFTER INSERT ON form_submissions REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION app_change_made('form_submission');
CREATE TRIGGER change_made AFTER INSERT ON emails REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION app_change_made('email');
CREATE TRIGGER change_made AFTER INSERT ON company_statuses REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION app_change_made('company_status');

-- Whoever changes what people see of a thing sets updated_at; the words that it is found by change without.
CREATE TRIGGER change_updated AFTER UPDATE OF updated_at, visibility, created_by ON companies FOR EACH ROW
    WHEN (OLD.updated_at <> NEW.updated_at OR OLD.visibility <> NEW.visibility OR OLD.created_by <> NEW.created_by)
    EXECUTE FUNCTION app_change_updated('company');
CREATE TRIGGER change_updated AFTER UPDATE OF updated_at ON meeting_minutes FOR EACH ROW WHEN (OLD.updated_at <> NEW.updated_at)
    EXECUTE FUNCTION app_change_updated('meeting_minutes');
CREATE TRIGGER change_updated AFTER UPDATE OF updated_at ON form_submissions FOR EACH ROW WHEN (OLD.updated_at <> NEW.updated_at)
    EXECUTE FUNCTION app_change_updated('form_submission');
CREATE TRIGGER change_updated AFTER UPDATE OF updated_at ON emails FOR EACH ROW WHEN (OLD.updated_at <> NEW.updated_at)
    EXECUTE FUNCTION app_change_updated('email');
CREATE TRIGGER change_updated AFTER UPDATE ON company_statuses FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
    EXECUTE FUNCTION app_change_updated('company_status');

CREATE TRIGGER change_deleted BEFORE DELETE ON companies FOR EACH ROW EXECUTE FUNCTION app_change_company_gone();
CREATE TRIGGER change_deleted AFTER DELETE ON meeting_minutes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
    EXECUTE FUNCTION app_change_gone('meeting_minutes', 'company');
CREATE TRIGGER change_deleted AFTER DELETE ON form_submissions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
    EXECUTE FUNCTION app_change_gone('form_submission', 'company');
CREATE TRIGGER change_deleted AFTER DELETE ON emails REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_change_gone('email', '');
CREATE TRIGGER change_deleted AFTER DELETE ON company_statuses REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_change_gone('company_status', '');

CREATE TRIGGER change_made AFTER INSERT ON company_files REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('company');
CREATE TRIGGER change_deleted AFTER DELETE ON company_files REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('company');
CREATE TRIGGER change_made AFTER INSERT ON company_shares REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('people');
CREATE TRIGGER change_deleted AFTER DELETE ON company_shares REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('people');
CREATE TRIGGER change_made AFTER INSERT ON company_assignees REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('people');
CREATE TRIGGER change_deleted AFTER DELETE ON company_assignees REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('people');
CREATE TRIGGER change_made AFTER INSERT ON email_companies REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('email');
CREATE TRIGGER change_deleted AFTER DELETE ON email_companies REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('email');

-- At the end, since the triggers of what goes with the account write changes after its own.
CREATE CONSTRAINT TRIGGER forget_changes AFTER DELETE ON accounts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION app_forget_account_changes();

-- Whether the caller sees a thing, by the policies of its table.
-- +goose StatementBegin
CREATE FUNCTION app_sees(kind text, thing uuid) RETURNS boolean LANGUAGE plpgsql STABLE COST 50
    AS $$
BEGIN
    CASE kind
    WHEN 'company' THEN RETURN EXISTS (SELECT FROM companies c WHERE c.id = thing);
    WHEN 'meeting_minutes' THEN RETURN EXISTS (SELECT FROM meeting_minutes m WHERE m.id = thing);
    WHEN 'form_submission' THEN RETURN EXISTS (SELECT FROM form_submissions f WHERE f.id = thing);
    WHEN 'email' THEN RETURN EXISTS (SELECT FROM emails e WHERE e.id = thing);
    ELSE RETURN EXISTS (SELECT FROM company_statuses s WHERE s.id = thing);
    END CASE;
END
    $$;
-- +goose StatementEnd

-- Whether the caller saw a thing that is deleted.
-- +goose StatementBegin
CREATE FUNCTION app_saw(thing uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER COST 50 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN EXISTS (SELECT FROM changes d WHERE d.thing = app_saw.thing AND d.action = 'deleted'
        AND d.lost && ARRAY['00000000-0000-0000-0000-000000000000'::uuid, app_user_id()]);
END
    $$;
-- +goose StatementEnd

-- Which database this is: the numbers of transactions mean nothing to another one, such as a copy that was restored elsewhere.
-- +goose StatementBegin
CREATE FUNCTION app_cluster() RETURNS text LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (SELECT s.system_identifier FROM pg_control_system() s);
EXCEPTION WHEN insufficient_privilege THEN
    RETURN '';
END
    $$;
-- +goose StatementEnd

-- The part of an account's changes that is read at once: those behind a place up to another, which is never the number of a transaction that may still
-- have company. Without a place it begins with the oldest. Gone: changes behind the place were removed, or the place is of another database.
-- +goose StatementBegin
CREATE FUNCTION app_change_window(account uuid, after_xid xid8, after_thing uuid, cluster text, most integer,
    OUT source text, OUT gone boolean, OUT whole boolean, OUT last_xid xid8, OUT last_thing uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
    end_of_transaction CONSTANT uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
BEGIN
    source := app_cluster();
    gone := after_xid IS NOT NULL AND (cluster <> source OR after_xid >= pg_snapshot_xmax(pg_current_snapshot())
        OR EXISTS (SELECT FROM forgotten_changes f WHERE f.account_id = account AND (f.xid, end_of_transaction) > (after_xid, after_thing)));
    SELECT c.xid, c.thing INTO last_xid, last_thing FROM changes c
        WHERE c.account_id = account AND (c.xid, c.thing) > (COALESCE(after_xid, '0'), COALESCE(after_thing, '00000000-0000-0000-0000-000000000000'))
            AND c.xid < horizon
        ORDER BY c.xid, c.thing OFFSET most - 1 LIMIT 1;
    whole := NOT FOUND;
    IF whole THEN
        last_xid := GREATEST((horizon::text::bigint - 1)::text::xid8, after_xid);
        last_thing := end_of_transaction;
    END IF;
END
    $$;
-- +goose StatementEnd

-- For those who wait: the newest change of each account that can be read.
CREATE FUNCTION app_change_heads(ids uuid[]) RETURNS TABLE (id uuid, changed text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT i.id, COALESCE((SELECT c.xid::text FROM changes c WHERE c.account_id = i.id AND c.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY c.xid DESC LIMIT 1), '') FROM unnest(ids) AS i(id)
    $$;

-- Removes up to so many changes that are older, and those of another database whose transactions have not been numbered here.
CREATE FUNCTION app_forget_changes(keep interval, most integer) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    WITH old AS (
        SELECT c.account_id, c.xid, c.thing FROM accounts a CROSS JOIN LATERAL (
            SELECT * FROM changes o WHERE o.account_id = a.id ORDER BY o.xid, o.thing LIMIT most) AS c
        WHERE c.at < now() - keep AND (SELECT o.at FROM changes o WHERE o.account_id = a.id ORDER BY o.xid, o.thing LIMIT 1) < now() - keep LIMIT most),
    strange AS (
        SELECT c.account_id, c.xid, c.thing FROM accounts a CROSS JOIN LATERAL (
            SELECT * FROM changes o WHERE o.account_id = a.id AND o.xid >= pg_snapshot_xmax(pg_current_snapshot()) ORDER BY o.xid DESC LIMIT most) AS c
        LIMIT most),
    gone AS (
        DELETE FROM changes c WHERE (c.account_id, c.xid, c.thing) IN (SELECT * FROM old UNION SELECT * FROM strange) RETURNING c.account_id, c.xid),
    noted AS (
        INSERT INTO forgotten_changes AS f (account_id, xid)
        SELECT DISTINCT ON (g.account_id) g.account_id, g.xid FROM gone g WHERE g.xid < pg_snapshot_xmax(pg_current_snapshot()) ORDER BY g.account_id, g.xid DESC
        ON CONFLICT (account_id) DO UPDATE SET xid = GREATEST(f.xid, EXCLUDED.xid))
    SELECT count(*) FROM gone
    $$;

ALTER TABLE changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE forgotten_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON changes, forgotten_changes TO dealflow_system;
GRANT SELECT ON changes TO dealflow_app;
CREATE POLICY system_all ON changes TO dealflow_system USING (true);
CREATE POLICY system_all ON forgotten_changes TO dealflow_system USING (true);
CREATE POLICY app_select ON changes FOR SELECT TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND (
    app_sees(kind, thing) OR COALESCE(lost && ARRAY['00000000-0000-0000-0000-000000000000'::uuid, app_user_id()], false) OR app_saw(thing)));
ALTER FUNCTION app_change_made() OWNER TO dealflow_system;
ALTER FUNCTION app_change_updated() OWNER TO dealflow_system;
ALTER FUNCTION app_change_company_gone() OWNER TO dealflow_system;
ALTER FUNCTION app_change_gone() OWNER TO dealflow_system;
ALTER FUNCTION app_change_part() OWNER TO dealflow_system;
ALTER FUNCTION app_forget_account_changes() OWNER TO dealflow_system;
ALTER FUNCTION app_saw(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_change_window(uuid, xid8, uuid, text, integer) OWNER TO dealflow_system;
ALTER FUNCTION app_change_heads(uuid[]) OWNER TO dealflow_system;
ALTER FUNCTION app_forget_changes(interval, integer) OWNER TO dealflow_system;

-- +goose Down
DROP TRIGGER forget_changes ON accounts;
DROP TRIGGER change_made ON companies;
DROP TRIGGER change_made ON meeting_minutes;
DROP TRIGGER change_made ON form_submissions;
DROP TRIGGER change_made ON emails;
DROP TRIGGER change_made ON company_statuses;
DROP TRIGGER change_made ON company_files;
DROP TRIGGER change_made ON company_shares;
DROP TRIGGER change_made ON company_assignees;
DROP TRIGGER change_made ON email_companies;
DROP TRIGGER change_updated ON companies;
DROP TRIGGER change_updated ON meeting_minutes;
DROP TRIGGER change_updated ON form_submissions;
DROP TRIGGER change_updated ON emails;
DROP TRIGGER change_updated ON company_statuses;
DROP TRIGGER change_deleted ON companies;
DROP TRIGGER change_deleted ON meeting_minutes;
DROP TRIGGER change_deleted ON form_submissions;
DROP TRIGGER change_deleted ON emails;
DROP TRIGGER change_deleted ON company_statuses;
DROP TRIGGER change_deleted ON company_files;
DROP TRIGGER change_deleted ON company_shares;
DROP TRIGGER change_deleted ON company_assignees;
DROP TRIGGER change_deleted ON email_companies;
DROP TABLE forgotten_changes;
DROP TABLE changes;
DROP FUNCTION app_note_change(uuid, text, text, uuid, uuid[]);
DROP FUNCTION app_change_made();
DROP FUNCTION app_change_updated();
DROP FUNCTION app_record_viewers(uuid, uuid);
DROP FUNCTION app_change_company_gone();
DROP FUNCTION app_change_gone();
DROP FUNCTION app_change_part();
DROP FUNCTION app_forget_account_changes();
DROP FUNCTION app_sees(text, uuid);
DROP FUNCTION app_saw(uuid);
DROP FUNCTION app_cluster();
DROP FUNCTION app_change_window(uuid, xid8, uuid, text, integer);
DROP FUNCTION app_change_heads(uuid[]);
DROP FUNCTION app_forget_changes(interval, integer);

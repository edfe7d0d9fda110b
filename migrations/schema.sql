-- The schema as the migrations make it, to read. `make schema` writes it, and a test compares it; only migrations change a database.

SET check_function_bodies = false;

CREATE TYPE public.company_list AS (
	account uuid,
	person uuid,
	query tsquery,
	visibility text,
	source text,
	status uuid,
	no_status boolean,
	since timestamp with time zone,
	sort text,
	descending boolean,
	place text,
	place_id uuid,
	skip bigint,
	take bigint
);

CREATE FUNCTION public.app_accept_invitation(invitation_hash bytea, membership_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    invited record;
BEGIN
    SELECT f.mailed, i.id, i.account_id, i.role INTO invited
    FROM app_invitation_by_hash(invitation_hash) f JOIN invitations i ON i.id = f.invitation_id JOIN users u ON u.id = app_user_id()
    WHERE i.accepted_at IS NULL AND i.expires_at > now() AND lower(u.email) = lower(i.email)
    FOR UPDATE OF i;
    IF invited.id IS NULL THEN
        RETURN NULL;
    END IF;
    IF invited.mailed THEN
        PERFORM app_prove_user(app_user_id());
    END IF;
    UPDATE invitations SET accepted_at = now() WHERE id = invited.id AND accepted_at IS NULL;
    INSERT INTO memberships (id, account_id, user_id, role) VALUES (membership_id, invited.account_id, app_user_id(), invited.role)
        ON CONFLICT (account_id, user_id) DO NOTHING;
    RETURN invited.account_id;
END
    $$;

ALTER FUNCTION public.app_accept_invitation(invitation_hash bytea, membership_id uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_account_ids() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE COST 15 ROWS 3
    AS $$
DECLARE
    account uuid;
BEGIN
    FOREACH account IN ARRAY app_accounts() LOOP
        RETURN NEXT account;
    END LOOP;
END
    $$;

ALTER FUNCTION public.app_account_ids() OWNER TO dealflow_system;

CREATE FUNCTION public.app_account_role(account uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := app_user_id();
    found text := (SELECT m.role FROM memberships m WHERE m.account_id = account AND m.user_id = me);
BEGIN
    IF found IS NOT NULL THEN -- by itself: with what follows it would be a query
        RETURN found;
    END IF;
    RETURN (SELECT '' FROM accounts a WHERE a.id = account);
END
    $$;

ALTER FUNCTION public.app_account_role(account uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_accounts() RETURNS uuid[]
    LANGUAGE plpgsql STABLE COST 10
    AS $$
DECLARE
    known text := current_setting('app.accounts', true);
BEGIN
    IF known <> '' AND left(known, 36) = current_setting('app.user_id', true) THEN
        RETURN substr(known, 37);
    END IF;
    RETURN app_find_accounts();
END
    $$;

CREATE FUNCTION public.app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    many constant text := 'too many for the address';
    account constant uuid := (SELECT i.account_id FROM invitations i WHERE i.id = invitation);
    over boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('mails:' || new_kind || ':' || lower(address), 0));
    over := (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind
        AND created_at > now() - interval '1 hour' AND error IS DISTINCT FROM many) >= 10
        OR (SELECT count(*) FROM mails m WHERE m.invited_to = account AND m.created_at > now() - interval '1 day') >= 100;
    IF over AND claimant IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO mails (id, kind, email, user_id, invitation_id, invited_to, base_url, failed_at, error)
    VALUES (new_id, new_kind, address, claimant, invitation, account, base, CASE WHEN over THEN now() END, CASE WHEN over THEN many END);
    RETURN NOT over;
END
    $$;

ALTER FUNCTION public.app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_add_proof(token_hash bytea, new_kind text, claimant uuid, invitation uuid, lasts interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ INSERT INTO address_proofs (hash, kind, user_id, invitation_id, expires_at) VALUES (token_hash, new_kind, claimant, invitation, now() + lasts) $$;

ALTER FUNCTION public.app_add_proof(token_hash bytea, new_kind text, claimant uuid, invitation uuid, lasts interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_add_up_counts(account uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    WITH many AS (
        SELECT n.viewer, n.kind, n.key FROM company_counts n WHERE n.account_id = account GROUP BY 1, 2, 3 HAVING count(*) > 1),
    held AS (
        SELECT n.ctid FROM company_counts n JOIN many USING (viewer, kind, key) WHERE n.account_id = account FOR UPDATE OF n SKIP LOCKED),
    gone AS (
        DELETE FROM company_counts n USING held WHERE n.ctid = held.ctid RETURNING n.viewer, n.kind, n.key, n.count)
    INSERT INTO company_counts (account_id, viewer, kind, key, count)
    SELECT account, g.viewer, g.kind, g.key, sum(g.count) FROM gone g GROUP BY 2, 3, 4 HAVING sum(g.count) <> 0;
END
    $$;

ALTER FUNCTION public.app_add_up_counts(account uuid) OWNER TO dealflow_system;

CREATE TABLE public.companies (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    deck_link text,
    deck_storage_path text,
    visibility text NOT NULL,
    source text NOT NULL,
    source_content text,
    notes text,
    company_status_id uuid,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid NOT NULL,
    updated_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    edited text DEFAULT ''::text NOT NULL,
    words tsvector DEFAULT ''::tsvector NOT NULL,
    external_id text,
    CONSTRAINT companies_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'email'::text, 'form'::text, 'referral'::text, 'website'::text, 'event'::text, 'other'::text]))),
    CONSTRAINT companies_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'shared'::text, 'team'::text])))
);
ALTER TABLE ONLY public.companies ALTER COLUMN source_content SET COMPRESSION lz4;
ALTER TABLE ONLY public.companies ALTER COLUMN metadata SET COMPRESSION lz4;
ALTER TABLE ONLY public.companies ALTER COLUMN words SET STORAGE EXTERNAL;

ALTER TABLE ONLY public.companies FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.app_added_vector(c public.companies, was public.companies) RETURNS tsvector
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    few CONSTANT integer := 3000;
    more text[];
BEGIN
    IF c.source_content IS DISTINCT FROM was.source_content OR length(was.words) > few THEN
        RETURN NULL;
    END IF;
    more := app_words(concat_ws(E'\n', c.name, c.notes, app_strings(c.metadata)));
    IF cardinality(more) > few OR (c.name, c.notes, was.metadata) IS DISTINCT FROM (was.name, was.notes, '{}')
        AND NOT app_words(concat_ws(E'\n', was.name, was.notes, app_strings(was.metadata))) <@ more THEN
        RETURN NULL;
    END IF;
    RETURN app_refacet(c) || array_to_tsvector(more);
END
    $$;

CREATE FUNCTION public.app_admin_account_ids() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20 ROWS 3
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := app_user_id();
BEGIN
    RETURN QUERY SELECT m.account_id FROM memberships m WHERE m.user_id = me AND m.role IN ('owner', 'admin');
END
    $$;

ALTER FUNCTION public.app_admin_account_ids() OWNER TO dealflow_system;

CREATE FUNCTION public.app_admit_work(only_account uuid, most integer) RETURNS TABLE(id uuid, kind text, queue text, attempt integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
DECLARE
    account uuid := only_account;
    free integer;
BEGIN
    IF only_account IS NULL THEN
        SELECT x.account_id INTO account FROM work x
            WHERE x.state = 'queued' AND x.queue = 'bulk' AND x.told_at IS NULL ORDER BY x.account_id LIMIT 1;
    END IF;
    WHILE account IS NOT NULL LOOP
        -- Two at once would both see the same free places. Who asks for all need not wait for one of whom another takes care.
        IF only_account IS NOT NULL THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('work:' || account, 0));
        END IF;
        IF only_account IS NOT NULL OR pg_try_advisory_xact_lock(hashtextextended('work:' || account, 0)) THEN
            SELECT most - count(*) INTO free FROM (SELECT 1 FROM work a
                WHERE a.account_id = account AND a.queue = 'bulk' AND (a.state = 'running' OR a.state = 'queued' AND a.told_at IS NOT NULL) LIMIT most) AS t;
            IF free > 0 THEN
                RETURN QUERY UPDATE work w SET told_at = now() WHERE w.id = ANY (ARRAY(SELECT n.id FROM work n
                    WHERE n.account_id = account AND n.state = 'queued' AND n.queue = 'bulk' AND n.told_at IS NULL AND n.run_after <= now()
                    ORDER BY n.rank, n.run_after, n.id LIMIT free FOR UPDATE SKIP LOCKED))
                RETURNING w.id, w.kind, w.queue, w.attempt;
            END IF;
        END IF;
        EXIT WHEN only_account IS NOT NULL;
        SELECT x.account_id INTO account FROM work x
            WHERE x.state = 'queued' AND x.queue = 'bulk' AND x.told_at IS NULL AND x.account_id > account ORDER BY x.account_id LIMIT 1;
    END LOOP;
END
    $$;

ALTER FUNCTION public.app_admit_work(only_account uuid, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_analysis_runs(company uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT EXISTS (SELECT 1 FROM work WHERE subject_id = company AND kind = 'company.analyse' AND state IN ('queued', 'running')) $$;

ALTER FUNCTION public.app_analysis_runs(company uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_audit() OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_add(account uuid, person uuid, word text, kind text, target uuid, label text, concealed boolean, what jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_audit_add(account uuid, person uuid, word text, kind text, target uuid, label text, concealed boolean, what jsonb) OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    what jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN -- once, so the company's id names the entry as well: to draw another costs more than to write it
        INSERT INTO audit_entries (account_id, id, actor_id, action, target_type, target_id, target_name, ip, hidden)
        VALUES (NEW.account_id, NEW.id, app_user_id(), 'company.created', 'company', NEW.id, NEW.name, NULLIF(app_origin(), '-'), NEW.visibility <> 'team');
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

ALTER FUNCTION public.app_audit_company() OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_diff(before jsonb, after jsonb, columns text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN -- not SQL, which would be parsed and planned anew by each statement
    IF before = after THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT jsonb_object_agg(ltrim(c, '!'), CASE WHEN left(c, 1) = '!' THEN '{"changed": true}' ELSE jsonb_build_object('from', f, 'to', t) END)
        FROM unnest(columns) c, COALESCE(before -> ltrim(c, '!'), 'null') f, COALESCE(after -> ltrim(c, '!'), 'null') t
        WHERE f <> t AND (left(c, 1) <> '!' OR (before IS NOT NULL AND after IS NOT NULL)));
END
    $$;

CREATE FUNCTION public.app_audit_factor() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM app_audit_add(NULL, u.id, TG_ARGV[0], 'user', u.id, u.name, false, NULL) FROM users u WHERE u.id = OLD.user_id;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_audit_factor() OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_log(account uuid, actor uuid, word text, before timestamp with time zone, before_id uuid, most integer) RETURNS TABLE(id uuid, at timestamp with time zone, actor_id uuid, actor_name text, actor_email text, action text, target_type text, target_id uuid, target_name text, ip text, changes jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_audit_log(account uuid, actor uuid, word text, before timestamp with time zone, before_id uuid, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_part() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_audit_part() OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_record() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_audit_record() OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_undo() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM app_audit_add(NEW.account_id, NEW.undo_by, 'import.undone', 'import', NEW.id, NEW.kind, false, NULL);
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_audit_undo() OWNER TO dealflow_system;

CREATE FUNCTION public.app_audit_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_audit_user() OWNER TO dealflow_system;

CREATE FUNCTION public.app_batch_needed(import uuid, number integer) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT EXISTS (SELECT 1 FROM imports i WHERE i.id = import AND i.status IN ('receiving', 'running') AND number > i.written) $$;

ALTER FUNCTION public.app_batch_needed(import uuid, number integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_bulk_waits() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT EXISTS (SELECT 1 FROM work WHERE queue = 'bulk' AND state = 'queued' AND told_at IS NOT NULL AND run_after <= now()) $$;

ALTER FUNCTION public.app_bulk_waits() OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_company_gone() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM app_note_change(OLD.account_id, 'company', 'deleted', OLD.id, app_company_viewers(OLD.id, OLD.visibility, OLD.created_by));
    RETURN OLD;
END
    $$;

ALTER FUNCTION public.app_change_company_gone() OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_gone() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_change_gone() OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_heads(ids uuid[]) RETURNS TABLE(id uuid, changed text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, COALESCE((SELECT c.xid::text FROM changes c WHERE c.account_id = i.id AND c.xid < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY c.xid DESC LIMIT 1), '') FROM unnest(ids) AS i(id)
    $$;

ALTER FUNCTION public.app_change_heads(ids uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_made() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO changes (account_id, kind, action, thing) SELECT m.account_id, TG_ARGV[0], 'created', m.id FROM made m ON CONFLICT DO NOTHING;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_change_made() OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_part() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_change_part() OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_updated() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_change_updated() OWNER TO dealflow_system;

CREATE FUNCTION public.app_change_window(account uuid, after_xid xid8, after_thing uuid, cluster text, most integer, OUT source text, OUT gone boolean, OUT whole boolean, OUT last_xid xid8, OUT last_thing uuid) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_change_window(account uuid, after_xid xid8, after_thing uuid, cluster text, most integer, OUT source text, OUT gone boolean, OUT whole boolean, OUT last_xid xid8, OUT last_thing uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_check_membership() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.user_id AND u.proven_at IS NULL AND u.home_account_id IS DISTINCT FROM NEW.account_id) THEN
        RAISE EXCEPTION 'the address of user % is not proven', NEW.user_id USING ERRCODE = 'check_violation', CONSTRAINT = 'memberships_proven';
    END IF;
    RETURN NEW;
END
    $$;

ALTER FUNCTION public.app_check_membership() OWNER TO dealflow_system;

CREATE TABLE public.work (
    id uuid NOT NULL,
    kind text NOT NULL,
    queue text NOT NULL,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    subject_id uuid,
    state text DEFAULT 'queued'::text NOT NULL,
    attempt integer DEFAULT 1 NOT NULL,
    max_attempts integer NOT NULL,
    run_after timestamp with time zone DEFAULT now() NOT NULL,
    told_at timestamp with time zone,
    lease_until timestamp with time zone,
    error text,
    input jsonb DEFAULT '{}'::jsonb NOT NULL,
    result jsonb,
    waiter text DEFAULT ''::text NOT NULL,
    request_id text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    rank smallint DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    losses integer DEFAULT 0 NOT NULL,
    outages integer DEFAULT 0 NOT NULL,
    interruption text,
    CONSTRAINT work_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.work FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.app_claim_work(work_id uuid, work_attempt integer, lease interval) RETURNS SETOF public.work
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    claimed work;
    ignored text; -- an assignment is no query, as PERFORM would be
BEGIN
    UPDATE work w SET
        state = 'running', started_at = now(), lease_until = now() + lease,
        user_id = CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.user_id)
            THEN w.user_id ELSE COALESCE(app_oldest_owner(w.account_id), w.user_id) END
    WHERE w.id = work_id AND w.attempt = work_attempt AND w.state = 'queued'
    RETURNING w.* INTO claimed;
    IF FOUND THEN
        ignored := set_config('app.user_id', claimed.user_id::text, true);
        ignored := set_config('app.work_account', claimed.account_id::text, true); -- for what is loaded in the same trip
        ignored := set_config('app.work_subject', COALESCE(claimed.subject_id::text, ''), true);
        ignored := set_config('synchronous_commit', 'off', true);
        RETURN NEXT claimed;
    END IF;
END
    $$;

ALTER FUNCTION public.app_claim_work(work_id uuid, work_attempt integer, lease interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_cluster() RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (SELECT s.system_identifier FROM pg_control_system() s);
EXCEPTION WHEN insufficient_privilege THEN
    RETURN '';
END
    $$;

CREATE FUNCTION public.app_company_access(company uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 40
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_company_access(company uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_behind_sql(sort text, descending boolean, place text, place_id text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE WHEN place IS NULL THEN '' ELSE format(' AND (%s, c.id) %s (%s, %s::uuid)', app_company_sort_sql(sort),
        CASE WHEN descending THEN '<' ELSE '>' END, app_company_place_sql(sort, place), place_id) END
    $$;

CREATE FUNCTION public.app_company_changed(list public.company_list, most bigint) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    page uuid[];
BEGIN
    IF EXISTS (SELECT 1 FROM companies c WHERE c.account_id = list.account AND c.updated_at >= list.since ORDER BY c.updated_at DESC, c.id DESC OFFSET most) THEN
        RETURN NULL;
    END IF;
    list.person := app_user_id();
    EXECUTE 'SELECT array_agg(m.id) FROM (' || app_company_changed_sql(list, most) || ') AS m' INTO page;
    RETURN COALESCE(page, '{}');
END
    $$;

ALTER FUNCTION public.app_company_changed(list public.company_list, most bigint) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_changed_sql(list public.company_list, most bigint) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN list.descending THEN ' DESC' ELSE '' END;
    conditions record := app_company_conditions(list);
BEGIN
    RETURN 'WITH changed AS MATERIALIZED (SELECT c.id FROM companies c WHERE c.account_id = ' || quote_literal(list.account) || ' AND c.updated_at >= '
        || quote_literal(list.since) || '::timestamptz ORDER BY c.updated_at DESC, c.id DESC LIMIT ' || most
        || ') SELECT c.id FROM changed w JOIN companies c ON c.id = w.id WHERE ' || app_company_sight_sql(list.person) || conditions.led || conditions.kept
        || COALESCE(' AND c.words @@ ' || quote_literal(list.query), '')
        || ' ORDER BY ' || app_company_sort_sql(list.sort) || direction || ', c.id' || direction || ' OFFSET ' || list.skip || ' LIMIT ' || list.take;
END
    $$;

CREATE FUNCTION public.app_company_changes(ids uuid[]) RETURNS TABLE(id uuid, changed text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT c.id, concat_ws(' ', c.xmin,
        (SELECT concat(d.created_at, d.review) FROM detections d WHERE d.company_id = c.id),
        (SELECT concat(count(*), max(f.updated_at)) FROM company_files f WHERE f.company_id = c.id),
        (SELECT concat(count(*), max(a.created_at)) FROM company_assignees a WHERE a.company_id = c.id),
        (SELECT concat(count(*), max(s.created_at)) FROM company_shares s WHERE s.company_id = c.id))
    FROM companies c WHERE c.id = ANY (ids)
    $$;

ALTER FUNCTION public.app_company_changes(ids uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_conditions(list public.company_list, OUT led text, OUT led_column text, OUT kept text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    visible text := COALESCE(' AND c.visibility = ' || quote_literal(list.visibility), '');
    sourced text := COALESCE(' AND c.source = ' || quote_literal(list.source), '');
    staged text := CASE WHEN list.no_status THEN ' AND c.company_status_id IS NULL' ELSE COALESCE(' AND c.company_status_id = ' || quote_literal(list.status), '') END;
    since text := COALESCE(' AND c.updated_at >= ' || quote_literal(list.since) || '::timestamptz', '');
BEGIN
    led := '';
    led_column := '';
    kept := '';
    IF staged <> '' THEN
        led := staged;
        led_column := 'c.company_status_id';
        kept := visible || sourced;
    ELSIF sourced <> '' THEN
        led := sourced;
        led_column := 'c.source';
        kept := visible;
    ELSIF visible <> '' THEN
        led := visible;
        led_column := 'c.visibility';
    END IF;
    led := led || app_company_behind_sql(list.sort, list.descending, quote_literal(list.place), quote_literal(list.place_id));
    IF list.sort = 'updated_at' THEN
        led := led || since;
    ELSE
        kept := kept || since;
    END IF;
END
    $$;

CREATE FUNCTION public.app_company_facets(c public.companies) RETURNS text[]
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    facets text[] := ARRAY['#a:' || c.account_id, '#v:' || c.visibility, '#s:' || c.source, '#p:' || COALESCE(c.company_status_id::text, 'none')];
BEGIN
    IF c.visibility = 'team' THEN
        RETURN facets || ('#t:' || c.account_id);
    END IF;
    facets := facets || ('#u:' || c.account_id || ':' || c.created_by);
    IF c.visibility = 'shared' THEN
        facets := facets || ARRAY(SELECT '#u:' || c.account_id || ':' || s.user_id FROM (
            SELECT user_id FROM company_assignees WHERE company_id = c.id UNION SELECT user_id FROM company_shares WHERE company_id = c.id) AS s);
    END IF;
    RETURN facets;
END
    $$;

CREATE FUNCTION public.app_company_filtered(list public.company_list, most bigint, OUT page uuid[], OUT whole boolean) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    walk text;
BEGIN
    list.person := app_user_id();
    walk := '(' || app_company_walk_sql(list, most) || ') AS w';
    EXECUTE format('SELECT ARRAY(SELECT w.id FROM %s WHERE w.seen AND w.wanted OFFSET %s LIMIT %s)', walk, list.skip, list.take) INTO page;
    whole := cardinality(page) = list.take;
    IF NOT whole THEN
        EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %s OFFSET %s)', walk, most - 1) INTO whole;
    END IF;
END
    $$;

ALTER FUNCTION public.app_company_filtered(list public.company_list, most bigint, OUT page uuid[], OUT whole boolean) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_from_end(list public.company_list) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    near CONSTANT bigint := 10000;
    size bigint;
    behind bigint; -- how many rows come after the page
    wanted bigint;
    page uuid[];
BEGIN
    IF list.skip < near OR list.place IS NOT NULL THEN
        RETURN NULL;
    END IF;
    size := app_company_size(list.account, list.person);
    wanted := GREATEST(0, LEAST(list.take, size - list.skip));
    behind := size - list.skip - wanted;
    IF wanted = 0 OR behind > list.skip THEN
        RETURN CASE WHEN wanted = 0 THEN ARRAY[]::uuid[] END;
    END IF;
    page := app_company_plain(list.account, list.person, 4000 + 4 * (behind + wanted), behind, wanted, NULL, NULL, list.sort, NOT list.descending);
    RETURN CASE WHEN cardinality(page) = wanted THEN ARRAY(SELECT p.id FROM unnest(page) WITH ORDINALITY AS p (id, place) ORDER BY p.place DESC) END;
END
    $$;

CREATE FUNCTION public.app_company_key_list(name text, deck_link text, metadata jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    key CONSTANT text := app_name_key(name);
    keys text[] := '{}';
    domains text[] := '{}';
    email text;
    suffix text;
BEGIN
    IF key <> '' THEN
        keys := ARRAY['name:' || key];
    END IF;
    FOREACH email IN ARRAY COALESCE(app_founder_emails(metadata), '{}') LOOP
        keys := keys || ('email:' || email);
        domains := domains || app_suffixes(split_part(email, '@', 2));
    END LOOP;
    IF deck_link <> '' THEN
        FOREACH suffix IN ARRAY COALESCE(app_suffixes(substring(lower(deck_link) FROM '^https?://(?:[^/?#@]*@)?([^/?#:]+)')), '{}') LOOP
            IF replace(split_part(suffix, '.', 1), '-', '') = replace(key, ' ', '') THEN
                domains := domains || suffix;
            END IF;
        END LOOP;
    END IF;
    FOREACH suffix IN ARRAY domains LOOP
        IF ('domain:' || suffix) <> ALL (keys) THEN
            keys := keys || ('domain:' || suffix);
        END IF;
    END LOOP;
    RETURN keys;
END
    $$;

CREATE FUNCTION public.app_company_keys(name text, deck_link text, metadata jsonb) RETURNS TABLE(kind text, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT split_part(k, ':', 1), substr(k, strpos(k, ':') + 1) FROM unnest(app_company_key_list(name, deck_link, metadata)) AS k $$;

CREATE FUNCTION public.app_company_list(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean, since timestamp with time zone, sort text, descending boolean, place text, place_id uuid, skip bigint, take bigint) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    accounts uuid[] := ARRAY[account];
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ids uuid[] := '{}';
    list company_list;
BEGIN
    list := ROW(account, app_user_id(), app_query(search), only_visibility, only_source, only_status, no_status, since, sort, descending, place, place_id, skip, take);
    IF search IS NOT NULL AND list.query IS NULL THEN
        RETURN '{}';
    END IF;
    IF account IS NULL THEN
        accounts := app_accounts();
    END IF;
    IF cardinality(accounts) = 1 THEN
        list.account := accounts[1];
        RETURN app_company_page(list);
    END IF;
    list.skip := 0;
    list.take := skip + take;
    FOREACH list.account IN ARRAY accounts LOOP
        ids := ids || app_company_page(list);
    END LOOP;
    EXECUTE format('SELECT array_agg(m.id) FROM (SELECT c.id FROM companies c WHERE c.id = ANY ($1) ORDER BY %s%s, c.id%2$s OFFSET $2 LIMIT $3) AS m',
        app_company_sort_sql(sort), direction) INTO ids USING ids, skip, take;
    RETURN ids;
END
    $_$;

ALTER FUNCTION public.app_company_list(account uuid, search text, only_visibility text, only_source text, only_status uuid, no_status boolean, since timestamp with time zone, sort text, descending boolean, place text, place_id uuid, skip bigint, take bigint) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_match(list public.company_list, narrow boolean) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET jit TO 'off'
    SET work_mem TO '32MB'
    AS $$
DECLARE
    page uuid[];
BEGIN
    list.person := app_user_id();
    EXECUTE 'SELECT array_agg(m.id) FROM (' || app_company_match_sql(list, narrow) || ') AS m' INTO page;
    RETURN COALESCE(page, '{}');
END
    $$;

ALTER FUNCTION public.app_company_match(list public.company_list, narrow boolean) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_match_sql(list public.company_list, narrow boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $_$
DECLARE
    direction text := CASE WHEN list.descending THEN ' DESC' ELSE '' END;
    wanted tsquery := concat_ws(' & ', CASE WHEN narrow THEN format('(''#t:%1$s'' | ''#u:%1$s:%2$s'')', list.account, list.person) ELSE format('''#a:%s''', list.account) END,
        list.query, '''#v:' || list.visibility || '''', '''#s:' || list.source || '''', CASE WHEN list.no_status THEN '''#p:none''' ELSE '''#p:' || list.status || '''' END);
BEGIN
    RETURN 'WITH hits AS MATERIALIZED (SELECT c.id, c.account_id, c.visibility, c.created_by, c.updated_at, ' || app_company_sort_sql(list.sort)
        || ' AS place FROM companies c WHERE c.words @@ ' || quote_literal(wanted) || ') SELECT c.id FROM hits c WHERE c.account_id = ' || quote_literal(list.account)
        || CASE WHEN list.place IS NULL THEN '' ELSE format(' AND (c.place, c.id) %s (%s, %L::uuid)', CASE WHEN list.descending THEN '<' ELSE '>' END,
            app_company_place_sql(list.sort, quote_literal(list.place)), list.place_id) END
        || COALESCE(' AND c.updated_at >= ' || quote_literal(list.since) || '::timestamptz', '') || ' AND ' || app_company_sight_sql(list.person)
        || ' ORDER BY c.place' || direction || ', c.id' || direction || ' OFFSET ' || list.skip || ' LIMIT ' || list.take;
END
    $_$;

CREATE FUNCTION public.app_company_page(list public.company_list) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    most CONSTANT bigint := 4000 + 4 * (list.skip + list.take);
    walk record;
    page uuid[];
BEGIN
    IF list.account <> ALL (app_accounts()) THEN
        RETURN '{}';
    END IF;
    IF list.since IS NOT NULL AND list.sort <> 'updated_at' THEN
        page := app_company_changed(list, 5000);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
    END IF;
    IF list.query IS NULL AND list.visibility IS NULL AND list.source IS NULL AND list.status IS NULL AND NOT list.no_status AND list.since IS NULL THEN
        list.person := app_user_id();
        page := app_company_from_end(list);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
        page := app_company_plain(list.account, list.person, most, list.skip, list.take, list.place, list.place_id, list.sort, list.descending);
        IF cardinality(page) = list.take OR NOT EXISTS (SELECT 1 FROM companies c WHERE c.account_id = list.account ORDER BY c.created_at DESC OFFSET most - 1) THEN
            RETURN page;
        END IF;
    END IF;
    IF list.query IS NULL THEN
        walk := app_company_filtered(list, CASE WHEN list.since IS NULL THEN 20000 + 8 * (list.skip + list.take) ELSE most END);
        IF walk.whole THEN
            RETURN walk.page;
        ELSIF list.since IS NOT NULL THEN
            RETURN app_company_changed(list, 1e15::bigint); -- no word says when a row changed
        END IF;
        RETURN app_company_match(list, 4 * app_company_size(list.account, app_user_id()) < (
            SELECT COALESCE(sum(n.count), 0) FROM company_counts n WHERE n.account_id = list.account AND n.kind = 's'));
    END IF;
    walk := app_company_walk(list);
    RETURN COALESCE(walk.page, app_company_match(list, walk.narrow));
END
    $$;

ALTER FUNCTION public.app_company_page(list public.company_list) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_place_sql(sort text, place text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE sort WHEN 'name' THEN 'lower(' || place || '::text)' ELSE place || '::timestamptz' END $$;

CREATE FUNCTION public.app_company_plain(account uuid, person uuid, most bigint, skip bigint, take bigint, place text, place_id uuid, sort text, descending boolean) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $_$
BEGIN
    IF sort = 'created_at' AND descending = 't' AND (place IS NOT NULL) = 'f' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.created_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 ORDER BY c.created_at DESC, c.id DESC LIMIT $3) AS w WHERE w.seen ORDER BY w.place DESC, w.id DESC OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'created_at' AND descending = 't' AND (place IS NOT NULL) = 't' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.created_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 AND (c.created_at, c.id) < ($6::timestamptz, $7::uuid) ORDER BY c.created_at DESC, c.id DESC LIMIT $3) AS w WHERE w.seen ORDER BY w.place DESC, w.id DESC OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'created_at' AND descending = 'f' AND (place IS NOT NULL) = 'f' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.created_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 ORDER BY c.created_at, c.id LIMIT $3) AS w WHERE w.seen ORDER BY w.place, w.id OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'created_at' AND descending = 'f' AND (place IS NOT NULL) = 't' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.created_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 AND (c.created_at, c.id) > ($6::timestamptz, $7::uuid) ORDER BY c.created_at, c.id LIMIT $3) AS w WHERE w.seen ORDER BY w.place, w.id OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'updated_at' AND descending = 't' AND (place IS NOT NULL) = 'f' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.updated_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 ORDER BY c.updated_at DESC, c.id DESC LIMIT $3) AS w WHERE w.seen ORDER BY w.place DESC, w.id DESC OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'updated_at' AND descending = 't' AND (place IS NOT NULL) = 't' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.updated_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 AND (c.updated_at, c.id) < ($6::timestamptz, $7::uuid) ORDER BY c.updated_at DESC, c.id DESC LIMIT $3) AS w WHERE w.seen ORDER BY w.place DESC, w.id DESC OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'updated_at' AND descending = 'f' AND (place IS NOT NULL) = 'f' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.updated_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 ORDER BY c.updated_at, c.id LIMIT $3) AS w WHERE w.seen ORDER BY w.place, w.id OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'updated_at' AND descending = 'f' AND (place IS NOT NULL) = 't' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, c.updated_at AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 AND (c.updated_at, c.id) > ($6::timestamptz, $7::uuid) ORDER BY c.updated_at, c.id LIMIT $3) AS w WHERE w.seen ORDER BY w.place, w.id OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'name' AND descending = 't' AND (place IS NOT NULL) = 'f' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, lower(c.name) AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 ORDER BY lower(c.name) DESC, c.id DESC LIMIT $3) AS w WHERE w.seen ORDER BY w.place DESC, w.id DESC OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'name' AND descending = 't' AND (place IS NOT NULL) = 't' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, lower(c.name) AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 AND (lower(c.name), c.id) < (lower($6::text), $7::uuid) ORDER BY lower(c.name) DESC, c.id DESC LIMIT $3) AS w WHERE w.seen ORDER BY w.place DESC, w.id DESC OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'name' AND descending = 'f' AND (place IS NOT NULL) = 'f' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, lower(c.name) AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 ORDER BY lower(c.name), c.id LIMIT $3) AS w WHERE w.seen ORDER BY w.place, w.id OFFSET $4 LIMIT $5);
    END IF;
    IF sort = 'name' AND descending = 'f' AND (place IS NOT NULL) = 't' THEN
        RETURN ARRAY(SELECT w.id FROM (SELECT c.id, lower(c.name) AS place, c.visibility = 'team' OR c.created_by = $2 OR c.visibility = 'shared' AND (EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2) OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen FROM companies c WHERE c.account_id = $1 AND (lower(c.name), c.id) > (lower($6::text), $7::uuid) ORDER BY lower(c.name), c.id LIMIT $3) AS w WHERE w.seen ORDER BY w.place, w.id OFFSET $4 LIMIT $5);
    END IF;
    RETURN '{}';
END
$_$;

CREATE FUNCTION public.app_company_plain_sql(sort text, descending boolean, placed boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
    SELECT replace(format('SELECT w.id FROM (SELECT c.id, %1$s AS place, c.visibility = ''team'' OR c.created_by = $2 OR c.visibility = ''shared'' AND ('
        || 'EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = $2)'
        || ' OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = $2)) AS seen'
        || ' FROM companies c WHERE c.account_id = $1%2$s ORDER BY %1$s <>, c.id <> LIMIT $3) AS w'
        || ' WHERE w.seen ORDER BY w.place <>, w.id <> OFFSET $4 LIMIT $5', app_company_sort_sql(sort),
        CASE WHEN placed THEN app_company_behind_sql(sort, descending, '$6', '$7') ELSE '' END), ' <>', CASE WHEN descending THEN ' DESC' ELSE '' END)
    $_$;

CREATE FUNCTION public.app_company_sight_sql(person uuid) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
    SELECT format('(c.visibility = ''team'' OR c.created_by = %1$L OR c.visibility = ''shared'' AND ('
        || 'EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = %1$L)'
        || ' OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id AND s.user_id = %1$L)))', person)
    $_$;

CREATE FUNCTION public.app_company_size(account uuid, person uuid) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN (SELECT COALESCE(sum(n.count), 0) FROM company_counts n
        WHERE n.account_id = account AND n.viewer IN ('00000000-0000-0000-0000-000000000000', person) AND n.kind = 's');
END
    $$;

CREATE FUNCTION public.app_company_sort_sql(sort text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE sort WHEN 'name' THEN 'lower(c.name)' WHEN 'updated_at' THEN 'c.updated_at' ELSE 'c.created_at' END $$;

CREATE FUNCTION public.app_company_vector(c public.companies) RETURNS tsvector
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    own CONSTANT text[] := app_company_facets(c) || app_words(concat_ws(E'\n', c.name, c.notes, app_strings(c.metadata), c.source_content));
    whole tsvector := app_vector(own);
    file tsvector;
BEGIN
    FOR file IN SELECT f.words || ''::tsvector FROM file_texts f WHERE f.company_id = c.id LOOP
        IF pg_column_size(whole) + pg_column_size(file) > 900000 THEN
            RETURN app_vector(own
                || COALESCE((SELECT array_agg(w.word) FROM file_texts f, unnest(tsvector_to_array(f.words)) AS w (word) WHERE f.company_id = c.id), '{}'));
        END IF;
        whole := whole || file;
    END LOOP;
    RETURN whole;
END
    $$;

CREATE FUNCTION public.app_company_viewers(company uuid, visibility text, creator uuid) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN CASE visibility
        WHEN 'team' THEN ARRAY['00000000-0000-0000-0000-000000000000'::uuid]
        WHEN 'private' THEN ARRAY[creator]
        ELSE ARRAY(SELECT creator UNION SELECT a.user_id FROM company_assignees a WHERE a.company_id = company
            UNION SELECT s.user_id FROM company_shares s WHERE s.company_id = company) END;
END
    $$;

CREATE FUNCTION public.app_company_walk(list public.company_list, OUT page uuid[], OUT narrow boolean) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    skip CONSTANT bigint := list.skip;
    take CONSTANT bigint := list.take;
    most bigint := 4000 + 8 * (skip + take);
    patience CONSTANT interval := '10 ms';
    started CONSTANT timestamptz := clock_timestamp();
    size bigint; -- of what the caller sees of the account
    looked bigint := 0;
    visible bigint := 0;
    hits bigint := 0;
    company uuid;
    seen boolean;
    wanted boolean;
BEGIN
    list.person := app_user_id();
    page := '{}';
    FOR company, seen, wanted IN EXECUTE app_company_walk_sql(list, most) LOOP
        looked := looked + 1;
        visible := visible + seen::integer;
        IF seen AND wanted THEN
            hits := hits + 1;
            IF hits > skip THEN
                page := page || company;
            END IF;
        END IF;
        EXIT WHEN hits >= skip + take;
        IF list.since IS NULL AND looked % 50 = 10 AND looked > 50 AND hits * 2 < looked THEN
            IF size IS NULL THEN
                size := app_company_size(list.account, list.person);
            END IF;
            IF 3 * LEAST((skip + take - hits) * looked / GREATEST(hits, 1), size * looked / GREATEST(visible, 1) - looked)
                > 1000 + size * GREATEST(hits, 1) / GREATEST(visible, 1) THEN
                most := looked;
                EXIT;
            END IF;
        END IF;
        IF looked % 100 = 0 AND looked >= 300 + 4 * (skip + take) AND hits * 2 < skip + take AND clock_timestamp() > started + patience THEN
            most := looked; -- long documents take longer to look at
            EXIT;
        END IF;
    END LOOP;
    IF hits < skip + take AND looked >= most THEN
        page := NULL;
    END IF;
    narrow := visible * 4 < looked;
END
    $$;

ALTER FUNCTION public.app_company_walk(list public.company_list, OUT page uuid[], OUT narrow boolean) OWNER TO dealflow_system;

CREATE FUNCTION public.app_company_walk_sql(list public.company_list, most bigint) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    direction text := CASE WHEN list.descending THEN ' DESC' ELSE '' END;
    conditions record := app_company_conditions(list);
BEGIN
    RETURN 'SELECT c.id, ' || app_company_sight_sql(list.person) || ' AS seen, true' || conditions.kept || COALESCE(' AND c.words @@ ' || quote_literal(list.query), '')
        || ' AS wanted FROM companies c WHERE c.account_id = ' || quote_literal(list.account) || conditions.led
        || ' ORDER BY c.account_id' || direction || ', ' || COALESCE(NULLIF(conditions.led_column, '') || direction || ', ', '') || app_company_sort_sql(list.sort)
        || direction || ', c.id' || direction || ' LIMIT ' || most;
END
    $$;

CREATE FUNCTION public.app_count_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.visibility = 'team' AND NEW.visibility = 'team' AND OLD.account_id = NEW.account_id THEN
        INSERT INTO company_counts (account_id, viewer, kind, key, count)
        SELECT NEW.account_id, '00000000-0000-0000-0000-000000000000', k.kind, k.key, k.by FROM (VALUES
            ('s'::"char", COALESCE(OLD.company_status_id::text, ''), -1, OLD.company_status_id IS DISTINCT FROM NEW.company_status_id),
            ('s', COALESCE(NEW.company_status_id::text, ''), 1, OLD.company_status_id IS DISTINCT FROM NEW.company_status_id),
            ('o', OLD.source, -1, OLD.source <> NEW.source), ('o', NEW.source, 1, OLD.source <> NEW.source),
            ('d', (OLD.created_at AT TIME ZONE 'UTC')::date::text, -1, OLD.created_at <> NEW.created_at),
            ('d', (NEW.created_at AT TIME ZONE 'UTC')::date::text, 1, OLD.created_at <> NEW.created_at)) AS k (kind, key, by, changed)
        WHERE k.changed;
    ELSE
        PERFORM app_count_company(OLD, app_company_viewers(OLD.id, OLD.visibility, OLD.created_by), -1);
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        PERFORM app_count_company(NEW, app_company_viewers(NEW.id, NEW.visibility, NEW.created_by), 1);
    END IF;
    IF random() < 0.01 THEN
        PERFORM app_add_up_counts(NEW.account_id);
    END IF;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_count_changed() OWNER TO dealflow_system;

CREATE FUNCTION public.app_count_company(c public.companies, viewers uuid[], by integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO company_counts (account_id, viewer, kind, key, count)
    SELECT c.account_id, v, k.kind, k.key, by FROM unnest(viewers) AS v CROSS JOIN (VALUES
        ('s'::"char", COALESCE(c.company_status_id::text, '')), ('o', c.source), ('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key);
END
    $$;

CREATE FUNCTION public.app_count_inserted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO company_counts (account_id, viewer, kind, key, count)
    SELECT c.account_id, CASE c.visibility WHEN 'team' THEN '00000000-0000-0000-0000-000000000000' ELSE c.created_by END, k.kind, k.key, count(*)
    FROM made c CROSS JOIN LATERAL (VALUES
        ('s'::"char", COALESCE(c.company_status_id::text, '')), ('o', c.source), ('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key)
    GROUP BY 1, 2, 3, 4;
    IF random() < 0.01 THEN
        PERFORM app_add_up_counts(a.account_id) FROM (SELECT DISTINCT m.account_id FROM made m) AS a;
    END IF;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_count_inserted() OWNER TO dealflow_system;

CREATE FUNCTION public.app_count_matching(account uuid, search text, only_source text, most bigint) RETURNS TABLE(status uuid, count bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET jit TO 'off'
    SET work_mem TO '32MB'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    AS $_$
DECLARE
    query tsquery := app_query(search);
    hits text := 'SELECT c.company_status_id FROM companies c WHERE c.account_id = $1 AND ';
BEGIN
    IF account <> ALL (app_accounts()) OR search IS NOT NULL AND query IS NULL THEN
        RETURN;
    END IF;
    IF query IS NOT NULL THEN -- by the words alone, among which the source is
        hits := hits || 'c.words @@ ' || quote_literal(concat_ws(' & ', format('''#a:%s''', account), query, '''#s:' || only_source || ''''));
    ELSE
        hits := hits || 'c.source = ' || quote_literal(only_source);
    END IF;
    RETURN QUERY EXECUTE 'WITH hits AS MATERIALIZED (' || hits || ' AND ' || app_company_sight_sql(app_user_id()) || ' LIMIT $2 + 1)
        SELECT CASE WHEN s.sum > $2 THEN NULL ELSE s.status END, CASE WHEN s.sum <= $2 THEN s.count END FROM (
            SELECT h.company_status_id AS status, count(*) AS count, (sum(count(*)) OVER ())::bigint AS sum FROM hits h GROUP BY 1) AS s' USING account, most;
END
$_$;

ALTER FUNCTION public.app_count_matching(account uuid, search text, only_source text, most bigint) OWNER TO dealflow_system;

CREATE FUNCTION public.app_count_people() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    person uuid := CASE TG_OP WHEN 'INSERT' THEN NEW.user_id ELSE OLD.user_id END;
    c companies;
    ways integer;
BEGIN
    SELECT * INTO c FROM companies WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.company_id ELSE OLD.company_id END FOR NO KEY UPDATE;
    IF FOUND AND c.visibility = 'shared' AND c.created_by <> person THEN
        SELECT (SELECT count(*) FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = person)
            + (SELECT count(*) FROM company_shares s WHERE s.company_id = c.id AND s.user_id = person) INTO ways;
        IF TG_OP = 'INSERT' AND ways = 1 THEN
            PERFORM app_count_company(c, ARRAY[person], 1);
        ELSIF TG_OP = 'DELETE' AND ways = 0 THEN
            PERFORM app_count_company(c, ARRAY[person], -1);
        END IF;
    END IF;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_count_people() OWNER TO dealflow_system;

CREATE FUNCTION public.app_count_submissions(account uuid, about uuid, only_processed boolean, integration text, since timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET jit TO 'off'
    SET work_mem TO '32MB'
    AS $_$
DECLARE
    found bigint;
BEGIN
    IF account NOT IN (SELECT app_account_ids()) THEN
        RETURN 0;
    END IF;
    EXECUTE 'SELECT count(*) FROM form_submissions s WHERE s.account_id = $1'
        || COALESCE(' AND s.company_id = ' || quote_literal(about), '') || COALESCE(' AND s.processed = ' || only_processed, '')
        || COALESCE(' AND s.integration_type = ' || quote_literal(integration), '') || COALESCE(' AND s.updated_at >= ' || quote_literal(since) || '::timestamptz', '')
        || ' AND (s.company_id IS NULL OR s.company_id NOT IN (SELECT c.id FROM companies c WHERE c.account_id = $1 AND c.visibility IN (''private'', ''shared'')
            AND c.created_by <> $2 AND NOT (c.visibility = ''shared'' AND c.id = ANY (ARRAY(SELECT app_shared_company_ids())))))'
        INTO found USING account, app_user_id();
    RETURN found;
END
    $_$;

ALTER FUNCTION public.app_count_submissions(account uuid, about uuid, only_processed boolean, integration text, since timestamp with time zone) OWNER TO dealflow_system;

CREATE FUNCTION public.app_create_account(new_id uuid, membership_id uuid, new_name text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    INSERT INTO accounts (id, name) VALUES (new_id, new_name);
    INSERT INTO memberships (id, account_id, user_id, role) VALUES (membership_id, new_id, app_user_id(), 'owner');
    $$;

ALTER FUNCTION public.app_create_account(new_id uuid, membership_id uuid, new_name text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_create_user(new_id uuid, new_email text, new_name text, new_password_hash text, home uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    INSERT INTO users (id, email, name, password_hash, proven_at, home_account_id)
    VALUES (new_id, new_email, new_name, new_password_hash, CASE WHEN home IS NULL THEN now() END, home)
    $$;

ALTER FUNCTION public.app_create_user(new_id uuid, new_email text, new_name text, new_password_hash text, home uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_cut(folded text, every boolean) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    gap CONSTANT text := '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387'
        '\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e3f\u0e4f\u0e5a\u0e5b\u104a-\u104f\u1680'
        '\u17d4-\u17db\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ue000-\uf8ff\ufd3e\ufd3f\ufe00-\ufe6f'
        '\ufeff\ufff0-\uffff\U0001f000-\U0001fbff\U000e0000-\U0010ffff]+';
    dense CONSTANT text := '[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3040-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf'
        '\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]';
    spaced text;
    cut text;
BEGIN
    IF octet_length(folded) = length(folded) THEN
        IF folded !~ '[0-9A-Za-z]{65}' THEN
            RETURN array_remove(regexp_split_to_array(folded, '[^0-9A-Za-z]+'), '');
        END IF;
        cut := regexp_replace(folded, '[^0-9A-Za-z]+', ' ', 'g');
    ELSE
        spaced := regexp_replace(folded, gap, ' ', 'g');
        cut := spaced;
        IF spaced ~ dense THEN
            spaced := left(spaced, 200000); -- pairs cost more than words
            cut := regexp_replace(spaced, '(' || dense || '{1,2})', ' \1 ', 'g') || ' '
                || regexp_replace(regexp_replace(spaced, '(^|[^' || substr(dense, 2) || ')' || dense, '\1 ', 'g'), '(' || dense || '{1,2})', ' \1 ', 'g');
            IF every THEN
                cut := cut || ' ' || regexp_replace(spaced, '(' || dense || ')', ' \1 ', 'g');
            END IF;
        END IF;
    END IF;
    IF cut ~ '[^ ]{65}' THEN
        cut := regexp_replace(cut, '([^ ]{64})[^ ]+', '\1', 'g'); -- nobody types more of a word
    END IF;
    RETURN array_remove(string_to_array(cut, ' '), '');
END
    $$;

CREATE FUNCTION public.app_due_work(quiet interval, most integer) RETURNS TABLE(id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY
    UPDATE work w SET state = 'failed', finished_at = now(), lease_until = NULL, losses = w.losses + 1,
        error = COALESCE(w.error || '; then ', '') || 'its worker died ' || w.losses + 1 || ' times'
    WHERE w.id = ANY (ARRAY(SELECT l.id FROM work l
        WHERE l.state = 'running' AND l.lease_until < now() AND l.lease_until > pg_postmaster_start_time() AND l.losses >= 19
        ORDER BY l.lease_until LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING w.id, w.kind, w.queue, w.attempt, true, w.waiter;

    UPDATE work w SET state = 'queued', attempt = w.attempt + 1, told_at = NULL, lease_until = NULL, interruption = 'its worker was lost',
        losses = w.losses + (w.lease_until > pg_postmaster_start_time())::int,
        run_after = now() + w.losses * interval '1 second' * (0.5 + random() / 2)
    WHERE w.id = ANY (ARRAY(SELECT l.id FROM work l WHERE l.state = 'running' AND l.lease_until < now()
        ORDER BY l.lease_until LIMIT most FOR UPDATE SKIP LOCKED));

    RETURN QUERY
    UPDATE work w SET told_at = now()
    WHERE w.id = ANY (ARRAY(SELECT d.id FROM work d
        WHERE d.state = 'queued' AND d.queue <> 'bulk' AND d.run_after <= now() AND (d.told_at IS NULL OR d.told_at < now() - quiet)
        ORDER BY d.run_after LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING w.id, w.kind, w.queue, w.attempt, false, w.waiter;

    RETURN QUERY
    UPDATE work w SET told_at = now()
    WHERE w.id = ANY (ARRAY(SELECT d.id FROM work d
        WHERE d.state = 'queued' AND d.queue = 'bulk' AND d.told_at IS NOT NULL AND d.told_at < now() - quiet AND d.run_after <= now()
        ORDER BY d.told_at LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING w.id, w.kind, w.queue, w.attempt, false, w.waiter;
END
    $$;

ALTER FUNCTION public.app_due_work(quiet interval, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_email_conditions(account uuid, query tsquery, sender text, only_processed boolean, tag text, OUT led text, OUT kept text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
    led := format('e.account_id = %L', account) || COALESCE(' AND lower(e.from_email) = ' || quote_literal(lower(sender)), '')
        || COALESCE(' AND e.processed = ' || only_processed, '');
    kept := 'true' || COALESCE(' AND e.tags @> ARRAY[' || quote_literal(tag) || ']', '') || COALESCE(' AND e.words @@ ' || quote_literal(query), '');
END
    $$;

CREATE TABLE public.emails (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    external_id text NOT NULL,
    from_email text NOT NULL,
    from_name text DEFAULT ''::text NOT NULL,
    to_emails text[] DEFAULT '{}'::text[] NOT NULL,
    subject text,
    content text DEFAULT ''::text NOT NULL,
    content_preview text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    attachments_count integer DEFAULT 0 NOT NULL,
    processed boolean DEFAULT false NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    words tsvector DEFAULT ''::tsvector NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    raw_storage_path text
);
ALTER TABLE ONLY public.emails ALTER COLUMN content SET COMPRESSION lz4;
ALTER TABLE ONLY public.emails ALTER COLUMN words SET COMPRESSION lz4;

ALTER TABLE ONLY public.emails FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.app_email_facets(e public.emails) RETURNS text[]
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
    facets text[] := ARRAY['#a:' || e.account_id, '#f:' || lower(e.from_email), '#p:' || e.processed];
    tag text;
BEGIN
    FOREACH tag IN ARRAY e.tags LOOP
        facets := facets || ('#g:' || tag);
    END LOOP;
    RETURN facets;
END
    $$;

CREATE FUNCTION public.app_email_page(account uuid, search text, sender text, about uuid, only_processed boolean, tag text, since timestamp with time zone, sort text, descending boolean, after timestamp with time zone, after_id uuid, skip bigint, take bigint) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET work_mem TO '32MB'
    AS $$
DECLARE
    query tsquery := app_query(search);
    place text := CASE sort WHEN 'updated_at' THEN 'e.updated_at' ELSE 'e.created_at' END;
    direction text := CASE WHEN descending THEN ' DESC' ELSE '' END;
    ordered text := place || direction || ', e.id' || direction;
    behind text := CASE WHEN after IS NULL THEN '' ELSE format(' AND (%s, e.id) %s (%L::timestamptz, %L::uuid)', place,
        CASE WHEN descending THEN '<' ELSE '>' END, after, after_id) END;
    changed text := COALESCE(' AND e.updated_at >= ' || quote_literal(since) || '::timestamptz', '');
    led text;
    kept text;
    facet tsquery;
    page uuid[];
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR search IS NOT NULL AND query IS NULL
        OR about IS NOT NULL AND app_company_access(about) IS DISTINCT FROM 'visible' THEN
        RETURN '{}';
    END IF;
    SELECT c.led || behind || changed, c.kept INTO led, kept FROM app_email_conditions(account, query, sender, only_processed, tag) AS c;
    IF about IS NULL AND (query IS NOT NULL OR tag IS NOT NULL) THEN
        page := app_email_walk(led, kept, ordered, skip, take);
        IF page IS NOT NULL THEN
            RETURN page;
        END IF;
        FOREACH facet IN ARRAY ARRAY[app_facet('a', account::text), app_facet('f', lower(sender)), app_facet('p', only_processed::text), app_facet('g', tag)] LOOP
            query := COALESCE(query && facet, query, facet);
        END LOOP;
        EXECUTE format('WITH hits AS MATERIALIZED (SELECT e.id, e.created_at, e.updated_at FROM emails e WHERE e.words @@ %L)
            SELECT array_agg(p.id) FROM (SELECT e.id FROM hits e WHERE true%s%s ORDER BY %s OFFSET %s LIMIT %s) AS p',
            query, behind, changed, ordered, skip, take) INTO page;
    ELSE
        EXECUTE format('SELECT array_agg(p.id) FROM (SELECT e.id FROM emails e %s WHERE %s AND %s ORDER BY %s OFFSET %s LIMIT %s) AS p',
            COALESCE('JOIN email_companies l ON l.email_id = e.id AND l.company_id = ' || quote_literal(about), ''), led, kept, ordered, skip, take) INTO page;
    END IF;
    RETURN COALESCE(page, '{}');
END
    $$;

ALTER FUNCTION public.app_email_page(account uuid, search text, sender text, about uuid, only_processed boolean, tag text, since timestamp with time zone, sort text, descending boolean, after timestamp with time zone, after_id uuid, skip bigint, take bigint) OWNER TO dealflow_system;

CREATE FUNCTION public.app_email_walk(led text, kept text, ordered text, skip bigint, take bigint) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
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

CREATE FUNCTION public.app_end_invitations() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM invitations i WHERE i.account_id = OLD.account_id AND i.invited_by = OLD.user_id AND i.accepted_at IS NULL
        AND (TG_OP = 'DELETE' OR NEW.role = 'member' OR i.role = 'owner' AND NEW.role <> 'owner');
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_end_invitations() OWNER TO dealflow_system;

CREATE FUNCTION public.app_end_lost_imports(quiet interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_end_lost_imports(quiet interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_end_mail(mail uuid, problem text, again interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    UPDATE mails SET error = problem, next_at = COALESCE(now() + again, next_at), sent_at = CASE WHEN problem IS NULL THEN now() END,
        failed_at = CASE WHEN problem IS NOT NULL AND again IS NULL THEN now() END
    WHERE id = mail
    $$;

ALTER FUNCTION public.app_end_mail(mail uuid, problem text, again interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_end_mail(mail uuid, of_attempt integer, problem text, again interval, counts boolean) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    UPDATE mails SET error = problem, next_at = COALESCE(now() + again, next_at), sent_at = CASE WHEN problem IS NULL THEN now() END,
        failed_at = CASE WHEN problem IS NOT NULL AND again IS NULL THEN now() END, tries = tries + counts::integer
    WHERE id = mail AND sent_at IS NULL AND (problem IS NULL OR attempt = of_attempt)
    $$;

ALTER FUNCTION public.app_end_mail(mail uuid, of_attempt integer, problem text, again interval, counts boolean) OWNER TO dealflow_system;

CREATE FUNCTION public.app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER COST 40
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    mine uuid[];
    ignored text; -- an assignment is no query, as PERFORM would be
BEGIN
    SELECT k.id, k.user_id, k.scopes, ARRAY(SELECT m.account_id FROM memberships m WHERE m.user_id = k.user_id)
    INTO proof, person, scopes, mine FROM api_keys k
    WHERE k.hash = key_hash AND (k.expires_at IS NULL OR k.expires_at > now());
    ignored := set_config('app.user_id', COALESCE(person::text, ''), true);
    ignored := set_config('app.accounts', COALESCE(person || mine::text, ''), true); -- as app_find_accounts would
END
    $$;

ALTER FUNCTION public.app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_enter_by_session(session_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER COST 40
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    SELECT s.session_id, s.user_id INTO proof, person FROM app_session_by_hash(session_hash) AS s;
    PERFORM set_config('app.user_id', COALESCE(person::text, ''), true);
END
    $$;

ALTER FUNCTION public.app_enter_by_session(session_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_extend_work(work_id uuid, work_attempt integer, lease interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH extended AS (
        UPDATE work SET lease_until = now() + lease WHERE id = work_id AND attempt = work_attempt AND state = 'running' RETURNING 1)
    SELECT EXISTS (SELECT 1 FROM extended)
    $$;

ALTER FUNCTION public.app_extend_work(work_id uuid, work_attempt integer, lease interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_facet(kind text, value text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT ('''' || replace(replace('#' || kind || ':' || value, '\', '\\'), '''', '''''') || '''')::tsquery $$;

CREATE FUNCTION public.app_fail_lost_receipts() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH lost AS (
        UPDATE receipts r SET status = 'failed', finished_at = now(),
            error = COALESCE((SELECT w.error FROM work w WHERE w.subject_id = r.id AND w.state = 'failed' LIMIT 1), 'its workers died')
        WHERE r.status = 'waiting' AND r.created_at < now() - interval '1 minute'
            AND NOT EXISTS (SELECT 1 FROM work w WHERE w.subject_id = r.id AND w.state IN ('queued', 'running'))
        RETURNING 1)
    SELECT count(*) FROM lost
    $$;

ALTER FUNCTION public.app_fail_lost_receipts() OWNER TO dealflow_system;

CREATE FUNCTION public.app_file_exists(file uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT EXISTS (SELECT 1 FROM company_files WHERE id = file) $$;

ALTER FUNCTION public.app_file_exists(file uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_find_accounts() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 200
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := NULLIF(current_setting('app.user_id', true), '');
    mine uuid[] := ARRAY(SELECT m.account_id FROM memberships m WHERE m.user_id = me);
BEGIN
    IF me IS NOT NULL THEN
        PERFORM set_config('app.accounts', me || mine::text, true);
    END IF;
    RETURN mine;
END
    $$;

ALTER FUNCTION public.app_find_accounts() OWNER TO dealflow_system;

CREATE FUNCTION public.app_fold(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF octet_length(given) = length(given) THEN
        RETURN lower(given COLLATE "C");
    END IF;
    RETURN replace(lower(upper(CASE WHEN given IS NFKC NORMALIZED THEN given ELSE normalize(given, NFKC) END)), 'ß', 'ss');
END
    $$;

CREATE FUNCTION public.app_forget_account_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM changes WHERE account_id = OLD.id;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_forget_account_changes() OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_accounts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('app.accounts', '', true);
    RETURN NULL;
END
    $$;

CREATE FUNCTION public.app_forget_audit(keep interval, most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    WITH gone AS (
        DELETE FROM audit_entries WHERE ctid = ANY (ARRAY(SELECT e.ctid FROM audit_entries e WHERE e.at < now() - keep LIMIT most)) RETURNING 1)
    SELECT count(*) FROM gone
    $$;

ALTER FUNCTION public.app_forget_audit(keep interval, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_changes(keep interval, most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_forget_changes(keep interval, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_idempotency_keys(age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH gone AS (DELETE FROM idempotency_keys WHERE created_at < now() - age AND lease_until < now() RETURNING 1) SELECT count(*) FROM gone
    $$;

ALTER FUNCTION public.app_forget_idempotency_keys(age interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_invitations(age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ WITH gone AS (DELETE FROM invitations WHERE expires_at < now() - age RETURNING 1) SELECT count(*) FROM gone $$;

ALTER FUNCTION public.app_forget_invitations(age interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_mailgun_tokens(age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ WITH gone AS (DELETE FROM mailgun_tokens WHERE created_at < now() - age RETURNING 1) SELECT count(*) FROM gone $$;

ALTER FUNCTION public.app_forget_mailgun_tokens(age interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_mails(age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    DELETE FROM address_proofs WHERE expires_at < now();
    WITH gone AS (DELETE FROM mails WHERE COALESCE(sent_at, failed_at) < now() - age RETURNING 1) SELECT count(*) FROM gone
    $$;

ALTER FUNCTION public.app_forget_mails(age interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_model_answers(age interval, most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH ranked AS (SELECT account_id, key, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at DESC) AS place FROM model_answers),
    gone AS (
        DELETE FROM model_answers m USING ranked r
        WHERE m.account_id = r.account_id AND m.key = r.key AND (r.created_at < now() - age OR r.place > most) RETURNING 1)
    SELECT count(*) FROM gone
    $$;

ALTER FUNCTION public.app_forget_model_answers(age interval, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_sessions() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    WITH gone AS (DELETE FROM sessions WHERE LEAST(expires_at, idle_until) <= now() RETURNING 1) SELECT count(*) FROM gone
    $$;

ALTER FUNCTION public.app_forget_sessions() OWNER TO dealflow_system;

CREATE FUNCTION public.app_forget_work(done_age interval, failed_age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH gone AS (DELETE FROM work
        WHERE state IN ('done', 'failed') AND finished_at < now() - CASE state WHEN 'done' THEN done_age ELSE failed_age END RETURNING 1)
    SELECT count(*) FROM gone
    $$;

ALTER FUNCTION public.app_forget_work(done_age interval, failed_age interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_founder_emails(metadata jsonb) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
DECLARE
    emails text[] := '{}';
    email text;
    found jsonb;
BEGIN
    IF jsonb_typeof(metadata) = 'object' AND NOT metadata ? 'founders' THEN
        RETURN emails;
    END IF;
    found := jsonb_path_query_array(metadata, 'lax $.founders[*].email ? (@.type() == "string")', '{}', true);
    FOR n IN 0 .. jsonb_array_length(found) - 1 LOOP
        email := lower(btrim(found ->> n, E' \t\r\n'));
        IF octet_length(email) <= 320 AND email ~ '^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$' AND email <> ALL (emails) THEN
            emails := emails || email;
        END IF;
        EXIT WHEN cardinality(emails) = 100;
    END LOOP;
    RETURN emails;
END
    $_$;

CREATE FUNCTION public.app_has_share(company uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := app_user_id();
BEGIN
    RETURN EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = company AND a.user_id = me)
        OR EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = company AND s.user_id = me);
END
    $$;

ALTER FUNCTION public.app_has_share(company uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_hidden_link_ids() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.link_id FROM shared_link_companies i JOIN companies c ON c.id = i.company_id JOIN shared_links l ON l.id = i.link_id
    WHERE i.account_id IN (SELECT app_account_ids()) AND l.created_by <> app_user_id()
        AND c.visibility = 'shared' AND c.created_by <> app_user_id() AND c.id NOT IN (SELECT app_shared_company_ids())
    $$;

ALTER FUNCTION public.app_hidden_link_ids() OWNER TO dealflow_system;

CREATE FUNCTION public.app_hold_files(account uuid, paths text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    INSERT INTO loose_files (storage_path, account_id) SELECT DISTINCT p, account FROM unnest(paths) AS p ORDER BY p
    ON CONFLICT (storage_path) DO UPDATE SET since = now()
    $$;

ALTER FUNCTION public.app_hold_files(account uuid, paths text[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_import_changes(ids uuid[]) RETURNS TABLE(id uuid, changed text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT i.id, i.xmin::text FROM imports i WHERE i.id = ANY (ids) $$;

ALTER FUNCTION public.app_import_changes(ids uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_index_company() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN -- it has no files yet
        IF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery THEN
            NEW.words := NEW.words || array_to_tsvector(app_company_facets(NEW));
            RETURN NEW;
        END IF;
        NEW.words := app_vector(app_company_facets(NEW) || app_words(concat_ws(E'\n', NEW.name, NEW.notes, app_strings(NEW.metadata), NEW.source_content)));
    ELSIF current_setting('app.texts_first', true) = 'on' THEN
        NEW.words := app_company_vector(NEW);
    ELSIF NEW.words <> OLD.words THEN -- they come with what they are of, as with a new row
        IF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery
            AND NOT EXISTS (SELECT 1 FROM file_texts f WHERE f.company_id = NEW.id) THEN
            NEW.words := NEW.words || array_to_tsvector(app_company_facets(NEW));
        ELSE
            NEW.words := app_company_vector(NEW);
        END IF;
    ELSIF NEW.name <> OLD.name OR NEW.notes IS DISTINCT FROM OLD.notes OR NEW.metadata <> OLD.metadata OR NEW.source_content IS DISTINCT FROM OLD.source_content THEN
        NEW.words := COALESCE(app_added_vector(NEW, OLD), app_company_vector(NEW));
    ELSIF NEW.visibility <> OLD.visibility OR NEW.source <> OLD.source OR NEW.company_status_id IS DISTINCT FROM OLD.company_status_id
        OR NEW.created_by <> OLD.created_by THEN
        NEW.words := app_refacet(NEW); -- a status that changes does not cost reading a long text again
    END IF;
    RETURN NEW;
END
    $$;

ALTER FUNCTION public.app_index_company() OWNER TO dealflow_system;

CREATE FUNCTION public.app_index_email() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW.words := ts_delete(OLD.words, app_email_facets(OLD)) || array_to_tsvector(app_email_facets(NEW));
    ELSIF NEW.words <> ''::tsvector AND NOT NEW.words @@ '''#'':*'::tsquery THEN
        NEW.words := NEW.words || array_to_tsvector(app_email_facets(NEW));
    ELSE
        NEW.words := app_vector(app_email_facets(NEW)
            || app_words(concat_ws(E'\n', NEW.subject, NEW.from_name, NEW.from_email, array_to_string(NEW.to_emails, E'\n'), NEW.content)));
    END IF;
    RETURN NEW;
END
    $$;

CREATE FUNCTION public.app_index_people() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE companies c SET words = app_refacet(c) WHERE c.id = COALESCE(NEW.company_id, OLD.company_id) AND c.visibility = 'shared';
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_index_people() OWNER TO dealflow_system;

CREATE FUNCTION public.app_index_text() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF current_setting('app.texts_first', true) = 'on' THEN
        RETURN NULL;
    ELSIF TG_OP = 'INSERT' THEN
        UPDATE companies c SET words = CASE WHEN pg_column_size(c.words) + pg_column_size(NEW.words || ''::tsvector) > 900000
            THEN app_company_vector(c) ELSE c.words || NEW.words END WHERE c.id = NEW.company_id;
    ELSE
        UPDATE companies c SET words = app_company_vector(c) WHERE c.id = OLD.company_id;
    END IF;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_index_text() OWNER TO dealflow_system;

CREATE FUNCTION public.app_integration_by_token(hash bytea) RETURNS TABLE(id uuid, account_id uuid, kind text, enabled boolean, create_companies boolean, secret bytea, signing_key bytea, runs_as uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, i.account_id, i.kind, i.enabled, i.create_companies, i.secret, i.signing_key,
        CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = i.account_id AND m.user_id = i.created_by)
            THEN i.created_by ELSE app_oldest_owner(i.account_id) END
    FROM integrations i WHERE i.token_hash = hash
    $$;

ALTER FUNCTION public.app_integration_by_token(hash bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_invitation_by_hash(token_hash bytea) RETURNS TABLE(invitation_id uuid, account_id uuid, email text, mailed boolean, used boolean, expired boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT i.id, i.account_id, i.email, i.hash <> token_hash, i.accepted_at IS NOT NULL, i.expires_at <= now() FROM invitations i
        WHERE i.hash = token_hash OR i.id = (SELECT p.invitation_id FROM address_proofs p WHERE p.hash = token_hash AND p.kind = 'invitation');
END
    $$;

ALTER FUNCTION public.app_invitation_by_hash(token_hash bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_invitation_mail_failed(invitation uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM mails m JOIN invitations i ON i.id = m.invitation_id
        WHERE m.invitation_id = invitation AND m.failed_at IS NOT NULL AND i.account_id IN (SELECT app_account_ids()))
    $$;

ALTER FUNCTION public.app_invitation_mail_failed(invitation uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_invitation_page(token_hash bytea) RETURNS TABLE(account_name text, inviter text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT a.name, u.name FROM app_invitation_by_hash(token_hash) f JOIN invitations i ON i.id = f.invitation_id
        JOIN accounts a ON a.id = i.account_id JOIN users u ON u.id = i.invited_by;
END
    $$;

ALTER FUNCTION public.app_invitation_page(token_hash bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_is_analyzed(companies uuid[]) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT EXISTS (SELECT 1 FROM work WHERE subject_id = ANY (companies) AND kind IN ('company.analyse', 'company.reread')
        AND state IN ('queued', 'running')) $$;

ALTER FUNCTION public.app_is_analyzed(companies uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_is_deck(role text, media_type text, sha256 text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT COALESCE(role = 'deck' AND sha256 <> '' AND media_type IN ('application/pdf', 'application/vnd.ms-powerpoint', 'application/vnd.apple.keynote',
        'application/vnd.openxmlformats-officedocument.presentationml.presentation', 'application/vnd.oasis.opendocument.presentation'), false)
    $$;

CREATE FUNCTION public.app_is_member(account uuid, address text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = address AND m.account_id = account) $$;

ALTER FUNCTION public.app_is_member(account uuid, address text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_keep_companies_seen(companies uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    UPDATE companies c SET created_by = app_oldest_owner(c.account_id)
    WHERE c.id = ANY ($1) AND c.visibility = 'shared'
        AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = c.account_id AND m.user_id = c.created_by)
        AND NOT EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id)
        AND NOT EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id)
    $_$;

ALTER FUNCTION public.app_keep_companies_seen(companies uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_keep_mails() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE mails SET invitation_id = NULL, attempt = attempt + 1, failed_at = CASE WHEN sent_at IS NULL THEN COALESCE(failed_at, now()) END
        WHERE invitation_id = OLD.id AND attempt > 0;
    RETURN OLD;
END
    $$;

ALTER FUNCTION public.app_keep_mails() OWNER TO dealflow_system;

CREATE FUNCTION public.app_key_user(key uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT user_id FROM api_keys WHERE id = key $$;

ALTER FUNCTION public.app_key_user(key uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_know_company() RETURNS trigger
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
        CONTINUE WHEN NOT EXISTS (SELECT 1 FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key);
        CONTINUE WHEN EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id WHERE lower(u.email) = key AND m.account_id = NEW.account_id);
        INSERT INTO email_companies (email_id, company_id, account_id)
        SELECT e.id, NEW.id, NEW.account_id FROM emails e WHERE e.account_id = NEW.account_id AND lower(e.from_email) = key
        ORDER BY e.created_at DESC, e.id DESC LIMIT 100
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_know_company() OWNER TO dealflow_system;

CREATE FUNCTION public.app_know_deck() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_know_deck() OWNER TO dealflow_system;

CREATE FUNCTION public.app_link_by_code(code text) RETURNS TABLE(link_id uuid, account_id uuid, created_by uuid, password_hash text, expires_at timestamp with time zone, ask_email boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT l.id, l.account_id, l.created_by, l.password_hash, l.expires_at, l.ask_email FROM shared_links l
    WHERE l.short_code = code AND EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = l.account_id AND m.user_id = l.created_by)
    $$;

ALTER FUNCTION public.app_link_by_code(code text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_link_emails(account uuid, email_ids uuid[], addresses text[], domains text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    IF account NOT IN (SELECT app_account_ids()) OR NOT EXISTS (SELECT 1 FROM company_keys WHERE account_id = account AND kind IN ('email', 'domain')) THEN
        RETURN;
    END IF;
    INSERT INTO email_companies (email_id, company_id, account_id)
    SELECT e.id, c.id, account
    FROM (
        SELECT f.email_id, f.company_id, row_number() OVER (PARTITION BY f.email_id ORDER BY f.company_id) AS place FROM (
            SELECT g.email_id, k.company_id
            FROM unnest(email_ids, addresses) AS g (email_id, address) CROSS JOIN LATERAL (
                SELECT x.company_id FROM company_keys x WHERE x.account_id = account AND x.kind = 'email' AND x.value = g.address LIMIT 100) AS k
            UNION SELECT g.email_id, unnest(k.ids)
            FROM unnest(email_ids, domains) AS g (email_id, domain) CROSS JOIN LATERAL (
                SELECT array_agg(y.company_id) AS ids FROM (
                    SELECT x.company_id FROM company_keys x WHERE x.account_id = account AND x.kind = 'domain' AND x.value = g.domain LIMIT 21) AS y) AS k
            WHERE g.domain <> '' AND cardinality(k.ids) <= 20) AS f) AS b
        JOIN emails e ON e.id = b.email_id AND e.account_id = account JOIN companies c ON c.id = b.company_id
    WHERE b.place <= 100 ORDER BY e.id, c.id FOR KEY SHARE OF c
    ON CONFLICT DO NOTHING;
END
    $$;

ALTER FUNCTION public.app_link_emails(account uuid, email_ids uuid[], addresses text[], domains text[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_list_imports(most integer) RETURNS TABLE(id uuid, account_id uuid, account_name text, kind text, format text, status text, total bigint, processed bigint, created bigint, duplicates bigint, failed bigint, error text, created_at timestamp with time zone, finished_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT i.id, i.account_id, a.name, i.kind, i.format, i.status, i.total, i.processed, i.created, i.duplicates, i.failed, i.error, i.created_at, i.finished_at
    FROM imports i JOIN accounts a ON a.id = i.account_id ORDER BY i.created_at DESC, i.id DESC LIMIT most
    $$;

ALTER FUNCTION public.app_list_imports(most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_list_work(wanted text, most integer) RETURNS TABLE(id uuid, kind text, queue text, account_id uuid, subject_id uuid, state text, attempt integer, max_attempts integer, failures integer, losses integer, outages integer, error text, interruption text, run_after timestamp with time zone, created_at timestamp with time zone, finished_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT id, kind, queue, account_id, subject_id, state, attempt, max_attempts, failures, losses, outages, error, interruption,
        run_after, created_at, finished_at
    FROM work WHERE CASE wanted WHEN '' THEN state <> 'done' ELSE state = wanted END ORDER BY created_at DESC, id LIMIT most
    $$;

ALTER FUNCTION public.app_list_work(wanted text, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_loosen_files() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'emails' THEN
        INSERT INTO loose_files (storage_path, account_id) SELECT DISTINCT raw_storage_path, account_id FROM gone
        WHERE starts_with(raw_storage_path, 'emails/' || account_id || '/') ORDER BY 1 ON CONFLICT (storage_path) DO UPDATE SET since = now();
    ELSE
        INSERT INTO loose_files (storage_path, account_id) SELECT DISTINCT storage_path, account_id FROM gone
        WHERE starts_with(storage_path, 'emails/' || account_id || '/') ORDER BY 1 ON CONFLICT (storage_path) DO UPDATE SET since = now();
    END IF;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_loosen_files() OWNER TO dealflow_system;

CREATE FUNCTION public.app_mail_disabled_webhook(hook uuid, base text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    addressee record;
BEGIN
    FOR addressee IN SELECT u.id, u.email
        FROM webhooks w JOIN memberships m ON m.account_id = w.account_id AND m.role IN ('owner', 'admin') JOIN users u ON u.id = m.user_id
        WHERE w.id = hook AND NOT w.enabled AND w.disabled_reason IS NOT NULL AND w.account_id IN (SELECT app_account_ids())
            AND u.proven_at IS NOT NULL
        ORDER BY lower(u.email) COLLATE "C"
    LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('mails:webhook:' || lower(addressee.email), 0));
        INSERT INTO mails (id, kind, email, user_id, webhook_id, base_url)
        SELECT gen_random_uuid(), 'webhook', addressee.email, addressee.id, hook, base
        WHERE (SELECT count(*) FROM mails o WHERE lower(o.email) = lower(addressee.email) AND o.kind = 'webhook'
            AND o.created_at > now() - interval '1 hour') < 10;
    END LOOP;
END
    $$;

ALTER FUNCTION public.app_mail_disabled_webhook(hook uuid, base text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_mail_wait(wanted text) RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT COALESCE((SELECT EXTRACT(EPOCH FROM m.created_at + interval '1 hour' - now())::double precision FROM mails m
        WHERE m.user_id = app_user_id() AND m.kind = wanted AND m.created_at > now() - interval '1 hour'
        ORDER BY m.created_at DESC OFFSET 9 LIMIT 1), 0)
    $$;

ALTER FUNCTION public.app_mail_wait(wanted text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_mark_imported() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    changed uuid;
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' AND TG_ARGV[0] = 'id' THEN -- without a JSON of all that the row holds
        changed := NEW.id;
    ELSE
        changed := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END) ->> TG_ARGV[0];
    END IF;
    UPDATE import_things i SET changed_at = now() WHERE i.thing = changed AND i.changed_at IS NULL;
    RETURN NULL;
END
    $$;

ALTER FUNCTION public.app_mark_imported() OWNER TO dealflow_system;

CREATE FUNCTION public.app_merge(merge uuid, survivor uuid, other uuid, changes jsonb, takes_deck boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
    $_$;

ALTER FUNCTION public.app_merge(merge uuid, survivor uuid, other uuid, changes jsonb, takes_deck boolean) OWNER TO dealflow_system;

CREATE FUNCTION public.app_merge_rows(merge uuid) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT COALESCE(jsonb_agg(jsonb_build_object('part', r.part, 'what', r.what, 'row_id', r.row_id, 'was', r.was) ORDER BY r.part, r.what, r.row_id), '[]')
    FROM company_merges m JOIN company_merge_rows r ON r.merge_id = m.id
    WHERE m.id = merge AND m.account_id = ANY (app_accounts()) AND app_company_access(m.company_id) = 'visible'
        AND r.part NOT IN ('shared_link_companies', 'link_page_times')
    $$;

ALTER FUNCTION public.app_merge_rows(merge uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_move_companies(account uuid, from_status uuid, to_status uuid) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH moved AS (
        UPDATE companies SET company_status_id = to_status, updated_by = app_user_id(), updated_at = now()
        WHERE account_id = account AND company_status_id = from_status AND app_account_role(account) IN ('owner', 'admin')
        RETURNING 1)
    SELECT count(*) FROM moved
    $$;

ALTER FUNCTION public.app_move_companies(account uuid, from_status uuid, to_status uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_name_key(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
DECLARE
    -- What may stand after a name alone, or, in `weak`, only before or between such forms.
    forms CONSTANT text := 'inc|incorporated|corp|corporation|co|llc|llp|lp|pllc|pbc|plc|ltd|limited|cic|gmbh|ggmbh|mbh|ag|ug|kg|kgaa|ohg|gbr|ek|eg|se|sarl|sàrl|sas|sasu|eurl|sca'
        '|sa|srl|srls|spa|sapa|snc|bv|bvba|nv|vof|cv|cvba|oy|oyj|ab|hb|as|asa|aps|ivs|ehf|hf|kft|zrt|nyrt|bt|sp z oo|spzoo|sp k|sp j|psa|s r o|sro|as|spol s r o|spol s ro'
        '|doo|dd|dno|ood|eood|ad|ead|sia|uab|oü|ou|osaühing|tov|ooo|ооо|оао|зао|пао|ао|тоо|тов|ип|pty|pte|pvt|kk|gk|yk|pt|tbk|sdn bhd|bhd|berhad|ltda|ltd şti|ltd sti|şti|a ş'
        '|anonim şirketi|lda|unipessoal lda|sl|slu|slne|sac|eirl|spa|sapi de cv|sa de cv|srl de cv|s de rl de cv|rl de cv|epe|ike|ικε|αε|επε|fzco|fze|fz llc|dmcc|jsc|ojsc|cjsc|pjsc'
        '|haftungsbeschränkt|a s|s a|s l|b v|n v|k k';
    weak CONSTANT text := 'and|und|et|y|e|private|de';
    east CONSTANT text := '株式会社|有限会社|合同会社|合資会社|股份有限公司|有限责任公司|有限責任公司|有限公司|주식회사|유한회사|\(주\)|\(株\)|\(有\)';
    folded CONSTANT text := replace(app_fold(given), '.', '');
    ascii CONSTANT boolean := octet_length(folded) = length(folded);
    words text;
    bare text;
BEGIN
    IF octet_length(given) <= 64 AND given ~ '^[0-9A-Za-z]+( [0-9A-Za-z]+)*$' THEN
        words := folded; -- as cutting leaves it
    ELSE
        words := array_to_string(app_cut(CASE WHEN ascii THEN folded ELSE regexp_replace(folded, east, ' ', 'g') END, false), ' ');
    END IF;
    bare := words;
    IF strpos(forms || '|', substring(words FROM '[^ ]*$') || '|') > 0 THEN
        bare := regexp_replace(words, '(?: (?:' || weak || '))*(?: (?:' || forms || '))(?:(?: (?:' || weak || '))*(?: (?:' || forms || ')))*$', '');
    END IF;
    IF NOT ascii THEN
        bare := regexp_replace(bare, '^(?:ооо|оао|зао|пао|ао|тоо|ип) ', '');
    END IF;
    IF bare = '' THEN
        bare := COALESCE(NULLIF(words, ''), array_to_string(app_cut(folded, false), ' '));
    END IF;
    RETURN CASE WHEN bare IN ('untitled company', 'untitled', 'unnamed', 'unnamed company', 'unknown', 'unknown company', 'no name', 'n a', 'na', 'none', 'tbd', 'tba',
        'stealth', 'stealth mode', 'stealth startup', 'stealth mode startup', 'stealth company', 'newco', 'new company', 'company', 'startup', 'my company', 'confidential')
        THEN '' ELSE left(bare, 300) END;
END
    $_$;

CREATE FUNCTION public.app_newest_activity(account uuid, most integer) RETURNS TABLE(id uuid, account_id uuid, user_id uuid, type text, description text, company_id uuid, created_at timestamp with time zone, company_name text)
    LANGUAGE plpgsql STABLE ROWS 20
    SET search_path TO 'public', 'pg_temp'
    SET work_mem TO '64kB'
    AS $$
BEGIN
    RETURN QUERY SELECT a.id, a.account_id, a.user_id, a.type, a.description, a.company_id, a.created_at, c.name
        FROM activity a LEFT JOIN companies c ON c.id = a.company_id
        WHERE a.account_id = account ORDER BY a.created_at DESC, a.id DESC LIMIT most;
END
    $$;

CREATE FUNCTION public.app_note_change(of_account uuid, of_kind text, what text, it uuid, seen_by uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes AS c (account_id, kind, action, thing, lost) VALUES (of_account, of_kind, what, it, seen_by)
    ON CONFLICT (account_id, xid, thing) DO UPDATE SET lost = c.lost || EXCLUDED.lost, action = CASE EXCLUDED.action WHEN 'deleted' THEN 'deleted' ELSE c.action END
        WHERE EXCLUDED.lost IS NOT NULL;
END
    $$;

CREATE FUNCTION public.app_note_uses(uses jsonb, idle interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
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

ALTER FUNCTION public.app_note_uses(uses jsonb, idle interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_oldest_owner(account uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT user_id FROM memberships WHERE account_id = account AND role = 'owner' ORDER BY created_at, id LIMIT 1 $$;

ALTER FUNCTION public.app_oldest_owner(account uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_origin() RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN -- not SQL: the condition of a trigger would be parsed and planned anew by each statement
    RETURN COALESCE(current_setting('app.origin', true), '');
END
    $$;

CREATE FUNCTION public.app_own_password() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT u.password_hash FROM users u WHERE u.id = app_user_id() $$;

ALTER FUNCTION public.app_own_password() OWNER TO dealflow_system;

CREATE FUNCTION public.app_owner_account_ids() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20 ROWS 3
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    me uuid := app_user_id();
BEGIN
    RETURN QUERY SELECT m.account_id FROM memberships m WHERE m.user_id = me AND m.role = 'owner';
END
    $$;

ALTER FUNCTION public.app_owner_account_ids() OWNER TO dealflow_system;

CREATE FUNCTION public.app_peer_ids() RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 40 ROWS 20
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    mine uuid[] := app_accounts();
BEGIN
    RETURN QUERY SELECT m.user_id FROM memberships m WHERE m.account_id = ANY (mine);
END
    $$;

ALTER FUNCTION public.app_peer_ids() OWNER TO dealflow_system;

CREATE FUNCTION public.app_proof_user(token_hash bytea, of_kind text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ SELECT user_id FROM address_proofs WHERE hash = token_hash AND kind = of_kind AND expires_at > now() $$;

ALTER FUNCTION public.app_proof_user(token_hash bytea, of_kind text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_prove_user(claimant uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE users SET proven_at = COALESCE(proven_at, now()) WHERE id = claimant;
    RETURN FOUND;
EXCEPTION WHEN unique_violation THEN
    RETURN false;
END
    $$;

ALTER FUNCTION public.app_prove_user(claimant uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_query(given text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT string_agg(DISTINCT '''' || w || '''', ' & ')::tsquery FROM unnest(app_cut(app_fold(given), false)) AS w $$;

CREATE FUNCTION public.app_read_text() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public'
    AS $$
BEGIN
    NEW.words := app_vector(app_words(concat_ws(E'\n', NEW.title, (SELECT string_agg(p, E'\n') FROM jsonb_array_elements_text(NEW.pages) AS p))));
    RETURN NEW;
END
    $$;

CREATE FUNCTION public.app_record_viewers(account uuid, company uuid) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF company IS NULL THEN
        RETURN ARRAY['00000000-0000-0000-0000-000000000000'::uuid];
    END IF;
    RETURN COALESCE((SELECT app_company_viewers(c.id, c.visibility, c.created_by) FROM companies c WHERE c.id = company),
        (SELECT d.lost FROM changes d WHERE d.account_id = account AND d.xid = pg_current_xact_id() AND d.thing = company));
END
    $$;

CREATE FUNCTION public.app_refacet(c public.companies) RETURNS tsvector
    LANGUAGE plpgsql STABLE
    AS $_$
DECLARE
    held CONSTANT text[] := tsvector_to_array(c.words);
    facets integer := 0;
BEGIN
    WHILE held[facets + 1] < '$' COLLATE "C" LOOP
        facets := facets + 1;
    END LOOP;
    RETURN ts_delete(c.words, held[:facets]) || array_to_tsvector(app_company_facets(c));
END
    $_$;

CREATE FUNCTION public.app_release_submissions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_release_submissions() OWNER TO dealflow_system;

CREATE FUNCTION public.app_remove_member(account uuid, member uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    caller_role text;
    member_role text;
BEGIN
    PERFORM 1 FROM accounts WHERE id = account FOR NO KEY UPDATE; -- two owners who leave at once would both see the other stay
    caller_role := app_account_role(account);
    SELECT role INTO member_role FROM memberships WHERE account_id = account AND user_id = member;
    IF caller_role IS NULL OR caller_role = '' OR (caller_role = 'member' AND member <> app_user_id()) THEN
        RETURN 'denied';
    ELSIF member_role IS NULL THEN
        RETURN 'missing';
    ELSIF member_role = 'owner' AND caller_role <> 'owner' THEN
        RETURN 'denied';
    ELSIF member_role = 'owner' AND NOT EXISTS (SELECT 1 FROM memberships WHERE account_id = account AND role = 'owner' AND user_id <> member) THEN
        RETURN 'last_owner';
    END IF;
    DELETE FROM memberships WHERE account_id = account AND user_id = member;
    UPDATE companies c SET created_by = app_oldest_owner(account)
    WHERE c.account_id = account AND (c.created_by = member
        OR NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = account AND m.user_id = c.created_by)) AND (c.visibility = 'private' OR (c.visibility = 'shared'
        AND NOT EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id)
        AND NOT EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id)));
    RETURN 'removed';
END
    $$;

ALTER FUNCTION public.app_remove_member(account uuid, member uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_renew_work(work_id uuid, work_attempt integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ UPDATE work SET attempt = attempt + 1, told_at = NULL WHERE id = work_id AND attempt = work_attempt AND state = 'queued' $$;

ALTER FUNCTION public.app_renew_work(work_id uuid, work_attempt integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_reseal(of uuid, member text, sealed bytea, again bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    CASE member
    WHEN 'token' THEN UPDATE integrations i SET token = again WHERE i.id = of AND i.token = sealed;
    WHEN 'secret' THEN UPDATE integrations i SET secret = again WHERE i.id = of AND i.secret = sealed;
    WHEN 'signing_key' THEN UPDATE integrations i SET signing_key = again WHERE i.id = of AND i.signing_key = sealed;
    WHEN 'totp' THEN UPDATE second_factors f SET secret = again WHERE f.user_id = of AND f.secret = sealed;
    WHEN 'webhook' THEN UPDATE webhooks w SET secret = again WHERE w.id = of AND w.secret = sealed;
    WHEN 'webhook_old' THEN UPDATE webhooks w SET old_secret = again WHERE w.id = of AND w.old_secret = sealed;
    END CASE;
    RETURN FOUND;
END
    $$;

ALTER FUNCTION public.app_reseal(of uuid, member text, sealed bytea, again bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_reset_password(token_hash bytea, new_password_hash text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    claimant uuid;
    proven boolean;
BEGIN
    SELECT p.user_id, u.proven_at IS NOT NULL INTO claimant, proven FROM address_proofs p JOIN users u ON u.id = p.user_id
        WHERE p.hash = token_hash AND p.kind = 'reset' AND p.expires_at > now() FOR UPDATE OF p;
    IF claimant IS NULL OR NOT app_prove_user(claimant) THEN
        RETURN NULL;
    END IF;
    UPDATE users SET password_hash = new_password_hash, updated_at = now() WHERE id = claimant;
    DELETE FROM sessions WHERE user_id = claimant;
    DELETE FROM address_proofs WHERE user_id = claimant;
    IF NOT proven THEN
        DELETE FROM api_keys WHERE user_id = claimant;
        DELETE FROM recovery_codes WHERE user_id = claimant;
        DELETE FROM second_factors WHERE user_id = claimant;
    END IF;
    RETURN claimant;
END
    $$;

ALTER FUNCTION public.app_reset_password(token_hash bytea, new_password_hash text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_reset_users(address text) RETURNS TABLE(user_id uuid, account_name text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT u.id, CASE WHEN u.proven_at IS NULL THEN COALESCE(a.name, '') ELSE '' END
        FROM users u LEFT JOIN accounts a ON a.id = u.home_account_id
        WHERE lower(u.email) = lower(address) AND (u.proven_at IS NOT NULL
            OR NOT EXISTS (SELECT 1 FROM users p WHERE lower(p.email) = lower(address) AND p.proven_at IS NOT NULL))
        ORDER BY u.created_at LIMIT 5;
END
    $$;

ALTER FUNCTION public.app_reset_users(address text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_restore_activity(account uuid, entries json) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_restore_activity(account uuid, entries json) OWNER TO dealflow_system;

CREATE FUNCTION public.app_restore_merges(account uuid, lines json) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
    $_$;

ALTER FUNCTION public.app_restore_merges(account uuid, lines json) OWNER TO dealflow_system;

CREATE FUNCTION public.app_restore_views(account uuid, lines json) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_restore_views(account uuid, lines json) OWNER TO dealflow_system;

CREATE FUNCTION public.app_restored_id(account uuid, kind text, was uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_restored_id(account uuid, kind text, was uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_restored_member(account uuid, people jsonb, was text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.account_id = account AND (m.user_id = was::uuid OR lower(u.email) = lower(people ->> was))
    ORDER BY m.user_id <> was::uuid, m.user_id LIMIT 1
    $$;

ALTER FUNCTION public.app_restored_member(account uuid, people jsonb, was text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_restored_status(account uuid, statuses jsonb, was text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT s.id FROM company_statuses s
    WHERE s.account_id = account AND (s.id = app_restored_id(account, 'company_statuses', was::uuid) OR lower(s.name) = lower(statuses ->> was))
    ORDER BY s.id <> app_restored_id(account, 'company_statuses', was::uuid), s.rank, s.id LIMIT 1
    $$;

ALTER FUNCTION public.app_restored_status(account uuid, statuses jsonb, was text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_retry_work(only_id uuid) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE work SET state = 'queued', attempt = attempt + 1, failures = 0, losses = 0, outages = 0, interruption = NULL,
        run_after = now(), told_at = NULL, finished_at = NULL
    WHERE state = 'failed' AND (only_id IS NULL OR id = only_id) RETURNING id
    $$;

ALTER FUNCTION public.app_retry_work(only_id uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_saw(thing uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 50
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN EXISTS (SELECT FROM changes d WHERE d.thing = app_saw.thing AND d.action = 'deleted'
        AND d.lost && ARRAY['00000000-0000-0000-0000-000000000000'::uuid, app_user_id()]);
END
    $$;

ALTER FUNCTION public.app_saw(thing uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_sealed() RETURNS TABLE(id uuid, member text, sealed bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT i.id, v.member, v.sealed FROM integrations i, LATERAL (VALUES ('token', i.token), ('secret', i.secret), ('signing_key', i.signing_key)) v(member, sealed)
        WHERE v.sealed IS NOT NULL
    UNION ALL SELECT f.user_id, 'totp', f.secret FROM second_factors f
    UNION ALL SELECT w.id, v.member, v.sealed FROM webhooks w, LATERAL (VALUES ('webhook', w.secret), ('webhook_old', w.old_secret)) v(member, sealed)
        WHERE v.sealed IS NOT NULL
    $$;

ALTER FUNCTION public.app_sealed() OWNER TO dealflow_system;

CREATE FUNCTION public.app_sees(kind text, thing uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE COST 50
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

CREATE FUNCTION public.app_session_by_hash(session_hash bytea) RETURNS TABLE(session_id uuid, user_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT s.id, s.user_id FROM sessions s
        WHERE s.hash = session_hash AND s.expires_at > now() AND s.idle_until > now();
END
    $$;

ALTER FUNCTION public.app_session_by_hash(session_hash bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_settle_company(company uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_settle_company(company uuid) OWNER TO dealflow_system;

CREATE FUNCTION public.app_settled_work(ids uuid[]) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT id FROM work WHERE id = ANY (ids) AND state IN ('done', 'failed') $$;

ALTER FUNCTION public.app_settled_work(ids uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_shared_company_ids() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT company_id FROM company_assignees WHERE user_id = app_user_id()
    UNION SELECT company_id FROM company_shares WHERE user_id = app_user_id()
    $$;

ALTER FUNCTION public.app_shared_company_ids() OWNER TO dealflow_system;

CREATE FUNCTION public.app_sort_email_words() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT gin_clean_pending_list('public.emails_words') $$;

CREATE FUNCTION public.app_strings(given jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
DECLARE
    path CONSTANT jsonpath := 'strict $.** ? (@.type() == "string")';
    found text;
BEGIN
    IF given = '{}' THEN
        RETURN '';
    END IF;
    found := jsonb_path_query_array(given, path);
    IF strpos(found, '\') = 0 THEN -- nothing is escaped, so quotes are between strings alone
        RETURN replace(substr(found, 3, greatest(length(found) - 4, 0)), '", "', E'\n');
    END IF;
    RETURN (SELECT COALESCE(string_agg(s #>> '{}', E'\n'), '') FROM jsonb_path_query(given, path) AS s);
END
    $_$;

CREATE FUNCTION public.app_suffixes(host text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    labels text[] := string_to_array(btrim(lower(host), '.'), '.');
    suffixes text[] := '{}';
BEGIN
    IF octet_length(host) <= 253 THEN
        FOR n IN greatest(1, cardinality(labels) - 5) .. cardinality(labels) - 1 LOOP
            suffixes := suffixes || array_to_string(labels[n:], '.');
        END LOOP;
    END IF;
    RETURN suffixes;
END
    $$;

CREATE FUNCTION public.app_take_loose_files(age interval, most integer) RETURNS TABLE(storage_path text, nobodys boolean)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH old AS MATERIALIZED (SELECT l.storage_path FROM loose_files l WHERE l.since < now() - age ORDER BY l.since LIMIT most FOR UPDATE SKIP LOCKED),
        taken AS (DELETE FROM loose_files l USING old o WHERE l.storage_path = o.storage_path)
    SELECT o.storage_path, NOT EXISTS (SELECT 1 FROM email_attachments a WHERE a.storage_path = o.storage_path)
        AND NOT EXISTS (SELECT 1 FROM emails e WHERE e.raw_storage_path = o.storage_path)
        AND NOT EXISTS (SELECT 1 FROM receipts r WHERE r.storage_path = o.storage_path)
    FROM old o
    $$;

ALTER FUNCTION public.app_take_loose_files(age interval, most integer) OWNER TO dealflow_system;

CREATE FUNCTION public.app_take_mails(most integer, lease interval) RETURNS TABLE(id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamp with time zone, account_name text, inviter text, account_id uuid, webhook_id uuid, webhook_url text, disabled_reason text, tries integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY
    WITH taken AS (
        UPDATE mails m SET next_at = now() + lease, attempt = m.attempt + 1
        WHERE m.id = ANY (ARRAY(SELECT d.id FROM mails d WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.next_at <= now()
            ORDER BY d.next_at LIMIT most FOR UPDATE SKIP LOCKED))
        RETURNING m.*)
    SELECT t.id, t.kind, t.email, t.user_id, t.invitation_id, t.base_url, t.attempt, t.created_at, COALESCE(a.name, ''), COALESCE(u.name, ''),
        w.account_id, w.id, COALESCE(w.url, ''), COALESCE(w.disabled_reason, ''), t.tries
    FROM taken t LEFT JOIN invitations i ON i.id = t.invitation_id LEFT JOIN webhooks w ON w.id = t.webhook_id
        LEFT JOIN accounts a ON a.id = COALESCE(i.account_id, w.account_id) LEFT JOIN users u ON u.id = i.invited_by;
END
    $$;

ALTER FUNCTION public.app_take_mails(most integer, lease interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_tidy_webhooks(keep interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM webhook_deliveries d WHERE d.created_at < now() - keep AND d.state <> 'pending';
    UPDATE webhook_deliveries d SET state = 'failed', error = 'it could not be worked on', next_at = NULL
        WHERE d.state = 'pending' AND NOT EXISTS (SELECT FROM work k WHERE k.subject_id = d.id AND k.state IN ('queued', 'running'));
END
    $$;

ALTER FUNCTION public.app_tidy_webhooks(keep interval) OWNER TO dealflow_system;

CREATE FUNCTION public.app_undo_activity(import uuid, entries uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY DELETE FROM activity a USING import_things i
        WHERE i.import_id = import AND i.kind = 'activity' AND i.thing = ANY (entries) AND a.id = i.thing AND a.account_id = i.account_id
            AND i.account_id = ANY (ARRAY(SELECT app_admin_account_ids())) RETURNING a.id;
END
    $$;

ALTER FUNCTION public.app_undo_activity(import uuid, entries uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_undo_merges(import uuid, merges uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

ALTER FUNCTION public.app_undo_merges(import uuid, merges uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_undo_verdicts(import uuid, of_kind text, things uuid[]) RETURNS TABLE(thing uuid, verdict text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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
            WHEN EXISTS (SELECT FROM companies c WHERE c.account_id = i.account_id AND c.company_status_id = i.thing)
                OR EXISTS (SELECT FROM saved_views v WHERE v.account_id = i.account_id AND v.company_status_id = i.thing) THEN 'in_use' END
        END
    FROM import_things i WHERE i.import_id = import AND i.kind = of_kind AND i.thing = ANY (things)
        AND i.account_id IN (SELECT m.account_id FROM memberships m WHERE m.user_id = app_user_id());
END
    $$;

ALTER FUNCTION public.app_undo_verdicts(import uuid, of_kind text, things uuid[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_unmerge(merge uuid, left_alone jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
        AND t.company_id = one.id AND to_jsonb(t) = to_jsonb(jsonb_populate_record(NULL::company_assignees, r.was));
    DELETE FROM company_shares t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'company_shares' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = to_jsonb(jsonb_populate_record(NULL::company_shares, r.was));
    DELETE FROM email_companies t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'email_companies' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = to_jsonb(jsonb_populate_record(NULL::email_companies, r.was));
    DELETE FROM shared_link_companies t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'shared_link_companies' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = to_jsonb(jsonb_populate_record(NULL::shared_link_companies, r.was));
    DELETE FROM corrections t USING company_merge_rows r WHERE r.merge_id = merge AND r.part = 'corrections' AND r.what = 'added'
        AND t.company_id = one.id AND to_jsonb(t) = to_jsonb(jsonb_populate_record(NULL::corrections, r.was));

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
    $_$;

ALTER FUNCTION public.app_unmerge(merge uuid, left_alone jsonb) OWNER TO dealflow_system;

CREATE FUNCTION public.app_unneeded_files(keys text[]) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$ SELECT k FROM unnest(keys) AS k WHERE NOT EXISTS (SELECT FROM company_files f WHERE f.storage_path = k) $$;

ALTER FUNCTION public.app_unneeded_files(keys text[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_use_sign_in_link(token_hash bytea, page bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH used AS (UPDATE address_proofs SET page_hash = page
        WHERE hash = token_hash AND kind = 'sign_in' AND user_id = app_user_id() AND expires_at > now() AND (page_hash IS NULL OR page_hash = page)
        RETURNING 1)
    SELECT EXISTS (SELECT 1 FROM used)
    $$;

ALTER FUNCTION public.app_use_sign_in_link(token_hash bytea, page bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_user_by_password(address text, hashes text[]) RETURNS TABLE(user_id uuid, password_hash text, proven boolean, home_account_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT u.id, u.password_hash, u.proven_at IS NOT NULL, u.home_account_id FROM users u
        WHERE lower(u.email) = lower(address) AND u.password_hash = ANY (hashes) ORDER BY u.created_at, u.id LIMIT 1;
END
    $$;

ALTER FUNCTION public.app_user_by_password(address text, hashes text[]) OWNER TO dealflow_system;

CREATE FUNCTION public.app_user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT NULLIF(current_setting('app.user_id', true), '')::uuid $$;

CREATE FUNCTION public.app_users_by_email(address text) RETURNS TABLE(user_id uuid, password_hash text, proven boolean, home_account_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT u.id, u.password_hash, u.proven_at IS NOT NULL, u.home_account_id FROM users u WHERE lower(u.email) = lower(address)
        ORDER BY u.proven_at IS NULL, u.created_at, u.id LIMIT 100;
END
    $$;

ALTER FUNCTION public.app_users_by_email(address text) OWNER TO dealflow_system;

CREATE FUNCTION public.app_vector(given text[]) RETURNS tsvector
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    room CONSTANT integer := 900000; -- bytes
BEGIN
    IF pg_column_size(given) > room AND (SELECT sum(octet_length(w)) FROM unnest(given) AS w) > room THEN
        given := COALESCE((SELECT array_agg(k.word) FROM (
            SELECT d.word, sum(octet_length(d.word)) OVER (ORDER BY d.place) AS upto
            FROM (SELECT w.word, min(w.place) AS place FROM unnest(given) WITH ORDINALITY AS w (word, place) GROUP BY w.word) AS d) AS k
            WHERE k.upto <= room), '{}');
    END IF;
    RETURN array_to_tsvector(given);
END
    $$;

CREATE FUNCTION public.app_verify_email(token_hash bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    claimant uuid;
BEGIN
    SELECT user_id INTO claimant FROM address_proofs WHERE hash = token_hash AND kind = 'verification' AND expires_at > now() FOR UPDATE;
    IF claimant IS NULL THEN
        RETURN NULL;
    END IF;
    IF NOT app_prove_user(claimant) THEN
        RETURN false;
    END IF;
    DELETE FROM address_proofs WHERE user_id = claimant AND kind = 'verification';
    RETURN true;
END
    $$;

ALTER FUNCTION public.app_verify_email(token_hash bytea) OWNER TO dealflow_system;

CREATE FUNCTION public.app_webhook_wait() RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT COALESCE(max(extract(epoch FROM now() - d.created_at)), 0) FROM webhook_deliveries d
        WHERE d.state = 'pending' AND d.attempted_at IS NULL AND d.next_at IS NULL
    $$;

ALTER FUNCTION public.app_webhook_wait() OWNER TO dealflow_system;

CREATE FUNCTION public.app_webhooks_behind() RETURNS TABLE(id uuid, account_id uuid, runs_as uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT w.id, w.account_id, CASE WHEN EXISTS (SELECT FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.created_by)
        THEN w.created_by ELSE app_oldest_owner(w.account_id) END
    FROM webhooks w WHERE w.enabled AND (w.place_database <> app_cluster() OR EXISTS (SELECT FROM changes c WHERE c.account_id = w.account_id
        AND (c.xid, c.thing) > (w.place_transaction, w.place_thing) AND c.xid < pg_snapshot_xmin(pg_current_snapshot())))
    $$;

ALTER FUNCTION public.app_webhooks_behind() OWNER TO dealflow_system;

CREATE FUNCTION public.app_words(given text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT app_cut(app_fold(left(given, 1000000)), true) $$;

CREATE FUNCTION public.app_work_load() RETURNS TABLE(account_id uuid, queue text, queued bigint, running bigint, seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT l.account_id, l.queue, count(*) FILTER (WHERE l.age IS NULL), count(l.age), coalesce(avg(l.age), 0)
        FROM (
            SELECT w.account_id, w.queue, NULL::double precision AS age FROM work w WHERE w.state = 'queued' AND w.queue <> 'bulk'
            UNION ALL
            SELECT w.account_id, w.queue, NULL FROM work w WHERE w.state = 'queued' AND w.queue = 'bulk' AND w.kind = 'company.analyse'
            UNION ALL
            SELECT w.account_id, w.queue, extract(epoch FROM now() - coalesce(w.started_at, now()))
                FROM work w WHERE w.lease_until IS NOT NULL AND w.state = 'running' AND (w.queue <> 'bulk' OR w.kind = 'company.analyse')
        ) AS l GROUP BY l.account_id, l.queue
    UNION ALL
    SELECT NULL, NULL, 0, 0, coalesce(avg(extract(epoch FROM f.finished_at - f.started_at)), 0)
        FROM (SELECT w.kind, w.started_at, w.finished_at FROM work w WHERE w.state IN ('done', 'failed') ORDER BY w.finished_at DESC LIMIT 200) AS f
        WHERE f.kind = 'company.analyse' AND f.finished_at > now() - interval '10 minutes'
    $$;

ALTER FUNCTION public.app_work_load() OWNER TO dealflow_system;

CREATE TABLE public.accounts (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.accounts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.activity (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    description text NOT NULL,
    company_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.activity FORCE ROW LEVEL SECURITY;

CREATE TABLE public.address_proofs (
    hash bytea NOT NULL,
    kind text NOT NULL,
    user_id uuid,
    invitation_id uuid,
    expires_at timestamp with time zone NOT NULL,
    page_hash bytea,
    CONSTRAINT address_proofs_check CHECK ((num_nonnulls(user_id, invitation_id) = 1)),
    CONSTRAINT address_proofs_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'verification'::text, 'reset'::text, 'sign_in'::text])))
);

ALTER TABLE ONLY public.address_proofs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    scopes text[] DEFAULT '{read,write,admin}'::text[] NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['read'::text, 'write'::text, 'admin'::text])))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_entries (
    account_id uuid NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    actor_id uuid,
    action text NOT NULL,
    target_type text NOT NULL,
    target_id uuid NOT NULL,
    target_name text,
    ip text,
    hidden boolean DEFAULT false NOT NULL,
    changes jsonb
);

ALTER TABLE ONLY public.audit_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.changes (
    account_id uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    thing uuid NOT NULL,
    kind text NOT NULL,
    action text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    lost uuid[],
    CONSTRAINT changes_action_check CHECK ((action = ANY (ARRAY['created'::text, 'updated'::text, 'deleted'::text]))),
    CONSTRAINT changes_kind_check CHECK ((kind = ANY (ARRAY['company'::text, 'meeting_minutes'::text, 'form_submission'::text, 'email'::text, 'company_status'::text])))
);

ALTER TABLE ONLY public.changes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.column_choices (
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    columns text[] NOT NULL
);

ALTER TABLE ONLY public.column_choices FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_assignees (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.company_assignees FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_counts (
    account_id uuid NOT NULL,
    viewer uuid NOT NULL,
    kind "char" NOT NULL,
    key text NOT NULL,
    count bigint NOT NULL
);

ALTER TABLE ONLY public.company_counts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_files (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    company_id uuid NOT NULL,
    role text NOT NULL,
    attachment_type text NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    title text NOT NULL,
    description text,
    storage_path text,
    link_url text,
    size_bytes bigint,
    media_type text,
    original_filename text,
    sha256 text,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT company_files_attachment_type_check CHECK ((attachment_type = ANY (ARRAY['file'::text, 'link'::text]))),
    CONSTRAINT company_files_role_check CHECK ((role = ANY (ARRAY['deck'::text, 'attachment'::text, 'undecided'::text])))
);

ALTER TABLE ONLY public.company_files FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_keys (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    inherited boolean DEFAULT false NOT NULL,
    CONSTRAINT company_keys_kind_check CHECK ((kind = ANY (ARRAY['deck'::text, 'email'::text, 'domain'::text, 'name'::text])))
);

ALTER TABLE ONLY public.company_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_merge_rows (
    merge_id uuid NOT NULL,
    account_id uuid NOT NULL,
    part text NOT NULL,
    what text NOT NULL,
    row_id uuid DEFAULT gen_random_uuid() NOT NULL,
    was jsonb NOT NULL,
    CONSTRAINT company_merge_rows_what_check CHECK ((what = ANY (ARRAY['moved'::text, 'removed'::text, 'added'::text])))
);

ALTER TABLE ONLY public.company_merge_rows FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_merges (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    company_id uuid NOT NULL,
    merged_id uuid NOT NULL,
    merged jsonb NOT NULL,
    changed jsonb DEFAULT '{}'::jsonb NOT NULL,
    keys text[] NOT NULL,
    merged_by uuid NOT NULL,
    merged_at timestamp with time zone DEFAULT now() NOT NULL,
    undone_by uuid,
    undone_at timestamp with time zone,
    kept jsonb DEFAULT '[]'::jsonb NOT NULL
);

ALTER TABLE ONLY public.company_merges FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_shares (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.company_shares FORCE ROW LEVEL SECURITY;

CREATE TABLE public.company_statuses (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    color text NOT NULL,
    description text,
    rank integer NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.company_statuses FORCE ROW LEVEL SECURITY;

CREATE TABLE public.corrections (
    company_id uuid NOT NULL,
    field text NOT NULL,
    account_id uuid NOT NULL,
    detected jsonb NOT NULL,
    corrected jsonb NOT NULL,
    cues jsonb NOT NULL,
    excerpt text NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT corrections_field_check CHECK ((field = ANY (ARRAY['name'::text, 'status'::text, 'source'::text, 'founders'::text])))
);

ALTER TABLE ONLY public.corrections FORCE ROW LEVEL SECURITY;

CREATE TABLE public.detections (
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    found jsonb NOT NULL,
    cues jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    written text DEFAULT ''::text NOT NULL,
    analysis jsonb DEFAULT 'null'::jsonb NOT NULL,
    review text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY public.detections ALTER COLUMN found SET COMPRESSION lz4;
ALTER TABLE ONLY public.detections ALTER COLUMN cues SET COMPRESSION lz4;
ALTER TABLE ONLY public.detections ALTER COLUMN written SET COMPRESSION lz4;
ALTER TABLE ONLY public.detections ALTER COLUMN analysis SET COMPRESSION lz4;

ALTER TABLE ONLY public.detections FORCE ROW LEVEL SECURITY;

CREATE TABLE public.email_attachments (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    email_id uuid NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    filename text NOT NULL,
    content_type text NOT NULL,
    size_bytes bigint NOT NULL,
    storage_path text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.email_attachments FORCE ROW LEVEL SECURITY;

CREATE TABLE public.email_companies (
    email_id uuid NOT NULL,
    company_id uuid NOT NULL,
    account_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.email_companies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.field_settings (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    field_type text NOT NULL,
    options jsonb DEFAULT '[]'::jsonb NOT NULL,
    required boolean DEFAULT false NOT NULL,
    "position" integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT field_settings_field_type_check CHECK ((field_type = ANY (ARRAY['text'::text, 'number'::text, 'date'::text, 'url'::text, 'email'::text, 'select'::text, 'multi_select'::text, 'boolean'::text])))
);

ALTER TABLE ONLY public.field_settings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.file_texts (
    file_id uuid NOT NULL,
    account_id uuid NOT NULL,
    company_id uuid NOT NULL,
    reader text NOT NULL,
    title text NOT NULL,
    pages jsonb NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    words tsvector DEFAULT ''::tsvector NOT NULL
);
ALTER TABLE ONLY public.file_texts ALTER COLUMN pages SET COMPRESSION lz4;
ALTER TABLE ONLY public.file_texts ALTER COLUMN words SET COMPRESSION lz4;

ALTER TABLE ONLY public.file_texts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.forgotten_changes (
    account_id uuid NOT NULL,
    xid xid8 NOT NULL
);

ALTER TABLE ONLY public.forgotten_changes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.form_submissions (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    data json NOT NULL,
    company_id uuid,
    integration_type text NOT NULL,
    external_id text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    processed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT form_submissions_integration_type_check CHECK ((integration_type = ANY (ARRAY['integration_a'::text, 'integration_b'::text, 'manual'::text]))),
    CONSTRAINT metadata_size CHECK ((octet_length((metadata)::text) <= 2097152))
);

ALTER TABLE ONLY public.form_submissions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.idempotency_keys (
    user_id uuid NOT NULL,
    key text NOT NULL,
    attempt uuid NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    fingerprint bytea,
    reference jsonb,
    status integer,
    content_type text,
    body bytea,
    lease_until timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_keys_state_check CHECK ((state = ANY (ARRAY['running'::text, 'committed'::text, 'answered'::text])))
);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.import_errors (
    import_id uuid NOT NULL,
    "row" bigint NOT NULL,
    account_id uuid NOT NULL,
    reason text NOT NULL
);

ALTER TABLE ONLY public.import_errors FORCE ROW LEVEL SECURITY;

CREATE TABLE public.import_things (
    import_id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    thing uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone,
    outcome text,
    reason text,
    CONSTRAINT import_things_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'form_submission'::text, 'meeting_minutes'::text, 'company'::text, 'file'::text, 'activity'::text, 'field'::text, 'company_status'::text, 'saved_view'::text, 'company_merge'::text]))),
    CONSTRAINT import_things_outcome_check CHECK ((outcome = ANY (ARRAY['removed'::text, 'gone'::text, 'kept'::text])))
);

ALTER TABLE ONLY public.import_things FORCE ROW LEVEL SECURITY;

CREATE TABLE public.imports (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    format text NOT NULL,
    create_companies boolean DEFAULT false NOT NULL,
    status text DEFAULT 'receiving'::text NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    processed bigint DEFAULT 0 NOT NULL,
    created bigint DEFAULT 0 NOT NULL,
    duplicates bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    error text,
    batches integer DEFAULT 0 NOT NULL,
    written integer DEFAULT 0 NOT NULL,
    work_id uuid,
    created_by uuid NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    undo_status text,
    undo_total bigint DEFAULT 0 NOT NULL,
    undo_removed bigint DEFAULT 0 NOT NULL,
    undo_kept bigint DEFAULT 0 NOT NULL,
    undo_error text,
    undo_work_id uuid,
    undo_by uuid,
    undo_started_at timestamp with time zone,
    undo_finished_at timestamp with time zone,
    CONSTRAINT imports_format_check CHECK ((format = ANY (ARRAY['ndjson'::text, 'csv'::text, 'mbox'::text, 'eml'::text]))),
    CONSTRAINT imports_kind_check CHECK ((kind = ANY (ARRAY['emails'::text, 'form-submissions'::text, 'companies'::text, 'account'::text]))),
    CONSTRAINT imports_status_check CHECK ((status = ANY (ARRAY['receiving'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT imports_undo_status_check CHECK ((undo_status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.imports FORCE ROW LEVEL SECURITY;

CREATE TABLE public.integrations (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    create_companies boolean DEFAULT false NOT NULL,
    token_hash bytea NOT NULL,
    token bytea NOT NULL,
    secret bytea NOT NULL,
    signing_key bytea,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT integrations_kind_check CHECK ((kind = ANY (ARRAY['tally'::text, 'typeform'::text, 'email'::text])))
);

ALTER TABLE ONLY public.integrations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.invitations (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    invited_by uuid NOT NULL,
    hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);

ALTER TABLE ONLY public.invitations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.link_page_times (
    account_id uuid NOT NULL,
    visit_id uuid NOT NULL,
    company_id uuid NOT NULL,
    page integer NOT NULL,
    milliseconds bigint NOT NULL,
    CONSTRAINT link_page_times_milliseconds_check CHECK ((milliseconds > 0)),
    CONSTRAINT link_page_times_page_check CHECK ((page > 0))
);

ALTER TABLE ONLY public.link_page_times FORCE ROW LEVEL SECURITY;

CREATE TABLE public.link_visits (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    link_id uuid NOT NULL,
    email text,
    opened_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.link_visits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.loose_files (
    storage_path text NOT NULL,
    account_id uuid NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT loose_files_check CHECK (starts_with(storage_path, (('emails/'::text || account_id) || '/'::text)))
);

ALTER TABLE ONLY public.loose_files FORCE ROW LEVEL SECURITY;

CREATE TABLE public.mailgun_tokens (
    account_id uuid NOT NULL,
    hash bytea NOT NULL,
    brought bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.mailgun_tokens FORCE ROW LEVEL SECURITY;

CREATE TABLE public.mails (
    id uuid NOT NULL,
    kind text NOT NULL,
    email text NOT NULL,
    user_id uuid,
    invitation_id uuid,
    base_url text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    sent_at timestamp with time zone,
    failed_at timestamp with time zone,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    webhook_id uuid,
    tries integer DEFAULT 0 NOT NULL,
    invited_to uuid,
    CONSTRAINT mails_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'verification'::text, 'reset'::text, 'webhook'::text])))
);

ALTER TABLE ONLY public.mails FORCE ROW LEVEL SECURITY;

CREATE TABLE public.meeting_minutes (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    title text NOT NULL,
    content text,
    company_id uuid,
    meeting_date timestamp with time zone,
    attendees text[] DEFAULT '{}'::text[] NOT NULL,
    processed boolean DEFAULT false NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT metadata_size CHECK ((octet_length((metadata)::text) <= 2097152))
);

ALTER TABLE ONLY public.meeting_minutes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.memberships (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);

ALTER TABLE ONLY public.memberships FORCE ROW LEVEL SECURITY;

CREATE TABLE public.model_answers (
    account_id uuid NOT NULL,
    key text NOT NULL,
    user_id uuid,
    company_id uuid,
    answer text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.model_answers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.receipts (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    content_type text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 text NOT NULL,
    storage_path text,
    create_companies boolean NOT NULL,
    status text DEFAULT 'waiting'::text NOT NULL,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT receipts_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.receipts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE ONLY public.recovery_codes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.saved_views (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    shared boolean DEFAULT false NOT NULL,
    search text DEFAULT ''::text NOT NULL,
    company_status_id uuid,
    no_status boolean DEFAULT false NOT NULL,
    source text DEFAULT ''::text NOT NULL,
    sort_by text NOT NULL,
    ascending boolean NOT NULL,
    columns text[] NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT saved_views_check CHECK (((company_status_id IS NULL) OR (NOT no_status)))
);

ALTER TABLE ONLY public.saved_views FORCE ROW LEVEL SECURITY;

CREATE TABLE public.second_factors (
    user_id uuid NOT NULL,
    secret bytea NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.second_factors FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    device text DEFAULT ''::text NOT NULL,
    ip text DEFAULT ''::text NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    idle_until timestamp with time zone DEFAULT (now() + '7 days'::interval) NOT NULL
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.shared_link_companies (
    account_id uuid NOT NULL,
    link_id uuid NOT NULL,
    company_id uuid NOT NULL,
    permissions text NOT NULL,
    "position" integer NOT NULL,
    CONSTRAINT shared_link_companies_permissions_check CHECK ((permissions = ANY (ARRAY['view_deck'::text, 'view'::text, 'full'::text])))
);

ALTER TABLE ONLY public.shared_link_companies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.shared_links (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text,
    description text,
    short_code text NOT NULL,
    password_hash text,
    password_protected boolean GENERATED ALWAYS AS ((password_hash IS NOT NULL)) STORED NOT NULL,
    expires_at timestamp with time zone,
    view_count bigint DEFAULT 0 NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    ask_email boolean DEFAULT false NOT NULL,
    view_only boolean DEFAULT false NOT NULL,
    watermark boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.shared_links FORCE ROW LEVEL SECURITY;

CREATE TABLE public.users (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    picture_url text,
    password_hash text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    proven_at timestamp with time zone,
    home_account_id uuid
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_type text NOT NULL,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    status_code integer,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone DEFAULT (now() + '24:00:00'::interval) NOT NULL,
    attempted_at timestamp with time zone,
    next_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.webhook_deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    url text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    event_types text[] DEFAULT '{}'::text[] NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    disabled_reason text,
    secret bytea NOT NULL,
    old_secret bytea,
    old_secret_until timestamp with time zone,
    place_transaction xid8 NOT NULL,
    place_thing uuid NOT NULL,
    place_database text NOT NULL,
    failing_since timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    retry_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.webhooks FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.activity
    ADD CONSTRAINT activity_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.address_proofs
    ADD CONSTRAINT address_proofs_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (account_id, at, id);

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (account_id, xid, thing);

ALTER TABLE ONLY public.column_choices
    ADD CONSTRAINT column_choices_pkey PRIMARY KEY (account_id, user_id);

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.company_assignees
    ADD CONSTRAINT company_assignees_pkey PRIMARY KEY (company_id, user_id);

ALTER TABLE ONLY public.company_files
    ADD CONSTRAINT company_files_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.company_files
    ADD CONSTRAINT company_files_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.company_keys
    ADD CONSTRAINT company_keys_pkey PRIMARY KEY (company_id, kind, value);

ALTER TABLE ONLY public.company_merge_rows
    ADD CONSTRAINT company_merge_rows_pkey PRIMARY KEY (merge_id, part, what, row_id);

ALTER TABLE ONLY public.company_merges
    ADD CONSTRAINT company_merges_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.company_merges
    ADD CONSTRAINT company_merges_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.company_shares
    ADD CONSTRAINT company_shares_pkey PRIMARY KEY (company_id, user_id);

ALTER TABLE ONLY public.company_statuses
    ADD CONSTRAINT company_statuses_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.company_statuses
    ADD CONSTRAINT company_statuses_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT corrections_pkey PRIMARY KEY (company_id, field);

ALTER TABLE ONLY public.detections
    ADD CONSTRAINT detections_pkey PRIMARY KEY (company_id);

ALTER TABLE ONLY public.email_attachments
    ADD CONSTRAINT email_attachments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.email_companies
    ADD CONSTRAINT email_companies_pkey PRIMARY KEY (email_id, company_id);

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_account_id_external_id_key UNIQUE (account_id, external_id);

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.field_settings
    ADD CONSTRAINT field_settings_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.file_texts
    ADD CONSTRAINT file_texts_pkey PRIMARY KEY (file_id);

ALTER TABLE ONLY public.forgotten_changes
    ADD CONSTRAINT forgotten_changes_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.form_submissions
    ADD CONSTRAINT form_submissions_account_id_integration_type_external_id_key UNIQUE (account_id, integration_type, external_id);

ALTER TABLE ONLY public.form_submissions
    ADD CONSTRAINT form_submissions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (user_id, key);

ALTER TABLE ONLY public.import_errors
    ADD CONSTRAINT import_errors_pkey PRIMARY KEY (import_id, "row");

ALTER TABLE ONLY public.import_things
    ADD CONSTRAINT import_things_pkey PRIMARY KEY (import_id, kind, thing);

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.link_page_times
    ADD CONSTRAINT link_page_times_pkey PRIMARY KEY (account_id, visit_id, company_id, page);

ALTER TABLE ONLY public.link_visits
    ADD CONSTRAINT link_visits_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.link_visits
    ADD CONSTRAINT link_visits_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.loose_files
    ADD CONSTRAINT loose_files_pkey PRIMARY KEY (storage_path);

ALTER TABLE ONLY public.mailgun_tokens
    ADD CONSTRAINT mailgun_tokens_pkey PRIMARY KEY (account_id, hash);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.meeting_minutes
    ADD CONSTRAINT meeting_minutes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_account_id_user_id_key UNIQUE (account_id, user_id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.model_answers
    ADD CONSTRAINT model_answers_pkey PRIMARY KEY (account_id, key);

ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_integration_id_sha256_key UNIQUE (integration_id, sha256);

ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, hash);

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.shared_link_companies
    ADD CONSTRAINT shared_link_companies_pkey PRIMARY KEY (account_id, link_id, company_id);

ALTER TABLE ONLY public.shared_links
    ADD CONSTRAINT shared_links_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.shared_links
    ADD CONSTRAINT shared_links_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.shared_links
    ADD CONSTRAINT shared_links_short_code_key UNIQUE (short_code);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_id_key UNIQUE (account_id, id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.work
    ADD CONSTRAINT work_pkey PRIMARY KEY (id);

CREATE INDEX activity_company ON public.activity USING btree (company_id);

CREATE INDEX activity_newest ON public.activity USING btree (account_id, created_at DESC, id DESC);

CREATE INDEX address_proofs_expires_at ON public.address_proofs USING btree (expires_at);

CREATE INDEX address_proofs_invitation ON public.address_proofs USING btree (invitation_id);

CREATE INDEX address_proofs_user ON public.address_proofs USING btree (user_id);

CREATE INDEX api_keys_user_id ON public.api_keys USING btree (user_id);

CREATE INDEX audit_entries_at ON public.audit_entries USING brin (at);

CREATE INDEX audit_entries_key_uses ON public.audit_entries USING btree (target_id, ip, at) WHERE (action = 'key.used'::text);

CREATE INDEX changes_deleted ON public.changes USING btree (thing) WHERE (action = 'deleted'::text);

CREATE UNIQUE INDEX companies_external_id ON public.companies USING btree (account_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX companies_name ON public.companies USING btree (account_id, lower(name), id) INCLUDE (name, visibility, created_by);

CREATE INDEX companies_newest ON public.companies USING btree (account_id, created_at DESC, id DESC) INCLUDE (visibility, created_by);

CREATE INDEX companies_source_created ON public.companies USING btree (account_id, source, created_at, id) INCLUDE (visibility, created_by);

CREATE INDEX companies_source_name ON public.companies USING btree (account_id, source, lower(name), id) INCLUDE (visibility, created_by, name);

CREATE INDEX companies_source_updated ON public.companies USING btree (account_id, source, updated_at, id) INCLUDE (visibility, created_by);

CREATE INDEX companies_status_created ON public.companies USING btree (account_id, company_status_id, created_at, id) INCLUDE (source, visibility, created_by);

CREATE INDEX companies_status_name ON public.companies USING btree (account_id, company_status_id, lower(name), id) INCLUDE (source, visibility, created_by, name);

CREATE INDEX companies_status_updated ON public.companies USING btree (account_id, company_status_id, updated_at, id) INCLUDE (source, visibility, created_by);

CREATE INDEX companies_updated ON public.companies USING btree (account_id, updated_at, id) INCLUDE (visibility, created_by);

CREATE INDEX companies_visibility_created ON public.companies USING btree (account_id, visibility, created_at, id) INCLUDE (created_by) WHERE (visibility <> 'team'::text);

CREATE INDEX companies_visibility_name ON public.companies USING btree (account_id, visibility, lower(name), id) INCLUDE (created_by, name) WHERE (visibility <> 'team'::text);

CREATE INDEX companies_visibility_updated ON public.companies USING btree (account_id, visibility, updated_at, id) INCLUDE (created_by) WHERE (visibility <> 'team'::text);

CREATE INDEX companies_words ON public.companies USING gin (words) WITH (gin_pending_list_limit='1024');

CREATE INDEX company_assignees_user ON public.company_assignees USING btree (user_id);

CREATE INDEX company_counts_viewer ON public.company_counts USING btree (account_id, viewer, kind, key);

CREATE INDEX company_files_company ON public.company_files USING btree (company_id, "position", id);

CREATE UNIQUE INDEX company_files_deck ON public.company_files USING btree (company_id) WHERE (role = 'deck'::text);

CREATE INDEX company_files_storage ON public.company_files USING btree (storage_path) WHERE (storage_path IS NOT NULL);

CREATE INDEX company_keys_value ON public.company_keys USING btree (account_id, kind, value);

CREATE INDEX company_merges_company ON public.company_merges USING btree (company_id, merged_at DESC);

CREATE INDEX company_merges_external_id ON public.company_merges USING btree (account_id, ((merged ->> 'external_id'::text))) WHERE (undone_at IS NULL);

CREATE UNIQUE INDEX company_merges_merged ON public.company_merges USING btree (merged_id) WHERE (undone_at IS NULL);

CREATE INDEX company_shares_user ON public.company_shares USING btree (user_id);

CREATE UNIQUE INDEX company_statuses_default ON public.company_statuses USING btree (account_id) WHERE is_default;

CREATE INDEX company_statuses_order ON public.company_statuses USING btree (account_id, rank, created_at, id);

CREATE INDEX corrections_newest ON public.corrections USING btree (account_id, updated_at DESC);

CREATE INDEX detections_newest ON public.detections USING btree (account_id, created_at DESC);

CREATE INDEX detections_review ON public.detections USING btree (account_id, created_at, company_id) WHERE (review <> '{}'::text[]);

CREATE INDEX email_attachments_email ON public.email_attachments USING btree (email_id, "position", id);

CREATE INDEX email_attachments_storage ON public.email_attachments USING btree (storage_path);

CREATE INDEX email_companies_company ON public.email_companies USING btree (company_id, email_id);

CREATE INDEX emails_created ON public.emails USING btree (account_id, created_at, id);

CREATE INDEX emails_processed_created ON public.emails USING btree (account_id, processed, created_at, id);

CREATE INDEX emails_processed_updated ON public.emails USING btree (account_id, processed, updated_at, id);

CREATE INDEX emails_raw ON public.emails USING btree (raw_storage_path) WHERE (raw_storage_path IS NOT NULL);

CREATE INDEX emails_sender ON public.emails USING btree (account_id, lower(from_email), created_at, id);

CREATE INDEX emails_updated ON public.emails USING btree (account_id, updated_at, id);

CREATE INDEX emails_words ON public.emails USING gin (words);

CREATE UNIQUE INDEX field_settings_name ON public.field_settings USING btree (account_id, lower(name));

CREATE INDEX file_texts_company ON public.file_texts USING btree (company_id);

CREATE INDEX form_submissions_company ON public.form_submissions USING btree (company_id, created_at, id);

CREATE INDEX form_submissions_created ON public.form_submissions USING btree (account_id, created_at, id);

CREATE INDEX form_submissions_integration ON public.form_submissions USING btree (account_id, integration_type, created_at, id);

CREATE INDEX form_submissions_processed ON public.form_submissions USING btree (account_id, processed, created_at, id);

CREATE INDEX form_submissions_updated ON public.form_submissions USING btree (account_id, updated_at, id);

CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);

CREATE INDEX import_things_kept ON public.import_things USING btree (import_id, kind, thing) WHERE (outcome = 'kept'::text);

CREATE INDEX import_things_thing ON public.import_things USING btree (thing);

CREATE INDEX imports_created ON public.imports USING btree (account_id, created_at, id);

CREATE INDEX imports_of_all ON public.imports USING btree (created_at DESC, id DESC);

CREATE INDEX imports_open ON public.imports USING btree (id) WHERE (status = ANY (ARRAY['receiving'::text, 'running'::text]));

CREATE INDEX imports_undoing ON public.imports USING btree (id) WHERE (undo_status = 'running'::text);

CREATE INDEX integrations_account ON public.integrations USING btree (account_id, created_at, id);

CREATE INDEX invitations_account ON public.invitations USING btree (account_id, created_at, id);

CREATE INDEX invitations_expires_at ON public.invitations USING btree (expires_at);

CREATE UNIQUE INDEX invitations_open ON public.invitations USING btree (account_id, lower(email)) WHERE (accepted_at IS NULL);

CREATE INDEX link_page_times_company ON public.link_page_times USING btree (account_id, company_id);

CREATE INDEX link_visits_newest ON public.link_visits USING btree (account_id, link_id, opened_at DESC, id DESC);

CREATE INDEX loose_files_since ON public.loose_files USING btree (since);

CREATE INDEX mailgun_tokens_created_at ON public.mailgun_tokens USING btree (created_at);

CREATE INDEX mails_email ON public.mails USING btree (lower(email), created_at);

CREATE INDEX mails_invitation ON public.mails USING btree (invitation_id);

CREATE INDEX mails_invited_to ON public.mails USING btree (invited_to, created_at) WHERE (invited_to IS NOT NULL);

CREATE INDEX mails_open ON public.mails USING btree (next_at) WHERE ((sent_at IS NULL) AND (failed_at IS NULL));

CREATE INDEX mails_user ON public.mails USING btree (user_id);

CREATE INDEX mails_webhook ON public.mails USING btree (webhook_id) WHERE (webhook_id IS NOT NULL);

CREATE INDEX meeting_minutes_company ON public.meeting_minutes USING btree (company_id, created_at, id);

CREATE INDEX meeting_minutes_created ON public.meeting_minutes USING btree (account_id, created_at, id);

CREATE INDEX meeting_minutes_date ON public.meeting_minutes USING btree (account_id, meeting_date);

CREATE INDEX meeting_minutes_processed ON public.meeting_minutes USING btree (account_id, processed, created_at, id);

CREATE INDEX meeting_minutes_updated ON public.meeting_minutes USING btree (account_id, updated_at, id);

CREATE INDEX memberships_user_id ON public.memberships USING btree (user_id);

CREATE INDEX model_answers_age ON public.model_answers USING btree (account_id, created_at DESC);

CREATE INDEX model_answers_company ON public.model_answers USING btree (company_id);

CREATE INDEX receipts_newest ON public.receipts USING btree (account_id, integration_id, created_at, id);

CREATE INDEX receipts_storage ON public.receipts USING btree (storage_path) WHERE (storage_path IS NOT NULL);

CREATE INDEX receipts_waiting ON public.receipts USING btree (created_at) WHERE (status = 'waiting'::text);

CREATE INDEX saved_views_account ON public.saved_views USING btree (account_id, created_at, id);

CREATE INDEX saved_views_status ON public.saved_views USING btree (company_status_id) WHERE (company_status_id IS NOT NULL);

CREATE INDEX sessions_expires_at ON public.sessions USING btree (expires_at);

CREATE INDEX sessions_user_id ON public.sessions USING btree (user_id);

CREATE INDEX shared_link_companies_company ON public.shared_link_companies USING btree (account_id, company_id);

CREATE INDEX shared_links_newest ON public.shared_links USING btree (account_id, created_at DESC, id DESC);

CREATE INDEX users_email ON public.users USING btree (lower(email));

CREATE UNIQUE INDEX users_proven_email ON public.users USING btree (lower(email)) WHERE (proven_at IS NOT NULL);

CREATE INDEX webhook_deliveries_created ON public.webhook_deliveries USING brin (created_at);

CREATE INDEX webhook_deliveries_list ON public.webhook_deliveries USING btree (webhook_id, created_at, id);

CREATE INDEX webhook_deliveries_pending ON public.webhook_deliveries USING btree (webhook_id) WHERE (state = 'pending'::text);

CREATE INDEX work_account ON public.work USING btree (account_id);

CREATE INDEX work_admitted ON public.work USING btree (account_id) WHERE ((queue = 'bulk'::text) AND ((state = 'running'::text) OR ((state = 'queued'::text) AND (told_at IS NOT NULL))));

CREATE INDEX work_crowd ON public.work USING btree (account_id) WHERE ((queue = 'bulk'::text) AND (kind = 'company.analyse'::text) AND (state = 'queued'::text));

CREATE INDEX work_finished ON public.work USING btree (finished_at) WHERE (state = ANY (ARRAY['done'::text, 'failed'::text]));

CREATE INDEX work_leased ON public.work USING btree (lease_until) WHERE (lease_until IS NOT NULL);

CREATE INDEX work_open ON public.work USING btree (run_after) WHERE ((state = 'queued'::text) AND (queue <> 'bulk'::text));

CREATE INDEX work_subject ON public.work USING btree (subject_id);

CREATE INDEX work_told ON public.work USING btree (told_at) WHERE ((state = 'queued'::text) AND (queue = 'bulk'::text) AND (told_at IS NOT NULL));

CREATE INDEX work_waiting ON public.work USING btree (account_id, rank, run_after, id) WHERE ((state = 'queued'::text) AND (queue = 'bulk'::text) AND (told_at IS NULL));

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON public.accounts FOR EACH ROW EXECUTE FUNCTION public.app_audit('account', 'created updated deleted', 'name');

CREATE TRIGGER audit AFTER INSERT OR DELETE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION public.app_audit('key', 'created updated revoked', 'scopes expires_at');

CREATE TRIGGER audit AFTER INSERT ON public.companies FOR EACH ROW WHEN ((public.app_origin() <> ''::text)) EXECUTE FUNCTION public.app_audit_company();

CREATE TRIGGER audit AFTER INSERT OR DELETE ON public.company_assignees FOR EACH ROW WHEN ((public.app_origin() <> ''::text)) EXECUTE FUNCTION public.app_audit_part('company.assigned', 'company.unassigned', 'user_id');

CREATE TRIGGER audit AFTER INSERT OR DELETE ON public.company_files FOR EACH ROW WHEN ((public.app_origin() <> ''::text)) EXECUTE FUNCTION public.app_audit_part('attachment.added', 'attachment.removed', 'title');

CREATE TRIGGER audit AFTER INSERT OR DELETE ON public.company_shares FOR EACH ROW WHEN ((public.app_origin() <> ''::text)) EXECUTE FUNCTION public.app_audit_part('company.shared', 'company.unshared', 'user_id');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.company_statuses FOR EACH ROW EXECUTE FUNCTION public.app_audit('company_status', 'created updated deleted', 'name color description is_default');

CREATE TRIGGER audit AFTER INSERT OR DELETE ON public.email_companies FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_audit_part('email.linked', 'email.unlinked', 'email_id');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.emails FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_audit_record('email', 'created updated deleted');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.field_settings FOR EACH ROW EXECUTE FUNCTION public.app_audit('field', 'created updated deleted', 'name field_type options required');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.form_submissions FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_audit_record('form_submission', 'created updated deleted');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.integrations FOR EACH ROW WHEN ((CURRENT_USER <> 'dealflow_system'::name)) EXECUTE FUNCTION public.app_audit('integration', 'created updated deleted', 'kind name enabled create_companies !token_hash !secret !signing_key');

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON public.invitations FOR EACH ROW EXECUTE FUNCTION public.app_audit('invitation', 'created accepted revoked', 'role expires_at accepted_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.meeting_minutes FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_audit_record('meeting_minutes', 'created updated deleted');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.memberships FOR EACH ROW EXECUTE FUNCTION public.app_audit('member', 'added updated removed', 'user_id role');

CREATE TRIGGER audit AFTER UPDATE ON public.second_factors FOR EACH ROW WHEN (((old.confirmed_at IS NULL) AND (new.confirmed_at IS NOT NULL))) EXECUTE FUNCTION public.app_audit_factor('totp.enabled');

CREATE TRIGGER audit AFTER INSERT ON public.sessions FOR EACH ROW EXECUTE FUNCTION public.app_audit('session', 'started updated ended', '');

CREATE TRIGGER audit AFTER INSERT OR DELETE ON public.shared_links FOR EACH ROW EXECUTE FUNCTION public.app_audit('shared_link', 'created updated deleted', 'expires_at password_protected');

CREATE TRIGGER audit AFTER UPDATE OF password_hash, proven_at ON public.users FOR EACH ROW EXECUTE FUNCTION public.app_audit_user();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.webhooks FOR EACH ROW WHEN ((CURRENT_USER <> 'dealflow_system'::name)) EXECUTE FUNCTION public.app_audit('webhook', 'created updated deleted', 'url event_types enabled !secret');

CREATE TRIGGER audit_changed AFTER UPDATE ON public.companies FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_audit_company();

CREATE TRIGGER audit_deleted AFTER DELETE ON public.companies FOR EACH ROW WHEN ((public.app_origin() <> ''::text)) EXECUTE FUNCTION public.app_audit_company();

CREATE TRIGGER audit_ended AFTER DELETE ON public.sessions FOR EACH ROW WHEN ((LEAST(old.expires_at, old.idle_until) > now())) EXECUTE FUNCTION public.app_audit('session', 'started updated ended', '');

CREATE TRIGGER audit_off AFTER DELETE ON public.second_factors FOR EACH ROW WHEN ((old.confirmed_at IS NOT NULL)) EXECUTE FUNCTION public.app_audit_factor('totp.disabled');

CREATE TRIGGER audit_revoked AFTER DELETE ON public.invitations FOR EACH ROW WHEN (((old.accepted_at IS NULL) AND (old.expires_at > now()))) EXECUTE FUNCTION public.app_audit('invitation', 'created accepted revoked', 'role');

CREATE TRIGGER audit_undo AFTER UPDATE OF undo_status ON public.imports FOR EACH ROW WHEN (((new.undo_status = 'running'::text) AND (old.undo_status IS DISTINCT FROM 'running'::text))) EXECUTE FUNCTION public.app_audit_undo();

CREATE TRIGGER change_deleted BEFORE DELETE ON public.companies FOR EACH ROW EXECUTE FUNCTION public.app_change_company_gone();

CREATE TRIGGER change_deleted AFTER DELETE ON public.company_assignees REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('people');

CREATE TRIGGER change_deleted AFTER DELETE ON public.company_files REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('company');

CREATE TRIGGER change_deleted AFTER DELETE ON public.company_shares REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('people');

CREATE TRIGGER change_deleted AFTER DELETE ON public.company_statuses REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_gone('company_status', '');

CREATE TRIGGER change_deleted AFTER DELETE ON public.email_companies REFERENCING OLD TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('email');

CREATE TRIGGER change_deleted AFTER DELETE ON public.emails REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_gone('email', '');

CREATE TRIGGER change_deleted AFTER DELETE ON public.form_submissions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_gone('form_submission', 'company');

CREATE TRIGGER change_deleted AFTER DELETE ON public.meeting_minutes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_gone('meeting_minutes', 'company');

CREATE TRIGGER change_made AFTER INSERT ON public.companies REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_made('company');

CREATE TRIGGER change_made AFTER INSERT ON public.company_assignees REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('people');

CREATE TRIGGER change_made AFTER INSERT ON public.company_files REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('company');

CREATE TRIGGER change_made AFTER INSERT ON public.company_shares REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('people');

CREATE TRIGGER change_made AFTER INSERT ON public.company_statuses REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_made('company_status');

CREATE TRIGGER change_made AFTER INSERT ON public.email_attachments REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('email');

CREATE TRIGGER change_made AFTER INSERT ON public.email_companies REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_part('email');

CREATE TRIGGER change_made AFTER INSERT ON public.emails REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_made('email');

CREATE TRIGGER change_made AFTER INSERT ON public.form_submissions REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_made('form_submission');

CREATE TRIGGER change_made AFTER INSERT ON public.meeting_minutes REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.app_change_made('meeting_minutes');

CREATE TRIGGER change_updated AFTER UPDATE OF updated_at, visibility, created_by ON public.companies FOR EACH ROW WHEN (((old.updated_at <> new.updated_at) OR (old.visibility <> new.visibility) OR (old.created_by <> new.created_by))) EXECUTE FUNCTION public.app_change_updated('company');

CREATE TRIGGER change_updated AFTER UPDATE ON public.company_statuses FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION public.app_change_updated('company_status');

CREATE TRIGGER change_updated AFTER UPDATE OF updated_at ON public.emails FOR EACH ROW WHEN ((old.updated_at <> new.updated_at)) EXECUTE FUNCTION public.app_change_updated('email');

CREATE TRIGGER change_updated AFTER UPDATE OF updated_at ON public.form_submissions FOR EACH ROW WHEN ((old.updated_at <> new.updated_at)) EXECUTE FUNCTION public.app_change_updated('form_submission');

CREATE TRIGGER change_updated AFTER UPDATE OF updated_at ON public.meeting_minutes FOR EACH ROW WHEN ((old.updated_at <> new.updated_at)) EXECUTE FUNCTION public.app_change_updated('meeting_minutes');

CREATE TRIGGER check_membership BEFORE INSERT ON public.memberships FOR EACH ROW EXECUTE FUNCTION public.app_check_membership();

CREATE TRIGGER count_changed AFTER UPDATE OF account_id, visibility, source, company_status_id, created_by, created_at ON public.companies FOR EACH ROW WHEN (((((((old.account_id IS DISTINCT FROM new.account_id) OR (old.visibility IS DISTINCT FROM new.visibility)) OR (old.source IS DISTINCT FROM new.source)) OR (old.company_status_id IS DISTINCT FROM new.company_status_id)) OR (old.created_by IS DISTINCT FROM new.created_by)) OR (old.created_at IS DISTINCT FROM new.created_at))) EXECUTE FUNCTION public.app_count_changed();

CREATE TRIGGER count_deleted BEFORE DELETE ON public.companies FOR EACH ROW EXECUTE FUNCTION public.app_count_changed();

CREATE TRIGGER count_inserted AFTER INSERT ON public.companies REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION public.app_count_inserted();

CREATE TRIGGER count_people AFTER INSERT OR DELETE ON public.company_assignees FOR EACH ROW EXECUTE FUNCTION public.app_count_people();

CREATE TRIGGER count_people AFTER INSERT OR DELETE ON public.company_shares FOR EACH ROW EXECUTE FUNCTION public.app_count_people();

CREATE TRIGGER end_invitations AFTER DELETE OR UPDATE OF role ON public.memberships FOR EACH ROW EXECUTE FUNCTION public.app_end_invitations();

CREATE TRIGGER forget_accounts AFTER INSERT OR DELETE OR UPDATE ON public.memberships FOR EACH STATEMENT EXECUTE FUNCTION public.app_forget_accounts();

CREATE CONSTRAINT TRIGGER forget_changes AFTER DELETE ON public.accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.app_forget_account_changes();

CREATE TRIGGER forget_deck AFTER DELETE ON public.company_files FOR EACH ROW WHEN ((old.role = 'deck'::text)) EXECUTE FUNCTION public.app_know_deck();

CREATE TRIGGER index_company BEFORE INSERT OR UPDATE OF name, notes, source_content, metadata, visibility, source, company_status_id, created_by ON public.companies FOR EACH ROW EXECUTE FUNCTION public.app_index_company();

CREATE TRIGGER index_email BEFORE INSERT OR UPDATE OF tags, processed ON public.emails FOR EACH ROW EXECUTE FUNCTION public.app_index_email();

CREATE TRIGGER index_people AFTER INSERT OR DELETE ON public.company_assignees FOR EACH ROW EXECUTE FUNCTION public.app_index_people();

CREATE TRIGGER index_people AFTER INSERT OR DELETE ON public.company_shares FOR EACH ROW EXECUTE FUNCTION public.app_index_people();

CREATE TRIGGER index_text AFTER INSERT OR DELETE OR UPDATE OF title, pages ON public.file_texts FOR EACH ROW EXECUTE FUNCTION public.app_index_text();

CREATE TRIGGER keep_mails BEFORE DELETE ON public.invitations FOR EACH ROW EXECUTE FUNCTION public.app_keep_mails();

CREATE TRIGGER know_company AFTER INSERT ON public.companies FOR EACH ROW EXECUTE FUNCTION public.app_know_company();

CREATE TRIGGER know_company_again AFTER UPDATE OF name, deck_link, metadata ON public.companies FOR EACH ROW WHEN (((new.name <> old.name) OR (new.deck_link IS DISTINCT FROM old.deck_link) OR ((new.metadata -> 'founders'::text) IS DISTINCT FROM (old.metadata -> 'founders'::text)))) EXECUTE FUNCTION public.app_know_company();

CREATE TRIGGER know_deck AFTER INSERT ON public.company_files FOR EACH ROW WHEN ((new.role = 'deck'::text)) EXECUTE FUNCTION public.app_know_deck();

CREATE TRIGGER know_deck_again AFTER UPDATE OF role, media_type, sha256 ON public.company_files FOR EACH ROW WHEN (((new.role = 'deck'::text) OR (old.role = 'deck'::text))) EXECUTE FUNCTION public.app_know_deck();

CREATE TRIGGER loosen_files AFTER DELETE ON public.email_attachments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_loosen_files();

CREATE TRIGGER loosen_files AFTER DELETE ON public.emails REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_loosen_files();

CREATE TRIGGER loosen_files AFTER DELETE ON public.receipts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.app_loosen_files();

CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON public.companies FOR EACH ROW WHEN (((old.updated_at <> new.updated_at) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER mark_imported AFTER INSERT OR DELETE ON public.company_assignees FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('company_id');

CREATE TRIGGER mark_imported AFTER DELETE OR UPDATE ON public.company_files FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('company_id');

CREATE TRIGGER mark_imported AFTER INSERT OR DELETE ON public.company_shares FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('company_id');

CREATE TRIGGER mark_imported AFTER UPDATE ON public.company_statuses FOR EACH ROW WHEN (((old.* IS DISTINCT FROM new.*) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER mark_imported AFTER UPDATE OF review ON public.detections FOR EACH ROW WHEN (((old.review <> new.review) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('company_id');

CREATE TRIGGER mark_imported AFTER INSERT OR DELETE ON public.email_companies FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('company_id');

CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON public.emails FOR EACH ROW WHEN (((old.updated_at <> new.updated_at) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER mark_imported AFTER UPDATE ON public.field_settings FOR EACH ROW WHEN (((old.* IS DISTINCT FROM new.*) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON public.form_submissions FOR EACH ROW WHEN (((old.updated_at <> new.updated_at) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER mark_imported AFTER UPDATE OF updated_at ON public.meeting_minutes FOR EACH ROW WHEN (((old.updated_at <> new.updated_at) AND (public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER mark_imported_email AFTER INSERT OR DELETE ON public.email_companies FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('email_id');

CREATE TRIGGER mark_imported_file AFTER UPDATE ON public.company_files FOR EACH ROW WHEN (((public.app_origin() <> ''::text) AND (CURRENT_USER = 'dealflow_app'::name))) EXECUTE FUNCTION public.app_mark_imported('id');

CREATE TRIGGER read_text BEFORE INSERT OR UPDATE OF title, pages ON public.file_texts FOR EACH ROW EXECUTE FUNCTION public.app_read_text();

CREATE TRIGGER release_submissions BEFORE DELETE ON public.companies FOR EACH ROW EXECUTE FUNCTION public.app_release_submissions();

ALTER TABLE ONLY public.activity
    ADD CONSTRAINT activity_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.activity
    ADD CONSTRAINT activity_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.activity
    ADD CONSTRAINT activity_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.address_proofs
    ADD CONSTRAINT address_proofs_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES public.invitations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.address_proofs
    ADD CONSTRAINT address_proofs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.column_choices
    ADD CONSTRAINT column_choices_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES public.memberships(account_id, user_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_account_id_company_status_id_fkey FOREIGN KEY (account_id, company_status_id) REFERENCES public.company_statuses(account_id, id);

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.company_assignees
    ADD CONSTRAINT company_assignees_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_assignees
    ADD CONSTRAINT company_assignees_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES public.memberships(account_id, user_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_files
    ADD CONSTRAINT company_files_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_files
    ADD CONSTRAINT company_files_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.company_keys
    ADD CONSTRAINT company_keys_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_merge_rows
    ADD CONSTRAINT company_merge_rows_account_id_merge_id_fkey FOREIGN KEY (account_id, merge_id) REFERENCES public.company_merges(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_merges
    ADD CONSTRAINT company_merges_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_merges
    ADD CONSTRAINT company_merges_merged_by_fkey FOREIGN KEY (merged_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.company_merges
    ADD CONSTRAINT company_merges_undone_by_fkey FOREIGN KEY (undone_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.company_shares
    ADD CONSTRAINT company_shares_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_shares
    ADD CONSTRAINT company_shares_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES public.memberships(account_id, user_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.company_statuses
    ADD CONSTRAINT company_statuses_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT corrections_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.corrections
    ADD CONSTRAINT corrections_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.detections
    ADD CONSTRAINT detections_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.email_attachments
    ADD CONSTRAINT email_attachments_account_id_email_id_fkey FOREIGN KEY (account_id, email_id) REFERENCES public.emails(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.email_companies
    ADD CONSTRAINT email_companies_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.email_companies
    ADD CONSTRAINT email_companies_account_id_email_id_fkey FOREIGN KEY (account_id, email_id) REFERENCES public.emails(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.field_settings
    ADD CONSTRAINT field_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.file_texts
    ADD CONSTRAINT file_texts_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.file_texts
    ADD CONSTRAINT file_texts_account_id_file_id_fkey FOREIGN KEY (account_id, file_id) REFERENCES public.company_files(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.forgotten_changes
    ADD CONSTRAINT forgotten_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.form_submissions
    ADD CONSTRAINT form_submissions_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id);

ALTER TABLE ONLY public.form_submissions
    ADD CONSTRAINT form_submissions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_errors
    ADD CONSTRAINT import_errors_account_id_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.imports(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_things
    ADD CONSTRAINT import_things_account_id_import_id_fkey FOREIGN KEY (account_id, import_id) REFERENCES public.imports(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_undo_by_fkey FOREIGN KEY (undo_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.link_page_times
    ADD CONSTRAINT link_page_times_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.link_page_times
    ADD CONSTRAINT link_page_times_account_id_visit_id_fkey FOREIGN KEY (account_id, visit_id) REFERENCES public.link_visits(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.link_visits
    ADD CONSTRAINT link_visits_account_id_link_id_fkey FOREIGN KEY (account_id, link_id) REFERENCES public.shared_links(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mailgun_tokens
    ADD CONSTRAINT mailgun_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES public.invitations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.meeting_minutes
    ADD CONSTRAINT meeting_minutes_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.meeting_minutes
    ADD CONSTRAINT meeting_minutes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.meeting_minutes
    ADD CONSTRAINT meeting_minutes_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.model_answers
    ADD CONSTRAINT model_answers_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.model_answers
    ADD CONSTRAINT model_answers_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.receipts
    ADD CONSTRAINT receipts_account_id_integration_id_fkey FOREIGN KEY (account_id, integration_id) REFERENCES public.integrations(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_account_id_company_status_id_fkey FOREIGN KEY (account_id, company_status_id) REFERENCES public.company_statuses(account_id, id) ON DELETE SET NULL (company_status_id);

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shared_link_companies
    ADD CONSTRAINT shared_link_companies_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES public.companies(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shared_link_companies
    ADD CONSTRAINT shared_link_companies_account_id_link_id_fkey FOREIGN KEY (account_id, link_id) REFERENCES public.shared_links(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shared_links
    ADD CONSTRAINT shared_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shared_links
    ADD CONSTRAINT shared_links_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_home_account_id_fkey FOREIGN KEY (home_account_id) REFERENCES public.accounts(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_account_id_webhook_id_fkey FOREIGN KEY (account_id, webhook_id) REFERENCES public.webhooks(account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id);

ALTER TABLE ONLY public.work
    ADD CONSTRAINT work_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.work
    ADD CONSTRAINT work_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE public.accounts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.activity ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.address_proofs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_all ON public.api_keys TO dealflow_app USING ((user_id = public.app_user_id()));

CREATE POLICY app_all ON public.column_choices TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (user_id = public.app_user_id())));

CREATE POLICY app_all ON public.companies TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND ((visibility = 'team'::text) OR (created_by = public.app_user_id()) OR ((visibility = 'shared'::text) AND public.app_has_share(id)))));

CREATE POLICY app_all ON public.company_assignees TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = company_assignees.company_id)))));

CREATE POLICY app_all ON public.company_files TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = company_files.company_id)))));

CREATE POLICY app_all ON public.company_shares TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = company_shares.company_id)))));

CREATE POLICY app_all ON public.corrections TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = corrections.company_id)))));

CREATE POLICY app_all ON public.detections TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = detections.company_id)))));

CREATE POLICY app_all ON public.email_attachments TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_all ON public.email_companies TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = email_companies.company_id)))));

CREATE POLICY app_all ON public.emails TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_all ON public.file_texts TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = file_texts.company_id)))));

CREATE POLICY app_all ON public.form_submissions TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND ((company_id IS NULL) OR (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = form_submissions.company_id))))));

CREATE POLICY app_all ON public.idempotency_keys TO dealflow_app USING ((user_id = public.app_user_id()));

CREATE POLICY app_all ON public.import_errors TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_all ON public.import_things TO dealflow_app USING ((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])));

CREATE POLICY app_all ON public.imports TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_all ON public.mailgun_tokens TO dealflow_app USING ((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])));

CREATE POLICY app_all ON public.meeting_minutes TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND ((company_id IS NULL) OR (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = meeting_minutes.company_id))))));

CREATE POLICY app_all ON public.model_answers TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND ((user_id IS NULL) OR (user_id = public.app_user_id())) AND ((company_id IS NULL) OR (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = model_answers.company_id))))));

CREATE POLICY app_all ON public.receipts TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_all ON public.recovery_codes TO dealflow_app USING ((user_id = public.app_user_id()));

CREATE POLICY app_all ON public.second_factors TO dealflow_app USING ((user_id = public.app_user_id()));

CREATE POLICY app_all ON public.sessions TO dealflow_app USING ((user_id = public.app_user_id()));

CREATE POLICY app_all ON public.webhook_deliveries TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (EXISTS ( SELECT 1
   FROM public.webhooks w
  WHERE (w.id = webhook_deliveries.webhook_id)))));

CREATE POLICY app_all ON public.webhooks TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND ((account_id IN ( SELECT public.app_admin_account_ids() AS app_admin_account_ids)) OR (created_by = public.app_user_id()))));

CREATE POLICY app_all ON public.work TO dealflow_app USING ((user_id = public.app_user_id()));

CREATE POLICY app_delete ON public.company_statuses FOR DELETE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_delete ON public.field_settings FOR DELETE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_delete ON public.integrations FOR DELETE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_delete ON public.invitations FOR DELETE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_delete ON public.link_visits FOR DELETE TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.shared_links l
  WHERE ((l.id = link_visits.link_id) AND (l.created_by = public.app_user_id()))))));

CREATE POLICY app_delete ON public.saved_views FOR DELETE TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND ((created_by = public.app_user_id()) OR (shared AND (account_id IN ( SELECT public.app_admin_account_ids() AS app_admin_account_ids))))));

CREATE POLICY app_delete ON public.shared_links FOR DELETE TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (id <> ALL (ARRAY( SELECT public.app_hidden_link_ids() AS app_hidden_link_ids)))));

CREATE POLICY app_insert ON public.activity FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (user_id = public.app_user_id())));

CREATE POLICY app_insert ON public.company_statuses FOR INSERT TO dealflow_app WITH CHECK ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_insert ON public.field_settings FOR INSERT TO dealflow_app WITH CHECK ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_insert ON public.integrations FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))) AND (created_by = public.app_user_id())));

CREATE POLICY app_insert ON public.invitations FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))) AND (invited_by = public.app_user_id()) AND ((role <> 'owner'::text) OR (account_id = ANY (ARRAY( SELECT public.app_owner_account_ids() AS app_owner_account_ids))))));

CREATE POLICY app_insert ON public.link_page_times FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = link_page_times.company_id))) AND (EXISTS ( SELECT 1
   FROM (public.link_visits v
     JOIN public.shared_links l ON ((l.id = v.link_id)))
  WHERE ((v.id = link_page_times.visit_id) AND (l.created_by = public.app_user_id()))))));

CREATE POLICY app_insert ON public.link_visits FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.shared_links l
  WHERE ((l.id = link_visits.link_id) AND (l.created_by = public.app_user_id()))))));

CREATE POLICY app_insert ON public.memberships FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))) AND ((role <> 'owner'::text) OR (account_id = ANY (ARRAY( SELECT public.app_owner_account_ids() AS app_owner_account_ids))))));

CREATE POLICY app_insert ON public.saved_views FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (created_by = public.app_user_id())));

CREATE POLICY app_insert ON public.shared_link_companies FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = shared_link_companies.company_id))) AND (EXISTS ( SELECT 1
   FROM public.shared_links l
  WHERE ((l.id = shared_link_companies.link_id) AND (l.created_by = public.app_user_id()))))));

CREATE POLICY app_insert ON public.shared_links FOR INSERT TO dealflow_app WITH CHECK (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (created_by = public.app_user_id())));

CREATE POLICY app_own_accounts ON public.work AS RESTRICTIVE FOR INSERT TO dealflow_app WITH CHECK ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_select ON public.accounts FOR SELECT TO dealflow_app USING ((id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_select ON public.activity FOR SELECT TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND ((company_id IS NULL) OR (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = activity.company_id))))));

CREATE POLICY app_select ON public.changes FOR SELECT TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (public.app_sees(kind, thing) OR COALESCE((lost && ARRAY['00000000-0000-0000-0000-000000000000'::uuid, public.app_user_id()]), false) OR public.app_saw(thing))));

CREATE POLICY app_select ON public.company_counts FOR SELECT TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (viewer = ANY (ARRAY['00000000-0000-0000-0000-000000000000'::uuid, public.app_user_id()]))));

CREATE POLICY app_select ON public.company_keys FOR SELECT TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = company_keys.company_id)))));

CREATE POLICY app_select ON public.company_merges FOR SELECT TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = company_merges.company_id)))));

CREATE POLICY app_select ON public.company_statuses FOR SELECT TO dealflow_app USING ((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])));

CREATE POLICY app_select ON public.field_settings FOR SELECT TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_select ON public.integrations FOR SELECT TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_select ON public.invitations FOR SELECT TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_select ON public.link_page_times FOR SELECT TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.link_visits v
  WHERE (v.id = link_page_times.visit_id))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = link_page_times.company_id)))));

CREATE POLICY app_select ON public.link_visits FOR SELECT TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.shared_links l
  WHERE (l.id = link_visits.link_id)))));

CREATE POLICY app_select ON public.memberships FOR SELECT TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))));

CREATE POLICY app_select ON public.saved_views FOR SELECT TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND (shared OR (created_by = public.app_user_id()))));

CREATE POLICY app_select ON public.shared_link_companies FOR SELECT TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = shared_link_companies.company_id))) AND (EXISTS ( SELECT 1
   FROM public.shared_links l
  WHERE (l.id = shared_link_companies.link_id)))));

CREATE POLICY app_select ON public.shared_links FOR SELECT TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (id <> ALL (ARRAY( SELECT public.app_hidden_link_ids() AS app_hidden_link_ids)))));

CREATE POLICY app_select ON public.users FOR SELECT TO dealflow_app USING (((id = public.app_user_id()) OR (id = ANY (ARRAY( SELECT public.app_peer_ids() AS app_peer_ids)))));

CREATE POLICY app_update ON public.accounts FOR UPDATE TO dealflow_app USING ((id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_update ON public.company_statuses FOR UPDATE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_update ON public.field_settings FOR UPDATE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_update ON public.integrations FOR UPDATE TO dealflow_app USING ((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))));

CREATE POLICY app_update ON public.link_page_times FOR UPDATE TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (EXISTS ( SELECT 1
   FROM public.companies c
  WHERE (c.id = link_page_times.company_id))) AND (EXISTS ( SELECT 1
   FROM (public.link_visits v
     JOIN public.shared_links l ON ((l.id = v.link_id)))
  WHERE ((v.id = link_page_times.visit_id) AND (l.created_by = public.app_user_id()))))));

CREATE POLICY app_update ON public.memberships FOR UPDATE TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_admin_account_ids() AS app_admin_account_ids))) AND ((role <> 'owner'::text) OR (account_id = ANY (ARRAY( SELECT public.app_owner_account_ids() AS app_owner_account_ids))))));

CREATE POLICY app_update ON public.saved_views FOR UPDATE TO dealflow_app USING (((account_id = ANY (( SELECT public.app_accounts() AS app_accounts)::uuid[])) AND ((created_by = public.app_user_id()) OR (shared AND (account_id IN ( SELECT public.app_admin_account_ids() AS app_admin_account_ids))))));

CREATE POLICY app_update ON public.shared_links FOR UPDATE TO dealflow_app USING (((account_id = ANY (ARRAY( SELECT public.app_account_ids() AS app_account_ids))) AND (created_by = public.app_user_id())));

CREATE POLICY app_update ON public.users FOR UPDATE TO dealflow_app USING ((id = public.app_user_id()));

ALTER TABLE public.audit_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.column_choices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.companies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_assignees ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_merge_rows ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_merges ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_shares ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.company_statuses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.corrections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.detections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.email_attachments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.email_companies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.emails ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.field_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.file_texts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.forgotten_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.form_submissions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_errors ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.import_things ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.imports ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.integrations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.link_page_times ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.link_visits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.loose_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mailgun_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.meeting_minutes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.model_answers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.receipts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.recovery_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.saved_views ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.second_factors ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.shared_link_companies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.shared_links ENABLE ROW LEVEL SECURITY;

CREATE POLICY system_all ON public.accounts TO dealflow_system USING (true);

CREATE POLICY system_all ON public.address_proofs TO dealflow_system USING (true);

CREATE POLICY system_all ON public.api_keys TO dealflow_system USING (true);

CREATE POLICY system_all ON public.audit_entries TO dealflow_system USING (true);

CREATE POLICY system_all ON public.changes TO dealflow_system USING (true);

CREATE POLICY system_all ON public.company_counts TO dealflow_system USING (true);

CREATE POLICY system_all ON public.company_keys TO dealflow_system USING (true);

CREATE POLICY system_all ON public.company_merge_rows TO dealflow_system USING (true);

CREATE POLICY system_all ON public.company_merges TO dealflow_system USING (true);

CREATE POLICY system_all ON public.corrections TO dealflow_system USING (true);

CREATE POLICY system_all ON public.forgotten_changes TO dealflow_system USING (true);

CREATE POLICY system_all ON public.form_submissions TO dealflow_system USING (true);

CREATE POLICY system_all ON public.idempotency_keys TO dealflow_system USING (true);

CREATE POLICY system_all ON public.import_things TO dealflow_system USING (true);

CREATE POLICY system_all ON public.imports TO dealflow_system USING (true);

CREATE POLICY system_all ON public.invitations TO dealflow_system USING (true);

CREATE POLICY system_all ON public.link_page_times TO dealflow_system USING (true);

CREATE POLICY system_all ON public.loose_files TO dealflow_system USING (true);

CREATE POLICY system_all ON public.mailgun_tokens TO dealflow_system USING (true);

CREATE POLICY system_all ON public.mails TO dealflow_system USING (true);

CREATE POLICY system_all ON public.memberships TO dealflow_system USING (true);

CREATE POLICY system_all ON public.model_answers TO dealflow_system USING (true);

CREATE POLICY system_all ON public.receipts TO dealflow_system USING (true);

CREATE POLICY system_all ON public.recovery_codes TO dealflow_system USING (true);

CREATE POLICY system_all ON public.second_factors TO dealflow_system USING (true);

CREATE POLICY system_all ON public.sessions TO dealflow_system USING (true);

CREATE POLICY system_all ON public.users TO dealflow_system USING (true);

CREATE POLICY system_all ON public.webhook_deliveries TO dealflow_system USING (true);

CREATE POLICY system_all ON public.work TO dealflow_system USING (true);

CREATE POLICY system_delete ON public.activity FOR DELETE TO dealflow_system USING (true);

CREATE POLICY system_delete ON public.company_assignees FOR DELETE TO dealflow_system USING (true);

CREATE POLICY system_delete ON public.company_shares FOR DELETE TO dealflow_system USING (true);

CREATE POLICY system_delete ON public.email_companies FOR DELETE TO dealflow_system USING (true);

CREATE POLICY system_delete ON public.shared_link_companies FOR DELETE TO dealflow_system USING (true);

CREATE POLICY system_hand_over ON public.companies FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_insert ON public.activity FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.companies FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.company_assignees FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.company_shares FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.detections FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.email_companies FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.saved_views FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_insert ON public.shared_link_companies FOR INSERT TO dealflow_system WITH CHECK (true);

CREATE POLICY system_select ON public.activity FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.companies FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.company_assignees FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.company_files FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.company_shares FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.company_statuses FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.detections FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.email_attachments FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.email_companies FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.emails FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.field_settings FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.file_texts FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.integrations FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.link_visits FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.meeting_minutes FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.saved_views FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.shared_link_companies FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.shared_links FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_select ON public.webhooks FOR SELECT TO dealflow_system USING (true);

CREATE POLICY system_update ON public.activity FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_update ON public.companies FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_update ON public.company_files FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_update ON public.file_texts FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_update ON public.integrations FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_update ON public.meeting_minutes FOR UPDATE TO dealflow_system USING (true);

CREATE POLICY system_update ON public.webhooks FOR UPDATE TO dealflow_system USING (true);

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhooks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.work ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO dealflow_app;
GRANT ALL ON SCHEMA public TO dealflow_system;

REVOKE ALL ON FUNCTION public.app_add_up_counts(account uuid) FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.companies TO dealflow_app;
GRANT SELECT,INSERT ON TABLE public.companies TO dealflow_system;

GRANT UPDATE(deck_storage_path) ON TABLE public.companies TO dealflow_system;

GRANT UPDATE(company_status_id) ON TABLE public.companies TO dealflow_system;

GRANT UPDATE(created_by) ON TABLE public.companies TO dealflow_system;

GRANT UPDATE(updated_by) ON TABLE public.companies TO dealflow_system;

GRANT UPDATE(updated_at) ON TABLE public.companies TO dealflow_system;

GRANT UPDATE(words) ON TABLE public.companies TO dealflow_system;

REVOKE ALL ON FUNCTION public.app_audit_add(account uuid, person uuid, word text, kind text, target uuid, label text, concealed boolean, what jsonb) FROM PUBLIC;

GRANT SELECT,INSERT,DELETE ON TABLE public.work TO dealflow_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.work TO dealflow_system;

GRANT UPDATE(state) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(attempt) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(max_attempts) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(run_after) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(told_at) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(lease_until) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(error) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(result) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(started_at) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(finished_at) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(failures) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(losses) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(outages) ON TABLE public.work TO dealflow_app;

GRANT UPDATE(interruption) ON TABLE public.work TO dealflow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.emails TO dealflow_app;
GRANT SELECT ON TABLE public.emails TO dealflow_system;

REVOKE ALL ON FUNCTION public.app_restored_member(account uuid, people jsonb, was text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.app_restored_status(account uuid, statuses jsonb, was text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.app_settle_company(company uuid) FROM PUBLIC;

GRANT SELECT,UPDATE ON TABLE public.accounts TO dealflow_app;
GRANT SELECT,INSERT ON TABLE public.accounts TO dealflow_system;

GRANT UPDATE(updated_at) ON TABLE public.accounts TO dealflow_system;

GRANT SELECT,INSERT ON TABLE public.activity TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.activity TO dealflow_system;

GRANT SELECT(id) ON TABLE public.activity TO dealflow_system;

GRANT SELECT(account_id) ON TABLE public.activity TO dealflow_system;

GRANT SELECT(company_id),UPDATE(company_id) ON TABLE public.activity TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.address_proofs TO dealflow_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.api_keys TO dealflow_app;
GRANT SELECT,DELETE ON TABLE public.api_keys TO dealflow_system;

GRANT UPDATE(last_used_at) ON TABLE public.api_keys TO dealflow_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.audit_entries TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.changes TO dealflow_system;
GRANT SELECT ON TABLE public.changes TO dealflow_app;

GRANT SELECT,INSERT ON TABLE public.column_choices TO dealflow_app;

GRANT UPDATE(columns) ON TABLE public.column_choices TO dealflow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.company_assignees TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.company_assignees TO dealflow_system;

GRANT SELECT ON TABLE public.company_counts TO dealflow_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.company_counts TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.company_files TO dealflow_app;
GRANT SELECT ON TABLE public.company_files TO dealflow_system;

GRANT UPDATE(company_id) ON TABLE public.company_files TO dealflow_system;

GRANT UPDATE(role) ON TABLE public.company_files TO dealflow_system;

GRANT UPDATE("position") ON TABLE public.company_files TO dealflow_system;

GRANT SELECT ON TABLE public.company_keys TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.company_keys TO dealflow_system;

GRANT UPDATE(inherited) ON TABLE public.company_keys TO dealflow_system;

GRANT SELECT,INSERT ON TABLE public.company_merge_rows TO dealflow_system;

GRANT SELECT ON TABLE public.company_merges TO dealflow_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.company_merges TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.company_shares TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.company_shares TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.company_statuses TO dealflow_app;

GRANT SELECT(id) ON TABLE public.company_statuses TO dealflow_system;

GRANT SELECT(account_id) ON TABLE public.company_statuses TO dealflow_system;

GRANT SELECT(name) ON TABLE public.company_statuses TO dealflow_system;

GRANT SELECT(rank) ON TABLE public.company_statuses TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.corrections TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.corrections TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.detections TO dealflow_app;
GRANT SELECT,INSERT ON TABLE public.detections TO dealflow_system;

GRANT SELECT(company_id) ON TABLE public.detections TO dealflow_system;

GRANT SELECT(created_at) ON TABLE public.detections TO dealflow_system;

GRANT SELECT(review) ON TABLE public.detections TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.email_attachments TO dealflow_app;
GRANT SELECT ON TABLE public.email_attachments TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.email_companies TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.email_companies TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.field_settings TO dealflow_app;

GRANT SELECT(id) ON TABLE public.field_settings TO dealflow_system;

GRANT SELECT(account_id) ON TABLE public.field_settings TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.file_texts TO dealflow_app;
GRANT SELECT ON TABLE public.file_texts TO dealflow_system;

GRANT UPDATE(company_id) ON TABLE public.file_texts TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.forgotten_changes TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.form_submissions TO dealflow_app;
GRANT SELECT,DELETE ON TABLE public.form_submissions TO dealflow_system;

GRANT UPDATE(company_id) ON TABLE public.form_submissions TO dealflow_system;

GRANT UPDATE(updated_at) ON TABLE public.form_submissions TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO dealflow_app;
GRANT DELETE ON TABLE public.idempotency_keys TO dealflow_system;

GRANT SELECT(lease_until) ON TABLE public.idempotency_keys TO dealflow_system;

GRANT SELECT(created_at) ON TABLE public.idempotency_keys TO dealflow_system;

GRANT SELECT,INSERT ON TABLE public.import_errors TO dealflow_app;

GRANT SELECT,INSERT ON TABLE public.import_things TO dealflow_app;
GRANT SELECT ON TABLE public.import_things TO dealflow_system;

GRANT UPDATE(changed_at) ON TABLE public.import_things TO dealflow_system;

GRANT UPDATE(outcome) ON TABLE public.import_things TO dealflow_app;

GRANT UPDATE(reason) ON TABLE public.import_things TO dealflow_app;

GRANT SELECT,INSERT ON TABLE public.imports TO dealflow_app;
GRANT SELECT,UPDATE ON TABLE public.imports TO dealflow_system;

GRANT UPDATE(status) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(total) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(processed) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(created) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(duplicates) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(failed) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(error) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(batches) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(written) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(work_id) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(seen_at) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(updated_at) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(finished_at) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_status) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_total) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_removed) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_kept) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_error) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_work_id) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_by) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_started_at) ON TABLE public.imports TO dealflow_app;

GRANT UPDATE(undo_finished_at) ON TABLE public.imports TO dealflow_app;

GRANT INSERT,DELETE ON TABLE public.integrations TO dealflow_app;
GRANT SELECT ON TABLE public.integrations TO dealflow_system;

GRANT SELECT(id) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(account_id) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(kind) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(name),UPDATE(name) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(enabled),UPDATE(enabled) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(create_companies),UPDATE(create_companies) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(token) ON TABLE public.integrations TO dealflow_app;
GRANT UPDATE(token) ON TABLE public.integrations TO dealflow_system;

GRANT UPDATE(secret) ON TABLE public.integrations TO dealflow_app;
GRANT UPDATE(secret) ON TABLE public.integrations TO dealflow_system;

GRANT UPDATE(signing_key) ON TABLE public.integrations TO dealflow_app;
GRANT UPDATE(signing_key) ON TABLE public.integrations TO dealflow_system;

GRANT SELECT(created_by) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(created_at) ON TABLE public.integrations TO dealflow_app;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.integrations TO dealflow_app;

GRANT INSERT,DELETE ON TABLE public.invitations TO dealflow_app;
GRANT SELECT,DELETE ON TABLE public.invitations TO dealflow_system;

GRANT SELECT(id) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT(account_id) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT(email) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT(role) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT(invited_by) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT(expires_at) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT(accepted_at) ON TABLE public.invitations TO dealflow_app;
GRANT UPDATE(accepted_at) ON TABLE public.invitations TO dealflow_system;

GRANT SELECT(created_at) ON TABLE public.invitations TO dealflow_app;

GRANT SELECT,INSERT ON TABLE public.link_page_times TO dealflow_app;
GRANT SELECT,INSERT ON TABLE public.link_page_times TO dealflow_system;

GRANT UPDATE(milliseconds) ON TABLE public.link_page_times TO dealflow_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.link_visits TO dealflow_app;
GRANT SELECT ON TABLE public.link_visits TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.loose_files TO dealflow_system;

GRANT SELECT,DELETE ON TABLE public.mailgun_tokens TO dealflow_system;

GRANT SELECT(account_id),INSERT(account_id) ON TABLE public.mailgun_tokens TO dealflow_app;

GRANT SELECT(hash),INSERT(hash) ON TABLE public.mailgun_tokens TO dealflow_app;

GRANT SELECT(brought),INSERT(brought) ON TABLE public.mailgun_tokens TO dealflow_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.mails TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.meeting_minutes TO dealflow_app;
GRANT SELECT ON TABLE public.meeting_minutes TO dealflow_system;

GRANT SELECT(id) ON TABLE public.meeting_minutes TO dealflow_system;

GRANT SELECT(account_id) ON TABLE public.meeting_minutes TO dealflow_system;

GRANT SELECT(company_id),UPDATE(company_id) ON TABLE public.meeting_minutes TO dealflow_system;

GRANT UPDATE(updated_at) ON TABLE public.meeting_minutes TO dealflow_system;

GRANT SELECT,INSERT ON TABLE public.memberships TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.memberships TO dealflow_system;

GRANT UPDATE(role) ON TABLE public.memberships TO dealflow_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.model_answers TO dealflow_app;
GRANT DELETE ON TABLE public.model_answers TO dealflow_system;

GRANT SELECT(account_id) ON TABLE public.model_answers TO dealflow_system;

GRANT SELECT(key) ON TABLE public.model_answers TO dealflow_system;

GRANT SELECT(created_at) ON TABLE public.model_answers TO dealflow_system;

GRANT SELECT,INSERT ON TABLE public.receipts TO dealflow_app;
GRANT SELECT ON TABLE public.receipts TO dealflow_system;

GRANT UPDATE(content_type) ON TABLE public.receipts TO dealflow_app;

GRANT UPDATE(storage_path) ON TABLE public.receipts TO dealflow_app;

GRANT UPDATE(create_companies) ON TABLE public.receipts TO dealflow_app;

GRANT UPDATE(status) ON TABLE public.receipts TO dealflow_app;
GRANT UPDATE(status) ON TABLE public.receipts TO dealflow_system;

GRANT UPDATE(error) ON TABLE public.receipts TO dealflow_app;
GRANT UPDATE(error) ON TABLE public.receipts TO dealflow_system;

GRANT UPDATE(finished_at) ON TABLE public.receipts TO dealflow_app;
GRANT UPDATE(finished_at) ON TABLE public.receipts TO dealflow_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.recovery_codes TO dealflow_app;
GRANT SELECT,DELETE ON TABLE public.recovery_codes TO dealflow_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.saved_views TO dealflow_app;
GRANT SELECT,INSERT ON TABLE public.saved_views TO dealflow_system;

GRANT UPDATE(name) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(shared) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(search) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(company_status_id) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(no_status) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(source) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(sort_by) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(ascending) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(columns) ON TABLE public.saved_views TO dealflow_app;

GRANT UPDATE(updated_at) ON TABLE public.saved_views TO dealflow_app;

GRANT DELETE ON TABLE public.second_factors TO dealflow_app;
GRANT SELECT,DELETE ON TABLE public.second_factors TO dealflow_system;

GRANT SELECT(user_id),INSERT(user_id) ON TABLE public.second_factors TO dealflow_app;

GRANT SELECT(secret),INSERT(secret),UPDATE(secret) ON TABLE public.second_factors TO dealflow_app;
GRANT UPDATE(secret) ON TABLE public.second_factors TO dealflow_system;

GRANT SELECT(confirmed_at),UPDATE(confirmed_at) ON TABLE public.second_factors TO dealflow_app;

GRANT SELECT(last_step),UPDATE(last_step) ON TABLE public.second_factors TO dealflow_app;

GRANT INSERT,DELETE ON TABLE public.sessions TO dealflow_app;
GRANT SELECT,DELETE ON TABLE public.sessions TO dealflow_system;

GRANT SELECT(id) ON TABLE public.sessions TO dealflow_app;

GRANT SELECT(user_id) ON TABLE public.sessions TO dealflow_app;

GRANT SELECT(expires_at) ON TABLE public.sessions TO dealflow_app;

GRANT SELECT(created_at) ON TABLE public.sessions TO dealflow_app;

GRANT SELECT(device) ON TABLE public.sessions TO dealflow_app;

GRANT SELECT(ip) ON TABLE public.sessions TO dealflow_app;
GRANT UPDATE(ip) ON TABLE public.sessions TO dealflow_system;

GRANT SELECT(last_seen_at) ON TABLE public.sessions TO dealflow_app;
GRANT UPDATE(last_seen_at) ON TABLE public.sessions TO dealflow_system;

GRANT SELECT(idle_until) ON TABLE public.sessions TO dealflow_app;
GRANT UPDATE(idle_until) ON TABLE public.sessions TO dealflow_system;

GRANT SELECT,INSERT ON TABLE public.shared_link_companies TO dealflow_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.shared_link_companies TO dealflow_system;

GRANT INSERT,DELETE ON TABLE public.shared_links TO dealflow_app;
GRANT SELECT ON TABLE public.shared_links TO dealflow_system;

GRANT SELECT(id) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(account_id) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(name) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(description) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(short_code) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(password_protected) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(expires_at) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(view_count),UPDATE(view_count) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(created_by) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(created_at) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(updated_at) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(ask_email) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(view_only) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT(watermark) ON TABLE public.shared_links TO dealflow_app;

GRANT SELECT,INSERT ON TABLE public.users TO dealflow_system;

GRANT SELECT(id) ON TABLE public.users TO dealflow_app;

GRANT SELECT(email) ON TABLE public.users TO dealflow_app;

GRANT SELECT(name),UPDATE(name) ON TABLE public.users TO dealflow_app;

GRANT SELECT(picture_url),UPDATE(picture_url) ON TABLE public.users TO dealflow_app;

GRANT UPDATE(password_hash) ON TABLE public.users TO dealflow_app;
GRANT UPDATE(password_hash) ON TABLE public.users TO dealflow_system;

GRANT SELECT(created_at) ON TABLE public.users TO dealflow_app;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.users TO dealflow_app;
GRANT UPDATE(updated_at) ON TABLE public.users TO dealflow_system;

GRANT SELECT(proven_at) ON TABLE public.users TO dealflow_app;
GRANT UPDATE(proven_at) ON TABLE public.users TO dealflow_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.webhook_deliveries TO dealflow_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.webhook_deliveries TO dealflow_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhooks TO dealflow_app;
GRANT SELECT ON TABLE public.webhooks TO dealflow_system;

GRANT UPDATE(secret) ON TABLE public.webhooks TO dealflow_system;

GRANT UPDATE(old_secret) ON TABLE public.webhooks TO dealflow_system;

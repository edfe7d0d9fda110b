-- +goose Up
-- What a dashboard counts of companies, kept as they change: to count a million companies takes 700 ms, to add up these rows 1.

-- A number of companies by one thing: their status (kind s, '' for none), source (o) or day of creation in UTC (d). viewer says who sees
-- them: everybody of the account (the zero uuid), or one user, because of a company that is not the team's. A change adds rows, also of negative
-- numbers, and changes none, so that writers of one account never wait for each other; now and then one of them adds rows up.
CREATE TABLE company_counts (
    account_id uuid NOT NULL, -- without a foreign key: as an account goes, its companies are taken off
    viewer     uuid NOT NULL,
    kind       "char" NOT NULL,
    key        text NOT NULL,
    count      bigint NOT NULL
);
CREATE INDEX company_counts_viewer ON company_counts (account_id, viewer, kind, key);

ALTER TABLE company_counts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT ON company_counts TO dealflow_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON company_counts TO dealflow_system;
CREATE POLICY app_select ON company_counts FOR SELECT TO dealflow_app
    USING (account_id = ANY ((SELECT app_accounts())::uuid[]) AND viewer IN ('00000000-0000-0000-0000-000000000000', app_user_id()));
CREATE POLICY system_all ON company_counts TO dealflow_system USING (true);

-- Who sees a company.
-- +goose StatementBegin
CREATE FUNCTION app_company_viewers(company uuid, visibility text, creator uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN CASE visibility
        WHEN 'team' THEN ARRAY['00000000-0000-0000-0000-000000000000'::uuid]
        WHEN 'private' THEN ARRAY[creator]
        ELSE ARRAY(SELECT creator UNION SELECT a.user_id FROM company_assignees a WHERE a.company_id = company
            UNION SELECT s.user_id FROM company_shares s WHERE s.company_id = company) END;
END
    $$;
-- +goose StatementEnd

-- Adds a company to the counts of these viewers, or (by -1) takes it off.
-- +goose StatementBegin
CREATE FUNCTION app_count_company(c companies, viewers uuid[], by integer) RETURNS void LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO company_counts (account_id, viewer, kind, key, count)
    SELECT c.account_id, v, k.kind, k.key, by FROM unnest(viewers) AS v CROSS JOIN (VALUES
        ('s'::"char", COALESCE(c.company_status_id::text, '')), ('o', c.source), ('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key);
END
    $$;
-- +goose StatementEnd

-- Adds up the rows of an account of which there are several, but for those that another writer is about to add up.
-- +goose StatementBegin
CREATE FUNCTION app_add_up_counts(account uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
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
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_count_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
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
-- +goose StatementEnd
CREATE TRIGGER count_inserted AFTER INSERT ON companies REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION app_count_inserted();

-- A company that goes is taken off first, while it is known who sees it.
-- +goose StatementBegin
CREATE FUNCTION app_count_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    PERFORM app_count_company(OLD, app_company_viewers(OLD.id, OLD.visibility, OLD.created_by), -1);
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    PERFORM app_count_company(NEW, app_company_viewers(NEW.id, NEW.visibility, NEW.created_by), 1);
    IF random() < 0.01 THEN
        PERFORM app_add_up_counts(NEW.account_id);
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
CREATE TRIGGER count_changed AFTER UPDATE OF account_id, visibility, source, company_status_id, created_by, created_at ON companies FOR EACH ROW
    WHEN ((OLD.account_id, OLD.visibility, OLD.source, OLD.company_status_id, OLD.created_by, OLD.created_at)
        IS DISTINCT FROM (NEW.account_id, NEW.visibility, NEW.source, NEW.company_status_id, NEW.created_by, NEW.created_at))
    EXECUTE FUNCTION app_count_changed();
CREATE TRIGGER count_deleted BEFORE DELETE ON companies FOR EACH ROW EXECUTE FUNCTION app_count_changed();

-- Who is given a shared company, or loses it, and sees it by nothing else. Of a company that is deleted there is nothing left to do.
-- +goose StatementBegin
CREATE FUNCTION app_count_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    person uuid := CASE TG_OP WHEN 'INSERT' THEN NEW.user_id ELSE OLD.user_id END;
    c companies;
    ways integer;
BEGIN
    SELECT * INTO c FROM companies WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.company_id ELSE OLD.company_id END AND visibility = 'shared' AND created_by <> person FOR NO KEY UPDATE;
    IF FOUND THEN
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
-- +goose StatementEnd
CREATE TRIGGER count_people AFTER INSERT OR DELETE ON company_assignees FOR EACH ROW EXECUTE FUNCTION app_count_people();
CREATE TRIGGER count_people AFTER INSERT OR DELETE ON company_shares FOR EACH ROW EXECUTE FUNCTION app_count_people();

ALTER FUNCTION app_add_up_counts(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_count_inserted() OWNER TO dealflow_system;
ALTER FUNCTION app_count_changed() OWNER TO dealflow_system;
ALTER FUNCTION app_count_people() OWNER TO dealflow_system;
REVOKE EXECUTE ON FUNCTION app_add_up_counts(uuid) FROM PUBLIC;

-- The newest activity; the setting keeps the planner from reading every company to know which of them the caller sees.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_newest_activity(account uuid, most integer) RETURNS TABLE (id uuid, account_id uuid, user_id uuid, type text, description text,
    company_id uuid, created_at timestamptz, company_name text) LANGUAGE plpgsql STABLE ROWS 20 SET search_path = public, pg_temp SET work_mem = '64kB'
    AS $$
BEGIN
    RETURN QUERY SELECT a.id, a.account_id, a.user_id, a.type, a.description, a.company_id, a.created_at, c.name
        FROM activity a LEFT JOIN companies c ON c.id = a.company_id
        WHERE a.account_id = account ORDER BY a.created_at DESC, a.id DESC LIMIT most;
END
    $$;
-- +goose StatementEnd

INSERT INTO company_counts (account_id, viewer, kind, key, count)
SELECT c.account_id, v, k.kind, k.key, count(*)
FROM companies c CROSS JOIN LATERAL unnest(app_company_viewers(c.id, c.visibility, c.created_by)) AS v CROSS JOIN LATERAL (VALUES
    ('s'::"char", COALESCE(c.company_status_id::text, '')), ('o', c.source), ('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key)
GROUP BY 1, 2, 3, 4;

-- +goose Down
CREATE OR REPLACE FUNCTION app_newest_activity(account uuid, most integer) RETURNS TABLE (id uuid, account_id uuid, user_id uuid, type text, description text,
    company_id uuid, created_at timestamptz, company_name text) LANGUAGE sql STABLE ROWS 1000 SET search_path = pg_catalog, public SET work_mem = '64kB'
    AS $$
    SELECT a.id, a.account_id, a.user_id, a.type, a.description, a.company_id, a.created_at, c.name
    FROM activity a LEFT JOIN companies c ON c.id = a.company_id
    WHERE a.account_id = account ORDER BY a.created_at DESC, a.id DESC LIMIT most
    $$;
DROP TRIGGER count_people ON company_assignees;
DROP TRIGGER count_people ON company_shares;
DROP TRIGGER count_inserted ON companies;
DROP TRIGGER count_changed ON companies;
DROP TRIGGER count_deleted ON companies;
DROP TABLE company_counts CASCADE;
DROP FUNCTION app_count_people(), app_count_changed(), app_count_inserted(), app_add_up_counts(uuid), app_count_company(companies, uuid[], integer),
    app_company_viewers(uuid, text, uuid);

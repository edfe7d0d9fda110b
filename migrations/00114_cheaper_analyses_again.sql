-- +goose Up
-- What the analysis of a short text costs (ADR 113).

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_claim_work(work_id uuid, work_attempt integer, lease interval) RETURNS SETOF work
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
-- +goose StatementEnd

-- By the lease, not by the state: work that is looked up by its id and its state was looked for here as long as the
-- planner had seen the table only when it was empty.
DROP INDEX work_leased;
CREATE INDEX work_leased ON work (lease_until) WHERE lease_until IS NOT NULL;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_work_load() RETURNS TABLE (account_id uuid, queue text, queued bigint, running bigint, seconds double precision)
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
-- +goose StatementEnd

-- +goose Down
DROP INDEX work_leased;
CREATE INDEX work_leased ON work (lease_until) WHERE state = 'running';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_claim_work(work_id uuid, work_attempt integer, lease interval) RETURNS SETOF work
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    claimed work;
BEGIN
    UPDATE work w SET
        state = 'running', started_at = now(), lease_until = now() + lease,
        user_id = CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.user_id)
            THEN w.user_id ELSE COALESCE(app_oldest_owner(w.account_id), w.user_id) END
    WHERE w.id = work_id AND w.attempt = work_attempt AND w.state = 'queued'
    RETURNING w.* INTO claimed;
    IF FOUND THEN
        PERFORM set_config('app.user_id', claimed.user_id::text, true), set_config('synchronous_commit', 'off', true);
        RETURN NEXT claimed;
    END IF;
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_work_load() RETURNS TABLE(account_id uuid, queue text, queued bigint, running bigint, seconds double precision)
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
                FROM work w WHERE w.state = 'running' AND (w.queue <> 'bulk' OR w.kind = 'company.analyse')
        ) AS l GROUP BY l.account_id, l.queue
    UNION ALL
    SELECT NULL, NULL, 0, 0, coalesce(avg(extract(epoch FROM f.finished_at - f.started_at)), 0)
        FROM (SELECT w.kind, w.started_at, w.finished_at FROM work w WHERE w.state IN ('done', 'failed') ORDER BY w.finished_at DESC LIMIT 200) AS f
        WHERE f.kind = 'company.analyse' AND f.finished_at > now() - interval '10 minutes'
    $$;
-- +goose StatementEnd

-- +goose Up

-- Analyses of an account that has many under way wait as bulk work does, which accounts take turns in.
CREATE INDEX work_crowd ON work (account_id) WHERE queue = 'bulk' AND kind = 'company.analyse' AND state = 'queued';

-- What waits and runs of the work that people wait for, by account, and in a row without an account the mean seconds of the analyses that ended last.
CREATE FUNCTION app_work_load() RETURNS TABLE (account_id uuid, queue text, queued bigint, running bigint, seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
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
ALTER FUNCTION app_work_load() OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_work_load();
DROP INDEX work_crowd;

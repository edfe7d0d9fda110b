-- +goose Up
-- What ends work for good are failures of its own. Outages are counted for their delay alone, and deaths of workers apart from failures: a document
-- that kills its worker each time must end some day too. attempt only numbers the tasks of a row.
ALTER TABLE work
    ADD COLUMN failures integer NOT NULL DEFAULT 0,  -- attempts that ended with an error; max_attempts of them end the work
    ADD COLUMN losses integer NOT NULL DEFAULT 0,    -- attempts whose lease ran out
    ADD COLUMN outages integer NOT NULL DEFAULT 0,   -- attempts that an outage or the end of a worker cut short
    ADD COLUMN interruption text;                    -- what the last loss or outage was; error is the last failure's
GRANT UPDATE (failures, losses, outages, interruption) ON work TO dealflow_app;

-- Gives up or queues again what lost its worker, then returns what the queue should be told (again): rows that are due and of which it was last told
-- longer than `quiet` ago. Of bulk work only what was told already is told again; what waits is for app_admit_work. A lease that ran out before the
-- server was started says nothing about its worker. Each loss delays the next attempt by a second more, the 20th ends the work.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_due_work(quiet interval, most integer) RETURNS TABLE (id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    RETURN QUERY
    UPDATE work w SET state = 'failed', finished_at = now(), lease_until = NULL, losses = w.losses + 1,
        error = COALESCE(w.error || '; then ', '') || 'its worker died ' || w.losses + 1 || ' times'
    WHERE w.id IN (SELECT l.id FROM work l
        WHERE l.state = 'running' AND l.lease_until < now() AND l.lease_until > pg_postmaster_start_time() AND l.losses >= 19
        ORDER BY l.lease_until LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.kind, w.queue, w.attempt, true, w.waiter;

    UPDATE work w SET state = 'queued', attempt = w.attempt + 1, told_at = NULL, lease_until = NULL, interruption = 'its worker was lost',
        losses = w.losses + (w.lease_until > pg_postmaster_start_time())::int,
        run_after = now() + w.losses * interval '1 second' * (0.5 + random() / 2)
    WHERE w.id IN (SELECT l.id FROM work l WHERE l.state = 'running' AND l.lease_until < now()
        ORDER BY l.lease_until LIMIT most FOR UPDATE SKIP LOCKED);

    RETURN QUERY
    UPDATE work w SET told_at = now()
    WHERE w.id IN (SELECT d.id FROM work d
        WHERE d.state = 'queued' AND d.queue <> 'bulk' AND d.run_after <= now() AND (d.told_at IS NULL OR d.told_at < now() - quiet)
        ORDER BY d.run_after LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.kind, w.queue, w.attempt, false, w.waiter;

    RETURN QUERY
    UPDATE work w SET told_at = now()
    WHERE w.id IN (SELECT d.id FROM work d
        WHERE d.state = 'queued' AND d.queue = 'bulk' AND d.told_at IS NOT NULL AND d.told_at < now() - quiet AND d.run_after <= now()
        ORDER BY d.told_at LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.kind, w.queue, w.attempt, false, w.waiter;
END
    $$;
-- +goose StatementEnd

-- A task was taken from the queue and its worker died before it claimed the row: the next attempt gets a task id of its own.
CREATE OR REPLACE FUNCTION app_renew_work(work_id uuid, work_attempt integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ UPDATE work SET attempt = attempt + 1, told_at = NULL WHERE id = work_id AND attempt = work_attempt AND state = 'queued' $$;

-- Old rows that nobody asks for any more; what failed is kept longer, so that an operator can have it tried again.
DROP FUNCTION app_forget_work(interval);
CREATE FUNCTION app_forget_work(done_age interval, failed_age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    WITH gone AS (DELETE FROM work
        WHERE state IN ('done', 'failed') AND finished_at < now() - CASE state WHEN 'done' THEN done_age ELSE failed_age END RETURNING 1)
    SELECT count(*) FROM gone
    $$;
ALTER FUNCTION app_forget_work(interval, interval) OWNER TO dealflow_system;

-- For operators: work of all accounts in a state ('' for whatever is not done), newest first. Never what it holds.
CREATE FUNCTION app_list_work(wanted text, most integer) RETURNS TABLE (
        id uuid, kind text, queue text, account_id uuid, subject_id uuid, state text, attempt integer, max_attempts integer, failures integer,
        losses integer, outages integer, error text, interruption text, run_after timestamptz, created_at timestamptz, finished_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    SELECT id, kind, queue, account_id, subject_id, state, attempt, max_attempts, failures, losses, outages, error, interruption,
        run_after, created_at, finished_at
    FROM work WHERE CASE wanted WHEN '' THEN state <> 'done' ELSE state = wanted END ORDER BY created_at DESC, id LIMIT most
    $$;
ALTER FUNCTION app_list_work(text, integer) OWNER TO dealflow_system;

-- For operators: has failed work done again as if it were new, that of an id or all; returns which. Its last error is kept until it is done.
CREATE FUNCTION app_retry_work(only_id uuid) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    UPDATE work SET state = 'queued', attempt = attempt + 1, failures = 0, losses = 0, outages = 0, interruption = NULL,
        run_after = now(), told_at = NULL, finished_at = NULL
    WHERE state = 'failed' AND (only_id IS NULL OR id = only_id) RETURNING id
    $$;
ALTER FUNCTION app_retry_work(uuid) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_list_work(text, integer), app_retry_work(uuid), app_forget_work(interval, interval);
CREATE FUNCTION app_forget_work(age interval) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    WITH gone AS (DELETE FROM work WHERE state IN ('done', 'failed') AND finished_at < now() - age RETURNING 1) SELECT count(*) FROM gone
    $$;
ALTER FUNCTION app_forget_work(interval) OWNER TO dealflow_system;
CREATE OR REPLACE FUNCTION app_renew_work(work_id uuid, work_attempt integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    UPDATE work SET attempt = attempt + 1, max_attempts = max_attempts + 1, told_at = NULL
    WHERE id = work_id AND attempt = work_attempt AND state = 'queued'
    $$;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_due_work(quiet interval, most integer) RETURNS TABLE (id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    RETURN QUERY
    UPDATE work w SET state = 'failed', finished_at = now(), lease_until = NULL, error = 'the worker was lost ' || w.max_attempts || ' times'
    WHERE w.id IN (SELECT l.id FROM work l WHERE l.state = 'running' AND l.lease_until < now() AND l.attempt >= l.max_attempts
        ORDER BY l.lease_until LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.kind, w.queue, w.attempt, true, w.waiter;

    UPDATE work w SET state = 'queued', attempt = w.attempt + 1, run_after = now(), told_at = NULL, lease_until = NULL, error = 'the worker was lost'
    WHERE w.id IN (SELECT l.id FROM work l WHERE l.state = 'running' AND l.lease_until < now() AND l.attempt < l.max_attempts
        ORDER BY l.lease_until LIMIT most FOR UPDATE SKIP LOCKED);

    RETURN QUERY
    UPDATE work w SET told_at = now()
    WHERE w.id IN (SELECT d.id FROM work d
        WHERE d.state = 'queued' AND d.run_after <= now() AND (d.told_at IS NULL OR d.told_at < now() - quiet)
            AND (d.queue <> 'bulk' OR d.told_at IS NOT NULL)
        ORDER BY d.run_after LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.kind, w.queue, w.attempt, false, w.waiter;
END
    $$;
-- +goose StatementEnd
REVOKE UPDATE (failures, losses, outages, interruption) ON work FROM dealflow_app;
ALTER TABLE work DROP COLUMN failures, DROP COLUMN losses, DROP COLUMN outages, DROP COLUMN interruption;

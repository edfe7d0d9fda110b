-- +goose Up
-- Every piece of background work is a row. Redis only carries the word that there is something to do; this table is the truth.

CREATE TABLE work (
    id           uuid PRIMARY KEY,
    kind         text NOT NULL,            -- which handler: company.analyse, …
    queue        text NOT NULL,            -- interactive
    account_id   uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES users,  -- as whom it runs
    subject_id   uuid,                     -- what it is about
    state        text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed')),
    attempt      integer NOT NULL DEFAULT 1,
    max_attempts integer NOT NULL,
    run_after    timestamptz NOT NULL DEFAULT now(),
    told_at      timestamptz,              -- when the queue was last told of this attempt
    lease_until  timestamptz,              -- a running row past it has lost its worker
    error        text,                     -- of the last attempt that failed
    input        jsonb NOT NULL DEFAULT '{}',
    result       jsonb,
    waiter       text NOT NULL DEFAULT '', -- the channel of the API process that waits for it
    request_id   text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    finished_at  timestamptz
);
CREATE INDEX work_open ON work (run_after) WHERE state = 'queued';
CREATE INDEX work_leased ON work (lease_until) WHERE state = 'running';
CREATE INDEX work_finished ON work (finished_at) WHERE state IN ('done', 'failed');
CREATE INDEX work_subject ON work (subject_id);
CREATE INDEX work_account ON work (account_id);

-- Takes a queued attempt. No row: somebody else has it, or the attempt is an old one. Where the user lost access to the
-- account, its oldest owner finishes the work.
-- +goose StatementBegin
CREATE FUNCTION app_claim_work(work_id uuid, work_attempt integer, lease interval) RETURNS SETOF work
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    UPDATE work w SET
        state = 'running', started_at = now(), lease_until = now() + lease,
        user_id = CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.user_id)
            THEN w.user_id ELSE COALESCE(app_oldest_owner(w.account_id), w.user_id) END
    WHERE w.id = work_id AND w.attempt = work_attempt AND w.state = 'queued'
    RETURNING w.*
    $$;
-- +goose StatementEnd

-- Prolongs the lease of an attempt that still runs; false: it was taken away.
CREATE FUNCTION app_extend_work(work_id uuid, work_attempt integer, lease interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH extended AS (
        UPDATE work SET lease_until = now() + lease WHERE id = work_id AND attempt = work_attempt AND state = 'running' RETURNING 1)
    SELECT EXISTS (SELECT 1 FROM extended)
    $$;

-- Gives up or queues again what lost its worker, then gives what the queue should be told (again): rows that are due and of
-- which it was last told longer than `quiet` ago.
-- +goose StatementBegin
CREATE FUNCTION app_due_work(quiet interval, most integer) RETURNS TABLE (id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
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
        ORDER BY d.run_after LIMIT most FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.kind, w.queue, w.attempt, false, w.waiter;
END
    $$;
-- +goose StatementEnd

-- A task was taken from the queue and its worker died before it claimed the row: the next attempt gets a task id of its own.
CREATE FUNCTION app_renew_work(work_id uuid, work_attempt integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    UPDATE work SET attempt = attempt + 1, max_attempts = max_attempts + 1, told_at = NULL
    WHERE id = work_id AND attempt = work_attempt AND state = 'queued'
    $$;

-- Which of these are over: for the processes that wait, of whatever callers. A row that is not there yet is not over.
CREATE FUNCTION app_settled_work(ids uuid[]) RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT id FROM work WHERE id = ANY (ids) AND state IN ('done', 'failed') $$;

-- Old rows that nobody asks for any more.
CREATE FUNCTION app_forget_work(age interval) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH gone AS (DELETE FROM work WHERE state IN ('done', 'failed') AND finished_at < now() - age RETURNING 1) SELECT count(*) FROM gone
    $$;

ALTER FUNCTION app_claim_work(uuid, integer, interval) OWNER TO dealflow_system;
ALTER FUNCTION app_extend_work(uuid, integer, interval) OWNER TO dealflow_system;
ALTER FUNCTION app_due_work(interval, integer) OWNER TO dealflow_system;
ALTER FUNCTION app_renew_work(uuid, integer) OWNER TO dealflow_system;
ALTER FUNCTION app_settled_work(uuid[]) OWNER TO dealflow_system;
ALTER FUNCTION app_forget_work(interval) OWNER TO dealflow_system;

ALTER TABLE work ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON work TO dealflow_app;
GRANT SELECT, UPDATE, DELETE ON work TO dealflow_system;
CREATE POLICY app_all ON work TO dealflow_app USING (user_id = app_user_id());
CREATE POLICY system_all ON work TO dealflow_system USING (true);

-- +goose Down
DROP TABLE work CASCADE;
DROP FUNCTION app_extend_work(uuid, integer, interval), app_due_work(interval, integer), app_renew_work(uuid, integer), app_settled_work(uuid[]), app_forget_work(interval);

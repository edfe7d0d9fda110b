-- +goose Up
-- Imports: a file of any size becomes numbered batches in storage as it arrives, and a worker writes them, in order, each in one transaction.

CREATE TABLE imports (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind             text NOT NULL CHECK (kind IN ('emails', 'form-submissions', 'companies')),
    format           text NOT NULL CHECK (format IN ('ndjson', 'csv', 'mbox', 'eml')),
    create_companies boolean NOT NULL DEFAULT false,
    status           text NOT NULL DEFAULT 'receiving' CHECK (status IN ('receiving', 'running', 'completed', 'failed', 'cancelled')),
    total            bigint NOT NULL DEFAULT 0, -- rows that have arrived
    processed        bigint NOT NULL DEFAULT 0, -- the three below together; the next row has the number after it
    created          bigint NOT NULL DEFAULT 0,
    duplicates       bigint NOT NULL DEFAULT 0,
    failed           bigint NOT NULL DEFAULT 0,
    error            text,                       -- what is wrong with the whole; an import that is still written ends as failed where it is set
    batches          integer NOT NULL DEFAULT 0, -- stored so far, numbered from 1
    written          integer NOT NULL DEFAULT 0, -- how many of these are in the tables
    work_id          uuid,                       -- the work that writes them; null while none is to be written
    created_by       uuid NOT NULL REFERENCES users,
    seen_at          timestamptz NOT NULL DEFAULT now(), -- when the process that receives it last showed that it lives
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    finished_at      timestamptz,
    UNIQUE (account_id, id)
) WITH (fillfactor = 50);
CREATE INDEX imports_created ON imports (account_id, created_at, id);
CREATE INDEX imports_open ON imports (id) WHERE status IN ('receiving', 'running');

CREATE TABLE import_errors (
    import_id  uuid NOT NULL,
    row        bigint NOT NULL, -- the first row of data is 1
    account_id uuid NOT NULL,
    reason     text NOT NULL,
    PRIMARY KEY (import_id, row),
    FOREIGN KEY (account_id, import_id) REFERENCES imports (account_id, id) ON DELETE CASCADE
);

-- By which an imported company is known when its file is sent again.
ALTER TABLE companies ADD COLUMN external_id text;
CREATE UNIQUE INDEX companies_external_id ON companies (account_id, external_id) WHERE external_id IS NOT NULL;

ALTER TABLE imports       ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE import_errors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT ON imports, import_errors TO dealflow_app;
GRANT UPDATE (status, total, processed, created, duplicates, failed, error, batches, written, work_id, seen_at, updated_at, finished_at) ON imports TO dealflow_app;
CREATE POLICY app_all ON imports TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
CREATE POLICY app_all ON import_errors TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));
GRANT SELECT, UPDATE ON imports TO dealflow_system;
CREATE POLICY system_all ON imports TO dealflow_system USING (true);

-- Ends what nobody else will: an import whose receiver showed no sign of life for so long, and one whose work was given up. What was received of
-- the first is still written, and it ends with that.
-- +goose StatementBegin
CREATE FUNCTION app_end_lost_imports(quiet interval) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
DECLARE
    lost bigint;
    given_up bigint;
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
    RETURN lost + given_up;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_end_lost_imports(interval) OWNER TO dealflow_system;

-- Whether a stored batch is still to be written: for the sweep of storage.
CREATE FUNCTION app_batch_needed(import uuid, number integer) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT EXISTS (SELECT 1 FROM imports i WHERE i.id = import AND i.status IN ('receiving', 'running') AND number > i.written) $$;
ALTER FUNCTION app_batch_needed(uuid, integer) OWNER TO dealflow_system;

-- When these imports last changed, whosever they are: for a process whose clients watch them.
CREATE FUNCTION app_import_changes(ids uuid[]) RETURNS TABLE (id uuid, changed text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT i.id, i.xmin::text FROM imports i WHERE i.id = ANY (ids) $$;
ALTER FUNCTION app_import_changes(uuid[]) OWNER TO dealflow_system;

-- Bulk work may be millions of rows. Of each account a few at a time are told to the queue, those of a lower rank first; the others wait here
-- with told_at null, so that no account's work stands before another's, and so that the queue stays small.
ALTER TABLE work ADD COLUMN rank smallint NOT NULL DEFAULT 0;
DROP INDEX work_open;
CREATE INDEX work_open ON work (run_after) WHERE state = 'queued' AND queue <> 'bulk';
CREATE INDEX work_waiting ON work (account_id, rank, run_after, id) WHERE state = 'queued' AND queue = 'bulk' AND told_at IS NULL;
CREATE INDEX work_told ON work (told_at) WHERE state = 'queued' AND queue = 'bulk' AND told_at IS NOT NULL;
CREATE INDEX work_admitted ON work (account_id) WHERE queue = 'bulk' AND (state = 'running' OR state = 'queued' AND told_at IS NOT NULL);

-- Admits bulk work of one account, or where that is null of all, up to `most` of each at a time, and gives what the queue is to be told.
-- +goose StatementBegin
CREATE FUNCTION app_admit_work(only_account uuid, most integer) RETURNS TABLE (id uuid, kind text, queue text, attempt integer)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public SET enable_seqscan = off SET plan_cache_mode = force_custom_plan
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
                RETURN QUERY UPDATE work w SET told_at = now() WHERE w.id IN (SELECT n.id FROM work n
                    WHERE n.account_id = account AND n.state = 'queued' AND n.queue = 'bulk' AND n.told_at IS NULL AND n.run_after <= now()
                    ORDER BY n.rank, n.run_after, n.id LIMIT free FOR UPDATE SKIP LOCKED)
                RETURNING w.id, w.kind, w.queue, w.attempt;
            END IF;
        END IF;
        EXIT WHEN only_account IS NOT NULL;
        SELECT x.account_id INTO account FROM work x
            WHERE x.state = 'queued' AND x.queue = 'bulk' AND x.told_at IS NULL AND x.account_id > account ORDER BY x.account_id LIMIT 1;
    END LOOP;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_admit_work(uuid, integer) OWNER TO dealflow_system;

-- Whether bulk work that was admitted waits for a worker: then what runs for long makes room.
CREATE FUNCTION app_bulk_waits() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT EXISTS (SELECT 1 FROM work WHERE queue = 'bulk' AND state = 'queued' AND told_at IS NOT NULL AND run_after <= now()) $$;
ALTER FUNCTION app_bulk_waits() OWNER TO dealflow_system;

-- As before, but for bulk work: only what was told already is told again, what waits is for app_admit_work.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_due_work(quiet interval, most integer) RETURNS TABLE (id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
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

-- What an attempt can use up begins anew once it got somewhere.
GRANT UPDATE (max_attempts) ON work TO dealflow_app;

-- +goose Down
-- app_due_work stays as it is: without bulk work it does what it did.
REVOKE UPDATE (max_attempts) ON work FROM dealflow_app;
DROP FUNCTION app_bulk_waits(), app_admit_work(uuid, integer), app_import_changes(uuid[]), app_batch_needed(uuid, integer), app_end_lost_imports(interval);
DROP INDEX work_waiting, work_told, work_admitted, work_open;
CREATE INDEX work_open ON work (run_after) WHERE state = 'queued';
ALTER TABLE work DROP COLUMN rank;
DROP INDEX companies_external_id;
ALTER TABLE companies DROP COLUMN external_id;
DROP TABLE import_errors, imports;

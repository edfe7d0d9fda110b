-- +goose Up
-- A plan may run the subquery of `id IN (SELECT … LIMIT most FOR UPDATE SKIP LOCKED)` once for each row of the outer table, and each run locks
-- other rows: all fifty waiting items were admitted instead of sixteen. An array is made once.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_admit_work(only_account uuid, most integer) RETURNS TABLE(id uuid, kind text, queue text, attempt integer)
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
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_due_work(quiet interval, most integer) RETURNS TABLE(id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
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
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_take_mails(most integer, lease interval) RETURNS TABLE(id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamp with time zone, account_name text, inviter text, account_id uuid, webhook_id uuid, webhook_url text, disabled_reason text, tries integer)
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
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_admit_work(only_account uuid, most integer) RETURNS TABLE(id uuid, kind text, queue text, attempt integer)
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_due_work(quiet interval, most integer) RETURNS TABLE(id uuid, kind text, queue text, attempt integer, settled boolean, waiter text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_take_mails(most integer, lease interval) RETURNS TABLE(id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamp with time zone, account_name text, inviter text, account_id uuid, webhook_id uuid, webhook_url text, disabled_reason text, tries integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY
    WITH taken AS (
        UPDATE mails m SET next_at = now() + lease, attempt = m.attempt + 1
        WHERE m.id IN (SELECT d.id FROM mails d WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.next_at <= now()
            ORDER BY d.next_at LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING m.*)
    SELECT t.id, t.kind, t.email, t.user_id, t.invitation_id, t.base_url, t.attempt, t.created_at, COALESCE(a.name, ''), COALESCE(u.name, ''),
        w.account_id, w.id, COALESCE(w.url, ''), COALESCE(w.disabled_reason, ''), t.tries
    FROM taken t LEFT JOIN invitations i ON i.id = t.invitation_id LEFT JOIN webhooks w ON w.id = t.webhook_id
        LEFT JOIN accounts a ON a.id = COALESCE(i.account_id, w.account_id) LEFT JOIN users u ON u.id = i.invited_by;
END
    $$;
-- +goose StatementEnd

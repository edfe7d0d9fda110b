-- +goose Up
-- Each analysis claims its work: as SQL the function was planned anew each time (0.5 to 1 ms), as plpgsql its plan is kept.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_claim_work(work_id uuid, work_attempt integer, lease interval) RETURNS SETOF work
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY UPDATE work w SET
        state = 'running', started_at = now(), lease_until = now() + lease,
        user_id = CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.user_id)
            THEN w.user_id ELSE COALESCE(app_oldest_owner(w.account_id), w.user_id) END
    WHERE w.id = work_id AND w.attempt = work_attempt AND w.state = 'queued'
    RETURNING w.*;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- The function stays as it is: it answers what the one before it did.

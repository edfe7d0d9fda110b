-- +goose Up
-- Work is added to the caller's own teams alone, and what it is about never changes.
CREATE POLICY app_own_accounts ON work AS RESTRICTIVE FOR INSERT TO dealflow_app WITH CHECK (account_id = ANY (ARRAY(SELECT app_account_ids())));
REVOKE UPDATE ON work FROM dealflow_app;
GRANT UPDATE (state, attempt, run_after, told_at, lease_until, error, result, started_at, finished_at) ON work TO dealflow_app;

-- +goose Down
REVOKE UPDATE (state, attempt, run_after, told_at, lease_until, error, result, started_at, finished_at) ON work FROM dealflow_app;
GRANT UPDATE ON work TO dealflow_app;
DROP POLICY app_own_accounts ON work;

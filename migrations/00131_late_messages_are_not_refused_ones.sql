-- +goose Up
-- A message that waits for a receiver that fails has no attempt of its own, and one that is sent again is as old as the first time. Neither
-- waits for the service.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_webhook_wait() RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT COALESCE(max(extract(epoch FROM now() - d.created_at)), 0) FROM webhook_deliveries d
        WHERE d.state = 'pending' AND d.attempted_at IS NULL AND d.next_at IS NULL
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_webhook_wait() RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT COALESCE(max(extract(epoch FROM now() - d.created_at)), 0) FROM webhook_deliveries d WHERE d.state = 'pending' AND d.attempts = 0
    $$;
-- +goose StatementEnd

-- +goose Up
-- What was asked for with an Idempotency-Key, and what was answered: a request that is sent again does nothing twice.

CREATE TABLE idempotency_keys (
    user_id      uuid NOT NULL, -- whose key it is; of what needs no login an id made of the client's address, so no user need have it
    key          text NOT NULL,
    attempt      uuid NOT NULL, -- which request has it: one that lost it to another can commit nothing
    state        text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'committed', 'answered')),
    fingerprint  bytea,         -- SHA-256 of the request; known once its body was read
    reference    jsonb,         -- to what was made, so that its answer can be given anew
    status       integer,       -- of the answer, as are the next two
    content_type text,
    body         bytea,
    lease_until  timestamptz NOT NULL, -- a row that is not answered and past it has lost its process
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- Old keys may be used anew.
CREATE FUNCTION app_forget_idempotency_keys(age interval) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH gone AS (DELETE FROM idempotency_keys WHERE created_at < now() - age AND lease_until < now() RETURNING 1) SELECT count(*) FROM gone
    $$;
ALTER FUNCTION app_forget_idempotency_keys(interval) OWNER TO dealflow_system;

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO dealflow_app;
GRANT SELECT (created_at, lease_until), DELETE ON idempotency_keys TO dealflow_system;
CREATE POLICY app_all ON idempotency_keys TO dealflow_app USING (user_id = app_user_id());
CREATE POLICY system_all ON idempotency_keys TO dealflow_system USING (true);

-- +goose Down
DROP TABLE idempotency_keys CASCADE;
DROP FUNCTION app_forget_idempotency_keys(interval);

-- +goose Up
-- Mailgun signs a time and a token, not the mail: who saw one request could send any mail with them. A token belongs to what it brought first.
CREATE TABLE mailgun_tokens (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash       bytea NOT NULL, -- SHA-256 of the signature
    brought    bytea NOT NULL, -- SHA-256 of what the mail is known by
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, hash)
);
CREATE INDEX mailgun_tokens_created_at ON mailgun_tokens (created_at);

-- Forgets tokens that are older than their signatures may be.
CREATE FUNCTION app_forget_mailgun_tokens(age interval) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$ WITH gone AS (DELETE FROM mailgun_tokens WHERE created_at < now() - age RETURNING 1) SELECT count(*) FROM gone $$;
ALTER FUNCTION app_forget_mailgun_tokens(interval) OWNER TO dealflow_system;

ALTER TABLE mailgun_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT (account_id, hash, brought), INSERT (account_id, hash, brought) ON mailgun_tokens TO dealflow_app;
GRANT SELECT, DELETE ON mailgun_tokens TO dealflow_system;
CREATE POLICY app_all ON mailgun_tokens TO dealflow_app USING (account_id = ANY ((SELECT app_accounts())::uuid[]));
CREATE POLICY system_all ON mailgun_tokens TO dealflow_system USING (true);

-- +goose Down
DROP FUNCTION app_forget_mailgun_tokens(interval);
DROP TABLE mailgun_tokens;

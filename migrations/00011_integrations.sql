-- +goose Up
-- What other services send: integrations, each with a URL of its own, what came in and could not be taken in at once, and the files of emails.

ALTER TABLE emails ADD COLUMN raw_storage_path text; -- the MIME message as it came
CREATE INDEX emails_raw ON emails (raw_storage_path) WHERE raw_storage_path IS NOT NULL;
CREATE INDEX email_attachments_storage ON email_attachments (storage_path);

CREATE TABLE integrations (
    id               uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind             text NOT NULL CHECK (kind IN ('tally', 'typeform', 'email')),
    name             text NOT NULL,
    enabled          boolean NOT NULL DEFAULT true,
    create_companies boolean NOT NULL DEFAULT false,
    token_hash       bytea NOT NULL UNIQUE, -- SHA-256 of the token in hook_url, by which it is found
    token            bytea NOT NULL,        -- the three are sealed with a key made of SECRET_KEYS
    secret           bytea NOT NULL,
    signing_key      bytea,                 -- Mailgun's
    created_by       uuid NOT NULL REFERENCES users, -- as whom it runs
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX integrations_account ON integrations (account_id, created_at, id);

-- What was received and waits for a worker, or could not be taken in. What was taken in at once has no receipt.
CREATE TABLE receipts (
    id             uuid PRIMARY KEY,
    account_id     uuid NOT NULL,
    integration_id uuid NOT NULL,
    content_type   text NOT NULL,
    size_bytes     bigint NOT NULL,
    sha256         text NOT NULL, -- of the body; the same body is received once
    storage_path   text,          -- of the body, as long as it is needed
    create_companies boolean NOT NULL, -- as the integration said then
    status         text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'done', 'failed')),
    error          text,
    created_at     timestamptz NOT NULL DEFAULT now(),
    finished_at    timestamptz,
    UNIQUE (integration_id, sha256),
    FOREIGN KEY (account_id, integration_id) REFERENCES integrations (account_id, id) ON DELETE CASCADE
);
CREATE INDEX receipts_newest ON receipts (account_id, integration_id, created_at, id);
CREATE INDEX receipts_waiting ON receipts (created_at) WHERE status = 'waiting';
CREATE INDEX receipts_storage ON receipts (storage_path) WHERE storage_path IS NOT NULL;

-- Files of emails that may be nobody's: written before their email is kept, or left when it went. What a sweep finds to be nobody's after a while is
-- removed. An account that is gone leaves its files here.
CREATE TABLE loose_files (
    storage_path text PRIMARY KEY,
    account_id   uuid NOT NULL,
    since        timestamptz NOT NULL DEFAULT now(),
    CHECK (starts_with(storage_path, 'emails/' || account_id || '/'))
);
CREATE INDEX loose_files_since ON loose_files (since);

-- The integration behind a token: before there is an identity. Where its maker has left the team, its oldest owner stands for him.
-- +goose StatementBegin
CREATE FUNCTION app_integration_by_token(hash bytea) RETURNS TABLE (id uuid, account_id uuid, kind text, enabled boolean, create_companies boolean,
    secret bytea, signing_key bytea, runs_as uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT i.id, i.account_id, i.kind, i.enabled, i.create_companies, i.secret, i.signing_key,
        CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = i.account_id AND m.user_id = i.created_by)
            THEN i.created_by ELSE app_oldest_owner(i.account_id) END
    FROM integrations i WHERE i.token_hash = hash
    $$;
-- +goose StatementEnd

-- Remembers files that are about to be written, or found there, for an email that is not kept yet. It waits where a sweep is about to remove one.
CREATE FUNCTION app_hold_files(account uuid, paths text[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    INSERT INTO loose_files (storage_path, account_id) SELECT DISTINCT p, account FROM unnest(paths) AS p ORDER BY p
    ON CONFLICT (storage_path) DO UPDATE SET since = now()
    $$;

-- Takes files that were remembered longer than age ago, and tells which of them are nobody's, so that these can be removed before the transaction ends.
-- +goose StatementBegin
CREATE FUNCTION app_take_loose_files(age interval, most integer) RETURNS TABLE (storage_path text, nobodys boolean)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH old AS MATERIALIZED (SELECT l.storage_path FROM loose_files l WHERE l.since < now() - age ORDER BY l.since LIMIT most FOR UPDATE SKIP LOCKED),
        taken AS (DELETE FROM loose_files l USING old o WHERE l.storage_path = o.storage_path)
    SELECT o.storage_path, NOT EXISTS (SELECT 1 FROM email_attachments a WHERE a.storage_path = o.storage_path)
        AND NOT EXISTS (SELECT 1 FROM emails e WHERE e.raw_storage_path = o.storage_path)
        AND NOT EXISTS (SELECT 1 FROM receipts r WHERE r.storage_path = o.storage_path)
    FROM old o
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION app_loosen_files() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'emails' THEN
        INSERT INTO loose_files (storage_path, account_id) SELECT DISTINCT raw_storage_path, account_id FROM gone
        WHERE starts_with(raw_storage_path, 'emails/' || account_id || '/') ORDER BY 1 ON CONFLICT (storage_path) DO UPDATE SET since = now();
    ELSE
        INSERT INTO loose_files (storage_path, account_id) SELECT DISTINCT storage_path, account_id FROM gone
        WHERE starts_with(storage_path, 'emails/' || account_id || '/') ORDER BY 1 ON CONFLICT (storage_path) DO UPDATE SET since = now();
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
CREATE TRIGGER loosen_files AFTER DELETE ON emails REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_loosen_files();
CREATE TRIGGER loosen_files AFTER DELETE ON email_attachments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_loosen_files();
CREATE TRIGGER loosen_files AFTER DELETE ON receipts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_loosen_files();

-- Tells of receipts whose work failed for good, or is gone, that they failed.
-- +goose StatementBegin
CREATE FUNCTION app_fail_lost_receipts() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH lost AS (
        UPDATE receipts r SET status = 'failed', finished_at = now(),
            error = COALESCE((SELECT w.error FROM work w WHERE w.subject_id = r.id AND w.state = 'failed' LIMIT 1), 'its workers died')
        WHERE r.status = 'waiting' AND r.created_at < now() - interval '1 minute'
            AND NOT EXISTS (SELECT 1 FROM work w WHERE w.subject_id = r.id AND w.state IN ('queued', 'running'))
        RETURNING 1)
    SELECT count(*) FROM lost
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_integration_by_token(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_hold_files(uuid, text[]) OWNER TO dealflow_system;
ALTER FUNCTION app_take_loose_files(interval, integer) OWNER TO dealflow_system;
ALTER FUNCTION app_loosen_files() OWNER TO dealflow_system;
ALTER FUNCTION app_fail_lost_receipts() OWNER TO dealflow_system;

ALTER TABLE integrations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE receipts     ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE loose_files  ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Secrets and hashes are written, and read by app_integration_by_token alone.
GRANT SELECT (id, account_id, kind, name, enabled, create_companies, token, created_by, created_at, updated_at), INSERT, DELETE,
    UPDATE (name, enabled, create_companies, secret, signing_key, updated_at) ON integrations TO dealflow_app;
GRANT SELECT, INSERT, UPDATE (storage_path, status, error, finished_at) ON receipts TO dealflow_app;

CREATE POLICY app_select ON integrations FOR SELECT TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_insert ON integrations FOR INSERT TO dealflow_app
    WITH CHECK (account_id = ANY (ARRAY(SELECT app_admin_account_ids())) AND created_by = app_user_id());
CREATE POLICY app_update ON integrations FOR UPDATE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
CREATE POLICY app_delete ON integrations FOR DELETE TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_admin_account_ids())));
-- Who made an integration may have become a plain member since; what comes in is still received as him.
CREATE POLICY app_all ON receipts TO dealflow_app USING (account_id = ANY (ARRAY(SELECT app_account_ids())));

GRANT SELECT ON integrations, receipts, email_attachments TO dealflow_system;
GRANT UPDATE (status, error, finished_at) ON receipts TO dealflow_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON loose_files TO dealflow_system;
CREATE POLICY system_select ON integrations FOR SELECT TO dealflow_system USING (true);
CREATE POLICY system_all ON receipts TO dealflow_system USING (true);
CREATE POLICY system_all ON loose_files TO dealflow_system USING (true);
CREATE POLICY system_select ON email_attachments FOR SELECT TO dealflow_system USING (true);

-- +goose Down
DROP POLICY system_select ON email_attachments;
REVOKE SELECT ON email_attachments FROM dealflow_system;
DROP TRIGGER loosen_files ON emails;
DROP TRIGGER loosen_files ON email_attachments;
DROP TABLE receipts, integrations, loose_files CASCADE;
DROP FUNCTION app_integration_by_token(bytea), app_hold_files(uuid, text[]), app_take_loose_files(interval, integer), app_loosen_files(), app_fail_lost_receipts();
DROP INDEX email_attachments_storage;
ALTER TABLE emails DROP COLUMN raw_storage_path;

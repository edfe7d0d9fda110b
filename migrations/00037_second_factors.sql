-- +goose Up
-- A second factor of a login: codes of an authenticator app (TOTP), and recovery codes for who has lost it.

CREATE TABLE second_factors (
    user_id      uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    secret       bytea NOT NULL,            -- sealed under SECRET_KEYS
    confirmed_at timestamptz,               -- null: not active yet
    last_step    bigint NOT NULL DEFAULT 0, -- of the code that was used last: neither it nor an older one works again
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- Those that were not used.
CREATE TABLE recovery_codes (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    hash    bytea NOT NULL, -- SHA-256 of 80 random bits
    PRIMARY KEY (user_id, hash)
);

ALTER TABLE second_factors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE recovery_codes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT (user_id, secret, confirmed_at, last_step), INSERT (user_id, secret), UPDATE (secret, confirmed_at, last_step), DELETE
    ON second_factors TO dealflow_app;
GRANT SELECT, INSERT, DELETE ON recovery_codes TO dealflow_app;
CREATE POLICY app_all ON second_factors TO dealflow_app USING (user_id = app_user_id());
CREATE POLICY app_all ON recovery_codes TO dealflow_app USING (user_id = app_user_id());
GRANT SELECT, DELETE ON second_factors, recovery_codes TO dealflow_system;
CREATE POLICY system_all ON second_factors TO dealflow_system USING (true);
CREATE POLICY system_all ON recovery_codes TO dealflow_system USING (true);

-- +goose StatementBegin
CREATE FUNCTION app_audit_factor() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    PERFORM app_audit_add(NULL, u.id, TG_ARGV[0], 'user', u.id, u.name, false, NULL) FROM users u WHERE u.id = OLD.user_id;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_audit_factor() OWNER TO dealflow_system;
CREATE TRIGGER audit AFTER UPDATE ON second_factors FOR EACH ROW WHEN (OLD.confirmed_at IS NULL AND NEW.confirmed_at IS NOT NULL)
    EXECUTE FUNCTION app_audit_factor('totp.enabled');
CREATE TRIGGER audit_off AFTER DELETE ON second_factors FOR EACH ROW WHEN (OLD.confirmed_at IS NOT NULL)
    EXECUTE FUNCTION app_audit_factor('totp.disabled');

-- As before. A proven user keeps the second factor: a mail alone must not let anybody in. What only a claimant of the address set up goes, with their keys.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_reset_password(token_hash bytea, new_password_hash text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    claimant uuid;
    proven boolean;
BEGIN
    SELECT p.user_id, u.proven_at IS NOT NULL INTO claimant, proven FROM address_proofs p JOIN users u ON u.id = p.user_id
        WHERE p.hash = token_hash AND p.kind = 'reset' AND p.expires_at > now() FOR UPDATE OF p;
    IF claimant IS NULL OR NOT app_prove_user(claimant) THEN
        RETURN NULL;
    END IF;
    UPDATE users SET password_hash = new_password_hash, updated_at = now() WHERE id = claimant;
    DELETE FROM sessions WHERE user_id = claimant;
    DELETE FROM address_proofs WHERE user_id = claimant;
    IF NOT proven THEN
        DELETE FROM api_keys WHERE user_id = claimant;
        DELETE FROM recovery_codes WHERE user_id = claimant;
        DELETE FROM second_factors WHERE user_id = claimant;
    END IF;
    RETURN claimant;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_reset_password(token_hash bytea, new_password_hash text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    claimant uuid;
    proven boolean;
BEGIN
    SELECT p.user_id, u.proven_at IS NOT NULL INTO claimant, proven FROM address_proofs p JOIN users u ON u.id = p.user_id
        WHERE p.hash = token_hash AND p.kind = 'reset' AND p.expires_at > now() FOR UPDATE OF p;
    IF claimant IS NULL OR NOT app_prove_user(claimant) THEN
        RETURN NULL;
    END IF;
    UPDATE users SET password_hash = new_password_hash, updated_at = now() WHERE id = claimant;
    DELETE FROM sessions WHERE user_id = claimant;
    DELETE FROM address_proofs WHERE user_id = claimant;
    IF NOT proven THEN
        DELETE FROM api_keys WHERE user_id = claimant;
    END IF;
    RETURN claimant;
END
    $$;
-- +goose StatementEnd
DROP TABLE recovery_codes, second_factors;
DROP FUNCTION app_audit_factor();

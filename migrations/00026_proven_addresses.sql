-- +goose Up
-- An address is nobody's until proven: by a link that was mailed to it, or by the operator's word. Any number of users may claim an address, one at
-- most has proven it. Who has not is a member of the one account that let them in, their home.

ALTER TABLE users
    ADD COLUMN proven_at       timestamptz, -- null: the address is only claimed
    ADD COLUMN home_account_id uuid REFERENCES accounts ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
GRANT SELECT (proven_at) ON users TO dealflow_app;

-- Only `dealflow user create` made users without a password, and only `dealflow user password` changed one: the operator's word. All others came by an
-- invitation or a registration. They keep the accounts that they are in.
ALTER TABLE users NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memberships NO FORCE ROW LEVEL SECURITY;
UPDATE users SET proven_at = now() WHERE password_hash IS NULL OR updated_at <> created_at;
UPDATE users u SET home_account_id = (SELECT m.account_id FROM memberships m WHERE m.user_id = u.id ORDER BY m.created_at, m.id LIMIT 1)
    WHERE u.proven_at IS NULL;
SET CONSTRAINTS ALL IMMEDIATE; -- a table is not altered while checks of its rows are pending
ALTER TABLE users FORCE ROW LEVEL SECURITY;
ALTER TABLE memberships FORCE ROW LEVEL SECURITY;

DROP INDEX users_email_key;
CREATE UNIQUE INDEX users_proven_email ON users (lower(email)) WHERE proven_at IS NOT NULL;
CREATE INDEX users_email ON users (lower(email));

-- Whoever writes a membership, and as whom: an unproven user joins their home alone.
-- +goose StatementBegin
CREATE FUNCTION app_check_membership() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.user_id AND u.proven_at IS NULL AND u.home_account_id IS DISTINCT FROM NEW.account_id) THEN
        RAISE EXCEPTION 'the address of user % is not proven', NEW.user_id USING ERRCODE = 'check_violation', CONSTRAINT = 'memberships_proven';
    END IF;
    RETURN NEW;
END
    $$;
-- +goose StatementEnd
CREATE TRIGGER check_membership BEFORE INSERT ON memberships FOR EACH ROW EXECUTE FUNCTION app_check_membership();

-- Everybody who claims an address, whatever its case; first who has proven it. For logins and the operator's commands.
DROP FUNCTION app_user_by_email(text);
-- +goose StatementBegin
CREATE FUNCTION app_users_by_email(address text) RETURNS TABLE (user_id uuid, password_hash text, proven boolean, home_account_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT u.id, u.password_hash, u.proven_at IS NOT NULL, u.home_account_id FROM users u WHERE lower(u.email) = lower(address)
        ORDER BY u.proven_at IS NULL, u.created_at, u.id LIMIT 100;
END
    $$;
-- +goose StatementEnd

-- Makes a user: proven without a home, else one who only claims the address.
DROP FUNCTION app_create_user(uuid, text, text, text);
-- +goose StatementBegin
CREATE FUNCTION app_create_user(new_id uuid, new_email text, new_name text, new_password_hash text, home uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    INSERT INTO users (id, email, name, password_hash, proven_at, home_account_id)
    VALUES (new_id, new_email, new_name, new_password_hash, CASE WHEN home IS NULL THEN now() END, home)
    $$;
-- +goose StatementEnd

-- A user's address is proven from now on; false where another user has proven it, or there is no such user.
-- +goose StatementBegin
CREATE FUNCTION app_prove_user(claimant uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    UPDATE users SET proven_at = COALESCE(proven_at, now()) WHERE id = claimant;
    RETURN FOUND;
EXCEPTION WHEN unique_violation THEN
    RETURN false;
END
    $$;
-- +goose StatementEnd

-- Mails to be sent, a row each, written with what they are about. Their tokens are made when they are sent.
CREATE TABLE mails (
    id            uuid PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('invitation', 'verification', 'reset')),
    email         text NOT NULL,
    user_id       uuid REFERENCES users ON DELETE CASCADE,       -- whose address is to be proven
    invitation_id uuid REFERENCES invitations ON DELETE CASCADE,
    base_url      text NOT NULL,                                 -- what the link begins with
    attempt       integer NOT NULL DEFAULT 0,
    next_at       timestamptz NOT NULL DEFAULT now(),            -- of a mail that is being sent: when its sender is given up
    sent_at       timestamptz,
    failed_at     timestamptz,
    error         text,
    created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mails_open ON mails (next_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_email ON mails (lower(email), created_at);
CREATE INDEX mails_user ON mails (user_id);
CREATE INDEX mails_invitation ON mails (invitation_id);

-- Tokens that were mailed: who sends one back reads the address's mail.
CREATE TABLE address_proofs (
    hash          bytea PRIMARY KEY, -- SHA-256 of the token
    kind          text NOT NULL CHECK (kind IN ('invitation', 'verification', 'reset')),
    user_id       uuid REFERENCES users ON DELETE CASCADE,
    invitation_id uuid REFERENCES invitations ON DELETE CASCADE,
    expires_at    timestamptz NOT NULL,
    CHECK (num_nonnulls(user_id, invitation_id) = 1)
);
CREATE INDEX address_proofs_user ON address_proofs (user_id);
CREATE INDEX address_proofs_invitation ON address_proofs (invitation_id);
CREATE INDEX address_proofs_expires_at ON address_proofs (expires_at);

-- Adds a mail, unless so many of its kind were asked for within the hour that the address is being flooded.
-- +goose StatementBegin
CREATE FUNCTION app_add_mail(new_id uuid, new_kind text, address text, claimant uuid, invitation uuid, base text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    INSERT INTO mails (id, kind, email, user_id, invitation_id, base_url)
    SELECT new_id, new_kind, address, claimant, invitation, base
    WHERE (SELECT count(*) FROM mails WHERE lower(email) = lower(address) AND kind = new_kind AND created_at > now() - interval '1 hour') < 10
    $$;
-- +goose StatementEnd

-- Takes mails that are due for the length of a lease, with what their text names.
-- +goose StatementBegin
CREATE FUNCTION app_take_mails(most integer, lease interval)
    RETURNS TABLE (id uuid, kind text, email text, user_id uuid, invitation_id uuid, base_url text, attempt integer, created_at timestamptz,
        account_name text, inviter text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY
    WITH taken AS (
        UPDATE mails m SET next_at = now() + lease, attempt = m.attempt + 1
        WHERE m.id IN (SELECT d.id FROM mails d WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.next_at <= now()
            ORDER BY d.next_at LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING m.*)
    SELECT t.id, t.kind, t.email, t.user_id, t.invitation_id, t.base_url, t.attempt, t.created_at, COALESCE(a.name, ''), COALESCE(u.name, '')
    FROM taken t LEFT JOIN invitations i ON i.id = t.invitation_id LEFT JOIN accounts a ON a.id = i.account_id LEFT JOIN users u ON u.id = i.invited_by;
END
    $$;
-- +goose StatementEnd

-- Whom a reset of an address's password is for: who has proven it, else some of those who claim it, with the account that let them in.
-- +goose StatementBegin
CREATE FUNCTION app_reset_users(address text) RETURNS TABLE (user_id uuid, account_name text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT u.id, CASE WHEN u.proven_at IS NULL THEN COALESCE(a.name, '') ELSE '' END
        FROM users u LEFT JOIN accounts a ON a.id = u.home_account_id
        WHERE lower(u.email) = lower(address) AND (u.proven_at IS NOT NULL
            OR NOT EXISTS (SELECT 1 FROM users p WHERE lower(p.email) = lower(address) AND p.proven_at IS NOT NULL))
        ORDER BY u.created_at LIMIT 5;
END
    $$;
-- +goose StatementEnd

-- Keeps the hash of a token that is about to be mailed.
-- +goose StatementBegin
CREATE FUNCTION app_add_proof(token_hash bytea, new_kind text, claimant uuid, invitation uuid, lasts interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$ INSERT INTO address_proofs (hash, kind, user_id, invitation_id, expires_at) VALUES (token_hash, new_kind, claimant, invitation, now() + lasts) $$;
-- +goose StatementEnd

-- A mail was sent (no error), is to be tried again (after a while), or is given up.
-- +goose StatementBegin
CREATE FUNCTION app_end_mail(mail uuid, problem text, again interval) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    UPDATE mails SET error = problem, next_at = COALESCE(now() + again, next_at), sent_at = CASE WHEN problem IS NULL THEN now() END,
        failed_at = CASE WHEN problem IS NOT NULL AND again IS NULL THEN now() END
    WHERE id = mail
    $$;
-- +goose StatementEnd

-- The user behind a token that was mailed to them; null where it is none of this kind, was used, or has expired.
-- +goose StatementBegin
CREATE FUNCTION app_proof_user(token_hash bytea, of_kind text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$ SELECT user_id FROM address_proofs WHERE hash = token_hash AND kind = of_kind AND expires_at > now() $$;
-- +goose StatementEnd

-- Uses up a verification: the address is the user's. Null where the token proves nothing, false where another user has proven the address.
-- +goose StatementBegin
CREATE FUNCTION app_verify_email(token_hash bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    claimant uuid;
BEGIN
    SELECT user_id INTO claimant FROM address_proofs WHERE hash = token_hash AND kind = 'verification' AND expires_at > now() FOR UPDATE;
    IF claimant IS NULL THEN
        RETURN NULL;
    END IF;
    IF NOT app_prove_user(claimant) THEN
        RETURN false;
    END IF;
    DELETE FROM address_proofs WHERE user_id = claimant AND kind = 'verification';
    RETURN true;
END
    $$;
-- +goose StatementEnd

-- Uses up a reset: the user has this password and no session. It proves the address too; of what an unproven user had made to get in, nothing stays,
-- since it may have been another. Null where the token proves nothing, or another user has proven the address meanwhile.
-- +goose StatementBegin
CREATE FUNCTION app_reset_password(token_hash bytea, new_password_hash text) RETURNS uuid
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

-- The invitation behind the hash of its token, or of one that was mailed for it, whatever its state: who accepts it is in no team yet.
DROP FUNCTION app_invitation_by_hash(bytea);
-- +goose StatementBegin
CREATE FUNCTION app_invitation_by_hash(token_hash bytea)
    RETURNS TABLE (invitation_id uuid, account_id uuid, email text, mailed boolean, used boolean, expired boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT i.id, i.account_id, i.email, i.hash <> token_hash, i.accepted_at IS NOT NULL, i.expires_at <= now() FROM invitations i
        WHERE i.hash = token_hash OR i.id = (SELECT p.invitation_id FROM address_proofs p WHERE p.hash = token_hash AND p.kind = 'invitation');
END
    $$;
-- +goose StatementEnd

DROP FUNCTION app_invitation_page(bytea);
-- +goose StatementBegin
CREATE FUNCTION app_invitation_page(token_hash bytea) RETURNS TABLE (account_name text, inviter text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
BEGIN
    RETURN QUERY SELECT a.name, u.name FROM app_invitation_by_hash(token_hash) f JOIN invitations i ON i.id = f.invitation_id
        JOIN accounts a ON a.id = i.account_id JOIN users u ON u.id = i.invited_by;
END
    $$;
-- +goose StatementEnd

-- Makes the caller, whose address must be the invited one, a member, and returns the account; null where the invitation is used, expired, revoked or
-- another's. A mailed token proves the address. Who is a member already keeps their role.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_accept_invitation(invitation_hash bytea, membership_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    invited record;
BEGIN
    SELECT f.mailed, i.id, i.account_id, i.role INTO invited
    FROM app_invitation_by_hash(invitation_hash) f JOIN invitations i ON i.id = f.invitation_id JOIN users u ON u.id = app_user_id()
    WHERE i.accepted_at IS NULL AND i.expires_at > now() AND lower(u.email) = lower(i.email)
    FOR UPDATE OF i;
    IF invited.id IS NULL THEN
        RETURN NULL;
    END IF;
    IF invited.mailed THEN
        PERFORM app_prove_user(app_user_id());
    END IF;
    UPDATE invitations SET accepted_at = now() WHERE id = invited.id AND accepted_at IS NULL;
    INSERT INTO memberships (id, account_id, user_id, role) VALUES (membership_id, invited.account_id, app_user_id(), invited.role)
        ON CONFLICT (account_id, user_id) DO NOTHING;
    RETURN invited.account_id;
END
    $$;
-- +goose StatementEnd

-- Mails and tokens that nobody needs any more.
-- +goose StatementBegin
CREATE FUNCTION app_forget_mails(age interval) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    DELETE FROM address_proofs WHERE expires_at < now();
    WITH gone AS (DELETE FROM mails WHERE COALESCE(sent_at, failed_at) < now() - age RETURNING 1) SELECT count(*) FROM gone
    $$;
-- +goose StatementEnd

-- Who enters by a key also shows what it may do.
DROP FUNCTION app_enter_by_key(bytea);
-- +goose StatementBegin
CREATE FUNCTION app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid, OUT scopes text[])
    LANGUAGE plpgsql SECURITY DEFINER COST 40 SET search_path = public, pg_temp
    AS $$
BEGIN
    SELECT k.key_id, k.user_id, k.scopes INTO proof, person, scopes FROM app_key_by_hash(key_hash) AS k;
    PERFORM set_config('app.user_id', COALESCE(person::text, ''), true);
END
    $$;
-- +goose StatementEnd

ALTER FUNCTION app_check_membership() OWNER TO dealflow_system;
ALTER FUNCTION app_users_by_email(text) OWNER TO dealflow_system;
ALTER FUNCTION app_create_user(uuid, text, text, text, uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_prove_user(uuid) OWNER TO dealflow_system;
ALTER FUNCTION app_add_mail(uuid, text, text, uuid, uuid, text) OWNER TO dealflow_system;
ALTER FUNCTION app_take_mails(integer, interval) OWNER TO dealflow_system;
ALTER FUNCTION app_reset_users(text) OWNER TO dealflow_system;
ALTER FUNCTION app_add_proof(bytea, text, uuid, uuid, interval) OWNER TO dealflow_system;
ALTER FUNCTION app_end_mail(uuid, text, interval) OWNER TO dealflow_system;
ALTER FUNCTION app_proof_user(bytea, text) OWNER TO dealflow_system;
ALTER FUNCTION app_verify_email(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_reset_password(bytea, text) OWNER TO dealflow_system;
ALTER FUNCTION app_invitation_by_hash(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_invitation_page(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_forget_mails(interval) OWNER TO dealflow_system;
ALTER FUNCTION app_enter_by_key(bytea) OWNER TO dealflow_system;

ALTER TABLE mails          ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE address_proofs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON mails, address_proofs TO dealflow_system;
GRANT UPDATE (proven_at, password_hash, updated_at) ON users TO dealflow_system;
GRANT DELETE ON api_keys TO dealflow_system;
CREATE POLICY system_all ON mails TO dealflow_system USING (true);
CREATE POLICY system_all ON address_proofs TO dealflow_system USING (true);

-- +goose Down
REVOKE DELETE ON api_keys FROM dealflow_system;
REVOKE UPDATE (proven_at, password_hash, updated_at) ON users FROM dealflow_system;
DROP TABLE mails, address_proofs;
DROP TRIGGER check_membership ON memberships;
DROP FUNCTION app_check_membership(), app_users_by_email(text), app_create_user(uuid, text, text, text, uuid), app_prove_user(uuid),
    app_add_mail(uuid, text, text, uuid, uuid, text), app_take_mails(integer, interval), app_reset_users(text),
    app_add_proof(bytea, text, uuid, uuid, interval), app_end_mail(uuid, text, interval), app_proof_user(bytea, text), app_verify_email(bytea),
    app_reset_password(bytea, text), app_invitation_by_hash(bytea), app_invitation_page(bytea), app_forget_mails(interval), app_enter_by_key(bytea);
-- +goose StatementBegin
CREATE FUNCTION app_enter_by_key(key_hash bytea, OUT proof uuid, OUT person uuid) LANGUAGE plpgsql SECURITY DEFINER COST 40 SET search_path = public, pg_temp
    AS $$
BEGIN
    SELECT k.key_id, k.user_id INTO proof, person FROM app_key_by_hash(key_hash) AS k;
    PERFORM set_config('app.user_id', COALESCE(person::text, ''), true);
END
    $$;
-- +goose StatementEnd
CREATE FUNCTION app_invitation_by_hash(invitation_hash bytea) RETURNS TABLE (invitation_id uuid, email text, used boolean, expired boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT i.id, i.email, i.accepted_at IS NOT NULL, i.expires_at <= now() FROM invitations i WHERE i.hash = invitation_hash $$;
CREATE FUNCTION app_invitation_page(invitation_hash bytea) RETURNS TABLE (account_name text, inviter text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT a.name, u.name FROM invitations i JOIN accounts a ON a.id = i.account_id JOIN users u ON u.id = i.invited_by WHERE i.hash = invitation_hash
    $$;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_accept_invitation(invitation_hash bytea, membership_id uuid) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    WITH accepted AS (
        UPDATE invitations i SET accepted_at = now() FROM users u
        WHERE i.hash = invitation_hash AND i.accepted_at IS NULL AND i.expires_at > now()
            AND u.id = app_user_id() AND lower(u.email) = lower(i.email)
        RETURNING i.account_id, i.role
    ), joined AS (
        INSERT INTO memberships (id, account_id, user_id, role) SELECT membership_id, account_id, app_user_id(), role FROM accepted
        ON CONFLICT (account_id, user_id) DO NOTHING
    )
    SELECT account_id FROM accepted
    $$;
-- +goose StatementEnd
CREATE FUNCTION app_user_by_email(address text) RETURNS TABLE (user_id uuid, password_hash text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ SELECT u.id, u.password_hash FROM users u WHERE lower(u.email) = lower(address) $$;
CREATE FUNCTION app_create_user(new_id uuid, new_email text, new_name text, new_password_hash text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ INSERT INTO users (id, email, name, password_hash) VALUES (new_id, new_email, new_name, new_password_hash) $$;
ALTER FUNCTION app_enter_by_key(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_invitation_by_hash(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_invitation_page(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_user_by_email(text) OWNER TO dealflow_system;
ALTER FUNCTION app_create_user(uuid, text, text, text) OWNER TO dealflow_system;
-- Two users with one address cannot both stay; who has proven it does.
ALTER TABLE users NO FORCE ROW LEVEL SECURITY;
UPDATE users u SET email = u.id || '+' || u.email WHERE u.proven_at IS NULL
    AND EXISTS (SELECT 1 FROM users o WHERE lower(o.email) = lower(u.email) AND o.id <> u.id AND (o.proven_at IS NOT NULL OR o.created_at < u.created_at));
ALTER TABLE users FORCE ROW LEVEL SECURITY;
DROP INDEX users_proven_email, users_email;
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
REVOKE SELECT (proven_at) ON users FROM dealflow_app;
ALTER TABLE users DROP COLUMN proven_at, DROP COLUMN home_account_id;

-- +goose Up
-- What the page of an invitation shows, and the end of sessions and invitations that nobody needs any more.

-- Who invites whom to what, for whoever has the token; nothing where nobody was given it.
CREATE FUNCTION app_invitation_page(invitation_hash bytea) RETURNS TABLE (account_name text, inviter text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
    SELECT a.name, u.name FROM invitations i JOIN accounts a ON a.id = i.account_id JOIN users u ON u.id = i.invited_by WHERE i.hash = invitation_hash
    $$;

-- Expired sessions prove nothing.
CREATE FUNCTION app_forget_sessions() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ WITH gone AS (DELETE FROM sessions WHERE expires_at <= now() RETURNING 1) SELECT count(*) FROM gone $$;

-- Invitations are kept for a while after they were used or expired, so that their page can say so.
CREATE FUNCTION app_forget_invitations(age interval) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$ WITH gone AS (DELETE FROM invitations WHERE expires_at < now() - age RETURNING 1) SELECT count(*) FROM gone $$;

CREATE INDEX sessions_expires_at ON sessions (expires_at);
CREATE INDEX invitations_expires_at ON invitations (expires_at);

ALTER FUNCTION app_invitation_page(bytea) OWNER TO dealflow_system;
ALTER FUNCTION app_forget_sessions() OWNER TO dealflow_system;
ALTER FUNCTION app_forget_invitations(interval) OWNER TO dealflow_system;
GRANT DELETE ON sessions, invitations TO dealflow_system;

-- +goose Down
REVOKE DELETE ON sessions, invitations FROM dealflow_system;
DROP INDEX sessions_expires_at, invitations_expires_at;
DROP FUNCTION app_invitation_page(bytea), app_forget_sessions(), app_forget_invitations(interval);

-- +goose Up
-- An invitation is worth what its maker may do: whoever has left, or is no admin any more, could come back by one that they had made before, since
-- without mails they have its link.
-- +goose StatementBegin
CREATE FUNCTION app_end_invitations() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    DELETE FROM invitations i WHERE i.account_id = OLD.account_id AND i.invited_by = OLD.user_id AND i.accepted_at IS NULL
        AND (TG_OP = 'DELETE' OR NEW.role = 'member' OR i.role = 'owner' AND NEW.role <> 'owner');
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_end_invitations() OWNER TO dealflow_system;
CREATE TRIGGER end_invitations AFTER DELETE OR UPDATE OF role ON memberships FOR EACH ROW EXECUTE FUNCTION app_end_invitations();

SET LOCAL ROLE dealflow_system; -- row security hides the rows from the owner of the table
DELETE FROM invitations i WHERE i.accepted_at IS NULL AND NOT EXISTS (SELECT 1 FROM memberships m
    WHERE m.account_id = i.account_id AND m.user_id = i.invited_by AND (m.role = 'owner' OR m.role = 'admin' AND i.role <> 'owner'));
RESET ROLE;

-- A login looks at the first hundred users who claim an address. Of the others it asks for the one with the password: their hashes share a salt.
-- +goose StatementBegin
CREATE FUNCTION app_user_by_password(address text, hashes text[])
    RETURNS TABLE (user_id uuid, password_hash text, proven boolean, home_account_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp ROWS 1
    AS $$
BEGIN
    RETURN QUERY SELECT u.id, u.password_hash, u.proven_at IS NOT NULL, u.home_account_id FROM users u
        WHERE lower(u.email) = lower(address) AND u.password_hash = ANY (hashes) ORDER BY u.created_at, u.id LIMIT 1;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_user_by_password(text, text[]) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_user_by_password(text, text[]);
DROP TRIGGER end_invitations ON memberships;
DROP FUNCTION app_end_invitations();

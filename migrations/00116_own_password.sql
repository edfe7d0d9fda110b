-- +goose Up
-- A password is confirmed by the hash of the user who is signed in, however many users claim the same address.

CREATE FUNCTION app_own_password() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$ SELECT u.password_hash FROM users u WHERE u.id = app_user_id() $$;
ALTER FUNCTION app_own_password() OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_own_password();

-- +goose Up
-- Links that sign a user in once, made by the operator's program alone. One page uses a link: sent again, because its answer was lost, it works again.
ALTER TABLE address_proofs ADD COLUMN page_hash bytea; -- SHA-256 of what the page knows that used it; null: none has
ALTER TABLE address_proofs DROP CONSTRAINT address_proofs_kind_check,
    ADD CONSTRAINT address_proofs_kind_check CHECK (kind IN ('invitation', 'verification', 'reset', 'sign_in'));

-- Uses a link for the transaction's user; false where it is not theirs, has expired, or another page has used it.
CREATE FUNCTION app_use_sign_in_link(token_hash bytea, page bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    WITH used AS (UPDATE address_proofs SET page_hash = page
        WHERE hash = token_hash AND kind = 'sign_in' AND user_id = app_user_id() AND expires_at > now() AND (page_hash IS NULL OR page_hash = page)
        RETURNING 1)
    SELECT EXISTS (SELECT 1 FROM used)
    $$;
ALTER FUNCTION app_use_sign_in_link(bytea, bytea) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_use_sign_in_link(bytea, bytea);
DELETE FROM address_proofs WHERE kind = 'sign_in';
ALTER TABLE address_proofs DROP CONSTRAINT address_proofs_kind_check,
    ADD CONSTRAINT address_proofs_kind_check CHECK (kind IN ('invitation', 'verification', 'reset'));
ALTER TABLE address_proofs DROP COLUMN page_hash;

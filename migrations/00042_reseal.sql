-- +goose Up
-- For operators: what is sealed under SECRET_KEYS, and how it is sealed anew, so that an old key can be dropped. Nothing here opens a seal.

-- Of integrations the member is token, secret or signing_key; of second factors totp.
CREATE FUNCTION app_sealed() RETURNS TABLE (id uuid, member text, sealed bytea) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    SELECT i.id, v.member, v.sealed FROM integrations i, LATERAL (VALUES ('token', i.token), ('secret', i.secret), ('signing_key', i.signing_key)) v(member, sealed)
        WHERE v.sealed IS NOT NULL
    UNION ALL SELECT f.user_id, 'totp', f.secret FROM second_factors f
    $$;

-- Replaces a sealed text; false where it has changed meanwhile or is gone.
-- +goose StatementBegin
CREATE FUNCTION app_reseal(of uuid, member text, sealed bytea, again bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
BEGIN
    CASE member
    WHEN 'token' THEN UPDATE integrations i SET token = again WHERE i.id = of AND i.token = sealed;
    WHEN 'secret' THEN UPDATE integrations i SET secret = again WHERE i.id = of AND i.secret = sealed;
    WHEN 'signing_key' THEN UPDATE integrations i SET signing_key = again WHERE i.id = of AND i.signing_key = sealed;
    WHEN 'totp' THEN UPDATE second_factors f SET secret = again WHERE f.user_id = of AND f.secret = sealed;
    END CASE;
    RETURN FOUND;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_sealed() OWNER TO dealflow_system;
ALTER FUNCTION app_reseal(uuid, text, bytea, bytea) OWNER TO dealflow_system;
GRANT UPDATE (token, secret, signing_key) ON integrations TO dealflow_system;
GRANT UPDATE (secret) ON second_factors TO dealflow_system;
CREATE POLICY system_update ON integrations FOR UPDATE TO dealflow_system USING (true);

-- As before, but that sealing a secret anew is no change of it.
DROP TRIGGER audit ON integrations;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON integrations FOR EACH ROW WHEN (current_user <> 'dealflow_system')
    EXECUTE FUNCTION app_audit('integration', 'created updated deleted', 'kind name enabled create_companies !token_hash !secret !signing_key');

-- +goose Down
DROP TRIGGER audit ON integrations;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON integrations FOR EACH ROW
    EXECUTE FUNCTION app_audit('integration', 'created updated deleted', 'kind name enabled create_companies !token_hash !secret !signing_key');
DROP POLICY system_update ON integrations;
REVOKE UPDATE (secret) ON second_factors FROM dealflow_system;
REVOKE UPDATE (token, secret, signing_key) ON integrations FROM dealflow_system;
DROP FUNCTION app_reseal(uuid, text, bytea, bytea);
DROP FUNCTION app_sealed();

-- +goose Up
-- A shared company is seen by its maker, its assignees and those it was shared with. Once the maker has left, and the others were removed from it,
-- nobody saw it: it becomes the oldest owner's. Its row must be locked.
-- +goose StatementBegin
CREATE FUNCTION app_keep_companies_seen(companies uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
    UPDATE companies c SET created_by = app_oldest_owner(c.account_id)
    WHERE c.id = ANY ($1) AND c.visibility = 'shared'
        AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = c.account_id AND m.user_id = c.created_by)
        AND NOT EXISTS (SELECT 1 FROM company_assignees a WHERE a.company_id = c.id)
        AND NOT EXISTS (SELECT 1 FROM company_shares s WHERE s.company_id = c.id)
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_keep_companies_seen(uuid[]) OWNER TO dealflow_system;

-- +goose Down
DROP FUNCTION app_keep_companies_seen(uuid[]);

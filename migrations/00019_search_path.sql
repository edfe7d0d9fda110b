-- +goose Up

-- A definer function whose search_path does not name pg_temp looks there first, where anybody can make a table of any name.
-- +goose StatementBegin
DO $$
DECLARE
    f record;
BEGIN
    FOR f IN
        SELECT p.oid::regprocedure AS signature, s.setting
        FROM pg_proc p, unnest(p.proconfig) AS s (setting)
        WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND s.setting LIKE 'search_path=%' AND s.setting NOT LIKE '%pg_temp'
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %s, pg_temp', f.signature, substr(f.setting, length('search_path=') + 1));
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
SELECT 1; -- the functions are dropped by the migrations that made them

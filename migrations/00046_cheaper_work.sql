-- +goose Up
-- What an AI creation costs beside its analysis: a claim lets what it claims be loaded in the same trip, and the keys of a company are
-- made with fewer statements.

-- A claim makes its transaction the user's whose work it is, so that statements behind it in the same trip read what the work is about. It may be
-- lost with the server: then the row is queued as before, its attempt writes nothing, and the sweep tells the queue again.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_claim_work(work_id uuid, work_attempt integer, lease interval) RETURNS SETOF work
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1 SET search_path = public, pg_temp
    AS $$
DECLARE
    claimed work;
BEGIN
    UPDATE work w SET
        state = 'running', started_at = now(), lease_until = now() + lease,
        user_id = CASE WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = w.account_id AND m.user_id = w.user_id)
            THEN w.user_id ELSE COALESCE(app_oldest_owner(w.account_id), w.user_id) END
    WHERE w.id = work_id AND w.attempt = work_attempt AND w.state = 'queued'
    RETURNING w.* INTO claimed;
    IF FOUND THEN
        PERFORM set_config('app.user_id', claimed.user_id::text, true), set_config('synchronous_commit', 'off', true);
        RETURN NEXT claimed;
    END IF;
END
    $$;
-- +goose StatementEnd

-- Its statements read a few rows by an index, whatever is known of the table: to plan them anew each time took ten times as long.
ALTER FUNCTION app_admit_work(uuid, integer) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION app_admit_work(uuid, integer) SET enable_bitmapscan = off;
ALTER FUNCTION app_admit_work(uuid, integer) SET enable_sort = off;

-- The keys are added one by one, without a statement that has to run.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_keys(name text, deck_link text, metadata jsonb) RETURNS TABLE (kind text, value text) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    key CONSTANT text := app_name_key(name);
    domains text[] := '{}';
    email text;
    suffix text;
BEGIN
    IF key <> '' THEN
        kind := 'name';
        value := key;
        RETURN NEXT;
    END IF;
    FOREACH email IN ARRAY COALESCE(app_founder_emails(metadata), '{}') LOOP
        kind := 'email';
        value := email;
        RETURN NEXT;
        domains := domains || app_suffixes(split_part(email, '@', 2));
    END LOOP;
    IF deck_link <> '' THEN
        FOREACH suffix IN ARRAY COALESCE(app_suffixes(substring(lower(deck_link) FROM '^https?://(?:[^/?#@]*@)?([^/?#:]+)')), '{}') LOOP
            IF replace(split_part(suffix, '.', 1), '-', '') = replace(key, ' ', '') THEN
                domains := domains || suffix;
            END IF;
        END LOOP;
    END IF;
    kind := 'domain';
    FOR i IN 1 .. cardinality(domains) LOOP
        IF i = 1 OR domains[i] <> ALL (domains[:i - 1]) THEN
            value := domains[i];
            RETURN NEXT;
        END IF;
    END LOOP;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- The other functions stay as they are: they answer what those before them did.
ALTER FUNCTION app_admit_work(uuid, integer) SET plan_cache_mode = force_custom_plan;
ALTER FUNCTION app_admit_work(uuid, integer) RESET enable_bitmapscan;
ALTER FUNCTION app_admit_work(uuid, integer) RESET enable_sort;

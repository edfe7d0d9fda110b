-- +goose Up
-- A walk for words in what changed since a time gives up by its bounds alone: looking up the words finds what did not change too, so the hits so far do not say
-- what that would cost.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_walk(list company_list, OUT page uuid[], OUT narrow boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
    AS $$
DECLARE
    skip CONSTANT bigint := list.skip;
    take CONSTANT bigint := list.take;
    most bigint := 4000 + 8 * (skip + take);
    patience CONSTANT interval := '10 ms';
    started CONSTANT timestamptz := clock_timestamp();
    size bigint; -- of what the caller sees of the account
    looked bigint := 0;
    visible bigint := 0;
    hits bigint := 0;
    company uuid;
    seen boolean;
    wanted boolean;
BEGIN
    list.person := app_user_id();
    page := '{}';
    FOR company, seen, wanted IN EXECUTE app_company_walk_sql(list, most) LOOP
        looked := looked + 1;
        visible := visible + seen::integer;
        IF seen AND wanted THEN
            hits := hits + 1;
            IF hits > skip THEN
                page := page || company;
            END IF;
        END IF;
        EXIT WHEN hits >= skip + take;
        IF list.since IS NULL AND looked % 50 = 10 AND looked > 50 AND hits * 2 < looked THEN
            IF size IS NULL THEN
                size := app_company_size(list.account, list.person);
            END IF;
            IF 3 * LEAST((skip + take - hits) * looked / GREATEST(hits, 1), size * looked / GREATEST(visible, 1) - looked)
                > 1000 + size * GREATEST(hits, 1) / GREATEST(visible, 1) THEN
                most := looked;
                EXIT;
            END IF;
        END IF;
        IF looked % 100 = 0 AND looked >= 300 + 4 * (skip + take) AND hits * 2 < skip + take AND clock_timestamp() > started + patience THEN
            most := looked; -- long documents take longer to look at
            EXIT;
        END IF;
    END LOOP;
    IF hits < skip + take AND looked >= most THEN
        page := NULL;
    END IF;
    narrow := visible * 4 < looked;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_company_walk(list company_list, OUT page uuid[], OUT narrow boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
    AS $$
DECLARE
    skip CONSTANT bigint := list.skip;
    take CONSTANT bigint := list.take;
    most bigint := 4000 + 8 * (skip + take);
    patience CONSTANT interval := '10 ms';
    started CONSTANT timestamptz := clock_timestamp();
    size bigint; -- of what the caller sees of the account
    looked bigint := 0;
    visible bigint := 0;
    hits bigint := 0;
    company uuid;
    seen boolean;
    wanted boolean;
BEGIN
    list.person := app_user_id();
    page := '{}';
    FOR company, seen, wanted IN EXECUTE app_company_walk_sql(list, most) LOOP
        looked := looked + 1;
        visible := visible + seen::integer;
        IF seen AND wanted THEN
            hits := hits + 1;
            IF hits > skip THEN
                page := page || company;
            END IF;
        END IF;
        EXIT WHEN hits >= skip + take;
        IF looked % 50 = 10 AND looked > 50 AND hits * 2 < looked THEN
            IF size IS NULL THEN
                size := app_company_size(list.account, list.person);
            END IF;
            IF 3 * LEAST((skip + take - hits) * looked / GREATEST(hits, 1), size * looked / GREATEST(visible, 1) - looked)
                > 1000 + size * GREATEST(hits, 1) / GREATEST(visible, 1) THEN
                most := looked;
                EXIT;
            END IF;
        END IF;
        IF looked % 100 = 0 AND looked >= 300 + 4 * (skip + take) AND hits * 2 < skip + take AND clock_timestamp() > started + patience THEN
            most := looked; -- long documents take longer to look at
            EXIT;
        END IF;
    END LOOP;
    IF hits < skip + take AND looked >= most THEN
        page := NULL;
    END IF;
    narrow := visible * 4 < looked;
END
    $$;
-- +goose StatementEnd

-- +goose Up
-- A share that was made or removed while another transaction changed who sees the company was counted by neither: this trigger looked for a shared
-- company in its snapshot, and so did not wait for the change. It now locks the company whatever it looks like, and judges its newest version.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_count_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    person uuid := CASE TG_OP WHEN 'INSERT' THEN NEW.user_id ELSE OLD.user_id END;
    c companies;
    ways integer;
BEGIN
    SELECT * INTO c FROM companies WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.company_id ELSE OLD.company_id END FOR NO KEY UPDATE;
    IF FOUND AND c.visibility = 'shared' AND c.created_by <> person THEN
        SELECT (SELECT count(*) FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = person)
            + (SELECT count(*) FROM company_shares s WHERE s.company_id = c.id AND s.user_id = person) INTO ways;
        IF TG_OP = 'INSERT' AND ways = 1 THEN
            PERFORM app_count_company(c, ARRAY[person], 1);
        ELSIF TG_OP = 'DELETE' AND ways = 0 THEN
            PERFORM app_count_company(c, ARRAY[person], -1);
        END IF;
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- What was counted wrongly before: the differences, of one snapshot, so that nobody has to wait.
INSERT INTO company_counts (account_id, viewer, kind, key, count)
SELECT n.account_id, n.viewer, n.kind, n.key, sum(n.count) FROM (
    SELECT account_id, viewer, kind, key, -count AS count FROM company_counts
    UNION ALL
    SELECT c.account_id, v, k.kind, k.key, count(*)
    FROM companies c CROSS JOIN LATERAL unnest(app_company_viewers(c.id, c.visibility, c.created_by)) AS v CROSS JOIN LATERAL (VALUES
        ('s'::"char", COALESCE(c.company_status_id::text, '')), ('o', c.source), ('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key)
    GROUP BY 1, 2, 3, 4) AS n
GROUP BY 1, 2, 3, 4 HAVING sum(n.count) <> 0;

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_count_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
DECLARE
    person uuid := CASE TG_OP WHEN 'INSERT' THEN NEW.user_id ELSE OLD.user_id END;
    c companies;
    ways integer;
BEGIN
    SELECT * INTO c FROM companies WHERE id = CASE TG_OP WHEN 'INSERT' THEN NEW.company_id ELSE OLD.company_id END AND visibility = 'shared' AND created_by <> person FOR NO KEY UPDATE;
    IF FOUND THEN
        SELECT (SELECT count(*) FROM company_assignees a WHERE a.company_id = c.id AND a.user_id = person)
            + (SELECT count(*) FROM company_shares s WHERE s.company_id = c.id AND s.user_id = person) INTO ways;
        IF TG_OP = 'INSERT' AND ways = 1 THEN
            PERFORM app_count_company(c, ARRAY[person], 1);
        ELSIF TG_OP = 'DELETE' AND ways = 0 THEN
            PERFORM app_count_company(c, ARRAY[person], -1);
        END IF;
    END IF;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

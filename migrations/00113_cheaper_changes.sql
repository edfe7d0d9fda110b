-- +goose Up
-- What a change of a company costs (ADR 105).

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_audit_diff(before jsonb, after jsonb, columns text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN -- not SQL, which would be parsed and planned anew by each statement
    IF before = after THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT jsonb_object_agg(ltrim(c, '!'), CASE WHEN left(c, 1) = '!' THEN '{"changed": true}' ELSE jsonb_build_object('from', f, 'to', t) END)
        FROM unnest(columns) c, COALESCE(before -> ltrim(c, '!'), 'null') f, COALESCE(after -> ltrim(c, '!'), 'null') t
        WHERE f <> t AND (left(c, 1) <> '!' OR (before IS NOT NULL AND after IS NOT NULL)));
END
    $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_mark_imported() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    changed uuid;
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' AND TG_ARGV[0] = 'id' THEN -- without a JSON of all that the row holds
        changed := NEW.id;
    ELSE
        changed := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END) ->> TG_ARGV[0];
    END IF;
    UPDATE import_things i SET changed_at = now() WHERE i.thing = changed AND i.changed_at IS NULL;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_mark_imported() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    UPDATE import_things i SET changed_at = now()
        WHERE i.thing = (to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END) ->> TG_ARGV[0])::uuid AND i.changed_at IS NULL;
    RETURN NULL;
END
    $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION app_audit_diff(before jsonb, after jsonb, columns text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT jsonb_object_agg(ltrim(c, '!'), CASE WHEN left(c, 1) = '!' THEN '{"changed": true}' ELSE jsonb_build_object('from', f, 'to', t) END)
    FROM unnest(columns) c, COALESCE(before -> ltrim(c, '!'), 'null') f, COALESCE(after -> ltrim(c, '!'), 'null') t
    WHERE f <> t AND (left(c, 1) <> '!' OR (before IS NOT NULL AND after IS NOT NULL))
    $$;
-- +goose StatementEnd

-- +goose Up
-- An undo removes what a merge added to the surviving company, as far as it is as the merge left it. Both are compared as rows, since the texts of their
-- times depend on the time zone of the database, and only rows of that company are read.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE regexp_replace(
        replace(pg_get_functiondef('app_unmerge(uuid, jsonb)'::regprocedure), 't.company_id = one.id AND to_jsonb(t)', 'to_jsonb(t)'),
        '(DELETE FROM (\w+) t USING company_merge_rows r [^;]*)AND to_jsonb\(t\) = r\.was;',
        '\1AND t.company_id = one.id AND to_jsonb(t) = to_jsonb(jsonb_populate_record(NULL::\2, r.was));', 'g');
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('app_unmerge(uuid, jsonb)'::regprocedure),
        'to_jsonb\(jsonb_populate_record\(NULL::\w+, r\.was\)\);', 'r.was;', 'g');
END
    $$;
-- +goose StatementEnd

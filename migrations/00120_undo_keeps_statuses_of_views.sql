-- +goose Up
-- A status that an import brought is also in use where a saved view selects it: without it the view would select all.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('app_undo_verdicts(uuid, text, uuid[])'::regprocedure), 'c.company_status_id = i.thing) THEN',
        E'c.company_status_id = i.thing)\n                OR EXISTS (SELECT FROM saved_views v WHERE v.account_id = i.account_id AND v.company_status_id = i.thing) THEN');
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('app_undo_verdicts(uuid, text, uuid[])'::regprocedure),
        E'\n                OR EXISTS (SELECT FROM saved_views v WHERE v.account_id = i.account_id AND v.company_status_id = i.thing) THEN', ' THEN');
END
    $$;
-- +goose StatementEnd

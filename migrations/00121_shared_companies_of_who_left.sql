-- +goose Up
-- A shared company whose maker had left, and then the last of those it was shared with, was seen by nobody.
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('app_remove_member(uuid, uuid)'::regprocedure), 'AND c.created_by = member AND (',
        E'AND (c.created_by = member\n        OR NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = account AND m.user_id = c.created_by)) AND (');
END
    $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('app_remove_member(uuid, uuid)'::regprocedure),
        E'AND (c.created_by = member\n        OR NOT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = account AND m.user_id = c.created_by)) AND (',
        'AND c.created_by = member AND (');
END
    $$;
-- +goose StatementEnd

-- +goose Up
-- A large mail that nobody could read is read again by the type, and for the companies, with which it is sent again.
GRANT UPDATE (content_type, create_companies) ON receipts TO dealflow_app;

-- +goose Down
REVOKE UPDATE (content_type, create_companies) ON receipts FROM dealflow_app;

-- +goose Up
-- A restored account gets the files of an email after it: who follows its changes must read the email again. With a new email this adds nothing.
CREATE TRIGGER change_made AFTER INSERT ON email_attachments REFERENCING NEW TABLE AS parts FOR EACH STATEMENT EXECUTE FUNCTION app_change_part('email');

-- +goose Down
DROP TRIGGER change_made ON email_attachments;

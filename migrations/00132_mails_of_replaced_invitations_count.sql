-- +goose Up
-- A mail went with its invitation, so that an invitation that was replaced or revoked did not count for its address, which could get any number of
-- them in an hour. Mails that were sent, or may be on their way, stay. The attempt of one on its way ends without a retry.
-- +goose StatementBegin
CREATE FUNCTION app_keep_mails() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$
BEGIN
    UPDATE mails SET invitation_id = NULL, attempt = attempt + 1, failed_at = CASE WHEN sent_at IS NULL THEN COALESCE(failed_at, now()) END
        WHERE invitation_id = OLD.id AND attempt > 0;
    RETURN OLD;
END
    $$;
-- +goose StatementEnd
ALTER FUNCTION app_keep_mails() OWNER TO dealflow_system;
CREATE TRIGGER keep_mails BEFORE DELETE ON invitations FOR EACH ROW EXECUTE FUNCTION app_keep_mails();

-- +goose Down
DROP TRIGGER keep_mails ON invitations;
DROP FUNCTION app_keep_mails();

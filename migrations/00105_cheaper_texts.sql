-- +goose Up
-- Long texts are compressed by lz4, which needs a fraction of the processor time of Postgres's own method, where the server knows it. What is
-- stored already stays as it is and is read as before.
-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE emails ALTER content SET COMPRESSION lz4, ALTER words SET COMPRESSION lz4;
    ALTER TABLE companies ALTER source_content SET COMPRESSION lz4, ALTER metadata SET COMPRESSION lz4;
    ALTER TABLE detections ALTER found SET COMPRESSION lz4, ALTER cues SET COMPRESSION lz4, ALTER written SET COMPRESSION lz4,
        ALTER analysis SET COMPRESSION lz4;
    ALTER TABLE file_texts ALTER pages SET COMPRESSION lz4, ALTER words SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN -- a server that was built without it
    RAISE NOTICE 'this server does not know lz4: texts are compressed by its own method';
END
$$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE emails ALTER content SET COMPRESSION DEFAULT, ALTER words SET COMPRESSION DEFAULT;
ALTER TABLE companies ALTER source_content SET COMPRESSION DEFAULT, ALTER metadata SET COMPRESSION DEFAULT;
ALTER TABLE detections ALTER found SET COMPRESSION DEFAULT, ALTER cues SET COMPRESSION DEFAULT, ALTER written SET COMPRESSION DEFAULT,
    ALTER analysis SET COMPRESSION DEFAULT;
ALTER TABLE file_texts ALTER pages SET COMPRESSION DEFAULT, ALTER words SET COMPRESSION DEFAULT;

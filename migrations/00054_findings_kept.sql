-- +goose Up
-- What an analysis rests on is kept with its company, and what of it people should look at until somebody has.
ALTER TABLE detections
    ADD COLUMN analysis jsonb NOT NULL DEFAULT 'null', -- a company.Analysis; null where the company was analyzed before these were kept
    ADD COLUMN review   text[] NOT NULL DEFAULT '{}';    -- those of the analysis's needs_review that nobody has confirmed or corrected
CREATE INDEX detections_review ON detections (account_id, created_at, company_id) WHERE review <> '{}';

-- +goose Down
DROP INDEX detections_review;
ALTER TABLE detections DROP COLUMN review, DROP COLUMN analysis;

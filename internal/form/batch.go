package form

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

const batchStatement = `INSERT INTO form_submissions (account_id, id, data, company_id, integration_type,
	external_id, metadata, created_at)
	SELECT $1::uuid, r.id, r.data::json, r.company_id, r.integration_type, r.external_id, r.metadata::jsonb,
		COALESCE(r.created_at, now())
	FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
		AS r (id, data, company_id, integration_type, external_id, metadata, created_at)
	ORDER BY r.integration_type, r.external_id
	ON CONFLICT (account_id, integration_type, external_id) DO NOTHING RETURNING id`

// AddBatch stores submissions of the account, which have passed Check, in the transaction of one of its members, and
// returns the ids of the new ones, in no order. It sets ID and Metadata in submissions that have none. It skips a
// submission if the account has one with the same IntegrationType and ExternalID; no two of the submissions may have
// both in common. The user must see the companies of the submissions, which AddBatch does not check. The error is the
// database's.
func AddBatch(tx *postgres.Tx, accountID uuid.UUID, submissions []*Incoming) ([]uuid.UUID, error) {
	var ids, data, integrations, externalIDs, metadata []string
	var companies []*string
	var createdAt []*time.Time
	for _, in := range submissions {
		if in.ID == uuid.Nil {
			in.ID = postgres.NewID()
		}
		if len(in.Metadata) == 0 {
			in.Metadata = json.RawMessage(`{}`)
		}
		var about *string
		if in.CompanyID != nil {
			about = new(in.CompanyID.String())
		}
		ids, data, companies = append(ids, in.ID.String()), append(data, string(in.Data)), append(companies, about)
		integrations, externalIDs = append(integrations, in.IntegrationType), append(externalIDs, in.ExternalID)
		metadata, createdAt = append(metadata, string(in.Metadata)), append(createdAt, in.CreatedAt)
	}
	added, err := tx.Returning(batchStatement, accountID, ids, data, companies, integrations, externalIDs, metadata,
		createdAt)
	if err != nil {
		return nil, fmt.Errorf("store form submissions: %w", err)
	}
	return added, nil
}

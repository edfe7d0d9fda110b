package analyst

import (
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/activity"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/findings"
	"dealflow/internal/company/plain"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// analysisRank is the rank of analyses of imported companies. It is higher than the rank of imports, so that the
// imports of the account run first.
const analysisRank = 1

// insertion returns a statement that inserts the companies and returns the ids of those that it inserted. It skips a
// company if the account already has its external id, or had it in a company that was merged into another. It inserts
// in the order of the external ids, so that two transactions that insert the same companies do not deadlock.
func (c *companyColumns) insertion(accountID, user uuid.UUID) (statement string, args []any) {
	args, arrays := c.BindPlain([]any{
		accountID, user, c.ids, c.externalIDs, c.names, c.visibilities, c.sources, c.texts, c.statuses, c.metadata, c.words,
	}, ", $%d::text[]")
	return `INSERT INTO companies (account_id, created_by, updated_by, id, external_id, name, visibility, source,
		source_content, company_status_id, metadata, words, ` + plain.SQL("") + `)
	SELECT $1::uuid, $2::uuid, $2::uuid, r.id, r.external_id, r.name, r.visibility, r.source, r.source_content, r.status,
		r.metadata::jsonb, r.words::tsvector, ` + plain.SQL("r.") + `
	FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[], $10::text[],
		$11::text[]` + arrays + `)
		AS r (id, external_id, name, visibility, source, source_content, status, metadata, words,
			` + plain.SQL("") + `)
	WHERE NOT EXISTS (SELECT FROM company_merges m WHERE m.account_id = $1::uuid AND m.undone_at IS NULL
		AND m.merged ->> 'external_id' = r.external_id)
	ORDER BY r.external_id
	ON CONFLICT (account_id, external_id) WHERE external_id IS NOT NULL DO NOTHING RETURNING id`, args
}

// CreateBatch stores drafts of one account, which have passed Check and have no files, in the transaction of one of its
// members, and returns the ids of the new companies in no order. A draft that Study has analyzed is stored with what
// was found; for any other, CreateBatch sets its CompanyID and adds the analysis as bulk work. No two drafts may have
// the same ExternalID. CreateBatch skips a draft if a company of the account has its ExternalID, or had it before it
// was merged into another. The error is the database's.
func (c *Creator) CreateBatch(tx *postgres.Tx, accountID uuid.UUID, all []*Studied) ([]uuid.UUID, error) {
	stages, err := detectedStages(tx, accountID, all)
	if err != nil {
		return nil, err
	}
	var rows companyColumns
	made := map[uuid.UUID]*Studied{}
	for _, one := range all {
		if one.verdict == nil {
			one.Draft.CompanyID = postgres.NewID()
			one.company, _, one.input = c.creations.Rows(tx.UserID(), *one.Draft)
		}
		one = one.without(stages)
		rows.add(one.company, one.Draft.ExternalID)
		made[one.company.ID] = one
	}
	statement, args := rows.insertion(accountID, tx.UserID())
	added, err := tx.Returning(statement, args...)
	if err != nil {
		return nil, fmt.Errorf("store companies: %w", err)
	}
	return added, c.follow(tx, added, made)
}

// companyColumns are the values of many companies, a slice for each column.
type companyColumns struct {
	plain.Fields[[]*string]

	ids, externalIDs, names, visibilities, sources, metadata, words []string
	texts, statuses                                                 []*string
}

func (c *companyColumns) add(row company.Company, externalID string) {
	c.ids, c.externalIDs, c.names = append(c.ids, row.ID.String()), append(c.externalIDs, externalID),
		append(c.names, row.Name)
	c.visibilities, c.sources = append(c.visibilities, row.Visibility), append(c.sources, row.Source)
	c.words = append(c.words, row.PlainWords())
	c.metadata, c.texts = append(c.metadata, string(row.Metadata)), append(c.texts, row.SourceContent)
	for i, field := range row.Plain() {
		column := c.Plain()[i].Value
		*column = append(*column, *field.Value)
	}
	var status *string
	if row.CompanyStatusID != nil {
		status = new(row.CompanyStatusID.String())
	}
	c.statuses = append(c.statuses, status)
}

// follow records in the activity that the companies with the ids added were created; made has their drafts by these
// ids. For a company that was analyzed, follow also stores what was found; for any other, it adds the work that
// analyzes it.
func (c *Creator) follow(tx *postgres.Tx, added []uuid.UUID, made map[uuid.UUID]*Studied) error {
	var items []work.Item
	var detections []findings.Detection
	entries := make([]activity.Entry, len(added))
	for i, id := range added {
		one := made[id]
		made := one.company
		entries[i] = activity.Entry{
			AccountID: made.AccountID, Type: activity.CompanyAdded, Description: company.Added(made.Name), CompanyID: &made.ID,
		}
		if one.verdict != nil {
			row, err := one.verdict.detection(made)
			if err != nil {
				return err
			}
			detections = append(detections, row)
			continue
		}
		item, err := aicreation.AnalysisItem(aicreation.Draft{
			AccountID: made.AccountID, CompanyID: id, WorkID: postgres.NewID(),
			Queue: work.Bulk,
		}, aicreation.WorkAnalyse, one.input)
		if err != nil {
			return err
		}
		item.Rank = analysisRank
		items = append(items, item)
	}
	if err := activity.RecordMany(tx, entries); err != nil {
		return err
	}
	if len(detections) > 0 {
		if err := tx.CreateInBatches(detections, detectionsAtOnce).Error; err != nil {
			return fmt.Errorf("keep what was detected: %w", err)
		}
	}
	return c.analyst.work.Add(tx, items...)
}

// detectionsAtOnce is how many rows one statement writes: Postgres accepts at most 65535 parameters.
const detectionsAtOnce = 1000

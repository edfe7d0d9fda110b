package company

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/plain"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// listColumns and viewColumns are the columns of a company that are read in addition to its plain fields (see
// plain.Fields): listColumns for a list of companies, viewColumns for a single company. viewJoins are the joins that
// both need.
const (
	listColumns = `, c.id, c.account_id, c.name, c.deck_storage_path, c.visibility, c.source, c.company_status_id,
		c.metadata, c.created_by, c.updated_by, c.created_at, c.updated_at, s.name, s.color, s.rank,
		(SELECT json_agg(json_build_object('ID', u.id, 'Email', u.email, 'Name', u.name, 'PictureURL', u.picture_url)
			ORDER BY a.created_at, u.id)
			FROM company_assignees a JOIN users u ON u.id = a.user_id WHERE a.company_id = c.id)`
	viewColumns = listColumns + `, c.source_content, c.edited`
	viewJoins   = ` LEFT JOIN company_statuses s ON s.id = c.company_status_id`
)

// selection describes the columns that a query of companies reads: the SQL, the joins that the columns need, and the
// fields of a row that they are stored in. In the query, the table of companies must have the name c.
type selection struct {
	columns, joins string
	fields         func(*viewRow) []any
}

func listed() selection {
	return selection{plain.SQL("c.") + listColumns, viewJoins, (*viewRow).listFields}
}

func viewed() selection {
	return selection{plain.SQL("c.") + viewColumns, viewJoins, (*viewRow).viewFields}
}

// withDeck returns the selection, with the deck if with is true. To check the row policies of decks costs a fourth of
// what the company costs, so the deck is read only when it is shown.
func (s selection) withDeck(with bool) selection {
	if !with {
		return s
	}
	return selection{
		s.columns + ", f.id, f.storage_path, f.title, f.original_filename",
		s.joins + " LEFT JOIN company_files f ON f.company_id = c.id AND f.role = 'deck'",
		func(r *viewRow) []any {
			return append(s.fields(r), &r.deck, &r.deckPath, &r.deckTitle, &r.deckFilename)
		},
	}
}

// viewRow is a row of a query for companies: the company with its status, its deck and its assignees.
type viewRow struct {
	Company

	metadata, assignees []byte
	stage, color        *string
	rank                *int
	deck                *uuid.UUID
	deckPath, deckTitle *string
	deckFilename        *string
}

func (r *viewRow) listFields() []any {
	fields := make([]any, 0, 32)
	for _, field := range r.Plain() {
		fields = append(fields, field.Value)
	}
	return append(fields, &r.ID, &r.AccountID, &r.Name, &r.DeckStoragePath, &r.Visibility, &r.Source, &r.CompanyStatusID,
		&r.metadata, &r.CreatedBy, &r.UpdatedBy, &r.CreatedAt, &r.UpdatedAt, &r.stage, &r.color, &r.rank, &r.assignees)
}

func (r *viewRow) viewFields() []any { return append(r.listFields(), &r.SourceContent, &r.Edited) }

// view returns the row as a View. Of its deck, only the ID, the company, the role, the title, the file name and the
// storage path are set.
func (r *viewRow) view() (View, error) {
	v := View{Company: r.Company, Assignees: []account.User{}}
	v.Metadata = r.metadata
	if r.stage != nil {
		v.Status = &pipeline.Status{
			ID: *r.CompanyStatusID, AccountID: r.AccountID, Name: *r.stage, Color: *r.color, Rank: *r.rank,
		}
	}
	if r.deck != nil {
		v.Deck = &File{
			ID: *r.deck, CompanyID: r.ID, Role: RoleDeck, Title: *r.deckTitle, StoragePath: r.deckPath,
			OriginalFilename: r.deckFilename,
		}
	}
	if len(r.assignees) > 0 {
		if err := json.Unmarshal(r.assignees, &v.Assignees); err != nil {
			return View{}, fmt.Errorf("read the assignees of company %s: %w", r.ID, err)
		}
	}
	return v, nil
}

func viewsOf(rows []viewRow) ([]View, error) {
	views := make([]View, len(rows))
	for i := range rows {
		var err error
		if views[i], err = rows[i].view(); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// viewQuery returns a query that reads one company with its deck into rows. rows stays empty if the caller does not see
// the company.
func viewQuery(rows *[]viewRow, id uuid.UUID) postgres.Query {
	return viewed().withDeck(true).ofOne(rows, id)
}

// OfOne returns a query that reads one company with its deck into views. views stays empty if the caller does not see
// the company.
func OfOne(views *[]View, id uuid.UUID) postgres.Query {
	var rows []viewRow
	return viewQuery(&rows, id).Then(func() (err error) {
		*views, err = viewsOf(rows)
		return err
	})
}

// ofOne returns a query that reads one company into rows. rows stays empty if the caller does not see the company.
func (s selection) ofOne(rows *[]viewRow, id uuid.UUID) postgres.Query {
	return postgres.Rows(rows, s.fields, "SELECT "+s.columns+" FROM companies c"+s.joins+" WHERE c.id = $1", id)
}

// Load returns a company with its deck as the transaction's user sees it. It returns the same errors as Get.
func Load(tx *postgres.Tx, id uuid.UUID) (View, error) {
	var rows []viewRow
	if err := tx.Run(viewQuery(&rows, id)); err != nil {
		return View{}, fmt.Errorf("load company %s: %w", id, err)
	}
	if len(rows) == 0 {
		return View{}, whyNot(tx, id)
	}
	return rows[0].view()
}

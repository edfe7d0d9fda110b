package company

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/company/plain"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/searchwords"
)

// NewCompany is a company that a client creates without an analysis. Name is required. A nil Visibility becomes "team",
// and a nil Source "manual". Any other nil field has no value. Demand is not called.
type NewCompany struct {
	Change

	AccountID     uuid.UUID
	SourceContent *string
}

// Create stores a company as it was sent, records that in the activity, and returns the company. The error is
// InvalidBody if members are invalid, or for a status or an assignee of another account; NotFound if there is no such
// account; Forbidden if the caller is not a member of it.
func (s *Service) Create(ctx context.Context, who *postgres.Identity, in NewCompany) (View, error) {
	if in.Name == nil {
		return View{}, fault.Field("name", "is required")
	}
	if err := in.Check(); err != nil {
		return View{}, err
	}
	made := in.company()
	var role string
	var stages []pipeline.Status
	queries := []postgres.Query{account.IsMember(&role, in.AccountID)}
	if made.CompanyStatusID != nil {
		queries = append(queries, stageOf(&stages, in.AccountID, *made.CompanyStatusID))
	}
	queries = append(queries, made.insertion(), activity.Query(in.AccountID, activity.CompanyAdded, Added(made.Name),
		&made.ID))
	var view View
	err := s.db.WriteAs(ctx, who, queries, func(tx *postgres.Tx) (err error) {
		view = View{Company: made, Assignees: []account.User{}}
		if len(stages) > 0 {
			view.Status = &stages[0]
		}
		if in.Assignees != nil {
			view, err = in.assigned(tx, made)
		}
		tx.Made(view)
		return err
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return View{}, fault.Field("company_status_id", "is no status of this account").Because(err)
	}
	return view, err
}

// assigned adds the assignees and returns the company with them. The error is InvalidBody if one of them is not a
// member of the account.
func (n *NewCompany) assigned(tx *postgres.Tx, made Company) (View, error) {
	if err := requireMembers(tx, made.AccountID, "assignees", *n.Assignees); err != nil {
		return View{}, err
	}
	if err := assign(tx, made, *n.Assignees); err != nil {
		return View{}, err
	}
	return Load(tx, made.ID)
}

// insertion returns the query that inserts the company, with the user of the transaction as its creator. It does not
// store ExternalID and Edited. When it has run, the fields of c that the database fills are set.
func (c *Company) insertion() postgres.Query {
	var stored []Company
	args, values := c.BindPlain([]any{
		c.ID, c.AccountID, c.Name, c.DeckStoragePath, c.Visibility, c.Source, c.SourceContent, c.CompanyStatusID,
		string(c.Metadata), c.PlainWords(),
	}, ", $%d")
	return postgres.Rows(&stored, func(s *Company) []any {
		return []any{(*[]byte)(&s.Metadata), &s.CreatedBy, &s.UpdatedBy, &s.CreatedAt, &s.UpdatedAt}
	}, `INSERT INTO companies (id, account_id, name, deck_storage_path, visibility, source, source_content,
			company_status_id, metadata, words, created_by, updated_by, `+plain.SQL("")+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::tsvector, app_user_id(), app_user_id()`+values+`)
		RETURNING metadata, created_by, updated_by, created_at, updated_at`, args...).
		Then(func() error {
			c.Metadata, c.CreatedBy, c.UpdatedBy, c.CreatedAt, c.UpdatedAt =
				stored[0].Metadata, stored[0].CreatedBy, stored[0].UpdatedBy, stored[0].CreatedAt, stored[0].UpdatedAt
			return nil
		})
}

// PlainWords returns the words by which the search finds a company without files; "" if only the database can find
// them: see searchwords.Plain.
func (c *Company) PlainWords() string {
	texts := []string{c.Name}
	for _, text := range []*string{c.Notes, c.SourceContent} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	return searchwords.Plain(searchwords.Strings(c.Metadata, texts...)...)
}

// company returns the row of a company that has a Name and that Check has accepted.
func (n *NewCompany) company() Company {
	made := Company{
		ID: postgres.NewID(), AccountID: n.AccountID, Name: *n.Name, Visibility: VisibilityTeam, Source: "manual",
		SourceContent: n.SourceContent, CompanyStatusID: n.StatusID.Value, Metadata: json.RawMessage(`{}`),
	}
	for i, field := range n.Plain() {
		*made.Plain()[i].Value = field.Value.Value
	}
	if n.Visibility != nil {
		made.Visibility = *n.Visibility
	}
	if n.Source != nil {
		made.Source = *n.Source
	}
	if len(n.Metadata) > 0 {
		made.Metadata = n.Metadata
	}
	return made
}

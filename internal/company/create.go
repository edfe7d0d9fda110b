package company

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// NewCompany is what a client sends to make a company without an analysis. Name is required; what else is nil takes its default: a team's
// company, a source of manual, nothing.
type NewCompany struct {
	Change

	AccountID     uuid.UUID
	SourceContent *string
}

// Create makes a company as it was sent. InvalidBody names wrong fields; NotFound or Forbidden is for the account.
func (s *Service) Create(ctx context.Context, who *postgres.Identity, in NewCompany) (View, error) {
	if in.Name == nil {
		return View{}, fault.Field("name", "is required")
	}
	if err := in.validate(); err != nil {
		return View{}, err
	}
	made := in.company()
	var role string
	var rows []viewRow
	queries := []postgres.Query{account.IsMember(&role, in.AccountID)}
	if made.CompanyStatusID != nil {
		queries = append(queries, isStatus(in.AccountID, *made.CompanyStatusID))
	}
	queries = append(queries, made.insertion(&rows), activity.Query(in.AccountID, activity.CompanyAdded, "Company "+made.Name+" was added", &made.ID))
	var view View
	err := s.DB.WriteAs(ctx, who, queries, func(tx *postgres.Tx) (err error) {
		if in.Assignees != nil {
			view, err = in.assigned(tx, made)
		} else {
			view, err = rows[0].view()
		}
		tx.Made(view)
		return err
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return View{}, fault.Field("company_status_id", "is no status of this account").Because(err)
	}
	return view, err
}

// assigned adds the assignees and returns the company with them.
func (n *NewCompany) assigned(tx *postgres.Tx, made Company) (View, error) {
	if err := requireMembers(tx, made.AccountID, "assignees", *n.Assignees); err != nil {
		return View{}, err
	}
	if err := assign(tx, made, *n.Assignees); err != nil {
		return View{}, err
	}
	return load(tx, made.ID)
}

// insertion stores the company as the caller's and reads what was stored.
func (c *Company) insertion(rows *[]viewRow) postgres.Query {
	return postgres.Rows(rows, (*viewRow).viewFields, `WITH c AS (
			INSERT INTO companies (id, account_id, name, deck_link, visibility, source, source_content, notes, company_status_id, metadata, created_by, updated_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, app_user_id(), app_user_id()) RETURNING *)
		SELECT `+viewColumns+" FROM c"+viewJoins,
		c.ID, c.AccountID, c.Name, c.DeckLink, c.Visibility, c.Source, c.SourceContent, c.Notes, c.CompanyStatusID, string(c.Metadata))
}

// isStatus refuses a status that is not the account's.
func isStatus(accountID, id uuid.UUID) postgres.Query {
	var found bool
	return postgres.Value(&found, "SELECT EXISTS (SELECT 1 FROM company_statuses WHERE account_id = $1 AND id = $2)", accountID, id).
		Then(func() error { return isStage(found) })
}

// company is the row that a valid request makes.
func (n *NewCompany) company() Company {
	made := Company{
		ID: uuid.New(), AccountID: n.AccountID, Name: *n.Name, DeckLink: n.DeckLink.Value, Visibility: VisibilityTeam, Source: "manual",
		SourceContent: n.SourceContent, Notes: n.Notes.Value, CompanyStatusID: n.StatusID.Value, Metadata: json.RawMessage(`{}`),
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

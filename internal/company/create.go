package company

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"dealflow/internal/account"
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
func (s *Service) Create(ctx context.Context, user uuid.UUID, in NewCompany) (View, error) {
	if in.Name == nil {
		return View{}, fault.Field("name", "is required")
	}
	if err := in.validate(); err != nil {
		return View{}, err
	}
	made := in.company(user)
	var view View
	err := s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		if _, err := account.RequireMember(tx, in.AccountID); err != nil {
			return err
		}
		if err := in.allowed(tx, made); err != nil {
			return err
		}
		if err := insert(tx, made, nil); err != nil {
			return err
		}
		if in.Assignees != nil {
			if err := assign(tx, made, *in.Assignees); err != nil {
				return err
			}
		}
		views, err := s.load(tx, []uuid.UUID{made.ID})
		if err == nil {
			view = views[0]
		}
		return err
	})
	return view, err
}

// company is the row that a valid request makes.
func (n *NewCompany) company(user uuid.UUID) Company {
	made := Company{
		ID: uuid.New(), AccountID: n.AccountID, Name: *n.Name, DeckLink: n.DeckLink.Value, Visibility: VisibilityTeam, Source: "manual",
		SourceContent: n.SourceContent, Notes: n.Notes.Value, CompanyStatusID: n.StatusID.Value, Metadata: json.RawMessage(`{}`), CreatedBy: user, UpdatedBy: user,
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

package company

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// ListQuery says which companies, and which page of them.
type ListQuery struct {
	AccountID *uuid.UUID // one team only; nil: all of the caller's
	Page      int        // from 1
	Limit     int
}

// List gives a page of the companies that the user sees, newest first, and whether another follows. NotFound or Forbidden where
// the account is not his.
func (s *Service) List(ctx context.Context, user uuid.UUID, q ListQuery) (views []View, hasNext bool, err error) {
	err = s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		query := tx.Model(&Company{})
		if q.AccountID != nil {
			if _, err := account.RequireMember(tx, *q.AccountID); err != nil {
				return err
			}
			query = query.Where("account_id = ?", *q.AccountID)
		}
		var rows []Company
		err := query.Omit("SourceContent").Order("created_at DESC, id DESC").Limit(q.Limit + 1).Offset((q.Page - 1) * q.Limit).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("list companies: %w", err)
		}
		if len(rows) > q.Limit {
			rows, hasNext = rows[:q.Limit], true
		}
		views, err = decorate(tx, rows)
		return err
	})
	return views, hasNext, err
}

// Get gives one company: NotFound where there is none or row rules hide it from the user, Forbidden where it is another team's.
func (s *Service) Get(ctx context.Context, user, id uuid.UUID) (View, error) {
	var view View
	err := s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		views, err := s.load(tx, []uuid.UUID{id})
		if err != nil {
			return err
		}
		if len(views) == 0 {
			return whyNot(tx, id)
		}
		view = views[0]
		return nil
	})
	return view, err
}

// whyNot gives the refusal for a company that the transaction's user does not see.
func whyNot(tx *postgres.Tx, id uuid.UUID) error {
	var access *string
	if err := tx.Raw("SELECT app_company_access(?)", id).Scan(&access).Error; err != nil {
		return fmt.Errorf("ask who may see company %s: %w", id, err)
	}
	if access != nil && *access == "outside" {
		return fault.Denied()
	}
	return fault.Missing()
}

// load gives those of the companies that the transaction's user sees.
func (s *Service) load(tx *postgres.Tx, ids []uuid.UUID) ([]View, error) {
	var rows []Company
	if err := tx.Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("load companies: %w", err)
	}
	return decorate(tx, rows)
}

// decorate adds status, assignees and deck in a query each, however many the companies.
func decorate(tx *postgres.Tx, rows []Company) ([]View, error) {
	views := make([]View, len(rows))
	ids := make([]uuid.UUID, len(rows))
	var statusIDs []uuid.UUID
	for i, row := range rows {
		views[i], ids[i] = View{Company: row, Assignees: []account.User{}}, row.ID
		if row.CompanyStatusID != nil {
			statusIDs = append(statusIDs, *row.CompanyStatusID)
		}
	}
	if len(rows) == 0 {
		return views, nil
	}
	statuses, err := statusesByID(tx.DB, statusIDs)
	if err != nil {
		return nil, err
	}
	decks, err := decksByCompany(tx.DB, ids)
	if err != nil {
		return nil, err
	}
	assignees, err := assigneesByCompany(tx.DB, ids)
	if err != nil {
		return nil, err
	}
	for i := range views {
		if id := views[i].CompanyStatusID; id != nil {
			views[i].Status = statuses[*id]
		}
		views[i].Deck = decks[views[i].ID]
		views[i].Assignees = append(views[i].Assignees, assignees[views[i].ID]...)
	}
	return views, nil
}

func statusesByID(tx *gorm.DB, ids []uuid.UUID) (map[uuid.UUID]*pipeline.Status, error) {
	found := map[uuid.UUID]*pipeline.Status{}
	if len(ids) == 0 {
		return found, nil
	}
	var rows []pipeline.Status
	if err := tx.Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("load statuses: %w", err)
	}
	for i := range rows {
		found[rows[i].ID] = &rows[i]
	}
	return found, nil
}

func decksByCompany(tx *gorm.DB, ids []uuid.UUID) (map[uuid.UUID]*File, error) {
	var rows []File
	if err := tx.Where("company_id IN ? AND role = ?", ids, RoleDeck).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("load decks: %w", err)
	}
	found := map[uuid.UUID]*File{}
	for i := range rows {
		found[rows[i].CompanyID] = &rows[i]
	}
	return found, nil
}

func assigneesByCompany(tx *gorm.DB, ids []uuid.UUID) (map[uuid.UUID][]account.User, error) {
	var rows []struct {
		CompanyID uuid.UUID
		account.User
	}
	err := tx.Raw(`SELECT a.company_id, u.id, u.email, u.name, u.picture_url, u.created_at, u.updated_at
		FROM company_assignees a JOIN users u ON u.id = a.user_id WHERE a.company_id IN ? ORDER BY a.created_at, u.id`, ids).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load assignees: %w", err)
	}
	found := map[uuid.UUID][]account.User{}
	for _, row := range rows {
		found[row.CompanyID] = append(found[row.CompanyID], row.User)
	}
	return found, nil
}

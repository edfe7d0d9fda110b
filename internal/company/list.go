package company

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// Orders of a list.
const (
	SortCreated = "created_at"
	SortUpdated = "updated_at"
	SortName    = "name" // whatever the case
)

// ListQuery says which companies, and which page of them. Zero values filter nothing; the newest come first.
type ListQuery struct {
	AccountID  *uuid.UUID // one team only; nil: all of the caller's
	Page       int        // from 1
	Limit      int
	Sort       string // one of the orders; "" is SortCreated
	Ascending  bool
	Search     *string // every word of it must occur; one without a word finds nothing
	Visibility string
	Source     string
	StatusID   *uuid.UUID
	NoStatus   bool // companies without a status only
}

// List gives a page of the companies that the user sees, and whether another follows. NotFound or Forbidden where the account is
// not his.
func (s *Service) List(ctx context.Context, user uuid.UUID, q ListQuery) (views []View, hasNext bool, err error) {
	err = s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		accounts, err := q.accounts(tx)
		if err != nil {
			return err
		}
		rows, err := q.rows(tx, accounts)
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

// accounts gives those that the list is about.
func (q *ListQuery) accounts(tx *postgres.Tx) ([]uuid.UUID, error) {
	if q.AccountID != nil {
		_, err := account.RequireMember(tx, *q.AccountID)
		return []uuid.UUID{*q.AccountID}, err
	}
	var mine []uuid.UUID
	if err := tx.Raw("SELECT app_account_ids()").Scan(&mine).Error; err != nil {
		return nil, fmt.Errorf("list the caller's accounts: %w", err)
	}
	return mine, nil
}

// rows gives a page and one row more. The database finds the ids account by account, each in the order of an index; pages of several
// accounts are merged out of the beginnings of their lists.
func (q *ListQuery) rows(tx *postgres.Tx, accounts []uuid.UUID) ([]Company, error) {
	skip, take := int64(q.Page-1)*int64(q.Limit), int64(q.Limit)+1
	offset := 0
	if len(accounts) > 1 {
		offset, skip, take = int(skip), 0, skip+take
	}
	var ids []string
	for _, accountID := range accounts {
		var found []string
		err := tx.Raw("SELECT unnest(app_company_page(?, ?, ?, ?, ?, ?, ?, ?, ?, ?))", accountID, q.Search, nullable(q.Visibility), nullable(q.Source), q.StatusID,
			q.NoStatus, cmp.Or(q.Sort, SortCreated), !q.Ascending, skip, take).Scan(&found).Error
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	var rows []Company
	if len(ids) == 0 {
		return rows, nil
	}
	err := tx.Omit("SourceContent").Where("id = ANY (string_to_array(?, ',')::uuid[])", strings.Join(ids, ",")).
		Order(q.order()).Limit(q.Limit + 1).Offset(offset).Find(&rows).Error
	return rows, err
}

// order is total: the id breaks ties.
func (q *ListQuery) order() string {
	column, direction := SortCreated, " DESC"
	switch q.Sort {
	case SortUpdated:
		column = SortUpdated
	case SortName:
		column = "lower(name)"
	}
	if q.Ascending {
		direction = ""
	}
	return column + direction + ", id" + direction
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
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

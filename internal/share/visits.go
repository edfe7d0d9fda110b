package share

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Visit is one opening of a link's page.
type Visit struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	LinkID    uuid.UUID
	Email     *string // as the visitor gave it; nil: they were not asked
	OpenedAt  time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Visit) TableName() string { return "link_visits" }

// PageTime is how long a page of a company's deck was in sight during a visit. The first page is 1.
type PageTime struct {
	VisitID      uuid.UUID `json:"-"`
	CompanyID    uuid.UUID `json:"company_id"`
	Page         int       `json:"page"`
	Milliseconds int64     `json:"milliseconds"`
}

// Visits returns the visits of a link, the newest first, and how long each page was in sight during these visits,
// sorted by company and page. most is the maximum number of visits. Visits leaves out times of companies that the
// caller does not see. The error is NotFound if there is no such link or the caller does not see it, and NotFound or
// Forbidden if the caller is not a member of the account.
func (s *Service) Visits(ctx context.Context, who *postgres.Identity, accountID, link uuid.UUID,
	most int,
) (visits []Visit, times []PageTime, err error) {
	const newest = "SELECT id FROM link_visits WHERE account_id = $1 AND link_id = $2 ORDER BY opened_at DESC, id DESC " +
		"LIMIT $3"
	var there bool
	err = account.Read(ctx, s.deps.DB, who, accountID,
		postgres.Value(&there, "SELECT true FROM shared_links WHERE account_id = $1 AND id = $2", accountID,
			link).Then(func() error {
			if !there {
				return fault.NewNotFound()
			}
			return nil
		}),
		postgres.Rows(&visits, func(v *Visit) []any { return []any{&v.ID, &v.AccountID, &v.LinkID, &v.Email, &v.OpenedAt} },
			`SELECT id, account_id, link_id, email, opened_at FROM link_visits WHERE account_id = $1 AND link_id = $2
				ORDER BY opened_at DESC, id DESC LIMIT $3`, accountID, link, most),
		postgres.Rows(&times, func(p *PageTime) []any { return []any{&p.VisitID, &p.CompanyID, &p.Page, &p.Milliseconds} },
			"SELECT visit_id, company_id, page, milliseconds FROM link_page_times WHERE account_id = $1 AND "+
				"visit_id IN ("+newest+") ORDER BY company_id, page",
			accountID, link, most))
	if err != nil {
		return nil, nil, fmt.Errorf("read the visits of link %s: %w", link, err)
	}
	return visits, times, nil
}

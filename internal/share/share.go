// Package share keeps shared links, each of which shows a person without an account some companies of a team. A link is
// read with the rights of the person who created it: companies that they do not see any more, and private ones, are not
// shown.
package share

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/fault"
	"dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

// Permissions of a company on a link. ViewDeck shows its name and its deck alone. View also shows its fields, but
// neither notes nor source content. Full also shows notes and attachments.
const (
	ViewDeck = "view_deck"
	View     = "view"
	Full     = "full"
)

// Link is a shared link: whoever has its code can open a page of companies. A nil Name, Description or ExpiresAt means
// that it has none. It does not have the hash of its password: see app_link_by_code in the migrations.
type Link struct {
	ID                uuid.UUID
	AccountID         uuid.UUID
	Name              *string
	Description       *string
	ShortCode         string
	PasswordProtected bool `gorm:"->"` // the database computes it from the hash
	ExpiresAt         *time.Time
	AskEmail          bool // visitors must give an address, which is not verified
	ViewOnly          bool // files are shown, and cannot be downloaded
	Watermark         bool // the pages of decks carry the visitor's address
	ViewCount         int64
	CreatedBy         uuid.UUID
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// TableName returns the name of the table, which gorm would not guess.
func (Link) TableName() string { return "shared_links" }

// Item is a company on a link.
type Item struct {
	AccountID   uuid.UUID
	LinkID      uuid.UUID
	CompanyID   uuid.UUID
	Permissions string
	Position    int
}

// TableName returns the name of the table, which gorm would not guess.
func (Item) TableName() string { return "shared_link_companies" }

// Listed is a link as a member sees it, without the companies that this member does not see.
type Listed struct {
	Link

	OpenedAt  *time.Time  // when it was last opened; nil: never
	Active    bool        // the page can be opened: the link has not expired, and who made it is still in the team
	Companies []shownName // those that the member sees, in the order in which they were given
}

// shownName is a company on a link, with its name.
type shownName struct {
	CompanyID   uuid.UUID
	CompanyName string
	Permissions string
}

// Deps are the dependencies of the service. All are required.
type Deps struct {
	DB        *postgres.DB
	Now       func() time.Time
	Passwords *password.Hasher // for the passwords of links; the same one as in visitor.Deps
}

// Service creates, lists and deletes shared links.
type Service struct {
	deps Deps
}

// New returns the service.
func New(deps Deps) *Service { return &Service{deps: deps} }

// List returns a page of the account's links that the caller sees, newest first, and the position where the next page
// begins, which is nil at the end. Callers see their own links, and those links of other members on which they see
// every company that is not private. The error is NotFound or Forbidden if the caller is not a member of the account.
func (s *Service) List(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page paging.Page,
) ([]Listed, *paging.Position, error) {
	var rows []linkRow
	if err := account.Read(ctx, s.deps.DB, who, accountID,
		s.query(&rows, accountID, page.Of(paging.Newest())).Within(page)); err != nil {
		return nil, nil, fmt.Errorf("list shared links: %w", err)
	}
	rows, next := paging.Cut(page, rows, func(l *linkRow) paging.Position { return paging.At(l.CreatedAt, l.ID) })
	links := make([]Listed, len(rows))
	for i := range rows {
		links[i] = s.listed(rows[i])
	}
	return links, next, nil
}

// OfCompany returns the links that show a company and that the caller sees, the newest first. most is the maximum
// number of links. The error is NotFound or Forbidden if the caller is not a member of the account; for an unknown
// company there are no links.
func (s *Service) OfCompany(ctx context.Context, who *postgres.Identity, accountID, company uuid.UUID,
	most int,
) ([]Listed, error) {
	var rows []linkRow
	err := account.Read(ctx, s.deps.DB, who, accountID, s.query(&rows, accountID, func(tx *gorm.DB) *gorm.DB {
		return tx.Where("id IN (SELECT i.link_id FROM shared_link_companies i WHERE i.account_id = ? AND i.company_id = ?)",
			accountID, company).
			Order("created_at DESC, id DESC").Limit(most)
	}))
	if err != nil {
		return nil, fmt.Errorf("list the shared links of company %s: %w", company, err)
	}
	links := make([]Listed, len(rows))
	for i := range rows {
		links[i] = s.listed(rows[i])
	}
	return links, nil
}

// Get returns one of the account's links. The error is NotFound if there is no such link or the caller does not see it,
// and NotFound or Forbidden if the caller is not a member of the account.
func (s *Service) Get(ctx context.Context, who *postgres.Identity, accountID, id uuid.UUID) (Listed, error) {
	var rows []linkRow
	if err := account.Read(ctx, s.deps.DB, who, accountID, s.query(&rows, accountID, withID(id))); err != nil {
		return Listed{}, fmt.Errorf("read shared link %s: %w", id, err)
	}
	row, err := postgres.One(rows)
	return s.listed(row), err
}

func (s *Service) load(tx *postgres.Tx, accountID, id uuid.UUID) (Listed, error) {
	var rows []linkRow
	if err := tx.Run(s.query(&rows, accountID, withID(id))); err != nil {
		return Listed{}, fmt.Errorf("load shared link %s: %w", id, err)
	}
	row, err := postgres.One(rows)
	return s.listed(row), err
}

func withID(id uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(tx *gorm.DB) *gorm.DB { return tx.Where("id = ?", id) }
}

// linkRow is a link with those of its companies that the caller sees. MakerStays is true if the user who created the
// link is still a member.
type linkRow struct {
	Link

	MakerStays bool
	OpenedAt   *time.Time
	Companies  []shownName
}

// query returns a query that reads links of the account into rows. scope restricts and orders them.
func (s *Service) query(rows *[]linkRow, accountID uuid.UUID, scope func(*gorm.DB) *gorm.DB) postgres.Query {
	return postgres.Found(s.deps.DB, rows, func(tx *gorm.DB) *gorm.DB {
		return scope(tx.Model(&Link{}).Select(`id, account_id, name, description, short_code, password_protected, expires_at,
			ask_email, view_only, watermark,
			view_count, created_by, created_at, updated_at,
			(SELECT max(v.opened_at) FROM link_visits v WHERE v.account_id = shared_links.account_id
			AND v.link_id = shared_links.id) AS opened_at,
			EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = shared_links.account_id
			AND m.user_id = created_by) AS maker_stays,
			(SELECT json_agg(json_build_object('CompanyID', i.company_id, 'CompanyName', c.name, 'Permissions', i.permissions)
			ORDER BY i.position)
				FROM shared_link_companies i JOIN companies c ON c.account_id = i.account_id AND c.id = i.company_id
				WHERE i.account_id = shared_links.account_id
				AND i.link_id = shared_links.id) AS companies`).Where("account_id = ?", accountID)).
			Find(&[]linkRow{})
	})
}

func (s *Service) listed(row linkRow) Listed {
	return Listed{
		Link: row.Link, OpenedAt: row.OpenedAt, Active: row.MakerStays && !s.over(row.ExpiresAt),
		Companies: append([]shownName{}, row.Companies...),
	}
}

// over reports whether a link with this time of expiry has expired. A link without one does not expire.
func (s *Service) over(expires *time.Time) bool {
	return expires != nil && !expires.After(s.deps.Now())
}

// Delete deletes a link, so that its page can no longer be opened. The error is NotFound if there is no such link or
// the user does not see it, and NotFound or Forbidden if the user is not a member of the account. If the request names
// another version of the link by If-Match, Delete returns the error of postgres.Require.
func (s *Service) Delete(ctx context.Context, user, accountID, id uuid.UUID) error {
	return account.AsMember(ctx, s.deps.DB, user, accountID, func(tx *postgres.Tx) error {
		if err := postgres.Require(tx, func() (Listed, error) { return s.load(tx, accountID, id) }); err != nil {
			return err
		}
		done := tx.Exec("DELETE FROM shared_links WHERE account_id = ? AND id = ?", accountID, id)
		if done.Error != nil {
			return fmt.Errorf("delete shared link %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return fault.NewNotFound()
		}
		return activity.Record(tx, accountID, activity.LinkDeleted, "A shared link was revoked", nil)
	})
}

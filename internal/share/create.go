package share

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/blank"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Draft is what a client sends to make a link. Members that are nil were not sent.
type Draft struct {
	Name        *string
	Description *string
	Password    *string
	ExpiresAt   *time.Time
	AskEmail    bool
	ViewOnly    bool
	Watermark   bool // requires AskEmail and ViewOnly
	Companies   []Wanted
}

// Wanted is a company that a link is to show.
type Wanted struct {
	CompanyID   uuid.UUID
	Permissions string
}

// Permissions returns the permissions that a company can have on a link, from the narrowest to the widest.
func Permissions() []string { return []string{ViewDeck, View, Full} }

// Create creates a link. It accepts a private company; the page does not show it while it is private. The error is
// InvalidBody if a member is invalid (see Check), or if a company is not of the account or the user does not see it. It
// is NotFound or Forbidden if the user is not a member of the account, and Unavailable if too many passwords are being
// hashed.
func (s *Service) Create(ctx context.Context, user, accountID uuid.UUID, d Draft) (Link, error) {
	if d.Name != nil {
		d.Name = new(blank.Trim(*d.Name))
	}
	if err := s.Check(d); err != nil {
		return Link{}, err
	}
	code, err := newCode()
	if err != nil {
		return Link{}, err
	}
	made := Link{
		ID: uuid.New(), AccountID: accountID, Name: d.Name, Description: d.Description, ShortCode: code,
		ExpiresAt:         d.ExpiresAt,
		PasswordProtected: d.Password != nil, AskEmail: d.AskEmail, ViewOnly: d.ViewOnly, Watermark: d.Watermark,
		CreatedBy: user,
	}
	// Hashing takes much time, so the account and the companies are checked before it.
	if err := account.AsMember(ctx, s.deps.DB, user, accountID,
		func(tx *postgres.Tx) error { return requireCompanies(tx, accountID, d.Companies) }); err != nil {
		return Link{}, err
	}
	var hash *string // nil: the link is open
	if d.Password != nil {
		made, err := s.deps.Passwords.Hash(ctx, *d.Password)
		if err != nil {
			return Link{}, err
		}
		hash = &made
	}
	err = s.deps.DB.Write(ctx, user, account.ForMember(accountID, func(tx *postgres.Tx) error {
		if err := requireCompanies(tx, accountID, d.Companies); err != nil {
			return err
		}
		err := insert(tx, &made, hash, d.Companies)
		tx.Made(made)
		return err
	}))
	return made, err
}

// Check returns InvalidBody, which names every invalid member, or nil. It does not check that the companies exist. Of a
// list with more than MaxCompanies companies it does not check the items.
func (s *Service) Check(d Draft) error {
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	checkLength := func(field string, text *string, most int) {
		if text != nil && utf8.RuneCountInString(*text) > most {
			refuse(field, fmt.Sprintf("has more than %d characters", most))
		}
	}
	if d.Name != nil && *d.Name == "" {
		refuse("name", "must hold something besides white space")
	}
	if d.Password != nil && *d.Password == "" {
		refuse("password", "is empty: give one, or leave it out for a link without a password")
	}
	checkLength("name", d.Name, MaxName)
	checkLength("description", d.Description, MaxDescription)
	checkLength("password", d.Password, MaxPassword)
	if s.over(d.ExpiresAt) {
		refuse("expires_at", "must be in the future")
	}
	if d.Watermark && !d.AskEmail {
		refuse("ask_email", "must be true where watermark is: the mark is the visitor's address")
	}
	if d.Watermark && !d.ViewOnly {
		refuse("view_only", "must be true where watermark is: a download carries no mark")
	}
	wrong = append(wrong, checkCompanies(d.Companies)...)
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func checkCompanies(companies []Wanted) []fault.Detail {
	if len(companies) == 0 {
		return []fault.Detail{{Field: "companies", Message: "must hold at least one company"}}
	}
	if len(companies) > MaxCompanies {
		return []fault.Detail{{Field: "companies", Message: fmt.Sprintf("are more than %d", MaxCompanies)}}
	}
	var wrong []fault.Detail
	seen := map[uuid.UUID]bool{}
	for i, one := range companies {
		if seen[one.CompanyID] {
			wrong = append(wrong, fault.Detail{Field: fmt.Sprintf("companies.%d.company_id", i), Message: "was given twice"})
		}
		if !slices.Contains(Permissions(), one.Permissions) {
			wrong = append(wrong, fault.Detail{
				Field: fmt.Sprintf("companies.%d.permissions", i), Message: "must be one of " + strings.Join(Permissions(), ", "),
			})
		}
		seen[one.CompanyID] = true
	}
	return wrong
}

// requireCompanies locks the companies against deletion. It returns InvalidBody, which names every company that is not
// of the account or that the transaction's user does not see.
func requireCompanies(tx *postgres.Tx, accountID uuid.UUID, companies []Wanted) error {
	ids := make([]uuid.UUID, len(companies))
	for i, one := range companies {
		ids[i] = one.CompanyID
	}
	var found []uuid.UUID
	if err := tx.Raw("SELECT id FROM companies WHERE account_id = ? AND id IN ? ORDER BY id FOR KEY SHARE", accountID,
		ids).Scan(&found).Error; err != nil {
		return fmt.Errorf("look for the companies to share: %w", err)
	}
	var wrong []fault.Detail
	for i, id := range ids {
		if !slices.Contains(found, id) {
			wrong = append(wrong, fault.Detail{
				Field: fmt.Sprintf("companies.%d.company_id", i), Message: "is no company of this account",
			})
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func insert(tx *postgres.Tx, made *Link, hash *string, companies []Wanted) error {
	var times struct{ CreatedAt, UpdatedAt time.Time }
	err := tx.Raw(`INSERT INTO shared_links (id, account_id, name, description, short_code, password_hash, expires_at,
		ask_email, view_only, watermark, created_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING created_at, updated_at`,
		made.ID, made.AccountID, made.Name, made.Description, made.ShortCode, hash, made.ExpiresAt, made.AskEmail,
		made.ViewOnly, made.Watermark, made.CreatedBy).Scan(&times).Error
	if err != nil {
		return fmt.Errorf("store the shared link: %w", err)
	}
	made.CreatedAt, made.UpdatedAt = times.CreatedAt, times.UpdatedAt
	items := make([]Item, len(companies))
	for i, one := range companies {
		items[i] = Item{
			AccountID: made.AccountID, LinkID: made.ID, CompanyID: one.CompanyID, Permissions: one.Permissions, Position: i,
		}
	}
	if err := tx.Create(&items).Error; err != nil {
		return fmt.Errorf("store the companies of the shared link: %w", err)
	}
	what := "a company"
	if len(items) > 1 {
		what = fmt.Sprintf("%d companies", len(items))
	}
	return activity.Record(tx, made.AccountID, activity.LinkCreated, "A shared link to "+what+" was made", nil)
}

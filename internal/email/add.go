package email

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/blank"
	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// previewLength is how many characters of an email's content a list shows.
const previewLength = 200

// Draft is an email to be added. The caller may choose its ID; if it is uuid.Nil, Add and AddBatch choose it.
type Draft struct {
	ID          uuid.UUID
	ExternalID  string
	FromEmail   string
	FromName    string
	ToEmails    []string
	Subject     *string
	Content     string
	Tags        []string
	Metadata    json.RawMessage // an object; nil: none
	CompanyIDs  []uuid.UUID
	Attachments []Attachment // with everything but ids, account and position
	RawPath     string       // storage key of the raw MIME message; empty: there is none
}

// Add stores an email of the account in the transaction of one of its members, and returns its id and whether it is
// new. If the account has an email with this ExternalID, Add changes nothing and returns the id of that email. It links
// a new email to its CompanyIDs, and to the companies to which its addresses belong. The error is InvalidBody for an
// invalid ExternalID, FromEmail or tag, and for a company that the user does not see.
func (s *Service) Add(tx *postgres.Tx, accountID uuid.UUID, d Draft) (id uuid.UUID, added bool, err error) {
	if err := d.check(); err != nil {
		return uuid.Nil, false, err
	}
	if err := company.RequireVisible(tx, accountID, "company_ids", d.CompanyIDs...); err != nil {
		return uuid.Nil, false, err
	}
	row := d.row(accountID)
	stored := tx.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "account_id"}, {Name: "external_id"}}, DoNothing: true,
	}).
		Omit("CreatedAt", "UpdatedAt").Create(&row)
	if stored.Error != nil {
		return uuid.Nil, false, fmt.Errorf("store the email: %w", stored.Error)
	}
	if stored.RowsAffected == 0 {
		err := tx.Raw("SELECT id FROM emails WHERE account_id = ? AND external_id = ?", accountID, row.ExternalID).Row().
			Scan(&id)
		if err != nil {
			return uuid.Nil, false, fmt.Errorf("find the email that was there before: %w", err)
		}
		return id, false, nil
	}
	if err := link(tx.DB, accountID, row.ID, d.CompanyIDs); err != nil {
		return uuid.Nil, false, err
	}
	if err := attach(tx.DB, row, d.Attachments); err != nil {
		return uuid.Nil, false, err
	}
	d.ID = row.ID
	return row.ID, true, s.linkKnown(tx, accountID, &d)
}

func (d Draft) check() error {
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	required := func(field, value string, most int) {
		if strings.TrimSpace(value) == "" {
			refuse(field, "is required")
		}
		if utf8.RuneCountInString(value) > most {
			refuse(field, fmt.Sprintf("has more than %d characters", most))
		}
	}
	required("external_id", d.ExternalID, MaxExternalID)
	required("from_email", d.FromEmail, MaxAddress)
	wrong = append(wrong, checkTags(d.Tags)...)
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func checkTags(tags []string) []fault.Detail {
	if len(tags) > MaxTags {
		return []fault.Detail{{Field: "tags", Message: fmt.Sprintf("are more than %d", MaxTags)}}
	}
	var wrong []fault.Detail
	for i, tag := range tags {
		if blank.Is(tag) || utf8.RuneCountInString(tag) > MaxTag {
			message := fmt.Sprintf("must have 1 to %d characters, and something besides white space", MaxTag)
			wrong = append(wrong, fault.Detail{Field: fmt.Sprintf("tags.%d", i), Message: message})
		}
	}
	return wrong
}

// row returns the draft as a row. It sets an ID if there is none. In texts other than tags, invalid UTF-8 becomes
// U+FFFD and NUL characters are removed. Repeated tags are dropped.
func (d Draft) row(accountID uuid.UUID) Email {
	row := Email{
		ID: d.ID, AccountID: accountID, ExternalID: storable(d.ExternalID), FromEmail: storable(d.FromEmail),
		FromName: storable(d.FromName),
		Content:  storable(d.Content), ContentPreview: preview(storable(d.Content)), Tags: distinct(d.Tags),
		AttachmentsCount: len(d.Attachments),
		Metadata:         d.Metadata,
	}
	if row.ID == uuid.Nil {
		row.ID = postgres.NewID()
	}
	for _, address := range d.ToEmails {
		row.ToEmails = append(row.ToEmails, storable(address))
	}
	if d.Subject != nil {
		subject := storable(*d.Subject)
		row.Subject = &subject
	}
	if d.RawPath != "" {
		row.RawStoragePath = &d.RawPath
	}
	if len(row.Metadata) == 0 {
		row.Metadata = json.RawMessage(`{}`)
	}
	return row
}

func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// preview returns the first previewLength characters of the content in one line. It looks only at the first 16 times
// previewLength bytes.
func preview(content string) string {
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(content[:min(len(content), 16*previewLength)], "")),
		" "))
	return string(runes[:min(len(runes), previewLength)])
}

// distinct returns the values, each once, in the order in which they first occur.
func distinct[T comparable](values []T) []T {
	var kept []T
	for _, value := range values {
		if !slices.Contains(kept, value) {
			kept = append(kept, value)
		}
	}
	return kept
}

func link(tx *gorm.DB, accountID, emailID uuid.UUID, companyIDs []uuid.UUID) error {
	if len(companyIDs) == 0 {
		return nil
	}
	var rows []Link
	for _, id := range distinct(companyIDs) {
		rows = append(rows, Link{EmailID: emailID, CompanyID: id, AccountID: accountID})
	}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Omit("CreatedAt").Create(&rows).Error; err != nil {
		return fmt.Errorf("link email %s to companies: %w", emailID, err)
	}
	return nil
}

func attach(tx *gorm.DB, email Email, files []Attachment) error {
	if len(files) == 0 {
		return nil
	}
	rows := make([]Attachment, len(files))
	for i, file := range files {
		file.ID, file.AccountID, file.EmailID, file.Position = postgres.NewID(), email.AccountID, email.ID, i
		file.Filename, file.ContentType = storable(file.Filename), storable(file.ContentType)
		rows[i] = file
	}
	if err := tx.Omit("CreatedAt").Create(&rows).Error; err != nil {
		return fmt.Errorf("store the attachments of email %s: %w", email.ID, err)
	}
	return nil
}

package creation

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/company/analyst"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
)

// saysNothing is the reason why no company is created from an email or submission without content.
const saysNothing = "There is no text and no file of which a company could be made."

// emails is the source for emails.
type emails struct{}

func (emails) load(tx *postgres.Tx, accountID, id uuid.UUID) (analyst.Arrival, string, error) {
	var mail email.Email
	if err := tx.First(&mail, "account_id = ? AND id = ?", accountID, id).Error; err != nil {
		return analyst.Arrival{}, "", err
	}
	var files []email.Attachment
	if err := tx.Where("email_id = ?", id).Order("position, id").Find(&files).Error; err != nil {
		return analyst.Arrival{}, "", fmt.Errorf("load the attachments of email %s: %w", id, err)
	}
	if isBlank(mail.Content) && (mail.Subject == nil || isBlank(*mail.Subject)) && len(files) == 0 {
		return analyst.Arrival{}, saysNothing, nil
	}
	in := analyst.Arrival{AccountID: accountID, Text: emailText(mail), Source: "email", Sender: mail.FromEmail}
	for _, file := range files {
		in.Files = append(in.Files, analyst.StoredFile{FileName: file.Filename, StoragePath: file.StoragePath})
	}
	return in, "", nil
}

func (emails) thing(id uuid.UUID) journal.Thing { return journal.Thing{Kind: journal.Email, ID: id} }

func (emails) lock(tx *postgres.Tx, accountID, id uuid.UUID) (bool, error) {
	return locked(tx, &email.Email{}, accountID, id)
}

func (emails) link(tx *postgres.Tx, accountID, id, companyID uuid.UUID, note json.RawMessage) error {
	if companyID != uuid.Nil {
		row := email.Link{EmailID: id, CompanyID: companyID, AccountID: accountID}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Omit("CreatedAt").Create(&row).Error; err != nil {
			return fmt.Errorf("link email %s to its company: %w", id, err)
		}
	}
	return annotate(tx, &email.Email{}, id, map[string]any{}, note)
}

// submissions is the source for form submissions.
type submissions struct{}

func (submissions) load(tx *postgres.Tx, accountID, id uuid.UUID) (analyst.Arrival, string, error) {
	var sent form.Submission
	if err := tx.First(&sent, "account_id = ? AND id = ?", accountID, id).Error; err != nil {
		return analyst.Arrival{}, "", err
	}
	if sent.CompanyID != nil {
		return analyst.Arrival{}, "It was of a company already when it came.", nil
	}
	text, err := formText(sent.Data)
	if err != nil {
		return analyst.Arrival{}, "", fmt.Errorf("read form submission %s: %w", id, err)
	}
	if isBlank(text) {
		return analyst.Arrival{}, saysNothing, nil
	}
	return analyst.Arrival{AccountID: accountID, Text: text, Source: "form"}, "", nil
}

func (submissions) thing(id uuid.UUID) journal.Thing {
	return journal.Thing{Kind: journal.Submission, ID: id}
}

func (submissions) lock(tx *postgres.Tx, accountID, id uuid.UUID) (bool, error) {
	return locked(tx, &form.Submission{}, accountID, id)
}

func (submissions) link(tx *postgres.Tx, _, id, companyID uuid.UUID, note json.RawMessage) error {
	columns := map[string]any{}
	if companyID != uuid.Nil {
		columns["company_id"] = gorm.Expr("COALESCE(company_id, ?)", companyID) // a person may have chosen one
	}
	return annotate(tx, &form.Submission{}, id, columns, note)
}

// annotate sets columns of the row with this id, and adds the members of note to its metadata. It changes columns.
func annotate(tx *postgres.Tx, model any, id uuid.UUID, columns map[string]any, note json.RawMessage) error {
	columns["metadata"], columns["updated_at"] = gorm.Expr("metadata || ?::jsonb", string(note)), gorm.Expr("now()")
	if err := tx.Model(model).Where("id = ?", id).Updates(columns).Error; err != nil {
		return fmt.Errorf("note the company of %s: %w", id, err)
	}
	return nil
}

// locked locks a row until the transaction ends, and reports whether it exists. Other transactions can still link the
// email to a company: if they had to wait for the lock, they could deadlock with this transaction.
func locked(tx *postgres.Tx, model any, accountID, id uuid.UUID) (bool, error) {
	var found []uuid.UUID
	err := tx.Model(model).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("account_id = ? AND id = ?",
		accountID, id).Pluck("id", &found).Error
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", id, err)
	}
	return len(found) > 0, nil
}

package aicreation

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/blank"
	"dealflow/internal/company"
	"dealflow/internal/company/upload"
	"dealflow/internal/fault"
)

// Draft is what a client sends to AI company creation. CompanyID and WorkID are chosen by the caller: the uploads have
// CompanyID in their keys, and a process waits for WorkID. Empty strings and nils mean that nothing was given.
type Draft struct {
	CompanyID  uuid.UUID
	WorkID     uuid.UUID
	AccountID  uuid.UUID
	Text       string
	Name       string
	Visibility string
	Source     string
	Notes      *string
	StatusID   *uuid.UUID
	Metadata   json.RawMessage
	Files      []upload.File
	DryRun     bool
	Waiter     string // channel of the API process that waits for the analysis
	Queue      string // of the analysis; "": work.Interactive
	RequestID  string
	ExternalID string // of a row of an import; "" otherwise
}

// Check trims Name, sets an empty Visibility to "team", and returns InvalidBody with every invalid member, by its name
// in the form. It does not check Notes, StatusID and ExternalID, and of Files it checks only how many there are.
func (d *Draft) Check() error {
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	if strings.TrimSpace(d.Text) == "" {
		refuse("text", "is required and must hold something besides white space")
	}
	if d.AccountID == uuid.Nil {
		refuse("account_id", "is required")
	}
	d.Name = blank.Trim(d.Name)
	if utf8.RuneCountInString(d.Name) > company.MaxName {
		refuse("name", fmt.Sprintf("has more than %d characters", company.MaxName))
	}
	if d.Visibility == "" {
		d.Visibility = company.VisibilityTeam
	}
	if !company.IsVisibility(d.Visibility) {
		refuse("visibility", "must be private, shared or team")
	}
	if d.Source != "" && !company.IsSource(d.Source) {
		refuse("source", "must be manual, email, form, referral, website, event or other")
	}
	if len(d.Metadata) > 0 && !company.IsObject(d.Metadata) {
		refuse("metadata", "must be a JSON object")
	}
	if len(d.Files) > upload.MaxFiles {
		refuse("file_10", fmt.Sprintf("more than %d files", upload.MaxFiles))
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

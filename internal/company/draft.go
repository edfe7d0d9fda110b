package company

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// MaxText is how many bytes of text are analysed and kept.
const MaxText = 1 << 20

// MaxFiles is how many files one AI creation takes.
const MaxFiles = 10

const maximumName = 255

// Draft is what a client sends to AI company creation. CompanyID and WorkID are chosen before: the uploads lie under
// the first, and somebody waits for the second. Empty strings and nils were not given.
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
	Files      []Upload
	DryRun     bool
	Waiter     string // channel of the process that waits
	Queue      string // of the analysis; empty: work.Interactive
	RequestID  string
	ExternalID string // of a row of an import
}

// Check fills the defaults and refuses every field that is wrong, by the names of the form, as InvalidBody.
func (d *Draft) Check() error {
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	if strings.TrimSpace(d.Text) == "" {
		refuse("text", "is required and must hold something besides white space")
	}
	if d.AccountID == uuid.Nil {
		refuse("account_id", "is required")
	}
	d.Name = strings.TrimSpace(d.Name)
	if utf8.RuneCountInString(d.Name) > maximumName {
		refuse("name", fmt.Sprintf("has more than %d characters", maximumName))
	}
	if d.Visibility == "" {
		d.Visibility = VisibilityTeam
	}
	if !isVisibility(d.Visibility) {
		refuse("visibility", "must be private, shared or team")
	}
	if d.Source != "" && !isSource(d.Source) {
		refuse("source", "must be manual, email, form, referral, website, event or other")
	}
	if len(d.Metadata) > 0 && !isObject(d.Metadata) {
		refuse("metadata", "must be a JSON object")
	}
	if len(d.Files) > MaxFiles {
		refuse("file_10", fmt.Sprintf("more than %d files", MaxFiles))
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(raw, &members) == nil && members != nil
}

// roles says what each upload is so far. One file is always the deck; of several, the only PDF is; without a PDF none
// is; with more PDFs the analysis decides.
func roles(uploads []Upload) []string {
	given := make([]string, len(uploads))
	pdfs := 0
	for _, up := range uploads {
		if up.MediaType == PDF {
			pdfs++
		}
	}
	for i, up := range uploads {
		switch {
		case len(uploads) == 1, up.MediaType == PDF && pdfs == 1:
			given[i] = RoleDeck
		case up.MediaType == PDF:
			given[i] = RoleUndecided
		default:
			given[i] = RoleAttachment
		}
	}
	return given
}

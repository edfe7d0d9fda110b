package companies

import (
	"fmt"
	"strings"

	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/upload"
	"dealflow/internal/httpapi/request"
)

const filePrefix = "file_"

// MaxForm returns the size in bytes of the largest form of an AI creation that is accepted.
func (h *Handlers) MaxForm() int64 {
	return upload.MaxFiles*h.MaxFileSize + aicreation.MaxText + int64(len(fieldNames()))*request.MaxField +
		request.FormOverhead
}

// creationForm returns the shape of the form of AI creation: up to ten files and the company's fields.
func (h *Handlers) creationForm() request.FormShape {
	return request.FormShape{
		Names: fieldNames(), Long: map[string]int64{"text": aicreation.MaxText}, FileAt: filePosition, FilePrefix: filePrefix,
		Limit:   h.MaxForm(),
		HowFile: fmt.Sprintf("send files as file_0 to file_%d", upload.MaxFiles-1),
	}
}

// fieldNames returns the names of the form's fields, without those of its files.
func fieldNames() []string {
	return []string{
		"text", "account_id", "name", "visibility", "notes", "company_status_id", "source", "metadata", "dry_run",
	}
}

// filePosition returns N for the name "file_N" with one digit N, and reports whether the name has this form.
func filePosition(name string) (int, bool) {
	digit, found := strings.CutPrefix(name, filePrefix)
	if !found || len(digit) != 1 || digit[0] < '0' || digit[0] > '9' {
		return 0, false
	}
	return int(digit[0] - '0'), true
}

// draftOf reads the fields of a form into a draft. The error is InvalidBody if a value is malformed, such as an id that
// is not a UUID; it then also names what Draft.Check refuses. If no value is malformed, draftOf does not check the
// draft.
func draftOf(f *request.Form) (aicreation.Draft, error) {
	d := aicreation.Draft{
		Name: f.NotBlank("name"), Visibility: f.NotBlank("visibility"), Source: f.NotBlank("source"), Notes: f.Text("notes"),
		Metadata: f.JSON("metadata"), StatusID: f.ID("company_status_id"), DryRun: f.Boolean("dry_run"),
	}
	if text := f.Text("text"); text != nil {
		d.Text = *text
	}
	if id := f.ID("account_id"); id != nil {
		d.AccountID = *id
	}
	return d, f.Err(d.Check)
}

package transfers

import (
	"io"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/transfer"
)

// maxLine is the maximum size, in bytes, of the line of an export in a form. It is more than any line has, even one
// with the text of a file.
const maxLine = 16 << 20

// RestoreFile stores the content of a file of an export again. The form has the line of the export that describes the
// file, and the content. The answer says whether the file is new. If the request is refused, the content is removed.
// The errors are those of request.OpenForm, restoredLine, limits.Admission and transfer.Service.RestoreContent, and
// InvalidBody if the form has no content.
func (h *Handlers) RestoreFile(c *gin.Context, caller account.Caller) error {
	form, err := request.OpenForm(c.Writer, c.Request, request.FormShape{
		Names: []string{"line"}, Long: map[string]int64{"line": maxLine},
		FileAt:  func(name string) (int, bool) { return 0, name == "file" },
		HowFile: "send the content as file", Limit: restoredOverhead*h.MaxFileSize + maxLine + request.FormOverhead,
	})
	if err != nil {
		return err
	}
	leave, err := h.Admission.Enter(caller.UserID)
	if err != nil {
		return err
	}
	defer leave()
	ctx := c.Request.Context()
	var content *transfer.Content
	form.Store = func(_ int, _ string, r io.Reader) error {
		received, err := h.Transfers.Receive(ctx, r)
		if err == nil {
			content = &received
		}
		return err
	}
	line, accountID, err := restoredLine(c, form)
	if err == nil && content == nil {
		err = fault.Field("file", "is required")
	}
	var done func()
	if err == nil {
		done, err = h.Admission.Store(ctx)
	}
	if err != nil {
		if content != nil {
			h.Transfers.Discard(ctx, *content)
		}
		return err
	}
	defer done()
	created, err := h.Transfers.RestoreContent(ctx, caller.UserID, accountID, line, *content)
	if err != nil {
		return err
	}
	return respond.OK(c, gin.H{"file": wireRestored{
		Type: line.Type, Path: line.Path, SHA256: line.SHA256,
		Created: created,
	}})
}

// restoredOverhead is how many times larger than the largest file restored content may be: a stored message with such a
// file is larger than the file.
const restoredOverhead = 2

// restoredLine reads the form, and returns the parsed line of the export in it and the account of the path. The error
// is that of request.Form.Read, or InvalidBody if the line is missing or cannot be parsed.
func restoredLine(c *gin.Context, form *request.Form) (line transfer.Line, accountID uuid.UUID, err error) {
	if err := form.Read(); err != nil {
		return line, accountID, err
	}
	text := form.NotBlank("line")
	if err := form.Err(nil); err != nil {
		return line, accountID, err
	}
	if text == "" {
		return line, accountID, fault.Field("line", "is required")
	}
	line, err = transfer.ReadLine([]byte(text))
	return line, route.PathID(c, "account_id"), err
}

// wireRestored is a file that was restored. Created is false if the account had it already.
type wireRestored struct {
	Type    string `json:"type"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Created bool   `json:"created"`
}

package companies

import (
	"maps"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/pages/frame"
)

// CreateOnPage creates a company from the form of a page of the console and waits for its analysis, as CreateByAI does.
// The account is in.AccountID, whatever the form says. Files may be sent as "file", more than once, as well as "file_0"
// to "file_9". The errors are those of CreateByAI.
func (h *Handlers) CreateOnPage(c *gin.Context, caller account.Caller, in frame.Creation) (aicreation.Created, error) {
	shape := h.creationForm()
	shape.Names, shape.Browser, shape.Repeated = append(shape.Names, in.Fields...), true, frame.RepeatedField
	next := 0
	shape.FileAt = func(name string) (int, bool) {
		if name == "file" {
			next++
			return next - 1, true
		}
		return filePosition(name)
	}
	shape.Prepare = func(fields map[string]string) {
		in.Prepare(fields)
		fields["account_id"] = in.AccountID.String()
	}
	draft, err := h.receive(c, caller, shape)
	if err != nil {
		return aicreation.Created{}, err
	}
	return h.createAndWait(c, caller, draft)
}

// AttachOnPage adds an attachment from the form of a page of the console, as Attach does. Empty fields count as not
// sent. The errors are those of Attach.
func (h *Handlers) AttachOnPage(c *gin.Context, caller account.Caller, companyID uuid.UUID) error {
	shape := h.attachmentForm()
	shape.Browser, shape.Repeated, shape.Prepare = true, frame.RepeatedField, func(fields map[string]string) {
		maps.DeleteFunc(fields, func(_, sent string) bool { return sent == "" })
	}
	in, leave, err := h.receiveAttachment(c, caller, companyID, shape)
	if err != nil {
		return err
	}
	defer leave()
	_, err = h.Attachments.Attach(c.Request.Context(), caller.UserID, in)
	return err
}

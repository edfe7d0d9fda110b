package companies

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// wireField is the definition of a field that an account has added to its companies.
type wireField struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	FieldType string    `json:"field_type"`
	Options   []string  `json:"options"`
	Required  bool      `json:"required"`
	Order     int       `json:"order"`
}

func showField(f pipeline.FieldSetting) wireField {
	options := f.Options
	if options == nil {
		options = []string{}
	}
	return wireField{
		ID: f.ID, Name: f.Name, FieldType: f.FieldType, Options: options, Required: f.Required, Order: f.Position,
	}
}

// ListFields answers with a page of the definitions of the fields that an account adds to its companies, in their
// order. The errors are those of the query (see request.Query) and of pipeline.Service.Fields.
func (h *Handlers) ListFields(c *gin.Context, who *postgres.Identity) error {
	return respond.List(h.Reader, c, who, "account_id", "fields", h.Pipelines.Fields, showField)
}

// CreateField adds a field to an account and answers with it. The error is Conflict if the account has a field of this
// name, and otherwise that of the body (see request.Object) or of pipeline.Service.CreateField.
func (h *Handlers) CreateField(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	in := pipeline.NewField{
		Name: body.RequiredText("name"), FieldType: body.RequiredText("field_type"), Options: body.Texts("options"),
	}
	if required := body.Boolean("required"); required != nil {
		in.Required = *required
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return respond.Made(c, caller, "field", h.Pipelines.CreateField, in, showField)
}

// ChangeField changes the properties of a field that the body has, and answers with the field. No member may be null.
// The errors are those of the body (see request.Object) and of pipeline.Service.ChangeField.
func (h *Handlers) ChangeField(c *gin.Context, caller account.Caller) error {
	body, err := h.Reader.Object(c.Request)
	if err != nil {
		return err
	}
	body.NotNull("name", "field_type", "options", "required", "order")
	in := pipeline.FieldChange{
		Name: body.Text("name"), FieldType: body.Text("field_type"), Required: body.Boolean("required"),
		Position: body.Integer("order"),
	}
	if options := body.Texts("options"); options != nil {
		in.Options = &options
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return respond.Record(c, caller, "id", "field", respond.With(h.Pipelines.ChangeField, in), showField)
}

// DeleteField deletes a field of an account. Companies keep the values that they have under its name. The errors are
// those of pipeline.Service.DeleteField.
func (h *Handlers) DeleteField(c *gin.Context, caller account.Caller) error {
	return respond.Removed(c, caller, "id", "Field deleted", h.Pipelines.DeleteField)
}

package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/pipeline"
)

// wireField is the setting of a field that an account keeps of its companies.
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

func (a *API) listFields(c *gin.Context) error {
	return answerList(a, c, "account_id", "fields", a.Pipelines.Fields, showField)
}

func (a *API) createField(c *gin.Context) error {
	body, err := a.readObject(c)
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
	return answerMade(a, c, "field", a.Pipelines.CreateField, in, showField)
}

func (a *API) changeField(c *gin.Context) error {
	body, err := a.readObject(c)
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
	return answerRecord(a, c, recordOf{"id", "field"}, with(a.Pipelines.ChangeField, in), showField)
}

func (a *API) deleteField(c *gin.Context) error {
	accountID, id, err := recordIDs(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Pipelines.DeleteField(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Field deleted"})
}

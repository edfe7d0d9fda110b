package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
)

// createCompany makes a company as it was sent, without an analysis.
func (a *API) createCompany(c *gin.Context) error {
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	in := company.NewCompany{Change: companyChange(body), SourceContent: body.Text("source_content")}
	for _, name := range []string{"account_id", "name"} {
		body.RequiredText(name)
	}
	if id := body.ID("account_id"); id != nil {
		in.AccountID = *id
	}
	if err := body.Err(in.Check); err != nil {
		return err
	}
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (company.View, error) {
		return a.Companies.Create(ctx, identityOf(c), in)
	}, func(made company.View) any { return gin.H{"company": showCompany(made)} })
}

// changeCompany changes only what the body names; null clears what may be empty.
func (a *API) changeCompany(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	withURL := params.Boolean("include_download_url")
	if err := params.Err(); err != nil {
		return err
	}
	body, err := a.readObject(c)
	if err != nil {
		return err
	}
	body.NotNull("name", "visibility", "source", "metadata", "assignees")
	change := companyChange(body)
	if err := body.Err(change.Check); err != nil {
		return err
	}
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	view, err := a.Companies.Update(c.Request.Context(), identityOf(c), id, change)
	if err != nil {
		return err
	}
	var url *string
	if withURL {
		url = a.deckURL(view, a.urlExpiry())
	}
	return a.okThing(c, "company", showCompany(view), beside{"pdf_download_url", url})
}

// companyChange reads the members that creating and changing share; what they may hold is for the domain to say.
func companyChange(body *request.Object) company.Change {
	change := company.Change{
		Name: body.Text("name"), Visibility: body.Text("visibility"), Source: body.Text("source"),
		Assignees: body.IDs("assignees"),
		Notes:     nullable(body, "notes", body.Text),
		DeckLink:  nullable(body, "deck_link", body.Text),
		StatusID:  nullable(body, "company_status_id", body.ID),
	}
	if metadata, sent := body.Value("metadata"); sent {
		change.Metadata = metadata
	}
	return change
}

func (a *API) deleteCompany(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Companies.Delete(c.Request.Context(), caller.UserID, id); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Company deleted"})
}

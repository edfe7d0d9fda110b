package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/company"
)

// createCompany makes a company as it was sent, without an analysis.
func (a *API) createCompany(c *gin.Context) error {
	body, err := a.readObject(c.Request)
	if err != nil {
		return err
	}
	in := company.NewCompany{Change: companyChange(body), SourceContent: body.text("source_content")}
	for _, name := range []string{"account_id", "name"} {
		body.requiredText(name)
	}
	if id := body.id("account_id"); id != nil {
		in.AccountID = *id
	}
	if err := body.err(in.Check); err != nil {
		return err
	}
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (company.View, error) {
		return a.Companies.Create(ctx, identityOf(c), in)
	}, func(made company.View) any { return gin.H{"company": showCompany(made)} })
}

// changeCompany changes only what the body names; null clears what may be empty.
func (a *API) changeCompany(c *gin.Context) error {
	params := queryOf(c)
	withURL := params.boolean("include_download_url")
	if err := params.err(); err != nil {
		return err
	}
	body, err := a.readObject(c.Request)
	if err != nil {
		return err
	}
	body.notNull("name", "visibility", "source", "metadata", "assignees")
	change := companyChange(body)
	if err := body.err(change.Check); err != nil {
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
func companyChange(body *object) company.Change {
	change := company.Change{
		Name: body.text("name"), Visibility: body.text("visibility"), Source: body.text("source"), Assignees: body.ids("assignees"),
		Notes:    nullable(body, "notes", body.text),
		DeckLink: nullable(body, "deck_link", body.text),
		StatusID: nullable(body, "company_status_id", body.id),
	}
	if metadata, sent := body.value("metadata"); sent {
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

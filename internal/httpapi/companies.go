package httpapi

import (
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
)

// downloadExpiry is how long a signed deck URL holds where nothing else was asked for.
const downloadExpiry = time.Hour

// noStatus is the status filter for companies without a status.
const noStatus = "no_status"

// wireListed is a company in a list.
type wireListed struct {
	ID              *uuid.UUID      `json:"id"` // null in a dry run
	AccountID       uuid.UUID       `json:"account_id"`
	CreatedAt       *string         `json:"created_at"`
	UpdatedAt       *string         `json:"updated_at"`
	Name            string          `json:"name"`
	DeckLink        *string         `json:"deck_link"`
	Visibility      string          `json:"visibility"`
	Source          string          `json:"source"`
	Notes           *string         `json:"notes"`
	CompanyStatusID *uuid.UUID      `json:"company_status_id"`
	CompanyStatus   *wireStage      `json:"company_status"`
	Metadata        json.RawMessage `json:"metadata"`
	Assignees       []wirePerson    `json:"assignees"`
	CreatedBy       uuid.UUID       `json:"created_by"`
	UpdatedBy       uuid.UUID       `json:"updated_by"`
}

// wireListedWithURL is a company in a list that was asked to include download URLs.
type wireListedWithURL struct {
	wireListed

	PDFDownloadURL *string `json:"pdf_download_url"`
}

// wireCompany is a company by itself.
type wireCompany struct {
	wireListed

	DeckStoragePath    *string `json:"deck_storage_path"`
	SourceContent      *string `json:"source_content"`
	MetadataSearchText string  `json:"metadata_search_text"`
}

// wirePerson is an assignee; the id is the user's.
type wirePerson struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	PictureURL *string   `json:"picture_url"`
}

func (a *API) listCompanies(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	q := listQuery(params)
	page := params.Page(a.Secrets)
	q.Page = page.Page
	q.Decks = params.Boolean("include_download_urls")
	if err := params.Err(); err != nil {
		return err
	}
	views, next, err := a.Companies.List(c.Request.Context(), identityOf(c), q)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{
		"companies":  a.showList(views, q.Decks),
		"pagination": page.Pagination(next),
	})
}

func listQuery(params *request.Query) company.ListQuery {
	q := company.ListQuery{
		AccountID: params.ID("account_id"), Search: params.Words("search"),
		Sort:       params.Choice("sort_by", company.SortCreated, company.SortCreated, company.SortUpdated, company.SortName),
		Ascending:  params.Choice("sort_order", "desc", "asc", "desc") == "asc",
		Visibility: params.Choice("visibility", "", company.Visibilities()...),
		Source:     params.Choice("source", "", company.Sources()...),

		UpdatedSince: params.UpdatedSince(),
	}
	if status, _ := params.Text("company_status_id"); status == noStatus {
		q.NoStatus = true
	} else {
		q.StatusID = params.ID("company_status_id")
	}
	return q
}

func (a *API) getCompany(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	withURL := params.Boolean("include_download_url")
	if err := params.Err(); err != nil {
		return err
	}
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	get := a.Companies.Get
	if withURL {
		get = a.Companies.GetWithDeck
	}
	view, err := get(c.Request.Context(), identityOf(c), id)
	if err != nil {
		return err
	}
	var url *string
	if withURL {
		url = a.deckURL(view, a.urlExpiry())
	}
	return a.okThing(c, "company", showCompany(view), beside{"pdf_download_url", url})
}

// downloadDeck answers with a URL that needs no key.
func (a *API) downloadDeck(c *gin.Context) error {
	params := request.ReadQuery(c.Request)
	expires := a.expiry(params)
	if err := params.Err(); err != nil {
		return err
	}
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	view, err := a.Companies.GetWithDeck(c.Request.Context(), identityOf(c), id)
	if err != nil {
		return err
	}
	url := a.deckURL(view, expires)
	if url == nil {
		return noDeck()
	}
	return a.ok(c, gin.H{"download_url": *url, "expires_at": wire.Time(expires)})
}

// urlStep is how long URLs stay the same, so that an answer that holds one can be found unchanged.
const urlStep = 15 * time.Minute

// urlExpiry returns until when a URL holds for which nothing else was asked: at least for downloadExpiry.
func (a *API) urlExpiry() time.Time { return a.Now().Add(downloadExpiry + urlStep).Truncate(urlStep) }

// expiry gives until when a URL is to hold, cut as the signature does, so that what is told is what holds.
func (a *API) expiry(params *request.Query) time.Time {
	minutes := params.Integer("expires_in", int(downloadExpiry/time.Minute), 1, 24*60)
	return a.Now().Add(time.Duration(minutes) * time.Minute).Truncate(time.Second)
}

// deckURL signs a URL for the stored deck; nil where there is none.
func (a *API) deckURL(v company.View, expires time.Time) *string {
	if v.Deck == nil {
		return nil
	}
	return a.fileURL(*v.Deck, expires)
}

// fileURL signs a URL for a stored file; nil for a link.
func (a *API) fileURL(file company.File, expires time.Time) *string {
	if file.StoragePath == nil {
		return nil
	}
	name := file.Title
	if file.OriginalFilename != nil {
		name = *file.OriginalFilename
	}
	url := a.Signer.URL(*file.StoragePath, name, expires)
	return &url
}

func (a *API) showList(views []company.View, withURLs bool) []any {
	listed := make([]any, len(views))
	for i, v := range views {
		one := showListed(v)
		one.Metadata = wire.WithoutContacts(one.Metadata)
		listed[i] = one
		if withURLs {
			listed[i] = wireListedWithURL{wireListed: one, PDFDownloadURL: a.deckURL(v, a.urlExpiry())}
		}
	}
	return listed
}

func showCompany(v company.View) wireCompany {
	return wireCompany{
		wireListed: showListed(v), DeckStoragePath: v.DeckStoragePath, SourceContent: v.SourceContent,
		MetadataSearchText: wire.SearchText(v.Metadata),
	}
}

func showListed(v company.View) wireListed {
	one := wireListed{
		ID: wire.IDOrNull(v.ID), AccountID: v.AccountID, CreatedAt: wire.Time(v.CreatedAt),
		UpdatedAt: wire.Time(v.UpdatedAt), Name: v.Name,
		DeckLink: v.DeckLink, Visibility: v.Visibility, Source: v.Source, Notes: v.Notes, CompanyStatusID: v.CompanyStatusID,
		Metadata: v.Metadata, Assignees: make([]wirePerson, len(v.Assignees)), CreatedBy: v.CreatedBy, UpdatedBy: v.UpdatedBy,
	}
	if v.Status != nil {
		stage := showStage(*v.Status)
		one.CompanyStatus = &stage
	}
	for i, person := range v.Assignees {
		one.Assignees[i] = showPerson(person)
	}
	return one
}

func showPerson(u account.User) wirePerson {
	return wirePerson{ID: u.ID, Name: u.Name, Email: u.Email, PictureURL: u.PictureURL}
}

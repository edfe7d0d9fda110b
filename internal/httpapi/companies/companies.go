// Package companies answers the requests for companies: AI creation, attachments, shares, merges, sources, and what an
// analysis found. It also answers those for the statuses, fields and saved views of an account.
package companies

import (
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/sources"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
	"dealflow/internal/wakeup"
	"dealflow/internal/work"
)

// Handlers answer the requests for companies, and for the statuses, fields and saved views of an account.
type Handlers struct {
	Companies   *company.Service
	Creations   *aicreation.Service
	Attachments *attachment.Service
	Sources     *sources.Service
	Merges      *merge.Service
	Pipelines   *pipeline.Service
	SavedViews  *savedview.Service
	Files       *files.Handlers
	Reader      request.Reader
	Admission   *limits.Admission
	Hub         *wakeup.Hub
	Load        *work.Load // how long analyses wait; nil: not known
	Stopping    respond.Stopping
	Now         func() time.Time

	AnalysisWait time.Duration
	MaxFileSize  int64 // bytes of one uploaded file
}

// noStatus is the status filter for companies without a status.
const noStatus = "no_status"

// wireListed is a company in a list, and the part of a single company that lists show too.
type wireListed struct {
	wirePlain

	ID              *uuid.UUID      `json:"id"` // null in a dry run
	AccountID       uuid.UUID       `json:"account_id"`
	CreatedAt       *string         `json:"created_at"`
	UpdatedAt       *string         `json:"updated_at"`
	Name            string          `json:"name"`
	Visibility      string          `json:"visibility"`
	Source          string          `json:"source"`
	CompanyStatusID *uuid.UUID      `json:"company_status_id"`
	CompanyStatus   *wireStage      `json:"company_status"`
	Metadata        json.RawMessage `json:"metadata"`
	Assignees       []wirePerson    `json:"assignees"`
	CreatedBy       uuid.UUID       `json:"created_by"`
	UpdatedBy       uuid.UUID       `json:"updated_by"`
}

// wirePlain are the fields of a company that are plain texts.
type wirePlain struct {
	DeckLink *string `json:"deck_link"`
	Notes    *string `json:"notes"`
}

// wireListedWithURL is a company in a list for which the client requested download URLs.
type wireListedWithURL struct {
	wireListed

	PDFDownloadURL *string `json:"pdf_download_url"`
}

// wireCompany is a single company as it is sent, with the members that lists leave out.
type wireCompany struct {
	wireListed

	DeckStoragePath    *string `json:"deck_storage_path"`
	SourceContent      *string `json:"source_content"`
	MetadataSearchText string  `json:"metadata_search_text"`
}

// wirePerson is an assignee, or a person with whom a company is shared; the id is the user's.
type wirePerson struct {
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	PictureURL *string   `json:"picture_url"`
}

// List answers with a page of the companies that the caller sees, without the contacts in their metadata. By default
// these are of all the caller's accounts, the last created one first; see listQuery for the filters. With the parameter
// include_download_urls each has a signed URL of its deck. The errors are those of the query (see request.Query) and of
// company.Service.List.
func (h *Handlers) List(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	q := listQuery(params)
	page := params.Page(h.Reader.CursorKeys)
	q.Decks = params.Boolean("include_download_urls")
	if err := params.Err(); err != nil {
		return err
	}
	list := func(part paging.Page) ([]company.View, *paging.Position, error) {
		q.Page = part
		return h.Companies.List(c.Request.Context(), who, q)
	}
	return respond.Paged(c, "companies", page.Page, list, h.inList(q.Decks),
		func(next *paging.Position) any { return page.Pagination(next) })
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

// Get answers with a company that the caller sees. With the parameter include_download_url the answer has a signed URL
// of the deck. The errors are those of the query (see request.Query) and of company.Service.Get.
func (h *Handlers) Get(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	withURL := params.Boolean("include_download_url")
	if err := params.Err(); err != nil {
		return err
	}
	get := h.Companies.Get
	if withURL {
		get = h.Companies.GetWithDeck
	}
	view, err := get(c.Request.Context(), who, route.PathID(c, "id"))
	if err != nil {
		return err
	}
	var url *string
	if withURL {
		url = h.deckURL(view, h.Files.StepExpiry())
	}
	return respond.Thing(c, "company", showCompany(view), respond.Beside{Name: "pdf_download_url", Value: url})
}

// inList returns a function that shows a company in a list, without the contacts in its metadata. With withURLs it adds
// the signed URL of the deck; the company must have been read with its deck then.
func (h *Handlers) inList(withURLs bool) func(company.View) any {
	return func(v company.View) any {
		one := showListed(v)
		one.Metadata = wire.WithoutContacts(one.Metadata)
		if withURLs {
			return wireListedWithURL{wireListed: one, PDFDownloadURL: h.deckURL(v, h.Files.StepExpiry())}
		}
		return one
	}
}

// Version returns the version, for its ETag, of a company, which must be a company.View.
func (h *Handlers) Version(current any) (string, error) { return respond.Version(current, showCompany) }

func showCompany(v company.View) wireCompany {
	return wireCompany{
		wireListed: showListed(v), DeckStoragePath: v.DeckStoragePath, SourceContent: v.SourceContent,
		MetadataSearchText: wire.SearchText(v.Metadata),
	}
}

func showListed(v company.View) wireListed {
	one := wireListed{
		wirePlain: wirePlain(v.Fields), ID: wire.IDOrNull(v.ID), AccountID: v.AccountID,
		CreatedAt: wire.Time(v.CreatedAt), UpdatedAt: wire.Time(v.UpdatedAt), Name: v.Name,
		Visibility: v.Visibility, Source: v.Source, CompanyStatusID: v.CompanyStatusID,
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

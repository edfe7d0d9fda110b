package companies

import (
	"time"

	"github.com/gin-gonic/gin"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// DownloadDeck answers with a signed URL of a company's stored deck; opening the URL needs no key. The parameter
// expires_in is read by files.Handlers.Expiry. The error is NotFound with the code no_deck if the company has no stored
// deck, and otherwise that of the query (see request.Query) or of company.Service.GetWithDeck.
func (h *Handlers) DownloadDeck(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	expires := h.Files.Expiry(params)
	if err := params.Err(); err != nil {
		return err
	}
	id := route.PathID(c, "id")
	view, err := h.Companies.GetWithDeck(c.Request.Context(), who, id)
	if err != nil {
		return err
	}
	url := h.deckURL(view, expires)
	if url == nil {
		return fault.New(fault.NotFound, "no_deck",
			fault.Detail{Field: "id", Message: "this company has no stored deck"})
	}
	return respond.OK(c, gin.H{"download_url": *url, "expires_at": wire.Time(expires)})
}

// deckURL returns a signed URL of the stored deck, valid until expires; nil if there is none or v was read without its
// deck.
func (h *Handlers) deckURL(v company.View, expires time.Time) *string {
	if v.Deck == nil {
		return nil
	}
	return h.Files.URL(*v.Deck, expires)
}

package sharing

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/share"
)

// Slide answers with the picture of a page of a deck that a link shares, with the visitor's address on it if the link
// requires a watermark. The error is NotFound if the path has no valid company and page, and otherwise that of
// requireOpen, visitor.Service.Deck, slides.Slides.Page or, with a watermark, slides.Slides.Marked.
func (h *Handlers) Slide(c *gin.Context) error {
	link, address, err := h.requireOpen(c)
	if err != nil {
		return err
	}
	company, malformed := uuid.Parse(c.Param("company"))
	page, wrong := strconv.Atoi(c.Param("page"))
	if malformed != nil || wrong != nil {
		return fault.NewNotFound()
	}
	ctx := c.Request.Context()
	deck, watermark, err := h.Visitors.Deck(ctx, link, company)
	if err != nil {
		return err
	}
	keep := func() {
		c.Header("Cache-Control", "private, max-age=3600")
		c.Header("X-Robots-Tag", "noindex, nofollow")
	}
	if watermark {
		marked, err := h.Slides.Marked(ctx, *deck.StoragePath, page, address)
		if err == nil {
			keep()
			c.Data(http.StatusOK, "image/jpeg", marked)
		}
		return err
	}
	picture, err := h.Slides.Page(ctx, *deck.StoragePath, page)
	if err != nil {
		return err
	}
	defer picture.Close()
	keep()
	c.Header("Content-Type", picture.MediaType)
	http.ServeContent(c.Writer, c.Request, "", time.Time{}, picture)
	return nil
}

// CountTime adds the times for which a visitor looked at pages of a deck. The page sends them now and then, and does
// not read the answer, so malformed times are ignored. The error is NotFound for a malformed id of the visit, and
// otherwise that of readForm, requireOpen or visitor.Service.Spend, which ignores an unknown visit.
func (h *Handlers) CountTime(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	link, _, err := h.requireOpen(c)
	if err != nil {
		return err
	}
	visit, err := uuid.Parse(form.Get("visit"))
	if err != nil {
		return fault.NewNotFound()
	}
	var times []share.PageTime
	for _, sent := range form["time"] {
		if one, ok := pageTime(sent); ok {
			times = append(times, one)
		}
	}
	if err := h.Visitors.Spend(c.Request.Context(), link, visit, times); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

// pageTime parses "<company id>.<page>.<milliseconds>". The page and the time may be any 32-bit integers, also negative
// ones. It reports false for any other text.
func pageTime(sent string) (share.PageTime, bool) {
	parts := strings.Split(sent, ".")
	if len(parts) != 3 {
		return share.PageTime{}, false
	}
	company, malformed := uuid.Parse(parts[0])
	page, err := strconv.ParseInt(parts[1], 10, 32)
	spent, wrong := strconv.ParseInt(parts[2], 10, 32)
	return share.PageTime{CompanyID: company, Page: int(page), Milliseconds: spent}, malformed == nil && err == nil &&
		wrong == nil
}

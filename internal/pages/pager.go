package pages

import (
	"net/http"
	"strconv"

	"dealflow/internal/postgres"
)

// pager leads from page to page of a list.
type pager struct {
	Number int
	Before string // the page before; "" for none
	After  string // the page after; "" for none
}

// pageOf returns which page of a list a request asks for, and the pager that leads to others once end has closed it.
func pageOf(r *http.Request, size int) (postgres.Page, pager) {
	shown := pager{Number: 1}
	if number, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && number > 1 && number < 1_000_000 {
		shown.Number = number
		shown.Before = pageURL(r.URL, number-1)
	}
	return postgres.Page{Number: shown.Number, Limit: size}, shown
}

// end notes whether another page follows.
func (p *pager) end(r *http.Request, next *postgres.Place) {
	if next != nil {
		p.After = pageURL(r.URL, p.Number+1)
	}
}

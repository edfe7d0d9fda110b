package frame

import (
	"net/http"
	"net/url"
	"strconv"

	"dealflow/internal/postgres/paging"
)

// Pager has the addresses of the pages of a list before and after the present one.
type Pager struct {
	Number int
	Before string // the page before; "" for none
	After  string // the page after; "" for none
}

// PageOf returns the page of a list that a request selects, with size rows, and its pager. It is the first page unless
// the parameter "page" is a number from 2 to 999,999. The caller must call End of the pager after reading the list.
func PageOf(r *http.Request, size int) (paging.Page, Pager) {
	shown := Pager{Number: 1}
	if number, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && number > 1 && number < 1_000_000 {
		shown.Number = number
		shown.Before = pageURL(r.URL, number-1)
	}
	return paging.Page{Number: shown.Number, Limit: size}, shown
}

// End sets After if another page follows.
func (p *Pager) End(r *http.Request, more bool) {
	if more {
		p.After = pageURL(r.URL, p.Number+1)
	}
}

func pageURL(at *url.URL, page int) string {
	query := at.Query()
	query.Set("page", strconv.Itoa(page))
	return at.Path + "?" + query.Encode()
}

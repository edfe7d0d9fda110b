package frame

import (
	"html/template"
	"io"
	"net/http"

	"dealflow/internal/account"
	"dealflow/internal/transfer"
)

// Page has the data of a page: what its own template shows, and what the layout shows around it.
type Page struct {
	Title    string
	Section  string // of the navigation; "" for none
	User     account.User
	Accounts []account.Joined
	Account  account.Joined
	Base     string // of the account's pages; "" for none
	Admin    bool
	Model    any // what the template of the page shows
}

// framed has the data of the template of the layout: a page, and the HTML that the page's own templates returned.
type framed struct {
	Page

	Head, Main template.HTML
}

// Show responds with the page of this name. For the page "board" it executes the template "main of board" and, if there
// is one, "head of board", whose result is added to the head of the HTML document. With the status 503 it also sends
// Retry-After. If a template fails, or there is no such page, Show sends nothing and returns the error.
func (s *Server) Show(w http.ResponseWriter, status int, name string, page Page) error {
	around := framed{Page: page}
	var err error
	if head := "head of " + name; s.options.Files.Has(head) {
		if around.Head, err = s.options.Files.Fill(head, page); err != nil {
			return err
		}
	}
	if around.Main, err = s.options.Files.Fill("main of "+name, page); err != nil {
		return err
	}
	body, err := s.options.Files.Fill("layout", around)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "2") // seconds, as of the API
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, string(body)) // the client has gone
	return nil
}

// BeginCSV begins a response with a CSV file of this name. The rows are sent as they are flushed.
func BeginCSV(w http.ResponseWriter, name string) *transfer.CSV {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("X-Accel-Buffering", "no") // a proxy would hold back data that comes slowly
	return transfer.NewMarkedCSV(w)
}

// ShowPart responds with the template part, without the layout, for a script that inserts it into a page. If the
// template fails, ShowPart sends nothing and returns the error.
func (s *Server) ShowPart(w http.ResponseWriter, part string, model any) error {
	body, err := s.options.Files.Fill(part, model)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, string(body)) // the client has gone
	return nil
}

package frame

import (
	"html/template"
	"io"
	"log/slog"
	"net/http"

	"dealflow/internal/account"
)

// Page is what the layout shows of a page, and around it.
type Page struct {
	Title    string
	Section  string // of the navigation; "" for none
	User     account.User
	Accounts []account.Joined
	Account  account.Joined
	Base     string // of the account's pages
	Admin    bool
	Model    any // what the template of the page shows
}

// framed is what the layout shows: a page, and the parts of it that its own templates make.
type framed struct {
	Page

	Head, Main template.HTML
}

// Show responds with the page of this name. The page "board" is the template "main of board"; if there is a template
// "head of board", it adds to the page's head. If a template fails, or there is no such page, nothing is sent, and the
// error is returned.
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
	w.WriteHeader(status)
	_, _ = io.WriteString(w, string(body)) // the client has gone
	return nil
}

// ShowPart responds with a part of a page alone, for a script that inserts it. part is the name of a template.
func (s *Server) ShowPart(w http.ResponseWriter, part string, model any) error {
	body, err := s.options.Files.Fill(part, model)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, string(body)) // the client has gone
	return nil
}

// Notice is a page that says why there is nothing to see, and what to do.
type Notice struct{ Title, Text string }

// ShowNotice responds with a notice, also to somebody who is not signed in.
func (s *Server) ShowNotice(w http.ResponseWriter, status int, notice Notice) error {
	return s.Show(w, status, "notice", Page{Title: notice.Title, Model: notice})
}

// fail responds with a page about an error. The cause is only logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	if v := VisitorOf(r); v.Failed != nil {
		status = v.Failed(err)
	}
	s.Refuse(w, r, status, err)
}

// Refuse responds with a page about a refusal, with this status.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	protect(w.Header())
	if failed := s.ShowNotice(w, status, noticeOf(status, err)); failed != nil {
		s.options.Logger.WarnContext(r.Context(), "the notice could not be sent", slog.Any("error", failed))
	}
}

func noticeOf(status int, err error) Notice {
	switch status {
	case http.StatusNotFound, http.StatusForbidden:
		return Notice{
			"There is nothing here",
			"The page does not exist, or it is not for you. Check the address, or ask whoever sent it to you.",
		}
	case http.StatusTooManyRequests:
		return Notice{"Too many requests", "Please wait a minute, then try again."}
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return Notice{"That did not work", details(err)}
	}
	return Notice{
		"Something went wrong",
		"Please try again in a moment. If it stays so, tell your operator the time at which it happened.",
	}
}

package frame

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"

	"dealflow/internal/account"
)

// shapes are the templates of the pages by their name, each with the layout around it.
type shapes map[string]*template.Template

func readShapes(files fs.FS, assets *assets) (shapes, error) {
	layout, err := template.New("").Funcs(functions(assets)).ParseFS(files,
		"templates/layout.html", "templates/parts.html", "templates/editors.html", "templates/settings.html",
		"templates/views.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := shapes{}
	for _, name := range names {
		own, err := layout.Clone()
		if err != nil {
			return nil, err
		}
		if all[strings.TrimSuffix(path.Base(name), ".html")], err = own.ParseFS(files, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

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

// Show responds with the page whose template has this name; it panics if there is none. If the template fails, nothing
// is sent, and the error is returned.
func (s *Server) Show(w http.ResponseWriter, status int, name string, page Page) error {
	var body bytes.Buffer
	if err := s.options.Files.shapes[name].ExecuteTemplate(&body, "layout", page); err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client has gone
	return nil
}

// ShowPart responds with a part of a page alone, for a script that inserts it. page and part are the names of
// templates; ShowPart panics if there is no such page.
func (s *Server) ShowPart(w http.ResponseWriter, page, part string, model any) error {
	var body bytes.Buffer
	if err := s.options.Files.shapes[page].ExecuteTemplate(&body, part, model); err != nil {
		return fmt.Errorf("make the part %s of the page %s: %w", part, page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // the client has gone
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

package pages

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"

	"dealflow/internal/account"
	"dealflow/internal/fault"
)

//go:embed templates
var templateFiles embed.FS

// shapes are the templates by the name of their page, each with the layout around it.
type shapes map[string]*template.Template

func readShapes(files *assets) (shapes, error) {
	layout, err := template.New("").Funcs(functions(files)).ParseFS(templateFiles,
		"templates/layout.html", "templates/parts.html", "templates/editors.html", "templates/settings.html",
		"templates/views.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := shapes{}
	for _, name := range names {
		own, err := layout.Clone()
		if err != nil {
			return nil, err
		}
		if all[strings.TrimSuffix(path.Base(name), ".html")], err = own.ParseFS(templateFiles, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// frame is what the layout shows around a page.
type frame struct {
	Title    string
	Section  string // of the navigation; "" for none
	User     account.User
	Accounts []account.Joined
	Account  account.Joined
	Base     string // of the account's pages
	Admin    bool
	Model    any // of the page
}

// show answers with a page.
func (p *Pages) show(w http.ResponseWriter, status int, page string, f frame) error {
	var body bytes.Buffer
	if err := p.shapes[page].ExecuteTemplate(&body, "layout", f); err != nil {
		return fmt.Errorf("make the page %s: %w", page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client has gone
	return nil
}

// showPart answers with a part of a page by itself, for a script that puts it into the page.
func (p *Pages) showPart(w http.ResponseWriter, page, part string, model any) error {
	var body bytes.Buffer
	if err := p.shapes[page].ExecuteTemplate(&body, part, model); err != nil {
		return fmt.Errorf("make the part %s of the page %s: %w", part, page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body.Bytes()) // the client has gone
	return nil
}

// frame returns the frame of a page of this scene.
func (s *scene) frame(title, section string, model any) frame {
	f := frame{
		Title: title, Section: section, User: s.user, Accounts: s.accounts, Account: s.account, Admin: s.isAdmin(),
		Model: model,
	}
	if s.account.Role != "" {
		f.Base = s.base()
	}
	return f
}

// base returns where the pages of the account begin.
func (s *scene) base() string { return AppPath + "/" + s.account.ID.String() }

// notice is a page that says why there is nothing to see, and what to do.
type notice struct{ Title, Text string }

// fail answers an error with a page. The cause goes to the log alone.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	if v := visitorOf(r); v.Failed != nil {
		status = v.Failed(err)
	}
	p.Refuse(w, r, status, err)
}

// Refuse answers a refusal with this status as a page.
func (p *Pages) Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	protect(w.Header())
	told := noticeOf(status, err)
	if failed := p.show(w, status, "notice", frame{Title: told.Title, Model: told}); failed != nil {
		p.deps.Logger.WarnContext(r.Context(), "the notice could not be sent", slog.Any("error", failed))
	}
}

func noticeOf(status int, err error) notice {
	switch status {
	case http.StatusNotFound, http.StatusForbidden:
		return notice{
			"There is nothing here",
			"The page does not exist, or it is not for you. Check the address, or ask whoever sent it to you.",
		}
	case http.StatusTooManyRequests:
		return notice{"Too many requests", "Please wait a minute, then try again."}
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return notice{"That did not work", details(err)}
	}
	return notice{
		"Something went wrong",
		"Please try again in a moment. If it stays so, tell your operator the time at which it happened.",
	}
}

// details returns what a refusal says of each field, as sentences.
func details(err error) string {
	refusal, found := errors.AsType[*fault.Error](err)
	if !found || len(refusal.Details) == 0 {
		return "The browser sent something that this page does not understand. Please go back and try again."
	}
	var sentences []string
	for _, detail := range refusal.Details {
		sentences = append(sentences, strings.ReplaceAll(detail.Field, "_", " ")+" "+detail.Message+".")
	}
	return strings.Join(sentences, " ")
}

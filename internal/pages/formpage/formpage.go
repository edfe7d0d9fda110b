// Package formpage serves pages with forms, such as those of settings. The forms redirect back to their page, which
// then shows the result.
package formpage

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
	"dealflow/internal/seal"
)

// Pages adds pages with forms to a server.
type Pages struct {
	now      func() time.Time
	sealed   *seal.Box // what is shown once
	isSecure bool      // the service is reached by https
}

// New returns the Pages of a server. The first of the secrets encrypts the values that pages show once, and all of them
// decrypt. The error is about secrets that are missing or unusable.
func New(on *frame.Server, secrets [][]byte, now func() time.Time) (*Pages, error) {
	sealed, err := seal.New(secrets, flashPurpose)
	if err != nil {
		return nil, err
	}
	return &Pages{now: now, sealed: sealed, isSecure: strings.HasPrefix(on.Address(""), "https://")}, nil
}

// Page is a page and its forms. Each form redirects back to the page, which shows the result.
type Page struct {
	pages   *Pages
	serve   func(pattern string, h frame.Handler)
	pattern string // of the path
	show    Show
	done    map[string]string // by the name of a form: what the page says after the form has done its work
}

// Show responds with a page, and with the outcome of a form, which is zero if there is none to show. The status of the
// response must be that of the outcome's method Status. If Show returns an error, it must have written nothing.
type Show func(w http.ResponseWriter, r *http.Request, s *frame.Scene, o Outcome) error

// Action carries out a form. It returns a value that the page shows once (a Once, Codes or signin.NewFactor), an
// Elsewhere to redirect to another page, or nil to show only the sentence of the form. If it returns an error, shown is
// ignored.
type Action func(r *http.Request, s *frame.Scene, form url.Values) (shown any, err error)

// WithID returns an Action that calls do with the id in the path segment name. The error is NotFound if the segment is
// not an id.
func WithID(name string, do func(r *http.Request, s *frame.Scene, id uuid.UUID, form url.Values) (any, error)) Action {
	return func(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
		id, err := frame.PathID(r, name)
		if err != nil {
			return nil, err
		}
		return do(r, s, id, form)
	}
}

// Outcome is the result of a form, as its page shows it. It is zero if no form was sent and nothing is to be shown
// once.
type Outcome struct {
	Said  string     // what was done; "" if nothing was
	Wrong string     // why a form was refused; "" if none was
	Sent  url.Values // by the refused form
	Shown any        // what the page shows only this once; nil for nothing

	status int // 0: 200
}

// Status returns the HTTP status of the response with the page.
func (o Outcome) Status() int {
	if o.status == 0 {
		return http.StatusOK
	}
	return o.status
}

// Refuse records why a form was refused, as a sentence for people, and the HTTP status of the response.
func (o *Outcome) Refuse(wrong string, status int) { o.Wrong, o.status = wrong, status }

// Once is a text that a page shows only once, such as a new secret.
type Once struct {
	Title, Text string
	Lines       []string
	Values      []frame.Choice
}

// ShortName returns a name, shortened to about 60 characters so that a Once fits into a cookie.
func ShortName(name string) string { return render.Excerpt(name, 60) }

// Once returns a copy of the Once that the page shows, or nil if it shows none.
func (o Outcome) Once() *Once {
	if shown, is := o.Shown.(Once); is {
		return &shown
	}
	return nil
}

// Elsewhere is the address to which a form redirects in place of its page.
type Elsewhere string

// Add serves GET requests for pattern by show, and returns the Page, to which forms can be added. serve registers a
// handler and decides who may use it; it is a method such as frame.Server.Member.
func (ps *Pages) Add(serve func(string, frame.Handler), pattern string, show Show) *Page {
	p := &Page{pages: ps, serve: serve, pattern: pattern, show: show, done: map[string]string{}}
	serve("GET "+pattern, func(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
		return show(w, r, s, Outcome{Said: p.done[r.URL.Query().Get("done")], Shown: ps.keptForPage(w, r, s)})
	})
	return p
}

// Form serves the form whose path is that of the page followed by below, such as "/add". If do succeeds, the browser is
// redirected to the page, which shows the sentence done and what do returned, or to the Elsewhere that do returned; a
// Once is shown without the sentence. If do fails for a reason that people can correct (see frame.Sentence), the
// response is the page with the reason and the form that was sent. For other errors, it is the page about the error.
func (p *Page) Form(below, done string, do Action) {
	name := path.Base(below)
	p.Say(name, done)
	p.serve("POST "+p.pattern+below, func(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
		form, err := frame.FormOf(w, r)
		if err != nil {
			return err
		}
		shown, err := do(r, s, form)
		if wrong, mendable := frame.Sentence(err); mendable {
			return p.show(w, r, s, Outcome{Wrong: wrong, Sent: form, status: s.Failed(err)})
		}
		if err != nil {
			return err
		}
		return p.end(w, r, s, name, shown)
	})
}

// Say makes the page show the sentence done when its query is "done=" and name, as after a form whose path ends in
// name. It must not be called once the page is served.
func (p *Page) Say(name, done string) { p.done[name] = done }

// end redirects to the page of a form, or to the Elsewhere that the form's Action returned as shown. If shown does not
// fit into a cookie, end responds with the page itself. The page shows the sentence of the form, but not with a Once,
// which says itself what was done.
func (p *Page) end(w http.ResponseWriter, r *http.Request, s *frame.Scene, name string, shown any) error {
	at := p.address(r)
	to := at + "?done=" + name
	switch it := shown.(type) {
	case nil:
	case Elsewhere:
		to = string(it)
	default:
		if _, speaks := shown.(Once); speaks { // a Once says itself what was done
			name, to = "", at
		}
		if !p.pages.keepForPage(w, s, at, shown) {
			return p.show(w, r, s, Outcome{Said: p.done[name], Shown: shown})
		}
	}
	return frame.Redirect(w, r, to)
}

// address returns the path of the page for a request for one of its forms: as many segments of the request's path as
// the page's pattern has.
func (p *Page) address(r *http.Request) string {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	return strings.Join(parts[:strings.Count(p.pattern, "/")+1], "/")
}

// Tabs are links to pages that belong together. Label is the name of all of them, for people who do not see the page.
type Tabs struct {
	Label string
	Tabs  []Tab
}

// Tab is a link to a page. Here is true for the page that is shown.
type Tab struct {
	Label, URL string
	Here       bool
}

// TabsOf returns links to the pages in all, and marks the one whose URL is here. It changes the elements of all and
// keeps the slice.
func TabsOf(label, here string, all []Tab) Tabs {
	for i := range all {
		all[i].Here = all[i].URL == here
	}
	return Tabs{Label: label, Tabs: all}
}

// UnlessGone returns nil if err is NotFound, and otherwise err. It is for the deletion of something that may be deleted
// already.
func UnlessGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

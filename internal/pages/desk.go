package pages

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// desk is a page of settings and its forms. Each form leads back to the page, which says what became of it.
type desk struct {
	pages   *Pages
	serve   func(pattern string, h sceneHandler)
	pattern string // of the path
	show    deskHandler
	done    map[string]string // what is said once the form with this name has done its work
}

// deskHandler shows the page of a desk.
type deskHandler func(w http.ResponseWriter, r *http.Request, s *scene, o outcome) error

// deed does what a form asks for. What it returns is shown once on the page, such as a new secret, or is elsewhere; nil
// leads back to the page.
type deed func(r *http.Request, s *scene, form url.Values) (shown any, err error)

// outcome is what became of a form.
type outcome struct {
	Said  string     // what was done; "" for nothing
	Wrong string     // why nothing was; "" where something was
	Sent  url.Values // by the form that was refused
	Shown any        // this once

	status int // 0: 200
}

// Status returns the status to answer with.
func (o outcome) Status() int {
	if o.status == 0 {
		return http.StatusOK
	}
	return o.status
}

// once is what is shown this once.
type once struct {
	Title, Text string
	Lines       []string
	Values      []choice
}

// shownName is how many characters of a name are shown with what is shown once.
const shownName = 60

// once returns what is to be shown once; nil for nothing.
func (o outcome) once() *once {
	if shown, is := o.Shown.(once); is {
		return &shown
	}
	return nil
}

// elsewhere is where a form leads that does not lead back to its page.
type elsewhere string

// newDesk serves a page of settings to those whom serve lets in.
func (p *Pages) newDesk(serve func(string, sceneHandler), pattern string, show deskHandler) *desk {
	d := &desk{pages: p, serve: serve, pattern: pattern, show: show, done: map[string]string{}}
	serve("GET "+pattern, func(w http.ResponseWriter, r *http.Request, s *scene) error {
		return show(w, r, s, outcome{Said: d.done[r.URL.Query().Get("done")], Shown: p.keptForPage(w, r, s)})
	})
	return d
}

// form serves a form of the desk; below is its path there.
func (d *desk) form(below, done string, do deed) {
	name := path.Base(below)
	d.done[name] = done
	d.serve("POST "+d.pattern+below, func(w http.ResponseWriter, r *http.Request, s *scene) error {
		form, err := formOf(w, r)
		if err != nil {
			return err
		}
		shown, err := do(r, s, form)
		if wrong, mendable := sentence(err); mendable {
			return d.show(w, r, s, outcome{Wrong: wrong, Sent: form, status: s.Failed(err)})
		}
		if err != nil {
			return err
		}
		return d.end(w, r, s, name, shown)
	})
}

// end answers a form that did its work.
func (d *desk) end(w http.ResponseWriter, r *http.Request, s *scene, name string, shown any) error {
	at := d.address(r)
	to := at + "?done=" + name
	switch it := shown.(type) {
	case nil:
	case elsewhere:
		to = string(it)
	default:
		if _, speaks := shown.(once); speaks { // it says itself what was done
			name, to = "", at
		}
		if !d.pages.keepForPage(w, s, at, shown) {
			return d.show(w, r, s, outcome{Said: d.done[name], Shown: shown})
		}
	}
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // G710: a path of ours, which matched a pattern
	return nil
}

// address returns where the page of the desk is: with the ids of a request for one of its forms.
func (d *desk) address(r *http.Request) string {
	parts := strings.Split(r.URL.EscapedPath(), "/")
	return strings.Join(parts[:strings.Count(d.pattern, "/")+1], "/")
}

// sentence returns what people read of a refusal that they can mend by sending the form again.
func sentence(err error) (wrong string, mendable bool) {
	switch fault.KindOf(err) {
	case fault.Unauthenticated:
		return "That is not your password.", true
	case fault.InvalidBody, fault.InvalidQuery, fault.Conflict:
	case fault.Internal, fault.Forbidden, fault.NotFound, fault.NotAllowed, fault.TooSlow, fault.Gone, fault.Changed,
		fault.TooLarge, fault.UnsupportedType, fault.RateLimited, fault.Unavailable:
		return "", false
	}
	refusal, found := errors.AsType[*fault.Error](err)
	return capitalized(details(err)), found && len(refusal.Details) > 0
}

// capitalized returns a text that begins with a capital letter.
func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// tabs lead to the pages beside one.
type tabs struct {
	Label string
	Tabs  []tab
}

// tab leads to a page.
type tab struct {
	Label, URL string
	Here       bool
}

// tabsOf returns the tabs as the page at this address shows them.
func tabsOf(label, here string, all []tab) tabs {
	for i := range all {
		all[i].Here = all[i].URL == here
	}
	return tabs{Label: label, Tabs: all}
}

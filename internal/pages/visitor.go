package pages

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/fault"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
)

// Visitor is what the door for HTTP knows of who asks for a page, and what it does for the page. The door has counted
// the request, and refused one that a page of another site made a browser send.
type Visitor struct {
	Who    *postgres.Identity // nil: nobody is signed in
	Caller account.Caller
	Guard  account.Guard            // of guesses at passwords
	Enter  func(account.Entry)      // makes the browser keep a session that begins
	Leave  func()                   // makes the browser forget its session
	Failed func(error) (status int) // notes an error, and returns the status to answer it with

	CountMail func() error // that somebody asks for, who need not be known; refuses one too many

	// reads the form of the request, creates a company of it and waits for its analysis
	Take func(Creation) (aicreation.Created, error)
	// reads the form of the request and attaches its file or its link
	Attach func(companyID uuid.UUID) error
	Import func(accountID uuid.UUID) (imports.Import, error) // reads the form of the request, and imports its file
	Still  func() bool                                       // whether the session goes on
}

type contextKey struct{}

// With returns a context that carries the visitor to the pages.
func With(ctx context.Context, v Visitor) context.Context {
	return context.WithValue(ctx, contextKey{}, v)
}

func visitorOf(r *http.Request) Visitor {
	v, _ := r.Context().Value(contextKey{}).(Visitor)
	return v
}

// scene is one request for a page of somebody who is signed in.
type scene struct {
	Visitor

	user     account.User
	accounts []account.Joined
	account  account.Joined // the one in the path; zero for a page of no account
}

// isAdmin reports whether the visitor may change the settings of the account.
func (s *scene) isAdmin() bool {
	return s.account.Role == account.RoleOwner || s.account.Role == account.RoleAdmin
}

// handler answers a request for a page, or says why it cannot.
type handler func(w http.ResponseWriter, r *http.Request) error

// sceneHandler is a handler for who is signed in.
type sceneHandler func(w http.ResponseWriter, r *http.Request, s *scene) error

// open serves a page for everybody.
func (p *Pages) open(pattern string, h handler) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			p.fail(w, r, err)
		}
	})
}

// user serves a page for who is signed in. Anybody else is sent to sign in, and comes back.
func (p *Pages) user(pattern string, h sceneHandler) {
	p.open(pattern, func(w http.ResponseWriter, r *http.Request) error {
		v := visitorOf(r)
		if v.Who == nil {
			http.Redirect(w, r, signInURL(r), http.StatusSeeOther)
			return nil
		}
		s, err := p.sceneOf(r.Context(), v)
		if err != nil {
			return err
		}
		return h(w, r, s)
	})
}

// member serves a page of the account in the path to its members.
func (p *Pages) member(pattern string, h sceneHandler) {
	p.user(pattern, func(w http.ResponseWriter, r *http.Request, s *scene) error {
		id, err := pathID(r, "account")
		if err != nil {
			return err
		}
		for _, joined := range s.accounts {
			if joined.ID == id {
				s.account = joined
				return h(w, r, s)
			}
		}
		return notFound()
	})
}

func (p *Pages) sceneOf(ctx context.Context, v Visitor) (*scene, error) {
	self, err := p.deps.Accounts.Self(ctx, v.Who)
	return &scene{Visitor: v, user: self.User, accounts: self.Accounts}, err
}

// pathID returns the id in a segment of the path: NotFound for what is none.
func pathID(r *http.Request, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(r.PathValue(name))
	if err != nil {
		return uuid.Nil, notFound()
	}
	return id, nil
}

func notFound() error { return fault.New(fault.NotFound, "unknown_path") }

package frame

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
)

// Visitor has what the HTTP layer knows about the sender of a request for a page, and functions that it provides to the
// page. The HTTP layer has already counted the request, and has refused it if a page of another site sent it. On the
// page of operators only Failed is set.
type Visitor struct {
	Who    *postgres.Identity // nil: nobody is signed in
	Caller account.Caller
	Guard  signin.Guard             // of guesses at passwords
	Enter  func(signin.Entry)       // makes the browser keep a session that begins
	Leave  func()                   // makes the browser forget its session
	Failed func(error) (status int) // notes an error, and returns the status to answer it with

	CountMail func() error // counts a mail that anybody may ask for; RateLimited if there were too many

	// reads the form of the request, creates a company from it and waits for its analysis
	Take func(Creation) (aicreation.Created, error)
	// reads the form of the request and attaches its file or its link
	Attach func(companyID uuid.UUID) error
	Import func(accountID uuid.UUID) (imports.Import, error) // reads the form of the request, and imports its file
	Still  func() bool                                       // reports whether the session is still valid
}

type contextKey struct{}

// With returns a context that carries the visitor to the pages; see VisitorOf.
func With(ctx context.Context, v Visitor) context.Context {
	return context.WithValue(ctx, contextKey{}, v)
}

// VisitorOf returns the visitor in the context of a request, or the zero Visitor if there is none.
func VisitorOf(r *http.Request) Visitor {
	v, _ := r.Context().Value(contextKey{}).(Visitor)
	return v
}

// RepeatedField separates the values of a field that a form has more than once.
const RepeatedField = "\x1f"

// Creation describes a form that creates a company.
type Creation struct {
	AccountID uuid.UUID
	Fields    []string                       // fields of the form that an AI creation does not have
	Prepare   func(fields map[string]string) // changes the fields that were sent to those of an AI creation
}

// Scene is one request for a page, by somebody who is signed in.
type Scene struct {
	Visitor

	User     account.User
	Accounts []account.Joined
	Account  account.Joined // the one in the path; zero for a page of no account
}

// IsAdmin reports whether the visitor may change the settings of the account.
func (s *Scene) IsAdmin() bool {
	return s.Account.Role == account.RoleOwner || s.Account.Role == account.RoleAdmin
}

// Base returns the path of the account, with which the paths of its pages begin.
func (s *Scene) Base() string { return AppPath + "/" + s.Account.ID.String() }

// Page returns a page of this scene, with the data that the layout shows around it.
func (s *Scene) Page(title, section string, model any) Page {
	p := Page{
		Title: title, Section: section, User: s.User, Accounts: s.Accounts, Account: s.Account, Admin: s.IsAdmin(),
		Model: model,
	}
	if s.Account.Role != "" {
		p.Base = s.Base()
	}
	return p
}

// Handler responds to a request for a page by a user who is signed in. If it returns an error, it must have written
// nothing.
type Handler func(w http.ResponseWriter, r *http.Request, s *Scene) error

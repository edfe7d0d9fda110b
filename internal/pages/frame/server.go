// Package frame has what the pages of the console share: who the visitor is, the layout around a page, parsing of
// forms, and pages about errors. It does not depend on any page.
package frame

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"dealflow/internal/account"
	"dealflow/internal/pages/render"
	"dealflow/internal/postgres/paging"
)

// Paths of pages. The paths of an account's pages are below AppPath.
const (
	RootPath    = "/"
	AppPath     = "/app"
	SignInPath  = "/signin"
	SignOutPath = "/signout"
	AssetsPath  = render.AssetsPath
	ForgotPath  = "/forgot"       // on which people who have forgotten their password ask for a mail
	SystemPath  = "/admin/system" // the page of operators; package operations lets nobody else pass
)

// The beginnings of the paths of links that are mailed or passed on by people; the token is the last segment.
const (
	VerifyPath      = "/verify"
	ResetPath       = "/reset"
	InvitationsPath = "/invitations"
)

// NoStatus means "without a status". Addresses and forms have it in place of the id of a status.
const NoStatus = "no_status"

// teamSize is how many members a page offers to choose from.
const teamSize = 200

// Options configure a Server. All but Stopping are required.
type Options struct {
	Accounts  *account.Service
	Files     *render.Files
	Stopping  <-chan struct{} // closed when the process is to stop; nil: never
	PublicURL string          // without a slash at the end
	Logger    *slog.Logger
}

// Server serves the pages that are added to it. Each request must carry a Visitor; see With. It is safe for concurrent
// use once all pages were added.
type Server struct {
	options Options
	mux     *http.ServeMux
}

// New returns a server that serves the assets and no pages.
func New(options Options) *Server {
	s := &Server{options: options, mux: http.NewServeMux()}
	s.mux.Handle("GET "+AssetsPath+"/{name}", options.Files.Assets())
	return s
}

// ServeHTTP responds to a request for a page or an asset. For an unknown path, and for a method that the path does not
// have, it responds with the page for NotFound.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, AssetsPath+"/") {
		protect(w.Header())
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		s.fail(w, r, NotFound())
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Team returns the first teamSize members of the account, for pages that offer members to choose from. The errors are
// those of account.Service.Team.
func (s *Server) Team(ctx context.Context, scene *Scene) ([]account.Member, error) {
	found, err := s.options.Accounts.Team(ctx, scene.Who, scene.Account.ID, paging.First(teamSize))
	return found.Members, err
}

// AssetURL returns the path of an asset of the pages, with its hash as the query. It does not check that there is such
// an asset.
func (s *Server) AssetURL(name string) string { return s.options.Files.AssetURL(name) }

// Address returns the absolute URL of a path, which must begin with a slash.
func (s *Server) Address(path string) string { return s.options.PublicURL + path }

// Open serves a page to anybody, signed in or not. pattern is one of http.ServeMux, such as "GET /signin". If h returns
// an error, Open responds with a page about the error; h must then have written nothing.
func (s *Server) Open(pattern string, h func(w http.ResponseWriter, r *http.Request) error) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

// User serves a page to users who are signed in. It redirects anybody else to the page for signing in, which redirects
// back to the page if the request was a GET. The Accounts of the Scene are at most account.Most.
func (s *Server) User(pattern string, h Handler) {
	s.Open(pattern, func(w http.ResponseWriter, r *http.Request) error {
		v := VisitorOf(r)
		if v.Who == nil {
			return Redirect(w, r, signInURL(r))
		}
		self, err := s.options.Accounts.Self(r.Context(), v.Who)
		if err != nil {
			return err
		}
		return h(w, r, &Scene{Visitor: v, User: self.User, Accounts: self.Accounts})
	})
}

// Member serves a page of the account in the path, {account}, to its members. It responds to other users as if there
// were no such page, and redirects visitors who are not signed in, as User does. Of the accounts of a user, only the
// first account.Most are served.
func (s *Server) Member(pattern string, h Handler) {
	s.User(pattern, func(w http.ResponseWriter, r *http.Request, scene *Scene) error {
		id, err := PathID(r, "account")
		if err != nil {
			return err
		}
		for _, joined := range scene.Accounts {
			if joined.ID == id {
				scene.Account = joined
				return h(w, r, scene)
			}
		}
		return NotFound()
	})
}

// signInURL returns the address of the page for signing in. For a GET, other than of AppPath, the address has the
// parameter "next", so that signing in redirects to the page that was requested.
func signInURL(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == AppPath {
		return SignInPath
	}
	return SignInPath + "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

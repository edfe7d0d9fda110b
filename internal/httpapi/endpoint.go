package httpapi

import (
	"context"
	"net/http"

	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/request"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
)

// Access says who may use a route. The gate counts and refuses requests by it. Whether a caller belongs to the
// account, or sees the company, is proven by the domain and by row-level security.
type Access int

// Who may use a route.
const (
	probe     Access = iota // everybody, not limited: what watches the process must always be answered
	open                    // everybody, limited by address
	hook                    // who knows the token in the path, limited by it
	entrance                // everybody, limited by address, but no page of another site
	visitors                // everybody, as whom their session says; limited by it or by address; a POST not by a page of another site
	monitor                 // the operator, by their credentials, not limited
	operators               // the operator, by their credentials; limited by address
	users                   // who has a key or a session; limited by it, as are those below
	members                 // members of the account in the path
	admins                  // admins and owners of the account in the path
	viewers                 // members who see the company in the path
)

// String returns the name that the constant has here.
func (a Access) String() string {
	return []string{"probe", "open", "hook", "entrance", "visitors", "monitor", "operators", "users", "members", "admins", "viewers"}[a]
}

// byKey reports whether a key or a session is required.
func (a Access) byKey() bool { return a >= users }

// unlimited reports whether requests are not counted.
func (a Access) unlimited() bool { return a == probe || a == monitor }

// endpoint is a row of the table of routes.
type endpoint struct {
	method  string // "" for every method
	path    string
	access  Access
	scope   string // what a key needs
	handle  handler
	tagged  bool // PATCH or DELETE of a thing whose GET has an ETag
	isHot   bool // the handler's first trip to the database proves the caller
	repeats repeats
}

// repeats says whether an Idempotency-Key counts, and what becomes of a request that is sent again with it.
type repeats struct {
	replay.Policy

	keyed bool
}

func get(path string, who Access, scope string, h handler) endpoint {
	return endpoint{method: http.MethodGet, path: path, access: who, scope: scope, handle: h}
}

// post returns a route whose requests may be sent again with an Idempotency-Key.
func post(path string, who Access, scope string, h handler) endpoint {
	return endpoint{method: http.MethodPost, path: path, access: who, scope: scope, handle: h, repeats: repeats{keyed: true}}
}

func patch(path string, who Access, scope string, h handler) endpoint {
	return endpoint{method: http.MethodPatch, path: path, access: who, scope: scope, handle: h}
}

func remove(path string, who Access, scope string, h handler) endpoint {
	return endpoint{method: http.MethodDelete, path: path, access: who, scope: scope, handle: h}
}

func anyMethod(path string, who Access, scope string, h handler) endpoint {
	return endpoint{path: path, access: who, scope: scope, handle: h}
}

// hot marks a handler whose first trip to the database proves the caller.
func (e endpoint) hot() endpoint {
	e.isHot = true
	return e
}

// ofTagged marks a change of a thing whose GET has an ETag: the domain hands it to the check of If-Match.
func (e endpoint) ofTagged() endpoint {
	e.tagged = true
	return e
}

// unkeyed marks a POST to which an Idempotency-Key means nothing.
func (e endpoint) unkeyed() endpoint {
	e.repeats.keyed = false
	return e
}

// recalled marks a POST that can be answered anew where the process that did it was lost.
func (e endpoint) recalled(again replay.Recall) endpoint {
	e.repeats.Recall = again
	return e
}

// streamed is recalled for a body that is too long to be known before something is done with it.
func (e endpoint) streamed(again replay.Recall) endpoint {
	e.repeats.Streamed = true
	return e.recalled(again)
}

// bodiless marks a POST whose handler reads no body.
func (e endpoint) bodiless() endpoint {
	e.repeats.Bodiless = true
	return e
}

// hiding names the members of data that are shown once: a repeat has null for them.
func (e endpoint) hiding(secrets ...string) endpoint {
	e.repeats.Secrets = secrets
	return e
}

// routeKey finds an endpoint by what the router says of a request.
type routeKey struct{ method, path string }

// route serves the table.
func (a *API) route() {
	if a.Traced != "" {
		a.engine.Use(otelgin.Middleware(a.Traced, otelgin.WithFilter(isTraced)))
	}
	a.engine.Use(a.identifyRequest, a.observe, a.recoverPanic, a.watchBody, a.setSecurityHeaders, a.gate)
	a.engine.NoRoute(a.handle(a.proven(a.noRoute)))
	a.engine.NoMethod(a.handle(a.proven(a.noMethod)))
	for _, e := range a.table() {
		a.serve(e)
	}
}

// serve registers one route, under HEAD too where it answers GET: the server leaves the body out.
func (a *API) serve(e endpoint) {
	methods := []string{e.method}
	switch e.method {
	case http.MethodGet:
		methods = append(methods, http.MethodHead)
	case "":
		methods = allMethods()
	}
	h := e.handle
	switch {
	case e.repeats.keyed:
		h = a.once(e)
	case e.method == http.MethodPatch || e.method == http.MethodDelete:
		h = a.ifMatch(e)
	}
	if !e.isHot {
		h = a.proven(h)
	}
	for _, method := range methods {
		a.endpoints[routeKey{method, e.path}] = e
		a.engine.Handle(method, e.path, a.handle(h))
	}
}

func allMethods() []string {
	return []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
		http.MethodConnect, http.MethodTrace,
	}
}

// endpointOf returns the route of a request. Authentication comes before routing, so a path of the interface that no
// route has is for users, and so is a method that its path lacks, but for what is open to everybody.
func (a *API) endpointOf(c *gin.Context) endpoint {
	e, found := a.endpoints[routeKey{c.Request.Method, c.FullPath()}]
	if found {
		return e
	}
	path := c.Request.URL.Path
	if same := a.endpoints[routeKey{http.MethodGet, path}]; same.path != "" && same.access == open || !isBelow(path, base) {
		return endpoint{access: open}
	}
	return endpoint{access: users}
}

// Route is a row of the table of routes, as tests read it.
type Route struct {
	Method, Path string // the path is a template, such as "/api/v1/companies/:id"
	Access       Access
	Scope        string   // what a key needs; "" where the route takes none
	Keyed        bool     // an Idempotency-Key counts
	Secrets      []string // members of data that are shown once
	Tagged       bool     // If-Match is compared with the ETag of the thing
}

// Routes returns every route that is served, in no particular order.
func (a *API) Routes() []Route {
	var routes []Route
	for key, e := range a.endpoints {
		routes = append(routes, Route{
			Method: key.method, Path: key.path, Access: e.access, Scope: e.scope, Keyed: e.repeats.keyed, Secrets: e.repeats.Secrets, Tagged: e.tagged,
		})
	}
	return routes
}

// watchBody holds clients to the limits of bodies, while the handler reads and after that.
func (a *API) watchBody(c *gin.Context) {
	body := request.WatchBody(c.Writer, c.Request, a.Bodies)
	if body == nil {
		return
	}
	defer body.End()
	defer context.AfterFunc(a.CutOff, body.Stop)()
	c.Next()
}

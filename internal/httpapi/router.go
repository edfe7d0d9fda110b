package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
)

// routeKey is the method and the path template, such as "/api/v1/companies/:id", of an endpoint.
type routeKey struct{ method, path string }

// route adds the functions that handle every request, and every route of the table, to the router.
func (a *API) route() {
	if a.Traced != "" {
		a.engine.Use(otelgin.Middleware(a.Traced, otelgin.WithFilter(isTraced)), tracePath)
	}
	a.engine.Use(a.findEndpoint, a.identifyRequest, a.observe, a.recoverPanic, a.watchBody, a.setSecurityHeaders, a.gate)
	a.engine.NoRoute(a.handle(a.identities.Proven(noRoute)))
	a.engine.NoMethod(a.handle(a.identities.Proven(noMethod)))
	for _, e := range a.table() {
		a.serve(e)
	}
}

// serve registers one route under its method; if that is GET, under HEAD too, since net/http then leaves the body out;
// if that is "", under all methods. It adds to the handler what the route needs: the check of If-Match, the replay of
// an Idempotency-Key, and the check of the caller's key or session.
func (a *API) serve(e route.Endpoint) {
	methods := []string{e.Method}
	switch e.Method {
	case http.MethodGet:
		methods = append(methods, http.MethodHead)
	case "":
		methods = allMethods()
	}
	h := e.Handle
	if e.Version != nil || e.Method == http.MethodPatch || e.Method == http.MethodDelete {
		h = respond.IfMatch(e)
	}
	if e.Keyed {
		keyed := e
		keyed.Handle = h
		h = a.once(keyed)
	}
	if !e.Hot {
		h = a.identities.Proven(h)
	}
	for _, method := range methods {
		a.endpoints[routeKey{method, e.Path}] = &e
		a.engine.Handle(method, e.Path, a.handle(h))
	}
}

func allMethods() []string {
	return []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions,
		http.MethodConnect, http.MethodTrace,
	}
}

// findEndpoint stores the route of a request in its context.
func (a *API) findEndpoint(c *gin.Context) { route.Set(c, a.endpointOf(c)) }

// endpointOf returns the route of a request. If the table has none, it returns a route that is open to everybody for a
// path outside base, and for a path of base whose GET is open to everybody. For any other path below base it returns a
// route for users, so that a caller must log in before they learn whether a path exists.
func (a *API) endpointOf(c *gin.Context) *route.Endpoint {
	e, found := a.endpoints[routeKey{c.Request.Method, c.FullPath()}]
	if found {
		return e
	}
	path := c.Request.URL.Path
	if same := a.endpoints[routeKey{http.MethodGet, path}]; same != nil && same.Access == route.Open ||
		!isBelow(path, base) {
		return &route.Endpoint{Access: route.Open}
	}
	return &route.Endpoint{Access: route.Users}
}

// isBelow reports whether path is root or below it.
func isBelow(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// noRoute returns NotFound, for a path that no route serves.
func noRoute(*gin.Context) error { return fault.New(fault.NotFound, "unknown_path") }

// isImportKind reports whether a request is a POST to a path that ends in "/imports/" and one more segment. If no route
// serves it, the segment is a kind of import that does not exist: the router takes it for the id of an import, and no
// route accepts a POST to the path of an import.
func isImportKind(r *http.Request) bool {
	rest, found := strings.CutPrefix(r.URL.Path, base+"/accounts/")
	parts := strings.Split(rest, "/")
	return found && r.Method == http.MethodPost && len(parts) == 3 && parts[1] == "imports"
}

// noMethod returns NotAllowed for a method that the path does not have; gin has set Allow. It answers OPTIONS with
// Allow and no body. If the path is that of an import of a kind that does not exist, the error is NotFound, as for a
// path that no route serves.
func noMethod(c *gin.Context) error {
	if isImportKind(c.Request) {
		c.Writer.Header().Del("Allow")
		return fault.New(fault.NotFound, "unknown_path")
	}
	if c.Request.Method == http.MethodOptions {
		respond.Empty(c, http.StatusNoContent)
		return nil
	}
	return fault.New(fault.NotAllowed, "method_not_allowed")
}

// Route is a row of the table of routes, as tests read it.
type Route struct {
	Method, Path string // the path is a template, such as "/api/v1/companies/:id"
	Access       route.Access
	Scope        string   // the scope that a key needs; "": none
	Keyed        bool     // a request may be sent again with its Idempotency-Key
	Secrets      []string // members of data that cannot be read again
	Tagged       bool     // If-Match is compared with the ETag of the thing
}

// Routes returns every route that is served, once for each of its methods, in no particular order.
func (a *API) Routes() []Route {
	var routes []Route
	for key, e := range a.endpoints {
		routes = append(routes, Route{
			Method: key.method, Path: key.path, Access: e.Access, Scope: e.Scope, Keyed: e.Keyed, Secrets: e.Repeats.Secrets,
			Tagged: e.Version != nil,
		})
	}
	return routes
}

// watchBody applies the limits on slow bodies while the handler reads the body, and sets a deadline for the part that
// the handler has not read. When CutOff ends, it refuses the rest of the body.
func (a *API) watchBody(c *gin.Context) {
	body := request.WatchBody(c.Writer, c.Request, a.Bodies)
	if body == nil {
		return
	}
	defer body.End()
	defer context.AfterFunc(a.CutOff, body.Stop)()
	c.Next()
}

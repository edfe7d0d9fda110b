// Package route defines the rows of the table of routes, and stores in the context of a request its route, who sent it
// and its id.
package route

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/postgres"
)

// Handler answers a request, or returns the reason why it cannot. Package httpapi writes the error as the response.
type Handler = func(*gin.Context) error

// handler is a function that a route can have: a Handler; a function of the caller, whose key or session is checked
// before the function runs; or a function of an identity. For the last kind, the first query of the function checks the
// key or session, so that this costs no additional round trip to the database.
type handler interface {
	Handler | func(*gin.Context, account.Caller) error | func(*gin.Context, *postgres.Identity) error
}

// Endpoint is a row of the table of routes.
type Endpoint struct {
	Method  string // "" for every method
	Path    string
	Access  Access
	Scope   string // the scope that a key needs; "": none
	Handle  Handler
	Version Version // for a change of a thing whose GET has an ETag; else nil
	Hot     bool    // the handler's first query checks the key or session
	Keyed   bool    // a request may be sent again with its Idempotency-Key
	Repeats replay.Policy
}

// Version returns the version of a thing of the domain for the ETag of its GET. The error is about a thing of another
// type than the route has.
type Version func(current any) (string, error)

// Get returns a route that reads, for GET and HEAD. who says who may use it, and scope is the scope that a key needs,
// "" for none.
func Get[H handler](path string, who Access, scope string, h H) Endpoint {
	return endpoint(http.MethodGet, path, who, scope, h)
}

// Post returns a route whose requests may be sent again with an Idempotency-Key. who and scope are as for Get.
func Post[H handler](path string, who Access, scope string, h H) Endpoint {
	e := endpoint(http.MethodPost, path, who, scope, h)
	e.Keyed = true
	return e
}

// Patch returns a route that changes a thing. who and scope are as for Get.
func Patch[H handler](path string, who Access, scope string, h H) Endpoint {
	return endpoint(http.MethodPatch, path, who, scope, h)
}

// Delete returns a route that removes a thing. who and scope are as for Get.
func Delete[H handler](path string, who Access, scope string, h H) Endpoint {
	return endpoint(http.MethodDelete, path, who, scope, h)
}

// Any returns a route that serves every method. who and scope are as for Get.
func Any[H handler](path string, who Access, scope string, h H) Endpoint {
	return endpoint("", path, who, scope, h)
}

func endpoint[H handler](method, path string, who Access, scope string, h H) Endpoint {
	e := Endpoint{Method: method, Path: path, Access: who, Scope: scope}
	switch h := any(h).(type) {
	case Handler:
		e.Handle = h
	case func(*gin.Context, account.Caller) error:
		e.Handle = func(c *gin.Context) error {
			caller, _ := Caller(c)
			return h(c, caller)
		}
	case func(*gin.Context, *postgres.Identity) error:
		e.Hot = true
		e.Handle = func(c *gin.Context) error { return h(c, Identity(c)) }
	}
	return e
}

// Tagged returns a copy of the route that changes a thing whose GET has an ETag: the domain compares the thing's
// version, which is computed by version, with If-Match.
func (e Endpoint) Tagged(version Version) Endpoint {
	e.Version = version
	return e
}

// Unkeyed returns a copy of the route that ignores an Idempotency-Key.
func (e Endpoint) Unkeyed() Endpoint {
	e.Keyed = false
	return e
}

// Recalled returns a copy of the route that can answer a repeat even if the process that carried out the first request
// was lost: again then writes the answer.
func (e Endpoint) Recalled(again replay.Recall) Endpoint {
	e.Repeats.Recall = again
	return e
}

// Streamed is Recalled for a route that stores something before the body was read to its end, since the body may be
// long.
func (e Endpoint) Streamed(again replay.Recall) Endpoint {
	e.Repeats.Streamed = true
	return e.Recalled(again)
}

// Bodiless returns a copy of the route, whose handler reads no body.
func (e Endpoint) Bodiless() Endpoint {
	e.Repeats.Bodiless = true
	return e
}

// Hiding returns a copy of the route whose answer has secrets: a repeat has null for these members of data.
func (e Endpoint) Hiding(secrets ...string) Endpoint {
	e.Repeats.Secrets = secrets
	return e
}

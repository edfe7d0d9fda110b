// Package mcp lets agents use the API as tools.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"dealflow/client"
	"dealflow/internal/account"
	"dealflow/internal/agents"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/route"
)

// Path is the path of the tools for agents.
const Path = "/mcp"

// Handlers serve the tools for agents. They are safe for concurrent use.
type Handlers struct {
	tools     func() (http.Handler, error)
	publicURL string
}

// New returns handlers that serve tools to agents. The tools send requests to api, the handler of the API in this
// process, below the path base. Pages at publicURL may use the tools; see refuseForeignOrigin. version is that of this
// program. maxJSONSize is the limit, in bytes, of the body of an agent's request. The error is about a base that cannot
// be part of a URL.
func New(api http.Handler, base, publicURL, version string, maxJSONSize int64, log *slog.Logger) (*Handlers, error) {
	own, err := client.New("http://localhost"+base, "")
	if err != nil {
		return nil, err
	}
	// Describing the tools takes some milliseconds, which most processes never need.
	describe := sync.OnceValues(func() (http.Handler, error) {
		tools, err := agents.New(own.WithHTTPClient(&http.Client{Transport: inside{api}}), version, log)
		if err != nil {
			return nil, fmt.Errorf("describe the tools: %w", err)
		}
		return tools.Handler(maxJSONSize), nil
	})
	return &Handlers{tools: describe, publicURL: publicURL}, nil
}

// Serve lets an agent use the tools with its API key. The error is Unauthenticated for a caller who has a session and
// not a key, Forbidden for a page of another site, and Internal if a tool has no JSON schema. Every request that a tool
// sends to the API is authenticated, counted and logged like any other.
func (h *Handlers) Serve(c *gin.Context, caller account.Caller) error {
	if err := h.refuseForeignOrigin(c.Request); err != nil {
		return err
	}
	if !caller.ByKey() {
		return fault.New(fault.Unauthenticated, "missing_api_key")
	}
	tools, err := h.tools()
	if err != nil {
		return err
	}
	asked := asking{request: c.Request, id: route.RequestID(c)}
	tools.ServeHTTP(c.Writer, c.Request.WithContext(context.WithValue(c.Request.Context(), askingKey{}, asked)))
	return nil
}

// refuseForeignOrigin returns Forbidden for a request from a page of another site, as the protocol demands. Requests
// without an Origin pass. It compares Origin with the public URL and not with Host, so that it also refuses a site
// whose host name was made to resolve to this server.
func (h *Handlers) refuseForeignOrigin(r *http.Request) error {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	own, err := url.Parse(h.publicURL)
	if err == nil && len(origins) == 1 && own.Host != "" && strings.EqualFold(origins[0], own.Scheme+"://"+own.Host) {
		return nil
	}
	return fault.New(fault.Forbidden, "cross_origin").Because(err)
}

// asking is the request of an agent for which a tool calls the API.
type asking struct {
	request *http.Request
	id      string
}

type askingKey struct{}

// inside is an http.RoundTripper that calls the API of this process, as the agent that called the tool.
type inside struct{ api http.Handler }

// RoundTrip implements http.RoundTripper. The request gets the key, the address, the User-Agent and the request id of
// the agent's request, and is canceled together with it; the error is then that of the context. Otherwise the API
// handles it like any other. A request that no tool sends within Serve is refused with an error.
func (i inside) RoundTrip(sent *http.Request) (*http.Response, error) {
	asked, is := sent.Context().Value(askingKey{}).(asking)
	if !is {
		return nil, errors.New("nobody asked for this tool")
	}
	ctx, cancel := context.WithCancel(sent.Context())
	defer cancel()
	defer context.AfterFunc(asked.request.Context(), cancel)()
	inner := sent.Clone(ctx)
	inner.RemoteAddr, inner.Host, inner.RequestURI = asked.request.RemoteAddr, asked.request.Host, sent.URL.RequestURI()
	for _, name := range []string{"Authorization", "X-Forwarded-For", "User-Agent"} {
		inner.Header[name] = asked.request.Header.Values(name)
	}
	inner.Header.Set(route.RequestIDHeader, asked.id)
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	defer inner.Body.Close()
	answer := &keptAnswer{header: http.Header{}, status: http.StatusOK}
	answer.isList = sent.Method == http.MethodGet && sent.URL.Query().Has("limit")
	i.api.ServeHTTP(answer, inner)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: answer.status, Header: answer.header, Body: io.NopCloser(&answer.body.kept),
		ContentLength: int64(answer.body.kept.Len()),
		Proto:         "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: sent,
	}, nil
}

// keptAnswer is an http.ResponseWriter that stores the response. It shortens the texts in the response of a list.
type keptAnswer struct {
	header http.Header
	status int
	body   shortTexts
	isList bool
}

// Header implements http.ResponseWriter.
func (k *keptAnswer) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *keptAnswer) WriteHeader(status int) { k.status = status }

// Write implements http.ResponseWriter.
func (k *keptAnswer) Write(p []byte) (int, error) {
	if k.isList {
		return k.body.Write(p)
	}
	return k.body.kept.Write(p)
}

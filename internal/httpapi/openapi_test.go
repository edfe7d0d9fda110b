package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// checker checks requests and answers against the OpenAPI document.
type checker struct {
	router  routers.Router
	bodies  *bodyChecker
	options *openapi3filter.Options
}

// loadDocument reads and validates the document, examples included: once for all tests, which change nothing of it.
var loadDocument = sync.OnceValues(func() (*openapi3.T, error) {
	raw, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	document, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	allowOtherFields(document)
	return document, document.Validate(context.Background())
})

// allowOtherFields makes the schemas of forms allow other fields, as JSON Schema does by default. The library takes the
// default for a refusal; in the document itself, the keyword would make generators of clients take a form for a map.
func allowOtherFields(document *openapi3.T) {
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for media, content := range operation.RequestBody.Value.Content {
				other := &content.Schema.Value.AdditionalProperties
				if media == "multipart/form-data" && other.Has == nil && other.Schema == nil {
					other.Has = new(true)
				}
			}
		}
	}
}

// theChecker returns the checker of the process, which is made once: reading the document takes longer than most tests.
var theChecker = sync.OnceValues(func() (*checker, error) {
	document, err := loadDocument()
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		return nil, err
	}
	for _, media := range []string{
		"application/pdf", "application/zip", "image/png", "text/html", "application/x-ndjson", "application/mbox",
		"message/rfc822", "text/csv", "text/event-stream", "text/css", "text/javascript", "application/javascript",
	} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.FileBodyDecoder)
	}
	bodies, err := newBodyChecker(document)
	if err != nil {
		return nil, err
	}
	return &checker{router: router, bodies: bodies, options: &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	}}, nil
})

func newChecker(t *testing.T) *checker {
	t.Helper()
	made, err := theChecker()
	if err != nil {
		t.Fatalf("openapi.yaml: %v", err)
	}
	return made
}

// check fails the test where an answer is not as the document says, or where a request that was accepted is not.
func (k *checker) check(t *testing.T, sent *http.Request, body []byte, got reply) {
	t.Helper()
	route, input := k.find(t, sent, body, got)
	if route == nil {
		return
	}
	if got.Status < http.StatusBadRequest {
		if err := k.checkRequest(t.Context(), input, body); err != nil {
			t.Errorf("%s %s was accepted, and is not as documented: %v", sent.Method, sent.URL.Path, err)
		}
	}
	if err := k.checkAnswer(t.Context(), input, got); err != nil {
		t.Errorf("%s %s answered %d, not as documented: %v", sent.Method, sent.URL.Path, got.Status, err)
	}
}

// find looks the operation up. Refusals of what is no operation (unknown paths and methods) are documented in words.
func (k *checker) find(t *testing.T, sent *http.Request, body []byte, got reply) (*routers.Route,
	*openapi3filter.RequestValidationInput,
) {
	t.Helper()
	copied := sent.Clone(t.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	// A parameter of a path holds no slash, but the key of a stored file does.
	if key, isFile := strings.CutPrefix(sent.URL.EscapedPath(), "/files/"); isFile {
		copied.URL = &url.URL{Path: "/files/" + key, RawPath: "/files/" + url.PathEscape(key), RawQuery: sent.URL.RawQuery}
	}
	copied.URL.Host, copied.URL.Scheme = "", ""
	route, parameters, err := k.router.FindRoute(copied)
	if err != nil {
		if !isPage(sent.URL.Path) && got.Status < http.StatusBadRequest && sent.Method != http.MethodHead &&
			sent.Method != http.MethodOptions {
			t.Errorf("%s %s was answered with %d and is not documented: %v", sent.Method, sent.URL.Path, got.Status, err)
		}
		return nil, nil
	}
	return route, &openapi3filter.RequestValidationInput{
		Request: copied, PathParams: parameters, Route: route,
		Options: k.options,
	}
}

// isPage reports whether a path is of a page for people, or of the tools for agents, which describe themselves: both
// the document leaves out.
func isPage(path string) bool {
	for _, page := range []string{
		"/admin/queues/", "/admin/system", "/app", "/signin", "/signout", "/forgot", "/assets/",
		"/mcp",
	} {
		if strings.HasPrefix(path, page) {
			return true
		}
	}
	return path == "/" || strings.HasPrefix(path, "/s/") && strings.Count(path, "/") > 2 // what a shared page is made of
}

func TestEveryRouteIsDocumentedAndEveryDocumentedRouteServed(t *testing.T) {
	t.Parallel()
	document, err := loadDocument()
	must(t, err)
	documented := map[string]bool{}
	for path, item := range document.Paths.Map() {
		prefix := "/api/v1"
		if len(item.Servers) > 0 {
			prefix = ""
		}
		for method := range item.Operations() {
			documented[method+" "+prefix+path] = true
		}
	}
	parameter := regexp.MustCompile(`[:*](\w+)`)
	served := map[string]bool{}
	for _, route := range start(t).api.Routes() {
		name := route.Method + " " + parameter.ReplaceAllString(route.Path, "{$1}")
		if route.Method == http.MethodHead || isPage(route.Path) || strings.Contains(name, " /admin/queues") &&
			name != "GET /admin/queues" {
			// HEAD is served beside every GET; what lies below the dashboard's path is the dashboard's own; pages are no
			// interface
			continue
		}
		served[name] = true
		if !documented[name] {
			t.Errorf("%s is served and not documented", name)
		}
	}
	for name := range documented {
		if !served[name] {
			t.Errorf("%s is documented and not served", name)
		}
	}
}

// TestMembersThatAreShownOnceAreDocumented compares the secrets in the table of routes with the document.
func TestMembersThatAreShownOnceAreDocumented(t *testing.T) {
	t.Parallel()
	document, err := loadDocument()
	must(t, err)
	parameter := regexp.MustCompile(`:(\w+)`)
	for _, route := range start(t).api.Routes() {
		item := document.Paths.Value(parameter.ReplaceAllString(strings.TrimPrefix(route.Path, "/api/v1"), "{$1}"))
		if !route.Keyed || item == nil {
			continue
		}
		var documented []string
		for status, answer := range item.Post.Responses.Map() {
			if !strings.HasPrefix(status, "2") || answer.Value.Content["application/json"] == nil {
				continue
			}
			for name, member := range propertiesOf(answer.Value.Content["application/json"].Schema, "data") {
				if strings.Contains(member.Value.Description, "sent again with its `Idempotency-Key`") {
					documented = append(documented, name)
				}
			}
		}
		if !slices.Equal(documented, route.Secrets) {
			t.Errorf("%s shows %q once; the document says %q", route.Path, route.Secrets, documented)
		}
	}
}

// propertiesOf returns the properties of the member of an object's schema, also those of the schemas that its allOf
// combines.
func propertiesOf(schema *openapi3.SchemaRef, member string) openapi3.Schemas {
	found := openapi3.Schemas{}
	if data := schema.Value.Properties[member]; data != nil {
		maps.Copy(found, data.Value.Properties)
	}
	for _, part := range schema.Value.AllOf {
		maps.Copy(found, propertiesOf(part, member))
	}
	return found
}

func TestOpenAPIDocumentIsServedAsItIsWritten(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.get("/api/v1/openapi.json", "").want(http.StatusOK)
	if got.at("openapi") != "3.1.0" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("openapi %v as %s", got.at("openapi"), got.Header.Get("Content-Type"))
	}
	written, err := os.ReadFile("openapi.yaml") // which loadDocument validates
	must(t, err)
	if whole := asJSON(t, got.Raw); !bytes.Equal(whole, asJSON(t, written)) {
		t.Errorf("the %d bytes that are served are not what is written", len(whole))
	}
	if first := strings.Index(string(got.Raw), `"openapi"`); first != 1 {
		t.Error("the served document is not in the order of the written one")
	}
}

// asJSON returns a document in YAML or JSON as JSON in one order.
func asJSON(t *testing.T, document []byte) []byte {
	t.Helper()
	loaded, err := openapi3.NewLoader().LoadFromData(document)
	must(t, err)
	encoded, err := json.Marshal(loaded)
	must(t, err)
	return encoded
}

// TestEveryOperationHasExamples also proves that they fit, since loadDocument validates them.
func TestEveryOperationHasExamples(t *testing.T) {
	t.Parallel()
	document, err := loadDocument()
	must(t, err)
	has := func(content *openapi3.MediaType) bool { return content.Example != nil || len(content.Examples) > 0 }
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody != nil {
				for media, content := range operation.RequestBody.Value.Content {
					if !has(content) {
						t.Errorf("%s %s has no example of a request as %s", method, path, media)
					}
				}
			}
			for status, response := range operation.Responses.Map() {
				content := response.Value.Content["application/json"]
				if content != nil && !has(content) && path != "/openapi.json" {
					t.Errorf("%s %s has no example of the answer %s", method, path, status)
				}
			}
		}
	}
}

func TestExamplesThatDoNotFitAreFound(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("openapi.yaml")
	must(t, err)
	// validate looks at one path alone: the examples of all take a second.
	validate := func(raw []byte, path string) error {
		document, err := openapi3.NewLoader().LoadFromData(raw)
		must(t, err)
		document.Components = &openapi3.Components{SecuritySchemes: document.Components.SecuritySchemes}
		document.Paths = openapi3.NewPaths(openapi3.WithPath(path, document.Paths.Value(path)))
		return document.Validate(t.Context())
	}
	for name, change := range map[string]struct{ path, from, to string }{
		"answer":  {"/api-keys/{id}", `"message": "API key deleted"`, `"message": 7`},
		"request": {"/api-keys", "example: {name: Nightly import,", "example: {name: '',"},
	} {
		must(t, validate(raw, change.path))
		if validate(bytes.Replace(raw, []byte(change.from), []byte(change.to), 1), change.path) == nil {
			t.Errorf("%s: an example that does not fit is not found", name)
		}
	}
}

func TestDocumentHasNoMemberTwice(t *testing.T) {
	t.Parallel()
	got := start(t).get("/api/v1/openapi.json", "").want(http.StatusOK)
	decoder := json.NewDecoder(bytes.NewReader(got.Raw))
	if err := checkMembers(decoder); err != nil {
		t.Error(err)
	}
}

// checkMembers reads one JSON value and returns an error for an object that has a member twice.
func checkMembers(decoder *json.Decoder) error {
	token, err := decoder.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return err
	}
	seen := map[string]bool{}
	for decoder.More() {
		if token == json.Delim('{') {
			name, err := decoder.Token()
			if err != nil {
				return err
			}
			if seen[name.(string)] {
				return fmt.Errorf("at byte %d the member %q is there twice", decoder.InputOffset(), name)
			}
			seen[name.(string)] = true
		}
		if err := checkMembers(decoder); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}

// Package client calls the HTTP API of a deal-flow service. It has a method for each operation that takes JSON, a form
// or no body, and responds with JSON; these methods are generated from the service's OpenAPI document, which describes
// the operations. StartImport, WatchImport, ImportErrors and ExportArchive are for files and streams. For example:
//
//	deals, err := client.New("https://deals.example/api/v1", "mk_…")
//	page, err := deals.ListCompanies(ctx, client.ListCompaniesParams{Search: new("anvils"), Limit: new(50)})
//
// A method has no time limit but its context, and sends its request once: whether to try again is up to the caller. If
// the service refuses a request, the error is an *Error. Optional members are pointers, and nil leaves them out; a
// Change also distinguishes null from a member that is left out. Numbers in metadata and in other free-form values are
// of type json.Number.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer is how many bytes a JSON response may have. A page with the minutes of a hundred meetings, each with as
// much text and metadata as a service with the default MAX_JSON_SIZE accepts, has 300 MB.
const maxAnswer = 512 << 20

// Client calls one service as one user. It is safe for concurrent use.
type Client struct {
	base, root string // without a slash at their ends
	key        string
	http       *http.Client
}

// New returns a Client for the service at a base URL, such as https://deals.example/api/v1, and the user of an API key.
// If the key is "", only the operations that need none can be called. New does not connect to the service. It returns
// an error for a URL that is not http or https or has no host, and for a key with a character that is not visible
// ASCII.
func New(baseURL, key string) (*Client, error) {
	base := strings.TrimRight(baseURL, "/")
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of an API, which looks like http://127.0.0.1:8080/api/v1", baseURL)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key holds white space or what is no ASCII")
	}
	return &Client{
		base: base, root: strings.TrimSuffix(base, "/api/v1"), key: key, http: &http.Client{CheckRedirect: noRedirect},
	}, nil
}

// noRedirect makes the client follow no redirects, so that it does not send the key to another server. The service
// sends no redirects.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// WithHTTPClient returns a copy of c that sends its requests by sender, which may have timeouts, a proxy or cookies. c
// is unchanged. Whether redirects are followed is decided by sender.
func (c *Client) WithHTTPClient(sender *http.Client) *Client {
	copied := *c
	copied.http = sender
	return &copied
}

// Option changes one request before it is sent. Options are applied in order.
type Option func(*http.Request)

// IdempotencyKey makes it safe to send a POST again: the service carries out requests with the same key only once. The
// key has 1 to 255 printable ASCII characters, such as a UUID generated for the request.
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// IfMatch makes a change or deletion fail with an *Error with the code precondition_failed if the thing no longer has
// this ETag.
func IfMatch(tag string) Option { return Header("If-Match", tag) }

// IfNoneMatch makes a read fail with ErrNotModified if the thing that is read still has this ETag.
func IfNoneMatch(tag string) Option { return Header("If-None-Match", tag) }

// ErrNotModified is the error of a read with IfNoneMatch if nothing has changed.
var ErrNotModified = errors.New("not modified")

type tagKey struct{}

// ETag stores the ETag of the response in *tag, or "" if the response has none. It does not change *tag if there is no
// response, and must not be used for two requests at the same time. StartImport, WatchImport, ImportErrors and
// ExportArchive ignore this option.
func ETag(tag *string) Option {
	return func(r *http.Request) { *r = *r.WithContext(context.WithValue(r.Context(), tagKey{}, tag)) }
}

// RequestID sets the id of a request, which the service sends back and writes into its logs.
func RequestID(id string) Option { return Header("X-Request-Id", id) }

// Header sets a header of a request. It replaces the value that the client would send.
func Header(name, value string) Option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// request is the request of a generated method. body is to be encoded as JSON; form is a pointer to a struct, to be
// sent as multipart/form-data. At most one of body and form is set.
type request struct {
	method, path string
	query        url.Values
	body         any
	form         any
	root         bool // the path is below the root of the server, not below /api/v1
}

// call sends a request and decodes the data of the response into data, unless data is nil. The error is an *Error if
// the service refuses, and ErrNotModified for the status 304. It may also be that of http.Client.Do, which may wrap
// a *ReadError of the caller's reader, or say that the response cannot be decoded.
func (c *Client) call(ctx context.Context, r request, data any, options []Option) error {
	sent, err := c.prepare(ctx, r)
	if err != nil {
		return err
	}
	defer sent.Body.Close() // ends the goroutine that writes a form
	for _, option := range options {
		option(sent)
	}
	response, err := c.http.Do(sent)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if tag, wanted := sent.Context().Value(tagKey{}).(*string); wanted {
		*tag = response.Header.Get("ETag")
	}
	if response.StatusCode == http.StatusNotModified {
		return ErrNotModified
	}
	return c.read(response, data)
}

func (c *Client) prepare(ctx context.Context, r request) (*http.Request, error) {
	address := c.base + r.path
	if r.root {
		address = c.root + r.path
	}
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	body, media, err := r.content()
	if err != nil {
		return nil, err
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	if media != "" {
		sent.Header.Set("Content-Type", media)
	}
	if r.form != nil {
		sent.Header.Set("Expect", "100-continue") // a refusal that needs no body comes before the body is sent
	}
	if c.key != "" {
		sent.Header.Set("Authorization", "Bearer "+c.key)
	}
	sent.Header.Set("User-Agent", "dealflow")
	return sent, nil
}

// content returns the body and its media type. If there is no body, the media type is "". The caller must close a
// reader that is an io.Closer.
func (r request) content() (io.Reader, string, error) {
	switch {
	case r.form != nil:
		return openForm(r.form)
	case r.body != nil:
		encoded, err := json.Marshal(r.body)
		return bytes.NewReader(encoded), "application/json", err
	}
	return http.NoBody, "", nil
}

// read decodes the data of a response into data, unless data is nil. If the service refused, it returns an *Error; any
// other error means that the response is too long or cannot be read or decoded. It does not close the body.
func (c *Client) read(response *http.Response, data any) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.base, err)
	}
	if len(raw) > maxAnswer {
		return fmt.Errorf("the answer of %s has more than %d bytes: ask for fewer things at once", c.base, maxAnswer)
	}
	var envelope struct {
		Error

		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &envelope) != nil || !envelope.Success && envelope.Message == "" {
		return fmt.Errorf("%s answered %d, and not as this API does: does the address end in /api/v1?", c.base,
			response.StatusCode)
	}
	if !envelope.Success {
		return envelope.complete(response)
	}
	if data == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(envelope.Data))
	decoder.UseNumber() // free-form values keep their numbers as text
	if err := decoder.Decode(data); err != nil {
		return fmt.Errorf("understand the answer of %s: %w", c.base, err)
	}
	return nil
}

// expand replaces each %s of a path by the next of the values, escaped as a path segment.
func expand(path string, values ...any) string {
	for _, value := range values {
		path = strings.Replace(path, "%s", url.PathEscape(fmt.Sprint(value)), 1)
	}
	return path
}

// put sets a query parameter to *value, unless value is nil.
func put[T any](query url.Values, name string, value *T) {
	if value != nil {
		query.Set(name, fmt.Sprint(*value))
	}
}

// putAll sets a query parameter to values, separated by commas. It does nothing if there are none.
func putAll[T ~string](query url.Values, name string, values []T) {
	var texts []string
	for _, value := range values {
		texts = append(texts, string(value))
	}
	if len(texts) > 0 {
		query.Set(name, strings.Join(texts, ","))
	}
}

// Package client calls the interface of a deal-flow service. It has a method for every operation that takes and returns
// JSON or a form, generated from the service's OpenAPI document, which says what each does:
//
//	deals, err := client.New("https://deals.example/api/v1", "mk_…")
//	page, err := deals.ListCompanies(ctx, client.ListCompaniesParams{Search: new("anvils"), Limit: new(50)})
//
// A method waits as long as its context lasts, sends its request once, and leaves it to the caller to try again. What
// the service refuses is an *Error. Optional members are pointers; a Change also distinguishes null from nothing.
// Numbers in what is free-form are of type json.Number.
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

// maxAnswer is more than any answer has, in bytes: what is longer does not come from this service.
const maxAnswer = 64 << 20

// Client calls one service as one user. It may be used by many goroutines at once.
type Client struct {
	base, root string // without a slash at their ends
	key        string
	http       *http.Client
}

// New makes a client of the service at a base URL, such as https://deals.example/api/v1, for the user of an API key.
// Without a key only the open operations answer. It fails where the URL is none, or the key holds what a header
// cannot.
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

// noRedirect keeps a key from following a redirect to somebody else: the service makes none.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// WithHTTPClient returns a copy of the client that sends its requests by another http.Client, for timeouts, proxies
// or cookies of one's own.
func (c *Client) WithHTTPClient(sender *http.Client) *Client {
	copied := *c
	copied.http = sender
	return &copied
}

// Option changes one request before it is sent.
type Option func(*http.Request)

// IdempotencyKey lets a POST be sent again without doing twice what it does: 1 to 255 printable ASCII characters,
// such as a UUID made for the request.
func IdempotencyKey(key string) Option { return Header("Idempotency-Key", key) }

// IfMatch changes or deletes a thing only where it is as it was when it had this ETag; else the *Error has the code
// precondition_failed.
func IfMatch(tag string) Option { return Header("If-Match", tag) }

// IfNoneMatch reads a thing only where it is another than the one with this ETag; else the error is ErrNotModified.
func IfNoneMatch(tag string) Option { return Header("If-None-Match", tag) }

// ErrNotModified says that there is nothing new: see IfNoneMatch.
var ErrNotModified = errors.New("not modified")

type tagKey struct{}

// ETag keeps the ETag of the answer in tag; "" where it has none.
func ETag(tag *string) Option {
	return func(r *http.Request) { *r = *r.WithContext(context.WithValue(r.Context(), tagKey{}, tag)) }
}

// RequestID is found again in the answer and in the service's logs.
func RequestID(id string) Option { return Header("X-Request-Id", id) }

// Header sets any header of a request.
func Header(name, value string) Option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// request is what a method asks for: a body or a form or none.
type request struct {
	method, path string
	query        url.Values
	body         any
	form         any
	root         bool // below the root of the server and not below its version
}

// call sends a request and decodes the data of the answer, where it is wanted.
func (c *Client) call(ctx context.Context, r request, data any, options []Option) error {
	sent, err := c.prepare(ctx, r)
	if err != nil {
		return err
	}
	defer sent.Body.Close() // lets the writing of a form end
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

// content returns the body and its media type.
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

// read decodes an answer. The data has the shape that the document says, or more.
func (c *Client) read(response *http.Response, data any) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.base, err)
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
	decoder.UseNumber() // what is free-form keeps its numbers
	if err := decoder.Decode(data); err != nil {
		return fmt.Errorf("understand the answer of %s: %w", c.base, err)
	}
	return nil
}

// expand puts values into a path.
func expand(path string, values ...any) string {
	for _, value := range values {
		path = strings.Replace(path, "%s", url.PathEscape(fmt.Sprint(value)), 1)
	}
	return path
}

// put adds a parameter that has a value.
func put[T any](query url.Values, name string, value *T) {
	if value != nil {
		query.Set(name, fmt.Sprint(*value))
	}
}

// putAll adds a parameter of several values, where there are any.
func putAll[T ~string](query url.Values, name string, values []T) {
	var texts []string
	for _, value := range values {
		texts = append(texts, string(value))
	}
	if len(texts) > 0 {
		query.Set(name, strings.Join(texts, ","))
	}
}

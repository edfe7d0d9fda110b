package main

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // G501: names rows, as Postgres's md5 does
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// asker sends the requests of one connection to the service and to the limit program. It is not safe for concurrent
// use.
type asker struct {
	data

	client *http.Client
	random *rand.Rand
	ours   string // the API's base URL
	limit  string
	began  time.Time // when the operation began, or when it had prepared what it sends
}

// errRefused is the error for a response with the status 503, such as that of a service that got more requests than it
// accepts at once, or that cannot reach its database.
var errRefused = errors.New("refused with 503")

func newClient(connections int) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: connections,
			MaxConnsPerHost:     connections,
			WriteBufferSize:     64 << 10,
			DisableCompression:  true,
		},
	}
}

// company returns the id of a random company that is visible to its whole team, and the id and the number of its
// account.
func (a *asker) company() (id, accountID string, account int) {
	n := a.random.IntN(a.companies-20) + 1
	n -= (n % 20) % 16 // to one that the whole team sees
	n = max(n, 20)
	return uuidOf("company", n), uuidOf("account", n%a.accounts), n % a.accounts
}

// send sends a request to the service as the owner of the account, and discards the response. contentType is "" for a
// request without a body. The errors are those of do.
func (a *asker) send(ctx context.Context, account int, method, path, contentType string, body io.Reader) error {
	request, err := http.NewRequestWithContext(ctx, method, a.ours+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+a.key(account))
	return a.do(request, contentType, nil)
}

// plain sends a request to the limit program, and discards the response. The errors are those of do.
func (a *asker) plain(ctx context.Context, method, path string, body io.Reader) error {
	request, err := http.NewRequestWithContext(ctx, method, a.limit+path, body)
	if err != nil {
		return err
	}
	return a.do(request, "", nil)
}

// do sends a request with this content type, unless that is "", and decodes the member "data" of the response into out,
// unless out is nil. A status above 202 is an error; that of 503 wraps errRefused.
func (a *asker) do(request *http.Request, contentType string, out any) error {
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusServiceUnavailable {
		return errors.Join(errRefused, drain(response.Body))
	}
	if response.StatusCode > http.StatusAccepted {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		return fmt.Errorf("%s %s: %s %s", request.Method, request.URL.Path, response.Status, text)
	}
	if out == nil {
		return drain(response.Body)
	}
	if err := json.NewDecoder(response.Body).Decode(&struct{ Data any }{out}); err != nil {
		return err
	}
	return drain(response.Body)
}

func encode(value any) io.Reader {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // a mistake in the bench
	}
	return bytes.NewReader(text)
}

// uuidOf returns the id of the seeded row of this kind with the number n: md5(kind || n)::uuid in Postgres.
func uuidOf(kind string, n int) string {
	return uuid.UUID(md5.Sum(fmt.Appendf(nil, "%s%d", kind, n))).String() //nolint:gosec // G401: a name
}

// drain reads a body to its end, so that its connection can be used again.
func drain(body io.Reader) error {
	_, err := io.Copy(io.Discard, body)
	return err
}

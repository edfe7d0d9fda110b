//go:build faults

package faults_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"dealflow/internal/testkit/process"
)

// mostShown is how many refusals with the same status and code are checked and shown.
const mostShown = 3

// creation is a company that the load creates: its name, the SHA-256 of its deck, and its id once the service has
// acknowledged it.
type creation struct {
	name, hash string
	id         string // "" before that
}

// load sends requests as a team, and records what was acknowledged and what was refused.
type load struct {
	t    *testing.T
	base string
	team process.Team
	deck []byte
	// hopeless reports whether a process has died that nothing starts again. The load then ends.
	hopeless func() bool

	mutex     sync.Mutex
	creations []*creation
	imported  int // rows of imports that were acknowledged as completed
	refusals  map[string]int
}

func newLoad(t *testing.T, base string, team process.Team) *load {
	t.Helper()
	deck, err := os.ReadFile("../httpapi/testdata/deck.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return &load{
		t: t, base: base + "/api/v1", team: team, deck: deck, hopeless: func() bool {
			return false
		}, refusals: map[string]int{},
	}
}

// create creates companies until the context ends. It repeats each request, with the same Idempotency-Key, until it is
// acknowledged; see insist.
func (l *load) create(ctx context.Context, client int, r *rand.Rand) {
	for n := 0; ctx.Err() == nil && !l.hopeless(); n++ {
		c := &creation{name: fmt.Sprintf("Company %d-%d", client, n)}
		deck := append(bytes.Clone(l.deck), fmt.Sprintf("\n%% %s\n", c.name)...)
		sum := sha256.Sum256(deck)
		c.hash = hex.EncodeToString(sum[:])
		l.mutex.Lock()
		l.creations = append(l.creations, c)
		l.mutex.Unlock()
		l.insist(ctx, r, func(ctx context.Context) bool { return l.send(ctx, c, deck) })
	}
}

// insist calls send until it returns true, and reports whether it did. It cancels a quarter of the requests at random
// moments. After the end of ctx it goes on for at most five minutes, without canceling, so that the last request is
// acknowledged too.
func (l *load) insist(ctx context.Context, r *rand.Rand, send func(context.Context) bool) bool {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	for closing.Err() == nil && !l.hopeless() {
		patience := 40 * time.Second
		if ctx.Err() == nil && r.IntN(4) == 0 { // hangs up at any moment
			patience = time.Duration(r.Int64N(int64(500 * time.Millisecond)))
		}
		trying, stop := context.WithTimeout(closing, patience)
		done := send(trying)
		stop()
		if done {
			return true
		}
		time.Sleep(time.Duration(50+r.IntN(200)) * time.Millisecond)
	}
	return false
}

func (l *load) send(ctx context.Context, c *creation, deck []byte) bool {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field, value := range map[string]string{
		"account_id": l.team.AccountID, "name": c.name, "text": "A pitch of " + c.name + ", which raises a seed round.",
	} {
		_ = form.WriteField(field, value) // a Buffer takes everything
	}
	part, _ := form.CreateFormFile("file_0", "deck.pdf")
	_, _ = part.Write(deck)
	_ = form.Close()
	var made struct {
		Data struct {
			Company        struct{ ID string }
			PDFDownloadURL string `json:"pdfDownloadUrl"`
		}
	}
	if !l.post(ctx, "/companies/upload/ai", form.FormDataContentType(), c.name, &body, &made) {
		return false
	}
	if made.Data.Company.ID == "" || made.Data.PDFDownloadURL == "" {
		l.t.Errorf("%s was acknowledged with half an answer: %+v", c.name, made)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c.id = made.Data.Company.ID
	return true
}

// importEmails sends the same file of emails until an import of it has completed, and then records its rows; see
// insist. It fails the test if a completed import does not account for each row.
func (l *load) importEmails(ctx context.Context, client, rows int, r *rand.Rand) {
	var file strings.Builder
	for i := range rows {
		fmt.Fprintf(&file, `{"external_id":"%d-%d","from_email":"f@startup.example","subject":"Pitch","content":"Row %d."}`+
			"\n", client, i, i)
	}
	acknowledged := l.insist(ctx, r, func(ctx context.Context) bool {
		var started struct {
			Data struct {
				Import struct {
					ID, Status                  string
					Created, Duplicates, Failed int
				}
			}
		}
		path := "/accounts/" + l.team.AccountID + "/imports/"
		if !l.post(ctx, path+"emails", "application/x-ndjson", "", strings.NewReader(file.String()), &started) {
			return false
		}
		for ctx.Err() == nil && !l.hopeless() {
			now := started
			it := &now.Data.Import
			if l.do(ctx, http.MethodGet, path+started.Data.Import.ID, "", "", nil, &now) &&
				it.Status != "running" && it.Status != "receiving" {
				if it.Status == "completed" && (it.Created+it.Duplicates != rows || it.Failed != 0) {
					l.t.Errorf("an import of %d rows is completed with %+v", rows, *it)
				}
				return it.Status == "completed"
			}
			time.Sleep(200 * time.Millisecond)
		}
		return false
	})
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if acknowledged {
		l.imported += rows
	}
}

func (l *load) post(ctx context.Context, path, contentType, key string, body io.Reader, answer any) bool {
	return l.do(ctx, http.MethodPost, path, contentType, key, body, answer)
}

// do sends a request, decodes the response into answer, and reports whether it succeeded. Refusals that a client cannot
// simply repeat fail the test; see note.
func (l *load) do(ctx context.Context, method, path, contentType, key string, body io.Reader, answer any) bool {
	request, err := http.NewRequestWithContext(ctx, method, l.base+path, body)
	if err != nil {
		l.t.Error(err)
		return false
	}
	request.Header.Set("Authorization", "Bearer "+l.team.Key)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", strings.ReplaceAll(key, " ", "-"))
	}
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	if err != nil {
		return false
	}
	if got.StatusCode < http.StatusMultipleChoices {
		if err := json.Unmarshal(read, answer); err != nil {
			l.t.Errorf("%s %s answered %.300s: %v", method, path, read, err)
		}
		return true
	}
	l.note(got, method+" "+path, read)
	return false
}

func (l *load) note(got *http.Response, what string, body []byte) {
	var refusal struct{ Code string }
	_ = json.Unmarshal(body, &refusal)
	l.mutex.Lock()
	kind := fmt.Sprintf("%d %s", got.StatusCode, refusal.Code)
	l.refusals[kind]++
	seen := l.refusals[kind]
	l.mutex.Unlock()
	switch {
	case seen > mostShown: // they would say the same
	case got.StatusCode == http.StatusBadGateway: // of the balancer
	case got.StatusCode == http.StatusServiceUnavailable && got.Header.Get("Retry-After") == "":
		l.t.Errorf("%s = 503 without Retry-After: %.300s", what, body)
	case got.StatusCode == http.StatusServiceUnavailable, refusal.Code == "idempotency_key_in_use",
		got.StatusCode == http.StatusRequestTimeout:
	default:
		l.t.Errorf("%s = %d: %.300s", what, got.StatusCode, body)
	}
}

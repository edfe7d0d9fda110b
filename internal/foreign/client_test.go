//go:build foreign

package foreign_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit/process"
)

// client sends requests to a running API with the key of a team.
type client struct {
	t    *testing.T
	base string
	team process.Team
}

const deck = "../httpapi/testdata/deck.pdf"

// doMainJob creates a company by AI from a text and a deck, and downloads the deck.
func (c client) doMainJob(name string) {
	c.t.Helper()
	content, err := os.ReadFile(deck)
	if err != nil {
		c.t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file_0", "deck.pdf")
	if err != nil {
		c.t.Fatal(err)
	}
	_, _ = part.Write(content) // a Buffer takes everything
	text := "Hi, I'm Paulo, founder of " + name + ". We raise a seed round. Deck: https://docsend.com/view/abc123"
	for field, value := range map[string]string{"account_id": c.team.AccountID, "text": text} {
		_ = form.WriteField(field, value)
	}
	_ = form.Close()
	var made struct {
		Data struct {
			Company struct {
				ID, Name string
			}
			PDFDownloadURL string `json:"pdfDownloadUrl"`
			Analysis       struct{ ProcessedAt *string }
		}
	}
	c.do(http.MethodPost, c.base+"/companies/upload/ai", form.FormDataContentType(), &body, http.StatusOK, &made)
	if made.Data.Company.Name != name || made.Data.Analysis.ProcessedAt == nil {
		c.t.Errorf("made %+v, want %s, analyzed", made.Data, name)
	}
	if got := c.do(http.MethodGet, made.Data.PDFDownloadURL, "", nil, http.StatusOK, nil); !bytes.Equal(got, content) {
		c.t.Errorf("the deck has %d bytes, want %d", len(got), len(content))
	}
	var found struct {
		Data struct{ Companies []struct{ ID string } }
	}
	c.do(http.MethodGet, c.base+"/companies?search="+name, "", nil, http.StatusOK, &found)
	if len(found.Data.Companies) != 1 || found.Data.Companies[0].ID != made.Data.Company.ID {
		c.t.Errorf("the search finds %+v", found.Data.Companies)
	}
}

// importEmails imports a file of 1,500 emails, and waits until all are stored.
func (c client) importEmails() {
	c.t.Helper()
	const rows = 1500
	var file strings.Builder
	for i := range rows {
		fmt.Fprintf(&file,
			`{"from_email":"founder%d@startup.example","subject":"Pitch %d","content":"We build a thing."}`+"\n", i, i)
	}
	var started struct {
		Data struct {
			Import struct {
				ID, Status string
				Created    int
			}
		}
	}
	imports := c.base + "/accounts/" + c.team.AccountID + "/imports/"
	c.do(http.MethodPost, imports+"emails", "application/x-ndjson", strings.NewReader(file.String()), http.StatusAccepted,
		&started)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		c.do(http.MethodGet, imports+started.Data.Import.ID, "", nil, http.StatusOK, &started)
		if started.Data.Import.Status == "completed" {
			break
		}
	}
	if got := started.Data.Import; got.Status != "completed" || got.Created != rows {
		c.t.Errorf("the import is %+v, want %d rows", got, rows)
	}
}

// do sends a request, decodes the body of the response into answer, unless answer is nil, and returns it. The test ends
// unless the status is want.
func (c client) do(method, target, contentType string, body io.Reader, want int, answer any) []byte {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, target, body)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.team.Key)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != want {
		c.t.Fatalf("%s %s = %d, %v: %.400s", method, target, got.StatusCode, err, read)
	}
	if answer != nil {
		if err := json.Unmarshal(read, answer); err != nil {
			c.t.Fatalf("%s %s answered %.400s: %v", method, target, read, err)
		}
	}
	return read
}

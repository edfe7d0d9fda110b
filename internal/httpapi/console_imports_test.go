package httpapi_test

import (
	"bytes"
	"encoding/csv"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
)

// importFile sends the form of the page of imports.
func (b *browser) importFile(kind, name, content string) reply {
	b.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(b.T, form.WriteField("kind", kind))
	part, err := form.CreateFormFile("file", name)
	must(b.T, err)
	_, err = part.Write([]byte(content))
	must(b.T, err)
	must(b.T, form.Close())
	return b.send(request{
		Method: http.MethodPost, Path: b.consoleBase() + "/imports", Body: body.Bytes(),
		Type: form.FormDataContentType(), Header: b.header(),
	})
}

func TestAFileIsImportedOnItsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	list := s.consoleBase() + "/imports"
	b.page(list, "Nothing was imported yet")
	at := b.importFile("companies", "deals.csv",
		"name,text\nAcme,We are Acme\n,\n").want(http.StatusSeeOther).Header.Get("Location")
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(string(b.open(at).want(http.StatusOK).Raw),
		"<strong>completed</strong>"); {
		if time.Now().After(deadline) {
			t.Fatalf("the import has not ended: %s", b.open(at).Raw)
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.page(at, "2 of 2 rows", "<dt>New</dt><dd>1</dd>", "<dt>Wrong</dt><dd>1</dd>", "What is wrong with rows",
		at+"/errors.csv", "!>Cancel<")
	b.page(list, at, "completed")
	b.submit(at+"/cancel", url.Values{}).want(http.StatusConflict)
	for kind, name := range map[string]string{
		"companies": "deals.exe", "": "deals.csv", "people": "deals.csv",
		"emails": "deals.csv",
	} {
		b.importFile(kind, name, "name\nAcme\n").refusedOnPage(http.StatusBadRequest)
	}
	b.importFile("companies", "", "").refusedOnPage(http.StatusBadRequest)
	b.submit(list, url.Values{"kind": {"companies"}}).refusedOnPage(http.StatusUnsupportedMediaType)
	if n := s.count("imports"); n != 1 {
		t.Errorf("there are %d imports, want 1", n)
	}
	other, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), other.ID, consolePassword))
	s.signIn(other.Email).page(at, "completed")
	stranger, _ := s.stranger()
	for _, path := range []string{"", "/events", "/errors.csv"} {
		b.open(strings.Replace(at, s.account.ID.String(), stranger.ID.String(), 1) + path).want(http.StatusNotFound)
	}
}

// refusedOnPage fails the test unless a page says that it did not work.
func (r reply) refusedOnPage(status int) {
	r.t.Helper()
	if r.want(status); !strings.Contains(string(r.Raw), "That did not work") {
		r.t.Errorf("the refusal is %.2000s", r.Raw)
	}
}

func TestRowErrorsAreDownloadedWithoutFormulas(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	const id = "00000000-0000-4000-8000-000000000001"
	testkit.Exec(t, s.dbURL, "INSERT INTO imports (id, account_id, kind, format, status, failed, created_by) VALUES "+
		"($1, $2, 'companies', 'csv', 'running', 2501, $3)",
		id, s.account.ID, s.owner.ID)
	testkit.Exec(t, s.dbURL, `INSERT INTO import_errors (import_id, row, account_id, reason)
		SELECT $1, n, $2, (ARRAY['=1+1', '+1', '-1', '@x', E'\tx', 'is "wrong", =x'])[1 + n % 6] FROM generate_series(1,
		2501) n`, id, s.account.ID)
	at := s.consoleBase() + "/imports/" + id
	got := b.open(at + "/errors.csv").want(http.StatusOK)
	if !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("the download has %v", got.Header)
	}
	text, marked := bytes.CutPrefix(got.Raw, []byte("\ufeff"))
	if !marked {
		t.Error("Excel would read the file in another charset than UTF-8")
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	must(t, err)
	if len(rows) != 2502 || rows[1][1] != "'+1" || rows[5][1] != `is "wrong", =x` || rows[2501][0] != "2501" {
		t.Errorf("%d rows: %q", len(rows), rows[:7])
	}
	for _, row := range rows {
		if strings.ContainsAny(row[1][:1], "=+-@\t") {
			t.Errorf("row %s is a formula: %q", row[0], row[1])
		}
	}
	b.page(at, ">Cancel<", "&#34;wrong")
	b.submit(at+"/cancel", url.Values{}).want(http.StatusSeeOther)
	b.page(at, "<strong>cancelled</strong>")
}

func TestThePageOfAnImportHearsOfItsProgress(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	const id = "00000000-0000-4000-8000-000000000001"
	testkit.Exec(t, s.dbURL, "INSERT INTO imports (id, account_id, kind, format, status, created_by) VALUES ($1, $2, "+
		"'companies', 'csv', 'running', $3)",
		id, s.account.ID, s.owner.ID)
	changed := b.hears(s.consoleBase()+"/imports/"+id+"/events", nil)
	changed() // a page that names no version is answered at once
	testkit.Exec(t, s.dbURL, "UPDATE imports SET total = 7, updated_at = now() WHERE id = $1", id)
	changed()
}

package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"

	"dealflow/client"
)

const key = "mk_abcdefghijklmnopqrstuvwxyz234567"

var ctxID = uuid.MustParse("0190a5b2-7c7e-7000-8000-0000000000aa")

// server responds to all requests with the same response, and records them.
type server struct {
	*client.Client

	requests chan *http.Request
	bodies   chan string
}

func serve(t *testing.T, status int, header http.Header, answer string) server {
	t.Helper()
	s := server{requests: make(chan *http.Request, 10), bodies: make(chan string, 10)}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.requests <- r
		s.bodies <- string(body)
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(listener.Close)
	made, err := client.New(listener.URL+"/api/v1/", key)
	if err != nil {
		t.Fatal(err)
	}
	s.Client = made
	return s
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ url, key string }{
		"no scheme":      {"127.0.0.1:8080/api/v1", key},
		"another scheme": {"ftp://deals.example/api/v1", key},
		"no host":        {"http:///api/v1", key},
		"key with break": {"https://deals.example/api/v1", "mk_a\r\nX: y"},
		"key with space": {"https://deals.example/api/v1", "mk_a b"},
		"key, no ASCII":  {"https://deals.example/api/v1", "mk_ä"},
	} {
		if _, err := client.New(tc.url, tc.key); err == nil || strings.Contains(err.Error(), "mk_") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequestsAreAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusOK, nil, `{"success":true,"data":{}}`)
	ctx := t.Context()
	moment := client.Time{Time: time.Date(2026, 3, 2, 11, 0, 0, 100_000_000, time.FixedZone("", 3600))}
	for name, tc := range map[string]struct {
		call   func() error
		target string
		body   string
	}{
		"query": {func() error {
			_, err := s.ListCompanies(ctx, client.ListCompaniesParams{
				Search: new("a&b ü"), Limit: new(50), IncludeDownloadUrls: new(false), Source: new(client.SourceEmail),
				AccountID: &ctxID,
			})
			return err
		}, "GET /api/v1/companies?account_id=" + ctxID.String() +
			"&include_download_urls=false&limit=50&search=a%26b+%C3%BC&source=email", ""},
		"several values": {func() error {
			_, err := s.ListChanges(ctx, ctxID, client.ListChangesParams{
				Kinds: []client.ChangeKind{client.ChangeKindCompany, client.ChangeKindEmail},
			})
			return err
		}, "GET /api/v1/accounts/" + ctxID.String() + "/changes?kinds=company%2Cemail", ""},
		"no query": {func() error {
			_, err := s.GetDashboard(ctx, ctxID, client.GetDashboardParams{})
			return err
		}, "GET /api/v1/accounts/" + ctxID.String() + "/dashboard", ""},
		"nothing changed": {func() error {
			_, err := s.ChangeCompany(ctx, ctxID, client.ChangeCompanyParams{}, client.ChangeCompanyBody{})
			return err
		}, "PATCH /api/v1/companies/" + ctxID.String(), `{}`},
		"cleared, set and emptied": {
			func() error {
				_, err := s.ChangeCompany(ctx, ctxID, client.ChangeCompanyParams{}, client.ChangeCompanyBody{
					Notes: client.Clear[string](), CompanyStatusID: client.Set(ctxID), DeckLink: client.Set(""),
					Assignees: []uuid.UUID{},
				})
				return err
			}, "PATCH /api/v1/companies/" + ctxID.String(),
			`{"assignees":[],"company_status_id":"` + ctxID.String() + `","deck_link":"","notes":null}`,
		},
		"a moment": {
			func() error {
				_, err := s.CreateMeetingMinutes(ctx, ctxID, client.CreateMeetingMinutesBody{Title: "<Call>", MeetingDate: &moment})
				return err
			}, "POST /api/v1/accounts/" + ctxID.String() + "/meeting-minutes",
			`{"meeting_date":"2026-03-02T10:00:00.100000Z","title":"\u003cCall\u003e"}`,
		},
		"outside the version": {func() error {
			_, err := s.GetHealth(ctx)
			return err
		}, "GET /healthz", ""},
	} {
		if err := tc.call(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, body := <-s.requests, <-s.bodies
		if target := got.Method + " " + got.URL.RequestURI(); target != tc.target || body != tc.body {
			t.Errorf("%s: got %s with %s, want %s with %s", name, target, body, tc.target, tc.body)
		}
		if media := got.Header.Get("Content-Type"); (media == "application/json") != (tc.body != "") ||
			got.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s: media type %q, authorization %q", name, media, got.Header.Get("Authorization"))
		}
	}
}

func TestOptionsAreHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusCreated, nil, `{"success":true,"data":{"api_key":{"name":"n"},"key":null}}`)
	made, err := s.CreateAPIKey(t.Context(), client.CreateAPIKeyBody{Name: "n"}, client.IdempotencyKey("once"),
		client.RequestID("r-1"), client.Header("X-A", "b"))
	got := (<-s.requests).Header
	if err != nil || made.Key != nil || made.APIKey.Name != "n" {
		t.Errorf("made %+v: %v", made, err)
	}
	if got.Get("Idempotency-Key") != "once" || got.Get("X-Request-Id") != "r-1" || got.Get("X-A") != "b" {
		t.Errorf("sent %v", got)
	}
}

func TestAnswersAreTheirData(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusOK,
		nil, `{"success":true,"data":{"company":{"name":"Acme","id":"0190a5b2-7c7e-7000-8000-0000000000aa",`+
			`"company_status":null,`+
			`"metadata":{"round":12345678901234567890},"created_at":"2026-03-02T10:00:00.100000Z","unheard_of":1},`+
			`"pdf_download_url":null},"authType":"api_key"}`)
	got, err := s.GetCompany(t.Context(), ctxID, client.GetCompanyParams{})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Company; c.Name != "Acme" || *c.ID != ctxID || c.CompanyStatus != nil ||
		c.Metadata["round"] != json.Number("12345678901234567890") {
		t.Errorf("got %+v", c)
	}
	if again, _ := json.Marshal(got.Company.CreatedAt); string(again) != `"2026-03-02T10:00:00.100000Z"` {
		t.Errorf("the time becomes %s", again)
	}
	gone := serve(t, http.StatusOK, nil, `{"success":true,"data":{"message":"Company deleted"}}`)
	if err := gone.DeleteCompany(t.Context(), ctxID); err != nil {
		t.Error(err)
	}
}

func TestLongAnswersAreRead(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusOK, nil, `{"success":true,"data":{"accounts":[{"name":"`+strings.Repeat("a", 100<<20)+`"}]}}`)
	got, err := s.ListAccounts(t.Context(), client.ListAccountsParams{})
	if err != nil || len(got.Accounts) != 1 || len(got.Accounts[0].Name) != 100<<20 {
		t.Errorf("%d accounts, %v", len(got.Accounts), err)
	}
}

func TestRefusalsAreTyped(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusTooManyRequests, http.Header{"X-Request-Id": {"r-2"}, "Retry-After": {"7"}},
		`{"success":false,"error":"Rate limit exceeded","data":null,"code":"rate_limited","details":[{"field":"body",`+
			`"message":"is too much"}]}`)
	_, err := s.ListAccounts(t.Context(), client.ListAccountsParams{})
	refused, is := errors.AsType[*client.Error](err)
	want := client.Error{
		Status: 429, Message: "Rate limit exceeded", Code: "rate_limited",
		Details:   []client.Detail{{Field: "body", Message: "is too much"}},
		RequestID: "r-2", RetryAfter: 7 * time.Second,
	}
	if !is || !reflect.DeepEqual(*refused, want) || !client.HasCode(err, "rate_limited") ||
		client.HasCode(err, "conflict") {
		t.Errorf("got %+v", err)
	}
	if text := err.Error(); text != "the API refused (429): Rate limit exceeded: body: is too much" {
		t.Error(text)
	}
	for name, tc := range map[string]struct {
		status       int
		answer, want string
	}{
		"a page":      {200, "<html>", "and not as this API does"},
		"other JSON":  {404, `{"message":"no route"}`, "answered 404"},
		"other data":  {200, `{"success":true,"data":[]}`, "understand the answer"},
		"a redirect":  {302, "", "answered 302"},
		"empty error": {500, `{"success":false}`, "answered 500"},
	} {
		_, err := serve(t, tc.status, http.Header{"Location": {"/elsewhere"}}, tc.answer).ListAccounts(t.Context(),
			client.ListAccountsParams{})
		if _, typed := errors.AsType[*client.Error](err); err == nil || typed || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless is an endless reader that counts what is read.
type endless struct{ read int }

// Read implements io.Reader.
func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestFormsAreStreamed(t *testing.T) {
	t.Parallel()
	s := serve(t, http.StatusOK, nil, `{"success":true,"data":{}}`)
	form := client.AICreationForm{
		AccountID: ctxID, Text: strings.NewReader("we make anvils"), Notes: new(""), DryRun: new(true),
		Visibility: new(client.VisibilityPrivate),
		Metadata:   map[string]any{"a": 1}, Files: []client.File{
			{"deck.pdf", strings.NewReader("%PDF")}, {`no "tes".md`, strings.NewReader("#")},
		},
	}
	if _, err := s.CreateCompanyByAI(t.Context(), form); err != nil {
		t.Fatal(err)
	}
	_, body := <-s.requests, <-s.bodies
	last := 0
	for _, part := range []string{
		"name=\"account_id\"\r\n\r\n" + ctxID.String(), "name=\"dry_run\"\r\n\r\ntrue", "name=\"metadata\"\r\n\r\n{\"a\":1}",
		"name=\"notes\"\r\n\r\n\r\n",
		"name=\"visibility\"\r\n\r\nprivate", "name=\"text\"\r\n\r\nwe make anvils",
		"name=\"file_0\"; filename=\"deck.pdf\"", `name="file_1"; filename="no \"tes\".md"`,
	} {
		at := strings.Index(body, part)
		if at < last {
			t.Errorf("the form has no %q, or at another place: %s", part, body)
		}
		last = at
	}
	if strings.Contains(body, `"name"`) || strings.Contains(body, `"company_status_id"`) {
		t.Errorf("the form has fields without a value: %s", body)
	}
}

func TestFormsEndWithTheCall(t *testing.T) {
	t.Parallel()
	refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w,
			`{"success":false,"error":"Invalid or expired API key","data":null,"code":"invalid_key","details":[]}`)
	}))
	t.Cleanup(refuse.Close)
	deals, err := client.New(refuse.URL, key)
	if err != nil {
		t.Fatal(err)
	}
	long := &endless{}
	if _, err := deals.CreateCompanyByAI(t.Context(), client.AICreationForm{Text: long}); !client.HasCode(err,
		"invalid_key") {
		t.Errorf("got %v", err)
	}
	broken := errors.New("the disk is gone")
	_, err = deals.WithHTTPClient(&http.Client{Transport: drained{}}).
		CreateAttachment(t.Context(), ctxID, client.AttachmentForm{
			File: &client.File{Name: "a.pdf", Content: iotest.ErrReader(broken)},
		})
	if local, is := errors.AsType[*client.ReadError](err); !is || local.Name != "a.pdf" || !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read gives %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := deals.ListAccounts(over, client.ListAccountsParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("without time it gives %v", err)
	}
}

// drained is a RoundTripper that reads all of a request, as a connection does.
type drained struct{}

// RoundTrip implements http.RoundTripper.
func (drained) RoundTrip(r *http.Request) (*http.Response, error) {
	_, err := io.Copy(io.Discard, r.Body)
	return nil, err
}

func TestETagsGoBothWays(t *testing.T) {
	t.Parallel()
	var tag string
	company := `{"success":true,"data":{"company":{"name":"Tidewell"},"pdf_download_url":null}}`
	read := serve(t, http.StatusOK, http.Header{"Etag": {`"a1"`}}, company)
	if _, err := read.GetCompany(t.Context(), ctxID, client.GetCompanyParams{}, client.ETag(&tag)); err != nil ||
		tag != `"a1"` {
		t.Errorf("tag %s, %v", tag, err)
	}
	same := serve(t, http.StatusNotModified, http.Header{"Etag": {`"a1"`}}, "")
	_, err := same.GetCompany(t.Context(), ctxID, client.GetCompanyParams{}, client.IfNoneMatch(tag), client.ETag(&tag))
	if sent := (<-same.requests).Header.Get("If-None-Match"); !errors.Is(err, client.ErrNotModified) || sent != `"a1"` ||
		tag != `"a1"` {
		t.Errorf("sent %s, tag %s, %v", sent, tag, err)
	}
	stale := serve(t, http.StatusPreconditionFailed, nil,
		`{"success":false,"error":"Precondition failed","data":null,"code":"precondition_failed","details":[]}`)
	err = stale.DeleteCompany(t.Context(), ctxID, client.IfMatch(`"a0"`))
	if sent := (<-stale.requests).Header.Get("If-Match"); !client.HasCode(err, "precondition_failed") || sent != `"a0"` {
		t.Errorf("sent %s, %v", sent, err)
	}
}

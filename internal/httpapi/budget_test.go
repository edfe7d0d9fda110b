package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/bench/wire"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

// cost is what one request may need: how often it waits for Postgres, how many statements run, and how many objects are
// allocated.
type cost struct{ trips, statements, objects int }

// budget is the cost of a route, of AI creation also the worker's. Objects are those of API and worker together.
type budget struct {
	route       string
	api, worker cost
	send        func(*server) *http.Request
}

// budgets returns the measured costs. Counts do not depend on the machine. A change that makes a route cheaper lowers
// its numbers here, and a commit that has to raise one says why.
func budgets() []budget {
	return []budget{
		{route: "get", api: cost{1, 2, 255}, send: getOne},
		{route: "list", api: cost{1, 3, 1420}, send: getList("")},
		{route: "search", api: cost{1, 3, 1420}, send: getList("&search=anvils")},
		{route: "create", api: cost{2, 6, 425}, send: createOne},
		{route: "patch", api: cost{3, 5, 425}, send: patchOne},
		{route: "dashboard", api: cost{1, 6, 655}, send: getDashboard},
		{route: "minutes", api: cost{1, 3, 290}, send: getRecord("meeting-minutes")},
		{route: "list of minutes", api: cost{1, 3, 685}, send: getRecords("meeting-minutes")},
		{route: "submission", api: cost{1, 3, 285}, send: getRecord("form-submissions")},
		{route: "list of submissions", api: cost{1, 4, 745}, send: getRecords("form-submissions")},
		{route: "email", api: cost{1, 5, 415}, send: getRecord("emails")},
		{route: "list of emails", api: cost{1, 3, 665}, send: getRecords("emails")},
		{route: "page of the board", api: cost{5, 16, 0}, send: openPage("/board")},
		{route: "page of the filtered board", api: cost{5, 17, 0}, send: openPage("/board?search=anvils&source=manual")},
		{route: "page of the table", api: cost{7, 21, 0}, send: openPage("/companies")},
		{route: "AI creation of a text", api: cost{4, 12, 2625}, worker: cost{3, 13, 0}, send: createByText},
	}
}

// samples is how often a route is measured. The least cost counts, since polls in the background may add to the others.
const samples = 9

// slack is how much more objects may be than their budget, in percent: pools are emptied by the garbage collector.
const slack = 10

// TestRequestsStayWithinTheirBudgets runs alone, since objects are counted in the whole process.
func TestRequestsStayWithinTheirBudgets(t *testing.T) { //nolint:paralleltest // see above
	s := start(t, func(c *setup) { c.Proxied = true })
	for range 25 {
		s.createFull()
	}
	for _, b := range budgets() {
		t.Run(b.route, func(t *testing.T) {
			api, worker := s.measure(t, b.send)
			check(t, "the API", api, b.api)
			check(t, "the worker", worker, b.worker)
		})
	}
}

// found is what a request cost.
type found struct {
	cost

	texts []string
}

func check(t *testing.T, who string, got found, most cost) {
	t.Helper()
	t.Logf("%s: %+v", who, got.cost)
	over := func(what string, n, budget int) {
		if n > budget {
			t.Errorf(
				"%s needs %d %s, and the budget is %d. Make it cheaper, or raise the budget in budget_test.go and say why. It "+
					"said:\n%s",
				who,
				n,
				what,
				budget,
				strings.Join(got.texts, "\n"),
			)
		}
		if n < budget && what != "objects" {
			t.Logf("%s needs fewer %s than its budget of %d: lower it in budget_test.go", who, what, budget)
		}
	}
	over("round trips", got.trips, most.trips)
	over("statements", got.statements, most.statements)
	if !raceDetector && most.objects > 0 {
		over("objects", got.objects, most.objects+most.objects*slack/100)
	}
}

// measure sends the request a few times, without a network, and returns the least that API and worker needed.
func (s *server) measure(t *testing.T, send func(*server) *http.Request) (api, worker found) {
	t.Helper()
	for n := range samples {
		request, recorder := send(s), httptest.NewRecorder()
		s.proxies[0].Take()
		s.proxies[1].Take()
		before := mallocs()
		s.api.ServeHTTP(recorder, request)
		objects := mallocs() - before
		if recorder.Code >= http.StatusBadRequest {
			t.Fatalf("%s %s: %d %s", request.Method, request.URL.Path, recorder.Code, recorder.Body)
		}
		nowAPI, nowWorker := costOf(s.proxies[0].Take(), objects), costOf(s.proxies[1].Take(), 0)
		if n == 0 {
			api, worker = nowAPI, nowWorker
		}
		api, worker = api.least(nowAPI), worker.least(nowWorker)
	}
	return api, worker
}

func costOf(counts wire.Counts, objects int) found {
	return found{cost{counts.Trips, counts.Statements, objects}, counts.Texts}
}

func (f found) least(other found) found {
	if other.trips < f.trips {
		f.trips, f.texts = other.trips, other.texts
	}
	f.statements, f.objects = min(f.statements, other.statements), min(f.objects, other.objects)
	return f
}

func mallocs() int {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.Mallocs)
}

// plainRequest makes a request of the owner.
func (s *server) plainRequest(method, path, media string, body []byte) *http.Request {
	made := httptest.NewRequestWithContext(s.Context(), method, path, bytes.NewReader(body))
	made.Header.Set("Authorization", "Bearer "+s.key)
	if media != "" {
		made.Header.Set("Content-Type", media)
	}
	return made
}

// createFull makes a company with a status and an assignee, and returns its id.
func (s *server) createFull() string {
	s.Helper()
	stages, _, err := s.deps.Pipelines.List(s.Context(), postgres.AsUser(s.owner.ID), s.account.ID,
		paging.First(100))
	must(s.T, err)
	recorder := httptest.NewRecorder()
	s.api.ServeHTTP(
		recorder,
		s.creation(map[string]any{"company_status_id": stages[0].ID, "assignees": []any{s.owner.ID}}),
	)
	var made struct {
		Data struct{ Company struct{ ID string } }
	}
	must(s.T, json.Unmarshal(recorder.Body.Bytes(), &made))
	return made.Data.Company.ID
}

func getOne(s *server) *http.Request {
	return s.plainRequest(http.MethodGet, "/api/v1/companies/"+s.createFull(), "", nil)
}

func getList(query string) func(*server) *http.Request {
	return func(s *server) *http.Request {
		return s.plainRequest(http.MethodGet, "/api/v1/companies?account_id="+s.account.ID.String()+query, "", nil)
	}
}

func createOne(s *server) *http.Request { return s.creation(nil) }

// creation makes a request for a company with a founder, and with these members.
func (s *server) creation(members map[string]any) *http.Request {
	body := map[string]any{
		"account_id": s.account.ID, "name": "Acme " + uuid.NewString(), "notes": "anvils",
		"metadata": map[string]any{
			"founders": []any{map[string]any{"name": "Ada", "email": "ada@" + uuid.NewString() + ".example"}},
		},
	}
	maps.Copy(body, members)
	return s.plainRequest(http.MethodPost, "/api/v1/companies", "application/json", s.encode(body))
}

func patchOne(s *server) *http.Request {
	return s.plainRequest(
		http.MethodPatch,
		"/api/v1/companies/"+s.createFull(),
		"application/json",
		[]byte(`{"notes": "hammers"}`),
	)
}

func getDashboard(s *server) *http.Request {
	return s.plainRequest(http.MethodGet, "/api/v1/accounts/"+s.account.ID.String()+"/dashboard", "", nil)
}

// openPage makes a request for a page of the console, by a new session.
func openPage(path string) func(*server) *http.Request {
	return func(s *server) *http.Request {
		b := s.signIn(s.withPassword())
		made := httptest.NewRequestWithContext(s.Context(), http.MethodGet, s.consoleBase()+path, nil)
		made.Header = b.header()
		return made
	}
}

func createByText(s *server) *http.Request {
	body, media := encodeForm(
		s.T,
		part{Name: "account_id", Value: s.account.ID.String()},
		part{
			Name:  "text",
			Value: "Hi, I am Ada, founder of Acme. We make anvils and would love to talk: https://docsend.com/view/abc",
		},
	)
	return s.plainRequest(http.MethodPost, "/api/v1/companies/upload/ai", media, body)
}

// getRecord makes a request for one of the records that records made.
func getRecord(kind string) func(*server) *http.Request {
	return func(s *server) *http.Request {
		s.records()
		id := testkit.Texts(s.T, s.dbURL, "SELECT id::text FROM "+strings.ReplaceAll(kind, "-", "_")+" LIMIT 1")[0]
		return s.plainRequest(http.MethodGet, s.accountPath(kind+"/"+id), "", nil)
	}
}

func getRecords(kind string) func(*server) *http.Request {
	return func(s *server) *http.Request {
		s.records()
		return s.plainRequest(http.MethodGet, s.accountPath(kind), "", nil)
	}
}

// records makes as many minutes, submissions and emails as a page has, once.
func (s *server) records() {
	s.Helper()
	if s.count("emails") > 0 {
		return
	}
	for _, statement := range []string{
		"INSERT INTO meeting_minutes (id, account_id, title, created_by) SELECT gen_random_uuid(), $1, 'Talk', $2 FROM " +
			"generate_series(1, 25)",
		`INSERT INTO form_submissions (id, account_id, data, integration_type)
			SELECT gen_random_uuid(), $1, '[{"key": "a"}]', 'manual' FROM generate_series(1, 25) WHERE $2::uuid IS NOT NULL`,
		`INSERT INTO emails (id, account_id, external_id, from_email, content, content_preview)
			SELECT gen_random_uuid(), $1, n::text, 'ada@acme.example', 'Hi', 'Hi' FROM generate_series(1, 25) AS n
			WHERE $2::uuid IS NOT NULL`,
	} {
		testkit.Exec(s.T, s.dbURL, statement, s.account.ID, s.owner.ID)
	}
}

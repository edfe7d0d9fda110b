package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// TestAStoppedDatabaseIsToldInTime sends requests of many kinds while the database accepts connections and never
// answers.
func TestAStoppedDatabaseIsToldInTime(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.Frozen, c.NoWorker = true, true })
	state := s.deps.Database
	s.get("/api/v1/accounts", s.key).want(http.StatusOK)
	s.freezer.Stop()
	answers := make(chan reply, 30)
	began := time.Now()
	for n := range cap(answers) {
		go func() {
			switch n % 3 {
			case 0:
				answers <- s.get("/api/v1/companies", s.key)
			case 1:
				answers <- s.form(s.key, s.parts()...)
			default:
				answers <- s.post("/api/v1/auth/login", "", `{"email":"ada@fund.example","password":"something long"}`)
			}
		}()
	}
	for range cap(answers) {
		got := <-answers
		if got.want(http.StatusServiceUnavailable).Header.Get("Retry-After") == "" || got.text("code") != "unavailable" {
			t.Errorf("answered %s, %v", got.Raw, got.Header)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the last answer took %s", took)
	}
	for !state.Away() {
		time.Sleep(10 * time.Millisecond)
	}
	began = time.Now()
	s.get("/api/v1/accounts", s.key).want(http.StatusServiceUnavailable)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("a request that meets a known outage waits %s", took)
	}
	s.freezer.Continue()
	for state.Away() {
		time.Sleep(10 * time.Millisecond)
	}
	s.get("/api/v1/accounts", s.key).want(http.StatusOK)
	if lines := strings.Count(s.log.String(), "a server does not answer"); lines != 1 {
		t.Errorf("%d lines say that the database is away", lines)
	}
}

// Who is signed in and sends a form while the database does not answer is not asked to sign in, since that would lose
// what they wrote.
func TestAPageDuringAnOutageDoesNotAskToSignIn(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.Frozen, c.NoWorker = true, true })
	b := s.signIn(s.withPassword())
	board := "/app/" + s.account.ID.String() + "/board"
	b.open(board).want(http.StatusOK)
	s.freezer.Stop()
	b.open(board).want(http.StatusServiceUnavailable)
	s.freezer.Continue()
	for s.deps.Database.Away() {
		time.Sleep(10 * time.Millisecond)
	}
	b.open(board).want(http.StatusOK)
}

// TestAFullDatabaseIsAnOutage has the disk of the database be full for a while: nothing is lost, and the same request
// works afterwards.
func TestAFullDatabaseIsAnOutage(t *testing.T) {
	t.Parallel()
	s := start(t)
	testkit.Exec(t, s.dbURL, `CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`)
	testkit.Exec(t, s.dbURL, "CREATE TRIGGER full_disk BEFORE INSERT ON companies EXECUTE FUNCTION disk_is_full()")
	create := func() reply {
		return s.send(request{
			Method: http.MethodPost, Path: companies, Key: s.key, Header: http.Header{"Idempotency-Key": {"one"}},
			Body: map[string]any{"account_id": s.account.ID, "name": "Acme"},
		})
	}
	refused := create().want(http.StatusServiceUnavailable)
	if refused.Header.Get("Retry-After") == "" || refused.text("code") != "unavailable" {
		t.Errorf("answered %s, %v", refused.Raw, refused.Header)
	}
	s.get(companies, s.key).want(http.StatusOK)
	testkit.Exec(t, s.dbURL, "DROP TRIGGER full_disk ON companies")
	create().want(http.StatusCreated)
}

// The database ends a deadlock by rolling one of the transactions back. That request may be sent again, and the
// database is not taken for one that does not answer.
func TestADeadlockIsNoMistakeOfTheService(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.Frozen = true })
	id := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).text("data.company.id")
	testkit.Exec(t, s.dbURL, `CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'; END $$`)
	testkit.Exec(t, s.dbURL, "CREATE TRIGGER deadlock BEFORE UPDATE ON companies EXECUTE FUNCTION deadlock()")
	refused := s.patch(companies+"/"+id, s.key, `{"name":"Zenith"}`).want(http.StatusServiceUnavailable)
	if refused.Header.Get("Retry-After") == "" || refused.text("code") != "unavailable" || s.deps.Database.Away() {
		t.Errorf("answered %s, %v; the database is away: %t", refused.Raw, refused.Header, s.deps.Database.Away())
	}
	page := s.signIn(s.withPassword()).submit(s.consoleBase()+"/companies/"+id+"/edit", url.Values{"name": {"Zenith"}})
	if page.want(http.StatusServiceUnavailable).Header.Get("Retry-After") == "" {
		t.Errorf("a page is answered without Retry-After: %v", page.Header)
	}
	testkit.Exec(t, s.dbURL, "DROP TRIGGER deadlock ON companies")
	s.patch(companies+"/"+id, s.key, `{"name":"Zenith"}`).want(http.StatusOK)
}

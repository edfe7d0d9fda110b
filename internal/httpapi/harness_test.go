package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/bench/wire"
	"dealflow/internal/blob"
	"dealflow/internal/httpapi"
	"dealflow/internal/httpapi/operations"
	"dealflow/internal/logs"
	"dealflow/internal/outage"
	"dealflow/internal/pages/operators"
	passwords "dealflow/internal/password"
	"dealflow/internal/pdftext"
	"dealflow/internal/postgres"
	"dealflow/internal/seal"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/accountkit"
	"dealflow/internal/work"
)

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	code := m.Run()
	_ = parts().reader.Close()
	os.Exit(code)
}

// server is the API, with a database, a Redis, a folder for files, and a team that uses it.
type server struct {
	*testing.T

	api     *httpapi.API
	deps    httpapi.Deps
	url     string // of the root, without a slash at its end
	db      *postgres.DB
	dbURL   string
	folder  string // where files are stored
	log     *logbook
	checks  *checker
	owner   account.User
	account account.Account
	key     string // the owner's
	cutter  *testkit.CommitCutter

	workerDB *postgres.DB
	freezer  *testkit.Freezer
	proxies  [2]*wire.Proxy // of the API and of the worker, where they were asked for
}

// setup has the settings of a server that a test may change before it starts.
type setup struct {
	httpapi.Deps

	MaxFileSize int64
	NoWorker    bool   // nobody works on the queue
	MailBase    string // the beginning of mailed links; "": no mails are sent

	fleet func() (operators.Fleet, error) // what the queue says

	Proxied bool // the API and the worker reach the database through counting proxies
	Loaded  bool // the API knows how much work waits
	Frozen  bool // the API reaches the database through server.freezer, and knows its state
	Cut     bool // the API reaches the database through a proxy that can lose answers to COMMIT
}

// start runs the API with a worker beside it until the test ends.
func start(t *testing.T, changes ...func(*setup)) *server {
	t.Helper()
	s := &server{T: t, dbURL: testkit.DatabaseURL(t), folder: t.TempDir(), log: &logbook{}, checks: newChecker(t)}
	chosen := setup{MaxFileSize: 1 << 20, Deps: httpapi.Deps{
		Metrics: prometheus.NewRegistry(), Logger: logs.New(s.log, slog.LevelDebug, "json"), Now: time.Now,
		Ready:        func(context.Context) operations.Readiness { return operations.Readiness{Workers: 1} },
		OperatorUser: "operator", OperatorPassword: "correct horse", PublicURL: "https://deals.example",
		Secrets: [][]byte{bytes.Repeat([]byte("k"), 32)}, SignupOpen: true, AnalysisWait: 10 * time.Second,
		MaxJSONSize: 64 << 10,
		Queues: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "dashboard "+r.URL.Path)
		}),
	}}
	for _, change := range changes {
		change(&chosen)
	}
	s.openDatabase(&chosen)
	if chosen.Frozen {
		chosen.Database = s.db.Watch(chosen.Logger)
		t.Cleanup(chosen.Database.Close)
		chosen.Logger = outage.Logger(chosen.Logger, chosen.Database)
	}
	if chosen.Loaded {
		chosen.Load = work.NewLoad(s.db, chosen.Logger)
	}
	s.wire(&chosen)
	var err error
	s.api, err = httpapi.New(chosen.Deps)
	must(t, err)
	s.deps = chosen.Deps
	listener := httptest.NewServer(s.api)
	t.Cleanup(listener.Close)
	s.url = listener.URL
	s.owner = testkit.User(t, s.db, "Olivia Owner")
	s.account = testkit.Account(t, s.db, s.owner.ID, "Northwind Ventures")
	s.key = testkit.Key(t, s.db, s.owner.ID)
	return s
}

// openDatabase opens the database once; with proxies twice, for the API and for the worker.
func (s *server) openDatabase(chosen *setup) {
	s.Helper()
	urls := [2]string{s.dbURL, s.dbURL}
	if chosen.Frozen {
		s.freezer, urls[0] = testkit.Freeze(s.T, s.dbURL)
	}
	for i := range urls {
		if chosen.Proxied {
			proxy, err := wire.Start(s.Context(), s.dbURL)
			must(s.T, err)
			s.Cleanup(func() { _ = proxy.Close() })
			s.proxies[i], urls[i] = proxy, proxy.URL(s.dbURL)
		}
	}
	if chosen.Cut {
		s.cutter = testkit.NewCommitCutter(s.T, s.dbURL)
		urls[0] = s.cutter.URL
	}
	s.db = testkit.Open(s.T, urls[0])
	s.workerDB = s.db
	if chosen.Proxied || chosen.Cut {
		s.workerDB = testkit.Open(s.T, urls[1])
	}
}

// wire sets the dependencies of the API that the test has not set.
func (s *server) wire(chosen *setup) {
	s.Helper()
	blobs, err := blob.Open(s.Context(), (&url.URL{Scheme: "file", Path: s.folder}).String())
	must(s.T, err)
	s.Cleanup(func() { _ = blobs.Close() })
	signer, err := blob.NewSigner([][]byte{bytes.Repeat([]byte("k"), 32)}, "http://deals.example")
	must(s.T, err)
	factors, err := seal.New([][]byte{[]byte("a secret of thirty-two characters")}, signin.SealPurpose)
	must(s.T, err)
	chosen.Keys = apikey.New(s.db)
	chosen.Blobs, chosen.Signer, chosen.Accounts = blobs, signer, account.NewMailing(s.db, chosen.MailBase)
	chosen.SignIn = signin.NewService(signin.Options{
		DB: s.db, MailBase: chosen.MailBase, Seal: factors, Passwords: passwords.NewWithMemory(0, 64),
		SessionLifetime: accountkit.SessionLifetime, SessionIdle: accountkit.SessionIdle,
	})
	chosen.Deps.MaxFileSize = chosen.MaxFileSize
	s.wireWork(chosen)
}

// logbook is a writer that stores what the API logs.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// request is a request of a test. A Body that is a string, []byte or io.Reader is sent as it is, any other one as JSON.
type request struct {
	Method string // default GET
	Path   string
	Key    string // bearer; "" for none
	Header http.Header
	Body   any
	Type   string // Content-Type; default application/json where there is a body
}

// send sends a request and checks it and its answer against the OpenAPI document.
func (s *server) send(r request) reply {
	s.Helper()
	body := s.encode(r.Body)
	sent, err := http.NewRequestWithContext(s.Context(), cmpOr(r.Method, http.MethodGet), s.url+r.Path,
		bytes.NewReader(body))
	must(s.T, err)
	maps.Copy(sent.Header, r.Header)
	if r.Body != nil {
		sent.Header.Set("Content-Type", cmpOr(r.Type, "application/json"))
	}
	if r.Key != "" {
		sent.Header.Set("Authorization", "Bearer "+r.Key)
	}
	got := s.do(sent)
	s.checks.check(s.T, sent, body, got)
	return got
}

// do sends a request without checks, and does not follow redirects.
func (s *server) do(sent *http.Request) reply {
	s.Helper()
	response, err := http.DefaultTransport.RoundTrip(sent)
	must(s.T, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	must(s.T, err)
	got := reply{t: s.T, Status: response.StatusCode, Header: response.Header, Raw: raw, Closes: response.Close}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") && len(raw) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&got.Body); err != nil {
			s.Errorf("%s %s: the answer is no JSON: %v", sent.Method, sent.URL.Path, err)
		}
	}
	return got
}

func (s *server) encode(body any) []byte {
	s.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	encoded, err := json.Marshal(body)
	must(s.T, err)
	return encoded
}

func (s *server) get(path, key string) reply {
	s.Helper()
	return s.send(request{Path: path, Key: key})
}

func (s *server) post(path, key string, body any) reply {
	s.Helper()
	return s.send(request{Method: http.MethodPost, Path: path, Key: key, Body: body})
}

// stored returns the keys of all stored files.
func (s *server) stored() []string {
	s.Helper()
	var keys []string
	must(s.T, filepath.WalkDir(s.folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			key, _ := filepath.Rel(s.folder, path)
			keys = append(keys, key)
		}
		return err
	}))
	return keys
}

// count counts the rows of a table, whosever they are.
func (s *server) count(table string) int {
	s.Helper()
	return testkit.Count(s.T, s.dbURL, table)
}

// colleague makes a member of the account and returns their key.
func (s *server) colleague(name, role string) (account.User, string) {
	s.Helper()
	user := testkit.User(s.T, s.db, name)
	testkit.Member(s.T, s.db, s.account.ID, user.ID, role)
	return user, testkit.Key(s.T, s.db, user.ID)
}

// stranger makes a user with an account of their own, and returns that and their key.
func (s *server) stranger() (account.Account, string) {
	s.Helper()
	user := testkit.User(s.T, s.db, "Simon Stranger")
	return testkit.Account(s.T, s.db, user.ID, "Elsewhere Capital"), testkit.Key(s.T, s.db, user.ID)
}

// company makes a company by AI creation and returns its id.
func (s *server) company(key string, parts ...part) string {
	s.Helper()
	named := map[string]bool{}
	for _, p := range parts {
		named[p.Name] = true
	}
	for _, p := range []part{
		{Name: "text", Value: "Acme makes anvils."},
		{Name: "account_id", Value: s.account.ID.String()},
	} {
		if !named[p.Name] {
			parts = append(parts, p)
		}
	}
	return s.form(key, parts...).want(http.StatusOK).text("data.company.id")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cmpOr(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func missing() string { return uuid.NewString() }

// request makes a request that send would not: it is neither completed nor checked.
func (s *server) request(method, path string, body io.Reader) *http.Request {
	s.Helper()
	made, err := http.NewRequestWithContext(s.Context(), method, s.url+path, body)
	must(s.T, err)
	return made
}

// keyID returns the id of a key.
func (s *server) keyID(full string) uuid.UUID {
	s.Helper()
	caller, err := s.deps.Keys.Authenticate(s.Context(), full)
	must(s.T, err)
	return caller.KeyID
}

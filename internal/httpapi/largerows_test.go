package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"dealflow/internal/testkit"
)

// seedLargeCompanies makes n companies with notes of size bytes.
func (s *server) seedLargeCompanies(n, size int) {
	s.Helper()
	testkit.Exec(s.T, s.dbURL,
		`INSERT INTO companies (id, account_id, name, visibility, source, notes, created_by, updated_by, created_at)
			SELECT gen_random_uuid(), $1, 'Anvils ' || n, 'team', 'manual', repeat('x', $4), $2, $2,
				now() - n * interval '1 minute' FROM generate_series(1, $3) AS n`,
		s.account.ID, s.owner.ID, n, size)
}

// seedLarge makes n companies, minutes, submissions, entries of the audit log and emails with texts of size bytes.
func (s *server) seedLarge(n, size int) {
	s.Helper()
	s.seedLargeCompanies(n, size)
	for _, statement := range []string{
		`INSERT INTO meeting_minutes (id, account_id, title, content, created_by, created_at)
			SELECT gen_random_uuid(), $1, 'Talk ' || n, repeat('x', $4), $2, now() - n * interval '1 minute'
			FROM generate_series(1, $3) AS n`,
		`INSERT INTO form_submissions (id, account_id, data, integration_type, created_at)
			SELECT gen_random_uuid(), $1, json_build_array(json_build_object('key', repeat('x', $4))), 'manual',
				now() - n * interval '1 minute' FROM generate_series(1, $3) AS n WHERE $2::uuid IS NOT NULL`,
		`INSERT INTO audit_entries (id, account_id, at, action, target_type, target_id, changes)
			SELECT gen_random_uuid(), $1, now() - n * interval '1 minute', 'field.updated', 'field', $1,
				jsonb_build_object('name', repeat('x', $4)) FROM generate_series(1, $3) AS n WHERE $2::uuid IS NOT NULL`,
		`INSERT INTO emails (id, account_id, external_id, from_email, content, content_preview, metadata)
			SELECT gen_random_uuid(), $1, n::text, 'ada@acme.example', 'Hi', 'Hi', jsonb_build_object('head', repeat('x', $4))
			FROM generate_series(1, $3) AS n WHERE $2::uuid IS NOT NULL`,
	} {
		testkit.Exec(s.T, s.dbURL, statement, s.account.ID, s.owner.ID, n, size)
	}
}

// largeLists returns the paths of the lists whose rows may be large, by the name of their member.
func (s *server) largeLists() map[string]string {
	return map[string]string{
		"companies":       "/api/v1/companies?account_id=" + s.account.ID.String() + "&limit=",
		"meeting_minutes": s.accountPath("meeting-minutes?limit="),
		"submissions":     s.accountPath("form-submissions?limit="),
		"entries":         s.accountPath("audit-log?action=field.updated&limit="),
		"emails":          s.accountPath("emails?limit="),
	}
}

// liveWriter is a response whose body is thrown away. At each write it measures what is alive.
type liveWriter struct {
	header http.Header
	status int
	size   int
	most   uint64
}

func (w *liveWriter) Header() http.Header    { return w.header }
func (w *liveWriter) WriteHeader(status int) { w.status = status }
func (w *liveWriter) Write(p []byte) (int, error) {
	w.size += len(p)
	if len(p) > 64<<10 {
		w.most = max(w.most, alive())
	}
	return len(p), nil
}

// alive returns how many bytes are in use when what nobody uses is gone.
func alive() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// allocatedBytes returns how many bytes were allocated since the process began.
func allocatedBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// TestListsHoldFewOfTheirLargeRows runs alone, since what is alive is counted in the whole process.
func TestListsHoldFewOfTheirLargeRows(t *testing.T) { //nolint:paralleltest // see above
	const rows, size, most = 24, 1 << 20, 12 << 20
	s := start(t)
	s.seedLarge(rows, size)
	for member, path := range s.largeLists() {
		before, allocated := alive(), allocatedBytes()
		answer := &liveWriter{header: http.Header{}, status: http.StatusOK}
		s.api.ServeHTTP(answer, s.plainRequest(http.MethodGet, path+"100", "", nil))
		if answer.status != http.StatusOK || answer.size < rows*size && member != "emails" {
			t.Errorf("%s: status %d, %d bytes", member, answer.status, answer.size)
		}
		held := max(answer.most, before) - before
		t.Logf("%s: %d KB of %d are in memory", member, held>>10, answer.size>>10)
		if held > most {
			t.Errorf("%s: %d bytes are in memory at once, of %d", member, held, answer.size)
		}
		if read := allocatedBytes() - allocated; member == "emails" && read > most { // whose large texts it does not show
			t.Errorf("%s: %d bytes are allocated for %d", member, read, answer.size)
		}
	}
}

// alivePeak calls run, and returns the largest result of alive meanwhile.
func alivePeak(run func()) (most uint64) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	for {
		most = max(most, alive())
		select {
		case <-done:
			return most
		default:
		}
	}
}

// TestPagesOfLargeCompaniesHoldFewOfThem runs alone, as the test above.
func TestPagesOfLargeCompaniesHoldFewOfThem(t *testing.T) { //nolint:paralleltest // see above
	const rows, size, most = 40, 1 << 20, 20 << 20
	s := start(t)
	s.seedLargeCompanies(rows, size)
	for _, path := range []string{"/companies", "/companies.csv", "/links", "/board/column?status=no_status"} {
		recorder, request := httptest.NewRecorder(), openPage(path)(s)
		before := alive()
		held := alivePeak(func() { s.api.ServeHTTP(recorder, request) }) - before
		t.Logf("%s: %d KB are in memory", path, held>>10)
		if body := recorder.Body.String(); recorder.Code != http.StatusOK || !strings.Contains(body, "Anvils ") {
			t.Errorf("%s: %d %.300s", path, recorder.Code, body)
		}
		if held > most {
			t.Errorf("%s: %d bytes are in memory at once", path, held)
		}
	}
}

// TestToolsKeepLittleOfLargeRows runs alone, as the tests above.
func TestToolsKeepLittleOfLargeRows(t *testing.T) { //nolint:paralleltest // see above
	const rows, size, most = 40, 1 << 20, 40 << 20
	s := start(t)
	s.seedLargeCompanies(rows, size)
	a := s.agent(s.key)
	before := alive()
	held := alivePeak(func() {
		if found, _ := a.ask("search_companies", map[string]any{"limit": rows}); len(found.at("companies").([]any)) != rows {
			t.Errorf("found %d companies", len(found.at("companies").([]any)))
		}
	}) - before
	if t.Logf("%d KB are in memory", held>>10); held > most {
		t.Errorf("%d bytes are in memory at once", held)
	}
}

// An answer that is sent in parts is the same as those of pages of few rows.
func TestListsOfLargeRowsAreWhole(t *testing.T) {
	t.Parallel()
	const rows, size = 12, 400 << 10
	s := start(t)
	s.seedLarge(rows, size)
	testkit.Exec(t, s.dbURL, `UPDATE companies SET notes = 'short' WHERE name IN ('Anvils 4', 'Anvils 5', 'Anvils 6')`)
	for member, path := range s.largeLists() {
		for _, limit := range []int{7, rows} {
			whole, cursor := s.idsOfPage(path+fmt.Sprint(limit), member)
			var single []string
			var next string
			for len(single) < limit {
				some, after := s.idsOfPage(path+"1"+next, member)
				single, next = append(single, some...), "&cursor="+after
			}
			if !slices.Equal(whole, single) || (cursor == "") != (limit == rows) {
				t.Errorf("%s: a page of %d has %v and the cursor %q, one by one they are %v", member, limit, whole, cursor, single)
			}
			if limit < rows {
				rest, end := s.idsOfPage(path+fmt.Sprint(limit)+"&cursor="+cursor, member)
				if len(rest) != rows-limit || end != "" {
					t.Errorf("%s: the cursor of a page of %d leads to %d rows", member, limit, len(rest))
				}
			}
		}
	}
}

// idsOfPage returns the ids of the rows of a list, and the cursor of the next page; "" at the end.
func (s *server) idsOfPage(path, member string) (ids []string, cursor string) {
	s.Helper()
	var page struct {
		Success  bool
		AuthType string
		Data     map[string]json.RawMessage
	}
	recorder := httptest.NewRecorder()
	s.api.ServeHTTP(recorder, s.plainRequest(http.MethodGet, path, "", nil))
	must(s.T, json.Unmarshal(recorder.Body.Bytes(), &page))
	var rows []struct{ ID string }
	must(s.T, json.Unmarshal(page.Data[member], &rows))
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	var pagination struct {
		NextCursor string `json:"next_cursor"`
	}
	must(s.T, json.Unmarshal(page.Data["pagination"], &pagination))
	if !page.Success || page.AuthType != "api_key" || len(page.Data) != 2 {
		s.Errorf("%s: the envelope is %.200s", path, recorder.Body)
	}
	return ids, pagination.NextCursor
}

// revoking is a response at whose first write revoke is called.
type revoking struct {
	http.ResponseWriter

	revoke func()
}

func (w revoking) Write(p []byte) (int, error) {
	w.revoke()
	return w.ResponseWriter.Write(p)
}

// A client whose list ends with an error must see that it is not whole.
func TestAListThatFailsInTheMiddleIsCutOff(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.seedLarge(8, 1<<20)
	if body := s.cutOff(s.largeLists()["companies"]+"100", "DELETE FROM api_keys"); strings.Contains(body, "pagination") {
		t.Errorf("the answer of %d bytes has its end", len(body))
	}
}

// cutOff asks for an answer, has the database run a statement when the first bytes of the answer are sent, and returns
// what came before the connection was dropped.
func (s *server) cutOff(path, statement string) string {
	s.Helper()
	revoke := sync.OnceFunc(func() { testkit.Exec(s.T, s.dbURL, statement) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.api.ServeHTTP(revoking{w, revoke}, r)
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, server.URL+path, nil)
	must(s.T, err)
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := server.Client().Do(request)
	must(s.T, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || err == nil {
		s.Errorf("%s: %d, %d bytes, %v", path, response.StatusCode, len(body), err)
	}
	return string(body)
}

package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// plainCompany makes a company without an analysis.
func (s *server) plainCompany(name string) string {
	s.Helper()
	return s.post(companies, s.key, fmt.Sprintf(`{"account_id":%q,"name":%q,"notes":%q}`, s.account.ID, name,
		"note of "+name)).want(http.StatusCreated).text("data.company.id")
}

func TestMergeOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, other := s.plainCompany("Acme"), s.plainCompany("Acme Inc.")
	_, strange := s.colleague("Mia Member", "member")
	path := companies + "/" + other + "/merge"
	wish := fmt.Sprintf(`{"into_company_id":%q,"keep":{"name":"merged"},"dry_run":`, one)
	after := s.get(s.accountPath("changes?after=now"), s.key).want(http.StatusOK).text("data.next_cursor")

	tried := s.post(path, s.key, wish+"true}").want(http.StatusOK)
	if tried.text("data.company.id")+tried.text("data.company.name") != one+"Acme Inc." || tried.at("data.merge") != nil ||
		tried.text("data.conflicts.0.field") != "name" || tried.text("data.conflicts.0.merged") != "Acme Inc." {
		t.Errorf("a dry run: %s", tried.Raw)
	}
	got := s.get(companies+"/"+other, s.key).want(http.StatusOK).text("data.company.notes")
	if got != "note of Acme Inc." {
		t.Errorf("after the dry run the other's notes are %q", got)
	}
	tag := s.get(companies+"/"+other, s.key).Header.Get("ETag")
	stale := request{
		Method: http.MethodPost, Path: path, Key: s.key, Body: wish + "false}",
		Header: http.Header{"If-Match": {`"other"`}},
	}
	s.send(stale).want(http.StatusPreconditionFailed)
	stale.Header = http.Header{"If-Match": {tag}, "Idempotency-Key": {"merge"}}
	done := s.send(stale).want(http.StatusOK)
	if again := s.send(stale).want(http.StatusOK); string(again.Raw) != string(done.Raw) {
		t.Errorf("a repeat answers %s, at first %s", again.Raw, done.Raw)
	}
	if got := done.text("data.company.name") + done.text("data.company.notes"); got !=
		"Acme Inc.note of Acme\n\n---\n\nnote of Acme Inc." {
		t.Errorf("the company is %s", done.Raw)
	}
	for _, gone := range []request{
		{Method: http.MethodGet, Path: companies + "/" + other},
		{Method: http.MethodGet, Path: companies + "/" + other + "/attachments"},
		{Method: http.MethodPatch, Path: companies + "/" + other, Body: `{"name":"New"}`},
		{Method: http.MethodDelete, Path: companies + "/" + other},
	} {
		gone.Key = s.key
		if got := s.send(gone).want(http.StatusGone); got.text("code") != "company_merged" || got.text("merged_into") != one {
			t.Errorf("%s %s: %s", gone.Method, gone.Path, got.Raw)
		}
	}
	if got := s.post(path, s.key, wish+"false}").want(http.StatusConflict); got.text("merged_into") != one {
		t.Errorf("merged again: %s", got.Raw)
	}
	s.hears(after, "deleted", "updated")

	s.send(request{
		Method: http.MethodPatch, Path: companies + "/" + one, Key: s.key, Body: `{"notes":"ours","visibility":"private"}`,
	}).want(http.StatusOK)
	s.get(companies+"/"+other, strange).want(http.StatusNotFound)
	undo := companies + "/" + other + "/unmerge"
	if got := s.post(undo, s.key, nil).want(http.StatusConflict).text("code"); got != "visibility_differs" {
		t.Errorf("what is hidden now comes back: %s", got)
	}
	s.send(request{
		Method: http.MethodPatch, Path: companies + "/" + one, Key: s.key, Body: `{"visibility":"team"}`,
	}).want(http.StatusOK)
	back := s.post(undo, s.key, nil).want(http.StatusOK)
	if back.text("data.conflicts.0.field") != "notes" || back.text("data.conflicts.0.id") != one ||
		back.text("data.company.id")+back.text("data.company.name") != other+"Acme Inc." {
		t.Errorf("the undo: %s", back.Raw)
	}
	if got := s.post(undo, s.key, nil).want(http.StatusConflict).text("code"); got != "not_merged" {
		t.Errorf("undone again: %s", got)
	}
	if got := s.get(companies+"/"+other, strange).want(http.StatusOK).text("data.company.name"); got != "Acme Inc." {
		t.Errorf("the other is %s", got)
	}
	listed := s.get(companies+"/"+one+"/merges", s.key).want(http.StatusOK)
	if listed.text("data.merges.0.merged_id") != other || listed.at("data.merges.0.undone_at") == nil {
		t.Errorf("the merges: %s", listed.Raw)
	}
	s.hears(after, "created")
}

// hears waits until the feed says each of these of companies: it ends below the oldest transaction of the whole server.
func (s *server) hears(after string, actions ...string) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got := string(s.get(s.accountPath("changes?kinds=company&after="+after), s.key).want(http.StatusOK).Raw)
		lacks := slices.DeleteFunc(slices.Clone(actions), func(one string) bool {
			return strings.Contains(got, `"action":"`+one+`"`)
		})
		if len(lacks) == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("the feed lacks %v: %s", lacks, got)
		}
	}
}

func TestCompaniesAreMergedOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	one, other := s.plainCompany("Acme"), s.plainCompany("Acme Inc.")
	page := s.consoleBase() + "/companies/" + one
	b.page(page, "Merge with…")
	b.page(page+"/merge", "Acme Inc.", "with="+other, "!with="+one)
	b.page(page+"/merge?with="+other, "Moved: the history.", "!0 files", "note of Acme Inc.",
		`name="keep.name"`, `name="keep.notes" value="both" checked`)
	done := b.submit(page+"/merge/do", url.Values{"other": {other}, "keep.name": {"merged"}})
	b.page(done.Header.Get("Location"), "is part of this company now", ">Undo<", "Acme Inc.")
	if got := b.open(s.consoleBase() + "/companies/" + other); got.Header.Get("Location") != page {
		t.Errorf("the merged one leads to %d %s", got.Status, got.Header.Get("Location"))
	}
	again := b.submit(page+"/merge/do", url.Values{"other": {other}})
	if again.Status != http.StatusConflict || !strings.Contains(string(again.Raw), "already") {
		t.Errorf("merged again: %d", again.Status)
	}
	undo := s.consoleBase() + "/companies/" + other + "/unmerge"
	undone := b.submit(undo, url.Values{})
	if twice := b.submit(undo, url.Values{}); twice.Status != http.StatusSeeOther {
		t.Errorf("undone again: %d", twice.Status)
	}
	b.page(undone.Header.Get("Location"), "is a company of its own again", ">Acme</h1>", "!>Undo<")
	b.page(s.consoleBase()+"/companies/"+other, ">Acme Inc.</h1>")
}

// The page knows the company by the team in its path: an address with another team's is of no page.
func TestAMergeIsNotUndoneOnAPageOfAnotherTeam(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	one, other := s.plainCompany("Acme"), s.plainCompany("Acme Inc.")
	s.post(companies+"/"+other+"/merge", s.key, map[string]any{"into_company_id": one}).want(http.StatusOK)
	elsewhere := "/app/" + testkit.Account(t, s.db, s.owner.ID, "Another team").ID.String() + "/companies/"
	for _, company := range []string{one, other} {
		b.submit(elsewhere+company+"/unmerge", url.Values{}).want(http.StatusNotFound)
	}
	listed := s.get(companies+"/"+one+"/merges", s.key).want(http.StatusOK)
	if listed.at("data.merges.0.undone_at") != nil {
		t.Errorf("a page of another team has undone the merge: %s", listed.Raw)
	}
}

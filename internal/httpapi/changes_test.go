package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// changesBehind returns the types and targets of the changes that somebody reads from a cursor on until there are no
// more, and the cursor behind them. It waits until the thing is among them, since transactions in other databases of
// the server hold changes back.
func (s *server) changesBehind(key, after, until string) (told []string, cursor string) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		answer := s.get(s.accountPath("changes?limit=3&kinds=company&after="+after), key).want(http.StatusOK)
		for _, one := range items(answer, "data.changes") {
			change, _ := one.(map[string]any)
			told = append(told, change["kind"].(string)+" "+change["action"].(string)+" "+change["id"].(string))
		}
		after = answer.text("data.next_cursor")
		if len(told) > 0 && strings.HasSuffix(told[len(told)-1], until) {
			return told, after
		}
	}
	s.Fatalf("%s is not told of: %q", until, told)
	return nil, ""
}

func items(r reply, path string) []any {
	list, _ := r.at(path).([]any)
	return list
}

func TestChangesAreFollowedByCursor(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true })
	_, colleague := s.colleague("Mia Member", "member")
	now := s.get(s.accountPath("changes?after=now"), s.key).want(http.StatusOK)
	if got := items(now, "data.changes"); len(got) != 0 {
		t.Errorf("from now on, %v has happened already", got)
	}
	create := map[string]any{"account_id": s.account.ID, "name": "Acme", "visibility": "private"}
	hidden := s.post(companies, s.key, create).want(http.StatusCreated).text("data.company.id")
	open := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Bolt"}).text("data.company.id")
	told, after := s.changesBehind(s.key, now.text("data.next_cursor"), open)
	if want := []string{"company created " + hidden, "company created " + open}; strings.Join(told,
		",") != strings.Join(want, ",") {
		t.Errorf("the owner is told %q, want %q", told, want)
	}
	told, others := s.changesBehind(colleague, now.text("data.next_cursor"), open)
	if len(told) != 1 {
		t.Errorf("a member is told %q", told)
	}
	s.change(companies+"/"+hidden, s.key, map[string]any{"visibility": "team"}).want(http.StatusOK)
	if told, _ := s.changesBehind(colleague, others, hidden); len(told) != 1 || told[0] != "company updated "+hidden {
		t.Errorf("a member is told %q of what they may see now", told)
	}
	s.send(request{Method: http.MethodDelete, Path: companies + "/" + open, Key: s.key}).want(http.StatusOK)
	if told, _ := s.changesBehind(s.key, after, open); told[len(told)-1] != "company deleted "+open {
		t.Errorf("told %q", told)
	}
}

func TestChangesOfChosenKinds(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true })
	after := s.get(s.accountPath("changes?after=now"), s.key).want(http.StatusOK).text("data.next_cursor")
	company := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).text("data.company.id")
	minutes := s.post(s.accountPath("meeting-minutes"), s.key, map[string]any{"title": "Call"}).
		want(http.StatusCreated).text("data.meeting_minutes.id")
	s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Bolt"}).want(http.StatusCreated)
	s.changesBehind(s.key, after, s.post(companies, s.key,
		map[string]any{"account_id": s.account.ID, "name": "Last"}).text("data.company.id"))
	told := items(s.get(s.accountPath("changes?kinds=meeting_minutes,email&after="+after), s.key).
		want(http.StatusOK), "data.changes")
	if len(told) != 1 {
		t.Fatalf("told %v, want the minutes alone", told)
	}
	change, _ := told[0].(map[string]any)
	members := slices.Sorted(maps.Keys(change))
	if !slices.Equal(members, []string{"action", "at", "cursor", "id", "kind"}) ||
		change["kind"] != "meeting_minutes" || change["action"] != "created" || change["id"] != minutes {
		t.Errorf("told %v", change)
	}
	first := s.watchChanges("kinds=meeting_minutes,company&limit=2&after="+after, "")
	for _, want := range []streamed{
		{name: "company.created", data: company}, {name: "meeting_minutes.created", data: minutes},
	} {
		if event := first.next(); event.name != want.name || event.target() != want.data {
			t.Errorf("told %+v, want %s of %s", event, want.name, want.data)
		}
	}
	for _, kinds := range []string{"deal", "company,deal", "company,", "", "companies", "company, email"} {
		for _, path := range []string{"changes", "changes/stream"} {
			refused := s.get(s.accountPath(path+"?kinds="+url.QueryEscape(kinds)), s.key).want(http.StatusBadRequest)
			if refused.text("details.0.field") != "kinds" {
				t.Errorf("%s of %q: %s", path, kinds, refused.Raw)
			}
		}
	}
}

func TestCursorsOfChangesAreProven(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true })
	elsewhere, key := s.stranger()
	foreign := s.get("/api/v1/accounts/"+elsewhere.ID.String()+"/changes?after=now",
		key).want(http.StatusOK).text("data.next_cursor")
	for name, after := range map[string]string{"no cursor": "x", "of another account": foreign} {
		s.get(s.accountPath("changes?after="+after), s.key).want(http.StatusBadRequest)
		answer := s.send(request{
			Path: s.accountPath("changes/stream"), Key: s.key,
			Header: http.Header{"Last-Event-Id": {after}},
		})
		if answer.Status != http.StatusBadRequest {
			t.Errorf("%s: the stream is %d", name, answer.Status)
		}
	}
	old := s.get(s.accountPath("changes?limit=1"), s.key).want(http.StatusOK).text("data.next_cursor")
	testkit.Exec(t, s.dbURL, "UPDATE changes SET at = now() - interval '40 days'")
	must(t, s.deps.Feed.Forget(t.Context(), 24*time.Hour))
	refused := s.get(s.accountPath("changes?after="+old), s.key).want(http.StatusGone)
	if refused.text("code") != "changes_gone" {
		t.Errorf("an old cursor: %s", refused.Raw)
	}
	s.send(request{Path: s.accountPath("changes/stream?after=" + old), Key: s.key}).want(http.StatusGone)
}

// TestChangesAreStreamed breaks the stream and goes on with the last id.
func TestChangesAreStreamed(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true })
	first := s.watchChanges("kinds=company&after=now", "")
	made := s.post(companies, s.key, map[string]any{
		"account_id": s.account.ID,
		"name":       "Acme",
	}).want(http.StatusCreated).text("data.company.id")
	event := first.next()
	if event.name != "company.created" || event.target() != made {
		t.Errorf("told %+v, want that %s is there", event, made)
	}
	first.stop()
	s.change(companies+"/"+made, s.key, map[string]any{"notes": "a"}).want(http.StatusOK)
	again := s.watchChanges("kinds=company&after=now", event.id)
	if missed := again.next(); missed.name != "company.updated" || missed.target() != made {
		t.Errorf("told %+v, want what happened meanwhile", missed)
	}
	testkit.Exec(t, s.dbURL, "DELETE FROM api_keys")
	testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team")
	if told := again.next(); told.name != "" {
		t.Errorf("a key that was deleted is told %+v", told)
	}
}

// stream is an open stream of changes.
type stream struct {
	*server

	lines *bufio.Scanner
	stop  func()
}

// streamed is an event; the zero value is the end of the stream.
type streamed struct{ id, name, data string }

func (e streamed) target() string {
	var change struct{ ID string }
	_ = json.Unmarshal([]byte(e.data), &change)
	return change.ID
}

func (s *server) watchChanges(query, last string) *stream {
	s.Helper()
	ctx, stop := context.WithCancel(s.Context())
	asked := s.request(http.MethodGet, s.accountPath("changes/stream?"+query), nil).WithContext(ctx)
	asked.Header.Set("Authorization", "Bearer "+s.key)
	if last != "" {
		asked.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultTransport.RoundTrip(asked)
	must(s.T, err)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		s.Fatalf("the stream is %d %s", answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	end := func() { stop(); _ = answer.Body.Close() }
	s.Cleanup(end)
	return &stream{server: s, lines: bufio.NewScanner(answer.Body), stop: end}
}

// next returns the next event that has data.
func (st *stream) next() streamed {
	var e streamed
	for st.lines.Scan() {
		name, value, _ := strings.Cut(st.lines.Text(), ": ")
		switch {
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			e.data = value
		case st.lines.Text() == "" && e.data != "":
			return e
		}
	}
	return streamed{}
}

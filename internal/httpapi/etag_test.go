package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/testkit"
)

func ifMatch(tag string) http.Header     { return http.Header{"If-Match": {tag}} }
func ifNoneMatch(tag string) http.Header { return http.Header{"If-None-Match": {tag}} }

// tag returns the ETag of a thing.
func (s *server) tag(path string) string {
	s.Helper()
	tag := s.get(path, s.key).want(http.StatusOK).Header.Get("ETag")
	if len(tag) != 34 || tag[0] != '"' || tag[33] != '"' {
		s.Fatalf("GET %s: ETag %s", path, tag)
	}
	return tag
}

// taggedThings makes one of each thing that has an ETag and can be changed, and returns their paths with a change.
func (s *server) taggedThings() map[string]map[string]any {
	s.Helper()
	company := companies + "/" + s.make(s.key, map[string]any{"metadata": map[string]any{"a": 1.50}})
	minutes := s.post(s.accountPath("meeting-minutes"), s.key,
		map[string]any{"title": "Talk", "attendees": []string{"Ada"}}).want(http.StatusCreated)
	submission := s.post(s.accountPath("form-submissions"), s.key,
		map[string]any{"data": []any{map[string]any{"key": "a"}}}).want(http.StatusCreated)
	email := uuid.New()
	testkit.Exec(s.T, s.dbURL, `INSERT INTO emails (id, account_id, external_id, from_email, content, content_preview,
		attachments_count)
		SELECT $1::uuid, $2, $1::uuid::text, 'ada@acme.example', 'Hi', 'Hi', 1`, email, s.account.ID)
	testkit.Exec(s.T, s.dbURL, `INSERT INTO email_attachments (id, account_id, email_id, filename, content_type,
		size_bytes, storage_path)
		VALUES ($1, $2, $1, 'deck.pdf', 'application/pdf', 1, 'emails/x')`, email, s.account.ID)
	hook := s.post(s.accountPath("webhooks"), s.key, map[string]any{"url": "https://hooks.example/a", "enabled": false}).
		want(http.StatusCreated)
	if hook.at("data.webhook.enabled") != false {
		s.Errorf("made %s, which was not to be enabled", hook.Raw)
	}
	analyzed := s.company(s.key, part{"text", "", "Anvils, made by hand."}) // names no company
	return map[string]map[string]any{
		company:                                  {"notes": "changed"},
		companies + "/" + analyzed + "/analysis": {"reviewed": []string{"name"}},
		s.accountPath("webhooks/" + hook.text("data.webhook.id")):                   {"events": []string{"company.created"}},
		s.accountPath("meeting-minutes/" + minutes.text("data.meeting_minutes.id")): {"content": "changed"},
		s.accountPath("form-submissions/" + submission.text("data.submission.id")):  {"processed": true},
		s.accountPath("emails/" + email.String()):                                   {"tags": []string{"changed"}},
	}
}

// deletable reports whether the thing at a path of taggedThings can be deleted.
func deletable(path string) bool {
	return !strings.Contains(path, "emails") && !strings.Contains(path, "submissions") &&
		!strings.HasSuffix(path, "/analysis")
}

func TestThingsHaveETags(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, change := range s.taggedThings() {
		tag := s.tag(path)
		for _, given := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			got := s.send(request{Path: path, Key: s.key, Header: ifNoneMatch(given)}).want(http.StatusNotModified)
			if len(got.Raw) > 0 || got.Header.Get("ETag") != tag {
				t.Errorf("%s, If-None-Match %s: %q, ETag %s", path, given, got.Raw, got.Header.Get("ETag"))
			}
		}
		if got := s.send(request{Path: path, Key: s.key, Header: ifNoneMatch(`"other"`)}); got.Status != http.StatusOK ||
			len(got.Raw) == 0 {
			t.Errorf("%s: %d for a tag that it does not have", path, got.Status)
		}
		changed := s.send(request{Method: http.MethodPatch, Path: path, Key: s.key, Header: ifMatch(tag), Body: change}).
			want(http.StatusOK)
		if now := s.tag(path); now == tag || changed.Header.Get("ETag") != now {
			t.Errorf("%s: the tag was %s, PATCH says %s, GET %s", path, tag, changed.Header.Get("ETag"), now)
		}
		s.send(request{Path: path, Key: s.key, Header: ifNoneMatch(tag)}).want(http.StatusOK)
	}
	for _, path := range []string{"/api/v1/auth/me", s.importPath(), s.accountPath("dashboard?days=7")} {
		s.send(request{Path: path, Key: s.key, Header: ifNoneMatch(s.tag(path))}).want(http.StatusNotModified)
	}
	s.send(request{Path: companies + "/" + missing(), Key: s.key, Header: ifNoneMatch("*")}).want(http.StatusNotFound)
}

// importPath makes an import and returns its path.
func (s *server) importPath() string {
	s.Helper()
	id := uuid.New()
	testkit.Exec(s.T, s.dbURL,
		"INSERT INTO imports (id, account_id, kind, format, status, created_by) VALUES ($1, $2, 'emails', 'mbox', "+
			"'completed', $3)",
		id, s.account.ID, s.owner.ID)
	return s.accountPath("imports/" + id.String())
}

func TestStaleChangesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	things := s.taggedThings()
	link := s.post(s.accountPath("shared-links"), s.key, map[string]any{
		"companies": []any{map[string]any{"company_id": s.make(s.key, nil), "permissions": "view"}},
	}).want(http.StatusCreated).text("data.link.id")
	things[s.accountPath("shared-links/"+link)] = nil
	for path, change := range things {
		tag := s.tag(path)
		for _, given := range []string{`"other"`, "W/" + tag, strings.Trim(tag, `"`), `""`, strings.Repeat("x", 34)} {
			if change != nil {
				s.send(request{Method: http.MethodPatch, Path: path, Key: s.key, Header: ifMatch(given), Body: change}).
					refused(412, "Precondition failed", "precondition_failed", "")
			}
			if deletable(path) {
				s.send(request{Method: http.MethodDelete, Path: path, Key: s.key, Header: ifMatch(given)}).
					refused(412, "Precondition failed", "precondition_failed", "")
			}
		}
		if now := s.tag(path); now != tag {
			t.Errorf("%s: a refused change changed it", path)
		}
		if change != nil {
			s.send(request{Method: http.MethodPatch, Path: path, Key: s.key, Header: ifMatch("*"), Body: change}).
				want(http.StatusOK)
		}
		if deletable(path) {
			s.send(request{Method: http.MethodDelete, Path: path, Key: s.key, Header: ifMatch(`"other",` + s.tag(path))}).
				want(http.StatusOK)
		}
	}
	s.send(request{
		Method: http.MethodPatch, Path: companies + "/" + missing(), Key: s.key, Header: ifMatch(`"x"`), Body: "{}",
	}).want(http.StatusNotFound)
	_, member := s.colleague("Mia Member", "member")
	setting := s.accountPath("company-settings/" + missing())
	s.send(request{Method: http.MethodDelete, Path: setting, Key: member, Header: ifMatch(`"x"`)}).
		refused(412, "Precondition failed", "precondition_failed", "") // it has no ETag
	s.send(request{Method: http.MethodDelete, Path: setting, Key: "mk_nobody", Header: ifMatch(`"x"`)}).
		want(http.StatusUnauthorized)
}

// What is embedded in a thing is part of its version.
func TestETagsFollowWhatIsEmbedded(t *testing.T) {
	t.Parallel()
	var clock struct {
		sync.Mutex

		passed time.Duration
	}
	s := start(t, func(c *setup) {
		c.Now = func() time.Time {
			clock.Lock()
			defer clock.Unlock()
			return time.Now().Add(clock.passed)
		}
	})
	status := s.get(s.statusesPath(), s.key).text("data.0.id")
	path := companies + "/" + s.company(s.key, part{"file_0", "deck.pdf", samplePDF(t)},
		part{Name: "company_status_id", Value: status})
	withURL := path + "?include_download_url=true"
	seen := map[string]string{s.tag(path): "at first"}
	step := func(what string, do func()) {
		do()
		tag := s.tag(path)
		if before, known := seen[tag]; known {
			t.Errorf("%s: the tag is as %s", what, before)
		}
		seen[tag] = what
	}
	user, _ := s.colleague("Mia Member", "member")
	step("the status was renamed", func() {
		s.send(request{
			Method: http.MethodPatch, Path: s.statusesPath() + "/" + status, Key: s.key, Body: map[string]any{"name": "Renamed"},
		}).want(http.StatusOK)
	})
	step("somebody was assigned", func() {
		s.send(request{Method: http.MethodPatch, Path: path, Key: s.key, Body: map[string]any{"assignees": []any{user.ID}}}).
			want(http.StatusOK)
	})
	step("the assignee was renamed", func() {
		testkit.Exec(t, s.dbURL, "UPDATE users SET name = 'Mia Moved' WHERE id = $1", user.ID)
	})
	plain, signed := s.tag(path), s.tag(withURL)
	if plain[:17] != signed[:17] || plain == signed {
		t.Errorf("without a URL %s, with one %s", plain, signed)
	}
	clock.Lock()
	clock.passed = time.Hour
	clock.Unlock()
	if later := s.tag(withURL); later == signed || s.tag(path) != plain {
		t.Errorf("an hour later %s, with a URL %s", s.tag(path), later)
	}
	s.send(request{
		Method: http.MethodPatch, Path: path, Key: s.key, Header: ifMatch(signed), Body: map[string]any{"notes": "x"},
	}).want(http.StatusOK)
}

func TestVisitsDoNotChangeTheVersionOfALink(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := s.post(s.accountPath("shared-links"), s.key, map[string]any{
		"companies": []any{map[string]any{"company_id": s.make(s.key, nil), "permissions": "view"}},
	}).want(http.StatusCreated)
	path := s.accountPath("shared-links/" + made.text("data.link.id"))
	before := s.tag(path)
	s.open(made.text("data.link.short_code")).want(http.StatusOK)
	if seen := s.get(path, s.key); seen.at("data.link.last_opened_at") == nil || seen.Header.Get("ETag") == before {
		t.Errorf("after a visit the link is %s, with the ETag %s; want a last_opened_at and another ETag", seen.Raw,
			seen.Header.Get("ETag"))
	}
	s.send(request{Method: http.MethodDelete, Path: path, Key: s.key, Header: ifMatch(before)}).want(http.StatusOK)
}

// Of several who saw the same, one wins: no update is lost.
func TestConcurrentChangesAreNotLost(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, change := range s.taggedThings() {
		if strings.Contains(path, "webhooks") || strings.HasSuffix(path, "/analysis") {
			continue // nothing of these is added to
		}
		member := "metadata"
		if strings.Contains(path, "emails") {
			member = "tags"
		}
		const writers = 4
		var done sync.WaitGroup
		for n := range writers {
			done.Go(func() {
				for range 40 {
					tag := s.get(path, s.key).Header.Get("ETag")
					body := maps.Clone(change)
					body[member] = map[string]any{fmt.Sprint("writer", n): true}
					if member == "tags" {
						thing := s.get(path, s.key)
						if thing.Header.Get("ETag") != tag {
							continue
						}
						body[member] = append(thing.at("data.email.tags").([]any), fmt.Sprint("writer", n))
					}
					if got := s.send(request{
						Method: http.MethodPatch, Path: path, Key: s.key, Header: ifMatch(tag), Body: body,
					}); got.Status == http.StatusOK {
						return
					} else if got.Status != http.StatusPreconditionFailed {
						t.Errorf("%s: %d %s", path, got.Status, got.Raw)
						return
					}
				}
				t.Errorf("%s: writer %d never won", path, n)
			})
		}
		done.Wait()
		if now := string(s.get(path, s.key).Raw); strings.Count(now, `"writer`) != writers {
			t.Errorf("%s: of %d writers there are %d in %s", path, writers, strings.Count(now, `"writer`), now)
		}
	}
	// All at once with one tag: exactly one wins.
	path := companies + "/" + s.make(s.key, nil)
	tag, won := s.tag(path), make(chan bool, 8)
	for n := range cap(won) {
		go func() {
			got := s.send(request{
				Method: http.MethodPatch, Path: path, Key: s.key, Header: ifMatch(tag),
				Body: map[string]any{"notes": fmt.Sprint(n)},
			})
			won <- got.Status == http.StatusOK
		}()
	}
	winners := 0
	for range cap(won) {
		if <-won {
			winners++
		}
	}
	if winners != 1 {
		t.Errorf("%d writers with one tag won", winners)
	}
}

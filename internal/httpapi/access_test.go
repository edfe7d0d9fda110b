package httpapi_test

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/email"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/testkit"
)

// The kinds of callers, in the order of the columns below: without a key, with a deleted key, of another team, a member
// who does not see the company, a member and an admin with whom it is shared, and the owner, who made it.
const (
	nobody = iota
	deleted
	stranger
	blind
	member
	admin
	owner
	callers
)

// ask is the path and the body of a request; the body is nil for none.
type ask struct {
	path string
	body any
}

// access is the statuses that each kind of caller gets from a route. If Shows is set, the responses to callers who see
// the company must contain it.
type access struct {
	route string
	ask   func(*scene) ask
	want  [callers]int
	shows string
}

// scene is a company that only some members of a team see, with a record of each kind that may belong to it, and
// records of the team.
type scene struct {
	*server

	keys    [callers]string
	company string
	hidden  []string // what says something of the company, or of what hangs on it
	ids     map[string]string
}

// name is in all that belongs to the company, and in nothing else.
const name = "Hydrogen"

// guarded returns the statuses of a route that needs a key: 401 without a key and with a deleted one, and otherwise the
// given ones.
func guarded(forStranger, forBlind, forMember, forAdmin, forOwner int) [callers]int {
	return [callers]int{401, 401, forStranger, forBlind, forMember, forAdmin, forOwner}
}

func everybody(status int) [callers]int {
	return [callers]int{status, status, status, status, status, status, status}
}

func (s *server) newScene(keys [callers]string, members []uuid.UUID) *scene {
	s.Helper()
	sc := &scene{server: s, keys: keys, ids: map[string]string{}}
	sc.company = s.company(s.key, part{"name", "", name}, part{"visibility", "", "shared"},
		part{"file_0", name + ".txt", "deck"})
	extra := testkit.User(s.T, s.db, "Eve Extra")
	testkit.Member(s.T, s.db, s.account.ID, extra.ID, account.RoleMember)
	sc.ids["extra"], sc.ids["membership"] = extra.ID.String(), s.membership(extra.ID.String())
	for _, user := range append(members, extra.ID) {
		s.post(companies+"/"+sc.company+"/shares", s.key, map[string]any{"user_id": user}).want(http.StatusCreated)
	}
	sc.ids["minutes"] = s.post(s.accountPath("meeting-minutes"), s.key,
		map[string]any{"title": name, "company_id": sc.company}).text("data.meeting_minutes.id")
	// It never was without its company: else everybody saw it once, and the feed of changes says that it is gone.
	sc.ids["submission"] = s.post(s.accountPath("form-submissions"), s.key,
		map[string]any{"data": answers(name), "company_id": sc.company}).text("data.submission.id")
	sc.ids["email"] = s.receive(email.Draft{
		Subject:    new("Team mail"),
		CompanyIDs: []uuid.UUID{uuid.MustParse(sc.company)},
	})
	sc.ids["attachment"] = s.attached(sc.company)
	sc.ids["link"], sc.ids["code"] = s.share(s.key, "view", map[string]any{"name": name}, sc.company)
	sc.ids["status"] = s.post(s.statusesPath(), s.key, `{"name":"Other"}`).text("data.id")
	sc.ids["field"] = s.post(s.accountPath("company-settings"), s.key,
		map[string]any{"name": uuid.NewString(), "field_type": "text"}).text("data.field.id")
	invited := s.post(s.accountPath("invitations"), s.key, map[string]any{"email": uuid.NewString() + "@fund.example"})
	sc.ids["invitation"], sc.ids["token"] = invited.text("data.invitation.id"), path.Base(invited.text("data.accept_url"))
	sc.ids["import"] = s.importOf("emails", "application/x-ndjson",
		`{"subject":"nobody sent it"}`).ended("completed").text("data.import.id")
	integration := s.post(s.accountPath("integrations"), s.key, map[string]any{"kind": "email", "name": "Mailbox"})
	sc.ids["integration"], sc.ids["hook"] = integration.text("data.integration.id"),
		path.Base(integration.text("data.integration.hook_url"))
	sc.ids["view"] = s.post(s.accountPath("saved-views"), s.key,
		`{"name":"Everybody's","shared":true}`).text("data.saved_view.id")
	sc.ids["ownView"] = s.post(s.accountPath("saved-views"), s.key, `{"name":"The owner's"}`).text("data.saved_view.id")
	sc.ids["webhook"] = s.post(s.accountPath("webhooks"), s.key,
		map[string]any{"url": "https://hooks.example/a"}).text("data.webhook.id")
	sc.ids["delivery"] = s.post(s.accountPath("webhooks/"+sc.ids["webhook"]+"/test"), s.key, nil).text("data.delivery.id")
	sc.ids["key"] = s.post("/api/v1/api-keys", s.key, `{"name":"spare"}`).text("data.api_key.id")
	sc.hidden = []string{
		name, sc.company, sc.ids["minutes"], sc.ids["submission"], sc.ids["attachment"], sc.ids["link"],
		sc.ids["code"],
	}
	return sc
}

func answers(value string) []any {
	return []any{map[string]any{"key": "a", "label": "A", "type": "INPUT_TEXT", "value": value}}
}

// attached attaches a file to a company and returns its id.
func (s *server) attached(company string) string {
	s.Helper()
	body, media := encodeForm(s.T, part{"file", name + ".txt", "notes"}, part{"title", "", name})
	return s.send(request{
		Method: http.MethodPost, Path: companies + "/" + company + "/attachments", Key: s.key,
		Body: body, Type: media,
	}).text("data.attachment.id")
}

// at makes a request to a path below the account, with ids of the scene by their names in braces.
func at(path string, body any) func(*scene) ask {
	return func(sc *scene) ask { return ask{sc.accountPath(sc.fill(path)), body} }
}

// below returns an ask for a path below /api/v1, with ids of the scene in place of their names in braces.
func below(path string, body any) func(*scene) ask {
	return func(sc *scene) ask { return ask{"/api/v1/" + sc.fill(path), body} }
}

// fill puts the scene's ids in place of their names.
func (sc *scene) fill(path string) string {
	path = strings.ReplaceAll(path, "{company}", sc.company)
	for name, id := range sc.ids {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	return path
}

// ndjson is a file to import.
type ndjson string

// multi is a multipart body; its parts name ids of the scene too.
type multi []part

// fieldOf returns an ask that creates a field with a unique name.
func fieldOf(sc *scene) ask {
	return ask{sc.accountPath("company-settings"), map[string]any{"name": uuid.NewString(), "field_type": "text"}}
}

func open(path string) func(*scene) ask {
	return func(sc *scene) ask { return ask{sc.fill(path), nil} }
}

// TestEveryRouteForEveryKindOfCaller walks the table, and the router to see that the table lacks nothing.
func TestEveryRouteForEveryKindOfCaller(t *testing.T) {
	t.Parallel()
	s := start(t)
	table := accessTable()
	for _, route := range s.api.Routes() {
		served := route.Method + " " + route.Path
		if strings.HasPrefix(route.Path, "/admin/queues") {
			served = "ANY " + route.Path
		}
		if route.Method == http.MethodHead {
			continue
		}
		row := slices.IndexFunc(table, func(a access) bool { return a.route == served })
		if row < 0 {
			t.Errorf("%s is served, and the table does not say for whom", served)
		} else if !fits(route.Access, table[row].want) {
			t.Errorf("%s is for %v, and callers get %v", served, route.Access, table[row].want)
		}
	}
	people, keys := s.everyKindOfCaller()
	sc := s.newScene(keys, people)
	for _, row := range table {
		method, _, _ := strings.Cut(strings.Replace(row.route, "ANY", http.MethodGet, 1), " ")
		for caller, want := range row.want {
			asked := row.ask(sc)
			got := sc.walk(method, row, asked, caller)
			if got.Status != want {
				t.Errorf("%s: %s gets %d, want %d: %.300s", row.route, callerName(caller), got.Status, want, got.Raw)
			}
			sc.look(row, asked, caller, got)
			if method == http.MethodDelete && got.Status < http.StatusBadRequest { // the next caller needs the thing too
				sc = s.newScene(keys, people)
			}
		}
	}
}

// fits reports whether the statuses that callers get agree with who may use the route by the table of routes.
func fits(who route.Access, want [callers]int) bool {
	refused := func(caller int) bool { return want[caller] == http.StatusForbidden }
	keyed := want[nobody] == http.StatusUnauthorized && want[deleted] == http.StatusUnauthorized
	switch who.String() {
	case "users":
		return keyed
	case "members":
		return keyed && refused(stranger) && !refused(blind)
	case "admins":
		return keyed && refused(stranger) && refused(blind) && refused(member) && !refused(admin)
	case "viewers":
		return keyed && refused(stranger) && want[blind] == http.StatusNotFound && !refused(member)
	}
	return want[nobody] == want[owner]
}

func callerName(caller int) string {
	return []string{
		"nobody", "a deleted key", "a stranger", "a member without sight", "a member", "an admin",
		"the owner",
	}[caller]
}

// everyKindOfCaller returns a key for each kind of caller, and the ids of the users with whom the scene's company is
// shared.
func (s *server) everyKindOfCaller() ([]uuid.UUID, [callers]string) {
	s.Helper()
	var keys [callers]string
	keys[deleted] = testkit.Key(s.T, s.db, s.owner.ID)
	must(s.T, s.deps.Keys.Delete(s.Context(), s.owner.ID, s.keyID(keys[deleted])))
	_, keys[stranger] = s.stranger()
	_, keys[blind] = s.colleague("Ben Blind", account.RoleMember)
	mia, key := s.colleague("Mia Member", account.RoleMember)
	ann, adminKey := s.colleague("Ann Admin", account.RoleAdmin)
	keys[member], keys[admin], keys[owner] = key, adminKey, s.key
	return []uuid.UUID{mia.ID, ann.ID}, keys
}

// walk sends the request of a row as a caller, and returns the response. For a GET it also checks that HEAD has the
// same status.
func (sc *scene) walk(method string, row access, asked ask, caller int) reply {
	sc.Helper()
	sent := request{Method: method, Path: asked.path, Key: sc.keys[caller], Body: asked.body}
	if lines, isFile := asked.body.(ndjson); isFile {
		sent.Body, sent.Type = string(lines), "application/x-ndjson"
	}
	if parts, isForm := asked.body.(multi); isForm {
		sent.Body, sent.Type = encodeForm(sc.T, parts...)
		if parts == nil {
			sent.Body, sent.Type = "password=x", "application/x-www-form-urlencoded"
		}
	}
	got := sc.send(sent)
	if method == http.MethodGet && !strings.HasPrefix(row.route, "ANY") {
		sent.Method = http.MethodHead
		if head := sc.send(sent); head.Status != got.Status {
			sc.Errorf("HEAD of %s is %d, GET %d", row.route, head.Status, got.Status)
		}
	}
	return got
}

// look checks that a response contains no name of something that the caller may not see, unless they sent it, and that
// it contains what it must.
func (sc *scene) look(row access, asked ask, caller int, got reply) {
	sc.Helper()
	if strings.HasSuffix(row.route, " /s/:code") || strings.HasSuffix(row.route, " /invitations/:token") ||
		strings.HasSuffix(row.route, "/openapi.json") || strings.HasSuffix(row.route, "/docs") {
		return // these are for everybody: what a link shares, and examples
	}
	text := string(got.Raw)
	var secrets []string
	if caller <= blind {
		secrets = sc.hidden
	}
	if caller <= stranger {
		secrets = append(slices.Clone(secrets), sc.account.ID.String(), sc.account.Name, "Olivia", sc.owner.Email,
			"Team mail", "Eve Extra", "Ben Blind")
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) && !strings.Contains(fmt.Sprint(asked.body), secret) {
			sc.Errorf("%s tells %s of %q: %.500s", row.route, callerName(caller), secret, text)
		}
	}
	if shows := sc.fill(row.shows); caller >= member && !strings.Contains(text, shows) {
		sc.Errorf("%s does not show %s %q: %.500s", row.route, callerName(caller), shows, text)
	}
}

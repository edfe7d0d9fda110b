package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/email"
	"dealflow/internal/httpapi"
	"dealflow/internal/testkit"
)

// Whoever asks, in the order of the columns below: without a key, with a deleted one, of another team, a member
// without sight of the company, a member and an admin with whom it is shared, and the owner, who made it.
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

// ask is what is sent to one route, made of the things of a scene; body nil for none.
type ask struct {
	path string
	body any
}

// access is what each kind of caller gets of a route. Shows must be in the answer of those who see the company, where
// it is set.
type access struct {
	route string
	ask   func(*scene) ask
	want  [callers]int
	shows string
}

// scene is a company that only some of a team see, with everything that can hang on it, and beside it what the team
// has.
type scene struct {
	*server

	keys    [callers]string
	company string
	hidden  []string // what says something of the company, or of what hangs on it
	ids     map[string]string
}

// name is in all that hangs on the company, and in nothing else.
const name = "Hydrogen"

// Patterns of what is wanted. All but open routes want a key.
func guarded(forStranger, forBlind, forMember, forAdmin, forOwner int) [callers]int {
	return [callers]int{401, 401, forStranger, forBlind, forMember, forAdmin, forOwner}
}

func everybody(status int) [callers]int {
	return [callers]int{status, status, status, status, status, status, status}
}

func (s *server) newScene(keys [callers]string, members []uuid.UUID) *scene {
	s.Helper()
	sc := &scene{server: s, keys: keys, ids: map[string]string{}}
	sc.company = s.company(s.key, part{"name", "", name}, part{"visibility", "", "shared"}, part{"file_0", name + ".txt", "deck"})
	extra := testkit.User(s.T, s.db, "Eve Extra")
	testkit.Member(s.T, s.db, s.account.ID, extra.ID, account.RoleMember)
	sc.ids["extra"], sc.ids["membership"] = extra.ID.String(), s.membership(extra.ID.String())
	for _, user := range append(members, extra.ID) {
		s.post(companies+"/"+sc.company+"/shares", s.key, map[string]any{"user_id": user}).want(http.StatusCreated)
	}
	sc.ids["minutes"] = s.post(s.accountPath("meeting-minutes"), s.key, map[string]any{"title": name, "company_id": sc.company}).text("data.meeting_minutes.id")
	// It never was without its company: else everybody saw it once, and the feed of changes says that it is gone.
	sc.ids["submission"] = s.post(s.accountPath("form-submissions"), s.key, map[string]any{"data": answers(name), "company_id": sc.company}).text("data.submission.id")
	sc.ids["email"] = s.receive(email.Draft{Subject: new("Team mail"), CompanyIDs: []uuid.UUID{uuid.MustParse(sc.company)}})
	sc.ids["attachment"] = s.attached(sc.company)
	sc.ids["link"], sc.ids["code"] = s.share(s.key, "view", map[string]any{"name": name}, sc.company)
	sc.ids["status"] = s.post(s.statusesPath(), s.key, `{"name":"Other"}`).text("data.id")
	sc.ids["field"] = s.post(s.accountPath("company-settings"), s.key, map[string]any{"name": uuid.NewString(), "field_type": "text"}).text("data.field.id")
	invited := s.post(s.accountPath("invitations"), s.key, map[string]any{"email": uuid.NewString() + "@fund.example"})
	sc.ids["invitation"], sc.ids["token"] = invited.text("data.invitation.id"), path.Base(invited.text("data.accept_url"))
	sc.ids["import"] = s.importOf("emails", "application/x-ndjson", `{"subject":"nobody sent it"}`).ended("completed").text("data.import.id")
	integration := s.post(s.accountPath("integrations"), s.key, map[string]any{"kind": "email", "name": "Mailbox"})
	sc.ids["integration"], sc.ids["hook"] = integration.text("data.integration.id"), path.Base(integration.text("data.integration.hook_url"))
	sc.ids["webhook"] = s.post(s.accountPath("webhooks"), s.key, map[string]any{"url": "https://hooks.example/a"}).text("data.webhook.id")
	sc.ids["delivery"] = s.post(s.accountPath("webhooks/"+sc.ids["webhook"]+"/test"), s.key, nil).text("data.delivery.id")
	sc.ids["key"] = s.post("/api/v1/api-keys", s.key, `{"name":"spare"}`).text("data.api_key.id")
	sc.hidden = []string{name, sc.company, sc.ids["minutes"], sc.ids["submission"], sc.ids["attachment"], sc.ids["link"], sc.ids["code"]}
	return sc
}

func answers(value string) []any {
	return []any{map[string]any{"key": "a", "label": "A", "type": "INPUT_TEXT", "value": value}}
}

// attached attaches a file to a company and gives its id.
func (s *server) attached(company string) string {
	s.Helper()
	body, media := encodeForm(s.T, part{"file", name + ".txt", "notes"}, part{"title", "", name})
	return s.send(request{Method: http.MethodPost, Path: companies + "/" + company + "/attachments", Key: s.key, Body: body, Type: media}).text("data.attachment.id")
}

// at makes a request to a path below the account, with ids of the scene by their names in braces.
func at(path string, body any) func(*scene) ask {
	return func(sc *scene) ask { return ask{sc.accountPath(sc.fill(path)), body} }
}

// below makes a request to a path below the version.
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

// accessTable is what everybody gets of every route.
func accessTable() []access {
	var (
		team    = guarded(403, 200, 200, 200, 200)
		adds    = guarded(403, 201, 201, 201, 201)
		lead    = guarded(403, 403, 403, 200, 200)
		leadAdd = guarded(403, 403, 403, 201, 201)
		sighted = guarded(403, 404, 200, 200, 200)
		sees    = guarded(403, 404, 201, 201, 201)
		cites   = guarded(403, 400, 201, 201, 201)
		takes   = guarded(403, 202, 202, 202, 202)
		any200  = guarded(200, 200, 200, 200, 200)
		any403  = guarded(403, 403, 403, 403, 403)
		any400  = guarded(400, 400, 400, 400, 400)
		member1 = map[string]any{"role": "member"}
	)
	const acc, co = "/api/v1/accounts/:account_id/", "/api/v1/companies"
	about := func(path string, more map[string]any) func(*scene) ask {
		return func(sc *scene) ask {
			body := map[string]any{"company_id": sc.company}
			maps.Copy(body, more)
			return ask{sc.accountPath(path), body}
		}
	}
	// In a line: the route, what is asked of it, what each caller gets, and what those who see the company find in the
	// answer.
	return []access{
		{"GET /healthz", open("/healthz"), everybody(200), ""},
		{"GET /readyz", open("/readyz"), everybody(200), ""},
		{"GET /docs", open("/docs"), everybody(200), ""},
		{"GET /docs/*file", open("/docs/start.js"), everybody(200), ""},
		{"GET /api/v1/openapi.json", open("/api/v1/openapi.json"), everybody(200), ""},
		{"GET /metrics", open("/metrics"), everybody(401), ""},
		{"ANY /admin/queues", open("/admin/queues"), everybody(401), ""},
		{"ANY /admin/queues/*path", open("/admin/queues/api/queues"), everybody(401), ""},
		{"GET /admin/system", open("/admin/system"), everybody(401), ""},
		{"POST /admin/system/retry", func(*scene) ask { return ask{"/admin/system/retry", multi(nil)} }, everybody(401), ""},
		{"GET /files/*path", open("/files/companies/{company}/{attachment}"), everybody(403), ""},
		{"GET /s/:code", open("/s/{code}"), everybody(200), ""},
		{"GET /invitations/:token", open("/invitations/{token}"), everybody(200), ""},
		{"POST /invitations/:token", func(*scene) ask { return ask{"/invitations/unknown", multi(nil)} }, everybody(404), ""},
		{"GET /s/:code/deck/:company/:page", open("/s/{code}/deck/{company}/1"), everybody(404), ""},
		{"POST /s/:code/time", func(sc *scene) ask { return ask{"/s/" + sc.ids["code"] + "/time", multi(nil)} }, everybody(404), ""},
		{"POST /s/:code", func(sc *scene) ask { return ask{"/s/" + sc.ids["code"], multi(nil)} }, everybody(303), ""},

		{"GET /", open("/"), everybody(303), ""},
		{"GET /signin", open("/signin"), everybody(200), ""},
		{"POST /signin", func(*scene) ask { return ask{"/signin", multi(nil)} }, everybody(400), ""},
		{"POST /signout", func(*scene) ask { return ask{"/signout", multi(nil)} }, everybody(303), ""},
		{"GET /app", open("/app"), everybody(303), ""},
		{"GET /app/*page", open("/app/unknown/board"), everybody(303), ""},
		{"POST /app/*page", func(*scene) ask { return ask{"/app/unknown", multi(nil)} }, everybody(404), ""},
		{"GET /assets/*file", open("/assets/console.css"), everybody(200), ""},

		{"POST /mcp", func(*scene) ask { return ask{"/mcp", `{}`} }, guarded(400, 400, 400, 400, 400), ""},
		{"POST /hooks/:token", func(sc *scene) ask { return ask{"/hooks/" + sc.ids["hook"], `{"From":"a@x.example"}`} }, everybody(401), ""},
		{"POST /api/v1/auth/login", below("auth/login", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/register", below("auth/register", "{}"), everybody(400), ""},
		{"POST /api/v1/invitations/accept", below("invitations/accept", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/logout", below("auth/logout", nil), any200, ""},
		{"GET /api/v1/auth/me", below("auth/me", nil), any200, ""},
		{"POST /api/v1/auth/password", below("auth/password", "{}"), any400, ""},
		{"POST /api/v1/auth/password/reset", below("auth/password/reset", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/password/reset/confirm", below("auth/password/reset/confirm", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/email/verify", below("auth/email/verify", "{}"), everybody(400), ""},
		{"POST /api/v1/auth/email/verify/send", below("auth/email/verify/send", nil), guarded(409, 409, 409, 409, 409), ""},
		{"POST /api/v1/auth/totp", below("auth/totp", `{"password":"a"}`), any403, ""},
		{"POST /api/v1/auth/totp/confirm", below("auth/totp/confirm", `{"code":"123456"}`), any403, ""},
		{"DELETE /api/v1/auth/totp", below("auth/totp", `{"password":"a"}`), any403, ""},
		{"GET /api/v1/auth/sessions", below("auth/sessions", nil), any200, ""},
		{"DELETE /api/v1/auth/sessions", below("auth/sessions", nil), any200, ""},
		{"DELETE /api/v1/auth/sessions/:id", below("auth/sessions/"+uuid.NewString(), nil), guarded(404, 404, 404, 404, 404), ""},
		{"GET /verify/:token", open("/verify/unknown"), everybody(200), ""},
		{"POST /verify/:token", func(*scene) ask { return ask{"/verify/unknown", multi(nil)} }, everybody(410), ""},
		{"GET /reset/:token", open("/reset/unknown"), everybody(200), ""},
		{"POST /reset/:token", func(*scene) ask { return ask{"/reset/unknown", multi(nil)} }, everybody(400), ""},

		{"GET /api/v1/accounts", below("accounts", nil), any200, ""},
		{"GET " + acc + "company-statuses", at("company-statuses", nil), team, "Other"},
		{"POST " + acc + "company-statuses", at("company-statuses", `{"name":"New one"}`), leadAdd, ""},
		{"PATCH " + acc + "company-statuses/:id", at("company-statuses/{status}", `{"name":"Changed"}`), lead, ""},
		{"DELETE " + acc + "company-statuses/:id", at("company-statuses/{status}", nil), lead, ""},
		{"GET " + acc + "company-settings", at("company-settings", nil), team, ""},
		{"POST " + acc + "company-settings", fieldOf, leadAdd, ""},
		{"PATCH " + acc + "company-settings/:id", at("company-settings/{field}", `{"required":true}`), lead, ""},
		{"DELETE " + acc + "company-settings/:id", at("company-settings/{field}", nil), lead, ""},
		{"GET " + acc + "integrations", at("integrations", nil), lead, ""},
		{"POST " + acc + "integrations", at("integrations", `{"kind":"tally","name":"Forms"}`), leadAdd, ""},
		{"PATCH " + acc + "integrations/:id", at("integrations/{integration}", `{"enabled":false}`), lead, ""},
		{"DELETE " + acc + "integrations/:id", at("integrations/{integration}", nil), lead, ""},
		{"POST " + acc + "integrations/:id/rotate", at("integrations/{integration}/rotate", nil), lead, ""},
		{"GET " + acc + "integrations/:id/receipts", at("integrations/{integration}/receipts", nil), lead, ""},
		{"GET " + acc + "members", at("members", nil), team, "Eve Extra"},
		{"PATCH " + acc + "members/:id", at("members/{membership}", member1), lead, ""},
		{"DELETE " + acc + "members/:id", at("members/{membership}", nil), lead, ""},
		{"POST " + acc + "invitations", at("invitations", `{"email":"grace@fund.example"}`), leadAdd, ""},
		{"DELETE " + acc + "invitations/:id", at("invitations/{invitation}", nil), lead, ""},
		{"GET " + acc + "meeting-minutes", at("meeting-minutes", nil), team, name},
		{"POST " + acc + "meeting-minutes", about("meeting-minutes", map[string]any{"title": "Call"}), cites, ""},
		{"GET " + acc + "meeting-minutes/:meeting_minutes_id", at("meeting-minutes/{minutes}", nil), sighted, name},
		{"PATCH " + acc + "meeting-minutes/:meeting_minutes_id", at("meeting-minutes/{minutes}", `{"processed":true}`), sighted, name},
		{"DELETE " + acc + "meeting-minutes/:meeting_minutes_id", at("meeting-minutes/{minutes}", nil), sighted, ""},
		{"GET " + acc + "form-submissions", at("form-submissions", nil), team, name},
		{"POST " + acc + "form-submissions", at("form-submissions", map[string]any{"data": answers("b")}), adds, ""},
		{"GET " + acc + "form-submissions/:submission_id", at("form-submissions/{submission}", nil), sighted, name},
		{"PATCH " + acc + "form-submissions/:submission_id", at("form-submissions/{submission}", `{"processed":true}`), sighted, name},
		{"GET " + acc + "emails", at("emails", nil), team, "Team mail"},
		{"GET " + acc + "emails/:email_id", at("emails/{email}", nil), team, "{company}"},
		{"PATCH " + acc + "emails/:email_id", at("emails/{email}", `{"processed":true}`), team, "{company}"},
		{"POST " + acc + "imports/emails", at("imports/emails", ndjson(`{"from_email":"ada@acme.example"}`)), takes, ""},
		{"POST " + acc + "imports/form-submissions", at("imports/form-submissions", ndjson(`{"data":[{"key":"a"}]}`)), takes, ""},
		{"POST " + acc + "imports/companies", at("imports/companies", ndjson(`{"text":"Another"}`)), takes, ""},
		{"POST " + acc + "imports/account", at("imports/account", ndjson(`{"type":"end","data":{}}`)), guarded(403, 403, 403, 202, 202), ""},
		{"POST " + acc + "imports/account/files", func(sc *scene) ask {
			line := `{"type":"file","data":{"id":"` + sc.ids["status"] + `","company_id":"` + sc.company + `","role":"attachment","attachment_type":"file",
				"position":1,"title":"a","size_bytes":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","path":"files/a",
				"created_at":"2026-03-02T10:00:00Z","updated_at":"2026-03-02T10:00:00Z"}}`
			return ask{sc.accountPath("imports/account/files"), multi{{"line", "", line}, {"file", "a.txt", ""}}}
		}, lead, ""},
		{"GET " + acc + "imports", at("imports", nil), team, "{import}"},
		{"GET " + acc + "imports/:import_id", at("imports/{import}", nil), team, "{import}"},
		{"GET " + acc + "imports/:import_id/errors", at("imports/{import}/errors", nil), team, "from_email is required"},
		{"GET " + acc + "imports/:import_id/events", at("imports/{import}/events", nil), team, "{import}"},
		{"POST " + acc + "imports/:import_id/cancel", at("imports/{import}/cancel", nil), guarded(403, 409, 409, 409, 409), ""},
		{"GET " + acc + "shared-links", at("shared-links", nil), team, name},
		{"POST " + acc + "shared-links", func(sc *scene) ask {
			return ask{sc.accountPath("shared-links"), map[string]any{"companies": []any{map[string]any{"company_id": sc.company, "permissions": "view"}}}}
		}, cites, ""},
		{"GET " + acc + "shared-links/:id", at("shared-links/{link}", nil), sighted, name},
		{"DELETE " + acc + "shared-links/:id", at("shared-links/{link}", nil), sighted, ""},
		{"GET " + acc + "webhooks", at("webhooks", nil), lead, ""},
		{"POST " + acc + "webhooks", at("webhooks", `{"url":"https://hooks.example/b"}`), leadAdd, ""},
		{"PATCH " + acc + "webhooks/:id", at("webhooks/{webhook}", `{"description":"a"}`), lead, ""},
		{"POST " + acc + "webhooks/:id/rotate", at("webhooks/{webhook}/rotate", nil), lead, ""},
		{"POST " + acc + "webhooks/:id/test", at("webhooks/{webhook}/test", nil), guarded(403, 403, 403, 202, 202), ""},
		{"POST " + acc + "webhooks/:id/replay", at("webhooks/{webhook}/replay", `{"since":"2026-01-01T00:00:00Z"}`), guarded(403, 403, 403, 202, 202), ""},
		{"GET " + acc + "webhooks/:id/deliveries", at("webhooks/{webhook}/deliveries", nil), lead, ""},
		{"POST " + acc + "webhooks/:id/deliveries/:delivery_id/replay", at("webhooks/{webhook}/deliveries/{delivery}/replay", nil), guarded(403, 403, 403, 409, 409), ""},
		{"DELETE " + acc + "webhooks/:id", at("webhooks/{webhook}", nil), lead, ""},
		{"GET " + acc + "changes", at("changes?after=now", nil), team, ""},
		{"GET " + acc + "changes/events", at("changes/events?limit=1", nil), team, "target"},
		{"GET " + acc + "export", at("export", nil), lead, ""},
		{"GET " + acc + "export/files", at("export/files", nil), lead, ""},
		{"GET " + acc + "audit-log", at("audit-log", nil), lead, ""},
		{"GET " + acc + "dashboard", at("dashboard", nil), team, name},

		{"GET /api/v1/api-keys", below("api-keys", nil), any200, ""},
		{"POST /api/v1/api-keys", below("api-keys", `{"name":"mine"}`), guarded(201, 201, 201, 201, 201), ""},
		{"DELETE /api/v1/api-keys/:id", below("api-keys/{key}", nil), guarded(404, 404, 404, 404, 200), ""},

		{"GET " + co, below("companies?search="+name, nil), any200, name},
		{"POST " + co, func(sc *scene) ask {
			return ask{companies, map[string]any{"account_id": sc.account.ID, "name": "Another"}}
		}, adds, ""},
		{"POST " + co + "/upload/ai", func(sc *scene) ask {
			return ask{companies + "/upload/ai", multi{{"text", "", "Another"}, {"account_id", "", sc.account.ID.String()}}}
		}, team, ""},
		{"GET " + co + "/:id", below("companies/{company}", nil), sighted, name},
		{"PATCH " + co + "/:id", below("companies/{company}", `{"notes":"n"}`), sighted, name},
		{"DELETE " + co + "/:id", below("companies/{company}", nil), sighted, ""},
		{"GET " + co + "/:id/analysis", below("companies/{company}/analysis", nil), sighted, `"analysis"`},
		{"PATCH " + co + "/:id/analysis", below("companies/{company}/analysis", map[string]any{"reviewed": []string{}}), sighted, `"analysis"`},
		{"POST " + co + "/:id/analysis", below("companies/{company}/analysis", nil), sighted, name},
		{"GET " + co + "/:id/download", below("companies/{company}/download", nil), sighted, name},
		{"GET " + co + "/:id/attachments", below("companies/{company}/attachments", nil), sighted, name},
		{"POST " + co + "/:id/attachments", below("companies/{company}/attachments", multi{{"file", "a.txt", "a"}}), sees, ""},
		{"DELETE " + co + "/:id/attachments/:attachment_id", below("companies/{company}/attachments/{attachment}", nil), sighted, ""},
		{"GET " + co + "/:id/attachments/:attachment_id/download", below("companies/{company}/attachments/{attachment}/download", nil), sighted, name},
		{"GET " + co + "/:id/shares", below("companies/{company}/shares", nil), sighted, "Eve Extra"},
		{"POST " + co + "/:id/shares", func(sc *scene) ask {
			return ask{companies + "/" + sc.company + "/shares", map[string]any{"user_id": sc.ids["extra"]}}
		}, sees, ""},
		{"DELETE " + co + "/:id/shares/:user_id", below("companies/{company}/shares/{extra}", nil), sighted, ""},
	}
}

// fieldOf makes a field with a name of its own.
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

// fits reports whether what the callers get is what the table of routes says of who may use one.
func fits(who httpapi.Access, want [callers]int) bool {
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
	return []string{"nobody", "a deleted key", "a stranger", "a member without sight", "a member", "an admin", "the owner"}[caller]
}

// everyKindOfCaller returns a key of each, and the users with whom a company is shared that the blind one does not see.
func (s *server) everyKindOfCaller() ([]uuid.UUID, [callers]string) {
	s.Helper()
	var keys [callers]string
	keys[deleted] = testkit.Key(s.T, s.db, s.owner.ID)
	must(s.T, s.deps.Accounts.DeleteKey(s.Context(), s.owner.ID, s.keyID(keys[deleted])))
	_, keys[stranger] = s.stranger()
	_, keys[blind] = s.colleague("Ben Blind", account.RoleMember)
	mia, key := s.colleague("Mia Member", account.RoleMember)
	ann, adminKey := s.colleague("Ann Admin", account.RoleAdmin)
	keys[member], keys[admin], keys[owner] = key, adminKey, s.key
	return []uuid.UUID{mia.ID, ann.ID}, keys
}

// walk asks a route as one caller; of a GET also that HEAD answers alike.
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

// look reads an answer for what this caller must not be told, and for what they must. What they said themselves they
// may hear again.
func (sc *scene) look(row access, asked ask, caller int, got reply) {
	sc.Helper()
	if strings.HasSuffix(row.route, " /s/:code") || strings.HasSuffix(row.route, " /invitations/:token") || strings.HasSuffix(row.route, "/openapi.json") || strings.HasSuffix(row.route, "/docs") {
		return // these are for everybody: what a link shares, and examples
	}
	text := string(got.Raw)
	var secrets []string
	if caller <= blind {
		secrets = sc.hidden
	}
	if caller <= stranger {
		secrets = append(slices.Clone(secrets), sc.account.ID.String(), sc.account.Name, "Olivia", sc.owner.Email, "Team mail", "Eve Extra", "Ben Blind")
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) && !strings.Contains(fmt.Sprint(asked.body), secret) {
			sc.Errorf("%s tells %s of %q: %.500s", row.route, callerName(caller), secret, text)
		}
	}
	if shows := sc.fill(row.shows); caller >= member && !strings.Contains(text, shows) {
		sc.Errorf("%s does not tell %s of %q: %.500s", row.route, callerName(caller), shows, text)
	}
}

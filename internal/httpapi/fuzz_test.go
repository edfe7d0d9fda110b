package httpapi_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/email"
	"dealflow/internal/testkit"
)

// fuzzRounds is how often each operation is called; fuzzSeed is the seed of the random requests.
var (
	fuzzRounds = flag.Int("fuzz-rounds", 6, "how many wrong requests every operation gets")
	fuzzSeed   = flag.Uint64("fuzz-seed", 1, "what the wrong requests are drawn from")
)

// marker is in everything that the caller must not see, and in nothing that they send.
const marker = "Quuxmarker"

// fuzz sends wrong requests to every operation of the document, as one member of a team.
type fuzz struct {
	*server

	rand   *rand.Rand
	ids    map[string][]string // of things that the caller may have, by the last noun of their path
	others []string            // ids of another team, and of what is hidden in their own
	sent   string              // the request under way, for the report
	counts map[int]int
	done   map[string]int // how often each operation did what it was asked
}

// TestWrongRequestsBreakNothing sends every operation whatever does not fit. No answer is a 5xx or without the
// envelope and the headers, none shows a row of another team, and no row of another team is another afterwards.
func TestWrongRequestsBreakNothing(t *testing.T) {
	t.Parallel()
	f := newFuzz(t)
	document, err := loadDocument()
	must(t, err)
	operations := operationsOf(document)
	before := f.othersRows()
	if len(before) < 20 {
		t.Fatalf("only %d rows of others are watched", len(before))
	}
	for round := range *fuzzRounds {
		for _, o := range operations {
			// Drawn anew for each, so that what one operation gets does not depend on the others.
			f.rand = rand.New(rand.NewPCG(*fuzzSeed+uint64(round), hashOf(o.method+o.path)))
			f.ask(o, f.wrong(o, round))
			if round == 0 {
				f.askEveryField(o)
			}
		}
	}
	if after := f.othersRows(); !slices.Equal(before, after) {
		t.Errorf("rows of others were\n%s\nand are\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	if log := f.log.String(); strings.Contains(log, "panic") {
		t.Errorf("something panicked: %.2000s", log[strings.Index(log, "panic"):])
	}
	f.seeReach(operations)
	t.Logf("answers by hundred: %v", f.counts)
}

// seeReach fails where the requests did not come far: where too few were refused, or where an operation never did
// anything. Those need not that want a secret, a body of their own kind, or something that was never made.
func (f *fuzz) seeReach(operations []operation) {
	f.Helper()
	if f.counts[4] < f.counts[2]/2 {
		f.Errorf("answers by hundred: %v; too few refusals to tell anything", f.counts)
	}
	for _, o := range operations {
		lacksThing := slices.ContainsFunc(o.parameters, func(p *openapi3.ParameterRef) bool {
			return p.Value.In == "path" && len(f.ids[nounOf(p.Value.Name, o)]) == 0
		})
		// A file of an export must be that of its line: its content, its hash and its company.
		fitsItsLine := strings.HasSuffix(o.path, "/imports/account/files")
		if f.done[o.method+" "+o.path] == 0 && !o.needsSecret() && !o.otherBody && !lacksThing && !fitsItsLine {
			f.Errorf("%s %s did nothing in all rounds", o.method, o.path)
		}
	}
}

// newFuzz makes two teams, and a member of the first who sends the requests.
func newFuzz(t *testing.T) *fuzz {
	t.Helper()
	f := &fuzz{
		server: start(t, func(s *setup) { s.AnalysisWait = 5 * time.Second }), ids: map[string][]string{},
		counts: map[int]int{}, done: map[string]int{},
	}
	extra := testkit.User(t, f.db, "Eve Extra")
	testkit.Member(t, f.db, f.account.ID, extra.ID, account.RoleMember)
	nina, ninasKey := f.colleague("Nina Hidden", account.RoleOwner)
	f.others = append(f.others, nina.ID.String(), f.seed(ninasKey, f.account.ID, "private"))
	other, otherKey := f.stranger()
	f.others = append(f.others, other.ID.String(), f.seed(otherKey, other.ID, "team"))
	f.seed(f.key, f.account.ID, "team") // so that their own lists are not empty
	f.ids["account_id"], f.ids["user_id"] = []string{f.account.ID.String()}, []string{extra.ID.String()}
	spare, _ := f.colleague("Sam Spare", account.RoleMember)
	f.ids["members"] = []string{f.membership(spare.ID.String())} // of whom nothing is lost when they are removed
	f.ids["spares"] = []string{f.plainCompany("Ours too")}       // which may be merged into another
	return f
}

// seed fills an account with one of everything, and returns the id of the company that it hangs on. Others' things bear
// the marker.
func (f *fuzz) seed(key string, accountID uuid.UUID, visibility string) string {
	f.Helper()
	name := marker
	if key == f.key {
		name = "Ours"
	}
	at := "/api/v1/accounts/" + accountID.String() + "/"
	id := f.company(key, part{"account_id", "", accountID.String()}, part{"name", "", name}, part{"notes", "", name},
		part{"visibility", "", visibility}, part{"file_0", name + ".txt", "deck"})
	body, media := encodeForm(f.T, part{"file", name + ".txt", "notes"})
	f.keep("attachments",
		f.send(request{
			Method: http.MethodPost, Path: companies + "/" + id + "/attachments", Key: key, Body: body, Type: media,
		}), key)
	f.keep("companies", f.get(companies+"/"+id, key), key)
	f.keep("meeting-minutes", f.post(at+"meeting-minutes", key, map[string]any{"title": name, "company_id": id}), key)
	f.keep("form-submissions",
		f.post(at+"form-submissions", key, map[string]any{"data": answers(name), "company_id": id}), key)
	if visibility == "private" {
		return id // what follows is the whole team's
	}
	f.keep("shared-links", f.post(at+"shared-links", key, map[string]any{
		"name": name, "companies": []any{map[string]any{"company_id": id, "permissions": "full"}},
	}), key)
	f.keep("company-statuses", f.post(at+"company-statuses", key, map[string]any{"name": name}), key)
	f.keep("company-settings", f.post(at+"company-settings", key, map[string]any{"name": name, "field_type": "text"}), key)
	f.keep("invitations", f.post(at+"invitations", key, map[string]any{"email": name + "@fund.example"}), key)
	f.keep("api-keys", f.post("/api/v1/api-keys", key, map[string]any{"name": name}), key)
	if key == f.key {
		f.ids["emails"] = []string{f.receive(email.Draft{Subject: new("Team mail")})}
	}
	return id
}

// keep records the id of a thing that was created: among the caller's things, or among those of others.
func (f *fuzz) keep(noun string, made reply, key string) {
	f.Helper()
	if made.Status >= http.StatusMultipleChoices {
		f.Fatalf("%s: %d: %s", noun, made.Status, made.Raw)
	}
	id := idIn(made.at("data"))
	if key == f.key {
		f.ids[noun] = append(f.ids[noun], id)
	} else {
		f.others = append(f.others, id)
	}
}

// idIn returns the id of the thing in a response.
func idIn(data any) string {
	object, _ := data.(map[string]any)
	if id, found := object["id"].(string); found {
		return id
	}
	for _, member := range object {
		if id := idIn(member); id != "" {
			return id
		}
	}
	return ""
}

// othersRows returns every row that names somebody or something of others in a column of ids, whatever the table.
// Left out are the times of last use and the entries of it, which are written some seconds late, and the counts of
// what others see, which change as companies are shared with them.
func (f *fuzz) othersRows() []string {
	f.Helper()
	ids := "'{" + strings.Join(f.others, ",") + "}'::uuid[]"
	var rows []string
	columns := testkit.Texts(f.T, f.dbURL,
		`SELECT table_name || ' ' || string_agg(quote_ident(column_name) || ' = ANY(`+strings.ReplaceAll(ids, "'",
			"''")+`)', ' OR ' ORDER BY column_name)
		FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'uuid'
		AND table_name <> 'company_counts' GROUP BY table_name ORDER BY 1`)
	for _, found := range columns {
		table, where, _ := strings.Cut(found, " ")
		if table == "audit_entries" {
			where = "action <> 'key.used' AND (" + where + ")"
		}
		rows = append(rows,
			testkit.Texts(f.T, f.dbURL,
				fmt.Sprintf(`SELECT '%[1]s ' || (to_jsonb(t) - '{last_used_at,last_seen_at}'::text[])::text FROM %[1]s t WHERE
					%[2]s ORDER BY 1`, table, where))...)
	}
	return rows
}

// askEveryField sends the worst values in every field and every parameter, one at a time.
func (f *fuzz) askEveryField(o operation) {
	f.Helper()
	for _, parameter := range o.parameters {
		for _, text := range f.worstTexts() {
			f.ask(o, f.request(o, 0, drawn{parameter: parameter.Value.Name, text: text}))
		}
	}
	if o.body == nil {
		return
	}
	for _, name := range sortedNames(o.body.Properties) {
		if strings.HasPrefix(name, "file_") && name != "file_0" {
			continue // they are all alike
		}
		for _, worst := range f.worst() {
			f.ask(o, f.request(o, 0, drawn{field: name, fragment: worst}))
		}
	}
}

// ask sends one wrong request, and checks the response.
func (f *fuzz) ask(o operation, sent *http.Request) {
	f.Helper()
	got, err := f.exchange(sent)
	if _, noPath := url.PathUnescape(sent.URL.Opaque); noPath != nil {
		return // net/http lets it reach nobody, and may close before it has read the body
	}
	if err != nil {
		f.Errorf("%s: %v", f.sent, err)
		return
	}
	f.counts[got.Status/100]++
	if got.Status < http.StatusBadRequest && sent.Method == o.method {
		f.done[o.method+" "+o.path]++
	}
	f.see(o, sent, got)
	if got.Status < http.StatusMultipleChoices {
		f.follow(o, sent, got)
	}
}

// exchange sends a request as it is. A server may answer and close before it has read a body that it does not want.
func (f *fuzz) exchange(sent *http.Request) (reply, error) {
	response, err := http.DefaultTransport.RoundTrip(sent)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	if response.Header.Get("Content-Type") == "text/event-stream" { // it may have no end
		return decoded(f.T, response, nil), nil
	}
	raw, err := io.ReadAll(response.Body)
	return decoded(f.T, response, raw), err
}

// see checks what each response must satisfy: it is no 5xx, shows nothing of others, and has the documented headers and
// envelope.
func (f *fuzz) see(o operation, sent *http.Request, got reply) {
	f.Helper()
	if got.Status >= http.StatusInternalServerError {
		f.Errorf("%s\nis answered with %d: %s", f.sent, got.Status, got.Raw)
	}
	if bytes.Contains(got.Raw, []byte(marker)) || strings.Contains(fmt.Sprint(got.Header), marker) {
		f.Errorf("%s\nshows what is another's: %.2000s", f.sent, got.Raw)
	}
	if o.operator {
		return
	}
	f.seeHeaders(o, got)
	if o.forPeople() && strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") ||
		got.Status == http.StatusSeeOther || got.Status == http.StatusNoContent || o.page && got.Status == http.StatusOK {
		return
	}
	f.seeEnvelope(got)
	// what was taken must be as documented; refusals of strange paths are documented in words
	if got.Status < http.StatusBadRequest && (sent.Body == nil || sent.Header.Get("Content-Type") != "") {
		f.checks.check(f.T, sent, f.body(sent), got)
	}
}

func (f *fuzz) seeHeaders(o operation, got reply) {
	f.Helper()
	wanted := []string{
		"X-Request-Id", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Content-Type-Options",
	}
	if o.probe {
		wanted = wanted[:1]
	}
	for _, name := range wanted {
		if len(got.Header[name]) != 1 || got.Header.Get(name) == "" {
			f.Errorf("%s\nis answered with %d and the header %s %q", f.sent, got.Status, name, got.Header[name])
		}
	}
}

func (f *fuzz) seeEnvelope(got reply) {
	f.Helper()
	envelope, _ := got.Body.(map[string]any)
	if success, _ := envelope["success"].(bool); success != (got.Status < http.StatusBadRequest) ||
		got.Header.Get("Content-Type") != "application/json" {
		f.Errorf("%s\nis answered with %d as %s: %.300s", f.sent, got.Status, got.Header.Get("Content-Type"), got.Raw)
	}
	if got.Status < http.StatusBadRequest {
		return
	}
	message, _ := envelope["error"].(string)
	code, _ := envelope["code"].(string)
	details, areDetails := envelope["details"].([]any)
	data, hasData := envelope["data"]
	delete(envelope, "merged_into") // of a company that was merged
	if message == "" || code == "" || !areDetails || !hasData || data != nil || len(envelope) != 5 {
		f.Errorf("%s\nis refused with %d without the envelope: %.300s", f.sent, got.Status, got.Raw)
	}
	if got.Status == http.StatusBadRequest && len(details) == 0 {
		f.Errorf("%s\nis refused without saying why: %s", f.sent, got.Raw)
	}
}

// follow records the id of a thing that a request created, and forgets that of a thing that it deleted.
func (f *fuzz) follow(o operation, sent *http.Request, got reply) {
	noun := o.noun()
	switch {
	case sent.Method == http.MethodPost && got.Status == http.StatusCreated:
		if id := idIn(got.at("data")); id != "" && noun != "members" {
			f.ids[noun] = append(f.ids[noun], id)
		}
	case sent.Method == http.MethodDelete:
		f.ids[noun] = slices.DeleteFunc(f.ids[noun], func(id string) bool { return strings.Contains(sent.URL.Path, id) })
	}
}

package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/account"
	"dealflow/internal/idempotency"
	"dealflow/internal/testkit"
)

// keyed sends a POST with an Idempotency-Key.
func (s *server) keyed(idempotencyKey, path, key string, body any) reply {
	s.Helper()
	return s.send(request{
		Method: http.MethodPost, Path: path, Key: key, Body: body, Header: http.Header{"Idempotency-Key": {idempotencyKey}},
	})
}

// keyedForm posts a form with an Idempotency-Key.
func (s *server) keyedForm(idempotencyKey, path string, parts ...part) reply {
	s.Helper()
	body, media := encodeForm(s.T, parts...)
	return s.send(request{
		Method: http.MethodPost, Path: path, Key: s.key, Body: body, Type: media,
		Header: http.Header{"Idempotency-Key": {idempotencyKey}},
	})
}

// replayed fails the test unless this is the first answer again.
func (r reply) replayed(first reply) {
	r.t.Helper()
	if r.Status != first.Status || !bytes.Equal(r.Raw, first.Raw) ||
		r.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		r.t.Errorf("answered %d %.300s, the first time %d %.300s", r.Status, r.Raw, first.Status, first.Raw)
	}
	if r.Header.Get("Idempotent-Replayed") != "true" || first.Header.Get("Idempotent-Replayed") != "" {
		r.t.Errorf("Idempotent-Replayed is %q, the first time %q", r.Header.Get("Idempotent-Replayed"),
			first.Header.Get("Idempotent-Replayed"))
	}
}

func TestAPostSentAgainDoesNothingAndAnswersTheSame(t *testing.T) {
	t.Parallel()
	s := start(t)
	member, _ := s.colleague("Mia Member", "member")
	made := s.company(s.key, part{"text", "", "Acme"})
	account := "/api/v1/accounts/" + s.account.ID.String()
	tests := map[string]struct{ path, body, table string }{
		"company": {companies, fmt.Sprintf(`{"account_id":%q,"name":"Acme & <Sons>"}`, s.account.ID), "companies"},
		"status":  {s.statusesPath(), `{"name":"Other"}`, "company_statuses"},
		"setting": {account + "/company-settings", `{"name":"ARR","field_type":"number"}`, "field_settings"},
		"minutes": {account + "/meeting-minutes", `{"title":"Call"}`, "meeting_minutes"},
		"submission": {
			account + "/form-submissions", `{"data":[{"key":"a","label":"A","type":"INPUT_TEXT","value":"b"}]}`,
			"form_submissions",
		},
		"link": {
			account + "/shared-links", fmt.Sprintf(`{"companies":[{"company_id":%q,"permissions":"view"}]}`, made),
			"shared_links",
		},
		"share": {companies + "/" + made + "/shares", fmt.Sprintf(`{"user_id":%q}`, member.ID), "company_shares"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			first := s.keyed("k "+name, tc.path, s.key, tc.body).want(http.StatusCreated)
			count := s.count(tc.table)
			s.keyed("k "+name, tc.path, s.key, tc.body).replayed(first)
			if n := s.count(tc.table); n != count {
				t.Errorf("%s grew from %d to %d rows", tc.table, count, n)
			}
			s.keyed("k "+name, tc.path, s.key, strings.Replace(tc.body, "{", "{ ", 1)).refused(http.StatusConflict, "Conflict",
				"idempotency_key_reused", "Idempotency-Key")
			s.keyed("k "+name, tc.path+"?a=b", s.key, tc.body).refused(http.StatusConflict, "Conflict",
				"idempotency_key_reused", "Idempotency-Key")
			s.keyed("k "+name, s.otherPath(tc.path), s.key, tc.body).refused(http.StatusConflict, "Conflict",
				"idempotency_key_reused", "Idempotency-Key")
			s.keyed("k "+name, tc.path, s.key, tc.body).replayed(first) // the refusals cost the key nothing
		})
	}
}

// otherPath is another path that takes a POST.
func (s *server) otherPath(path string) string {
	if path == companies {
		return s.statusesPath()
	}
	return companies
}

func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	invitations := "/api/v1/accounts/" + s.account.ID.String() + "/invitations"
	for path, tc := range map[string]struct{ body, secret, thing string }{
		"/api/v1/api-keys": {`{"name":"laptop"}`, "key", "api_key"},
		invitations:        {`{"email":"grace@fund.example"}`, "accept_url", "invitation"},
	} {
		first := s.keyed("k"+tc.secret, path, s.key, tc.body).want(http.StatusCreated)
		secret := first.text("data." + tc.secret)
		again := s.keyed("k"+tc.secret, path, s.key, tc.body).want(http.StatusCreated)
		if !again.keys("data")[tc.secret] || again.at("data."+tc.secret) != nil ||
			!sameJSON(again.at("data."+tc.thing), first.at("data."+tc.thing)) {
			t.Errorf("%s: again %s, at first %s", path, again.Raw, first.Raw)
		}
		if kept := testkit.Texts(t, s.dbURL,
			"SELECT convert_from(body, 'UTF8') FROM idempotency_keys"); strings.Contains(strings.Join(kept, ""), secret) {
			t.Errorf("%s: the secret is kept", path)
		}
	}
	if n := s.count("invitations"); n != 1 {
		t.Errorf("%d invitations", n)
	}
}

func TestAnInvitationAcceptedAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	invited := s.post("/api/v1/accounts/"+s.account.ID.String()+"/invitations", s.key, `{"email":"grace@fund.example"}`).
		want(http.StatusCreated)
	url := invited.text("data.accept_url")
	body := fmt.Sprintf(`{"token":%q,"name":"Grace","password":"long enough, really"}`,
		url[strings.LastIndex(url, "/")+1:])
	first := s.keyed("k", "/api/v1/invitations/accept", "", body).want(http.StatusOK)
	again := s.keyed("k", "/api/v1/invitations/accept", "", body)
	again.replayed(first)
	if first.Header.Get("Set-Cookie") == "" || again.Header.Get("Set-Cookie") != "" {
		t.Errorf("cookies %q, again %q", first.Header.Get("Set-Cookie"), again.Header.Get("Set-Cookie"))
	}
}

func TestWhichKeysCount(t *testing.T) {
	t.Parallel()
	s := start(t)
	refused := map[string][]string{
		"empty": {""}, "too long": {strings.Repeat("a", 256)}, "not ASCII": {"clé"}, "a tab": {"a\tb"}, "two": {"a", "b"},
	}
	for name, keys := range refused {
		got := s.send(request{
			Method: http.MethodPost, Path: s.statusesPath(), Key: s.key, Body: `{"name":"Other"}`,
			Header: http.Header{"Idempotency-Key": keys},
		})
		if got.Status != http.StatusBadRequest || got.at("details.0.field") != "Idempotency-Key" {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	for _, key := range []string{"a", strings.Repeat("~", 255), "two words", `"quoted"`} {
		first := s.keyed(key, s.statusesPath(), s.key, `{"name":"Other"}`).want(http.StatusCreated)
		s.keyed(key, s.statusesPath(), s.key, `{"name":"Other"}`).replayed(first)
	}
	other, otherKey := s.colleague("Ann Admin", "admin")
	if got := s.keyed("a", s.statusesPath(), otherKey, `{"name":"Mine"}`).
		want(http.StatusCreated); got.at("data.status_text") != "Mine" {
		t.Errorf("%s was answered with another's answer: %s", other.Name, got.Raw)
	}
	login := `{"email":"nobody@fund.example","password":"not the one, no"}`
	for range 2 { // a login is no thing to remember
		s.keyed("", "/api/v1/auth/login", "", login).want(http.StatusUnauthorized)
	}
	for range 2 { // nor is a change that repeats itself
		got := s.send(request{Path: companies, Key: s.key, Header: http.Header{"Idempotency-Key": {"a"}}}).want(http.StatusOK)
		if got.Header.Get("Idempotent-Replayed") != "" {
			t.Error("a GET was replayed")
		}
	}
}

func TestWhoLostHisAccessIsNotAnsweredAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, key := s.colleague("Mia Member", account.RoleAdmin)
	shared := s.company(s.key, part{"visibility", "", "shared"})
	s.post(companies+"/"+shared+"/shares", s.key, map[string]any{"user_id": mia.ID}).want(http.StatusCreated)
	form, media := encodeForm(t, part{"text", "", "Secret"}, part{"account_id", "", s.account.ID.String()})
	asked := map[string]request{
		"of the account":      {Path: s.accountPath("meeting-minutes"), Body: `{"title":"Secret"}`},
		"a company":           {Path: companies, Body: fmt.Sprintf(`{"account_id":%q,"name":"Secret"}`, s.account.ID)},
		"a company by AI":     {Path: upload, Body: form, Type: media},
		"of a company":        {Path: companies + "/" + shared + "/shares", Body: fmt.Sprintf(`{"user_id":%q}`, s.owner.ID)},
		"of nobody's but his": {Path: "/api/v1/api-keys", Body: `{"name":"Secret"}`},
	}
	again := func(name string) reply {
		r := asked[name]
		r.Method, r.Key, r.Header = http.MethodPost, key, http.Header{"Idempotency-Key": {name}}
		return s.send(r)
	}
	for name := range asked {
		if first := again(name); first.Status >= 300 || again(name).Header.Get("Idempotent-Replayed") != "true" {
			t.Fatalf("%s: %d: %s", name, first.Status, first.Raw)
		}
	}
	s.erase(companies+"/"+shared+"/shares/"+mia.ID.String(), s.key).want(http.StatusOK)
	again("of a company").refused(http.StatusNotFound, "Resource not found", "not_found", "")
	again("of the account").want(http.StatusCreated)
	s.erase(s.accountPath("members/"+s.membership(mia.ID.String())), s.key).want(http.StatusOK)
	for name := range asked {
		if got := again(name); name == "of nobody's but his" {
			got.want(http.StatusCreated)
		} else {
			got.refused(http.StatusForbidden, "Access denied to this resource", "access_denied", "")
		}
	}
}

func TestWhoIsNoAdminAnyMoreIsNotAnsweredAgain(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker = true })
	ada, key := s.colleague("Ada Admin", "admin")
	body := map[string]any{"email": "new@fund.example"}
	first := s.keyed("k", s.accountPath("invitations"), key, body).want(http.StatusCreated)
	again := s.keyed("k", s.accountPath("invitations"), key, body).want(http.StatusCreated)
	if again.text("data.invitation.id") != first.text("data.invitation.id") {
		t.Errorf("answered %s", again.Raw)
	}
	s.change(s.accountPath("members/"+s.membership(ada.ID.String())), s.key, `{"role":"member"}`).want(http.StatusOK)
	s.keyed("k", s.accountPath("invitations"), key, body).refused(http.StatusForbidden, messageOf(http.StatusForbidden),
		"access_denied", "")
}

func TestARefusalLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.keyed("k", s.statusesPath(), s.key, `{"name":" "}`).want(http.StatusBadRequest)
	s.keyed("k", s.statusesPath(), s.key, `{`).want(http.StatusBadRequest)
	s.keyed("k", s.statusesPath(), s.key, `{"name":"`+strings.Repeat("a", 70<<10)+`"}`).
		want(http.StatusRequestEntityTooLarge)
	s.keyed("k", "/api/v1/accounts/"+missing()+"/company-statuses", s.key, `{"name":"Other"}`).want(http.StatusNotFound)
	if n := s.count("idempotency_keys"); n != 0 {
		t.Errorf("%d keys are kept of refusals", n)
	}
	first := s.keyed("k", s.statusesPath(), s.key, `{"name":"Other"}`).want(http.StatusCreated)
	s.keyed("k", s.statusesPath(), s.key, `{"name":"Other"}`).replayed(first)
}

func TestAFormSentAgainIsKnownByItsParts(t *testing.T) {
	t.Parallel()
	s := start(t)
	parts := func(text, fileName, content string) []part {
		return []part{{"file_0", fileName, content}, {"text", "", text}, {"account_id", "", s.account.ID.String()}}
	}
	deck := samplePDF(t)
	first := s.keyedForm("k", upload, parts(pitch, "deck.pdf", deck)...).want(http.StatusOK)
	again := parts(pitch, "deck.pdf", deck) // with a boundary of its own
	s.keyedForm("k", upload, again...).replayed(first)
	again[0], again[2] = again[2], again[0]
	s.keyedForm("k", upload, again...).replayed(first)
	for name, other := range map[string][]part{
		"text": parts(pitch+" ", "deck.pdf", deck), "file name": parts(pitch, "deck2.pdf", deck),
		"content": parts(pitch, "deck.pdf", deck+"\n"),
		"fewer":   parts(pitch, "deck.pdf", deck)[1:], "more": append(parts(pitch, "deck.pdf", deck), part{"notes", "", "n"}),
		"a field for a file": {{"file_0", "", deck}, {"text", "", pitch}, {"account_id", "", s.account.ID.String()}},
	} {
		if got := s.keyedForm("k", upload, other...); got.Status != http.StatusConflict ||
			got.at("code") != "idempotency_key_reused" {
			t.Errorf("another %s: %d %.200s", name, got.Status, got.Raw)
		}
	}
	s.keyed("k", upload, s.key, `{"text":"no form"}`).want(http.StatusConflict)
	if n, files := s.count("companies"), s.stored(); n != 1 || len(files) != 1 {
		t.Errorf("%d companies, files %v", n, files)
	}
	attachments := companies + "/" + first.text("data.company.id") + "/attachments"
	attached := s.keyedForm("a", attachments, part{"file", "notes.txt", "notes"}, part{"title", "", "Notes"}).
		want(http.StatusCreated)
	s.keyedForm("a", attachments, part{"file", "notes.txt", "notes"}, part{"title", "", "Notes"}).replayed(attached)
	if files := s.stored(); len(files) != 2 {
		t.Errorf("stored %v", files)
	}
}

func TestADryRunSentAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	dry := s.keyedForm("k", upload, s.parts(part{"dry_run", "", "true"})...).want(http.StatusOK)
	s.keyedForm("k", upload, s.parts(part{"dry_run", "", "true"})...).replayed(dry)
	s.keyedForm("k", upload, s.parts()...).want(http.StatusConflict)
	s.lose("running")
	s.keyedForm("k", upload, s.parts(part{"dry_run", "", "true"})...).want(http.StatusOK)
}

func TestManyAtOnceMakeOneCompany(t *testing.T) {
	t.Parallel()
	s := start(t)
	var group sync.WaitGroup
	var made, busy atomic.Int32
	ids := sync.Map{}
	for range 20 {
		group.Go(func() {
			got := s.keyedForm("k", upload, s.parts(part{"file_0", "a.txt", "a"})...)
			switch got.Status {
			case http.StatusOK:
				made.Add(1)
				ids.Store(got.text("data.company.id"), true)
			case http.StatusConflict:
				busy.Add(1)
				if got.Header.Get("Retry-After") != "1" || got.at("code") != "idempotency_key_in_use" {
					t.Errorf("refused with %v %s", got.Header, got.Raw)
				}
			default:
				t.Errorf("%d %s", got.Status, got.Raw)
			}
		})
	}
	group.Wait()
	different := 0
	ids.Range(func(any, any) bool { different++; return true })
	if n := s.count("companies"); n != 1 || different != 1 || made.Load() == 0 || len(s.stored()) != 1 {
		t.Errorf("%d companies with %d ids, %d answers and %d refusals, files %v", n, different, made.Load(), busy.Load(),
			s.stored())
	}
}

func TestARepeatWhileTheFirstIsStillSendingIsTurnedAway(t *testing.T) {
	t.Parallel()
	s := start(t)
	reader, writer := io.Pipe()
	first := s.request(http.MethodPost, s.statusesPath(), reader)
	first.Header = http.Header{
		"Authorization": {"Bearer " + s.key}, "Idempotency-Key": {"k"}, "Content-Type": {"application/json"},
	}
	answered := make(chan int)
	go func() { answered <- s.do(first).Status }()
	_, err := io.WriteString(writer, `{"name":`)
	must(t, err)
	for s.count("idempotency_keys") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	got := s.keyed("k", s.statusesPath(), s.key, `{"name":"Other"}`)
	got.refused(http.StatusConflict, "Conflict", "idempotency_key_in_use", "Idempotency-Key")
	if got.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", got.Header.Get("Retry-After"))
	}
	_, err = io.WriteString(writer, `"Other"}`)
	must(t, err)
	must(t, writer.Close())
	if status := <-answered; status != http.StatusCreated {
		t.Errorf("the first is %d", status)
	}
}

// lose sets the rows of all keys as if the processes had died: before they committed for the state running, and after
// that for committed.
func (s *server) lose(state string) {
	s.Helper()
	testkit.Exec(s.T, s.dbURL, `UPDATE idempotency_keys SET state = $1, status = NULL, content_type = NULL, body = NULL,
		fingerprint = CASE WHEN $1 = 'committed' THEN fingerprint END, lease_until = now() - interval '1 second'`, state)
}

func TestAnAICreationWhoseAnswerWasLostIsAnsweredAnew(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.keyedForm("k", upload, s.parts()...).want(http.StatusOK)
	s.lose("committed")
	s.keyedForm("k", upload, s.parts(part{"notes", "", "more"})...).refused(http.StatusConflict, "Conflict",
		"idempotency_key_reused", "")
	again := s.keyedForm("k", upload, s.parts()...).want(http.StatusOK)
	if !sameJSON(again.at("data"), first.at("data")) {
		t.Errorf("anew %s, at first %s", again.Raw, first.Raw)
	}
	s.keyedForm("k", upload, s.parts()...).replayed(reply{
		t: t, Status: 200, Raw: again.Raw, Header: http.Header{"Content-Type": again.Header["Content-Type"]},
	})
	if n := s.count("companies"); n != 1 {
		t.Errorf("%d companies", n)
	}
}

func TestWhatALostProcessLeavesBehind(t *testing.T) {
	t.Parallel()
	s := start(t)
	const body = `{"name":"Other"}`
	s.keyed("k", s.statusesPath(), s.key, body).want(http.StatusCreated)
	count := s.count("company_statuses")
	s.lose("committed")
	for range 2 {
		s.keyed("k", s.statusesPath(), s.key, body).refused(http.StatusConflict, "Conflict", "outcome_unknown",
			"Idempotency-Key")
	}
	s.keyed("k", s.statusesPath(), s.key, `{"name":"Else"}`).refused(http.StatusConflict, "Conflict",
		"idempotency_key_reused", "")
	if n := s.count("company_statuses"); n != count {
		t.Errorf("%d statuses, had %d", n, count)
	}
	s.lose("running") // nothing was committed: it is done as if for the first time
	s.keyed("k", s.statusesPath(), s.key, body).want(http.StatusCreated)
	if n := s.count("company_statuses"); n != count+1 {
		t.Errorf("%d statuses, had %d", n, count)
	}
}

func TestAnErrorAfterTheCommitDoesNotMakeASecondThing(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker, c.AnalysisWait = true, 2*time.Second })
	var group sync.WaitGroup
	group.Go(func() { s.keyedForm("k", upload, s.parts()...).want(http.StatusNotFound) })
	for s.count("companies") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	testkit.Exec(t, s.dbURL, "DELETE FROM companies")
	group.Wait()
	s.keyedForm("k", upload, s.parts()...).want(http.StatusNotFound)
	if n := s.count("companies"); n != 0 {
		t.Errorf("a repeat made %d companies", n)
	}
	stands := testkit.Texts(t, s.dbURL, "SELECT state FROM idempotency_keys")
	if len(stands) != 1 || stands[0] != idempotency.Committed {
		t.Errorf("the key is %v", stands)
	}
}

package httpapi_test

import (
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// audited returns the newest entry of the account's log with an action.
func (s *server) audited(action string) reply {
	s.Helper()
	got := s.get(s.accountPath("audit-log?action="+action), s.key).want(http.StatusOK)
	if got.at("data.entries.0") == nil {
		s.Fatalf("%s left no entry", action)
	}
	return got
}

// mustTell checks the user, the target and the changes, as JSON, of the newest entry of an action. With the actor "" it
// must have none; "" for the others allows any.
func (s *server) mustTell(action, actor, target, changes string) {
	s.Helper()
	got := s.audited(action)
	if who := got.at("data.entries.0.actor"); actor == "" && who != nil ||
		actor != "" && got.text("data.entries.0.actor.id") != actor {
		s.Errorf("%s was done by %v, want %q", action, who, actor)
	}
	if target != "" && got.text("data.entries.0.target.id") != target {
		s.Errorf("the target of %s is %v, want %s", action, got.at("data.entries.0.target"), target)
	}
	if said := cmpOr(string(s.encode(got.at("data.entries.0.changes"))), "null"); changes != "" && said != changes {
		s.Errorf("the changes of %s are %s, want %s", action, said, changes)
	}
	if ip := got.at("data.entries.0.ip"); actor != "" && ip != "127.0.0.1" {
		s.Errorf("%s came from %v", action, ip)
	}
}

func TestTheAuditLogTellsWhoChangedACompany(t *testing.T) {
	t.Parallel()
	s := start(t)
	me := s.owner.ID.String()
	mia, mias := s.colleague("Mia Member", "member")
	made := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).want(http.StatusCreated).
		text("data.company.id")
	s.mustTell("company.created", me, made, "null")
	one := companies + "/" + made
	s.change(one, mias, map[string]any{"name": "Acme Ltd", "notes": "a long story", "metadata": map[string]any{"arr": 3}}).
		want(http.StatusOK)
	s.mustTell("company.updated", mia.ID.String(), made,
		`{"metadata.arr":{"changed":true},"name":{"from":"Acme","to":"Acme Ltd"},"notes":{"changed":true}}`)
	s.change(one, s.key, map[string]any{"assignees": []any{mia.ID}}).want(http.StatusOK)
	s.mustTell("company.assigned", me, made, `{"user_id":{"from":null,"to":"`+mia.ID.String()+`"}}`)
	s.change(one, s.key, `{"assignees":[]}`).want(http.StatusOK)
	s.mustTell("company.unassigned", me, made, `{"user_id":{"from":"`+mia.ID.String()+`","to":null}}`)
	s.change(one, s.key, `{"visibility":"shared"}`).want(http.StatusOK)
	s.mustTell("company.updated", me, made, `{"visibility":{"from":"team","to":"shared"}}`)
	s.post(one+"/shares", s.key, map[string]any{"user_id": mia.ID}).want(http.StatusCreated)
	s.mustTell("company.shared", me, made, "")
	s.erase(one+"/shares/"+mia.ID.String(), s.key).want(http.StatusOK)
	s.mustTell("company.unshared", me, made, "")
	file := s.attached(made)
	s.mustTell("attachment.added", me, made, `{"title":{"from":null,"to":"`+name+`"}}`)
	s.erase(one+"/attachments/"+file, s.key).want(http.StatusOK)
	s.mustTell("attachment.removed", me, made, "")
	s.erase(one, s.key).want(http.StatusOK)
	s.mustTell("company.deleted", me, made, "null")

	// What Mia hides from the owner, the log hides from the owner.
	secret := s.company(mias, part{Name: "visibility", Value: "private"})
	s.change(companies+"/"+secret, mias, `{"name":"Hidden Corp"}`).want(http.StatusOK)
	s.mustTell("company.updated", mia.ID.String(), secret, "null")
	s.erase(companies+"/"+secret, mias).want(http.StatusOK)
	s.mustTell("company.deleted", mia.ID.String(), secret, "null")
	if all := s.get(s.accountPath("audit-log?limit=100"), s.key); strings.Contains(string(all.Raw), "Hidden Corp") {
		t.Errorf("the log tells of a private company: %s", all.Raw)
	}
}

func TestTheAuditLogTellsWhoChangedSettings(t *testing.T) {
	t.Parallel()
	s := start(t)
	me := s.owner.ID.String()
	var secrets []string
	status := s.post(s.statusesPath(), s.key, `{"name":"Other"}`).text("data.id")
	s.mustTell("company_status.created", me, status, "")
	s.change(s.statusesPath()+"/"+status, s.key, `{"name":"Changed"}`).want(http.StatusOK)
	s.mustTell("company_status.updated", me, status, `{"name":{"from":"Other","to":"Changed"}}`)
	s.erase(s.statusesPath()+"/"+status, s.key).want(http.StatusOK)
	s.mustTell("company_status.deleted", me, status, "")
	field := s.post(s.accountPath("company-settings"), s.key, `{"name":"ARR","field_type":"number"}`).text("data.field.id")
	s.mustTell("field.created", me, field, "")
	s.change(s.accountPath("company-settings/"+field), s.key, `{"required":true}`).want(http.StatusOK)
	s.mustTell("field.updated", me, field, `{"required":{"from":false,"to":true}}`)
	s.erase(s.accountPath("company-settings/"+field), s.key).want(http.StatusOK)
	s.mustTell("field.deleted", me, field, "")
	integration := s.post(s.accountPath("integrations"), s.key, `{"kind":"email","name":"Mailbox"}`)
	id := integration.text("data.integration.id")
	secrets = append(secrets, path.Base(integration.text("data.integration.hook_url")), integration.text("data.secret"))
	s.mustTell("integration.created", me, id, "")
	rotated := s.post(s.accountPath("integrations/"+id+"/rotate"), s.key, nil).want(http.StatusOK)
	secrets = append(secrets, path.Base(rotated.text("data.integration.hook_url")), rotated.text("data.secret"))
	s.audited("integration.updated")
	s.erase(s.accountPath("integrations/"+id), s.key).want(http.StatusOK)
	s.mustTell("integration.deleted", me, id, "")
	invited := s.post(s.accountPath("invitations"), s.key, `{"email":"grace@fund.example"}`).want(http.StatusCreated)
	secrets = append(secrets, path.Base(invited.text("data.accept_url")))
	s.mustTell("invitation.created", me, invited.text("data.invitation.id"), "")
	s.erase(s.accountPath("invitations/"+invited.text("data.invitation.id")), s.key).want(http.StatusOK)
	s.mustTell("invitation.revoked", me, invited.text("data.invitation.id"), "")
	made := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).text("data.company.id")
	link, code := s.share(s.key, "view", map[string]any{"name": "for Bob", "password": "open sesame"}, made)
	s.mustTell("shared_link.created", me, link, "")
	s.erase(s.accountPath("shared-links/"+link), s.key).want(http.StatusOK)
	s.mustTell("shared_link.deleted", me, link, "")
	key := s.post("/api/v1/api-keys", s.key, `{"name":"spare"}`)
	s.mustTell("key.created", me, key.text("data.api_key.id"), "")
	s.get("/api/v1/accounts", key.text("data.key")).want(http.StatusOK)
	s.mustTell("key.used", me, key.text("data.api_key.id"), "null")
	s.erase("/api/v1/api-keys/"+key.text("data.api_key.id"), s.key).want(http.StatusOK)
	s.mustTell("key.revoked", me, key.text("data.api_key.id"), "")
	s.noSecrets(append(secrets, code, "open sesame", key.text("data.key"), s.key, "$argon2id$", "for Bob")...)
}

// noSecrets looks for secrets in every entry as the database holds it.
func (s *server) noSecrets(secrets ...string) {
	s.Helper()
	for _, entry := range testkit.Texts(s.T, s.dbURL, "SELECT row_to_json(e)::text FROM audit_entries e") {
		for _, secret := range secrets {
			if len(secret) < 6 || strings.Contains(entry, secret) {
				s.Errorf("the log holds %q: %s", secret, entry)
			}
		}
	}
}

func TestTheAuditLogTellsOfMembersAndSignIns(t *testing.T) {
	t.Parallel()
	s := start(t)
	me := s.owner.ID.String()
	mia, _ := s.colleague("Mia Member", "member")
	s.mustTell("member.added", "", "", "")
	membership := s.membership(mia.ID.String())
	s.change(s.accountPath("members/"+membership), s.key, `{"role":"admin"}`).want(http.StatusOK)
	s.mustTell("member.updated", me, membership, `{"role":{"from":"member","to":"admin"}}`)
	must(t, s.deps.SignIn.SetPassword(t.Context(), mia.ID, password))
	s.mustTell("password.changed", "", mia.ID.String(), "null")
	login := map[string]any{"email": mia.Email, "password": password}
	cookie := s.post("/api/v1/auth/login", "", login).want(http.StatusOK).cookie()
	s.mustTell("session.started", mia.ID.String(), "", "null")
	s.post("/api/v1/auth/login", "", map[string]any{"email": mia.Email, "password": "wrong password"}).
		want(http.StatusUnauthorized)
	s.post("/api/v1/auth/login", "", map[string]any{"email": "nobody@fund.example", "password": "wrong password"}).
		want(http.StatusUnauthorized)
	refused := s.audited("session.refused")
	if refused.text("data.entries.0.target.id") != mia.ID.String() || refused.text("data.entries.0.ip") != "127.0.0.1" ||
		refused.at("data.entries.1") != nil {
		t.Errorf("the refusals are %s", refused.Raw)
	}
	change := map[string]any{"current_password": password, "new_password": "another good password"}
	s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/password", Body: change}).want(http.StatusOK)
	s.mustTell("password.changed", mia.ID.String(), mia.ID.String(), "null")
	s.with(cookie, request{Method: http.MethodPost, Path: "/api/v1/auth/logout"}).want(http.StatusOK)
	s.mustTell("session.ended", mia.ID.String(), "", "null")
	s.erase(s.accountPath("members/"+membership), s.key).want(http.StatusOK)
	s.mustTell("member.removed", me, membership, "")
	s.noSecrets(password, "another good password", "wrong password", cookie.Value, "$argon2id$")
}

func TestTheAuditLogIsPagedByCursor(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 3 {
		s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).want(http.StatusCreated)
	}
	all := s.get(s.accountPath("audit-log?limit=100"), s.key).want(http.StatusOK)
	want := len(all.at("data.entries").([]any))
	seen, cursor := map[string]bool{}, ""
	for pages := 0; pages < 2*want; pages++ {
		page := s.get(s.accountPath("audit-log?limit=2"+cursor), s.key).want(http.StatusOK)
		for i := range page.at("data.entries").([]any) {
			seen[page.text("data.entries."+string(rune('0'+i))+".id")] = true
		}
		if page.at("data.pagination.next_cursor") == nil {
			break
		}
		cursor = "&cursor=" + page.text("data.pagination.next_cursor")
	}
	if len(seen) != want || want < 4 {
		t.Errorf("the pages show %d entries, want %d", len(seen), want)
	}
	mine := s.get(s.accountPath("audit-log?actor_id="+s.owner.ID.String()+"&action=company.created"), s.key).
		want(http.StatusOK)
	if len(mine.at("data.entries").([]any)) != 3 {
		t.Errorf("the owner's creations are %s", mine.Raw)
	}
	for query, field := range map[string]string{
		"cursor=x": "cursor", "action=Nothing": "action", "actor_id=me": "actor_id", "limit=101": "limit",
	} {
		s.get(s.accountPath("audit-log?"+query), s.key).refused(http.StatusBadRequest, "Invalid request parameters",
			"invalid_parameter", field)
	}
}

func TestNobodyChangesTheAuditLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).want(http.StatusCreated)
	for _, statement := range []string{
		"SELECT * FROM audit_entries", "DELETE FROM audit_entries", "TRUNCATE audit_entries",
		"UPDATE audit_entries SET ip = NULL",
		"INSERT INTO audit_entries (account_id, action, target_type, target_id) VALUES (gen_random_uuid(), 'a.b', 'a', " +
			"gen_random_uuid())",
		"SELECT app_audit_add(gen_random_uuid(), NULL, 'a.b', 'a', gen_random_uuid(), NULL, false, NULL)",
	} {
		err := s.db.As(t.Context(), s.owner.ID, func(tx *postgres.Tx) error { return tx.Exec(statement).Error })
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	before := s.count("audit_entries")
	must(t, s.deps.Audit.Forget(t.Context(), 24*time.Hour))
	if after := s.count("audit_entries"); after != before {
		t.Errorf("the retention left %d of %d young entries", after, before)
	}
	testkit.Exec(t, s.dbURL, "UPDATE audit_entries SET at = at - interval '2 days' WHERE action = 'company.created'")
	must(t, s.deps.Audit.Forget(t.Context(), 0))
	must(t, s.deps.Audit.Forget(t.Context(), 24*time.Hour))
	if after := s.count("audit_entries"); after != before-1 {
		t.Errorf("the retention left %d of %d entries, one of which is old", after, before)
	}
	s.get("/api/v1/accounts/"+uuid.NewString()+"/audit-log", s.key).want(http.StatusNotFound)
}

func TestTheAuditLogTellsWhoChangedRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	me := s.owner.ID.String()
	mia, mias := s.colleague("Mia Member", "member")
	made := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Acme"}).want(http.StatusCreated).
		text("data.company.id")
	minutes := s.post(s.accountPath("meeting-minutes"), s.key, map[string]any{"title": "First call", "company_id": made}).
		text("data.meeting_minutes.id")
	s.mustTell("meeting_minutes.created", me, minutes, "null")
	s.change(s.accountPath("meeting-minutes/"+minutes), mias, `{"title":"Second call","content":"words"}`).
		want(http.StatusOK)
	s.mustTell("meeting_minutes.updated", mia.ID.String(), minutes,
		`{"content":{"changed":true},"title":{"from":"First call","to":"Second call"}}`)
	s.erase(s.accountPath("meeting-minutes/"+minutes), s.key).want(http.StatusOK)
	s.mustTell("meeting_minutes.deleted", me, minutes, "null")
	submission := s.post(s.accountPath("form-submissions"), s.key, map[string]any{"data": answers("Acme")}).
		text("data.submission.id")
	s.mustTell("form_submission.created", me, submission, "null")
	s.change(s.accountPath("form-submissions/"+submission), s.key, `{"processed":true}`).want(http.StatusOK)
	s.mustTell("form_submission.updated", me, submission, `{"processed":{"from":false,"to":true}}`)
	email := uuid.NewString()
	testkit.Exec(t, s.dbURL,
		"INSERT INTO emails (id, account_id, external_id, from_email, subject) VALUES ($1, $2, 'x', 'f@x.example', 'Pitch')",
		email, s.account.ID)
	s.change(s.accountPath("emails/"+email), s.key,
		map[string]any{"tags": []string{"hot"}, "company_ids": []string{made}}).want(http.StatusOK)
	s.mustTell("email.updated", me, email, `{"tags":{"from":[],"to":["hot"]}}`)
	s.mustTell("email.linked", me, made, `{"email_id":{"from":null,"to":"`+email+`"}}`)

	// What Mia writes about a company that Mia hides from the owner, the log hides from the owner.
	secret := s.company(mias, part{Name: "visibility", Value: "private"})
	s.post(s.accountPath("meeting-minutes"), mias, map[string]any{"title": "Hidden talk", "company_id": secret}).
		want(http.StatusCreated)
	if got := s.audited("meeting_minutes.created"); got.at("data.entries.0.target.name") != nil ||
		strings.Contains(string(got.Raw), "Hidden talk") {
		t.Errorf("the log tells of the minutes of a private company: %s", got.Raw)
	}
}

func TestTimesInTheAuditLogAreInTheFormatOfTheAPI(t *testing.T) {
	t.Parallel()
	s := start(t)
	minutes := s.post(s.accountPath("meeting-minutes"), s.key,
		`{"title":"Call","meeting_date":"2026-03-02T10:00:00.5Z"}`).want(http.StatusCreated).text("data.meeting_minutes.id")
	s.change(s.accountPath("meeting-minutes/"+minutes), s.key,
		`{"title":"Later","attendees":["Ada"],"meeting_date":"2026-03-03T10:00:00+02:00"}`).want(http.StatusOK)
	s.mustTell("meeting_minutes.updated", s.owner.ID.String(), minutes, `{"attendees":{"from":[],"to":["Ada"]},`+
		`"meeting_date":{"from":"2026-03-02T10:00:00.500000Z","to":"2026-03-03T08:00:00.000000Z"},`+
		`"title":{"from":"Call","to":"Later"}}`)
	s.change(s.accountPath("meeting-minutes/"+minutes), s.key, `{"meeting_date":null}`).want(http.StatusOK)
	s.mustTell("meeting_minutes.updated", s.owner.ID.String(), minutes,
		`{"meeting_date":{"from":"2026-03-03T08:00:00.000000Z","to":null}}`)
	s.post("/api/v1/api-keys", s.key, `{"name":"short","scopes":["read"],"expires_at":"2100-01-01T00:00:00Z"}`).
		want(http.StatusCreated)
	s.mustTell("key.created", s.owner.ID.String(), "", `{"expires_at":{"from":null,"to":"2100-01-01T00:00:00.000000Z"},`+
		`"scopes":{"from":null,"to":["read"]}}`)
}

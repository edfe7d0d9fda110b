package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

func (s *server) patch(path, key string, body any) reply {
	s.Helper()
	return s.send(request{Method: http.MethodPatch, Path: path, Key: key, Body: body})
}

func (s *server) remove(path, key string) reply {
	s.Helper()
	return s.send(request{Method: http.MethodDelete, Path: path, Key: key})
}

func TestACompanyIsMadeWithoutAnalysis(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, _ := s.colleague("Mia Member", "member")
	status := s.get(s.statusesPath(), s.key).text("data.1.id")
	got := s.post(companies, s.key, map[string]any{
		"account_id": s.account.ID, "name": " Acme ", "visibility": "shared", "source": "referral", "notes": "n",
		"deck_link": "https://a.example/d", "source_content": "raw",
		"company_status_id": status, "metadata": map[string]any{"x": []int{1}}, "assignees": []any{mia.ID, mia.ID},
		"unknown": 1,
	}).want(http.StatusCreated)
	for path, want := range map[string]any{
		"data.company.name": "Acme", "data.company.visibility": "shared", "data.company.source": "referral",
		"data.company.notes": "n", "data.company.deck_link": "https://a.example/d",
		"data.company.source_content": "raw", "data.company.company_status.id": status,
		"data.company.metadata.x.0": json.Number("1"), "data.company.assignees.0.id": mia.ID.String(),
		"data.company.assignees.1": nil, "data.company.created_by": s.owner.ID.String(),
		"data.company.deck_storage_path": nil, "authType": "api_key",
	} {
		if got.at(path) != want {
			t.Errorf("%s is %v, want %v", path, got.at(path), want)
		}
	}
	plain := s.post(companies, s.key, map[string]any{
		"account_id": s.account.ID, "name": "Plain", "notes": nil, "source": nil,
	}).want(http.StatusCreated)
	for path, want := range map[string]any{
		"data.company.visibility": "team", "data.company.source": "manual", "data.company.notes": nil,
		"data.company.company_status": nil, "data.company.source_content": nil,
	} {
		if plain.at(path) != want {
			t.Errorf("by default %s is %v, want %v", path, plain.at(path), want)
		}
	}
	if read := s.get(companies+"/"+got.text("data.company.id"), s.key); !sameJSON(read.at("data.company"),
		got.at("data.company")) {
		t.Errorf("read back as %s", read.Raw)
	}
}

func TestMakingACompanyIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, strangerKey := s.stranger()
	account := fmt.Sprintf(`"account_id":%q`, s.account.ID)
	for body, tc := range map[string]struct {
		status      int
		code, field string
	}{
		`{` + account + `}`: {400, "invalid_field", "name"}, `{` + account + `,"name":""}`: {400, "invalid_field", "name"},
		`{` + account + `,"name":" "}`:  {400, "invalid_field", "name"},
		`{` + account + `,"name":null}`: {400, "invalid_field", "name"},
		`{` + account + `,"name":1}`:    {400, "invalid_field", "name"}, `{"name":"A"}`: {400, "invalid_field", "account_id"},
		`{"account_id":"x","name":"A"}`: {400, "invalid_field", "account_id"},
		`{"account_id":1,"name":"A"}`:   {400, "invalid_field", "account_id"}, `[]`: {400, "invalid_json", "body"},
		``: {400, "invalid_json", "body"},
		`{` + account + `,"name":"A","visibility":"x"}`:                        {400, "invalid_field", "visibility"},
		`{` + account + `,"name":"A","source":"x"}`:                            {400, "invalid_field", "source"},
		`{` + account + `,"name":"A","metadata":[]}`:                           {400, "invalid_field", "metadata"},
		`{` + account + `,"name":"A","deck_link":"x"}`:                         {400, "invalid_field", "deck_link"},
		`{` + account + `,"name":"A","assignees":["x"]}`:                       {400, "invalid_field", "assignees"},
		`{` + account + `,"name":"A","assignees":"x"}`:                         {400, "invalid_field", "assignees"},
		`{` + account + `,"name":"A","company_status_id":"` + missing() + `"}`: {400, "invalid_field", "company_status_id"},
		`{` + account + `,"name":"A","assignees":["` + missing() + `"]}`:       {400, "invalid_field", "assignees"},
		`{` + account + `,"name":"A\u0000"}`:                                   {400, "invalid_json", "name"},
		`{"account_id":"` + missing() + `","name":"A"}`:                        {404, "not_found", ""},
		`{"account_id":"` + elsewhere.ID.String() + `","name":"A"}`:            {403, "access_denied", ""},
		`{"account_id":"` + elsewhere.ID.String() + `","name":""}`:             {400, "invalid_field", "name"},
	} {
		s.post(companies, s.key, body).refused(tc.status, messageOf(tc.status), tc.code, tc.field)
	}
	s.post(companies, strangerKey, `{`+account+`,"name":"A"}`).refused(403, messageOf(403), "access_denied", "")
	if n := s.count("companies") + s.count("activity"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func messageOf(status int) string {
	return map[int]string{
		400: "Invalid request body", 403: "Access denied to this resource", 404: "Resource not found",
		413: "Request too large", 415: "Unsupported media type",
	}[status]
}

func TestACompanyIsChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, member := s.colleague("Mia Member", "member")
	status := s.get(s.statusesPath(), s.key).text("data.2.id")
	id := s.company(s.key, part{"name", "", "Acme"}, part{"notes", "", "old"},
		part{"metadata", "", `{"a":1,"b":{"c":2}}`}, part{"file_0", "d.txt", "deck"})
	path := companies + "/" + id
	before := s.get(path, s.key)
	got := s.patch(path, member,
		`{"company_status_id":"`+status+
			`","metadata":{"b":3,"user_preferences":[{"type":"select","field":"Fit","value":"High","options":["High"],`+
			`"show_in_table":true}]},"assignees":["`+mia.ID.String()+`"],"deck_link":"https://a.example/x"}`).want(http.StatusOK)
	for path, want := range map[string]any{
		"data.company.name": "Acme", "data.company.notes": "old", "data.company.company_status_id": status,
		"data.company.metadata.a": json.Number("1"), "data.company.metadata.b": json.Number("3"),
		"data.company.metadata.user_preferences.0.field": "Fit", "data.company.assignees.0.email": mia.Email,
		"data.company.deck_link": "https://a.example/x", "data.company.updated_by": mia.ID.String(),
		"data.company.created_by": s.owner.ID.String(), "data.pdf_download_url": nil,
		"data.company.created_at": before.at("data.company.created_at"),
	} {
		if got.at(path) != want {
			t.Errorf("%s is %v, want %v", path, got.at(path), want)
		}
	}
	if got.text("data.company.updated_at") <= before.text("data.company.updated_at") {
		t.Errorf("updated_at went from %s to %s", before.text("data.company.updated_at"), got.text("data.company.updated_at"))
	}
	if read := s.get(path, s.key); !sameJSON(read.at("data.company"), got.at("data.company")) {
		t.Errorf("read back as %s", read.Raw)
	}
	cleared := s.patch(path+"?include_download_url=true", s.key,
		`{"company_status_id":null,"notes":null,"deck_link":null,"assignees":[]}`).want(http.StatusOK)
	for _, path := range []string{
		"data.company.company_status_id", "data.company.company_status", "data.company.notes", "data.company.deck_link",
		"data.company.assignees.0",
	} {
		if cleared.at(path) != nil {
			t.Errorf("cleared, %s is %v", path, cleared.at(path))
		}
	}
	if !strings.HasPrefix(cleared.text("data.pdf_download_url"), "http://deals.example/files/") {
		t.Errorf("asked for, the URL is %v", cleared.at("data.pdf_download_url"))
	}
	if again := s.patch(path, s.key, `{}`).want(http.StatusOK); again.at("data.company.updated_at") != cleared.at(
		"data.company.updated_at",
	) {
		t.Errorf("an empty change touches the company")
	}
}

func TestChangesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, stranger := s.stranger()
	_, member := s.colleague("Mia Member", "member")
	id := s.make(s.key, map[string]any{"name": "Kept"})
	foreign := s.get("/api/v1/accounts/"+elsewhere.ID.String()+"/company-statuses", stranger).text("data.0.id")
	for name, tc := range map[string]struct {
		path, key, body string
		status          int
		code, field     string
	}{
		"name empty":      {id, s.key, `{"name":""}`, 400, "invalid_field", "name"},
		"name blank":      {id, s.key, `{"name":"\u00a0 "}`, 400, "invalid_field", "name"},
		"name null":       {id, s.key, `{"name":null}`, 400, "invalid_field", "name"},
		"name long":       {id, s.key, `{"name":"` + strings.Repeat("ü", 256) + `"}`, 400, "invalid_field", "name"},
		"name number":     {id, s.key, `{"name":7}`, 400, "invalid_field", "name"},
		"visibility":      {id, s.key, `{"visibility":"all"}`, 400, "invalid_field", "visibility"},
		"visibility null": {id, s.key, `{"visibility":null}`, 400, "invalid_field", "visibility"},
		"source":          {id, s.key, `{"source":"fax"}`, 400, "invalid_field", "source"},
		"source null":     {id, s.key, `{"source":null}`, 400, "invalid_field", "source"},
		"metadata array":  {id, s.key, `{"metadata":[1]}`, 400, "invalid_field", "metadata"},
		"metadata null":   {id, s.key, `{"metadata":null}`, 400, "invalid_field", "metadata"},
		"notes":           {id, s.key, `{"notes":{}}`, 400, "invalid_field", "notes"},
		"deck link":       {id, s.key, `{"deck_link":"javascript:1"}`, 400, "invalid_field", "deck_link"},
		"status no id":    {id, s.key, `{"company_status_id":"new"}`, 400, "invalid_field", "company_status_id"},
		"status missing": {
			id, s.key, `{"company_status_id":"` + missing() + `"}`, 400, "invalid_field", "company_status_id",
		}, "status foreign": {
			id, s.key, `{"company_status_id":"` + foreign + `"}`, 400, "invalid_field", "company_status_id",
		},
		"assignees null":     {id, s.key, `{"assignees":null}`, 400, "invalid_field", "assignees"},
		"assignees objects":  {id, s.key, `{"assignees":[{}]}`, 400, "invalid_field", "assignees"},
		"assignee outside":   {id, s.key, `{"assignees":["` + missing() + `"]}`, 400, "invalid_field", "assignees"},
		"private by another": {id, member, `{"visibility":"private"}`, 403, "only_creator_may_make_private", "visibility"},
		"no object":          {id, s.key, `"x"`, 400, "invalid_json", "body"},
		"broken":             {id, s.key, `{"name":`, 400, "invalid_json", "body"},
		"stranger":           {id, stranger, `{"name":"Mine"}`, 403, "access_denied", ""},
		"no such":            {missing(), s.key, `{"name":"Mine"}`, 404, "not_found", ""},
		"malformed":          {"42", s.key, `{"name":"Mine"}`, 404, "not_found", ""},
		"fields first":       {missing(), s.key, `{"name":""}`, 400, "invalid_field", "name"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.patch(companies+"/"+tc.path, tc.key, tc.body)
			got.t = t
			got.refused(tc.status, messageOf(tc.status), tc.code, tc.field)
		})
	}
	s.patch(companies+"/"+id+"?include_download_url=x", s.key, `{}`).refused(400, "Invalid request parameters",
		"invalid_parameter", "include_download_url")
	if got := s.get(companies+"/"+id, s.key); got.at("data.company.name") != "Kept" ||
		got.at("data.company.updated_at") != got.at("data.company.created_at") {
		t.Errorf("the refused changes left %s", got.Raw)
	}
}

func TestACompanyIsDeletedWithItsFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, stranger := s.stranger()
	_, member := s.colleague("Mia Member", "member")
	id := s.company(s.key, part{"file_0", "deck.pdf", samplePDF(t)}, part{"file_1", "b.txt", "b"})
	url := s.local(s.get(companies+"/"+id+"?include_download_url=true", s.key).text("data.pdf_download_url"))
	s.get(url, "").want(http.StatusOK)
	s.remove(companies+"/"+id, stranger).refused(403, messageOf(403), "access_denied", "")
	s.remove(companies+"/"+missing(), s.key).refused(404, messageOf(404), "not_found", "")
	s.remove(companies+"/x", s.key).refused(404, messageOf(404), "not_found", "")
	if s.remove(companies+"/"+id, member).want(http.StatusOK).text("data.message") == "" {
		t.Error("no message")
	}
	s.get(url, "").want(http.StatusNotFound)
	for _, path := range []string{"", "/download", "/attachments", "/shares"} {
		s.get(companies+"/"+id+path, s.key).refused(404, messageOf(404), "not_found", "")
	}
	s.remove(companies+"/"+id, s.key).refused(404, messageOf(404), "not_found", "")
	if keys := s.stored(); len(keys) != 0 {
		t.Errorf("stored files are left: %v", keys)
	}
	// that it was deleted
	for table, left := range map[string]int{
		"companies": 0, "company_files": 0, "file_texts": 0, "company_keys": 0, "activity": 1,
	} {
		if n := s.count(table); n != left {
			t.Errorf("%d rows are left in %s, want %d", n, table, left)
		}
	}
}

func TestSharesOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, member := s.colleague("Mia Member", "member")
	_, stranger := s.stranger()
	id := s.make(s.key, map[string]any{"visibility": "shared"})
	path := companies + "/" + id + "/shares"
	s.get(companies+"/"+id, member).want(http.StatusNotFound)
	got := s.post(path, s.key, map[string]any{"user_id": mia.ID}).want(http.StatusCreated)
	if got.text("data.share.id") != mia.ID.String() || got.text("data.share.email") != mia.Email {
		t.Errorf("answered %s", got.Raw)
	}
	s.post(path, s.key, map[string]any{"user_id": mia.ID}).want(http.StatusCreated)
	s.get(companies+"/"+id, member).want(http.StatusOK)
	if listed := s.get(path, member).want(http.StatusOK); len(listed.at("data.shares").([]any)) != 1 ||
		listed.text("data.shares.0.id") != mia.ID.String() {
		t.Errorf("shares %s", listed.Raw)
	}
	for body, field := range map[string]string{
		`{}`: "user_id", `{"user_id":null}`: "user_id", `{"user_id":"x"}`: "user_id", `{"user_id":5}`: "user_id",
		`{"user_id":"` + missing() + `"}`: "user_id",
	} {
		s.post(path, s.key, body).refused(400, messageOf(400), "invalid_field", field)
	}
	s.post(path, stranger, map[string]any{"user_id": mia.ID}).refused(403, messageOf(403), "access_denied", "")
	s.post(companies+"/"+missing()+"/shares", s.key, map[string]any{"user_id": mia.ID}).refused(404, messageOf(404),
		"not_found", "")
	s.get(path, stranger).refused(403, messageOf(403), "access_denied", "")
	s.remove(path+"/"+missing(), s.key).refused(404, messageOf(404), "not_found", "")
	s.remove(path+"/x", s.key).refused(404, messageOf(404), "not_found", "")
	s.remove(path+"/"+mia.ID.String(), stranger).refused(403, messageOf(403), "access_denied", "")
	s.remove(path+"/"+mia.ID.String(), s.key).want(http.StatusOK)
	s.get(companies+"/"+id, member).want(http.StatusNotFound)
	s.remove(path+"/"+mia.ID.String(), s.key).refused(404, messageOf(404), "not_found", "")
}

// Somebody ends the sharing of a company while a request of whom it was shared with waits for the company.
func TestWhoLosesSightWhileTheyWaitIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	mia, member := s.colleague("Mia Member", "member")
	id := s.make(s.key, map[string]any{"visibility": "shared"})
	minutes := "/api/v1/accounts/" + s.account.ID.String() + "/meeting-minutes"
	call := s.post(minutes, s.key, map[string]any{"title": "Call", "company_id": id}).at("data.meeting_minutes.id").(string)
	status := map[string]int{
		"a change": http.StatusNotFound, "a deletion": http.StatusNotFound, "minutes": http.StatusServiceUnavailable,
		"a deletion of minutes": http.StatusNotFound,
	}
	for name, ask := range map[string]func() reply{
		"a change": func() reply { return s.patch(companies+"/"+id, member, `{"name":"Zenith"}`) },
		"minutes": func() reply {
			return s.post(minutes, member, map[string]any{"title": "Call", "company_id": id})
		},
		"a deletion":            func() reply { return s.remove(companies+"/"+id, member) },
		"a deletion of minutes": func() reply { return s.remove(minutes+"/"+call, member) },
	} {
		s.post(companies+"/"+id+"/shares", s.key, map[string]any{"user_id": mia.ID}).want(http.StatusCreated)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			testkit.Exec(t, s.dbURL, `DO $$ BEGIN
				PERFORM FROM companies WHERE id = '`+id+`' FOR UPDATE;
				PERFORM FROM meeting_minutes WHERE company_id = '`+id+`' FOR UPDATE;
				DELETE FROM company_shares WHERE company_id = '`+id+`';
				PERFORM pg_sleep(1);
			END $$`)
		}()
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) &&
			len(testkit.Texts(t, s.dbURL, `SELECT pid::text FROM pg_stat_activity
			WHERE wait_event = 'PgSleep' AND datname = current_database()`)) == 0; {
			time.Sleep(10 * time.Millisecond)
		}
		first := ask()
		<-ended
		again := ask()
		if first.Status != status[name] ||
			first.Status >= 500 && (first.text("code") != "unavailable" || first.Header.Get("Retry-After") == "") ||
			again.Status != http.StatusNotFound && again.Status != http.StatusBadRequest {
			t.Errorf("%s: %s, and again %s", name, first.Raw, again.Raw)
		}
	}
}

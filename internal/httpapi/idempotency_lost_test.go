package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// asked is a POST that tests send twice.
type asked struct {
	request

	// where it makes or changes a row in the transaction that keeps its answer; "" if its answer is made anew
	table string
	rows  string // of the table; "": all
}

// everyPost returns a request for each route under which an Idempotency-Key counts.
func (s *server) everyPost() map[string]asked {
	s.Helper()
	member, _ := s.colleague("Mia Member", "member")
	made := s.company(s.key, part{"text", "", "Acme"})
	integration := s.post(s.accountPath("integrations"), s.key,
		`{"kind":"email","name":"Mail"}`).want(http.StatusCreated).text("data.integration.id")
	hook := s.post(s.accountPath("webhooks"), s.key,
		`{"url":"https://hooks.example/a"}`).want(http.StatusCreated).text("data.webhook.id")
	sent := func() string {
		return s.post(s.accountPath("webhooks/"+hook+"/test"), s.key, nil).want(http.StatusAccepted).text("data.delivery.id")
	}
	one, two := sent(), sent()
	testkit.Exec(s.T, s.dbURL, "UPDATE webhook_deliveries SET state = 'failed', attempted_at = now(), created_at = "+
		"created_at - CASE WHEN id = $1 THEN interval '1 hour' ELSE '0' END", one)
	running := "00000000-0000-4000-8000-000000000001"
	testkit.Exec(s.T, s.dbURL,
		"INSERT INTO imports (id, account_id, kind, format, status, created_by) VALUES ($1, $2, 'companies', 'csv', "+
			"'receiving', $3)",
		running, s.account.ID, s.owner.ID)
	undone := "00000000-0000-4000-8000-000000000002"
	testkit.Exec(s.T, s.dbURL,
		"INSERT INTO imports (id, account_id, kind, format, status, created_by) VALUES ($1, $2, 'companies', 'csv', "+
			"'completed', $3)",
		undone, s.account.ID, s.owner.ID)
	twins := [4]string{}
	for i := range twins {
		twins[i] = s.plainCompany(fmt.Sprintf("Twin %d", i))
	}
	s.post(companies+"/"+twins[0]+"/merge", s.key, fmt.Sprintf(`{"into_company_id":%q}`, twins[1])).want(http.StatusOK)
	creation, creationType := encodeForm(s.T, s.parts(part{"file_0", "a.txt", "a"})...)
	file, fileType := encodeForm(s.T, part{"file", "b.txt", "b"})
	account := "/api/v1/accounts/:account_id/"
	all := map[string]asked{
		account + "company-statuses": {request: request{Body: `{"name":"Other"}`}, table: "company_statuses"},
		account + "company-settings": {
			request: request{Body: `{"name":"ARR","field_type":"number"}`},
			table:   "field_settings",
		},
		account + "invitations": {
			request: request{Body: `{"email":"grace@fund.example"}`},
			table:   "invitations",
		},
		account + "meeting-minutes": {request: request{Body: `{"title":"Call"}`}, table: "meeting_minutes"},
		account + "form-submissions": {
			request: request{Body: `{"data":[{"key":"a","value":"b"}]}`},
			table:   "form_submissions",
		},
		account + "integrations": {
			request: request{Body: `{"kind":"tally","name":"Form"}`},
			table:   "integrations",
		},
		account + "integrations/:id/rotate": {request: request{Path: s.accountPath("integrations/" + integration +
			"/rotate")}, table: "integrations"},
		account + "imports/:import_id/cancel": {
			request: request{Path: s.accountPath("imports/" + running + "/cancel")},
			table:   "imports", rows: "id = '" + running + "'",
		},
		account + "saved-views": {request: request{Body: `{"name":"Mine"}`}, table: "saved_views"},
		account + "imports/:import_id/undo": {
			request: request{Path: s.accountPath("imports/" + undone + "/undo")},
			table:   "audit_entries", rows: "target_id = '" + undone + "'",
		},
		account + "webhooks": {
			request: request{Body: `{"url":"https://hooks.example/b"}`},
			table:   "webhooks",
		},
		account + "webhooks/:id/rotate": {
			request: request{Path: s.accountPath("webhooks/" + hook + "/rotate")},
			table:   "webhooks",
		},
		account + "webhooks/:id/test": {
			request: request{Path: s.accountPath("webhooks/" + hook + "/test")},
			table:   "webhook_deliveries",
		},
		account + "webhooks/:id/replay": {
			request: request{
				Path: s.accountPath("webhooks/" + hook + "/replay"),
				Body: fmt.Sprintf(`{"since":%q,"failed_only":true}`, time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)),
			},
			table: "work", rows: "subject_id = '" + two + "'",
		},
		account + "webhooks/:id/deliveries/:delivery_id/replay": {
			request: request{Path: s.accountPath("webhooks/" + hook + "/deliveries/" + one + "/replay")}, table: "work",
			rows: "subject_id = '" + one + "'",
		},
		account + "shared-links": {request: request{Body: fmt.Sprintf(`{"companies":[{"company_id":%q,"permissions":"view"}]}`, made)}, table: "shared_links"},
		"/api/v1/api-keys":       {request: request{Body: `{"name":"laptop"}`}, table: "api_keys"},
		companies: {request: request{Body: fmt.Sprintf(`{"account_id":%q,"name":"Beta"}`,
			s.account.ID)}, table: "companies", rows: "name = 'Beta'"},
		companies + "/:id/attachments": {request: request{
			Path: companies + "/" + made + "/attachments", Body: file,
			Type: fileType,
		}, table: "company_files"},
		companies + "/:id/shares": {request: request{
			Path: companies + "/" + made + "/shares",
			Body: fmt.Sprintf(`{"user_id":%q}`, member.ID),
		}, table: "company_shares"},
		companies + "/:id/merge": {request: request{
			Path: companies + "/" + twins[2] + "/merge",
			Body: fmt.Sprintf(`{"into_company_id":%q}`, twins[3]),
		}, table: "company_merges"},
		companies + "/:id/unmerge": {
			request: request{Path: companies + "/" + twins[0] + "/unmerge"},
			table:   "audit_entries", rows: "action = 'company.merge_undone'",
		},
		companies + "/:id/analysis": {request: request{Path: companies + "/" + made + "/analysis"}},
		upload:                      {request: request{Body: creation, Type: creationType}},
		account + "imports/emails": {request: request{
			Body: `{"from_email":"a@b.example"}`,
			Type: "application/x-ndjson",
		}},
		account + "imports/form-submissions": {request: request{Body: `{"data":[]}`, Type: "application/x-ndjson"}},
		account + "imports/companies": {request: request{
			Body: `{"external_id":"1","text":"Acme"}`,
			Type: "application/x-ndjson",
		}},
		account + "imports/account": {request: request{
			Body: `{"type":"end","data":{}}`,
			Type: "application/x-ndjson",
		}},
		"/api/v1/invitations/accept": {request: request{Body: s.acceptance()}},
	}
	for route, one := range all {
		one.Method, one.Key = http.MethodPost, s.key
		one.Path = strings.Replace(cmpOr(one.Path, route), ":account_id", s.account.ID.String(), 1)
		if strings.HasPrefix(route, "/api/v1/invitations") {
			one.Key = ""
		}
		one.Header = http.Header{"Idempotency-Key": {route}}
		all[route] = one
	}
	return all
}

// acceptance is the body by which a new user accepts an invitation.
func (s *server) acceptance() string {
	s.Helper()
	url := s.post(s.accountPath("invitations"), s.key,
		`{"email":"lin@fund.example"}`).want(http.StatusCreated).text("data.accept_url")
	return fmt.Sprintf(`{"token":%q,"name":"Lin","password":"long enough, really"}`, url[strings.LastIndex(url, "/")+1:])
}

// Whatever happens to the process and to its answer, a repeat gets the whole answer: the answer, or what it can be made
// of, is written by the transaction that does what was asked.
func TestEveryPostIsAnsweredWholeOnceItIsCommitted(t *testing.T) {
	t.Parallel()
	s := start(t)
	all := s.everyPost()
	secrets := map[string][]string{}
	for _, route := range s.api.Routes() {
		if route.Keyed {
			secrets[route.Path] = route.Secrets
		}
		if _, found := all[route.Path]; route.Keyed && !found {
			t.Errorf("POST %s is not tested: a repeat of it must be answered whole too", route.Path)
		}
	}
	for route, one := range all {
		first := s.send(one.request)
		if first.Status >= 300 {
			t.Errorf("%s: %d %s", route, first.Status, first.Raw)
			continue
		}
		if one.table == "" {
			s.loseAnswer(route)
		} else if n := s.sameTransaction(route, one); n != 1 {
			t.Errorf("%s: %d rows of %s come from the transaction that kept the answer", route, n, one.table)
		}
		again := s.send(one.request).want(first.Status)
		if data, is := first.at("data").(map[string]any); is {
			for _, secret := range secrets[route] {
				if data[secret] == nil {
					t.Errorf("%s: the first answer has no %s", route, secret)
				}
				data[secret] = nil
			}
			if url := again.at("data.pdfDownloadUrl"); url != nil { // each answer has a new signature
				data["pdfDownloadUrl"] = url
			}
		}
		if !sameJSON(again.at("data"), first.at("data")) && !strings.Contains(route, "/imports/") { // an import has gone on
			t.Errorf("%s: again %s, at first %s", route, again.Raw, first.Raw)
		}
	}
}

// sameTransaction returns the number of rows of one.table that the transaction wrote that also stored the answer for
// this key.
func (s *server) sameTransaction(key string, one asked) int {
	s.Helper()
	found := testkit.Texts(s.T, s.dbURL,
		"SELECT t.xmin::text FROM "+one.table+" t, idempotency_keys k WHERE t.xmin = k.xmin AND k.state = 'answered' AND "+
			"k.key = $1 AND "+
			cmpOr(one.rows, "true"), key)
	return len(found)
}

// loseAnswer sets the row of a key to the state after a process that has committed and died before it stored the
// answer.
func (s *server) loseAnswer(key string) {
	s.Helper()
	testkit.Exec(s.T, s.dbURL,
		`UPDATE idempotency_keys SET state = 'committed', status = NULL, content_type = NULL, body = NULL,
		lease_until = now() - interval '1 second' WHERE key = $1`, key)
}

// If the outcome of a request is unknown, the answer is 503. The repeat gets the whole answer once the database can be
// asked again, and nothing is done twice or lost.
func TestAnOutcomeThatNobodyKnows(t *testing.T) {
	t.Parallel()
	for _, route := range []string{upload, companies + "/:id/attachments"} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(c *setup) { c.Cut = true })
			one := s.everyPost()[route]
			unclear := 0
			for pass := int32(0); unclear < 20; pass++ { // the answer to each commit of the request is lost in turn
				one.Header = http.Header{"Idempotency-Key": {fmt.Sprint(pass)}}
				before := s.books(route)
				s.cutter.CutOff(pass)
				first := s.send(one.request)
				s.cutter.Open()
				s.cutter.CutAfter(0, 0)
				if first.Status < 300 {
					break
				}
				unclear++
				if first.Status != http.StatusServiceUnavailable || first.Header.Get("Retry-After") == "" {
					t.Errorf("the answer to commit %d is lost: %d %s", pass, first.Status, first.Raw)
				}
				again := s.patiently(one.request)
				if after := s.books(route); again.Status >= 300 || after != before+1 {
					t.Errorf("commit %d: a repeat is answered %d %s, there are %d and were %d", pass, again.Status, again.Raw, after,
						before)
				}
			}
			if unclear < 2 {
				t.Errorf("only %d commits were cut", unclear)
			}
			s.filesAreThere()
		})
	}
}

// patiently sends a request again while its key is in use, or its outcome is unknown.
func (s *server) patiently(r request) reply {
	s.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		got := s.send(r)
		if got.Status != http.StatusConflict && got.Status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			return got
		}
	}
}

// books returns the number of rows in the table that route adds a row to.
func (s *server) books(route string) int {
	if route == upload {
		return s.count("companies")
	}
	return s.count("company_files")
}

// filesAreThere fails the test unless every file that a row names is stored.
func (s *server) filesAreThere() {
	s.Helper()
	stored := map[string]bool{}
	for _, key := range s.stored() {
		stored[key] = true
	}
	for _, key := range testkit.Texts(s.T, s.dbURL, "SELECT storage_path FROM company_files") {
		if !stored[key] {
			s.Errorf("%s is lost", key)
		}
	}
}

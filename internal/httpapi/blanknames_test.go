package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Each field holds a name of characters that nobody sees, on every route that takes a name.
func TestNamesThatNobodySeesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	const unseen = `\u200b\u3164\u00a0\ufeff`
	made := func(path, body string) string {
		got := s.post(path, s.key, body).want(http.StatusCreated)
		for _, object := range []string{"", "field.", "saved_view.", "integration.", "meeting_minutes."} {
			if id, found := got.at("data." + object + "id").(string); found {
				return path + "/" + id
			}
		}
		t.Fatalf("no id in %s", got.Raw)
		return ""
	}
	company := companies + "/" + s.company(s.key)
	statuses, settings := s.accountPath("company-statuses"), s.accountPath("company-settings")
	minutes, views := s.accountPath("meeting-minutes"), s.accountPath("saved-views")
	integrations, id := s.accountPath("integrations"), s.account.ID.String()
	invited := s.post(s.accountPath("invitations"), s.key, `{"email":"new@fund.example","role":"member"}`)
	token := invited.want(http.StatusCreated).text("data.accept_url")[len("https://deals.example/invitations/"):]
	for name, tc := range map[string]struct{ method, path, body, field string }{
		"company":               {"POST", companies, `{"account_id":"` + id + `","name":"?"}`, "name"},
		"change of a company":   {"PATCH", company, `{"name":"?"}`, "name"},
		"status":                {"POST", statuses, `{"name":"?"}`, "name"},
		"change of a status":    {"PATCH", made(statuses, `{"name":"A"}`), `{"name":"?"}`, "name"},
		"field":                 {"POST", settings, `{"name":"?","field_type":"text"}`, "name"},
		"option":                {"POST", settings, `{"name":"A","field_type":"select","options":["?"]}`, "options"},
		"change of a field":     {"PATCH", made(settings, `{"name":"A","field_type":"text"}`), `{"name":"?"}`, "name"},
		"minutes":               {"POST", minutes, `{"title":"?"}`, "title"},
		"change of minutes":     {"PATCH", made(minutes, `{"title":"A"}`), `{"title":"?"}`, "title"},
		"saved view":            {"POST", views, `{"name":"?"}`, "name"},
		"change of a view":      {"PATCH", made(views, `{"name":"A"}`), `{"name":"?"}`, "name"},
		"integration":           {"POST", integrations, `{"kind":"tally","name":"?"}`, "name"},
		"change of integration": {"PATCH", made(integrations, `{"kind":"tally","name":"A"}`), `{"name":"?"}`, "name"},
		"link": {
			"POST", s.accountPath("shared-links"),
			`{"name":"?","companies":[{"company_id":"` + company[len(companies)+1:] + `","permissions":"view"}]}`,
			"name",
		},
		"key":    {"POST", "/api/v1/api-keys", `{"name":"?"}`, "name"},
		"answer": {"POST", s.accountPath("form-submissions"), `{"data":[{"key":"?"}]}`, "data.0.key"},
		"person": {
			"POST", "/api/v1/auth/register",
			`{"email":"a@fund.example","name":"?","password":"0123456789","account_name":"A"}`, "name",
		},
		"account": {
			"POST", "/api/v1/auth/register",
			`{"email":"a@fund.example","name":"A","password":"0123456789","account_name":"?"}`, "account_name",
		},
	} {
		key := s.key
		if tc.path == "/api/v1/auth/register" {
			key = ""
		}
		body := strings.ReplaceAll(tc.body, "?", unseen)
		got := s.send(request{Method: tc.method, Path: tc.path, Key: key, Body: body})
		if got.Status != http.StatusBadRequest || !slices.Equal(got.wrongMembers(), []string{tc.field}) {
			t.Errorf("%s: %d %s, want 400 for %s", name, got.Status, got.Raw, tc.field)
		}
	}
	s.post("/api/v1/invitations/accept", "", `{"token":"`+token+`","name":"`+unseen+`","password":"0123456789"}`).
		refused(http.StatusUnauthorized, "Invalid or expired API key", "invalid_credentials", "name") // as without a name
	const seenByNobody = "\u200b\u3164\u00a0\ufeff"
	form := s.form(s.key, part{"account_id", "", id}, part{"text", "", "Acme"}, part{"name", "", seenByNobody})
	if fields := form.wrongMembers(); !slices.Equal(fields, []string{"name"}) {
		t.Errorf("AI creation: details name %q", fields)
	}
	attached := s.attach(company[len(companies)+1:], s.key, part{"title", "", seenByNobody},
		part{"link_url", "", "https://acme.example"})
	if fields := attached.wrongMembers(); !slices.Equal(fields, []string{"title"}) {
		t.Errorf("attachment: details name %q", fields)
	}
}

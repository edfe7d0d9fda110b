package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// wrongMembers returns the fields that the details name, sorted.
func (r reply) wrongMembers() []string {
	r.t.Helper()
	details, _ := r.want(http.StatusBadRequest).at("details").([]any)
	var fields []string
	for _, d := range details {
		fields = append(fields, d.(map[string]any)["field"].(string))
	}
	slices.Sort(fields)
	return fields
}

// TestEveryWrongMemberIsNamedOnce sends members that are wrong by their form beside others that only the domain
// refuses.
func TestEveryWrongMemberIsNamedOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := companies + "/" + s.company(s.key, part{"text", "", "Acme"})
	for name, tc := range map[string]struct {
		method, path, body string
		want               []string
	}{
		"company": {
			http.MethodPost, companies, `{"account_id":"x","name":"","visibility":"public"}`,
			[]string{"account_id", "name", "visibility"},
		},
		"company without name": {
			http.MethodPost, companies, `{"name":5,"source":"fax","deck_link":"x"}`,
			[]string{"account_id", "deck_link", "name", "source"},
		},
		"change of a company": {
			http.MethodPatch, made, `{"name":5,"visibility":"public","source":null}`,
			[]string{"name", "source", "visibility"},
		},
		"status": {
			http.MethodPost, s.accountPath("company-statuses"), `{"name":" ","rank":"1","color":"red"}`,
			[]string{"color", "name", "rank"},
		},
		"setting": {
			http.MethodPost, s.accountPath("company-settings"),
			`{"name":"","field_type":"fax","required":1,"options":["a","a"]}`,
			[]string{"field_type", "name", "options", "required"},
		},
		"minutes": {
			http.MethodPost, s.accountPath("meeting-minutes"),
			`{"title":" ","meeting_date":"soon","company_id":"x"}`,
			[]string{"company_id", "meeting_date", "title"},
		},
		"submission": {
			http.MethodPost, s.accountPath("form-submissions"), `{"data":[],"company_id":"x"}`,
			[]string{"company_id", "data"},
		},
		"integration": {
			http.MethodPost, s.accountPath("integrations"),
			`{"kind":"fax","name":"","create_companies":1}`,
			[]string{"create_companies", "kind", "name"},
		},
		"saved view": {
			http.MethodPost, s.accountPath("saved-views"),
			`{"name":" ","shared":1,"search":2,"company_status_id":"x","source":"fax","sort_by":"color","sort_order":"up","columns":["x"]}`,
			[]string{"columns", "company_status_id", "name", "search", "shared", "sort_by", "sort_order", "source"},
		},
		"webhook": {
			http.MethodPost, s.accountPath("webhooks"),
			`{"url":"ftp://a.example","events":["company.eaten"],"description":1,"enabled":2}`,
			[]string{"description", "enabled", "events", "url"},
		},
		"link": {
			http.MethodPost, s.accountPath("shared-links"),
			`{"name":"","expires_at":"soon","companies":[]}`,
			[]string{"companies", "expires_at", "name"},
		},
		"key": {
			http.MethodPost, "/api/v1/api-keys", `{"name":"","scopes":["all"],"expires_at":"soon"}`,
			[]string{"expires_at", "name", "scopes"},
		},
	} {
		got := s.send(request{Method: tc.method, Path: tc.path, Key: s.key, Body: tc.body})
		if fields := got.wrongMembers(); !slices.Equal(fields, tc.want) {
			t.Errorf("%s: details name %q, want %q", name, fields, tc.want)
		}
	}
	form := s.form(s.key, part{"account_id", "", "x"}, part{"name", "", ""}, part{"visibility", "", "public"},
		part{"metadata", "", "a=1"}, part{"dry_run", "", "yes"})
	if fields := form.wrongMembers(); !slices.Equal(fields,
		[]string{"account_id", "dry_run", "metadata", "name", "text", "visibility"}) {
		t.Errorf("form: details name %q", fields)
	}
}

// TestADryRunListsTheAttachmentsThatWouldBeMade compares with what the same form makes.
func TestADryRunListsTheAttachmentsThatWouldBeMade(t *testing.T) {
	t.Parallel()
	s := start(t)
	deck := samplePDF(t)
	shown := func(dry string) (attachments []string) {
		parts := s.parts(part{"dry_run", "", dry}, part{"file_3", "Numbers.csv", "a,b\n1,2\n"},
			part{"file_0", "One.pdf", deck}, part{"file_1", "Two.pdf", deck})
		got := s.form(s.key, parts...).want(http.StatusOK)
		list, _ := got.at("data.attachments").([]any)
		for i := range list {
			at := fmt.Sprintf("data.attachments.%d.", i)
			attachments = append(attachments, got.text(at+"title")+" "+got.text(at+"attachmentType"))
			if isDry := dry == "true"; (got.at(at+"id") == nil) != isDry || (got.at(at+"filePath") == nil) != isDry {
				t.Errorf("dry_run %s lists %s", dry, got.Raw)
			}
		}
		return attachments
	}
	made, would := shown("false"), shown("true")
	if len(made) != 2 || !slices.Equal(made, would) {
		t.Errorf("made %q, the dry run says %q", made, would)
	}
}

// TestAPostWhoseBodyNobodyReadsCanBeSentAgain sends a body where none is needed, as some HTTP clients always do.
func TestAPostWhoseBodyNobodyReadsCanBeSentAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := s.post(s.accountPath("integrations"), s.key,
		`{"kind":"email","name":"Mail"}`).want(http.StatusCreated).text("data.integration.id")
	company := s.company(s.key, part{"text", "", "Acme"})
	for _, path := range []string{s.accountPath("integrations/" + made + "/rotate"), companies + "/" + company +
		"/analysis"} {
		first := s.keyed("k "+path, path, s.key, `{}`).want(http.StatusOK)
		again := s.keyed("k "+path, path, s.key, `{}`).want(http.StatusOK)
		if again.Header.Get("Idempotent-Replayed") != "true" ||
			again.at("data.integration.id") != first.at("data.integration.id") {
			t.Errorf("%s sent again: %s", path, again.Raw)
		}
		s.keyed("k "+path, path, s.key, `{"other":1}`).want(http.StatusConflict)
	}
}

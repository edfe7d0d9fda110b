package aicreation_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company/aicreation"
)

func TestReadCompanyRow(t *testing.T) {
	t.Parallel()
	d, err := aicreation.ReadRow(
		[]byte(`{"external_id":" 7 ","text":"Acme","name":"A","notes":"n",` +
			`"company_status_id":"0190a5b2-7c7e-7000-8000-0000000000aa","metadata":{"a":1}}`),
	)
	if err != nil || d.ExternalID != "7" || d.Text != "Acme" || *d.Notes != "n" || d.StatusID == nil ||
		string(d.Metadata) != `{"a":1}` {
		t.Errorf("read %+v, %v", d, err)
	}
	d, err = aicreation.ReadFields([]string{"text", "sector", "metadata", "", "notes", "a"},
		[]string{"Acme", "industry", `{"a":1}`, "x", "", "2"})
	if err != nil || string(d.Metadata) != `{"a":1,"column 4":"x","sector":"industry"}` || d.Notes != nil ||
		!strings.HasPrefix(d.ExternalID, "sha256:") {
		t.Errorf("read %+v, metadata %s, %v", d, d.Metadata, err)
	}
	d, err = aicreation.ReadRow([]byte(`{"text":"Acme","name":"\u200b \ufeff"}`))
	d.AccountID = uuid.New()
	if err != nil || d.Check() != nil || d.Name != "" {
		t.Errorf("a name that nobody sees was read as %+q, %v, %v; want none given", d.Name, err, d.Check())
	}
	html := strings.Repeat("<p>", 20_000) // 60 KB, and not 260 as if it were escaped
	if d, err = aicreation.ReadFields([]string{"text", "about"}, []string{"Acme", html}); err != nil ||
		string(d.Metadata) != `{"about":"`+html+`"}` {
		t.Errorf("a column of HTML: %d bytes, %v", len(d.Metadata), err)
	}
}

func TestReadCompanyRowRefuses(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		`{`:                                    "body: is not valid JSON",
		`[1]`:                                  "body: must be a JSON object, not a JSON array",
		"{\"text\":\"\xff\"}":                  "body: is not valid UTF-8",
		`null`:                                 "body: must be a JSON object, not a JSON null",
		`{"text":"a\ud800b"}`:                  "text: holds half of a surrogate pair",
		`{"text":1}`:                           "text: must not be a JSON number",
		`{"text":"a\u0000"}`:                   "text: holds a NUL character",
		`{"text":"a","company_status_id":"x"}`: "company_status_id: must be a UUID",
		`{"text":"` + strings.Repeat("x", aicreation.MaxText+1) + `"}`:  "text: is larger than 1048576 bytes",
		`{"text":"a","external_id":"` + strings.Repeat("x", 501) + `"}`: "external_id: has more than 500 characters",
	} {
		if _, err := aicreation.ReadRow([]byte(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", row, err, want)
		}
	}
	if _, err := aicreation.ReadFields([]string{"text", "metadata", "x"}, []string{"a", "[", "b"}); err == nil ||
		!strings.Contains(err.Error(), "metadata: must be a JSON object") {
		t.Errorf("metadata that is none: %v", err)
	}
	if _, err := aicreation.ReadFields([]string{"text", "metadata"}, []string{"a", `{"b":"\ud800"}`}); err == nil ||
		!strings.Contains(err.Error(), "metadata: holds half of a surrogate pair") {
		t.Errorf("metadata with half of a surrogate pair: %v", err)
	}
}

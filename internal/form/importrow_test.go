package form_test

import (
	"strings"
	"testing"

	"dealflow/internal/form"
)

func TestReadFormRow(t *testing.T) {
	t.Parallel()
	in, err := form.ReadRow(
		[]byte(`{"external_id":"r1","integration_type":"tally","data":[{"key":"a","value":1.50}],"metadata":{"x":1},` +
			`"created_at":"2026-03-02T12:00:00+02:00"}`),
	)
	if err != nil || in.ExternalID != "r1" || in.IntegrationType != form.IntegrationA ||
		string(in.Data) != `[{"key":"a","value":1.50}]` || in.CreatedAt.UTC().Hour() != 10 {
		t.Errorf("read %+v, %v", in, err)
	}
	first, err := form.ReadRow([]byte(`{"data":[{"key":"a"}]}`))
	if err != nil || first.IntegrationType != form.Manual || !strings.HasPrefix(first.ExternalID, "sha256:") {
		t.Errorf("read %+v, %v", first, err)
	}
	later, _ := form.ReadRow([]byte(`{"data":[{"key":"a"}],"created_at":"2026-03-02T12:00:00Z"}`))
	if later.ExternalID == first.ExternalID {
		t.Error("the same answers at another time are taken for one submission")
	}
	about, err := form.ReadRow([]byte(`{"data":[{"key":"a"}],"company_id":"0198c1f2-7d3a-7000-8000-000000000001"}`))
	if err != nil || about.ExternalID == first.ExternalID {
		t.Errorf("the same answers about a company are taken for one submission, %v", err)
	}
}

func TestColumnsBecomeAnswers(t *testing.T) {
	t.Parallel()
	in, err := form.ReadFields([]string{"external_id", "Name", "", "Empty", "data"},
		[]string{"r1", `A "B"`, "x", "", `[{"key":"k"}]`})
	want := `[{"key":"k"},{"key":"Name","label":"Name","type":"INPUT_TEXT","value":"A \"B\""},{"key":"column 3",` +
		`"label":"column 3","type":"INPUT_TEXT","value":"x"}]`
	if err != nil || string(in.Data) != want || in.ExternalID != "r1" {
		t.Errorf("read %s, %v", in.Data, err)
	}
}

func TestReadFormRowRefuses(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		`{}`:   "data: is required",
		`null`: "body: must be a JSON object, not a JSON null",
		`{"data":[{"key":"a","value":"\ud800"}]}`:          "data: holds half of a surrogate pair",
		`{"data":[{"key":"a"}],"metadata":{"a":"\udc00"}}`: "metadata: holds half of a surrogate pair",
		`{"data":null}`:                          "data: is required",
		`{"data":[]}`:                            "data: must hold at least one answer",
		`[]`:                                     "body: must be a JSON object, not a JSON array",
		`{"data":[{"key":""}]}`:                  "data.0.key: is required",
		`{"data":[{"key":"a"}],"external_id":1}`: "external_id: must not be a JSON number",
		`{"data":[{"key":"a"}],"integration_type":"x","company_id":"y","created_at":"z"}`: "integration_type: must be " +
			"manual, tally or typeform; company_id: must be a UUID; created_at: must be a timestamp",
		`{"data":[{"key":"a"}],"created_at":"0001-01-01T00:00:00Z"}`: "created_at: must be a timestamp",
		`{"data":[{"key":"a"}],"metadata":[]}`:                       "metadata: must be a JSON object",
	} {
		if _, err := form.ReadRow([]byte(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
	}
	if _, err := form.ReadFields([]string{"data", "a"}, []string{"{", "b"}); err == nil ||
		!strings.Contains(err.Error(), "data: must be an array") {
		t.Errorf("answers that are no JSON: %v", err)
	}
}

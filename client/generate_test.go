package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"dealflow/client/internal/document"
)

// TestClientIsOfTheDocument compares the sum in generated.go with that of the present document and settings.
func TestClientIsOfTheDocument(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile("../internal/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("generated.go")
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`(?m)^// Made of sha256:([0-9a-f]{64})\.$`).FindSubmatch(code)
	if made == nil {
		t.Fatal("generated.go does not say what it was made of")
	}
	if now := sum(t, written); string(made[1]) != now {
		t.Errorf("generated.go was made of %s, and the document is %s now: run make generate", made[1], now)
	}
	example := strings.Replace(string(written), "name: Nightly import", "name: Daily import", 1)
	if example == string(written) || sum(t, []byte(example)) != string(made[1]) {
		t.Error("another example asks for another client")
	}
	field := strings.Replace(string(written), "required: [api_key, key]", "required: [api_key]", 1)
	if field == string(written) || sum(t, []byte(field)) == string(made[1]) {
		t.Error("another answer asks for no other client")
	}
}

func sum(t *testing.T, written []byte) string {
	t.Helper()
	prepared, err := document.Prepare(written)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := document.Sum(prepared)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestPrepareRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for name, written := range map[string]string{
		"no YAML":       "paths: [",
		"no paths":      "components: {schemas: {A: {type: string}}}",
		"no schemas":    "paths: {/a: {get: {operationId: a}}}",
		"no operations": "paths: {/a: {get: {summary: a}}}\ncomponents: {schemas: {A: {type: string}}}",
	} {
		if prepared, err := document.Prepare([]byte(written)); err == nil {
			t.Errorf("%s: prepared %s", name, prepared)
		}
	}
}

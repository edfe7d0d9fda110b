package httpapi_test

import (
	"net/http"
	"testing"

	"dealflow/internal/company/plain"
)

// Each plain field is documented, comes back from wherever a company is read, and null clears it.
func TestPlainFieldsComeBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	sent, cleared := map[string]any{"account_id": s.account.ID, "name": "Acme"}, map[string]any{}
	for _, name := range plain.Names() {
		sent[name], cleared[name] = "https://acme.example/"+name, nil
	}
	made := s.post(companies, s.key, sent).want(http.StatusCreated)
	path := companies + "/" + made.text("data.company.id")
	read, listed := s.get(path, s.key), s.get(companies, s.key)
	changed := s.patch(path, s.key, cleared).want(http.StatusOK)
	for name := range cleared {
		for where, got := range map[string]any{
			"made": made.at("data.company." + name), "read": read.at("data.company." + name),
			"listed": listed.at("data.companies.0." + name),
		} {
			if got != sent[name] {
				t.Errorf("%s of a company that is %s: %v, want %v", name, where, got, sent[name])
			}
		}
		if got := changed.at("data.company." + name); got != nil {
			t.Errorf("%s is %v after null", name, got)
		}
	}
	document, err := loadDocument()
	must(t, err)
	for _, schema := range []string{"Company", "ListedCompany", "CreateCompanyBody", "ChangeCompanyBody"} {
		for name := range cleared {
			if document.Components.Schemas[schema].Value.Properties[name] == nil {
				t.Errorf("openapi.yaml: %s lacks %s", schema, name)
			}
		}
	}
}

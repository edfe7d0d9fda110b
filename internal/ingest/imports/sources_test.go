package imports_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/sources"
	"dealflow/internal/fault"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestThreePartnersAreCreditedForOneDealThatCameBack(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	const pitch = "Fjord ferries people over water. Founder: Fay Fell <fay@fjord.example>"
	u.bring(t, imports.KindEmails, mailWith("1", "ann@angels.example", pitch))
	id := uuid.MustParse(testkit.Texts(t, u.URL, "SELECT id::text FROM companies")[0])
	move := func(stage string, metadata string) {
		t.Helper()
		status := uuid.MustParse(testkit.Texts(t, u.URL,
			"SELECT id::text FROM company_statuses WHERE account_id = $1 AND name = $2", u.ID, stage)[0])
		change := company.Change{StatusID: patch.Nullable[uuid.UUID]{Set: true, Value: &status}, Metadata: []byte(metadata)}
		if _, err := u.companies.Service.Update(person(t), postgres.AsUser(u.Owner), id, change); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Exec(t, u.URL, "INSERT INTO company_statuses (id, account_id, name, color, rank) VALUES ($1, $2, 'Passed', "+
		"'#EF4444', 8), ($3, $2, 'Again', '#EF4444', 9)", uuid.New(), u.ID, uuid.New())
	move("Passed", `{"pass_reason": "Too early"}`)
	if b := u.background(t, id); len(b.Passes) != 1 || b.Earlier() != nil {
		t.Errorf("while it is passed: %+v", b)
	}
	u.bring(t, imports.KindEmails, mailWith("2", "bob@bank.example", pitch)+mailWith("3", "bob@bank.example",
		pitch+" More."))
	u.bring(t, imports.KindForms,
		`{"external_id":"1","data":[{"key":"t","label":"Pitch","type":"TEXTAREA","value":"`+pitch+
			`"},{"key":"e","label":"Your address","type":"INPUT_EMAIL","value":"cy@capital.example"}]}`)
	if n := testkit.Count(t, u.URL, "companies"); n != 1 {
		t.Fatalf("there are %d companies, want one", n)
	}
	reason := testkit.Texts(t, u.URL,
		"SELECT metadata #>> '{company_match,earlier_pass,reason}' FROM emails WHERE external_id = '2'")[0]
	if reason != "Too early" {
		t.Errorf("the email that brought it again says %q of the earlier pass", reason)
	}
	move("Again", `{}`)
	b := u.background(t, id)
	var brought []string
	for _, s := range b.Sources {
		brought = append(brought, fmt.Sprint(s.Through, " ", *s.Email, " ", s.Times, " ", s.First))
	}
	want := []string{
		"email ann@angels.example 1 true", "email bob@bank.example 2 false",
		"form_submission cy@capital.example 1 false",
	}
	if !slices.Equal(brought, want) {
		t.Errorf("sources %q, want %q", brought, want)
	}
	if pass := b.Earlier(); pass == nil || pass.Stage != "Passed" || *pass.Reason != "Too early" ||
		*pass.By != "Olivia Owner" {
		t.Errorf("the earlier pass is %+v", pass)
	}
	imported := u.bring(t, imports.KindCompanies, `{"external_id":"x","text":"Dunes"}`)
	dunes := uuid.MustParse(testkit.Texts(t, u.URL, "SELECT id::text FROM companies WHERE external_id = 'x'")[0])
	if b := u.background(t, dunes); len(b.Sources) != 1 || b.Sources[0].Through != sources.ThroughImport ||
		*b.Sources[0].Thing != imported.ID || b.Earlier() != nil {
		t.Errorf("an imported company has %+v", b)
	}
	_, err := sources.New(u.DB).Background(t.Context(), postgres.AsUser(u.Stranger), id)
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("a stranger gets %v", err)
	}
}

func (u *undoing) background(t *testing.T, id uuid.UUID) sources.Background {
	t.Helper()
	b, err := sources.New(u.DB).Background(t.Context(), postgres.AsUser(u.Owner), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

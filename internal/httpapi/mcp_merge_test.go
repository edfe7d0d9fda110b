package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

func TestAnAgentMergesOnlyWhatIsConfirmed(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, one, other := s.agent(s.key), s.plainCompany("Acme"), s.plainCompany("Acme Inc.")
	wish := map[string]any{
		"company_id": other, "into_company_id": one, "keep": map[string]any{"name": "merged"}, "idempotency_key": "m1",
	}
	shows := func(got reply, done bool) {
		t.Helper()
		for path, want := range map[string]any{
			"done": done, "merged_company_id": other, "company.id": one, "moves.files": 0.0,
			"company.untrusted.name":        "Acme Inc.",
			"untrusted.differences.0.field": "name", "untrusted.differences.0.keep": "merged",
			"untrusted.differences.0.into": "Acme", "untrusted.differences.1.value": "note of Acme\n\n---\n\nnote of Acme Inc.",
			"untrusted.differences.1.choices.2": "both",
		} {
			if got.at(path) != want {
				t.Errorf("%s is %v in %s", path, got.at(path), got.Raw)
			}
		}
	}
	preview, said := a.ask("merge_companies", wish)
	shows(preview, false)
	if !strings.HasPrefix(said, "Nothing was changed: ") || s.count("companies") != 2 {
		t.Errorf("a preview says %q, and leaves %d companies", said, s.count("companies"))
	}
	a.refused("unmerge_company", map[string]any{"company_id": one}, "has no merge to undo")
	wish["confirm"] = true
	for range 2 {
		merged, _ := a.ask("merge_companies", wish)
		shows(merged, true)
	}
	delete(wish, "idempotency_key")
	a.refused("merge_companies", wish, "was merged into "+one+" already")
	a.refused("get_company", map[string]any{"company_id": other}, "It was merged into company "+one+": use that id.")

	third := s.plainCompany("Acme AG")
	a.ask("merge_companies", map[string]any{"company_id": third, "into_company_id": one, "confirm": true})
	a.refused("unmerge_company", map[string]any{"company_id": other}, "Company "+third+" was merged into "+one+" later")
	for _, id := range []string{third, one} {
		last, said := a.ask("unmerge_company", map[string]any{"company_id": id})
		if last.text("merged_company_id") != third || last.text("untrusted.merged_name") != "Acme AG" ||
			!strings.HasPrefix(said, "Nothing was changed: ") {
			t.Errorf("%q, %s", said, last.Raw)
		}
	}
	s.change(companies+"/"+one, s.key, map[string]any{"notes": "ours"}).want(http.StatusOK)
	undo := map[string]any{"company_id": one, "confirm": true, "idempotency_key": "u1"}
	for range 2 { // the second does not undo the merge before
		if back, _ := a.ask("unmerge_company", undo); back.text("merged_company_id") != third || back.at("done") != true ||
			back.text("untrusted.kept.0.field") != "notes" || back.text("untrusted.kept.0.reason") != "changed" {
			t.Errorf("undone: %s", back.Raw)
		}
	}
	if s.count("companies") != 2 {
		t.Errorf("%d companies", s.count("companies"))
	}
	a.refused("merge_companies", map[string]any{
		"company_id": third, "into_company_id": one, "keep": map[string]any{"name": "both"},
	}, "keep.name: must be into or merged")
}

func TestAnAgentFindsAMergeBehindManyThatWereUndone(t *testing.T) {
	t.Parallel()
	s := start(t)
	a, one, other := s.agent(s.key), s.plainCompany("Acme"), s.plainCompany("Acme Inc.")
	a.ask("merge_companies", map[string]any{"company_id": other, "into_company_id": one, "confirm": true})
	testkit.Exec(t, s.dbURL, `INSERT INTO company_merges (id, account_id, company_id, merged_id, merged, keys, merged_by,
			merged_at, undone_by, undone_at)
		SELECT gen_random_uuid(), account_id, company_id, gen_random_uuid(), merged, keys, merged_by,
			merged_at + n * interval '1 millisecond', merged_by, now()
		FROM company_merges, generate_series(1, 1000) AS n`)
	for _, id := range []string{other, one} {
		if last, _ := a.ask("unmerge_company", map[string]any{"company_id": id}); last.text("merged_company_id") != other {
			t.Errorf("by %s: %s", id, last.Raw)
		}
	}
}

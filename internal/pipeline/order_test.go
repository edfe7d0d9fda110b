package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

// order returns the names of the stages in their order.
func (s setup) order(t *testing.T) string {
	t.Helper()
	stages, _, err := s.pipelines.List(t.Context(), postgres.AsUser(s.owner), s.accountID, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, stage := range stages {
		names = append(names, stage.Name)
	}
	return strings.Join(names, ", ")
}

func TestAStageIsPutBeforeAnother(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	stages := s.stages(t)
	foreign := read[uuid.UUID](t, s, s.eve, "SELECT id FROM company_statuses LIMIT 1")
	before := func(name string) *uuid.UUID { return new(stages[name].ID) }
	for name, tc := range map[string]struct {
		user, account, id uuid.UUID
		before            *uuid.UUID
		want              fault.Kind
	}{
		"plain member":         {s.member, s.accountID, stages["New"].ID, nil, fault.Forbidden},
		"stranger":             {s.eve, s.accountID, stages["New"].ID, nil, fault.Forbidden},
		"of another account":   {s.owner, s.accountID, foreign, nil, fault.NotFound},
		"before one of others": {s.owner, s.accountID, stages["New"].ID, &foreign, fault.InvalidBody},
	} {
		if err := s.pipelines.MoveBefore(t.Context(), tc.user, tc.account, tc.id, tc.before); !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	const all = "New, Screening, First Meeting, Due Diligence, Term Sheet, Invested, Passed"
	if got := s.order(t); got != all {
		t.Fatalf("after refusals the order is %s", got)
	}
	for _, step := range []struct {
		id     string
		before *uuid.UUID
		want   string
	}{
		{"Passed", before("Screening"), "New, Passed, Screening, First Meeting, Due Diligence, Term Sheet, Invested"},
		{"Passed", before("Screening"), "New, Passed, Screening, First Meeting, Due Diligence, Term Sheet, Invested"},
		{"Passed", before("Passed"), "New, Passed, Screening, First Meeting, Due Diligence, Term Sheet, Invested"},
		{"New", nil, "Passed, Screening, First Meeting, Due Diligence, Term Sheet, Invested, New"},
	} {
		if err := s.pipelines.MoveBefore(t.Context(), s.owner, s.accountID, stages[step.id].ID, step.before); err != nil {
			t.Fatal(err)
		}
		if got := s.order(t); got != step.want {
			t.Errorf("the order is %s, want %s", got, step.want)
		}
	}
}

func TestOnlyWhatMovesIsChanged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	stages := s.stages(t)
	testkit.Exec(t, s.url, "UPDATE company_statuses SET updated_at = '2020-01-01'")
	put := func(id, before string) {
		t.Helper()
		err := s.pipelines.MoveBefore(t.Context(), s.owner, s.accountID, stages[id].ID, new(stages[before].ID))
		if err != nil {
			t.Fatal(err)
		}
	}
	put("Passed", "Invested")
	if n := read[int](t, s, s.owner, "SELECT count(*) FROM company_statuses WHERE updated_at > '2020-01-02'"); n != 2 {
		t.Errorf("%d stages changed, want 2", n)
	}
	testkit.Exec(t, s.url, "UPDATE company_statuses SET rank = 7 WHERE account_id = $1", s.accountID) // ranks may be alike
	first := strings.Split(s.order(t), ", ")
	put(first[2], first[1])
	first[1], first[2] = first[2], first[1]
	if got := strings.Split(s.order(t), ", "); !slices.Equal(got, first) {
		t.Errorf("the order is %s, want %s", got, first)
	}
}

func TestAFieldIsPutBeforeAnother(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	var ids []uuid.UUID
	for _, name := range []string{"Sector", "Round", "Website"} {
		in := pipeline.NewField{Name: name, FieldType: "text"}
		made, err := s.pipelines.CreateField(t.Context(), s.owner, s.accountID, in)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, made.ID)
	}
	err := s.pipelines.MoveFieldBefore(t.Context(), s.member, s.accountID, ids[2], &ids[0])
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("a plain member: %v", err)
	}
	if err := s.pipelines.MoveFieldBefore(t.Context(), s.owner, s.accountID, ids[2], &ids[0]); err != nil {
		t.Fatal(err)
	}
	got := read[string](t, s, s.owner, "SELECT string_agg(name, ', ' ORDER BY position) FROM field_settings")
	if got != "Website, Sector, Round" {
		t.Errorf("the order is %s", got)
	}
}

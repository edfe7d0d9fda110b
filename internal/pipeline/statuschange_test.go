package pipeline_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

// stages returns the account's stages by name.
func (s setup) stages(t *testing.T) map[string]pipeline.Status {
	t.Helper()
	statuses, _, err := s.pipelines.List(t.Context(), postgres.AsUser(s.owner), s.accountID, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]pipeline.Status{}
	for _, status := range statuses {
		byName[status.Name] = status
	}
	return byName
}

func (s setup) company(t *testing.T, creator uuid.UUID, visibility string, status uuid.UUID) uuid.UUID {
	t.Helper()
	id := uuid.New()
	testkit.Exec(t, s.url, `INSERT INTO companies (id, account_id, name, visibility, source, company_status_id,
		created_by, updated_by, updated_at)
		VALUES ($1, $2, 'Acme', $3, 'manual', $4, $5, $5, '2020-01-01')`, id, s.accountID, visibility, status, creator)
	return id
}

// read asks for one value as a user.
func read[T any](t *testing.T, s setup, user uuid.UUID, query string, args ...any) T {
	t.Helper()
	var value T
	if err := s.db.As(t.Context(), user, func(tx *postgres.Tx) error {
		return tx.Raw(query, args...).Row().Scan(&value)
	}); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestAStageIsChanged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.stages(t)["Screening"].ID
	change := func(in pipeline.StatusChange) pipeline.Status {
		changed, err := s.pipelines.Change(t.Context(), s.owner, s.accountID, id, in)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	all := change(pipeline.StatusChange{
		Name: new(" Sifting "), Color: new("#abcdef"), Description: new(new("All of it.")), Rank: new(-5),
		IsDefault: new(true),
	})
	if all.Name != "Sifting" || all.Color != "#abcdef" || *all.Description != "All of it." || all.Rank != -5 ||
		!all.IsDefault {
		t.Errorf("changed to %+v", all)
	}
	if stored := s.stages(t)["Sifting"]; stored.Description == nil || !stored.UpdatedAt.Equal(all.UpdatedAt) ||
		!stored.UpdatedAt.After(stored.CreatedAt) {
		t.Errorf("stored %+v, want %+v", stored, all)
	}
	if s.stages(t)["New"].IsDefault {
		t.Error("two stages are the default")
	}
	same := change(pipeline.StatusChange{})
	if same.Name != "Sifting" || !same.UpdatedAt.Equal(all.UpdatedAt) {
		t.Errorf("nothing changed it to %+v", same)
	}
	if cleared := change(pipeline.StatusChange{Description: new((*string)(nil))}); cleared.Description != nil ||
		cleared.Name != "Sifting" {
		t.Errorf("cleared to %+v", cleared)
	}
	if again := change(pipeline.StatusChange{IsDefault: new(true)}); !again.IsDefault {
		t.Error("marking the default again unmarks it")
	}
	if none := change(pipeline.StatusChange{IsDefault: new(false)}); none.IsDefault {
		t.Error("the default cannot be unmarked")
	}
	for name, stage := range s.stages(t) {
		if stage.IsDefault {
			t.Errorf("%s is the default", name)
		}
	}
}

func TestManyBecomeTheDefaultAtOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	var changing sync.WaitGroup
	for _, stage := range s.stages(t) {
		changing.Go(func() {
			if _, err := s.pipelines.Change(t.Context(), s.owner, s.accountID, stage.ID,
				pipeline.StatusChange{IsDefault: new(true)}); err != nil {
				t.Errorf("%s: %v", stage.Name, err)
			}
		})
	}
	changing.Wait()
	if n := read[int](t, s, s.owner, "SELECT count(*) FROM company_statuses WHERE is_default"); n != 1 {
		t.Errorf("%d stages are the default", n)
	}
}

func TestChangesAreRefused(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.stages(t)["New"].ID
	foreign := read[uuid.UUID](t, s, s.eve, "SELECT id FROM company_statuses LIMIT 1")
	good, long := pipeline.StatusChange{Name: new("Changed")}, strings.Repeat("ü", 10_001)
	for name, tc := range map[string]struct {
		user, account, id uuid.UUID
		in                pipeline.StatusChange
		want              fault.Kind
	}{
		"blank name": {s.owner, s.accountID, id, pipeline.StatusChange{Name: new(" ")}, fault.InvalidBody},
		"long name": {
			s.owner, s.accountID, id, pipeline.StatusChange{Name: new(strings.Repeat("n", 256))}, fault.InvalidBody,
		},
		"long description":   {s.owner, s.accountID, id, pipeline.StatusChange{Description: new(&long)}, fault.InvalidBody},
		"color":              {s.owner, s.accountID, id, pipeline.StatusChange{Color: new("#fff")}, fault.InvalidBody},
		"rank":               {s.owner, s.accountID, id, pipeline.StatusChange{Rank: new(1_000_001)}, fault.InvalidBody},
		"fields first":       {s.eve, uuid.New(), uuid.New(), pipeline.StatusChange{Name: new("")}, fault.InvalidBody},
		"plain member":       {s.member, s.accountID, id, good, fault.Forbidden},
		"stranger":           {s.eve, s.accountID, id, good, fault.Forbidden},
		"unknown account":    {s.owner, uuid.New(), id, good, fault.NotFound},
		"unknown":            {s.owner, s.accountID, uuid.New(), good, fault.NotFound},
		"of another account": {s.owner, s.accountID, foreign, good, fault.NotFound},
	} {
		_, err := s.pipelines.Change(t.Context(), tc.user, tc.account, tc.id, tc.in)
		if !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	if s.stages(t)["New"].Name != "New" || read[string](t, s, s.eve, "SELECT name FROM company_statuses WHERE id = ?",
		foreign) == "Changed" {
		t.Error("a refused change was made")
	}
}

func TestAUsedStageStaysUnlessItsCompaniesMove(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	stages := s.stages(t)
	used, other := stages["New"], stages["Passed"]
	hidden := s.company(t, s.member, "private", used.ID)
	remove := func(user uuid.UUID, moveTo *uuid.UUID) error {
		return s.pipelines.Delete(t.Context(), user, s.accountID, used.ID, moveTo)
	}
	if err := remove(s.owner, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("used by a company that the caller does not see: %v", err)
	}
	visible, elsewhere := s.company(t, s.member, "team", used.ID), s.company(t, s.member, "team", stages["Screening"].ID)
	for name, tc := range map[string]struct {
		user, moveTo uuid.UUID
		want         fault.Kind
	}{
		"to itself":  {s.owner, used.ID, fault.InvalidQuery},
		"to nothing": {s.owner, uuid.New(), fault.InvalidQuery},
		"to another account": {
			s.owner, read[uuid.UUID](t, s, s.eve, "SELECT id FROM company_statuses LIMIT 1"), fault.InvalidQuery,
		},
		"by a member":   {s.member, other.ID, fault.Forbidden},
		"by a stranger": {s.eve, other.ID, fault.Forbidden},
	} {
		if err := remove(tc.user, &tc.moveTo); !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	if n := read[int](t, s, s.member, "SELECT count(*) FROM companies WHERE company_status_id = ?", used.ID); n != 2 {
		t.Fatalf("after refusals %d companies have the stage", n)
	}
	if n := testkit.Count(t, s.url, "activity"); n != 0 {
		t.Errorf("refusals recorded %d activities", n)
	}
	if err := remove(s.owner, &other.ID); err != nil {
		t.Fatal(err)
	}
	if _, there := s.stages(t)["New"]; there {
		t.Error("the stage is still there")
	}
	moved := "SELECT company_status_id = ? AND updated_by = ? AND updated_at > '2020-01-02' FROM companies WHERE id = ?"
	for name, id := range map[string]uuid.UUID{"visible": visible, "hidden": hidden} {
		if !read[bool](t, s, s.member, moved, other.ID, s.owner, id) {
			t.Errorf("the %s company was not moved", name)
		}
	}
	if read[uuid.UUID](t, s, s.member, "SELECT company_status_id FROM companies WHERE id = ?",
		elsewhere) != stages["Screening"].ID {
		t.Error("a company of another stage was moved")
	}
	recorded := read[string](t, s, s.owner,
		"SELECT string_agg(type || ': ' || description || ' ' || company_id, ';') FROM activity")
	if want := "status_changed: Company Acme moved from New to Passed " + visible.String(); recorded != want {
		t.Errorf("recorded %q, want %q", recorded, want)
	}
}

func TestAnyUnusedStageIsDeleted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	passed := s.stages(t)["Passed"].ID
	for name, stage := range s.stages(t) {
		if stage.ID == passed {
			continue
		}
		if err := s.pipelines.Delete(t.Context(), s.owner, s.accountID, stage.ID, &passed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.pipelines.Delete(t.Context(), s.owner, s.accountID, passed, nil); err != nil {
		t.Errorf("the last one: %v", err)
	}
	if err := s.pipelines.Delete(t.Context(), s.owner, s.accountID, passed, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("a second time: %v", err)
	}
	made, err := s.pipelines.Create(t.Context(), s.owner, s.accountID, pipeline.NewStatus{Name: "First"})
	if err != nil || made.Rank != 1 {
		t.Errorf("the first of none is %+v, %v", made, err)
	}
}

func TestCompaniesMoveForAdminsAlone(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	stages := s.stages(t)
	s.company(t, s.owner, "team", stages["New"].ID)
	for name, user := range map[string]uuid.UUID{"member": s.member, "stranger": s.eve, "nobody": uuid.Nil} {
		if n := read[int](t, s, user, "SELECT app_move_companies(?, ?, ?)", s.accountID, stages["New"].ID,
			stages["Passed"].ID); n != 0 {
			t.Errorf("a %s moved %d companies", name, n)
		}
	}
}

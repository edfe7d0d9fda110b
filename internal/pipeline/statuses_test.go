package pipeline_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

type setup struct {
	pipelines             *pipeline.Service
	db                    *postgres.DB
	url                   string
	owner, member, eve    uuid.UUID
	accountID, otherTeams uuid.UUID
}

func newSetup(t *testing.T) setup {
	t.Helper()
	url := testkit.DatabaseURL(t)
	db := testkit.Open(t, url)
	accounts := account.New(db)
	s := setup{pipelines: pipeline.New(db), db: db, url: url}
	for email, id := range map[string]*uuid.UUID{
		"owner@fund.example": &s.owner, "member@fund.example": &s.member, "eve@rival.example": &s.eve,
	} {
		user, err := signin.New(db).CreateUser(t.Context(), email, email, "")
		if err != nil {
			t.Fatal(err)
		}
		*id = user.ID
	}
	for owner, id := range map[uuid.UUID]*uuid.UUID{s.owner: &s.accountID, s.eve: &s.otherTeams} {
		team, err := accounts.Create(t.Context(), owner, "Team", pipeline.Seed)
		if err != nil {
			t.Fatal(err)
		}
		*id = team.ID
	}
	if _, err := accounts.AddMember(t.Context(), s.accountID, s.member, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	return s
}

func names(statuses []pipeline.Status) string {
	var all []string
	for _, status := range statuses {
		all = append(all, status.Name)
	}
	return strings.Join(all, ", ")
}

func TestNewAccountHasAUsablePipeline(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	statuses, _, err := s.pipelines.List(t.Context(), postgres.AsUser(s.member), s.accountID, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(statuses),
		"New, Screening, First Meeting, Due Diligence, Term Sheet, Invested, Passed"; got != want {
		t.Errorf("pipeline = %s, want %s", got, want)
	}
	for _, status := range statuses {
		if status.IsDefault != (status.Name == "New") {
			t.Errorf("%s: default %v", status.Name, status.IsDefault)
		}
	}
}

func TestCreateOrdersByRankThenCreation(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	second := 2
	for _, in := range []pipeline.NewStatus{{Name: "Last"}, {Name: "Screening", Rank: &second}, {Name: " Very last "}} {
		if _, err := s.pipelines.Create(t.Context(), s.owner, s.accountID, in); err != nil {
			t.Fatalf("create %q: %v", in.Name, err)
		}
	}
	statuses, _, err := s.pipelines.List(t.Context(), postgres.AsUser(s.owner), s.accountID, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	want := "New, Screening, Screening, First Meeting, Due Diligence, Term Sheet, Invested, Passed, Last, Very last"
	if got := names(statuses); got != want {
		t.Errorf("pipeline = %s, want %s", got, want)
	}
	if last := statuses[len(statuses)-1]; last.Rank != 9 || last.Color != pipeline.DefaultColor || last.IsDefault {
		t.Errorf("the last stage is %+v", last)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	red, far, long := "red", 2_000_000, strings.Repeat("ü", 10_001)
	for name, tc := range map[string]struct {
		user, accountID uuid.UUID
		in              pipeline.NewStatus
		want            fault.Kind
	}{
		"blank name":       {s.owner, s.accountID, pipeline.NewStatus{Name: " "}, fault.InvalidBody},
		"long name":        {s.owner, s.accountID, pipeline.NewStatus{Name: strings.Repeat("n", 256)}, fault.InvalidBody},
		"long description": {s.owner, s.accountID, pipeline.NewStatus{Name: "X", Description: &long}, fault.InvalidBody},
		"color word":       {s.owner, s.accountID, pipeline.NewStatus{Name: "X", Color: &red}, fault.InvalidBody},
		"rank too far":     {s.owner, s.accountID, pipeline.NewStatus{Name: "X", Rank: &far}, fault.InvalidBody},
		"plain member":     {s.member, s.accountID, pipeline.NewStatus{Name: "X"}, fault.Forbidden},
		"stranger":         {s.eve, s.accountID, pipeline.NewStatus{Name: "X"}, fault.Forbidden},
		"unknown account":  {s.owner, uuid.New(), pipeline.NewStatus{Name: "X"}, fault.NotFound},
	} {
		if _, err := s.pipelines.Create(t.Context(), tc.user, tc.accountID, tc.in); !fault.Is(err, tc.want) {
			t.Errorf("%s: error %v, want kind %d", name, err, tc.want)
		}
	}
	statuses, _, err := s.pipelines.List(t.Context(), postgres.AsUser(s.owner), s.accountID, paging.First(100))
	if err != nil || len(statuses) != 7 {
		t.Errorf("after refusals there are %d stages, %v", len(statuses), err)
	}
}

func TestListIsForMembers(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for name, tc := range map[string]struct {
		user, accountID uuid.UUID
		want            fault.Kind
	}{
		"stranger": {s.eve, s.accountID, fault.Forbidden},
		"unknown":  {s.owner, uuid.New(), fault.NotFound},
	} {
		if _, _, err := s.pipelines.List(t.Context(), postgres.AsUser(tc.user), tc.accountID,
			paging.First(100)); !fault.Is(err, tc.want) {
			t.Errorf("%s: error %v, want kind %d", name, err, tc.want)
		}
	}
}

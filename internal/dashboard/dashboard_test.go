package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/dashboard"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

// now is a Wednesday early in a month: its week began in the month before.
func now() time.Time { return time.Date(2026, 4, 1, 0, 30, 0, 0, time.UTC) }

type setup struct {
	*testkit.Team

	service *dashboard.Service
	stages  map[string]uuid.UUID
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	team := testkit.NewTeam(t)
	s := &setup{Team: team, stages: map[string]uuid.UUID{}}
	s.service = dashboard.New(team.DB, func(stage string) bool { return stage == "Invested" || stage == "Passed" })
	stages, _, err := pipeline.New(team.DB).List(t.Context(), postgres.AsUser(team.Owner), team.ID,
		paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range stages {
		s.stages[stage.Name] = stage.ID
	}
	return s
}

// company creates a company that was added at the time at, by somebody, with a status; stage is its name, "" for none.
func (s *setup) company(t *testing.T, by uuid.UUID, visibility, stage, source string, at time.Time) uuid.UUID {
	t.Helper()
	id := testkit.Company(t, s.DB, s.ID, by, visibility)
	var status *uuid.UUID
	if stage != "" {
		status = new(s.stages[stage])
	}
	testkit.Exec(t, s.URL, "UPDATE companies SET company_status_id = $2, source = $3, created_at = $4 WHERE id = $1", id,
		status, source, at)
	return id
}

func (s *setup) get(t *testing.T, user uuid.UUID, days int) dashboard.Dashboard {
	t.Helper()
	board, err := s.service.Get(t.Context(), postgres.AsUser(user), s.ID, days, now())
	if err != nil {
		t.Fatal(err)
	}
	return board
}

func TestFiguresAreOfWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	today, march := now(), now().Add(-time.Hour)
	s.company(t, s.Owner, "team", "New", "email", today)
	s.company(t, s.Owner, "team", "", "email", march)
	s.company(t, s.Owner, "team", "Invested", "referral", march)
	s.company(t, s.Owner, "private", "New", "event", today)
	s.company(t, s.Owner, "shared", "Passed", "event", today)
	shared := s.company(t, s.Owner, "shared", "Due Diligence", "form", march)
	testkit.Exec(t, s.URL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", shared,
		s.ID, s.Member)
	testkit.Company(t, s.DB, s.Rival, s.Stranger, "team")
	tests := map[string]struct {
		user                   uuid.UUID
		total, month, active   int
		pipeline, sources, day string
	}{
		"owner": {
			s.Owner, 6, 3, 4, "New=2 Due Diligence=1 Invested=1 Passed=1 =1", "email=2 event=2 form=1 referral=1", "3 3",
		},
		"member": {s.Member, 4, 1, 3, "New=1 Due Diligence=1 Invested=1 =1", "email=2 form=1 referral=1", "3 1"},
	}
	for name, tc := range tests {
		board := s.get(t, tc.user, 7)
		if board.Companies != tc.total || board.CompaniesInMonth != tc.month || board.ActiveDeals != tc.active {
			t.Errorf("%s: %d companies, %d in the month, %d active; want %d, %d, %d", name, board.Companies,
				board.CompaniesInMonth, board.ActiveDeals, tc.total, tc.month, tc.active)
		}
		if got := stagesOf(board); got != tc.pipeline {
			t.Errorf("%s: pipeline %s, want %s", name, got, tc.pipeline)
		}
		if got := sourcesOf(board); got != tc.sources {
			t.Errorf("%s: sources %s, want %s", name, got, tc.sources)
		}
		if got := fmt.Sprint(board.Days[5].Count, board.Days[6].Count); got != tc.day {
			t.Errorf("%s: yesterday and today %s, want %s", name, got, tc.day)
		}
	}
}

// stagesOf returns the stages that have companies, in their order, as "New=2 Passed=1". If the pipeline lacks a stage,
// or a last entry for companies without one, it returns a text that says so.
func stagesOf(board dashboard.Dashboard) string {
	var lines []string
	for _, stage := range board.Pipeline {
		if stage.Count > 0 {
			lines = append(lines, fmt.Sprintf("%s=%d", stage.Name, stage.Count))
		}
	}
	if last := board.Pipeline[len(board.Pipeline)-1]; len(board.Pipeline) != 8 || last.ID != nil || last.Name != "" ||
		board.Pipeline[0].ID == nil || board.Pipeline[0].Color == "" {
		return fmt.Sprintf("incomplete: %+v", board.Pipeline)
	}
	return strings.Join(lines, " ")
}

func sourcesOf(board dashboard.Dashboard) string {
	var lines []string
	for _, source := range board.Sources {
		lines = append(lines, fmt.Sprintf("%s=%d", source.Name, source.Count))
	}
	return strings.Join(lines, " ")
}

func TestAnEmptyAccountHasEveryRow(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	board := s.get(t, s.Member, 30)
	if board.Companies+board.CompaniesInMonth+board.ActiveDeals+board.MeetingsInWeek != 0 || len(board.Pipeline) != 8 ||
		len(board.Days) != 30 {
		t.Errorf("an empty account has %+v", board)
	}
	if board.Activity == nil || len(board.Activity) > 0 || board.Sources == nil || len(board.Sources) > 0 {
		t.Errorf("an empty account has activity %v and sources %v", board.Activity, board.Sources)
	}
}

func TestDaysAreCountedInUTC(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	at := func(text string) {
		moment, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		s.company(t, s.Owner, "team", "New", "email", moment)
	}
	at("2026-03-25T23:59:59Z")      // the day before the window
	at("2026-03-26T00:00:00Z")      // its first moment
	at("2026-03-31T23:59:59Z")      // the last of yesterday
	at("2026-04-01T01:30:00+02:00") // also yesterday
	at("2026-04-01T00:00:00Z")
	board := s.get(t, s.Owner, 7)
	var got []string
	for _, day := range board.Days {
		got = append(got, fmt.Sprintf("%s=%d", day.Date.Format(time.DateOnly), day.Count))
	}
	want := []string{
		"2026-03-26=1", "2026-03-27=0", "2026-03-28=0", "2026-03-29=0", "2026-03-30=0", "2026-03-31=2", "2026-04-01=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("days %v, want %v", got, want)
	}
	if board.Companies != 5 || board.CompaniesInMonth != 1 {
		t.Errorf("%d companies, %d in the month", board.Companies, board.CompaniesInMonth)
	}
	if year := s.get(t, s.Owner, 365); len(year.Days) != 365 || year.Days[0].Date.Format(time.DateOnly) != "2025-04-02" {
		t.Errorf("a year has %d days from %v", len(year.Days), year.Days[0].Date)
	}
}

func TestMeetingsOfTheWeek(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	private := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	meet := func(date string, company *uuid.UUID) {
		testkit.Exec(t, s.URL,
			"INSERT INTO meeting_minutes (id, account_id, title, meeting_date, company_id, created_by) VALUES ($1, $2, 'T', "+
				"NULLIF($3, '')::timestamptz, $4, $5)",
			uuid.New(), s.ID, date, company, s.Owner)
	}
	meet("2026-03-29T23:59:59Z", nil) // Sunday
	meet("2026-03-30T00:00:00Z", nil)
	meet("2026-04-05T23:59:59Z", nil)
	meet("2026-04-06T00:00:00Z", nil) // the next Monday
	meet("", nil)
	meet("2026-04-02T10:00:00Z", &private)
	if got := s.get(t, s.Owner, 7).MeetingsInWeek; got != 3 {
		t.Errorf("the owner has %d meetings in the week, want 3", got)
	}
	if got := s.get(t, s.Member, 7).MeetingsInWeek; got != 2 {
		t.Errorf("a member who does not see the company has %d meetings in the week, want 2", got)
	}
	for day, monday := range map[string]string{
		"2026-03-30": "2026-03-30", "2026-04-05": "2026-03-30", "2026-04-06": "2026-04-06",
	} {
		at, _ := time.Parse(time.DateOnly, day)
		board, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, 7, at)
		if want := map[string]int{"2026-03-30": 3, "2026-04-06": 1}[monday]; err != nil || board.MeetingsInWeek != want {
			t.Errorf("on %s: %d meetings, %v; want those of the week of %s, %d", day, board.MeetingsInWeek, err, monday, want)
		}
	}
}

func TestActivityIsTheNewestThatTheCallerSees(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	private, team := testkit.Company(t, s.DB, s.ID, s.Owner, "private"), testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	testkit.Exec(t, s.URL, "UPDATE companies SET name = 'Now called so' WHERE id = $1", team)
	record := func(kind, what string, company *uuid.UUID) {
		err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
			return activity.Record(tx, s.ID, kind, what, company)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 25 {
		record(activity.StatusChanged, fmt.Sprintf("step %d", i), &team)
	}
	record(activity.CompanyAdded, "secret", &private)
	record("meeting_added", "of nobody", nil)
	board := s.get(t, s.Member, 7)
	if len(board.Activity) != 20 || board.Activity[0].Description != "of nobody" || board.Activity[0].CompanyID != nil ||
		board.Activity[0].CompanyName != nil ||
		board.Activity[1].Description != "step 24" || *board.Activity[1].CompanyName != "Now called so" ||
		board.Activity[19].Description != "step 6" {
		t.Errorf("the member is shown %+v", board.Activity)
	}
	if mine := s.get(t, s.Owner, 7).Activity; mine[1].Description != "secret" || *mine[1].CompanyID != private {
		t.Errorf("the owner is shown %+v", mine[:2])
	}
}

func TestOthersAreRefused(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	testkit.Member(t, s.DB, s.ID, s.Stranger, account.RoleAdmin)
	if _, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.Rival, 7, now()); !fault.Is(err, fault.Forbidden) {
		t.Errorf("of another team: %v", err)
	}
	if _, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), uuid.New(), 7, now()); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("of no team: %v", err)
	}
	if _, err := s.service.Get(t.Context(), postgres.AsUser(s.Stranger), s.ID, 7, now()); err != nil {
		t.Errorf("who joined is refused: %v", err)
	}
}

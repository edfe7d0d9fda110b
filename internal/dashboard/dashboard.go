// Package dashboard counts the companies, meetings and activity of a team. Every number is up to date, and counts only
// what the caller sees.
package dashboard

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/activity"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// Dashboard is the dashboard of an account as a member sees it.
type Dashboard struct {
	Companies        int
	CompaniesInMonth int // made since the month began in UTC
	ActiveDeals      int // companies without a status, or with one that is not closing (see New)
	MeetingsInWeek   int // meetings with a date in the week that began on Monday, in UTC
	Pipeline         []Stage
	Activity         []Event  // the newest first
	Days             []Day    // oldest first, today last
	Sources          []Source // the one with the most companies first
}

// Stage is a status with the number of its companies. The last Stage of a dashboard or pipeline counts the companies
// without a status; its ID is nil, and Name and Color are empty.
type Stage struct {
	ID    *uuid.UUID
	Name  string
	Color string
	Count int
}

// Event is an entry of the activity with the current name of its company. CompanyName is nil if the entry has no
// company or the caller does not see it.
type Event struct {
	activity.Entry

	CompanyName *string
}

// Day is a day in UTC with the number of companies created on it.
type Day struct {
	Date  time.Time
	Count int
}

// Source is a source of companies with the number of companies that have it.
type Source struct {
	Name  string
	Count int
}

// Service reads dashboards. It is safe for concurrent use.
type Service struct {
	db        *postgres.DB
	isClosing func(stage string) bool
}

// New returns a service on a database. isClosing reports whether deals in the status with this name are over: won or
// lost. It must be safe for concurrent use.
func New(db *postgres.DB, isClosing func(stage string) bool) *Service {
	return &Service{db: db, isClosing: isClosing}
}

// Get returns the dashboard of an account at the present time, now. Its Days are as many as days says, and the last is
// today. Its Activity is the newest 20 entries, or fewer. Get does not check that days is between MinDays and MaxDays.
// The error is NotFound if there is no such account, and Forbidden if the caller is not a member of it.
func (s *Service) Get(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, days int, now time.Time,
) (Dashboard, error) {
	board := Dashboard{Activity: []Event{}}
	var role string
	var stages []pipeline.Status
	var figures []figure
	span := spanOf(now, days)
	err := s.db.Read(ctx, who, account.IsMember(&role, accountID), pipeline.Query(&stages, accountID),
		countCompanies(&figures, accountID, span),
		countMeetings(&board.MeetingsInWeek, accountID, span), newest(&board.Activity, accountID))
	if err != nil {
		return Dashboard{}, fmt.Errorf("read the dashboard: %w", err)
	}
	s.fill(&board, stages, figures, span)
	return board, nil
}

// span has the times that bound the periods of the dashboard. Each is midnight in UTC.
type span struct {
	first    time.Time // the first day of the charts
	days     int
	month    time.Time
	week     time.Time
	nextWeek time.Time
}

func spanOf(now time.Time, days int) span {
	today := now.UTC().Truncate(24 * time.Hour)
	week := today.AddDate(0, 0, -(int(today.Weekday())+6)%7) // Monday is the first day
	return span{
		first: today.AddDate(0, 0, 1-days), days: days, month: today.AddDate(0, 0, 1-today.Day()), week: week,
		nextWeek: week.AddDate(0, 0, 7),
	}
}

// countMeetings returns a query that sets count to the number of meetings with a date in the week of sp.
func countMeetings(count *int, accountID uuid.UUID, sp span) postgres.Query {
	return postgres.Value(count,
		"SELECT count(*) FROM meeting_minutes WHERE account_id = $1 AND meeting_date >= $2 AND meeting_date < $3",
		accountID, sp.week, sp.nextWeek)
}

// newest returns a query that reads the newest entries of the activity that the caller sees into events, at most
// newestActivity.
func newest(events *[]Event, accountID uuid.UUID) postgres.Query {
	return postgres.Rows(events, func(e *Event) []any {
		return []any{&e.ID, &e.AccountID, &e.UserID, &e.Type, &e.Description, &e.CompanyID, &e.CreatedAt, &e.CompanyName}
	}, "SELECT * FROM app_newest_activity($1, $2)", accountID, newestActivity)
}

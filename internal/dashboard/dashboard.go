// Package dashboard counts what a team works on. Every figure is live, and of what the caller sees alone.
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

// Days of the charts.
const (
	MinDays     = 7
	MaxDays     = 365
	DefaultDays = 30
)

const newestActivity = 20

// Dashboard is what a member is shown of an account.
type Dashboard struct {
	Companies        int
	CompaniesInMonth int // made since the month began, in UTC
	ActiveDeals      int // those whose status is not a closing one, or that have none
	MeetingsInWeek   int // of the week that began on Monday, in UTC, by their date
	Pipeline         []Stage
	Activity         []Event // the newest first
	Days             []Day   // oldest first, today last
	Sources          []Source
}

// Stage is a status with the number of its companies; the last one is that of the companies without a status and has
// no ID.
type Stage struct {
	ID    *uuid.UUID
	Name  string
	Color string
	Count int
}

// Event is something that somebody did, with the name that the company has now.
type Event struct {
	activity.Entry

	CompanyName *string
}

// Day is a day in UTC with the number of companies that were made on it.
type Day struct {
	Date  time.Time
	Count int
}

// Source is where companies came from, with their number.
type Source struct {
	Name  string
	Count int
}

// Service makes dashboards.
type Service struct {
	db        *postgres.DB
	isClosing func(stage string) bool
}

// New makes the service on a database. IsClosing reports by the name of a status whether its deals are over, won or
// lost.
func New(db *postgres.DB, isClosing func(stage string) bool) *Service {
	return &Service{db: db, isClosing: isClosing}
}

// Get returns the dashboard of an account to a member, with charts of so many days up to now. NotFound or Forbidden
// where the account is not theirs.
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
	s.tell(&board, stages, figures, span)
	return board, nil
}

// span is what the figures are about; all of it begins at midnight in UTC.
type span struct {
	first    time.Time // day of the charts
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

// countMeetings counts those that have a date in the week.
func countMeetings(count *int, accountID uuid.UUID, sp span) postgres.Query {
	return postgres.Value(count,
		"SELECT count(*) FROM meeting_minutes WHERE account_id = $1 AND meeting_date >= $2 AND meeting_date < $3",
		accountID, sp.week, sp.nextWeek)
}

// newest reads what was done last.
func newest(events *[]Event, accountID uuid.UUID) postgres.Query {
	return postgres.Rows(events, func(e *Event) []any {
		return []any{&e.ID, &e.AccountID, &e.UserID, &e.Type, &e.Description, &e.CompanyID, &e.CreatedAt, &e.CompanyName}
	}, "SELECT * FROM app_newest_activity($1, $2)", accountID, newestActivity)
}

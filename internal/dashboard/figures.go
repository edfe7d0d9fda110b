package dashboard

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// The kinds of figures, which are also the kinds of rows of the table company_counts.
const (
	byStatus = "s"
	bySource = "o"
	byDay    = "d"
)

// figure is the number of companies with a status, with a source, or created on a day; kind says which. key is the ID
// of the status ("" for companies without one), the source, or the day as in "2026-01-31".
type figure struct {
	kind  string
	key   string
	count int
}

// countCompanies returns a query that reads the numbers of companies that the caller sees into figures. Numbers by day
// begin with the first day of the charts or of the month, whichever is earlier. Triggers of the database keep these
// numbers for each status, source and day: one number for the companies that the whole team sees, and one for each user
// for the other companies that this user sees.
func countCompanies(figures *[]figure, accountID uuid.UUID, sp span) postgres.Query {
	since := sp.first
	if sp.month.Before(since) {
		since = sp.month
	}
	return postgres.Rows(figures, func(f *figure) []any { return []any{&f.kind, &f.key, &f.count} },
		`SELECT kind::text, key, sum(count)::bigint FROM company_counts
			WHERE account_id = $1 AND viewer IN ('00000000-0000-0000-0000-000000000000', app_user_id()) AND (kind IN ('s',
				'o') OR key >= $2)
			GROUP BY kind, key HAVING sum(count) <> 0`, accountID, since.Format(time.DateOnly))
}

// countStatuses is countCompanies for numbers by status only; it does not set the kind of the figures.
func countStatuses(figures *[]figure, accountID uuid.UUID) postgres.Query {
	return postgres.Rows(figures, func(f *figure) []any { return []any{&f.key, &f.count} },
		`SELECT key, sum(count)::bigint FROM company_counts
			WHERE account_id = $1 AND viewer IN ('00000000-0000-0000-0000-000000000000', app_user_id()) AND kind = 's'
			GROUP BY key`, accountID)
}

// fill fills in the dashboard's numbers and charts from figures.
func (s *Service) fill(board *Dashboard, stages []pipeline.Status, figures []figure, sp span) {
	statuses, days, month := map[string]int{}, map[string]int{}, sp.month.Format(time.DateOnly)
	board.Sources = []Source{}
	for _, f := range figures {
		switch f.kind {
		case byStatus:
			statuses[f.key] = f.count
		case bySource:
			board.Companies += f.count
			board.Sources = append(board.Sources, Source{Name: f.key, Count: f.count})
		case byDay:
			days[f.key] = f.count
			if f.key >= month {
				board.CompaniesInMonth += f.count
			}
		}
	}
	slices.SortFunc(board.Sources, func(a, b Source) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	s.fillPipeline(board, stages, statuses)
	for i := range sp.days {
		day := sp.first.AddDate(0, 0, i)
		board.Days = append(board.Days, Day{Date: day, Count: days[day.Format(time.DateOnly)]})
	}
}

// fillPipeline sets the dashboard's Pipeline, with all statuses in their order and then the companies without one. It
// adds to ActiveDeals the companies without a status and those whose status is not closing.
func (s *Service) fillPipeline(board *Dashboard, stages []pipeline.Status, counts map[string]int) {
	for _, stage := range stages {
		count := counts[stage.ID.String()]
		board.Pipeline = append(board.Pipeline, Stage{ID: &stage.ID, Name: stage.Name, Color: stage.Color, Count: count})
		if !s.isClosing(stage.Name) {
			board.ActiveDeals += count
		}
	}
	board.Pipeline = append(board.Pipeline, Stage{Count: counts[""]})
	board.ActiveDeals += counts[""]
}

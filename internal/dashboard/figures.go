package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// What a figure counts by.
const (
	ofAll    = 7 // none of the three
	byStatus = 3
	bySource = 5
	byDay    = 6
)

// figure is a number of companies: of all, of a status, of a source or of a day.
type figure struct {
	Kind    int // by which columns it is not grouped: see GROUPING of Postgres
	Status  *uuid.UUID
	Source  *string
	Day     *time.Time // nil: before the charts begin
	Count   int
	InMonth int
}

// countCompanies counts all that the dashboard tells of companies in one pass over an index. What the pass counts are cells of status, source
// and day, of which there are few, so that nothing large is ever sorted.
func countCompanies(tx *postgres.Tx, accountID uuid.UUID, sp span) ([]figure, error) {
	var figures []figure
	err := tx.Raw(`WITH cells AS MATERIALIZED (
			SELECT company_status_id AS status, source, CASE WHEN created_at >= ? THEN (created_at AT TIME ZONE 'UTC')::date END AS day,
				count(*) AS companies, count(*) FILTER (WHERE created_at >= ?) AS in_month
			FROM companies WHERE account_id = ? GROUP BY 1, 2, 3)
		SELECT GROUPING(status, source, day) AS kind, status, source, day, COALESCE(sum(companies), 0)::bigint AS count, COALESCE(sum(in_month), 0)::bigint AS in_month
		FROM cells GROUP BY GROUPING SETS ((status), (source), (day), ())`, sp.first, sp.month, accountID).Scan(&figures).Error
	if err != nil {
		return nil, fmt.Errorf("count companies: %w", err)
	}
	return figures, nil
}

// tell turns the counts into what is shown.
func (s *Service) tell(board *Dashboard, stages []pipeline.Status, figures []figure, sp span) {
	statuses, days := map[uuid.UUID]int{}, map[time.Time]int{}
	board.Sources = []Source{}
	for _, f := range figures {
		switch f.Kind {
		case ofAll:
			board.Companies, board.CompaniesInMonth = f.Count, f.InMonth
		case byStatus:
			if f.Status == nil {
				f.Status = new(uuid.Nil)
			}
			statuses[*f.Status] = f.Count
		case bySource:
			board.Sources = append(board.Sources, Source{Name: *f.Source, Count: f.Count})
		case byDay:
			if f.Day != nil {
				days[f.Day.UTC()] = f.Count
			}
		}
	}
	slices.SortFunc(board.Sources, func(a, b Source) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	s.tellPipeline(board, stages, statuses)
	for i := range sp.days {
		day := sp.first.AddDate(0, 0, i)
		board.Days = append(board.Days, Day{Date: day, Count: days[day]})
	}
}

// tellPipeline lists every stage, and after them what has none.
func (s *Service) tellPipeline(board *Dashboard, stages []pipeline.Status, counts map[uuid.UUID]int) {
	for _, stage := range stages {
		count := counts[stage.ID]
		board.Pipeline = append(board.Pipeline, Stage{ID: &stage.ID, Name: stage.Name, Color: stage.Color, Count: count})
		if !s.isClosing(stage.Name) {
			board.ActiveDeals += count
		}
	}
	board.Pipeline = append(board.Pipeline, Stage{Count: counts[uuid.Nil]})
	board.ActiveDeals += counts[uuid.Nil]
}

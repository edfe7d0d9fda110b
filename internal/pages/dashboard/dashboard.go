// Package dashboard has the page of an account's dashboard.
package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"dealflow/internal/dashboard"
	"dealflow/internal/pages/frame"
	"dealflow/internal/pages/render"
)

// figures has the data of the page of an account's dashboard.
type figures struct {
	dashboard.Dashboard

	Span     int // how many days the timeline shows
	Spans    []int
	Month    string // the address of the list of the companies of this month
	Pipeline render.Chart
	Sources  render.Chart
	Added    timeline
}

// spans returns the numbers of days among which the visitor can choose for the timeline.
func spans() []int { return []int{dashboard.MinDays, dashboard.DefaultDays, 91, 364} }

// timeline is a column chart of the companies that were added, the oldest days first.
type timeline struct {
	Title   string
	Columns []stretchOfDays
	Most    int
}

// stretchOfDays is a column of a timeline: one or more days, and the number of companies that were added then. X and
// Width are in percent, Y and Height in pixels.
type stretchOfDays struct {
	Label string
	Count int
	URL   string

	X, Width  float64
	Y, Height int
}

// columnHeight is the height in pixels of the highest column of a timeline. For more than mostColumns days, a column is
// for 7 days, and for more than mostColumns weeks, for 49 days.
const (
	columnHeight = 150
	mostColumns  = 31
)

type pages struct {
	frame      *frame.Server
	dashboards *dashboard.Service
	now        func() time.Time
}

// Serve adds the page of an account's dashboard to the server.
func Serve(on *frame.Server, dashboards *dashboard.Service, now func() time.Time) {
	p := &pages{frame: on, dashboards: dashboards, now: now}
	on.Member("GET /app/{account}/dashboard", p.dashboardPage)
}

func (p *pages) dashboardPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	model := figures{Span: dashboard.DefaultDays, Spans: spans()}
	if sent, err := strconv.Atoi(r.URL.Query().Get("days")); err == nil && slices.Contains(model.Spans, sent) {
		model.Span = sent
	}
	now := p.now().UTC()
	found, err := p.dashboards.Get(r.Context(), s.Who, s.Account.ID, model.Span, now)
	if err != nil {
		return err
	}
	list := s.Base() + "/companies?"
	model.Dashboard = found
	model.Month = list + url.Values{"from": {now.AddDate(0, 0, 1-now.Day()).Format(time.DateOnly)}}.Encode()
	model.Pipeline = render.Chart{Title: "Companies by status", Column: "Status", Measure: "Companies"}
	for _, stage := range found.Pipeline {
		id, name := frame.NoStatus, "No status"
		if stage.ID != nil {
			id, name = stage.ID.String(), stage.Name
		}
		model.Pipeline.Add(render.Bar{
			Label: name, Value: float64(stage.Count), Text: render.Grouped(stage.Count),
			URL: list + url.Values{"status": {id}}.Encode(), Color: stage.Color,
		})
	}
	model.Sources = render.Chart{Title: "Companies by source", Column: "Source", Measure: "Companies"}
	for _, source := range found.Sources {
		model.Sources.Add(render.Bar{
			Label: source.Name, Value: float64(source.Count), Text: render.Grouped(source.Count),
			URL: list + url.Values{"source": {source.Name}}.Encode(),
		})
	}
	model.Added = timelineOf(found.Days, list)
	return p.frame.Show(w, http.StatusOK, "dashboard", s.Page("Dashboard", "dashboard", model))
}

// timelineOf returns the timeline of days, with 1, 7 or 49 days in a column, so that columns are wide enough to be
// touched. list is the address of the list of companies, up to and including "?".
func timelineOf(days []dashboard.Day, list string) timeline {
	line, each := timeline{Title: fmt.Sprintf("Companies added in the last %d days", len(days))}, 1
	for len(days)/each > mostColumns {
		each *= 7
	}
	for of := range slices.Chunk(days, each) {
		first, last := of[0].Date, of[len(of)-1].Date
		one := stretchOfDays{
			Label: render.Day(first),
			URL:   list + url.Values{"from": {first.Format(time.DateOnly)}, "to": {last.Format(time.DateOnly)}}.Encode(),
		}
		if each > 1 {
			one.Label += " to " + render.Day(last)
		}
		for _, single := range of {
			one.Count += single.Count
		}
		line.Most = max(line.Most, one.Count)
		line.Columns = append(line.Columns, one)
	}
	width := 100 / float64(cmp.Or(len(line.Columns), 1))
	for i := range line.Columns {
		one := &line.Columns[i]
		one.Height = 2
		if line.Most > 0 {
			one.Height = max(one.Height, columnHeight*one.Count/line.Most)
		}
		one.X, one.Width, one.Y = float64(i)*width, width*0.8, columnHeight-one.Height
	}
	return line
}

// Ends returns the first and the last column, whose labels are below the chart. It panics if there are no columns.
func (t timeline) Ends() []stretchOfDays {
	return []stretchOfDays{t.Columns[0], t.Columns[len(t.Columns)-1]}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// line has the results of one row of the table.
type line struct {
	row   *row
	ours  *side
	limit *side // nil if the row has no operation for the limit program
	count *counted
}

// column is a column of the table: its title, and a function that returns the text of a line in it.
type column struct {
	title string
	text  func(line) string
}

// columns returns the columns of the table, from left to right.
func columns() []column {
	cost := func(kinds ...int) func(line) string {
		return func(l line) string { return figure(l.ours.cost(kinds...)) }
	}
	late := func(share float64) func(line) string {
		return func(l line) string { return figure(l.ours.percentile(share)) }
	}
	return []column{
		{"row", line.name},
		{"per s", func(l line) string { return figure(l.ours.rate()) }},
		{"limit per s", compared(func(_, limit *side) float64 { return limit.rate() })},
		{"share", compared(func(ours, limit *side) float64 { return ours.rate() / limit.rate() })},
		{"p50 ms", late(0.5)},
		{"p99 ms", late(0.99)},
		{"CPU s per 1,000: api", cost(ofAPI)},
		{"worker", cost(ofWorker)},
		{"Postgres", cost(ofPostgres)},
		{"Redis", cost(ofRedis)},
		{"all", cost(ofAPI, ofWorker, ofPostgres, ofRedis)},
		{"limit all", compared(func(_, limit *side) float64 { return limit.cost(ofLimit, ofPostgres) })},
		{"share of CPU", compared(func(ours, limit *side) float64 {
			return limit.cost(ofLimit, ofPostgres) / ours.cost(ofAPI, ofWorker, ofPostgres, ofRedis)
		})},
		{"round trips api + worker", counts(func(c *counted) (int, int) { return c.apiTrips, c.workerTrips })},
		{"statements api + worker", counts(func(c *counted) (int, int) { return c.apiStatements, c.workerStatements })},
		{"objects", func(l line) string { return figure(l.ours.objects / l.ours.units) }},
		{"KB", func(l line) string { return figure(l.ours.bytes / l.ours.units / 1e3) }},
		{"api MB", func(l line) string { return figure(l.ours.apiPeak) }},
		{"worker MB", func(l line) string { return figure(l.ours.workPeak) }},
	}
}

func (l line) name() string {
	if l.row.unit == "request" {
		return l.row.name
	}
	return l.row.name + " (by " + l.row.unit + ")"
}

func compared(value func(ours, limit *side) float64) func(line) string {
	return func(l line) string {
		if l.limit == nil {
			return ""
		}
		return figure(value(l.ours, l.limit))
	}
}

func counts(value func(*counted) (api, worker int)) func(line) string {
	return func(l line) string {
		if l.count == nil {
			return ""
		}
		api, worker := value(l.count)
		return fmt.Sprintf("%d + %d", api, worker)
	}
}

// table returns the lines of the table as texts of the columns: the titles, and then a line for each row. Each row must
// have been measured.
func (s *stack) table(rows []*row) [][]string {
	var titles []string
	for _, c := range columns() {
		titles = append(titles, c.title)
	}
	table := [][]string{titles}
	for _, r := range rows {
		l := line{row: r, ours: &s.figures[r].ours}
		if r.limit != nil {
			l.limit = &s.figures[r].limit
		}
		if found, ok := s.counted[r.name]; ok {
			l.count = &found
		}
		var texts []string
		for _, c := range columns() {
			texts = append(texts, c.text(l))
		}
		table = append(table, texts)
	}
	return table
}

// report prints the table and the waits. If s.output names a document, report also replaces the section s.section of
// the document by them.
func (s *stack) report(rows []*row) error {
	table := s.table(rows)
	plain := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, texts := range table {
		fmt.Fprintln(plain, strings.Join(texts, "\t")+"\t")
	}
	if err := plain.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, s.waited())
	if s.output == "" {
		return nil
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s, %d processors, %d companies in %d accounts, %d connections, %d turns of %s.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), s.companies, s.accounts, s.connections, s.rounds, s.slice)
	fmt.Fprintf(&text, "| %s |\n|---|%s\n", strings.Join(table[0], " | "), strings.Repeat("---:|", len(table[0])-1))
	for _, texts := range table[1:] {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(texts, " | "))
	}
	fmt.Fprintf(&text, "\n%s\n", s.waited())
	return replaceSection(s.output, s.section, text.String())
}

// waited returns sentences on how long an AI creation waits on an idle system, without the work itself.
func (s *stack) waited() string {
	round := func(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }
	return fmt.Sprintf("Alone, from telling the queue to the start of the work: %s at the median, %s at the 99th "+
		"percentile; "+
		"from the worker's message to the answer: %s and %s.",
		round(s.waiting.start[0]), round(s.waiting.start[1]), round(s.waiting.answer[0]), round(s.waiting.answer[1]))
}

// replaceSection replaces the text between the markers of a section in a file. It returns an error if the file does not
// have both markers.
func replaceSection(path, section, text string) error {
	old, err := os.ReadFile(path) //nolint:gosec // G304: named by who runs the bench
	if err != nil {
		return err
	}
	begin, end := "<!-- bench:"+section+" -->\n", "<!-- /bench:"+section+" -->"
	before, rest, found := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no section between %q and %q", path, strings.TrimSpace(begin), end)
	}
	//nolint:gosec // G306, G703: a document for everybody, named by who runs the bench
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644)
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// probe is a request to a large account, and the longest time that its response may take.
type probe struct {
	name  string
	query string // of the list of companies; if it is "", the request is for path
	path  string
	bound time.Duration
}

// quickBound is the longest time that a page, a filter, a search or the dashboard may take. deepBound is the longest
// time for a page far from the first, requested by its number.
const (
	quickBound = 50 * time.Millisecond
	deepBound  = 200 * time.Millisecond
)

// probes returns requests whose cost could grow with the number of companies: the dashboard, and lists with sorting,
// filters, searches and deep pages.
func (a *asker) probes() []probe {
	status := "company_status_id=" + uuidOf("status0.", 3)
	all := []probe{{name: "dashboard", path: "/accounts/" + uuidOf("account", 0) + "/dashboard", bound: quickBound}}
	for _, sort := range []string{"created_at", "updated_at", "name"} {
		all = append(
			all,
			probe{name: "first page by " + sort, query: "sort_by=" + sort, bound: quickBound},
			probe{name: "first page by " + sort + ", ascending", query: "sort_order=asc&sort_by=" + sort, bound: quickBound},
		)
	}
	for _, one := range [][2]string{
		{"a status", status},
		{"no status", "company_status_id=no_status"},
		{"a source", "source=referral"},
		{"a visibility", "visibility=shared"},
		{"a status and a source", "source=referral&" + status},
		{"a status, a source and a visibility by name", "sort_by=name&source=referral&visibility=private&" + status},
		{"search: a word of most", "search=solar"},
		{"search: a word of most, by name", "search=solar&sort_by=name"},
		{"search: a word of a fifth", "search=cardiology"},
		{"search: a word of some, by name", "sort_by=name&search=" + seededRare},
		{"search: two words of some", "search=solar+" + seededRare},
		{"search: four words", "search=grid+lending+kernel+dental"},
		{"search: one company", fmt.Sprintf("search=%07d", a.companies/2)},
		{"search: nothing", "search=nowherewritten"},
		{"search in a status", "search=kernel&" + status},
		{"search of most with three filters", "search=solar&source=referral&visibility=private&" + status},
	} {
		all = append(all, probe{name: one[0], query: one[1], bound: quickBound})
	}
	return append(all, a.deepProbes(status)...)
}

// deepProbes returns requests, by page number, for pages far from the first one. status is the query of a filter by
// status.
func (a *asker) deepProbes(status string) []probe {
	var all []probe
	deep := func(share int, name, query string) {
		page := max(2, a.companies/25/share)
		all = append(
			all,
			probe{name: fmt.Sprintf("page %d %s", page, name), query: fmt.Sprintf("page=%d&%s", page, query), bound: deepBound},
		)
	}
	for _, share := range []int{100, 10, 1} {
		deep(share, "by created_at", "")
		deep(share, "by name", "sort_by=name")
		deep(share, "by updated_at, ascending", "sort_by=updated_at&sort_order=asc")
	}
	deep(100, "with two filters", "source=referral&"+status)
	deep(100, "of a search", "search=kernel")
	return all
}

// seededRare is a word that a few of the seeded texts have.
const seededRare = "lightingkitchen"

// finding is the result of a probe: the shortest of the times that it took, since other programs use the machine too,
// or its error.
type finding struct {
	probe

	took time.Duration
	err  error
}

// probeAll sends each probe seven times, with no other load, and returns the shortest time of each. After an error of a
// probe it stores the error in the finding and does not send this probe again.
func (s *stack) probeAll(ctx context.Context) []finding {
	a := s.asker(1)
	probes := append(a.probes(), a.cursorProbes(ctx)...)
	findings := make([]finding, 0, len(probes))
	for _, p := range probes {
		path := cmp.Or(p.path, "/companies?"+p.query)
		found := finding{probe: p, took: time.Hour}
		for range 7 {
			began := time.Now()
			if found.err = a.send(ctx, 0, http.MethodGet, path, "", nil); found.err != nil {
				break
			}
			found.took = min(found.took, time.Since(began))
		}
		findings = append(findings, found)
	}
	return findings
}

// cursorProbes returns requests, by cursor, for pages in the middle of lists. It leaves out a list whose cursor it
// cannot get.
func (a *asker) cursorProbes(ctx context.Context) []probe {
	status := "company_status_id=" + uuidOf("status0.", 3)
	since := "updated_since=2000-01-01T00:00:00Z"
	var all []probe
	for _, one := range []struct {
		name, query string
		share       int // the list has about one in share of the account's pages
	}{
		{"by created_at", "", 1},
		{"by name", "sort_by=name", 1},
		{"by updated_at, ascending", "sort_by=updated_at&sort_order=asc", 1},
		{"of what changed, by updated_at", "sort_by=updated_at&sort_order=asc&" + since, 1},
		{"of a status", status, 8},
		{"of a status and a source by name", "sort_by=name&source=referral&" + status, 56},
		{"of a search", "search=kernel", 100},
	} {
		from := fmt.Sprintf("%s&page=%d", one.query, max(2, a.companies/50/one.share))
		if cursor := a.cursor(ctx, from); cursor != "" {
			query := one.query + "&cursor=" + url.QueryEscape(cursor)
			all = append(all, probe{name: "a page by cursor from the middle " + one.name, query: query, bound: quickBound})
		}
	}
	return all
}

// cursor returns the cursor of the page after the one that query selects; "" if there is none, or if the request fails.
func (a *asker) cursor(ctx context.Context, query string) string {
	var page struct {
		Pagination struct {
			NextCursor string `json:"next_cursor"`
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.ours+"/companies?"+query, http.NoBody)
	if err != nil {
		return ""
	}
	request.Header.Set("Authorization", "Bearer "+a.key(0))
	if a.do(request, "", &page) != nil {
		return ""
	}
	return page.Pagination.NextCursor
}

// growth has the results of measuring at several sizes.
type growth struct {
	findings    map[int][]finding            // by number of companies
	bySize      map[string]map[int]*measured // by name of row and number of companies, at o.connections
	connections map[string]map[int]*measured // by name of row and number of connections, at the middle size
}

// grow measures at each size of o.sizes, on a stack with a new database that it gets from start and stops; at the
// middle size it also measures with 1 to 256 connections. After an error it returns the results so far with the error.
func grow(ctx context.Context, o options, start func(options) (*stack, error)) (growth, error) {
	g := growth{
		findings:    map[int][]finding{},
		bySize:      map[string]map[int]*measured{},
		connections: map[string]map[int]*measured{},
	}
	for n, size := range o.sizes {
		o.companies, o.accounts = size, 1
		s, err := start(o)
		if err != nil {
			return g, err
		}
		err = g.measure(ctx, s, n == len(o.sizes)/2)
		s.stop()
		if err != nil {
			return g, err
		}
	}
	return g, nil
}

func (g *growth) measure(ctx context.Context, s *stack, middle bool) error {
	if err := s.startPrograms(ctx); err != nil {
		return err
	}
	g.findings[s.companies] = s.probeAll(ctx)
	for _, found := range g.findings[s.companies] {
		s.log.InfoContext(
			ctx,
			"probe",
			"companies",
			s.companies,
			"what",
			found.name,
			"took",
			found.took.Round(100*time.Microsecond).String(),
			"bound",
			found.bound.String(),
			"missed",
			found.took > found.bound,
			"error",
			found.err,
		)
	}
	rows := s.chosen([]string{"get", "list of 25", "search", "create", "dashboard"})
	if err := g.load(ctx, s, rows, g.bySize, s.companies); err != nil {
		return err
	}
	if !middle {
		return nil
	}
	for _, connections := range []int{1, 4, 16, 64, 256} {
		s.connections, s.client = connections, nil
		if err := g.load(ctx, s, rows, g.connections, connections); err != nil {
			return err
		}
	}
	return nil
}

// load measures each row for one turn, and stores the result in to[name of the row][at].
func (g *growth) load(ctx context.Context, s *stack, rows []*row, to map[string]map[int]*measured, at int) error {
	s.figures = nil
	for _, r := range rows {
		if err := s.turn(ctx, r, at); err != nil {
			return fmt.Errorf("%s at %d: %w", r.name, at, err)
		}
		if to[r.name] == nil {
			to[r.name] = map[int]*measured{}
		}
		to[r.name][at] = s.figures[r]
	}
	return nil
}

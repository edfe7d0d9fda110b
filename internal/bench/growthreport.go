package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report prints the tables. If o.output names a document, report also replaces the section "growth" of the document by
// the tables, and writes the charts into the document's folder.
func (g growth) report(o options) error {
	text := g.probeTable() + "\n" + g.loadTable() + "\n" + g.pictures()
	fmt.Fprintln(os.Stdout, text)
	if o.output == "" {
		return nil
	}
	dir := filepath.Dir(o.output)
	err := g.chart("CPU of a request by companies in one account", "companies", "CPU seconds per 1,000", g.bySize, cpuOf).
		write(filepath.Join(dir, "performance-size.svg"))
	if err != nil {
		return err
	}
	if len(g.connections) > 0 {
		charts := map[string]plot{
			"performance-connections.svg": g.chart(
				"Requests by connections",
				"connections",
				"requests per second",
				g.connections,
				rateOf,
			),
			"performance-latency.svg": g.chart(
				"99th percentile by connections",
				"connections",
				"milliseconds",
				g.connections,
				lateOf,
			),
		}
		for name, chart := range charts {
			if err := chart.write(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return replaceSection(o.output, "growth", fmt.Sprintf("%s.\n\n%s", time.Now().UTC().Format(time.DateOnly), text))
}

func cpuOf(m *measured) float64  { return m.ours.cost(ofAPI, ofWorker, ofPostgres, ofRedis) }
func rateOf(m *measured) float64 { return m.ours.rate() }
func lateOf(m *measured) float64 { return m.ours.percentile(0.99) }

func (g growth) chart(title, x, y string, of map[string]map[int]*measured, value func(*measured) float64) plot {
	p := plot{title: title, x: x, y: y, series: map[string]map[int]float64{}}
	for name, points := range of {
		p.series[name] = map[int]float64{}
		for at, m := range points {
			p.series[name][at] = max(value(m), 0.001)
		}
	}
	return p
}

// probeTable returns a Markdown table of the milliseconds that each probe took at each size. Times over the bound of
// their probe are bold.
func (g growth) probeTable() string {
	var out bytes.Buffer
	sizes := slices.Sorted(maps.Keys(g.findings))
	out.WriteString(
		"Milliseconds of one request alone, the shortest of seven; what is over its bound is **bold**.\n\n| request | " +
			"bound |",
	)
	for _, size := range sizes {
		fmt.Fprintf(&out, " %d |", size)
	}
	out.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(sizes)) + "\n")
	for n, p := range g.findings[sizes[len(sizes)-1]] {
		fmt.Fprintf(&out, "| %s | %d |", p.name, p.bound.Milliseconds())
		for _, size := range sizes {
			found := g.findings[size][n]
			text := figure(found.took.Seconds() * 1000)
			if found.took > found.bound {
				text = "**" + text + "**"
			}
			if found.err != nil {
				text = "failed"
			}
			if found.name != p.name {
				text += fmt.Sprintf(" (%s)", strings.Join(strings.Fields(found.name)[:2], " "))
			}
			fmt.Fprintf(&out, " %s |", text)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// loadTable returns two Markdown tables: the CPU time of each row by size, and its rate and 99th percentile by number
// of connections.
func (g growth) loadTable() string {
	return grid("CPU seconds per 1,000 requests by companies in the account:", g.bySize, func(m *measured) string {
		return figure(cpuOf(m))
	}) + grid("Requests per second, and the 99th percentile in milliseconds, by connections:", g.connections, reached)
}

func reached(m *measured) string {
	text := figure(rateOf(m)) + ", " + figure(lateOf(m))
	if m.ours.refused > 0 {
		text += fmt.Sprintf(" (%d of %d refused)", m.ours.refused, m.ours.requests)
	}
	return text
}

// grid returns a Markdown table with this title, a line for each row, and a column for each size or number of
// connections. It returns "" if there are no rows.
func grid(title string, of map[string]map[int]*measured, value func(*measured) string) string {
	var out strings.Builder
	for n, name := range slices.Sorted(maps.Keys(of)) {
		sizes := slices.Sorted(maps.Keys(of[name]))
		if n == 0 {
			fmt.Fprintf(&out, "\n%s\n\n| |", title)
			for _, at := range sizes {
				fmt.Fprintf(&out, " %d |", at)
			}
			out.WriteString("\n|---|" + strings.Repeat("---:|", len(sizes)) + "\n")
		}
		fmt.Fprintf(&out, "| %s |", name)
		for _, at := range sizes {
			fmt.Fprintf(&out, " %s |", value(of[name][at]))
		}
		out.WriteString("\n")
	}
	return out.String()
}

func (g growth) pictures() string {
	text := "![CPU by size](performance-size.svg)\n"
	if len(g.connections) > 0 {
		text += "![Requests by connections](performance-connections.svg)\n![Latency by " +
			"connections](performance-latency.svg)\n"
	}
	return text
}

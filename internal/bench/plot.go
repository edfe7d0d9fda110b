package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// plot is a chart with logarithmic axes and a line for each series. All series must have points at the same x values.
// All values must be more than 0.
type plot struct {
	title, x, y string
	series      map[string]map[int]float64
}

// The size of a chart and its margins, in pixels. The names of the series are in the right margin.
const (
	plotWidth  = 760
	plotHeight = 380
	plotLeft   = 60
	plotRight  = 130
	plotTop    = 40
	plotBottom = 50
)

// colours returns colors for the lines of a chart, which people with a color vision deficiency can distinguish too.
func colours() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555", "#e69f00"}
}

// write writes the chart as an SVG file, which it replaces if it exists.
func (p plot) write(path string) error {
	var out strings.Builder
	fmt.Fprintf(
		&out,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`,
		plotWidth,
		plotHeight,
	)
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&out, `<text x="%d" y="22" font-size="15">%s</text>`+"\n", plotLeft, p.title)
	fmt.Fprintf(
		&out,
		`<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n",
		(plotLeft+plotWidth-plotRight)/2,
		plotHeight-12,
		p.x,
	)
	fmt.Fprintf(
		&out,
		`<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		plotHeight/2,
		p.y,
	)
	across, up := p.scales()
	p.grid(&out, across, up)
	for n, name := range slices.Sorted(maps.Keys(p.series)) {
		var points []string
		sizes := slices.Sorted(maps.Keys(p.series[name]))
		for _, x := range sizes {
			points = append(points, fmt.Sprintf("%.1f,%.1f", across(float64(x)), up(p.series[name][x])))
		}
		colour := colours()[n%len(colours())]
		fmt.Fprintf(
			&out,
			`<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>`+"\n",
			colour,
			strings.Join(points, " "),
		)
		last := p.series[name][sizes[len(sizes)-1]]
		fmt.Fprintf(
			&out,
			`<text x="%d" y="%.1f" fill="%s">%s %s</text>`+"\n",
			plotWidth-plotRight+6,
			up(last)+4,
			colour,
			name,
			figure(last),
		)
	}
	out.WriteString("</svg>\n")
	return os.WriteFile(path, []byte(out.String()), 0o644) //nolint:gosec // G306: a document for everybody
}

// scales returns functions that convert x and y values to pixels, on logarithmic axes. The y axis begins and ends at a
// power of ten.
func (p plot) scales() (across, up func(float64) float64) {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, points := range p.series {
		for x, y := range points {
			left, right = min(left, float64(x)), max(right, float64(x))
			low, high = min(low, y), max(high, y)
		}
	}
	low, high = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high*1.01)))
	part := func(value, from, to float64) float64 { return math.Log(value/from) / math.Log(to/from) }
	across = func(x float64) float64 { return plotLeft + part(x, left, right)*(plotWidth-plotLeft-plotRight) }
	up = func(y float64) float64 {
		return plotHeight - plotBottom - part(y, low, high)*(plotHeight-plotTop-plotBottom)
	}
	return across, up
}

// grid draws a vertical line at each x value, and a horizontal line at each power of ten.
func (p plot) grid(out *strings.Builder, across, up func(float64) float64) {
	for _, points := range p.series {
		for x := range points {
			at := across(float64(x))
			fmt.Fprintf(
				out,
				`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/>`,
				at,
				at,
				plotTop,
				plotHeight-plotBottom,
			)
			fmt.Fprintf(out, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", at, plotHeight-plotBottom+16, x)
		}
		break
	}
	for power := -3; power < 6; power++ {
		at := up(math.Pow10(power))
		if at < plotTop-1 || at > plotHeight-plotBottom+1 {
			continue
		}
		fmt.Fprintf(out, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`, plotLeft, plotWidth-plotRight, at, at)
		fmt.Fprintf(out, `<text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n", plotLeft-6, at+4, math.Pow10(power))
	}
}

package render

// Chart is a bar chart. Its template draws the bars, and lists them in a table too.
type Chart struct {
	Title   string
	Column  string // of the table: what a bar is about, such as a status
	Measure string // what the length of a bar measures, such as companies
	Bars    []Bar

	most float64
}

// Bar is a bar of a chart.
type Bar struct {
	Label string
	Value float64
	Text  string // the value as people read it
	URL   string // of the list of what is counted; "" for none
	Color string // as #rrggbb; "" for the usual one
}

// rowHeight is the height of a row of a chart, in pixels: the label, the bar below it, and the space below that.
const rowHeight = 46

// Add adds a bar below the others.
func (c *Chart) Add(one Bar) {
	c.Bars = append(c.Bars, one)
	c.most = max(c.most, one.Value)
}

// drawnBar is a bar with its position in the drawing, in pixels from the top: Y of its row, Middle of its label, Below
// of the bar itself, which is below the label.
type drawnBar struct {
	Bar

	Y, Below, Middle int
	Percent          float64 // of the width
}

// Drawn returns the bars with their positions. The longest bar has the full width.
func (c Chart) Drawn() []drawnBar {
	drawn := make([]drawnBar, len(c.Bars))
	for i, one := range c.Bars {
		drawn[i] = drawnBar{Bar: one, Y: i * rowHeight, Middle: i*rowHeight + 15, Below: i*rowHeight + 22}
		if c.most > 0 {
			drawn[i].Percent = 100 * one.Value / c.most
		}
	}
	return drawn
}

// Height returns the height of the drawing, in pixels.
func (c Chart) Height() int { return len(c.Bars) * rowHeight }

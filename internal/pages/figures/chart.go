package figures

// Chart is a list of bars. One template draws it, and lists it as a table.
type Chart struct {
	Title   string
	Column  string // what the bars are of
	Measure string // what their length is
	Bars    []Bar

	most float64
}

// Bar is a bar of a chart.
type Bar struct {
	Label string
	Value float64
	Text  string // the value as people read it
	URL   string // of the list of what is counted; "" for none
	Color string // in the form of a status's color
}

// rowHeight is the height of a bar with its label, in pixels.
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

// Drawn returns the bars with their positions.
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

// Height returns how high the drawing is, in pixels.
func (c Chart) Height() int { return len(c.Bars) * rowHeight }

package markdown

import "strings"

// The largest cost of a text. A text at each of the limits takes a fraction of a second of processor time.
const (
	maxCells  = 100_000     // cells of all tables: a row has as many as the first one, whatever is written in it
	maxInline = 100_000_000 // over all paragraphs, the sum of the squared numbers of inlineMarks
	maxNested = 100_000_000 // over all lines, the sum of the squared numbers of nestedMarks at their beginnings
	maxOpen   = 4_000_000   // the largest number of nestedMarks at the beginning of a line, times the number of lines
	maxSought = 100_000_000 // bytes in which the renderer looks for the ends of code, but finds none
)

// aLine is what each line costs the renderer in addition to its bytes: as much as this many bytes.
const aLine = 200

// Characters that make a text expensive: marks that the renderer compares with those before them, and those at the
// beginning of a line deep in quotes and lists.
const (
	inlineMarks = "*_~[]"
	nestedMarks = " \t>-+*.)0123456789"
)

// cost is an upper bound of the cost of rendering a text. The renderer takes time, and for tables memory, that grows
// with the square of the length of some texts.
type cost struct{ cells, inline, nested, depth, lines, sought int }

// isCostly reports whether a text exceeds one of the limits above. No text that people write does.
func isCostly(text string) bool {
	var all cost
	var one paragraph
	for line := range strings.Lines(text) {
		all.lines++
		if strings.TrimSpace(line) == "" {
			all.add(one)
			one = paragraph{}
			continue
		}
		one.read(line)
	}
	all.add(one)
	return all.cells > maxCells || all.inline > maxInline || all.nested > maxNested || all.depth*all.lines > maxOpen ||
		all.sought > maxSought
}

// paragraph has the counts of the lines between two blank lines.
type paragraph struct{ lines, cells, marks, depth, nested, bytes, escapedCode, ticks int }

func (p *paragraph) read(line string) {
	p.lines++
	p.cells = max(p.cells, strings.Count(line, "|"))
	for _, mark := range inlineMarks {
		p.marks += strings.Count(line, string(mark))
	}
	depth := len(line) - len(strings.TrimLeft(line, nestedMarks))
	p.depth = max(p.depth, depth)
	p.nested += depth * depth
	p.bytes += len(line)
	p.escapedCode += strings.Count(line, "\\``")
	p.ticks = max(p.ticks, longestRun(line, '`'))
}

// longestRun returns the length of the longest run of mark in line.
func longestRun(line string, mark byte) int {
	longest, run := 0, 0
	for i := range len(line) {
		if line[i] != mark {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func (c *cost) add(p paragraph) {
	c.cells += p.cells * p.lines
	c.inline += p.marks * p.marks
	c.nested += p.nested
	c.depth = max(c.depth, p.depth)
	// Code that has no end is looked for to the end of the paragraph, once for each number of ticks that begin it, and
	// each time where a backslash takes one of them away.
	c.sought += (p.escapedCode + p.ticks) * (p.bytes + aLine*p.lines)
}

package text

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed instructions.txt
var instructionPatterns string

// Guard finds sentences that only instruct the software that reads a text. It cannot find all of them: therefore a
// model's answers are also checked, and some of them must be one of a few permitted values. A Guard must come from
// NewGuard, and may be used by many goroutines.
type Guard struct {
	words          []string // in lower case; a line without any of them cannot match always
	always, beside *regexp.Regexp
}

// NewGuard returns a Guard with the patterns that are embedded in the binary.
func NewGuard() Guard {
	sections := map[string][]string{}
	section := ""
	for raw := range strings.Lines(instructionPatterns) {
		switch l := strings.TrimRight(raw, "\r\n"); {
		case l == "" || strings.HasPrefix(l, "# "):
		case l == "[words]" || l == "[always]" || l == "[beside]":
			section = l
		default:
			sections[section] = append(sections[section], l)
		}
	}
	compile := func(lines []string) *regexp.Regexp { return regexp.MustCompile("(?i)" + strings.Join(lines, "|")) }
	return Guard{words: sections["[words]"], always: compile(sections["[always]"]), beside: compile(sections["[beside]"])}
}

// longestLine is the largest number of bytes of a line that is looked at as a whole. A longer line is looked at in
// pieces, so that one sentence does not remove a whole text that has no line ends.
const longestLine = 400

// WithoutInstructions returns the text with spaces in place of lines that only instruct software, or in place of such
// sentences of a long line. Each character is replaced by one space: offsets in characters stay the same, those in
// bytes may not. A text in which no line certainly is such an instruction (see isSteered) is returned unchanged.
func (g Guard) WithoutInstructions(text string) string {
	if !g.isSteered(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.Lines(text) {
		for piece := range pieces(line) {
			if g.Steers(piece) {
				piece = spaces(piece)
			}
			out.WriteString(piece)
		}
	}
	return out.String()
}

// OfRead is WithoutInstructions for the parts of a text that the rules read: the beginning and the end of a very long
// text, the whole of any other.
func (g Guard) OfRead(text string) string {
	if len(text) <= HeadRead+tailRead {
		return g.WithoutInstructions(text)
	}
	from, to := runeStart(text, HeadRead), runeStart(text, len(text)-tailRead)
	return g.WithoutInstructions(text[:from]) + text[from:to] + g.WithoutInstructions(text[to:])
}

// runeStart returns the byte at which the character at i begins.
func runeStart(text string, i int) int {
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// isSteered reports whether any line matches one of the patterns that occur in no pitch.
func (g Guard) isSteered(text string) bool {
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(g.words, func(w string) bool { return strings.Contains(lower, w) }) {
		return false
	}
	for line := range strings.Lines(lower) {
		for piece := range pieces(line) {
			if slices.ContainsFunc(g.words, func(w string) bool { return strings.Contains(piece, w) }) &&
				g.always.MatchString(piece) {
				return true
			}
		}
	}
	return false
}

// Steers reports whether a sentence may be an instruction for software and not words for people.
func (g Guard) Steers(sentence string) bool {
	return g.always.MatchString(sentence) || g.beside.MatchString(sentence)
}

// pieces yields a line, cut at ends of sentences while it is longer than longestLine. Each piece but the last has more
// than a quarter of longestLine; a rest without an end of a sentence is not cut.
func pieces(line string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(line) > longestLine {
			cut := strings.IndexAny(line[longestLine/4:], ".!?")
			if cut < 0 {
				break
			}
			cut += longestLine/4 + 1
			if !yield(line[:cut]) {
				return
			}
			line = line[cut:]
		}
		yield(line)
	}
}

// spaces returns a space for each character of the text, with the line end of the text unchanged.
func spaces(text string) string {
	body := strings.TrimRight(text, "\r\n")
	return strings.Repeat(" ", utf8.RuneCountInString(body)) + text[len(body):]
}

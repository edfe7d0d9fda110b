package analysis

import (
	"strings"
	"unicode/utf8"
)

// slide is one page of a deck as the summary looks at it: what its heading says it is about, and what is below.
type slide struct {
	page  int
	topic string // a section of summary.txt: head_what, head_traction, head_round; "" for all others
	head  string
	parts []string // sentences and points, whole
	lines []string // the first line of each, as it is on the page
}

// slideSentences reads what the slides of a deck tell. Where a slide has points and no sentences, those below one
// heading stand together for one.
func (r *Rules) slideSentences(d Document, number int, name string, at int) []sentence {
	const mostPages, behindText = 40, 1 << 24
	var all []sentence
	for i, page := range d.Pages[:min(len(d.Pages), mostPages)] {
		s := r.slideOf(page, i)
		for _, text := range s.told() {
			one := r.judgeSentence(text, behindText+at+len(all), name, 0)
			one.what, one.traction, one.round = max(0, one.what-1), max(0, one.traction-1), max(0, one.round-1)
			s.credit(&one)
			one.where = place{doc: number, page: i + 1, quote: s.quoteOf(text)}
			all = append(all, one)
		}
	}
	return all
}

// slideOf reads a page: the first line that names a slide is its heading. The first page, which shows the name, tells
// in its next line what the company does.
func (r *Rules) slideOf(page string, number int) slide {
	s := slide{page: number}
	for n, part := range r.slideFlow(page) {
		line := strings.Join(strings.Fields(page[part.start:part.end]), " ")
		if topic := r.topicOf(line); n < 2 && s.head == "" && topic != "" {
			s.topic, s.head = topic, line
			continue
		}
		if r.documents.exact(line) != "" || number == 0 && n == 0 {
			continue
		}
		for _, p := range sentencesIn(line, place{end: len(line)}) {
			s.parts = append(s.parts, strings.TrimLeft(line[p.start:p.end], " •·▪◦●–—-*➤✓"))
			s.lines = append(s.lines, lineOf(page[part.start:part.end], s.parts[len(s.parts)-1]))
		}
	}
	if number == 0 && s.topic == "" {
		s.topic = "head_title"
	}
	return s
}

// topicOf gives what a heading announces, "" for lines that are none.
func (r *Rules) topicOf(line string) string {
	if topic := r.summary.exact(line); strings.HasPrefix(topic, "head_") {
		return topic
	}
	if r.documents.exact(line) == "slide" {
		return "head_other"
	}
	return ""
}

// told returns the sentences of a slide. Points are joined below a heading that the summary asks for, and left alone
// elsewhere unless they say something by themselves.
func (s slide) told() []string {
	var told, points []string
	for _, part := range s.parts {
		switch words := strings.Count(part, " ") + 1; {
		case words > 80:
		case words >= 7 || isUnspacedText(part) || words >= 4 && s.topic != "head_traction" && s.topic != "head_round":
			told = append(told, part)
		case part != "":
			points = append(points, part)
		}
	}
	switch s.topic {
	case "head_traction", "head_round":
		const most = 4
		if points = points[:min(len(points), most)]; hasDigit(strings.Join(points, "")) {
			told = append(told, s.head+": "+strings.Join(points, ", "))
		}
	case "head_what", "head_title":
		if len(told) == 0 && len(points) > 0 && strings.Count(points[0], " ") > 0 {
			told = append(told, points[0])
		}
	}
	return told
}

// credit gives a sentence the worth of its slide's topic.
func (s slide) credit(one *sentence) {
	const worth, title = 3, 2
	switch s.topic {
	case "head_what":
		one.what += worth
	case "head_title":
		one.what += title * boolInt(!hasDigit(one.text))
	case "head_traction":
		one.traction += worth + 2*boolInt(hasDigit(one.text))
	case "head_round":
		one.round += worth + 2*boolInt(hasDigit(one.text))
	}
	if s.topic != "" && s.topic != "head_other" {
		one.short = false
	}
}

// quoteOf gives words of the page for a sentence that may be put together of several points.
func (s slide) quoteOf(text string) string {
	for i, part := range s.parts {
		if part == text {
			return s.lines[i]
		}
	}
	for i, part := range s.parts {
		if utf8.RuneCountInString(part) > 1 && strings.Contains(text, part) {
			return s.lines[i]
		}
	}
	return s.head
}

// lineOf returns the sentence as the page has it, or where the page breaks it the line that it begins on.
func lineOf(page, sentence string) string {
	if strings.Contains(page, sentence) {
		return sentence
	}
	const enough = 3
	words := strings.SplitN(sentence, " ", enough+1)
	for n := min(enough, len(words)); n > 0; n-- {
		if i := strings.Index(page, strings.Join(words[:n], " ")); i >= 0 {
			line, _, _ := strings.Cut(page[i:], "\n")
			return strings.TrimSpace(line)
		}
	}
	line, _, _ := strings.Cut(page, "\n")
	return strings.TrimSpace(line)
}

package summary

import (
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// slide is one page of a deck: the topic in its heading, and the sentences and points below.
type slide struct {
	page  int    // from 0
	topic string // as Reader.TopicOf returns it; "head_title" for a first page without a heading
	head  string
	parts []string // sentences and points, whole
	lines []string // the first line of each part, as it is on the page
}

// slideSentences returns the sentences that statements returns for each of the first 40 slides of a deck, with ratings.
// number is the deck's number among the documents, from 1; name is the company's; at is the number of sentences before
// these.
func (r *Writer) slideSentences(d analysis.Document, number int, name string, at int) []sentence {
	const mostPages, behindText = 40, 1 << 24
	var all []sentence
	for i, page := range d.Pages[:min(len(d.Pages), mostPages)] {
		s := r.slideOf(page, i)
		for _, content := range s.statements() {
			one := r.judgeSentence(content, behindText+at+len(all), name, 0)
			one.what, one.traction, one.round = max(0, one.what-1), max(0, one.traction-1), max(0, one.round-1)
			s.credit(&one)
			one.where = text.Span{Doc: number, Page: i + 1, Quote: s.quoteOf(content)}
			all = append(all, one)
		}
	}
	return all
}

// slideOf parses a page, whose number counts from 0. Its heading is the first or second line, if that names a topic.
// The first line of the first page is left out, since it is the company's name, and so are headings that name no topic.
// Without a heading, the topic of the first page is "head_title".
func (r *Writer) slideOf(page string, number int) slide {
	s := slide{page: number}
	for n, part := range r.text.SlideFlow(page) {
		line := strings.Join(strings.Fields(page[part.Start:part.End]), " ")
		if topic := r.text.TopicOf(line); n < 2 && s.head == "" && topic != "" {
			s.topic, s.head = topic, line
			continue
		}
		if r.words.Documents.Exact(line) != "" || number == 0 && n == 0 {
			continue
		}
		for _, p := range text.SentencesIn(line, text.Span{End: len(line)}) {
			s.parts = append(s.parts, strings.TrimLeft(line[p.Start:p.End], " •·▪◦●–—-*➤✓"))
			s.lines = append(s.lines, lineOf(page[part.Start:part.End], s.parts[len(s.parts)-1]))
		}
	}
	if number == 0 && s.topic == "" {
		s.topic = "head_title"
	}
	return s
}

// statements returns the sentences of a slide: the parts of 7 to 80 words, or from 4 words on if the heading is not of
// traction or the round, and text without spaces. Below a heading of traction or the round, the first four shorter
// points are joined into one sentence if they have a figure. If the slide is about what the company does and has no
// sentence, its first point is returned if it has more than one word.
func (s slide) statements() []string {
	var all, points []string
	for _, part := range s.parts {
		switch words := strings.Count(part, " ") + 1; {
		case words > 80:
		case words >= 7 || text.IsUnspacedText(part) || words >= 4 && s.topic != "head_traction" && s.topic != "head_round":
			all = append(all, part)
		case part != "":
			points = append(points, part)
		}
	}
	switch s.topic {
	case "head_traction", "head_round":
		const most = 4
		if points = points[:min(len(points), most)]; lexicon.HasDigit(strings.Join(points, "")) {
			all = append(all, s.head+": "+strings.Join(points, ", "))
		}
	case "head_what", "head_title":
		if len(all) == 0 && len(points) > 0 && strings.Count(points[0], " ") > 0 {
			all = append(all, points[0])
		}
	}
	return all
}

// credit raises the ratings of a sentence by the topic of its slide. If that is known, the sentence does not count as
// short.
func (s slide) credit(one *sentence) {
	const worth, title = 3, 2
	switch s.topic {
	case "head_what":
		one.what += worth
	case "head_title":
		one.what += title * lexicon.BoolInt(!lexicon.HasDigit(one.text))
	case "head_traction":
		one.traction += worth + 2*lexicon.BoolInt(lexicon.HasDigit(one.text))
	case "head_round":
		one.round += worth + 2*lexicon.BoolInt(lexicon.HasDigit(one.text))
	}
	if s.topic != "" && s.topic != "head_other" {
		one.short = false
	}
}

// quoteOf returns the line of the page that the sentence is on. If the sentence was joined from several points, that is
// the line of the first one; if no line is found, it is the heading.
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

// lineOf returns the sentence if it is on one line of the page. Otherwise it returns the rest of the line on which the
// first words of the sentence are, beginning with them, and if they are not found, the first line of the page.
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

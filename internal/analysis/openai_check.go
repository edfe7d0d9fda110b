package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// material is what a model's answer is checked against: all that it was shown, folded, and squeezed to letters and digits.
type material struct {
	folded, squeezed string
	links            []string
}

func materialOf(in Input) material {
	var all strings.Builder
	all.WriteString(in.Text)
	all.WriteString("\n" + joinWrapped(clean(in.Text)))
	for _, d := range in.Documents {
		all.WriteString("\n" + d.Title + "\n" + d.FileName + "\n" + strings.Join(d.Pages, "\n"))
	}
	folded := fold(all.String())
	return material{folded: folded, squeezed: squeeze(folded), links: in.Links}
}

// holds tells whether the words stand in the material, whatever is between them.
func (m material) holds(words string) bool {
	key := squeeze(words)
	return key != "" && strings.Contains(m.squeezed, key)
}

// checked takes from the model what stands in the material, field by field, and from the rules what does not.
func (o *OpenAI) checked(answer modelAnswer, in Input, hints Findings) Findings {
	m := materialOf(in)
	f := hints
	f.Analyzer = o.options.Model
	if name := oneLine(*answer.Name, longestName); m.holds(name) {
		f.Name = name
	}
	f.Founders = m.founders(*answer.Founders, hints.Founders)
	if summary := m.summary(answer.Summary); summary != "" {
		f.Summary = summary
	}
	if in.DetectStatus {
		f.StatusID, f.StatusReasoning = m.status(answer, in, hints)
	}
	if in.DetectSource {
		f.Source, f.SourceReasoning = m.source(answer, hints)
	}
	if in.PickDeck && slices.ContainsFunc(in.Documents, func(d Document) bool { return d.ID == answer.DeckDocumentID }) {
		f.DeckDocumentID, f.DeckReasoning = answer.DeckDocumentID, m.reasoned(answer.DeckReasoning)
	}
	return f
}

// founders keeps those whose names stand in the material, and of each the details that do. Where the model named people and
// none of them does, the rules' stand.
func (m material) founders(named, otherwise []Founder) []Founder {
	const most = 12
	kept := make([]Founder, 0, len(named))
	for _, f := range named[:min(len(named), most)] {
		f.Name = oneLine(f.Name, 120)
		if utf8.RuneCountInString(squeeze(f.Name)) < 2 || !m.holds(f.Name) {
			continue
		}
		kept = append(kept, Founder{
			Name: f.Name, Email: m.literally(f.Email, 254), Phone: m.number(f.Phone), Title: m.literally(f.Title, 120),
			Background: m.sentences(f.Background, 400), LinkedInProfile: m.profile(f.LinkedInProfile),
		})
	}
	if len(kept) == 0 && len(named) > 0 {
		return otherwise
	}
	return kept
}

// literally keeps what stands in the material as it is, but for case and accents.
func (m material) literally(s string, most int) string {
	s = oneLine(s, most)
	if s == "" || !strings.Contains(m.folded, fold(s)) {
		return ""
	}
	return s
}

func (m material) number(s string) string {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
	if len(digits) < 6 || !m.holds(digits) {
		return ""
	}
	return oneLine(s, 40)
}

func (m material) profile(link string) string {
	if slices.Contains(m.links, link) && linkedInSlug(link) != "" {
		return link
	}
	return ""
}

// summary keeps the sentences that bring nothing new.
func (m material) summary(s string) string { return m.sentences(s, 1500) }

// sentences leaves out those with a link, an address or a figure that the material does not have: a model that makes up one
// of these makes up the rest too.
func (m material) sentences(s string, most int) string {
	var kept []string
	for _, sentence := range strings.SplitAfter(oneLine(s, most), ". ") {
		if m.supports(sentence) {
			kept = append(kept, strings.TrimSpace(sentence))
		}
	}
	return strings.Join(kept, " ")
}

func (m material) supports(sentence string) bool {
	for word := range strings.FieldsSeq(sentence) {
		word = strings.Trim(word, ".,;:!?()[]\"'“”")
		if (strings.ContainsAny(word, "@0123456789") || strings.Contains(word, "://") || strings.Contains(word, "www.")) && !strings.Contains(m.folded, fold(word)) && !m.holds(digitsOf(word)) {
			return false
		}
	}
	return true
}

// digitsOf gives the figure in "€420k" and "2.5M", so that it may be written in another way; links and addresses may not.
func digitsOf(word string) string {
	if strings.ContainsAny(word, "@/") || strings.Contains(word, "www.") {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, word)
}

// status takes the model's stage if it is one of the account's and its quote stands in the text.
func (m material) status(answer modelAnswer, in Input, hints Findings) (id, reasoning string) {
	known := answer.StatusID == "" || slices.ContainsFunc(in.Stages, func(s Stage) bool { return s.ID == answer.StatusID })
	switch {
	case !known:
		return hints.StatusID, "The model named a stage that the account does not have; the rules decided. " + hints.StatusReasoning
	case answer.StatusQuote != "" && !m.holds(answer.StatusQuote):
		return hints.StatusID, "The model's quote does not stand in the text; the rules decided. " + hints.StatusReasoning
	}
	return answer.StatusID, m.quoted(answer.StatusReasoning, answer.StatusQuote)
}

func (m material) source(answer modelAnswer, hints Findings) (source, reasoning string) {
	switch {
	case !slices.Contains(sources(), answer.Source):
		return hints.Source, "The model named no source of the seven; the rules decided. " + hints.SourceReasoning
	case answer.SourceQuote != "" && !m.holds(answer.SourceQuote):
		return hints.Source, "The model's quote does not stand in the text; the rules decided. " + hints.SourceReasoning
	}
	return answer.Source, m.quoted(answer.SourceReasoning, answer.SourceQuote)
}

func (m material) quoted(reasoning, quote string) string {
	reasoning = m.reasoned(reasoning)
	if quote == "" || strings.Contains(reasoning, quote) {
		return reasoning
	}
	return reasoning + " “" + oneLine(quote, 200) + "”"
}

// reasoned gives the model's own words, shortened and without links or figures that nobody sent; it must say something.
func (m material) reasoned(s string) string {
	if s = m.sentences(s, 500); s != "" {
		return s
	}
	return "The model gave no reason."
}

// oneLine takes line ends and control characters out, and cuts what is too long.
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(cut(strings.Join(strings.Fields(s), " "), most))
}

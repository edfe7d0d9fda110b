package people

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// greeted returns the set of the names of the people to whom the text is addressed: mostly people of the investor, in
// the investor's own mails the founders. The names have the form that lexicon.Squeeze returns.
func (r *Finder) greeted(rd *Names, spans []Span) map[string]bool {
	names := map[string]bool{}
	starts := make(map[int]Span, len(spans))
	for _, s := range spans {
		starts[s.Start] = s
	}
	for _, h := range r.words.Mail.Find(rd.Tokens) {
		if h.Section != "greeting" || h.Last >= len(rd.Tokens) {
			continue
		}
		for n := h.Last; n < len(rd.Tokens) && n <= h.Last+2; n++ {
			s, ok := starts[rd.Tokens[n].Start]
			if ok && rd.Tokens[n].Clause == rd.Tokens[h.First].Clause {
				names[lexicon.Squeeze(s.Text)] = true
				break
			}
		}
	}
	r.addressed(rd, spans, names)
	return names
}

// addressed adds to names the people to whom the text speaks without a greeting ("Jonas, meet Rita", "Kim - please
// log"), and the recipients of mails. The keys have the form that lexicon.Squeeze returns.
func (r *Finder) addressed(rd *Names, spans []Span, names map[string]bool) {
	for _, s := range spans {
		if strings.Contains(s.Text, " ") {
			continue
		}
		rest := strings.TrimLeft(rd.Body[s.End:], " ")
		if !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "–") {
			continue
		}
		if s.Start <= rd.FirstWord && r.words.Given[lexicon.Fold(s.Text)] && !strings.Contains(rd.Plain[:s.Start], ":") {
			names[lexicon.Squeeze(s.Text)] = true // "Karin - this is the company I mentioned"
		}
		rest = lexicon.Fold(strings.TrimLeft(rest[:min(len(rest), 40)], ",-– "))
		for _, word := range lexicon.List("words behind a greeted name") {
			if strings.HasPrefix(rest, word) {
				names[lexicon.Squeeze(s.Text)] = true
			}
		}
	}
	for _, h := range rd.Mails {
		for _, to := range h.To {
			addRecipients(to, names)
		}
	}
}

// addRecipients adds to names, as lexicon.Squeeze returns them, the full and the first names of the recipients in one
// line of a mail's header.
func addRecipients(to string, names map[string]bool) {
	for one := range strings.FieldsFuncSeq(to, func(c rune) bool { return c == ',' || c == ';' }) {
		if name, _ := text.ReadPerson(one); name != "" {
			names[lexicon.Squeeze(name)] = true
			names[lexicon.Squeeze(lexicon.FirstWord(name))] = true
		}
	}
}

package people

import (
	"slices"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// signatures returns the people whose names are after a farewell or on the last line.
func (r *Finder) signatures(rd *Names, spans []Span) []Mention {
	var all []Mention
	for _, h := range r.words.Mail.Find(rd.Tokens) {
		if h.Section != "farewell" || h.Last >= len(rd.Tokens) || !r.isFarewell(rd.Text, h) {
			continue
		}
		end := rd.Tokens[h.Last-1].End
		s, ok := spanFrom(spans, end)
		if !ok {
			continue
		}
		gap := rd.Body[end:s.Start]
		if strings.Trim(gap, " ,.!\n-–—") == "" && strings.Count(gap, "\n") <= 3 && r.Personness(rd, s.Text) >= 1 {
			all = append(all, Mention{Name: s.Text, Start: s.Start, Kind: BySignature, Org: r.signatureOrg(rd, spans, s)})
		}
	}
	return append(all, r.lastLine(rd, spans)...)
}

// Signed reports whether the text has a signature that SamePerson matches with the name.
func (rd *Cast) Signed(name string) bool {
	for _, p := range rd.Mentions {
		if p.Kind == BySignature && SamePerson(p.Name, name) {
			return true
		}
	}
	return false
}

// lastLine returns the person who ends the text: whose name is its last line, as in "… Deck: link\n\nIvy", or is above
// a company's name there, or whose given name ends that line in lower case after a dash. It returns nil if there is
// none.
func (r *Finder) lastLine(rd *Names, spans []Span) []Mention {
	for _, l := range slices.Backward(rd.Lines) {
		content := strings.TrimSpace(rd.Body[l.Start:l.End])
		if content == "" {
			continue
		}
		if m, ok := r.lowerSignature(rd.Text, content, l.Start); ok {
			return []Mention{m}
		}
		for _, s := range spans {
			if s.Start >= l.Start && s.End <= l.End && strings.Trim(content, " -–—.,~") == s.Text &&
				(r.Personness(rd, s.Text) >= 1 || HasOwnAddress(rd.Text, s.Text)) {
				if above, ok := r.signerAbove(rd, spans, s); ok {
					return []Mention{above}
				}
				return []Mention{{Name: s.Text, Start: s.Start, Kind: BySignature}}
			}
		}
		return nil
	}
	return nil
}

// signerAbove returns the person on the line above house, a company's name, and whether the two lines are a signature:
// "Ann Lee\nAcme Maps".
func (r *Finder) signerAbove(rd *Names, spans []Span, house Span) (Mention, bool) {
	i := slices.Index(spans, house)
	if i < 1 {
		return Mention{}, false
	}
	s := spans[i-1]
	start := strings.LastIndexByte(rd.Body[:s.Start], '\n') + 1
	alone := strings.TrimSpace(rd.Body[start:house.Start]) == s.Text &&
		strings.Count(rd.Body[s.End:house.Start], "\n") == 1
	if !alone || r.Personness(rd, s.Text) <= max(0, r.Personness(rd, house.Text)) {
		return Mention{}, false
	}
	return Mention{Name: s.Text, Start: s.Start, Kind: BySignature, Org: house.Text}, true
}

// lowerSignature returns the person whose given name, in lower case, ends the text after a dash, and whether there is
// one: "… deck below  - ana". content is the last line of the text, which begins at byte start of the body.
func (r *Finder) lowerSignature(rd *text.Text, content string, start int) (Mention, bool) {
	i := max(strings.LastIndex(content, "- "), strings.LastIndex(content, "– "), strings.LastIndex(content, "— "))
	if i < 0 || len(rd.Tokens) == 0 {
		return Mention{}, false
	}
	s, ok := r.lowerName(rd, len(rd.Tokens)-1)
	if !ok || s.Start < start+i || strings.Trim(content[i:], " -–—.") != strings.ToLower(s.Text) {
		return Mention{}, false
	}
	return Mention{Name: s.Text, Start: s.Start, Kind: BySignature}, true
}

// signatureOrg returns the company or fund that a signature names right after the person s, on the same line or the
// next: "- Phil, Balderton", "Mark (Seedcamp)". It returns "" if there is none.
func (r *Finder) signatureOrg(rd *Names, spans []Span, s Span) string {
	next, ok := spanFrom(spans, s.End)
	if !ok {
		return ""
	}
	gap, ok := Between(rd.Body, s.End, next.Start)
	if ok && strings.Trim(gap, " ,(|-–—") == "" && r.Personness(rd, next.Text) < 1 {
		return next.Text
	}
	return ""
}

// HasOwnAddress reports whether the text has an address whose part before the "@" is derived from the name, and whose
// domain, without its ending, is not the name itself.
func HasOwnAddress(rd *text.Text, name string) bool {
	if len(rd.Addresses) == 0 {
		return false
	}
	words := WordsOf(name)
	return slices.ContainsFunc(rd.Addresses, func(a text.Address) bool {
		return words.Match(a.Parts) && a.Label != lexicon.Squeeze(name)
	})
}

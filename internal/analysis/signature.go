package analysis

import (
	"slices"
	"strings"
)

// signatures returns the names that letters end with: the line, or the words, behind a farewell.
func (r *Rules) signatures(rd *reading, spans []span) []mention {
	var all []mention
	for _, h := range r.mailWords.find(rd.tokens) {
		if h.section != "farewell" || h.last >= len(rd.tokens) || !r.isFarewell(rd, h) {
			continue
		}
		end := rd.tokens[h.last-1].end
		s, ok := spanFrom(spans, end)
		if !ok {
			continue
		}
		gap := rd.body[end:s.start]
		if strings.Trim(gap, " ,.!\n-–—") == "" && strings.Count(gap, "\n") <= 3 && r.personness(rd, s.text) >= 1 {
			all = append(all, mention{name: s.text, start: s.start, kind: bySignature, org: r.signatureOrg(rd, spans, s)})
		}
	}
	return append(all, r.lastLine(rd, spans)...)
}

// signed reports whether this person signs the text.
func (rd *reading) signed(name string) bool {
	for _, p := range rd.people {
		if p.kind == bySignature && samePerson(p.name, name) {
			return true
		}
	}
	return false
}

// isFarewell distinguishes a farewell from the same words in a sentence: it begins a line or a sentence, and the line
// or a comma ends it.
func (r *Rules) isFarewell(rd *reading, h hit) bool {
	start, end := rd.tokens[h.first].start, rd.tokens[h.last-1].end
	before := strings.TrimRight(rd.body[:start], " ")
	begins := before == "" || strings.ContainsAny(before[len(before)-1:], ".!?\n,;:)") ||
		strings.HasSuffix(before, string(mask))
	after := strings.TrimLeft(rd.body[end:], " ")
	return begins && (after == "" || strings.ContainsAny(after[:1], ",.!\n-") || h.words > 1 ||
		after[0] >= 'A' && after[0] <= 'Z' || after[0] >= 0xC3)
}

// lastLine returns the name that is alone at the very end of the text or of a mail in it: "… Deck: link\n\nIvy".
func (r *Rules) lastLine(rd *reading, spans []span) []mention {
	for _, l := range slices.Backward(rd.lines) {
		content := strings.TrimSpace(rd.body[l.start:l.end])
		if content == "" {
			continue
		}
		if m, ok := r.lowerSignature(rd, content, l.start); ok {
			return []mention{m}
		}
		for _, s := range spans {
			if s.start >= l.start && s.end <= l.end && strings.Trim(content, " -–—.,~") == s.text &&
				(r.personness(rd, s.text) >= 1 || rd.hasOwnAddress(s.text)) {
				if above, ok := r.signerAbove(rd, spans, s); ok {
					return []mention{above}
				}
				return []mention{{name: s.text, start: s.start, kind: bySignature}}
			}
		}
		return nil
	}
	return nil
}

// signerAbove reads "Ann Lee\nAcme Maps": the last line is the house of whoever is on the line above it.
func (r *Rules) signerAbove(rd *reading, spans []span, house span) (mention, bool) {
	i := slices.Index(spans, house)
	if i < 1 {
		return mention{}, false
	}
	s := spans[i-1]
	start := strings.LastIndexByte(rd.body[:s.start], '\n') + 1
	alone := strings.TrimSpace(rd.body[start:house.start]) == s.text &&
		strings.Count(rd.body[s.end:house.start], "\n") == 1
	if !alone || r.personness(rd, s.text) <= max(0, r.personness(rd, house.text)) {
		return mention{}, false
	}
	return mention{name: s.text, start: s.start, kind: bySignature, org: house.text}, true
}

// lowerSignature reads "… deck below  - ana": a given name, small, behind a dash at the very end.
func (r *Rules) lowerSignature(rd *reading, content string, start int) (mention, bool) {
	i := max(strings.LastIndex(content, "- "), strings.LastIndex(content, "– "), strings.LastIndex(content, "— "))
	if i < 0 || len(rd.tokens) == 0 {
		return mention{}, false
	}
	s, ok := r.lowerName(rd, len(rd.tokens)-1)
	if !ok || s.start < start+i || strings.Trim(content[i:], " -–—.") != strings.ToLower(s.text) {
		return mention{}, false
	}
	return mention{name: s.text, start: s.start, kind: bySignature}, true
}

// signatureOrg returns the house that a signature names behind the person: "- Phil, Balderton", "Mark (Seedcamp)", or
// on one of the next two lines "Partner, Norrland Corporate Finance".
func (r *Rules) signatureOrg(rd *reading, spans []span, s span) string {
	next, ok := spanFrom(spans, s.end)
	if !ok {
		return ""
	}
	gap, ok := between(rd.body, s.end, next.start)
	if ok && strings.Trim(gap, " ,(|-–—") == "" && r.personness(rd, next.text) < 1 {
		return next.text
	}
	return ""
}

// greeted returns the folded first words of the names that the text addresses: they are the investor's people.
func (r *Rules) greeted(rd *reading, spans []span) map[string]bool {
	names := map[string]bool{}
	starts := make(map[int]span, len(spans))
	for _, s := range spans {
		starts[s.start] = s
	}
	for _, h := range r.mailWords.find(rd.tokens) {
		if h.section != "greeting" || h.last >= len(rd.tokens) {
			continue
		}
		for n := h.last; n < len(rd.tokens) && n <= h.last+2; n++ {
			s, ok := starts[rd.tokens[n].start]
			if ok && rd.tokens[n].clause == rd.tokens[h.first].clause {
				names[squeeze(s.text)] = true
				break
			}
		}
	}
	r.addressed(rd, spans, names)
	return names
}

// addressed adds who is spoken to without a greeting ("Jonas, meet Rita", "Kim - please log"), and who a mail went to.
func (r *Rules) addressed(rd *reading, spans []span, names map[string]bool) {
	for _, s := range spans {
		if strings.Contains(s.text, " ") {
			continue
		}
		rest := strings.TrimLeft(rd.body[s.end:], " ")
		if !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "–") {
			continue
		}
		if s.start <= rd.firstWord && r.given[fold(s.text)] && !strings.Contains(rd.text[:s.start], ":") {
			names[squeeze(s.text)] = true // "Karin - this is the company I mentioned"
		}
		rest = fold(strings.TrimLeft(rest[:min(len(rest), 40)], ",-– "))
		for _, word := range []string{
			"meet ", "please meet", "please ", "i'd like", "i would", "i want", "let me introduce", "allow me", "can you",
			"could you", "fyi",
		} {
			if strings.HasPrefix(rest, word) {
				names[squeeze(s.text)] = true
			}
		}
	}
	for _, h := range rd.mails {
		for _, to := range h.to {
			for one := range strings.FieldsFuncSeq(to, func(c rune) bool { return c == ',' || c == ';' }) {
				if name, _ := readPerson(one); name != "" {
					names[squeeze(name)] = true
					names[squeeze(firstWord(name))] = true
				}
			}
		}
	}
}

// hasOwnAddress reports whether an address of the text begins with the name.
func (rd *reading) hasOwnAddress(name string) bool {
	for _, a := range rd.address {
		local, host, _ := strings.Cut(a.email, "@")
		if matchesLocal(name, local) && domainLabel(host) != squeeze(name) {
			return true
		}
	}
	return false
}

package people

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// led returns the people whose names follow a phrase that comes before names: "I'm Ann", "meet Ann", "DM from Ann",
// "coffee with Ann of Acme". It leaves out names that accepts rejects.
func (r *Finder) led(rd *Names, spans []Span) []Mention {
	starts := make(map[int]Span, len(spans))
	for _, s := range spans {
		starts[s.Start] = s
	}
	var all []Mention
	for _, h := range r.words.People.Find(rd.Tokens) {
		kind, ok := leadKind(h.Section)
		if !ok || h.Last >= len(rd.Tokens) {
			continue
		}
		s, ok := r.spanAt(rd.Text, starts, h.Last)
		if !ok && kind != BySpoken && kind != ByMeeting {
			s, ok = r.lowerName(rd.Text, h.Last)
		}
		if !ok || rd.Tokens[h.Last].Start-rd.Tokens[h.Last-1].End > 3 {
			continue
		}
		m := Mention{Name: s.Text, Start: s.Start, Kind: kind}
		if r.accepts(rd, m, s) {
			m.Org = r.orgOf(rd.Text, spans, s)
			all = append(all, m)
		}
	}
	return all
}

// orgOf returns the company that follows the name s, without a title between them: "Ann Lee of Acme", "Ann from Acme",
// "Ann (Acme)". It returns "" if there is none.
func (r *Finder) orgOf(rd *text.Text, spans []Span, s Span) string {
	if next, found := spanFrom(spans, s.End); found {
		gap, ok := Between(rd.Body, s.End, next.Start)
		if ok && (r.isOf(strings.Trim(gap, " ,")) || gap == "@" || gap == "(") {
			return next.Text
		}
	}
	return ""
}

// spanAt returns the name that begins at token i, or at the next one after "Dr", "Prof" or a single letter, and whether
// there is one. starts has the names by the byte at which they begin.
func (r *Finder) spanAt(rd *text.Text, starts map[int]Span, i int) (Span, bool) {
	if s, ok := starts[rd.Tokens[i].Start]; ok {
		return s, true
	}
	if i+1 < len(rd.Tokens) && (rd.Tokens[i].Folded == "dr" || rd.Tokens[i].Folded == "prof" ||
		len(rd.Tokens[i].Folded) <= 1) {
		s, ok := starts[rd.Tokens[i+1].Start]
		return s, ok
	}
	return Span{}, false
}

// lowerName returns the given name at token i, which the text writes in lower case, with a capital: "Priya" for "hey
// its priya". It reports false for any other word, for a name that is also an ordinary word or has fewer than three
// letters, and for a part of a handle such as "priya_k".
func (r *Finder) lowerName(rd *text.Text, i int) (Span, bool) {
	t := rd.Tokens[i]
	handle := lexicon.InsideWord(rd.Body, t.Start) || strings.HasPrefix(rd.Body[t.End:], "_")
	if handle || !r.words.Given[t.Folded] || r.words.Ordinary[t.Folded] || len(t.Folded) < 3 {
		return Span{}, false
	}
	return Span{Text: lexicon.StartUpper(rd.Body[t.Start:t.End]), Start: t.Start, End: t.End}, true
}

// lowerBefore returns the person whose one or two names are in lower case before t, a chief's title: "milo strand,
// founder". The first must be a known given name. It returns nil if there is none.
func (r *Finder) lowerBefore(rd *text.Text, t Title) []Mention {
	i := rd.TokenAt(t.Start)
	for n := 2; n >= 1; n-- {
		if i < n || rd.Tokens[i-1].Sentence != rd.Tokens[i-n].Sentence {
			continue
		}
		s, ok := r.lowerName(rd, i-n)
		gap, near := Between(rd.Body, rd.Tokens[i-1].End, t.Start)
		if !ok || !near || !r.bindLeft(gap) || n == 2 && rd.Tokens[i-2].Clause != rd.Tokens[i-1].Clause {
			continue
		}
		if n == 2 {
			s.Text += " " + lexicon.StartUpper(rd.Body[rd.Tokens[i-1].Start:rd.Tokens[i-1].End])
		}
		return []Mention{{Name: s.Text, Title: t.Text, Start: s.Start, Chief: true}}
	}
	return nil
}

// introducedHere returns the people who introduce themselves as in "Tessa Blum here" or "Tessa Blum from Wattle here".
func (r *Finder) introducedHere(rd *Names, spans []Span) []Mention {
	var all []Mention
	for i, s := range spans {
		rest := lexicon.Fold(rd.Body[s.End:min(len(rd.Body), s.End+6)])
		if strings.HasPrefix(rest, " here") && i > 0 && r.Personness(rd, spans[i-1].Text) >= 1 {
			if gap, ok := Between(rd.Body, spans[i-1].End, s.Start); ok && r.isOf(gap) {
				all = append(all, Mention{Name: spans[i-1].Text, Org: s.Text, Start: spans[i-1].Start, Kind: BySelf})
				continue
			}
		}
		if strings.HasPrefix(rest, " here") && r.Personness(rd, s.Text) >= 1 {
			all = append(all, Mention{Name: s.Text, Start: s.Start, Kind: BySelf})
		}
	}
	return all
}

func leadKind(section string) (Kind, bool) {
	switch section {
	case "self":
		return BySelf, true
	case "meet":
		return ByMeeting, true
	case "channel":
		return ByChannel, true
	case "spoke":
		return BySpoken, true
	case "deed":
		return ByDeed, true
	}
	return 0, false
}

// accepts reports whether s, the name in m, which was found after a phrase, may be a person's. "Acme" in "this is Acme"
// is not. How much it must look like a person's depends on the phrase, since other words than names also follow a
// phrase such as "from".
func (r *Finder) accepts(rd *Names, m Mention, s Span) bool {
	score := r.Personness(rd, s.Text)
	switch m.Kind { //nolint:exhaustive // these ask for more or less than the rest
	case ByChannel:
		opening := rd.Plain[:min(len(rd.Plain), s.Start)]
		return score >= 1 && (r.words.Source.Has("other", opening) || r.words.Source.Has("website", opening))
	case BySpoken, ByDeed:
		return score >= 3
	case ByMeeting:
		return score >= 1 || score >= -2 && strings.HasPrefix(strings.TrimLeft(rd.Body[s.End:], " "), "(")
	}
	return score >= 1 || score >= -2 && r.words.Given[lexicon.Fold(lexicon.FirstWord(s.Text))]
}

// doers returns the people with a full name of whom the text says something that only founders do ("Ann Lee pitched us
// Acme", "Ann Lee, she started Acme"), or who have an address derived from their name right before it or up to 240
// bytes after it. It also returns people whose company is after their name, and those with a given name alone if such
// an address is right after it. It may return a person several times.
func (r *Finder) doers(rd *Names, spans []Span) []Mention {
	var all []Mention
	for _, s := range spans {
		if org := r.orgOf(rd.Text, spans, s); org != "" && r.Personness(rd, s.Text) >= 1 {
			all = append(all, Mention{Name: s.Text, Start: s.Start, Kind: BySpoken, Org: org}) // "Met at Slush: Ann from Acme"
		}
		if !strings.Contains(s.Text, " ") {
			all = append(all, r.firstNameOnly(rd.Text, s)...)
			continue
		}
		if r.Personness(rd, s.Text) < 1 {
			continue
		}
		i := rd.TokenAt(s.End)
		if m, ok := r.deed(rd.Text, spans, s, i); ok {
			all = append(all, m)
		}
		for _, a := range rd.Addresses {
			local, _, _ := strings.Cut(a.Email, "@")
			behind := s.Start >= a.End && s.Start-a.End <= 3 // "ann@acme.io (Ann Lee)"
			if (behind || a.Start >= s.End && a.Start-s.End <= 240) && MatchesLocal(s.Text, local) {
				all = append(all, Mention{Name: s.Text, Start: s.Start, Kind: ByContact, Email: a.Email})
			}
		}
	}
	return all
}

// firstNameOnly returns the person whose given name has their address right after it: "Priya (priya@acme.dev)". It
// returns nil if the span is no such name.
func (r *Finder) firstNameOnly(rd *text.Text, s Span) []Mention {
	const near = 3
	for _, a := range rd.Addresses {
		if a.Start >= s.End && a.Start-s.End <= near && r.words.Given[lexicon.Fold(s.Text)] && MatchesLocal(s.Text, a.Local) {
			return []Mention{{Name: s.Text, Start: s.Start, Kind: ByContact, Email: a.Email}}
		}
	}
	return nil
}

// deed returns a mention of the person s if, by the words from token i on, they do something that only founders do, or
// something that a founder does with the company named next ("Ann Lee runs Acme"); else it reports false.
func (r *Finder) deed(rd *text.Text, spans []Span, s Span, i int) (Mention, bool) {
	for n := i; n < len(rd.Tokens) && n <= i+2 && rd.Tokens[n].Sentence == rd.Tokens[max(0, i-1)].Sentence; n++ {
		word := rd.Tokens[n].Folded
		if n > i && !isPronoun(rd.Tokens[n-1].Folded) && !isCopula(rd.Tokens[n-1].Folded) {
			break
		}
		if isDeed(word) && !isPassive(rd, n) && !isCopula(rd.Tokens[max(i, n-1)].Folded) {
			return Mention{Name: s.Text, Start: s.Start, Kind: ByDeed}, true
		}
		next, ok := spanFrom(spans, rd.Tokens[n].End)
		if ok && isLead(word) && next.Start-rd.Tokens[n].End <= 3 {
			return Mention{Name: s.Text, Start: s.Start, Kind: ByDeed, Org: next.Text}, true
		}
	}
	return Mention{}, false
}

// isPassive reports whether "by" or the like follows the verb at token i: "founded by", not "founded".
func isPassive(rd *text.Text, i int) bool {
	if i+1 >= len(rd.Tokens) {
		return false
	}
	return lexicon.In("words of who did it", rd.Tokens[i+1].Folded)
}

// isLead reports whether a word, such as "runs", connects a founder with the company named next. Without a company it
// does not show that somebody is a founder, since it is used for other work too.
func isLead(word string) bool {
	return lexicon.In("leads", word)
}

func isCopula(word string) bool { return word == "is" || word == "are" || word == "s" }

func isDeed(word string) bool {
	return lexicon.In("deeds", word)
}

func isPronoun(word string) bool {
	return lexicon.In("pronouns", word)
}

package analysis

import "strings"

// led reads the names that a phrase leads to: "I'm Ann", "meet Ann", "DM from Ann", "coffee with Ann of Acme".
func (r *Rules) led(rd *reading, spans []span) []mention {
	starts := make(map[int]span, len(spans))
	for _, s := range spans {
		starts[s.start] = s
	}
	var all []mention
	for _, h := range r.people.find(rd.tokens) {
		kind, ok := leadKind(h.section)
		if !ok || h.last >= len(rd.tokens) {
			continue
		}
		s, ok := r.spanAt(rd, starts, h.last)
		if !ok && kind != bySpoken && kind != byMeeting {
			s, ok = r.lowerName(rd, h.last)
		}
		if !ok || rd.tokens[h.last].start-rd.tokens[h.last-1].end > 3 {
			continue
		}
		m := mention{name: s.text, start: s.start, kind: kind}
		if r.accepts(rd, m, s) {
			m.org = r.orgOf(rd, spans, s)
			all = append(all, m)
		}
	}
	return all
}

// orgOf returns the company behind a name without a title: "Ann Lee of Acme", "Ann from Acme".
func (r *Rules) orgOf(rd *reading, spans []span, s span) string {
	if next, found := spanFrom(spans, s.end); found {
		gap, ok := between(rd.body, s.end, next.start)
		if ok && (r.isOf(strings.Trim(gap, " ,")) || gap == "@" || gap == "(") {
			return next.text
		}
	}
	return ""
}

// spanAt returns the name that begins at the token, or at the one behind an article.
func (r *Rules) spanAt(rd *reading, starts map[int]span, i int) (span, bool) {
	if s, ok := starts[rd.tokens[i].start]; ok {
		return s, true
	}
	if i+1 < len(rd.tokens) && (rd.tokens[i].folded == "dr" || rd.tokens[i].folded == "prof" ||
		len(rd.tokens[i].folded) <= 1) {
		s, ok := starts[rd.tokens[i+1].start]
		return s, ok
	}
	return span{}, false
}

// lowerName reads a given name that its bearer writes small: "hey its priya".
func (r *Rules) lowerName(rd *reading, i int) (span, bool) {
	t := rd.tokens[i]
	handle := insideWord(rd.body, t.start) || strings.HasPrefix(rd.body[t.end:], "_")
	if handle || !r.given[t.folded] || r.ordinary[t.folded] || len(t.folded) < 3 {
		return span{}, false
	}
	text := rd.body[t.start:t.end]
	return span{text: strings.ToUpper(text[:1]) + text[1:], start: t.start, end: t.end}, true
}

// lowerBefore reads a name that its bearer writes small before their title: "milo strand, founder".
func (r *Rules) lowerBefore(rd *reading, t title) []mention {
	i := rd.tokenAt(t.start)
	for n := 2; n >= 1; n-- {
		if i < n || rd.tokens[i-1].sentence != rd.tokens[i-n].sentence {
			continue
		}
		s, ok := r.lowerName(rd, i-n)
		gap, near := between(rd.body, rd.tokens[i-1].end, t.start)
		if !ok || !near || !r.bindLeft(gap) || n == 2 && rd.tokens[i-2].clause != rd.tokens[i-1].clause {
			continue
		}
		if n == 2 {
			last := rd.body[rd.tokens[i-1].start:rd.tokens[i-1].end]
			s.text += " " + strings.ToUpper(last[:1]) + last[1:]
		}
		return []mention{{name: s.text, title: t.text, start: s.start, chief: true}}
	}
	return nil
}

// introducedHere reads "Tessa Blum from Wattle here".
func (r *Rules) introducedHere(rd *reading, spans []span) []mention {
	var all []mention
	for i, s := range spans {
		rest := fold(rd.body[s.end:min(len(rd.body), s.end+6)])
		if strings.HasPrefix(rest, " here") && i > 0 && r.personness(rd, spans[i-1].text) >= 1 {
			if gap, ok := between(rd.body, spans[i-1].end, s.start); ok && r.isOf(gap) {
				all = append(all, mention{name: spans[i-1].text, org: s.text, start: spans[i-1].start, kind: bySelf})
				continue
			}
		}
		if strings.HasPrefix(rest, " here") && r.personness(rd, s.text) >= 1 {
			all = append(all, mention{name: s.text, start: s.start, kind: bySelf})
		}
	}
	return all
}

func leadKind(section string) (mentionKind, bool) {
	switch section {
	case "self":
		return bySelf, true
	case "meet":
		return byMeeting, true
	case "channel":
		return byChannel, true
	case "spoke":
		return bySpoken, true
	case "deed":
		return byDeed, true
	}
	return 0, false
}

// accepts reports whether the name behind a lead is a person's. "This is Acme" is none, and "from" leads to much else.
func (r *Rules) accepts(rd *reading, m mention, s span) bool {
	score := r.personness(rd, s.text)
	switch m.kind { //nolint:exhaustive // these ask for more or less than the rest
	case byChannel:
		opening := rd.text[:min(len(rd.text), s.start)]
		return score >= 1 && (r.source.has("other", opening) || r.source.has("website", opening))
	case bySpoken, byDeed:
		return score >= 3
	case byMeeting:
		return score >= 1 || score >= -2 && strings.HasPrefix(strings.TrimLeft(rd.body[s.end:], " "), "(")
	}
	return score >= 1 || score >= -2 && r.given[fold(firstWord(s.text))]
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// doers reads people by what only founders do ("Ann pitched us Acme", "Ann, she started Acme") and by an address of
// theirs behind the name.
func (r *Rules) doers(rd *reading, spans []span) []mention {
	var all []mention
	for _, s := range spans {
		if org := r.orgOf(rd, spans, s); org != "" && r.personness(rd, s.text) >= 1 {
			all = append(all, mention{name: s.text, start: s.start, kind: bySpoken, org: org}) // "Met at Slush: Ann from Acme"
		}
		if !strings.Contains(s.text, " ") {
			all = append(all, r.firstNameOnly(rd, s)...)
			continue
		}
		if r.personness(rd, s.text) < 1 {
			continue
		}
		i := rd.tokenAt(s.end)
		if m, ok := r.deed(rd, spans, s, i); ok {
			all = append(all, m)
		}
		for _, a := range rd.address {
			local, _, _ := strings.Cut(a.email, "@")
			behind := s.start >= a.end && s.start-a.end <= 3 // "ann@acme.io (Ann Lee)"
			if (behind || a.start >= s.end && a.start-s.end <= 240) && matchesLocal(s.text, local) {
				all = append(all, mention{name: s.text, start: s.start, kind: byContact, email: a.email})
			}
		}
	}
	return all
}

// firstNameOnly reads "Priya (priya@acme.dev)".
func (r *Rules) firstNameOnly(rd *reading, s span) []mention {
	const near = 3
	for _, a := range rd.address {
		if a.start >= s.end && a.start-s.end <= near && r.given[fold(s.text)] && matchesLocal(s.text, a.local) {
			return []mention{{name: s.text, start: s.start, kind: byContact, email: a.email}}
		}
	}
	return nil
}

// deed reads what somebody does from the token behind their name on: what only founders do, or what makes a founder
// of them where the company's name follows ("Ann Lee runs Acme").
func (r *Rules) deed(rd *reading, spans []span, s span, i int) (mention, bool) {
	for n := i; n < len(rd.tokens) && n <= i+2 && rd.tokens[n].sentence == rd.tokens[max(0, i-1)].sentence; n++ {
		word := rd.tokens[n].folded
		if n > i && !isPronoun(rd.tokens[n-1].folded) && !isCopula(rd.tokens[n-1].folded) {
			break
		}
		if isDeed(word) && !rd.isPassive(n) && !isCopula(rd.tokens[max(i, n-1)].folded) {
			return mention{name: s.text, start: s.start, kind: byDeed}, true
		}
		next, ok := spanFrom(spans, rd.tokens[n].end)
		if ok && isLead(word) && next.start-rd.tokens[n].end <= 3 {
			return mention{name: s.text, start: s.start, kind: byDeed, org: next.text}, true
		}
	}
	return mention{}, false
}

// isPassive distinguishes "founded by" from "founded".
func (rd *reading) isPassive(i int) bool {
	if i+1 >= len(rd.tokens) {
		return false
	}
	switch rd.tokens[i+1].folded {
	case "by", "von", "par", "por", "da", "door", "przez":
		return true
	}
	return false
}

// isLead tells the words between a founder and their company that others say of their work too.
func isLead(word string) bool {
	switch word {
	case "building", "builds", "runs", "leads", "heads", "baut", "leitet", "fuhrt", "dirige", "construit", "construye",
		"costruisce", "guida", "lidera", "bouwt", "leidt", "buduje", "prowadzi", "robi", "yonetiyor":
		return true
	}
	return false
}

func isCopula(word string) bool { return word == "is" || word == "are" || word == "s" }

func isDeed(word string) bool {
	switch word {
	case "pitched", "founded", "cofounded", "started", "launched", "grundete", "gegrundet", "fondo", "fundo", "fundou",
		"fonde", "zalozyl", "zalozyla", "kurdu":
		return true
	}
	return false
}

func isPronoun(word string) bool {
	switch word {
	case "he", "she", "they", "who", "er", "sie", "il", "elle", "qui", "el", "ella", "que", "lui", "lei", "che", "ele",
		"ela", "hij", "zij", "die", "has", "hat", "a", "ha":
		return true
	}
	return false
}

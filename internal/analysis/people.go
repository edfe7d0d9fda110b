package analysis

import (
	"strings"
	"unicode/utf8"
)

// mention is a person that the text names, with what it says of him there.
type mention struct {
	name, title, org string
	start            int
	kind             mentionKind
	chief            bool // the title is a founder's or a chief's
	email            string
}

type mentionKind int

const (
	byTitle   mentionKind = iota // a title stands beside the name
	bySelf                       // "I'm Ann"
	bySender                     // the head of a mail
	byChannel                    // "LinkedIn DM from Ann"
	byMeeting                    // "meet Ann"
	byForm
	bySignature
	bySpoken // "coffee with Ann of Acme"
)

// mentions gives every person that the text names, in order of strength of what says so.
func (r *Rules) mentions(rd *reading, spans []span) []mention {
	var all []mention
	all = append(all, r.formPeople(rd)...)
	all = append(all, r.titled(rd, spans)...)
	all = append(all, r.led(rd, spans)...)
	all = append(all, r.introducedHere(rd, spans)...)
	all = append(all, r.senders(rd)...)
	all = append(all, r.signatures(rd, spans)...)
	return all
}

// between gives the folded words, or the bare punctuation, that stand between two places of the body; not ok where they
// are more than a few, or part two paragraphs.
func between(body string, from, to int) (string, bool) {
	const widest = 24
	if to < from || to-from > widest {
		return "", false
	}
	gap := body[from:to]
	for _, academic := range []string{"Prof. ", "Dr. ", "Dipl.-Ing. ", "Mr. ", "Ms. ", "Mrs. "} {
		gap = strings.ReplaceAll(gap, academic, "")
	}
	if strings.Count(gap, "\n") > 1 || strings.ContainsAny(gap, ".!?;") {
		return "", false
	}
	if strings.Contains(gap, "\n") && strings.TrimSpace(gap) != "" && strings.TrimSpace(gap) != "," && strings.TrimSpace(gap) != "|" {
		return "", false
	}
	return strings.TrimSpace(fold(gap)), true
}

// bindLeft tells whether what stands between a name and the title behind it binds them.
func (r *Rules) bindLeft(gap string) bool {
	switch strings.Trim(gap, " ,(-–—|/:•[") {
	case "":
		return gap != ")" && !strings.HasPrefix(gap, ")")
	}
	return r.people.exact(strings.Trim(gap, " ,(-–—|/:•")) == "is"
}

// bindRight tells whether what stands between a title and the name behind it binds them.
func (r *Rules) bindRight(gap string) bool {
	switch strings.Trim(gap, " :-–—,(=") {
	case "":
		return true
	case "is", "are", "was", "were", "war", "ist", "sind", "est", "sont", "es", "son", "sono", "s)", "s):", "s", "w", "named", "called":
		return true
	}
	return false
}

// titled reads the names beside titles. A title belongs to the more person-like of the names at its two sides; the other
// one is then the company.
func (r *Rules) titled(rd *reading, spans []span) []mention {
	var all []mention
	bound := map[int]bool{} // by start of the span
	for _, t := range rd.titleList {
		left, right := neighbours(spans, t)
		l, okL := r.leftOf(rd, t, left)
		n, okR := r.rightOf(rd, t, right)
		scoreL, scoreR := -99, -99
		if okL && !bound[l.start] {
			scoreL = r.personness(rd, l.text)
		}
		if okR {
			scoreR = r.personness(rd, n.text)
		}
		if okL && okR && scoreR >= 1 && strings.HasSuffix(strings.TrimRight(rd.body[l.end:t.start], " "), "(") && (t.plural || scoreR >= scoreL) {
			scoreL = min(scoreL, 0) // "Papaya (founders Joy Mensah and …)"
		}
		switch {
		case !okL && !okR && t.chief:
			all = append(all, r.lowerBefore(rd, t)...)
			continue
		case scoreL < -1 && scoreR < 1:
			continue
		case scoreL >= scoreR || scoreR < 1:
			all = append(all, r.leftPeople(rd, spans, left, t, bound)...)
		default:
			all = append(all, r.rightPeople(rd, spans, right, t, bound, l, okL && scoreL < 1 && !bound[l.start])...)
		}
	}
	return all
}

// neighbours gives the indexes of the spans next to the title, -1 where there is none.
func neighbours(spans []span, t title) (left, right int) {
	left, right = -1, -1
	for i, s := range spans {
		if s.end <= t.start {
			left = i
		}
		if s.start >= t.end {
			return left, i
		}
	}
	return left, right
}

func (r *Rules) leftOf(rd *reading, t title, i int) (span, bool) {
	if i < 0 {
		return span{}, false
	}
	return r.gapLeft(rd, t, i)
}

func (r *Rules) gapLeft(rd *reading, t title, i int) (span, bool) {
	s := rd.spanList[i]
	gap, ok := between(rd.body, s.end, t.start)
	gap = strings.TrimPrefix(strings.TrimPrefix(gap, "'s"), "’s")
	return s, ok && r.bindLeft(withoutAddress(gap))
}

func (r *Rules) rightOf(rd *reading, t title, i int) (span, bool) {
	if i < 0 {
		return span{}, false
	}
	s := rd.spanList[i]
	gap, ok := between(rd.body, t.end, s.start)
	return s, ok && r.bindRight(gap) && !strings.Contains(rd.body[t.end:s.start], "\n")
}

// withoutAddress takes an address or a mask out of what stands between a name and a title.
func withoutAddress(gap string) string {
	if i := strings.IndexByte(gap, '@'); i >= 0 {
		return ","
	}
	return strings.ReplaceAll(gap, string(mask), "")
}

// leftPeople gives the person before the title; before a plural or an "and", those before him too.
func (r *Rules) leftPeople(rd *reading, spans []span, i int, t title, bound map[int]bool) []mention {
	org := r.orgBehind(rd, spans, t)
	all := []mention{{name: spans[i].text, title: singular(t.text), org: org, start: spans[i].start, chief: t.chief}}
	bound[spans[i].start] = true
	if people := r.splitPair(rd, spans[i]); len(people) > 1 {
		all = all[:0]
		for _, p := range people {
			all = append(all, mention{name: p, title: singular(t.text), org: org, start: spans[i].start, chief: t.chief})
		}
	}
	for ; t.plural && i > 0 && r.isList(rd, spans[i-1].end, spans[i].start) && r.personness(rd, spans[i-1].text) > 0; i-- {
		bound[spans[i-1].start] = true
		all = append([]mention{{name: spans[i-1].text, title: singular(t.text), org: org, start: spans[i-1].start, chief: t.chief}}, all...)
	}
	return all
}

// rightPeople gives the person behind the title, and those that a list goes on with.
func (r *Rules) rightPeople(rd *reading, spans []span, i int, t title, bound map[int]bool, left span, hasOrg bool) []mention {
	org := ""
	if hasOrg {
		org = left.text
	} else if i+1 < len(spans) {
		org = r.orgAfter(rd, spans[i].end, spans[i+1])
	}
	var all []mention
	for {
		for _, p := range r.splitPair(rd, spans[i]) {
			all = append(all, mention{name: p, title: singular(t.text), org: org, start: spans[i].start, chief: t.chief})
		}
		bound[spans[i].start] = true
		if i+1 >= len(spans) || !r.isList(rd, spans[i].end, spans[i+1].start) || r.personness(rd, spans[i+1].text) < 1 {
			return all
		}
		if gap := rd.body[spans[i].end:spans[i+1].start]; !t.plural && strings.Trim(gap, " ") == "," {
			return all // "CEO Ann Lee, Bob Ray": nothing says that he is one too
		}
		i++
	}
}

// splitPair parts "Suki Tran & Dale Moss", where both are people.
func (r *Rules) splitPair(rd *reading, s span) []string {
	for _, joint := range []string{" & ", " + ", " and ", " und "} {
		first, second, ok := strings.Cut(s.text, joint)
		if ok && r.personness(rd, first) >= 1 && r.personness(rd, second) >= 1 {
			return []string{first, second}
		}
	}
	return []string{s.text}
}

// isList tells whether two names stand in one list: a comma or an "and" between them, and at most a remark in brackets.
func (r *Rules) isList(rd *reading, from, to int) bool {
	if to-from > 90 || to < from {
		return false
	}
	gap := strings.TrimSpace(rd.body[from:to])
	if strings.HasPrefix(gap, "(") {
		_, rest, ok := strings.Cut(gap, ")")
		if !ok {
			return false
		}
		gap = strings.TrimSpace(rest)
	}
	gap = strings.TrimSpace(strings.Trim(gap, ",;/+&"))
	return gap == "" && to-from > 1 && !strings.Contains(rd.body[from:to], "\n\n") || r.people.exact(gap) == "list"
}

// orgBehind gives the company that stands behind the title: "CEO of Acme", "CEO, Acme", "CEO Acme".
func (r *Rules) orgBehind(rd *reading, spans []span, t title) string {
	for _, s := range spans {
		if s.start < t.end {
			continue
		}
		return r.orgAfter(rd, t.end, s)
	}
	return ""
}

func (r *Rules) orgAfter(rd *reading, from int, s span) string {
	gap, ok := between(rd.body, from, s.start)
	if !ok {
		return ""
	}
	bare := strings.Trim(gap, " ,-–—|/()")
	if bare == "" && !strings.Contains(gap, ")") && r.personness(rd, s.text) < 1 {
		return s.text
	}
	if r.isOf(strings.TrimPrefix(bare, ")")) || strings.HasSuffix(bare, " of") || bare == "@" || strings.HasSuffix(bare, "d'") || strings.HasSuffix(bare, "d’") {
		return s.text
	}
	return ""
}

// isOf tells the words that stand between a person and his company.
func (r *Rules) isOf(gap string) bool { return gap == "from" || r.people.exact(gap) == "of" }

// singular gives the title as one person of several bears it, without an article.
func singular(title string) string {
	title = strings.TrimSpace(title)
	for _, article := range []string{"the ", "our ", "its ", "their "} {
		if hasPrefixFold(title, article) {
			title = title[len(article):]
		}
	}
	if strings.HasSuffix(strings.ToLower(title), "founders") {
		return title[:len(title)-1]
	}
	return title
}

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

// orgOf gives the company behind a name without a title: "Ann Lee of Acme", "Ann from Acme".
func (r *Rules) orgOf(rd *reading, spans []span, s span) string {
	for _, next := range spans {
		if next.start < s.end {
			continue
		}
		gap, ok := between(rd.body, s.end, next.start)
		if ok && (r.isOf(strings.Trim(gap, " ,")) || gap == "@" || gap == "(") {
			return next.text
		}
		return ""
	}
	return ""
}

// spanAt gives the name that begins at the token, or at the one behind an article.
func (r *Rules) spanAt(rd *reading, starts map[int]span, i int) (span, bool) {
	if s, ok := starts[rd.tokens[i].start]; ok {
		return s, true
	}
	if i+1 < len(rd.tokens) && (rd.tokens[i].folded == "dr" || rd.tokens[i].folded == "prof" || len(rd.tokens[i].folded) <= 1) {
		s, ok := starts[rd.tokens[i+1].start]
		return s, ok
	}
	return span{}, false
}

// lowerName reads a given name that its bearer writes small: "hey its priya".
func (r *Rules) lowerName(rd *reading, i int) (span, bool) {
	t := rd.tokens[i]
	if !r.given[t.folded] || r.ordinary[t.folded] || len(t.folded) < 3 {
		return span{}, false
	}
	text := rd.body[t.start:t.end]
	return span{text: strings.ToUpper(text[:1]) + text[1:], start: t.start, end: t.end}, true
}

// lowerBefore reads a name that its bearer writes small before his title: "milo strand, founder".
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
	}
	return 0, false
}

// accepts tells whether the name behind a lead is a person's. "This is Acme" is none, and "from" leads to much else.
func (r *Rules) accepts(rd *reading, m mention, s span) bool {
	score := r.personness(rd, s.text)
	switch m.kind {
	case byChannel:
		opening := rd.text[:min(len(rd.text), s.start)]
		return score >= 1 && (r.source.has("other", opening) || r.source.has("website", opening))
	case bySpoken:
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

// senders gives those who wrote the mails that the text holds.
func (r *Rules) senders(rd *reading) []mention {
	var all []mention
	for _, h := range rd.mails {
		if h.name == "" || !r.looksLikeName(h.name) {
			continue
		}
		all = append(all, mention{name: h.name, email: h.email, start: h.start, kind: bySender})
	}
	return all
}

func (r *Rules) looksLikeName(name string) bool {
	words := strings.Fields(name)
	return len(words) > 0 && len(words) <= 5 && !hasDigit(name) && utf8.RuneCountInString(name) <= 50 && !r.isOrdinary(words[0])
}

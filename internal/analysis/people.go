package analysis

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// mention is a person that the text names, with what it says of them there.
type mention struct {
	name, title, org string
	start            int
	kind             mentionKind
	chief            bool // the title is a founder's or a chief's
	email            string
	last             bool // name and title are the last words of the text
	seen             int  // how many mentions of other kinds there are of them
	doc              int  // the number of the document that names them, from 1; 0: the text
}

type mentionKind int

const (
	byTitle   mentionKind = iota // a title is beside the name
	bySelf                       // "I'm Ann"
	bySender                     // the head of a mail
	byChannel                    // "LinkedIn DM from Ann"
	byMeeting                    // "meet Ann"
	byForm
	bySignature
	bySpoken    // "coffee with Ann of Acme"
	byContact   // "Ann Lee, ann@acme.io"
	byDeed      // "Ann pitched us Acme"
	byChat      // opens a chat
	byRecipient // the investor writes to them
)

// String returns the kind as calibration.json calls it.
func (k mentionKind) String() string {
	switch k {
	case bySelf:
		return "self"
	case bySender:
		return "sender"
	case byChannel:
		return "channel"
	case byMeeting:
		return "meeting"
	case byForm:
		return "form"
	case bySignature:
		return "signature"
	case bySpoken:
		return "spoken"
	case byContact:
		return "contact"
	case byDeed:
		return "deed"
	case byChat:
		return "chat"
	case byRecipient:
		return "recipient"
	case byTitle:
	}
	return "title"
}

// mentions gives every person that the text names, in order of strength of what says so.
func (r *Rules) mentions(rd *reading, spans []span) []mention {
	var all []mention
	all = append(all, r.formPeople(rd)...)
	all = append(all, r.titled(rd, spans)...)
	all = append(all, r.led(rd, spans)...)
	all = append(all, r.introducedHere(rd, spans)...)
	all = append(all, r.doers(rd, spans)...)
	all = append(all, r.senders(rd)...)
	all = append(all, r.signatures(rd, spans)...)
	all = append(all, r.chatPeople(rd)...)
	return all
}

// between returns the folded words, or the bare punctuation, that are between two places of the body; not ok where they
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
	if strings.Contains(gap, "\n") && strings.TrimSpace(gap) != "" && strings.TrimSpace(gap) != "," &&
		strings.TrimSpace(gap) != "|" {
		return "", false
	}
	return strings.TrimSpace(fold(gap)), true
}

// bindLeft reports whether what is between a name and the title behind it binds them.
func (r *Rules) bindLeft(gap string) bool {
	switch strings.Trim(gap, " ,(-–—|/:•[") {
	case "":
		return gap != ")" && !strings.HasPrefix(gap, ")")
	}
	return r.people.exact(strings.Trim(gap, " ,(-–—|/:•")) == "is"
}

// bindRight reports whether what is between a title and the name behind it binds them.
func (r *Rules) bindRight(gap string) bool {
	switch strings.Trim(gap, " :-–—,(=") {
	case "":
		return true
	case "is", "jest", "to jest", "is de heer", "heet", "heisst", "s'appelle", "se llama", "si chiama", "olan", "er",
		"ar", "was", "are", "were", "war", "ist", "sind", "est", "sont", "es", "son", "sono", "s)", "s):", "s", "w", "named",
		"called":
		return true
	}
	return false
}

// titled reads the names beside titles. A title belongs to the more person-like of the names at its two sides; the
// other one is then the company.
func (r *Rules) titled(rd *reading, spans []span) []mention {
	var all []mention
	bound := map[int]bool{} // by start of the span
	for _, t := range rd.titleList {
		right := sort.Search(len(spans), func(i int) bool { return spans[i].start >= t.end })
		left := right - 1
		l, okL := r.leftOf(rd, t, left)
		okL = okL && !bound[l.start]
		n, okR := r.rightOf(rd, t, right)
		if !okR && r.isNamedBehind(rd, t, right) {
			all = append(all, r.rightPeople(rd, spans, right+1, t, bound, spans[right], true)...)
			continue
		}
		scoreL, scoreR := r.sideScore(rd, l, okL), r.sideScore(rd, n, okR)
		if okL && scoreR >= 1 && strings.HasSuffix(strings.TrimRight(rd.body[l.end:t.start], " "), "(") &&
			(t.plural || scoreR >= scoreL) {
			scoreL = min(scoreL, 0) // "Papaya (founders Joy Mensah and …)"
		}
		switch {
		case !okL && !okR && t.chief:
			all = append(all, r.lowerBefore(rd, t)...)
		case scoreL < -1 && scoreR < 1:
		case scoreL >= scoreR || scoreR < 1:
			all = append(all, r.leftPeople(rd, spans, left, t, bound)...)
		default:
			all = append(all, r.rightPeople(rd, spans, right, t, bound, l, okL && scoreL < 1)...)
		}
	}
	return all
}

// sideScore returns how much the name at one side of a title is a person's; far below any name's where there is none.
func (r *Rules) sideScore(rd *reading, s span, ok bool) int {
	if !ok {
		return -99
	}
	return r.personness(rd, s.text)
}

// isNamedBehind reads "CEO of Acme is Ann Lee": the span at right is the company, the next one the person.
func (r *Rules) isNamedBehind(rd *reading, t title, right int) bool {
	if right+1 >= len(rd.spanList) {
		return false
	}
	org, person := rd.spanList[right], rd.spanList[right+1]
	of, near := between(rd.body, t.end, org.start)
	is, nearer := between(rd.body, org.end, person.start)
	return near && nearer && r.isOf(of) && r.people.exact(is) == "is" && r.personness(rd, person.text) >= 1
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
	if i >= len(rd.spanList) {
		return span{}, false
	}
	s := rd.spanList[i]
	gap, ok := between(rd.body, t.end, s.start)
	return s, ok && r.bindRight(gap) && !strings.Contains(rd.body[t.end:s.start], "\n")
}

// withoutAddress takes an address or a mask out of what is between a name and a title.
func withoutAddress(gap string) string {
	if strings.Contains(gap, "@") {
		return ","
	}
	return strings.ReplaceAll(gap, string(mask), "")
}

// leftPeople returns the person before the title; before a plural or an "and", those before them too.
func (r *Rules) leftPeople(rd *reading, spans []span, i int, t title, bound map[int]bool) []mention {
	org := r.orgBehind(rd, spans, t)
	last := strings.Count(strings.TrimSpace(rd.body[t.end:]), " ") < 4
	all := []mention{
		{name: spans[i].text, title: singular(t.text), org: org, start: spans[i].start, chief: t.chief, last: last},
	}
	bound[spans[i].start] = true
	if people := r.splitPair(rd, spans[i].text); len(people) > 1 {
		all = all[:0]
		for _, p := range people {
			all = append(all, mention{name: p, title: singular(t.text), org: org, start: spans[i].start, chief: t.chief})
		}
	}
	for ; t.plural && i > 0 && r.isList(rd, spans[i-1].end, spans[i].start) && r.personness(rd, spans[i-1].text) > 0; i-- {
		bound[spans[i-1].start] = true
		all = append([]mention{
			{name: spans[i-1].text, title: singular(t.text), org: org, start: spans[i-1].start, chief: t.chief},
		}, all...)
	}
	return all
}

// rightPeople returns the person behind the title, and those that a list goes on with.
func (r *Rules) rightPeople(
	rd *reading, spans []span, i int, t title, bound map[int]bool, left span, hasOrg bool,
) []mention {
	org := ""
	if hasOrg {
		org = left.text
	} else if i+1 < len(spans) {
		org = r.orgAfter(rd, spans[i].end, spans[i+1])
	}
	var all []mention
	for {
		for _, p := range r.splitPair(rd, spans[i].text) {
			all = append(all, mention{name: p, title: singular(t.text), org: org, start: spans[i].start, chief: t.chief})
		}
		bound[spans[i].start] = true
		if i+1 >= len(spans) || !r.isList(rd, spans[i].end, spans[i+1].start) || r.personness(rd, spans[i+1].text) < 1 {
			return all
		}
		if gap := rd.body[spans[i].end:spans[i+1].start]; !t.plural && strings.Trim(gap, " ") == "," {
			return all // "CEO Ann Lee, Bob Ray": nothing says that they are one too
		}
		i++
	}
}

// splitPair parts "Suki Tran & Dale Moss", where both are people.
func (r *Rules) splitPair(rd *reading, name string) []string {
	for _, joint := range []string{" & ", " + "} {
		first, second, ok := strings.Cut(name, joint)
		if ok && r.personness(rd, first) >= 1 && r.personness(rd, second) >= 1 {
			return []string{first, second}
		}
	}
	return []string{name}
}

// isList reports whether two names are in one list: a comma or an "and" between them, and at most a remark in brackets.
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
	return gap == "" && to-from > 1 && !strings.Contains(rd.body[from:to], "\n\n") || isAnd(gap)
}

// isAnd tells the words that join two names.
func isAnd(word string) bool {
	switch fold(word) {
	case "and", "und", "et", "y", "e", "en", "i", "ve", "og", "och", "ja", "with", "mit", "avec", "con", "com",
		"as well as", "together with", "sowie", "ainsi que":
		return true
	}
	return false
}

// orgBehind returns the company that is behind the title: "CEO of Acme", "CEO, Acme", "CEO Acme".
func (r *Rules) orgBehind(rd *reading, spans []span, t title) string {
	if i := sort.Search(len(spans), func(i int) bool { return spans[i].start >= t.end }); i < len(spans) {
		return r.orgAfter(rd, t.end, spans[i])
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
	if r.isOf(strings.TrimPrefix(bare, ")")) || strings.HasSuffix(bare, " of") || bare == "@" ||
		strings.HasSuffix(bare, "d'") || strings.HasSuffix(bare, "d’") {
		return s.text
	}
	return ""
}

// isOf tells the words that are between a person and their company.
func (r *Rules) isOf(gap string) bool { return gap == "from" || r.people.exact(gap) == "of" }

// singular returns the title as one person of several bears it, without an article.
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

// recipients returns those whom a mail of the investor's goes to.
func (r *Rules) recipients(rd *reading) []mention {
	if !rd.replies || len(rd.mails) == 0 || rd.mails[0].reply {
		return nil
	}
	var all []mention
	for _, to := range rd.mails[0].to {
		for one := range strings.FieldsFuncSeq(to, func(c rune) bool { return c == ',' || c == ';' }) {
			name, email := readPerson(one)
			if _, host, _ := strings.Cut(email, "@"); email != "" && strings.Contains(name, " ") && r.looksLikeName(name) &&
				r.isSpokenOf(squeeze(rd.body+" "+rd.mails[0].subject), host) {
				all = append(all, mention{name: name, email: email, start: rd.mails[0].start, kind: byRecipient})
			}
		}
	}
	return all
}

// senders returns those who wrote the mails that the text holds.
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
	return len(words) > 0 && len(words) <= 5 && !hasDigit(name) && utf8.RuneCountInString(name) <= 50 &&
		!r.isOrdinary(words[0])
}

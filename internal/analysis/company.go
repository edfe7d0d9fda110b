package analysis

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a clue is worth for a name, measured against each other: an answer in a form settles it, one weak clue does not.
const (
	worthAnswer  = 14
	worthSure    = 6
	worthOrg     = 6
	worthDomain  = 6
	worthTitle   = 5
	worthFollow  = 3
	worthLikely  = 3
	worthSubject = 4
	worthStart   = 3
	worthPath    = 4
	worthFile    = 4
	worthPrefix  = 3
	worthLabel   = 2
	worthWeak    = 1
	worthAgainst = -5
	worthPerson  = -6
	worthOther   = -10
	enough       = 4 // below this a name counts as not found
)

// companyName is a name that may be the company's, and what speaks for it.
type companyName struct {
	text  string
	score int
	start int

	answered, domain bool // it is an answer to a form; it is an address's or a link's domain too
}

// companyNames weighs every name of the text and of the deck, best first.
func (r *Rules) companyNames(rd *reading, in Input, people []mention) []companyName {
	b := &ballot{r: r, rd: rd, byKey: map[string]*companyName{}}
	b.spans()
	b.answers()
	b.organisations(people)
	b.domains(in)
	b.deck(in)
	b.against(in, people)
	return b.ranked()
}

// ballot collects the votes for names.
type ballot struct {
	r     *Rules
	rd    *reading
	byKey map[string]*companyName
	order []string
}

func (b *ballot) vote(name string, start, worth int) *companyName {
	name = b.r.brand(name)
	key := squeeze(name)
	if utf8.RuneCountInString(key) < 2 {
		return &companyName{}
	}
	c := b.byKey[key]
	if c == nil {
		c = &companyName{text: name, start: start}
		b.byKey[key] = c
		b.order = append(b.order, key)
	}
	if c.text != name && strings.ToUpper(c.text) == c.text && startsUpper(name) {
		c.text = name // a heading shouts: "ASHLAR - notes"
	}
	c.score += worth
	return c
}

// brand takes the legal form and the quotes off a name: "Klarwerk GmbH" is called Klarwerk.
func (r *Rules) brand(name string) string {
	name = strings.Trim(name, " .,;:\"'“”„«»()[]*_")
	for _, form := range []string{"株式会社", "有限会社", "合同会社", "有限公司", "股份有限公司"} {
		name = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(name, form), form))
	}
	for _, title := range []string{"代表取締役", "創業者", "取締役"} {
		name, _, _ = strings.Cut(name, title)
	}
	for {
		i := strings.LastIndexAny(name, " ,")
		if i <= 0 || r.companyWords.exact(strings.ReplaceAll(name[i+1:], ".", "")) != "legal" ||
			strings.HasSuffix(strings.TrimRight(name[:i], " "), "&") {
			return titled(name)
		}
		name = strings.TrimRight(name[:i], " ,")
	}
}

// titled writes a name of several words that shouts as others are written: "LARKSPUR DIAGNOSTICS".
func titled(name string) string {
	const shortest = 4
	if !strings.Contains(name, " ") || strings.ToUpper(name) != name || strings.ToLower(name) == name {
		return name
	}
	words := strings.Fields(name)
	for i, w := range words {
		if first, size := utf8.DecodeRuneInString(w); utf8.RuneCountInString(w) >= shortest && unicode.IsUpper(first) {
			words[i] = w[:size] + strings.ToLower(w[size:])
		}
	}
	return strings.Join(words, " ")
}

// spans votes for the names of the text by the words around them.
func (b *ballot) spans() {
	seen := map[string]int{}
	for _, s := range b.rd.spanList {
		lead, hasLead := b.leadWorth(s)
		worth := lead + b.followWorth(s)
		if s.start <= b.rd.firstWord && !hasLead {
			worth += b.startWorth(s)
		}
		if i := strings.LastIndexByte(s.text, ' '); i > 0 && b.r.companyWords.exact(s.text[i+1:]) == "company" {
			worth++
		}
		if key := squeeze(s.text); seen[key] < 3 {
			seen[key]++
			worth++
		}
		b.vote(s.text, s.start, worth)
	}
	b.joinedName()
	for _, h := range b.rd.mails {
		for _, s := range b.r.subjectNames(h.subject) {
			b.vote(s, h.start, worthSubject)
			break
		}
	}
	for _, name := range b.r.cjkCompanies(b.rd) {
		b.vote(name, 0, worthSure)
	}
	for _, text := range append([]string{b.rd.body}, fileLinks(b.rd.links)...) {
		for _, name := range b.r.fileNames(text) {
			b.vote(name, len(b.rd.body), worthFile)
		}
	}
}

// joinedName votes for a name with an "and" in it that a note begins with: "Cal y Canto (mortars)".
func (b *ballot) joinedName() {
	if len(b.rd.spanList) < 2 || b.rd.spanList[0].start > b.rd.firstWord {
		return
	}
	first, second := b.rd.spanList[0], b.rd.spanList[1]
	gap, near := between(b.rd.body, first.end, second.start)
	name := b.rd.body[first.start:second.end]
	rest := strings.TrimLeft(b.rd.body[second.end:], " ")
	if near && isAnd(gap) && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ":")) &&
		b.r.personness(b.rd, first.text) < 1 && b.r.personness(b.rd, second.text) < 1 {
		b.vote(name, first.start, worthSure)
	}
}

// leadWorth weighs the words that lead to the name.
func (b *ballot) leadWorth(s span) (int, bool) {
	i := b.rd.tokenAt(s.start)
	best, found := 0, false
	for n := 1; n <= 4 && i-n >= 0; n++ {
		if b.rd.tokens[i-n].sentence != b.rd.tokens[min(i, len(b.rd.tokens)-1)].sentence {
			break
		}
		words := make([]string, 0, n)
		for _, t := range b.rd.tokens[i-n : i] {
			words = append(words, t.folded)
		}
		switch b.r.name.whole[strings.Join(words, " ")] { // the longest phrase decides
		case "sure":
			best, found = worthSure, true
		case "likely":
			best, found = worthLikely, true
		case "weak":
			best, found = worthWeak, true
		case "against":
			best, found = worthAgainst, true
		}
	}
	return best, found
}

func (b *ballot) followWorth(s span) int {
	i := b.rd.tokenAt(s.end)
	rest := b.rd.body[s.end:min(len(b.rd.body), s.end+3)]
	switch {
	case strings.HasPrefix(rest, " (") && strings.HasPrefix(b.rd.body[s.end+2:], string(mask)):
		return worthFollow // "Acme (https://acme.io)"
	case strings.HasPrefix(rest, " ("), strings.HasPrefix(rest, " - "), strings.HasPrefix(rest, " –"),
		strings.HasPrefix(rest, " —"), strings.HasPrefix(rest, " |"), strings.HasPrefix(rest, ": "):
		return worthLabel // "Acme (EV charging)", "(1) Acme - pass"
	}
	if i >= len(b.rd.tokens) || strings.ContainsAny(rest, ".\n,") {
		return 0
	}
	for _, p := range b.r.name.byFirst[b.rd.tokens[i].folded] {
		if p.match(b.rd.tokens, i) > 0 && (p.section == "follow" || p.section == "hint") {
			return worthFollow
		}
	}
	return 0
}

// startWorth favours the name that a note begins with: "Ravel Systems. Intro call done", "Cobble - Mia Roth".
func (b *ballot) startWorth(s span) int {
	rest := strings.TrimLeft(b.rd.body[s.end:], " ")
	if rest == "" || strings.ContainsAny(rest[:1], ".:-\n/|,(") || strings.HasPrefix(rest, "–") ||
		strings.HasPrefix(rest, "—") {
		return worthStart
	}
	return worthWeak
}

func (b *ballot) answers() {
	name := b.rd.answerTo("company")
	if first := b.rd.answerTo("name"); name == "" && first != "" && b.rd.isForm() && b.r.isCompanyAnswer(b.rd, first) &&
		!hasHan(first) {
		name = first // "Name: Acme Ltd", "Contact: Ann Lee"
	}
	if name != "" && utf8.RuneCountInString(name) <= 80 {
		name, _, _ = strings.Cut(name, " (")
		b.vote(name, 0, worthAnswer).answered = true
	}
}

// organisations votes for the companies whose founders and chiefs the text names, and against those of others.
func (b *ballot) organisations(people []mention) {
	for _, p := range people {
		switch {
		case p.org == "":
		case b.rd.introduces && b.rd.signed(p.name):
			b.vote(p.org, p.start, worthAgainst)
		case p.chief && !b.r.isInvestorName(p.org):
			b.vote(p.org, p.start, worthOrg)
		case p.kind == bySignature && p.title == "" && b.rd.founderVoice && !b.r.isInvestorName(p.org):
			b.vote(p.org, p.start, worthFollow) // "Ann Lee\nAcme" below a founder's letter
		case p.title != "" || p.kind == bySignature:
			b.vote(p.org, p.start, worthAgainst)
		case p.kind == byChat || p.kind == bySpoken || p.kind == byMeeting || p.kind == bySelf || p.kind == byChannel ||
			p.kind == byDeed:
			b.vote(p.org, p.start, worthFollow)
		}
	}
}

// domains votes for names that are in the addresses and links too; a name that only a domain holds is kept in reserve.
func (b *ballot) domains(in Input) {
	labels := map[string]int{}
	for _, a := range b.rd.address {
		_, host, _ := strings.Cut(a.email, "@")
		if label := domainLabel(host); label != "" && !b.r.isFreeMail(host) && !b.rd.isRecipient(a.email) {
			labels[label] = worthDomain
		}
	}
	for _, l := range b.rd.links {
		host, _ := splitLink(l)
		if b.r.isOwnPage(l) {
			labels[domainLabel(host)] = worthDomain
		}
	}
	for _, key := range b.order {
		c := b.byKey[key]
		for label, worth := range labels {
			switch {
			case label == key:
				c.score += worth
				c.domain = true
			case len(key) >= 4 && (strings.HasPrefix(label, key) || strings.HasPrefix(key, label) && len(label) >= 4):
				c.score += worthPrefix
			}
		}
		for _, l := range append([]string{in.DeckURL}, b.rd.links...) {
			if _, path := splitLink(l); len(key) >= 4 && strings.Contains(squeeze(path), key) {
				c.score += worthPath
				break
			}
		}
	}
}

// deck votes for the names on the deck's first slide and in its metadata.
func (b *ballot) deck(in Input) {
	for _, d := range in.Documents {
		if name := b.r.deckName(d); name != "" && (len(in.Documents) == 1 || b.byKey[squeeze(name)] != nil) {
			b.vote(name, len(b.rd.body), worthTitle)
		}
		for _, name := range b.r.fileNames(d.FileName) {
			b.vote(name, len(b.rd.body), worthFile)
		}
	}
}

// against takes back what people, services, events and stages got.
func (b *ballot) against(in Input, people []mention) {
	stages := map[string]bool{}
	for _, s := range in.Stages {
		stages[squeeze(s.Name)] = true
	}
	names, chiefs := map[string]bool{}, map[string]bool{}
	for _, p := range people {
		// companies have mailboxes too
		names[squeeze(p.name)] = names[squeeze(p.name)] || p.kind != bySender || b.r.personness(b.rd, p.name) >= 1
		chiefs[squeeze(p.name)] = chiefs[squeeze(p.name)] || p.chief && p.kind == byTitle && b.r.personness(b.rd, p.name) >= 1
	}
	for _, key := range b.order {
		c := b.byKey[key]
		folded := fold(c.text)
		switch {
		case b.rd.greetedNames[key], stages[key], b.r.companyWords.exact(folded) == "service",
			b.r.source.exact(folded) == "event_name":
			c.score += worthOther
		case chiefs[key] && !c.answered && !c.domain:
			c.score += worthOther
		case names[key]:
			c.score += worthPerson
		case b.r.personness(b.rd, c.text) >= 3:
			c.score += worthPerson
		}
		if !strings.Contains(c.text, " ") && b.r.given[folded] && !c.domain && !c.answered {
			c.score += worthPerson
		}
		if isEventName(c.text) {
			c.score += worthOther
		}
		if b.r.isInvestorName(c.text) {
			c.score += worthAgainst
		}
		if c.score > 0 && !strings.Contains(c.text, " ") && utf8.RuneCountInString(c.text) <= 3 &&
			c.text == strings.ToUpper(c.text) {
			c.score -= worthFollow // "NDA", "B2B"
		}
	}
}

// isEventName tells the names of gatherings and of newsletters by their last word.
func isEventName(name string) bool {
	switch fold(name[strings.LastIndexByte(name, ' ')+1:]) {
	case "summit", "conference", "forum", "expo", "festival", "congress", "fair", "messe", "meetup", "hackathon", "week",
		"weekly", "newsletter", "digest", "gazette", "bulletin", "wochenblatt", "nieuwsbrief", "boletin":
		return true
	}
	return false
}

func (r *Rules) isInvestorName(name string) bool {
	words := strings.Fields(name)
	return r.companyWords.exact(words[len(words)-1]) == "investor" || r.companyWords.exact(name) == "investor" ||
		strings.HasSuffix(fold(name), "corporate finance")
}

func (b *ballot) ranked() []companyName {
	all := make([]companyName, 0, len(b.order))
	for _, key := range b.order {
		all = append(all, *b.byKey[key])
	}
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].score > all[j].score || all[i].score == all[j].score && all[i].start < all[j].start
	})
	return all
}

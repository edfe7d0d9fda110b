package naming

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// The points that a clue adds to a name's score. An answer in a form alone decides; one weak clue does not.
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
	enough       = 4 // a name with this score is taken; see Read for less
)

// CompanyName is a name that may be the company's, with its score, and the byte of the body at which it was found
// first: 0 for an answer of a form and for a Chinese or Japanese name, the byte at which the mail begins for a name in
// its subject, and the length of the body for a name from a document or the name of a file.
type CompanyName struct {
	text  string
	score int
	start int

	answered, domain bool // whether a form's answer is the name; whether a domain is
}

// companyNames returns the names of the text and of the documents with their scores, the best first; of equal ones, the
// one that occurs first in the text.
func (r *Namer) companyNames(rd *people.Scene, in analysis.Input, people []people.Mention) []CompanyName {
	b := &ballot{r: r, rd: rd, byKey: map[string]*CompanyName{}}
	b.spans()
	b.answers()
	b.organisations(people)
	b.domains(in)
	b.deck(in)
	b.against(in, people)
	return b.ranked()
}

// ballot adds up the scores of names.
type ballot struct {
	r     *Namer
	rd    *people.Scene
	byKey map[string]*CompanyName
	order []string
}

func (b *ballot) vote(name string, start, worth int) *CompanyName {
	name = b.r.Brand(name)
	key := lexicon.Squeeze(name)
	if utf8.RuneCountInString(key) < 2 {
		return &CompanyName{}
	}
	c := b.byKey[key]
	if c == nil {
		c = &CompanyName{text: name, start: start}
		b.byKey[key] = c
		b.order = append(b.order, key)
	}
	if c.text != name && lexicon.IsUpper(c.text) && lexicon.StartsUpper(name) {
		c.text = name // a heading shouts: "ASHLAR - notes"
	}
	c.score += worth
	return c
}

// Brand returns a name without legal form, titles and quotes: "Klarwerk" for "Klarwerk GmbH". A name of several words
// that is all in capitals gets lower-case letters; see titled.
func (r *Namer) Brand(name string) string {
	name = strings.TrimSpace(strings.Trim(name, " .,;:\"'“”„«»()[]*_"))
	for _, form := range r.forms {
		if bare := strings.TrimSuffix(strings.TrimPrefix(name, form), form); len(bare) < len(name) {
			name = strings.TrimSpace(bare)
		}
	}
	for _, title := range r.titles {
		name, _, _ = strings.Cut(name, title)
	}
	for {
		stem, form := r.cutForm(name)
		if form == "" {
			return titled(name)
		}
		name = stem
	}
}

// cutForm returns a name without the legal form at its end, and that form: "Acme" and "Ltd" for "Acme Pvt Ltd". If the
// name ends with no legal form, stem is the name, and form is "".
func (r *Namer) cutForm(name string) (stem, form string) {
	i := strings.LastIndexAny(name, " ,")
	if i <= 0 || r.words.Company.Exact(strings.ReplaceAll(name[i+1:], ".", "")) != "legal" ||
		strings.HasSuffix(strings.TrimRight(name[:i], " "), "&") {
		return name, ""
	}
	stem, form = strings.TrimRight(name[:i], " ,"), name[i+1:]
	if i := strings.LastIndexByte(stem, ' '); i > 0 && lexicon.In("words before legal forms", lexicon.Fold(stem[i+1:])) {
		stem = stem[:i]
	}
	return stem, form
}

// titled returns a name of several words in capitals with lower-case letters after the first letter of each word of at
// least four letters: "Larkspur Diagnostics" for "LARKSPUR DIAGNOSTICS". It returns other names as they are.
func titled(name string) string {
	const shortest = 4
	if !strings.Contains(name, " ") || !lexicon.IsUpper(name) || lexicon.IsLower(name) {
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

// spans scores the capitalised names of the text by the words around them, names in file names, Chinese and Japanese
// names of firms, and the first name in each mail's subject.
func (b *ballot) spans() {
	seen := map[string]int{}
	for _, s := range b.rd.Spans {
		lead, hasLead := b.leadWorth(s)
		worth := lead + b.followWorth(s)
		if s.Start <= b.rd.FirstWord && !hasLead {
			worth += b.startWorth(s)
		}
		if i := strings.LastIndexByte(s.Text, ' '); i > 0 && b.r.words.Company.Exact(s.Text[i+1:]) == "company" {
			worth++
		}
		if key := lexicon.Squeeze(s.Text); seen[key] < 3 {
			seen[key]++
			worth++
		}
		b.vote(s.Text, s.Start, worth)
	}
	b.joinedName()
	for _, h := range b.rd.Mails {
		for _, s := range b.r.subjectNames(h.Subject) {
			b.vote(s, h.Start, worthSubject)
			break
		}
	}
	for _, name := range b.r.people.CjkCompanies(b.rd) {
		b.vote(name, 0, worthSure)
	}
	for _, text := range append([]string{b.rd.Body}, people.FileLinks(b.rd.Links)...) {
		for _, name := range b.r.people.FileNames(text) {
			b.vote(name, len(b.rd.Body), worthFile)
		}
	}
}

// joinedName scores a name that begins a note and consists of two names, which do not look like people's, with an "and"
// between, if a bracket or a colon follows: "Cal y Canto (mortars)".
func (b *ballot) joinedName() {
	if len(b.rd.Spans) < 2 || b.rd.Spans[0].Start > b.rd.FirstWord {
		return
	}
	first, second := b.rd.Spans[0], b.rd.Spans[1]
	gap, near := people.Between(b.rd.Body, first.End, second.Start)
	name := b.rd.Body[first.Start:second.End]
	rest := strings.TrimLeft(b.rd.Body[second.End:], " ")
	if near && people.IsAnd(gap) && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ":")) &&
		b.r.people.Personness(b.rd.Names, first.Text) < 1 && b.r.people.Personness(b.rd.Names, second.Text) < 1 {
		b.vote(name, first.Start, worthSure)
	}
}

// leadWorth returns the points for the words before a name, which may be negative, and whether they are a known phrase.
// The longest phrase of at most four words counts.
func (b *ballot) leadWorth(s people.Span) (int, bool) {
	i := b.rd.TokenAt(s.Start)
	best, found := 0, false
	var room [80]byte
	for n := 1; n <= 4 && i-n >= 0; n++ {
		if b.rd.Tokens[i-n].Sentence != b.rd.Tokens[min(i, len(b.rd.Tokens)-1)].Sentence {
			break
		}
		words := room[:0]
		for _, t := range b.rd.Tokens[i-n : i] {
			words = append(append(words, t.Folded...), ' ')
		}
		switch b.r.words.Name.Whole[string(words[:len(words)-1])] { // the longest phrase decides
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

func (b *ballot) followWorth(s people.Span) int {
	i := b.rd.TokenAt(s.End)
	rest := b.rd.Body[s.End:min(len(b.rd.Body), s.End+3)]
	switch {
	case strings.HasPrefix(rest, " (") && strings.HasPrefix(b.rd.Body[s.End+2:], string(text.Mask)):
		return worthFollow // "Acme (https://acme.io)"
	case strings.HasPrefix(rest, " ("), strings.HasPrefix(rest, " - "), strings.HasPrefix(rest, " –"),
		strings.HasPrefix(rest, " —"), strings.HasPrefix(rest, " |"), strings.HasPrefix(rest, ": "):
		return worthLabel // "Acme (EV charging)", "(1) Acme - pass"
	}
	if i >= len(b.rd.Tokens) || strings.ContainsAny(rest, ".\n,") {
		return 0
	}
	for _, p := range b.r.words.Name.ByFirst[b.rd.Tokens[i].Folded] {
		if p.Match(b.rd.Tokens, i) > 0 && (p.Section == "follow" || p.Section == "hint") {
			return worthFollow
		}
	}
	return 0
}

// startWorth returns the points for the name at the beginning of a note, more if punctuation, a line end or nothing
// follows it: "Ravel Systems. Intro call done", "Cobble - Mia Roth".
func (b *ballot) startWorth(s people.Span) int {
	rest := strings.TrimLeft(b.rd.Body[s.End:], " ")
	if rest == "" || strings.ContainsAny(rest[:1], ".:-\n/|,(") || strings.HasPrefix(rest, "–") ||
		strings.HasPrefix(rest, "—") {
		return worthStart
	}
	return worthWeak
}

func (b *ballot) answers() {
	name := b.rd.AnswerTo("company")
	if first := b.rd.AnswerTo("name"); name == "" && first != "" && b.rd.IsForm() &&
		b.r.people.IsCompanyAnswer(b.rd.Names, first) &&
		!lexicon.HasHan(first) {
		name = first // "Name: Acme Ltd", "Contact: Ann Lee"
	}
	if name != "" && utf8.RuneCountInString(name) <= 80 {
		name, _, _ = strings.Cut(name, " (")
		b.vote(name, 0, worthAnswer).answered = true
	}
}

// organisations adds points to the companies of founders and chiefs, unless these are investors, and to those of people
// who write, speak or are introduced. It subtracts points from the companies of people who introduce others, who sign
// or have a title but are not founders, or who have a title at an investor.
func (b *ballot) organisations(persons []people.Mention) {
	for _, p := range persons {
		switch {
		case p.Org == "":
		case b.rd.Introduces && b.rd.Signed(p.Name):
			b.vote(p.Org, p.Start, worthAgainst)
		case p.Chief && !b.r.words.IsInvestorName(p.Org):
			b.vote(p.Org, p.Start, worthOrg)
		case p.Kind == people.BySignature && p.Title == "" && b.rd.FounderVoice && !b.r.words.IsInvestorName(p.Org):
			b.vote(p.Org, p.Start, worthFollow) // "Ann Lee\nAcme" below a founder's letter
		case p.Title != "" || p.Kind == people.BySignature:
			b.vote(p.Org, p.Start, worthAgainst)
		case slices.Contains([]people.Kind{
			people.ByChat, people.BySpoken, people.ByMeeting, people.BySelf, people.ByChannel, people.ByDeed,
		}, p.Kind):
			b.vote(p.Org, p.Start, worthFollow)
		}
	}
}

// domains adds points to the names that are also in domains of addresses and links, or in paths of links.
func (b *ballot) domains(in analysis.Input) {
	labels := b.labels()
	for _, key := range b.order {
		c := b.byKey[key]
		for label := range labels {
			switch {
			case label == key:
				c.score += worthDomain
				c.domain = true
			case len(key) >= 4 && (strings.HasPrefix(label, key) || strings.HasPrefix(key, label) && len(label) >= 4):
				c.score += worthPrefix
			}
		}
		for _, l := range append([]string{in.DeckURL}, b.rd.Links...) {
			if _, path := links.SplitLink(l); len(key) >= 4 && strings.Contains(lexicon.Squeeze(path), key) {
				c.score += worthPath
				break
			}
		}
	}
}

// labels returns the labels that name the owners of domains, such as "acme" for "ann@acme.io", as a set. It takes the
// domains of addresses, but not of mail providers and recipients, and of links that may be pages of a company's own
// site.
func (b *ballot) labels() map[string]bool {
	labels := map[string]bool{}
	for _, a := range b.rd.Addresses {
		_, host, _ := strings.Cut(a.Email, "@")
		if label := links.DomainLabel(host); label != "" && !b.r.text.IsFreeMail(host) && !b.rd.IsRecipient(a.Email) {
			labels[label] = true
		}
	}
	for _, l := range b.rd.Links {
		host, _ := links.SplitLink(l)
		if b.r.picker.IsOwnPage(l) {
			labels[links.DomainLabel(host)] = true
		}
	}
	return labels
}

// deck scores the names in the title, on the first page and in the file name of each document. If there are several
// documents, a name in a title or on a page counts only if the text has it too.
func (b *ballot) deck(in analysis.Input) {
	for _, d := range in.Documents {
		if name := b.r.deckName(d); name != "" && (len(in.Documents) == 1 || b.byKey[lexicon.Squeeze(name)] != nil) {
			b.vote(name, len(b.rd.Body), worthTitle)
		}
		for _, name := range b.r.people.FileNames(d.FileName) {
			b.vote(name, len(b.rd.Body), worthFile)
		}
	}
}

// against subtracts points from the names of people, services, events, investors and pipeline stages, and from short
// forms such as "NDA".
func (b *ballot) against(in analysis.Input, persons []people.Mention) {
	stages := map[string]bool{}
	for _, s := range in.Stages {
		stages[lexicon.Squeeze(s.Name)] = true
	}
	names, chiefs := b.named(persons)
	for _, key := range b.order {
		c := b.byKey[key]
		folded := lexicon.Fold(c.text)
		switch {
		case stages[key], b.isOther(key, folded), chiefs[key] && !c.answered && !c.domain:
			c.score += worthOther
		case names[key], b.r.people.Personness(b.rd.Names, c.text) >= 3:
			c.score += worthPerson
		}
		if !strings.Contains(c.text, " ") && b.r.words.Given[folded] && !c.domain && !c.answered {
			c.score += worthPerson
		}
		if isEventName(c.text) {
			c.score += worthOther
		}
		if b.r.words.IsInvestorName(c.text) {
			c.score += worthAgainst
		}
		if c.score > 0 && isShortForm(c.text) {
			c.score -= worthFollow
		}
	}
}

// named returns, by squeezed name, which names are people's, and which are names of founders or chiefs. The sender of a
// mail counts as a person only if the name looks like one, since companies have mailboxes too.
func (b *ballot) named(persons []people.Mention) (names, chiefs map[string]bool) {
	names, chiefs = map[string]bool{}, map[string]bool{}
	for _, p := range persons {
		key := lexicon.Squeeze(p.Name)
		likely := b.r.people.Personness(b.rd.Names, p.Name) >= 1
		names[key] = names[key] || p.Kind != people.BySender || likely
		chiefs[key] = chiefs[key] || p.Chief && p.Kind == people.ByTitle && likely
	}
	return names, chiefs
}

// isOther reports whether a name is the name of somebody greeted, of a service or of an event. key is the name
// squeezed, and folded the name folded.
func (b *ballot) isOther(key, folded string) bool {
	return b.rd.Greeted[key] || b.r.words.Company.Exact(folded) == "service" ||
		b.r.words.Source.Exact(folded) == "event_name"
}

// isShortForm reports whether a name is one word of up to three characters without lower-case letters, as "NDA" and
// "B2B" are.
func isShortForm(name string) bool {
	return !strings.Contains(name, " ") && utf8.RuneCountInString(name) <= 3 && lexicon.IsUpper(name)
}

// isEventName reports whether the last word of a name is one for a gathering or a newsletter.
func isEventName(name string) bool {
	return isEventWord(lexicon.Fold(name[strings.LastIndexByte(name, ' ')+1:]))
}

func isEventWord(folded string) bool { return lexicon.In("gatherings and newsletters", folded) }

func (b *ballot) ranked() []CompanyName {
	all := make([]CompanyName, 0, len(b.order))
	for _, key := range b.order {
		all = append(all, *b.byKey[key])
	}
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].score > all[j].score || all[i].score == all[j].score && all[i].start < all[j].start
	})
	return all
}

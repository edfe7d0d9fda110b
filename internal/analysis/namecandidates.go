package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of what is looked at for names.
const (
	mostCandidates = 1600
	candidateWords = 4
	nameTokens     = 1500 // of the body
)

// nameCandidate is a name that may be the company's: how it would be written, and where its words are in the body.
type nameCandidate struct {
	text   string
	key    string
	from   []string // what proposed it
	words  []string // folded, for finding them
	joined string   // words with a space between
	at     []hit
}

// parts returns a name of several words without its first and without its last.
func (n *nameCandidate) parts() [2]string {
	first, last := strings.IndexByte(n.joined, ' '), strings.LastIndexByte(n.joined, ' ')
	return [2]string{n.joined[first+1:], n.joined[:max(0, last)]}
}

// candidates collects the names that a text may give the company, generously: the ranking chooses.
type candidates struct {
	r     *Rules
	rd    *reading
	byKey map[string]*nameCandidate
	list  []*nameCandidate
	plain bool // capitals say nothing
}

// nameCandidates returns every name that the text, its links, its addresses and the documents may give the company.
func (r *Rules) nameCandidates(rd *reading, in Input) []*nameCandidate {
	c := &candidates{r: r, rd: rd, byKey: map[string]*nameCandidate{}}
	c.ofRules(in)
	c.ofDomains(in)
	c.ofFiles(in)
	c.ofSubjects()
	c.ofAnswers()
	c.ofBody()
	c.locate()
	return c.list
}

// add proposes a name as it is written, and as it is commonly written where it is all small or all capitals.
func (c *candidates) add(text, from string) {
	if strings.ContainsAny(text, "\n\t"+string(mask)) || strings.Contains(text, "  ") {
		text = strings.Join(strings.Fields(strings.ReplaceAll(text, string(mask), " ")), " ")
	}
	if have := c.byKey[text]; have != nil && slices.Contains(have.from, from) {
		return // once more: what follows was done then
	}
	text = strings.Trim(text, " ,;:\"'“”„«»()[]{}*_<>|/\\!?–—-・#@~`=…。、，：「」『』《》‹›•→")
	if text == "" || utf8.RuneCountInString(text) > 60 {
		return
	}
	c.put(text, from)
	if branded := c.r.brand(text); branded != text && branded != "" {
		c.put(branded, "brand")
	}
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsLower(first) && strings.ToLower(text) == text {
		c.put(capitalised(text), "capitalised")
	}
}

// capitalised writes each word with a capital.
func capitalised(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[size:]
	}
	return strings.Join(words, " ")
}

func (c *candidates) put(text, from string) {
	have := c.byKey[text]
	if have == nil {
		tokens := tokenize(text)
		if len(tokens) == 0 || len(c.list) >= mostCandidates || !strings.ContainsFunc(text, unicode.IsLetter) {
			return
		}
		have = &nameCandidate{text: text, key: squeeze(text)}
		for _, t := range tokens {
			have.words = append(have.words, t.folded)
		}
		have.joined = strings.Join(have.words, " ")
		c.byKey[text] = have
		c.list = append(c.list, have)
	}
	have.from = appendNew(have.from, from)
}

func (c *candidates) ofRules(in Input) {
	const most = 12
	for _, n := range c.rd.names[:min(len(c.rd.names), most)] {
		c.add(n.text, "rules")
	}
	if d := c.r.standIn(c.rd, in); d.value != unnamed {
		c.add(d.value, "stand-in")
	}
	for _, p := range c.rd.people {
		if p.org != "" {
			c.add(p.org, "house of a person")
		}
	}
	for _, s := range c.rd.spanList[:min(len(c.rd.spanList), 400)] {
		c.add(s.text, "span")
	}
	for _, name := range c.r.cjkCompanies(c.rd) {
		c.add(name, "pattern")
	}
}

// ofDomains proposes the owners of the domains in addresses, links and the text, also as the text writes them.
func (c *candidates) ofDomains(in Input) {
	var labels []string
	domain := func(host string) {
		if label := domainLabel(host); label != "" && !c.r.isFreeMail(host) {
			c.add(c.r.domainName(host), "domain")
			labels = appendNew(labels, label)
		}
	}
	for _, a := range c.rd.address {
		_, host, _ := strings.Cut(a.email, "@")
		domain(host)
	}
	for _, l := range in.Links[:min(len(in.Links), 40)] {
		if host, _ := splitLink(l); c.r.isOwnPage(l) {
			domain(host)
		}
	}
	lower := strings.ToLower(head(c.rd.body))
	for _, m := range c.r.domain.FindAllStringIndex(lower, 20) {
		domain(lower[m[0]:m[1]])
		c.add(c.rd.body[m[0]:m[1]], "domain as it stands")
	}
	c.ofLabels(labels)
}

// ofLabels proposes the words of the text that a domain is made of: "dawn and sons" of dawnandsons.de.
func (c *candidates) ofLabels(labels []string) {
	if len(labels) == 0 {
		return
	}
	tokens := c.tokens()
	for i := range tokens {
		var word strings.Builder
		for n := i; n < len(tokens) && n < i+candidateWords && (n == i || c.joins(tokens[n-1], tokens[n])); n++ {
			word.WriteString(squeeze(tokens[n].folded))
			joined := word.String()
			for _, label := range labels {
				if len(joined) >= 3 && (label == joined || len(joined) >= 4 && strings.HasPrefix(label, joined)) {
					c.add(c.rd.body[tokens[i].start:tokens[n].end], "domain in the text")
					break
				}
			}
		}
	}
}

// ofFiles proposes the names in the names of files and in the paths of links, and those of the documents.
func (c *candidates) ofFiles(in Input) {
	for _, text := range append([]string{head(c.rd.body)}, fileLinks(c.rd.links)...) {
		for _, name := range c.r.fileNames(text) {
			c.add(name, "file")
		}
	}
	for _, l := range append([]string{in.DeckURL}, in.Links[:min(len(in.Links), 12)]...) {
		_, path := splitLink(l)
		for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("/?&=#", r) }) {
			if len(part) <= 60 && !hasDigit(part) {
				c.add(strings.NewReplacer("-", " ", "_", " ", "+", " ").Replace(c.r.nameInFile(part)), "path")
			}
		}
	}
	for _, d := range in.Documents {
		c.add(c.r.deckName(d), "document")
		for _, name := range c.r.fileNames(d.FileName) {
			c.add(name, "document")
		}
	}
}

func (c *candidates) ofSubjects() {
	for _, m := range c.rd.mails {
		subject := c.r.withoutReplyMarks(m.subject)
		for _, name := range c.r.subjectNames(subject) {
			c.add(name, "subject")
		}
		c.segments(subject, tokenize(subject), "subject")
	}
}

func (c *candidates) ofAnswers() {
	for _, f := range c.rd.fields {
		switch f.kind {
		case "company", "name", "deck", "other", "description":
			name, _, _ := strings.Cut(f.value, " (")
			c.add(name, "answer "+f.kind)
		}
	}
}

// tokens returns the words of the body that are looked at.
func (c *candidates) tokens() []token { return c.rd.tokens[:min(len(c.rd.tokens), nameTokens)] }

// ofBody proposes the beginnings and ends of clauses, words with capitals, dots and figures, and in texts without
// capitals every short run of words.
func (c *candidates) ofBody() {
	tokens := c.tokens()
	c.plain = c.plainScript(tokens)
	c.segments(c.rd.body, tokens, "clause")
	c.written(tokens)
	if c.plain {
		c.runs(tokens)
	}
	if hasHan(c.rd.body) {
		c.unspaced()
	}
}

// joins reports whether two words may belong to one name.
func (c *candidates) joins(a, b token) bool { return joinsIn(c.rd.body, a, b) }

func joinsIn(text string, a, b token) bool {
	gap := text[a.end:b.start]
	return gap == "" || len(gap) <= 3 && strings.Trim(gap, " -&+.'’/·・_!") == "" && !strings.HasPrefix(gap, ". ") &&
		!strings.HasPrefix(gap, "! ")
}

// segments proposes of each run of words between marks the whole, where it is short, and its first and last words.
func (c *candidates) segments(text string, tokens []token, from string) {
	for i := 0; i < len(tokens); {
		end := i + 1
		for end < len(tokens) && joinsIn(text, tokens[end-1], tokens[end]) && tokens[end].clause == tokens[i].clause {
			end++
		}
		if !isUnspaced([]rune(text[tokens[i].start:])[0]) {
			c.ends(text, tokens[i:end], from)
		}
		i = end
	}
}

func (c *candidates) ends(text string, run []token, from string) {
	n := len(run)
	for size := 1; size <= min(n, candidateWords); size++ {
		c.addWords(text, run[:size], from)
		if size < n {
			c.addWords(text, run[n-size:], from)
		}
	}
	if n == candidateWords+1 {
		c.addWords(text, run, from)
	}
}

// addWords proposes a run of words, if not all of it are words that any text holds.
func (c *candidates) addWords(text string, run []token, from string) {
	if len(run) == 1 && (c.r.ordinary[run[0].folded] || len(run[0].folded) < 2) || !c.plain && c.isProse(run, text) {
		return
	}
	c.add(text[run[0].start:run[len(run)-1].end], from)
}

// isProse reports whether all words are small and such as texts about deals are full of.
func (c *candidates) isProse(run []token, text string) bool {
	for _, t := range run {
		first, _ := utf8.DecodeRuneInString(text[t.start:])
		if !c.r.common[t.folded] && !c.r.ordinary[t.folded] || !unicode.IsLower(first) {
			return false
		}
	}
	return true
}

// written proposes runs of words with a capital, and the parts of these; words with a dot, a figure or a sign inside.
func (c *candidates) written(tokens []token) {
	for i := range tokens {
		if !c.isWritten(tokens[i]) {
			continue
		}
		for n := i; n < len(tokens) && n < i+candidateWords && (n == i || c.joins(tokens[n-1], tokens[n])); n++ {
			if c.isWritten(tokens[n]) {
				c.addWords(c.rd.body, tokens[i:n+1], "written")
			}
		}
	}
}

func (c *candidates) isWritten(t token) bool {
	word := c.rd.body[t.start:t.end]
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) || strings.ToLower(word) != word ||
		hasDigit(word) && strings.ContainsFunc(word, unicode.IsLetter) ||
		t.end < len(c.rd.body)-1 && c.rd.body[t.end] == '.' && unicode.IsLower(rune(c.rd.body[t.end+1]))
}

// plainScript reports whether capitals say nothing in the text: it has hardly any.
func (c *candidates) plainScript(tokens []token) bool {
	upper := 0
	for _, t := range tokens {
		if first, _ := utf8.DecodeRuneInString(c.rd.body[t.start:]); unicode.IsUpper(first) {
			upper++
		}
	}
	return upper*12 <= len(tokens)
}

// runs proposes every run of up to three words; of words in Hebrew, Arabic and Korean also without what is joined to
// them.
func (c *candidates) runs(tokens []token) {
	const most = 3
	for i := range tokens[:min(len(tokens), 250)] {
		if isUnspaced([]rune(c.rd.body[tokens[i].start:])[0]) {
			continue
		}
		for n := i; n < len(tokens) && n < i+most && (n == i || c.joins(tokens[n-1], tokens[n])); n++ {
			c.addWords(c.rd.body, tokens[i:n+1], "run")
			text := c.rd.body[tokens[i].start:tokens[n].end]
			if bare := withoutParticles(text); bare != text {
				c.add(bare, "run without particles")
			}
		}
	}
}

// unspaced proposes the runs of a text in Chinese or Japanese between marks and small words, and what they begin and
// end with.
func (c *candidates) unspaced() {
	body := head(c.rd.body)
	runs := strings.FieldsFunc(body[:min(len(body), 6000)], func(r rune) bool {
		return !isWordRune(r) && !strings.ContainsRune("・&.ー-＆·", r) || r >= 0x3041 && r <= 0x3096
	})
	for _, run := range runs {
		c.unspacedRun(run)
		for part := range strings.FieldsFuncSeq(run, func(r rune) bool { return strings.ContainsRune(smallHan, r) }) {
			c.unspacedRun(part)
		}
	}
	for run := range strings.FieldsFuncSeq(body[:min(len(body), 6000)],
		func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune("・&.ー＆· ", r) }) {
		if runes := []rune(run); len(runes) <= 14 {
			c.unspacedRun(run)
		}
	}
}

// smallHan are characters that names hardly hold: particles, pronouns, verbs that lead to names.
const smallHan = "的了是在和与跟对给把被做就也都有我你您他她它们这那个今明昨上下去来说聊见看投过从到为及或但不没会要想问让请叫又再已将家"

func (c *candidates) unspacedRun(run string) {
	runes := []rune(strings.Trim(run, "・.-·"))
	if len(runes) < 2 {
		return
	}
	if len(runes) <= 20 {
		c.add(string(runes), "run")
	}
	if !isUnspaced(runes[0]) && !isUnspaced(runes[len(runes)-1]) {
		return
	}
	for n := 2; n <= 8 && n < len(runes); n++ {
		c.add(string(runes[:n]), "begin of a run")
		c.add(string(runes[len(runes)-n:]), "end of a run")
	}
	for i := 1; i < len(runes); i++ { // where the script changes
		if unicode.Is(unicode.Han, runes[i]) != unicode.Is(unicode.Han, runes[i-1]) {
			c.add(string(runes[:i]), "begin of a run")
			c.add(string(runes[i:]), "end of a run")
		}
	}
}

// withoutParticles takes off what Korean, Hebrew and Arabic join to a name.
func withoutParticles(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case first >= 0xac00 && first <= 0xd7a3, hasHangul(text):
		for _, end := range []string{
			"에서는", "이라는", "에서", "에게", "으로", "라는", "이랑", "은", "는", "이", "가", "을", "를", "의", "에", "와", "과", "도", "로", "랑", "님",
		} {
			if bare, ok := strings.CutSuffix(text, end); ok && utf8.RuneCountInString(bare) >= 2 {
				return bare
			}
		}
	case first >= 0x0590 && first <= 0x05ff && strings.ContainsRune("בלמהושכ", first):
		return strings.TrimLeft(text[size:], "-־\"")
	case first >= 0x0600 && first <= 0x06ff && strings.ContainsRune("وبلفك", first):
		return text[size:]
	}
	return text
}

// locate finds the words of each candidate in the body.
func (c *candidates) locate() {
	const most = 12
	byFirst := map[string][]*nameCandidate{}
	for _, one := range c.list {
		byFirst[one.words[0]] = append(byFirst[one.words[0]], one)
	}
	tokens := c.tokens()
	for i := range tokens {
		for _, one := range byFirst[tokens[i].folded] {
			if len(one.at) < most && c.standsAt(one, tokens, i) {
				one.at = append(one.at, hit{first: i, last: i + len(one.words)})
			}
		}
	}
}

func (c *candidates) standsAt(one *nameCandidate, tokens []token, i int) bool {
	if i+len(one.words) > len(tokens) {
		return false
	}
	for n, w := range one.words {
		if tokens[i+n].folded != w || n > 0 && !c.joins(tokens[i+n-1], tokens[i+n]) {
			return false
		}
	}
	return true
}

package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// The largest number of candidates, of words of a candidate that is part of a longer run of words, and of words of the
// body in which names are looked for.
const (
	mostCandidates = 1600
	candidateWords = 4
	nameTokens     = 1500 // of the body
)

// Candidate is a name that may be the company's: its spelling, and the occurrences of its words in the body.
type Candidate struct {
	Text   string
	Key    string   // Text, squeezed
	From   []string // the origins: "domain", "subject"
	Words  []string // folded
	joined string   // words with a space between
	At     []lexicon.Hit
	isAt   bool // whether At was looked for
}

// parts returns two shorter forms of a name of several words, folded: without its first word, and without its last.
func (n *Candidate) parts() [2]string {
	first, last := strings.IndexByte(n.joined, ' '), strings.LastIndexByte(n.joined, ' ')
	return [2]string{n.joined[first+1:], n.joined[:max(0, last)]}
}

// Collection collects the names that a text may use for the company. It collects too many rather than too few, since a
// model ranks them.
type Collection struct {
	r     *Namer
	rd    *Subject
	byKey map[string]*Candidate
	List  []*Candidate
	room  []Candidate // memory for the next ones
	plain bool        // the text has hardly any capitals, so they say nothing
}

// NewCollection returns an empty Collection for a text.
func (r *Namer) NewCollection(rd *Subject) *Collection {
	return &Collection{r: r, rd: rd, byKey: map[string]*Candidate{}}
}

// Candidates returns the names by which the text, its links, its addresses or the documents may call the company, at
// most mostCandidates, with their occurrences in the body. It looks at the first nameTokens words of the body and the
// first 40 links; see the methods that collect names for further limits.
func (r *Namer) Candidates(rd *Subject, in analysis.Input) []*Candidate {
	c := r.NewCollection(rd)
	c.ofRules(in)
	c.ofDomains(in)
	c.ofFiles(in)
	c.ofSubjects()
	c.ofAnswers()
	c.ofBody()
	c.Locate()
	return c.List
}

// add collects a name without the punctuation around it, and also as Brand returns it. It also collects a name in
// lower-case letters with capitals: "Acme Labs" for "acme labs". It ignores names of more than 60 characters. from says
// where the name was found.
func (c *Collection) add(content, from string) {
	if strings.ContainsAny(content, "\n\t") || strings.ContainsRune(content, text.Mask) ||
		strings.Contains(content, "  ") {
		content = strings.Join(strings.Fields(strings.ReplaceAll(content, string(text.Mask), " ")), " ")
	}
	if have := c.byKey[content]; have != nil && slices.Contains(have.From, from) {
		return // this name was proposed from there before, with its variants
	}
	content = strings.Trim(content, " ,;:\"'“”„«»()[]{}*_<>|/\\!?–—-・#@~`=…。、，：「」『』《》‹›•→")
	if content == "" || utf8.RuneCountInString(content) > 60 {
		return
	}
	c.Put(content, from)
	if branded := c.r.Brand(content); branded != content && branded != "" {
		c.Put(branded, "brand")
	}
	if first, _ := utf8.DecodeRuneInString(content); unicode.IsLower(first) && lexicon.IsLower(content) {
		c.putCapitalised(content)
	}
}

// putCapitalised adds a name that is in lower-case letters, with a capital at the beginning of each word. For a name in
// ASCII it copies the folded words, which are the same.
func (c *Collection) putCapitalised(content string) {
	text, small := capitalised(content), c.byKey[content]
	if small != nil && c.byKey[text] == nil && len(c.List) < mostCandidates && lexicon.IsPlainASCII(content) {
		c.take(Candidate{Text: text, Key: small.Key, Words: small.Words, joined: small.joined})
	}
	c.Put(text, "capitalised")
}

// capitalised returns the words of a text, each with a capital at its beginning, with single spaces between them.
func capitalised(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[size:]
	}
	return strings.Join(words, " ")
}

// Put adds a name unchanged, or adds from to the origins of a name that the collection has. It ignores a text without
// letters, a text that begins with "w/ ", and any new name once there are mostCandidates.
func (c *Collection) Put(text, from string) {
	have := c.byKey[text]
	if have == nil {
		if len(c.List) >= mostCandidates || !strings.ContainsFunc(text, unicode.IsLetter) || isWith(text) {
			return
		}
		words := lexicon.FoldedWords(text)
		if len(words) == 0 {
			return
		}
		have = c.take(Candidate{Text: text, Key: squeezed(text, words), Words: words, joined: strings.Join(words, " ")})
	}
	have.From = lexicon.AppendNew(have.From, from)
}

// isWith reports whether a text begins with the short form of "with": what follows may be a name.
func isWith(text string) bool {
	const with = "w/ "
	return len(text) > len(with) && strings.EqualFold(text[:len(with)], with)
}

// squeezed returns what lexicon.Squeeze returns for a text, whose folded words are given. It is faster.
func squeezed(text string, words []string) string {
	if lexicon.IsPlainASCII(text) {
		return strings.Join(words, "")
	}
	return lexicon.Squeeze(text)
}

func (c *Collection) take(one Candidate) *Candidate {
	const several = 64 // a text has hundreds of candidates
	if len(c.room) == cap(c.room) {
		c.room = make([]Candidate, 0, several)
	}
	c.room = append(c.room, one)
	added := &c.room[len(c.room)-1]
	c.byKey[one.Text] = added
	c.List = append(c.List, added)
	return added
}

// Take adds a candidate of another collection of the same text, with its occurrences, unless there are mostCandidates
// already.
func (c *Collection) Take(found *Candidate, from string) {
	have := c.byKey[found.Text]
	if have == nil {
		if len(c.List) >= mostCandidates {
			return
		}
		have = c.take(Candidate{
			Text: found.Text, Key: found.Key, Words: found.Words, joined: found.joined, At: found.At, isAt: found.isAt,
		})
	}
	have.From = lexicon.AppendNew(have.From, from)
}

func (c *Collection) ofRules(in analysis.Input) {
	const most = 12
	for _, n := range c.rd.Ranked[:min(len(c.rd.Ranked), most)] {
		c.add(n.text, "rules")
	}
	if d := c.r.StandIn(c.rd.Text, in); d.Value != Unnamed {
		c.add(d.Value, "stand-in")
	}
	for _, p := range c.rd.Mentions {
		if p.Org != "" {
			c.add(p.Org, "house of a person")
		}
	}
	for _, s := range c.rd.Spans[:min(len(c.rd.Spans), 400)] {
		c.add(s.Text, "span")
	}
	for _, name := range c.r.people.CjkCompanies(c.rd.Scene) {
		c.add(name, "pattern")
	}
}

// ofDomains collects names from the domains of addresses, of the first 40 links and of the first 20 hosts in the text:
// "Saffron Grid" for saffron-grid.com. It skips mail providers and platforms. It also collects the words of the text
// that are joined in a domain.
func (c *Collection) ofDomains(in analysis.Input) {
	var labels []string
	domain := func(host string) {
		if label := links.DomainLabel(host); label != "" && !c.r.text.IsFreeMail(host) {
			c.add(c.r.domainName(host), "domain")
			c.add(label, "label")
			labels = lexicon.AppendNew(labels, label)
		}
	}
	for _, a := range c.rd.Addresses {
		_, host, _ := strings.Cut(a.Email, "@")
		domain(host)
	}
	for _, l := range in.Links[:min(len(in.Links), 40)] {
		if host, _ := links.SplitLink(l); c.r.picker.IsOwnPage(l) {
			domain(host)
		}
	}
	lower := lowerASCII(text.Head(c.rd.Body))
	for _, m := range c.r.domain.FindAllStringIndex(lower, 20) {
		domain(lower[m[0]:m[1]])
		c.add(c.rd.Body[m[0]:m[1]], "domain as it stands")
	}
	c.ofLabels(labels)
}

// lowerASCII returns the text with the letters from A to Z in lower case. It has the same length as the text, unlike
// some results of strings.ToLower: "Ⱥ" has a byte less than "ⱥ".
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// ofLabels collects the words of the text that, joined, are one of the labels of domains or its beginning: "dawn and
// sons" for dawnandsons.de.
func (c *Collection) ofLabels(labels []string) {
	if len(labels) == 0 {
		return
	}
	tokens := c.tokens()
	for i := range tokens {
		joined := ""
		for n := i; n < len(tokens) && n < i+candidateWords && (n == i || c.joins(tokens[n-1], tokens[n])); n++ {
			joined += lexicon.Squeeze(tokens[n].Folded) //nolint:modernize // a few words, compared after each
			if !slices.ContainsFunc(labels, func(label string) bool { return strings.HasPrefix(label, joined) }) {
				break
			}
			for _, label := range labels {
				if len(joined) >= 3 && (label == joined || len(joined) >= 4 && strings.HasPrefix(label, joined)) {
					c.add(c.rd.Body[tokens[i].Start:tokens[n].End], "domain in the text")
					break
				}
			}
		}
	}
}

// ofFiles collects the names in file names and in the paths of the deck's link and the first 12 links, and the names in
// the title, the first page and the file name of each document. It skips parts of paths with a digit or more than 60
// bytes.
func (c *Collection) ofFiles(in analysis.Input) {
	for _, text := range append([]string{text.Head(c.rd.Body)}, people.FileLinks(c.rd.Links)...) {
		for _, name := range c.r.people.FileNames(text) {
			c.add(name, "file")
		}
	}
	for _, l := range append([]string{in.DeckURL}, in.Links[:min(len(in.Links), 12)]...) {
		_, path := links.SplitLink(l)
		for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("/?&=#", r) }) {
			if len(part) <= 60 && !lexicon.HasDigit(part) {
				c.add(strings.NewReplacer("-", " ", "_", " ", "+", " ").Replace(c.r.people.NameInFile(part)), "path")
			}
		}
	}
	for _, d := range in.Documents {
		c.add(c.r.deckName(d), "document")
		for _, name := range c.r.people.FileNames(d.FileName) {
			c.add(name, "document")
		}
	}
}

func (c *Collection) ofSubjects() {
	for _, m := range c.rd.Mails {
		subject := c.r.text.WithoutReplyMarks(m.Subject)
		for _, name := range c.r.subjectNames(subject) {
			c.add(name, "subject")
		}
		c.segments(subject, lexicon.Tokenize(subject), "subject")
	}
}

func (c *Collection) ofAnswers() {
	for _, f := range c.rd.Fields {
		switch f.Kind {
		case "company", "name", "deck", "other", "description":
			c.add(withoutRemark(f.Value), "answer "+f.Kind)
		}
	}
}

// withoutRemark returns an answer up to its first remark in parentheses: "半亩云" for "半亩云(八个人)". A "(" without a space
// before it, as in "F(x) Bakery", begins a remark only if a parenthesis ends the answer.
func withoutRemark(answer string) string {
	opens := " ("
	if strings.HasSuffix(answer, ")") || strings.HasSuffix(answer, "）") {
		opens = "("
	}
	answer, _, _ = strings.Cut(answer, opens)
	answer, _, _ = strings.Cut(answer, "（")
	return answer
}

// Locate finds the occurrences of the words of each candidate in the body, up to 12 for each. It skips candidates whose
// occurrences were looked for before.
func (c *Collection) Locate() {
	const most = 12
	byFirst := make(map[string]int, len(c.List)) // the number of the last candidate with a first word, from 1
	before := make([]int, len(c.List)+1)         // by a candidate's number, that of the one before with its first word
	for i, one := range c.List {
		if !one.isAt {
			before[i+1], byFirst[one.Words[0]] = byFirst[one.Words[0]], i+1
			one.isAt = true
		}
	}
	tokens := c.tokens()
	bare := c.bareWords(tokens)
	locate := func(first string, i int) {
		for n := byFirst[first]; n > 0; n = before[n] {
			one := c.List[n-1]
			if len(one.At) < most && c.isAt(one, tokens, bare, i) {
				one.At = append(one.At, lexicon.Hit{First: i, Last: i + len(one.Words)})
			}
		}
	}
	for i := range tokens {
		locate(tokens[i].Folded, i)
		if word := bare[i]; word != "" {
			locate(word, i)
		}
	}
}

// bareWords returns, by the index of the token, words in Hebrew, Arabic and Korean without the particles joined to
// them. Words without particles are left out.
func (c *Collection) bareWords(tokens []lexicon.Token) map[int]string {
	bare := map[int]string{}
	for i, t := range tokens {
		const hebrew = 0x0590
		word := c.rd.Body[t.Start:t.End]
		if first, _ := utf8.DecodeRuneInString(word); first < hebrew {
			continue
		}
		without := withoutParticles(word)
		if without == word {
			continue
		}
		if folded := lexicon.Fold(without); folded != t.Folded {
			bare[i] = folded
		}
	}
	return bare
}

// isAt reports whether the words of a candidate are at token i. bare has tokens without the particles joined to them,
// as bareWords returns it. The first and the last word of the candidate may match a token in bare instead of the token
// itself.
func (c *Collection) isAt(one *Candidate, tokens []lexicon.Token, bare map[int]string, i int) bool {
	last := len(one.Words) - 1
	if i+last >= len(tokens) {
		return false
	}
	for n, w := range one.Words {
		same := tokens[i+n].Folded == w || (n == 0 || n == last) && bare[i+n] == w && w != ""
		if !same || n > 0 && !c.joins(tokens[i+n-1], tokens[i+n]) {
			return false
		}
	}
	return true
}

package naming

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
)

// domainOwners are the owners of the domains of one kind in a text. The names of candidates are compared with them.
type domainOwners struct {
	kind   string   // "sender", "recipient" or "link"
	labels []string // as links.DomainLabel returns them
}

// Context has the data from which the features of all candidates of a text are computed.
type Context struct {
	r     *Namer
	Rd    *Subject
	in    analysis.Input
	rules evidence.Decision // the rules' choice
	Kinds []float64         // the probability of each kind of text
	Blind bool              // whether the choice of the rules is left out

	order            map[string]int // of the rules' names by key
	scores           map[string]int
	owners           [3]domainOwners
	paths, subjects  string
	people           map[string]string // by squeezed name: the kind of the person's mention
	houses           map[string]string
	answers          map[string]string
	stages           map[string]bool
	Longer, Occurred map[string]int // by words: how many occurrences a longer candidate with them has, and they themselves
	partsOfPeople    map[string]bool
	standing         standing    // set by Vectors
	Known            Occurrences // filled by the method Occurrences
}

// NewContext returns the Context of the candidates of a text. rules is the name that the rules chose, and kinds has the
// probability of each kind of text. The caller must set Known to the result of NewOccurrences before calling Vectors;
// Contexts of one text may share it. A Context must not be used by several goroutines at once.
func (r *Namer) NewContext(rd *Subject, in analysis.Input, rules evidence.Decision, kinds []float64) *Context {
	c := &Context{
		r: r, Rd: rd, in: in, rules: rules, Kinds: kinds, order: map[string]int{}, scores: map[string]int{},
		owners: [3]domainOwners{{kind: "sender"}, {kind: "recipient"}, {kind: "link"}}, people: map[string]string{},
		houses: map[string]string{}, answers: map[string]string{}, stages: map[string]bool{},
		partsOfPeople: map[string]bool{},
	}
	for i, n := range rd.Ranked {
		c.order[lexicon.Squeeze(n.text)], c.scores[lexicon.Squeeze(n.text)] = i, n.score
	}
	for _, a := range rd.Addresses {
		_, host, _ := strings.Cut(a.Email, "@")
		switch {
		case r.text.IsFreeMail(host):
		case rd.IsRecipient(a.Email):
			c.owners[1].add(host)
		default:
			c.owners[0].add(host)
		}
	}
	for _, l := range in.Links[:min(len(in.Links), 40)] {
		host, path := links.SplitLink(l)
		if r.picker.IsOwnPage(l) {
			c.owners[2].add(host)
		}
		c.paths += " " + lexicon.Squeeze(path)
	}
	for _, m := range rd.Mails {
		c.subjects += " " + lexicon.Squeeze(m.Subject)
	}
	c.recordPeople(rd.Mentions)
	for _, f := range rd.Fields {
		if key := lexicon.Squeeze(f.Value); c.answers[key] == "" {
			c.answers[key] = f.Kind
		}
	}
	for _, s := range in.Stages {
		c.stages[lexicon.Squeeze(s.Name)] = true
	}
	return c
}

func (o *domainOwners) add(host string) {
	if label := links.DomainLabel(host); label != "" {
		o.labels = lexicon.AppendNew(o.labels, label)
	}
}

// set adds a feature with the value 1 if holds is true. Its name is name followed by the kind of the domains.
func (o *domainOwners) set(v *rank.Vector, name string, holds bool) {
	if holds {
		v.AddKey(rank.NewKey(name).Append(o.kind), 1)
	}
}

// Vectors returns the features of some of the candidates in all: their own, how often they are part of a longer one,
// and those that compare them with all others. The occurrences of all must have been looked for. bare are the features
// without those of OfKind.
func (c *Context) Vectors(all, some []*Candidate) (vectors, bare []rank.Vector) {
	c.Occurred, c.Longer = map[string]int{}, map[string]int{}
	for _, one := range all {
		c.Occurred[one.joined] = len(one.At)
		if len(one.Words) > 1 && len(one.At) > 0 {
			for _, part := range one.parts() {
				c.Longer[part] = max(c.Longer[part], len(one.At))
			}
		}
	}
	c.standing = c.compare(all)
	vectors, bare = make([]rank.Vector, len(some)), make([]rank.Vector, len(some))
	const each = 60
	room := rank.NewVector(each * len(some))
	for i, one := range some {
		start := room.Len()
		c.describe(&room, one)
		bare[i] = room.From(start)
		c.OfKind(&room, one)
		vectors[i] = room.From(start)
	}
	return vectors, bare
}

func (c *Context) describe(v *rank.Vector, one *Candidate) {
	c.writing(v, one)
	c.knowledge(v, one)
	c.ofRules(v, one)
	c.Occurrences(v, one)
	var room [8]rank.Key
	ofWords := c.appendWordKeys(room[:0], one)
	addKeys(v, ofWords) // twice, as the model was trained
	c.compared(v, one)
	addKeys(v, ofWords)
	for _, from := range one.From {
		v.AddKey(rank.NewKey("from ").Append(from), 0.5)
	}
}

func addKeys(v *rank.Vector, keys []rank.Key) {
	for _, key := range keys {
		v.AddKey(key, 1)
	}
}

// OfKind adds, for each kind of text with a probability of at least 0.1, the features whose weight depends on the kind.
func (c *Context) OfKind(v *rank.Vector, one *Candidate) {
	const least = 0.1
	sure := [...]struct {
		name  string
		holds bool
	}{ // in the order of the names, in which a model adds up
		{" link", slices.Contains(c.owners[2].labels, one.Key)},
		{" opens", len(one.At) > 0 && one.At[0].First <= 1},
		{" repeated", len(one.At) > 1},
		{" rules choose", one.Text == c.rules.Value},
		{" sender", slices.Contains(c.owners[0].labels, one.Key)},
		{" subject", one.Key != "" && strings.Contains(c.subjects, one.Key)},
	}
	for k, p := range c.Kinds {
		if p < least {
			continue
		}
		kind := rank.NewKey("kind ").Append(strconv.Itoa(k))
		for _, s := range sure {
			if s.holds {
				v.AddKey(kind.Append(s.name), p)
			}
		}
	}
}

// writing adds features for how the name is written: its number of words, length, shape, first and last word, and the
// letters at the ends of these.
func (c *Context) writing(v *rank.Vector, one *Candidate) {
	v.AddKey(rank.NewKey("words ").Append(strconv.Itoa(min(lexicon.CountWords(one.Text), 5))), 1)
	rank.Bin(v, "letters", utf8.RuneCountInString(one.Text))
	v.AddKey(appendShape(rank.NewKey("shape "), one.Text), 1)
	if sign := one.Text[len(one.Text)-1:]; sign == "+" || sign == "." {
		v.AddKey(rank.NewKey("ends in ").Append(sign), 1)
	}
	first, last := one.Words[0], one.Words[len(one.Words)-1]
	if len(one.Words) > 1 {
		v.AddKey(rank.NewKey("begins ").Append(first), 0.7)
		v.AddKey(rank.NewKey("ends ").Append(last), 0.7)
	} else {
		v.AddKey(rank.NewKey("is ").Append(first), 0.7)
	}
	for _, w := range []string{first, last} {
		partEnds(v, w)
	}
}

// wordShape returns the class of a word, the first of these that fits: "9" for letters and digits, "0" for digits
// without letters, "." with a dot inside, "U" all in capitals, "C" like "GridMint", "A" with a capital as its first
// letter, "a" with a lower-case letter as its first, "x" in a script without capitals, "&" for the rest.
func wordShape(w string) string {
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case lexicon.HasDigit(w) && strings.ContainsFunc(w, unicode.IsLetter):
		return "9"
	case lexicon.HasDigit(w):
		return "0"
	case strings.Contains(strings.Trim(w, "."), "."):
		return "."
	case utf8.RuneCountInString(w) > 1 && lexicon.IsUpper(w) && !lexicon.IsLower(w):
		return "U"
	case people.IsCamel(w):
		return "C"
	case unicode.IsUpper(first):
		return "A"
	case unicode.IsLower(first):
		return "a"
	case unicode.IsLetter(first):
		return "x"
	}
	return "&"
}

func partEnds(v *rank.Vector, word string) {
	runes := []rune(word)
	if len(runes) >= 3 {
		v.AddKey(rank.NewKey("end ").Append(string(runes[len(runes)-3:])), 0.3)
		v.AddKey(rank.NewKey("begin ").Append(string(runes[:3])), 0.2)
	}
}

// recordPeople records the names of the people whom the text mentions, the parts of these names, and the names of their
// companies.
func (c *Context) recordPeople(mentions []people.Mention) {
	for _, p := range mentions {
		if key := lexicon.Squeeze(p.Name); c.people[key] == "" {
			c.people[key] = p.Kind.String()
			for w := range strings.FieldsSeq(lexicon.Fold(p.Name)) {
				c.partsOfPeople[w] = true
			}
		}
		if key := lexicon.Squeeze(p.Org); key != "" && c.houses[key] == "" {
			c.houses[key] = p.Kind.String() + " " + strconv.FormatBool(p.Chief)
		}
	}
}

// knowledge adds features that say whether the candidate or its words are in the lexicon, in names of people, companies
// and stages or in answers of the text. It also adds the features of the method domains.
func (c *Context) knowledge(v *rank.Vector, one *Candidate) {
	ordinary, common := wordsIn(c.r.words.Ordinary, one.Words), wordsIn(c.r.words.Common, one.Words)
	n := len(one.Words)
	v.Set("all ordinary", ordinary.all)
	v.Set("some ordinary", ordinary.some && !ordinary.all)
	v.Set("begins ordinary", ordinary.first)
	v.Set("ends ordinary", ordinary.last)
	v.Set("all common", common.all)
	v.Set("begins common", common.first)
	v.Set("ends common", common.last)
	v.Set("given name", c.r.words.Given[one.Words[0]])
	if first, _ := utf8.DecodeRuneInString(one.Text); unicode.IsUpper(first) && n <= 4 {
		score := max(-6, min(c.r.people.Personness(c.Rd.Names, one.Text), 6))
		v.AddKey(rank.NewKey("person ").Append(strconv.Itoa(score)), 1)
	}
	last, whole := c.r.words.Company.Whole[one.Words[n-1]], c.r.words.Company.Whole[one.joined]
	v.AddKey(rank.NewKey("last word ").Append(last), 1)
	v.AddKey(rank.NewKey("whole ").Append(whole), 1)
	v.Set("investor", last == "investor" || whole == "investor")
	v.Set("stage", c.stages[one.Key])
	v.Set("event", c.r.words.Source.Whole[one.joined] != "" || slices.ContainsFunc(one.Words, isEventWord))
	v.Set("title", c.r.words.Titles.Whole[one.joined] != "")
	v.Set("label", c.r.words.Form.Whole[one.joined] != "" || c.r.words.Mail.Whole[one.joined] != "")
	v.Set("part of a person's name", c.partsOfPeople[one.Key] && c.people[one.Key] == "")
	v.Set("holds a person's name", n > 1 && (c.partsOfPeople[one.Words[0]] || c.partsOfPeople[one.Words[n-1]]))
	v.Set("place", c.r.words.Places[one.Words[n-1]])
	c.addUses(v, one)
	v.Set("greeted", c.Rd.Greeted[one.Key])
	c.domains(v, one)
}

// addUses adds features for what else the text has the name for: a person, somebody's company, an answer.
func (c *Context) addUses(v *rank.Vector, one *Candidate) {
	if kind := c.people[one.Key]; kind != "" {
		v.AddKey(rank.NewKey("person by ").Append(kind), 1)
	}
	if kind := c.houses[one.Key]; kind != "" {
		v.AddKey(rank.NewKey("house by ").Append(kind), 1)
	}
	if kind := c.answers[one.Key]; kind != "" {
		v.AddKey(rank.NewKey("answers ").Append(kind), 1)
	}
}

// membership says whether a set contains all, any, the first and the last of some words.
type membership struct{ all, some, first, last bool }

func wordsIn(set map[string]bool, words []string) membership {
	m := membership{all: true}
	for i, w := range words {
		in := set[w]
		m.all, m.some, m.last = m.all && in, m.some || in, in
		if i == 0 {
			m.first = in
		}
	}
	return m
}

// domains adds features that say whether the domains of addresses and links, the paths of links and the subjects of
// mails contain the name.
func (c *Context) domains(v *rank.Vector, one *Candidate) {
	key := one.Key
	ascii := len(key) >= 3 && lexicon.IsPlainASCII(key)
	for _, o := range c.owners {
		own := slices.Contains(o.labels, key)
		o.set(v, "is domain of ", own)
		if own || !ascii {
			continue
		}
		o.set(v, "begins domain of ",
			slices.ContainsFunc(o.labels, func(label string) bool { return strings.HasPrefix(label, key) }))
		o.set(v, "holds domain of ",
			slices.ContainsFunc(o.labels, func(label string) bool { return len(label) >= 3 && strings.HasPrefix(key, label) }))
	}
	v.Set("in a path", ascii && len(key) >= 4 && strings.Contains(c.paths, key))
	v.Set("in a subject", key != "" && strings.Contains(c.subjects, key))
	v.Set("no domain at all", len(c.owners[0].labels)+len(c.owners[2].labels) == 0)
}

func (c *Context) ofRules(v *rank.Vector, one *Candidate) {
	if c.Blind {
		return
	}
	if one.Text == c.rules.Value {
		for _, basis := range slices.Sorted(maps.Keys(c.rules.Features)) {
			v.AddKey(rank.NewKey("rules choose by ").Append(basis), 0.5)
		}
		v.Add("rules choose", 1)
	}
	if at, known := c.order[one.Key]; known {
		v.AddKey(rank.NewKey("rules' ").Append(strconv.Itoa(min(at, 4))), 1)
		v.AddKey(rank.NewKey("rules' score ").Append(strconv.Itoa(max(-3, min(c.scores[one.Key]/3, 8)))), 1)
	} else {
		v.Add("unknown to the rules", 1)
	}
}

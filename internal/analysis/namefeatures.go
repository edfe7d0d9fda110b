package analysis

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/rank"
)

// domainOwners are the labels of the domains of one kind.
type domainOwners struct {
	kind   string
	labels []string
}

// nameContext is what the features of all candidates of a text are read off.
type nameContext struct {
	r     *Rules
	rd    *reading
	in    Input
	rules decision // the rules' choice
	kinds []float64
	blind bool

	order            map[string]int // of the rules' names by key
	scores           map[string]int
	owners           [3]domainOwners
	paths, subjects  string
	people           map[string]string // squeezed names to what makes a person of them
	houses           map[string]string
	answers          map[string]string
	stages           map[string]bool
	longer, occurred map[string]int
	partsOfPeople    map[string]bool
	known            map[[2]int][]feature // of the observation: what is around each place
}

func (r *Rules) nameContext(rd *reading, in Input, rules decision, kinds []float64) *nameContext {
	c := &nameContext{
		r: r, rd: rd, in: in, rules: rules, kinds: kinds, order: map[string]int{}, scores: map[string]int{},
		owners: [3]domainOwners{{kind: "sender"}, {kind: "recipient"}, {kind: "link"}}, people: map[string]string{}, houses: map[string]string{}, answers: map[string]string{}, stages: map[string]bool{},
		partsOfPeople: map[string]bool{},
	}
	for i, n := range rd.names {
		c.order[squeeze(n.text)], c.scores[squeeze(n.text)] = i, n.score
	}
	for _, a := range rd.address {
		_, host, _ := strings.Cut(a.email, "@")
		switch {
		case r.isFreeMail(host):
		case rd.isRecipient(a.email):
			c.owners[1].add(host)
		default:
			c.owners[0].add(host)
		}
	}
	for _, l := range in.Links[:min(len(in.Links), 40)] {
		host, path := splitLink(l)
		if r.isOwnPage(l) {
			c.owners[2].add(host)
		}
		c.paths += " " + squeeze(path)
	}
	for _, m := range rd.mails {
		c.subjects += " " + squeeze(m.subject)
	}
	for _, p := range rd.people {
		if key := squeeze(p.name); c.people[key] == "" {
			c.people[key] = p.kind.String()
			for w := range strings.FieldsSeq(fold(p.name)) {
				c.partsOfPeople[w] = true
			}
		}
		if key := squeeze(p.org); key != "" && c.houses[key] == "" {
			c.houses[key] = p.kind.String() + " " + strconv.FormatBool(p.chief)
		}
	}
	for _, f := range rd.fields {
		if key := squeeze(f.value); c.answers[key] == "" {
			c.answers[key] = f.kind
		}
	}
	for _, s := range in.Stages {
		c.stages[squeeze(s.Name)] = true
	}
	return c
}

func (o *domainOwners) add(host string) {
	if label := domainLabel(host); label != "" {
		o.labels = appendNew(o.labels, label)
	}
}

// vectors describes the candidates, each by itself and beside those that share words with it.
func (c *nameContext) vectors(all []*nameCandidate) []rank.Vector {
	c.occurred, c.longer = map[string]int{}, map[string]int{}
	for _, one := range all {
		c.occurred[one.joined] = len(one.at)
		if len(one.words) > 1 && len(one.at) > 0 {
			for _, part := range one.parts() {
				c.longer[part] = max(c.longer[part], len(one.at))
			}
		}
	}
	vectors := make([]rank.Vector, len(all))
	for i, one := range all {
		vectors[i] = c.vector(one)
	}
	return vectors
}

func (c *nameContext) vector(one *nameCandidate) rank.Vector {
	v := rank.NewVector(96)
	c.writing(&v, one)
	c.knowledge(&v, one)
	c.ofRules(&v, one)
	c.places(&v, one)
	for _, from := range one.from {
		v.AddKey(rank.NewKey("from ").Append(from), 0.5)
	}
	return v
}

// ofKind adds what counts differently in different kinds of texts.
func (c *nameContext) ofKind(v *rank.Vector, one *nameCandidate) {
	const least = 0.1
	sure := [...]struct {
		name  string
		holds bool
	}{ // in the order of the names, in which a model adds up
		{" link", slices.Contains(c.owners[2].labels, one.key)},
		{" opens", len(one.at) > 0 && one.at[0].first <= 1},
		{" repeated", len(one.at) > 1},
		{" rules choose", one.text == c.rules.value},
		{" sender", slices.Contains(c.owners[0].labels, one.key)},
		{" subject", one.key != "" && strings.Contains(c.subjects, one.key)},
	}
	for k, p := range c.kinds {
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

// writing adds what the name looks like.
func (c *nameContext) writing(v *rank.Vector, one *nameCandidate) {
	words := strings.Fields(one.text)
	v.AddKey(rank.NewKey("words ").Append(strconv.Itoa(min(len(words), 5))), 1)
	bin(v, "letters", utf8.RuneCountInString(one.text))
	v.AddKey(rank.NewKey("shape ").Append(shapeOf(one.text)), 1)
	first, last := one.words[0], one.words[len(one.words)-1]
	if len(one.words) > 1 {
		v.AddKey(rank.NewKey("begins ").Append(first), 0.7)
		v.AddKey(rank.NewKey("ends ").Append(last), 0.7)
	} else {
		v.AddKey(rank.NewKey("is ").Append(first), 0.7)
	}
	for _, w := range []string{first, last} {
		partEnds(v, w)
	}
}

// wordShape returns "A" for a capital word, "a" for a small one, and so on.
func wordShape(w string) string {
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case hasDigit(w) && strings.ContainsFunc(w, unicode.IsLetter):
		return "9"
	case hasDigit(w):
		return "0"
	case strings.Contains(strings.Trim(w, "."), "."):
		return "."
	case utf8.RuneCountInString(w) > 1 && strings.ToUpper(w) == w && strings.ToLower(w) != w:
		return "U"
	case isCamel(w):
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

// knowledge adds what the lexicons say of its words.
func (c *nameContext) knowledge(v *rank.Vector, one *nameCandidate) {
	ordinary, common := 0, 0
	for _, w := range one.words {
		if c.r.ordinary[w] {
			ordinary++
		}
		if c.r.common[w] {
			common++
		}
	}
	n := len(one.words)
	v.Set("all ordinary", ordinary == n)
	v.Set("some ordinary", ordinary > 0 && ordinary < n)
	v.Set("begins ordinary", c.r.ordinary[one.words[0]])
	v.Set("ends ordinary", c.r.ordinary[one.words[n-1]])
	v.Set("all common", common == n)
	v.Set("begins common", c.r.common[one.words[0]])
	v.Set("ends common", c.r.common[one.words[n-1]])
	v.Set("given name", c.r.given[one.words[0]])
	if first, _ := utf8.DecodeRuneInString(one.text); unicode.IsUpper(first) && n <= 4 {
		v.Add("person "+strconv.Itoa(max(-6, min(c.r.personness(c.rd, one.text), 6))), 1)
	}
	last, whole := c.r.companyWords.whole[one.words[n-1]], c.r.companyWords.whole[one.joined]
	v.AddKey(rank.NewKey("last word ").Append(last), 1)
	v.AddKey(rank.NewKey("whole ").Append(whole), 1)
	v.Set("investor", last == "investor" || whole == "investor")
	v.Set("stage", c.stages[one.key])
	v.Set("event", c.r.source.whole[one.joined] != "" || isEventName(one.words[n-1]))
	v.Set("title", c.r.titleWords.whole[one.joined] != "")
	v.Set("label", c.r.form.whole[one.joined] != "" || c.r.mailWords.whole[one.joined] != "")
	v.Set("part of a person's name", c.partsOfPeople[one.key] && c.people[one.key] == "")
	v.Set("holds a person's name", n > 1 && (c.partsOfPeople[one.words[0]] || c.partsOfPeople[one.words[n-1]]))
	v.Set("place", c.r.places[one.words[n-1]])
	if kind := c.people[one.key]; kind != "" {
		v.AddKey(rank.NewKey("person by ").Append(kind), 1)
	}
	if kind := c.houses[one.key]; kind != "" {
		v.AddKey(rank.NewKey("house by ").Append(kind), 1)
	}
	if kind := c.answers[one.key]; kind != "" {
		v.AddKey(rank.NewKey("answers ").Append(kind), 1)
	}
	v.Set("greeted", c.rd.greetedNames[one.key])
	c.domains(v, one)
}

// domains adds whether addresses, links and files bear the name.
func (c *nameContext) domains(v *rank.Vector, one *nameCandidate) {
	key := one.key
	ascii := len(key) >= 3 && isPlainASCII(key)
	for _, o := range c.owners {
		own := slices.Contains(o.labels, key)
		v.Set("is domain of "+o.kind, own)
		if own || !ascii {
			continue
		}
		v.Set("begins domain of "+o.kind, slices.ContainsFunc(o.labels, func(label string) bool { return strings.HasPrefix(label, key) }))
		v.Set("holds domain of "+o.kind, slices.ContainsFunc(o.labels, func(label string) bool { return len(label) >= 3 && strings.HasPrefix(key, label) }))
	}
	v.Set("in a path", ascii && len(key) >= 4 && strings.Contains(c.paths, key))
	v.Set("in a subject", key != "" && strings.Contains(c.subjects, key))
	v.Set("no domain at all", len(c.owners[0].labels)+len(c.owners[2].labels) == 0)
}

func (c *nameContext) ofRules(v *rank.Vector, one *nameCandidate) {
	if c.blind {
		return
	}
	if one.text == c.rules.value {
		for _, basis := range slices.Sorted(maps.Keys(c.rules.features)) {
			v.AddKey(rank.NewKey("rules choose by ").Append(basis), 0.5)
		}
		v.Add("rules choose", 1)
	}
	if at, known := c.order[one.key]; known {
		v.AddKey(rank.NewKey("rules' ").Append(strconv.Itoa(min(at, 4))), 1)
		v.AddKey(rank.NewKey("rules' score ").Append(strconv.Itoa(max(-3, min(c.scores[one.key]/3, 8)))), 1)
	} else {
		v.Add("unknown to the rules", 1)
	}
}

// places adds where the name stands and between which words.
func (c *nameContext) places(v *rank.Vector, one *nameCandidate) {
	bin(v, "times", len(one.at))
	if more := c.longer[one.joined]; more > 0 {
		v.Set("part of a longer name", more >= len(one.at))
		v.Set("seldom part of a longer name", more < len(one.at))
	}
	if len(one.words) > 1 {
		parts := one.parts()
		v.Set("its beginning is more", c.occurred[parts[1]] > len(one.at))
		v.Set("its end is more", c.occurred[parts[0]] > len(one.at))
	}
	if len(one.at) == 0 {
		v.Add("nowhere", 1)
		return
	}
	bin(v, "first at", one.at[0].first)
	const most = 5
	var seen []rank.Key
	for i, h := range one.at[:min(len(one.at), most)] {
		place := c.placeAt(h)
		for _, f := range place {
			if !slices.Contains(seen, f.key) {
				seen = append(seen, f.key)
				v.AddKey(f.key, f.worth)
			}
			if i == 0 {
				v.AddKey(f.key.Append(" at first"), f.worth/2)
			}
		}
	}
}

// feature is one thing that a vector holds.
type feature struct {
	key   rank.Key
	worth float64
}

// placeAt returns the surroundings of one place, which candidates of the same words share.
func (c *nameContext) placeAt(h hit) []feature {
	at := [2]int{h.first, h.last}
	if known, ok := c.known[at]; ok {
		return known
	}
	features := c.place(h)
	c.known[at] = features
	return features
}

func (c *nameContext) place(h hit) []feature {
	features := make([]feature, 0, 18)
	add := func(key rank.Key, worth float64) { features = append(features, feature{key, worth}) }
	t := c.rd.tokens
	before, after := "^", "$"
	begins := h.first == 0 || t[h.first-1].sentence != t[h.first].sentence
	ends := h.last >= len(t) || t[h.last].sentence != t[h.last-1].sentence
	if !begins {
		before = t[h.first-1].folded
	}
	if !ends {
		after = t[h.last].folded
	}
	add(rank.NewKey("before ").Append(before), 1)
	add(rank.NewKey("after ").Append(after), 1)
	if !begins && h.first > 1 && t[h.first-2].sentence == t[h.first].sentence {
		add(rank.NewKey("before ").Append(t[h.first-2].folded).Append(" ").Append(before), 1)
	}
	if !ends && h.last+1 < len(t) && t[h.last+1].sentence == t[h.last-1].sentence {
		add(rank.NewKey("after ").Append(after).Append(" ").Append(t[h.last+1].folded), 1)
	}
	body := c.rd.body
	left, right := markBefore(body, t[h.first].start), markAfter(body, t[h.last-1].end)
	add(rank.NewKey("left ").Append(left), 0.7)
	add(rank.NewKey("right ").Append(right), 0.7)
	add(rank.NewKey("between ").Append(left).Append(" ").Append(right), 0.7)
	quoted := "not quoted"
	if c.rd.isQuoted(t[h.first].start) {
		quoted = "quoted"
	}
	add(rank.NewKey(quoted), 1)
	if h.first <= 1 {
		add(rank.NewKey("opens the text"), 1)
	}
	if h.last >= len(t)-6 {
		add(rank.NewKey("near the end"), 1)
	}
	for _, near := range conceptsNear(c.rd, h) {
		add(rank.NewKey("concept ").Append(near), 0.7)
	}
	s := span{start: t[h.first].start, end: t[h.last-1].end}
	b := &ballot{r: c.r, rd: c.rd}
	if worth, ok := b.leadWorth(s); ok {
		add(rank.NewKey("led by ").Append(strconv.Itoa(worth)), 1)
	}
	if worth := b.followWorth(s); worth > 0 {
		add(rank.NewKey("followed by ").Append(strconv.Itoa(worth)), 1)
	}
	return append(features, feature{rank.NewKey("stands as ").Append(shapeOf(body[s.start:s.end])), 0.5})
}

// shapeOf returns what the first words look like.
func shapeOf(text string) string {
	const most = 3
	var shape strings.Builder
	for w := range strings.FieldsSeq(text) {
		shape.WriteString(wordShape(w))
		if shape.Len() >= most {
			break
		}
	}
	return shape.String()
}

// markBefore returns the mark that is before a place, "\n" for the beginning of a line.
func markBefore(body string, at int) string {
	before := strings.TrimRight(body[:at], " ")
	if before == "" {
		return "^"
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	if isWordRune(last) {
		return "w"
	}
	return string(last)
}

func markAfter(body string, at int) string {
	rest := strings.TrimLeft(body[at:min(len(body), at+40)], " ")
	if rest == "" {
		return "$"
	}
	first, _ := utf8.DecodeRuneInString(rest)
	if isWordRune(first) {
		return "w"
	}
	return string(first)
}

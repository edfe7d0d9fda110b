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

// person is somebody whom the text names and who may be a founder.
type person struct {
	nameCandidate

	mentions []mention // what the rules know of them
}

// persons returns everybody whom the text may name.
func (r *Rules) persons(rd *reading, names []*nameCandidate, mentions []mention) []*person {
	c := &candidates{r: r, rd: rd, byKey: map[string]*nameCandidate{}}
	for _, m := range mentions {
		c.put(plainName(m.name), "mention")
		c.put(rd.wholeName(plainName(m.name)), "mention")
	}
	for _, h := range rd.mails {
		for _, one := range append([]string{h.name}, h.to...) {
			for part := range strings.FieldsFuncSeq(one, func(c rune) bool { return c == ';' }) {
				if name, _ := readPerson(part); name != "" {
					c.put(plainName(name), "head")
				}
			}
		}
	}
	for _, name := range rd.speakers[:min(len(rd.speakers), 12)] {
		if !hasDigit(name) {
			c.put(plainName(name), "speaker")
		}
	}
	for _, n := range names {
		if r.mayBePerson(rd, n) {
			c.put(plainName(n.text), "name")
		}
	}
	c.locate()
	all := make([]*person, 0, len(c.list))
	for _, one := range c.list {
		p := &person{nameCandidate: *one}
		for _, m := range mentions {
			if samePerson(m.name, one.text) {
				p.mentions = append(p.mentions, m)
			}
		}
		all = append(all, p)
	}
	return all
}

// mayBePerson tells the candidates for a company's name that may as well be a person's.
func (r *Rules) mayBePerson(rd *reading, n *nameCandidate) bool {
	words := strings.Fields(n.text)
	if len(words) == 0 || len(words) > 4 || hasDigit(n.text) || strings.ContainsAny(n.text, "&+@/_,") || utf8.RuneCountInString(n.text) > 40 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(n.text)
	switch {
	case isUnspaced(first), first >= 0xac00 && first <= 0xd7a3:
		return len(n.at) > 0 && (r.besideTitle(rd, n) && utf8.RuneCountInString(strings.ReplaceAll(n.text, " ", "")) <= 6 || r.beginsWithSurname(n.text))
	case !unicode.IsUpper(first) && !unicode.IsLower(first):
		return len(n.at) > 0 && len(words) <= 3
	}
	if unicode.IsLower(first) {
		return r.given[n.words[0]] || len(n.at) > 0 && (r.besideTitle(rd, n) || len(words) == 2 && !r.isCommonWord(n.words)) || rd.hasOwnAddress(n.text)
	}
	return !r.ordinary[n.words[0]] && (len(words) > 1 || r.given[n.words[0]] || len(n.at) > 0) && r.personness(rd, n.text) > -4
}

// isCommonWord reports whether one of the words is such as texts about deals are full of.
func (r *Rules) isCommonWord(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return r.common[w] || r.ordinary[w] || utf8.RuneCountInString(w) < 3 })
}

// beginsWithSurname reports whether a text of two to four characters begins with a surname, as names in Chinese and
// Korean do.
func (r *Rules) beginsWithSurname(text string) bool {
	runes := []rune(strings.ReplaceAll(text, " ", ""))
	n := len(runes)
	return n >= 2 && n <= 4 && (n < 4 && r.surnames[string(runes[:1])] || n > 2 && r.surnames[string(runes[:2])])
}

// besideTitle reports whether a title stands right before or behind one of the places, or a word of address behind it.
func (r *Rules) besideTitle(rd *reading, n *nameCandidate) bool {
	const near = 12
	for _, h := range n.at {
		start, end := rd.tokens[h.first].start, rd.tokens[h.last-1].end
		for _, t := range rd.titleList {
			if t.end <= start && start-t.end <= near || t.start >= end && t.start-end <= near {
				return true
			}
		}
		for _, word := range []string{"さん", "氏", "様", "社長", "代表", "先生", "女士", "总", "님", "대표", "씨", "CEO", "创始人", "创办"} {
			if strings.HasPrefix(strings.TrimLeft(rd.body[end:], " "), word) || strings.HasSuffix(strings.TrimRight(rd.body[:start], " ：:"), word) {
				return true
			}
		}
	}
	return false
}

// personContext is what the features of all people of a text are read off.
type personContext struct {
	nameContext

	company string
	meaning []float64
	chosen  []founderFound // by the rules
	houses  []hit          // where the company stands
	nth     map[*person]int
	likely  int // how many look like people
}

// lineUp finds the company's places, and the order in which people come.
func (c *personContext) lineUp(all []*person) {
	if c.company != "" {
		named := &candidates{r: c.r, rd: c.rd, byKey: map[string]*nameCandidate{}}
		named.put(c.company, "")
		named.locate()
		for _, one := range named.list {
			c.houses = one.at
		}
	}
	var order []*person
	for _, p := range all {
		if len(p.at) > 0 && p.key != squeeze(c.company) && (c.r.personness(c.rd, p.text) >= 1 || c.r.given[p.words[0]] || c.r.beginsWithSurname(p.text)) {
			order = append(order, p)
		}
	}
	slices.SortStableFunc(order, func(a, b *person) int { return a.at[0].first - b.at[0].first })
	c.nth, c.likely = map[*person]int{}, 0
	last := -1
	for _, p := range order {
		if p.at[0].first != last {
			c.likely++
			last = p.at[0].first
		}
		c.nth[p] = c.likely
	}
}

// standing adds which of the people it is, and how far from the company's name.
func (c *personContext) standing(v *rank.Vector, p *person) []string {
	nth := "unlikely"
	if n := c.nth[p]; n > 0 {
		nth = strconv.Itoa(min(n, 4)) + " of " + strconv.Itoa(min(c.likely, 4))
	}
	v.Add("person number "+nth, 1)
	nearest, side := -1, ""
	for _, h := range p.at {
		for _, house := range c.houses {
			gap, where := house.first-h.last, "before"
			if house.first < h.first {
				gap, where = h.first-house.last, "behind"
			}
			if gap >= 0 && (nearest < 0 || gap < nearest) {
				nearest, side = gap, where
				if c.rd.tokens[house.first].sentence == c.rd.tokens[h.first].sentence {
					side += " in its sentence"
				}
			}
		}
	}
	sure := []string{"person number " + nth}
	if nearest < 0 {
		v.Add("never beside the company's name", 1)
		return sure
	}
	bin(v, "company stands "+side, nearest)
	v.Add("company stands "+side, 1)
	if nearest <= 4 {
		sure = append(sure, "close to the company")
	}
	return sure
}

func (c *personContext) vectors(all []*person) []rank.Vector {
	longer := map[string]bool{}
	for _, p := range all {
		for i := range p.words {
			if len(p.words) > 1 {
				longer[p.words[i]] = true
			}
		}
	}
	c.lineUp(all)
	vectors := make([]rank.Vector, len(all))
	for i, p := range all {
		vectors[i] = c.vector(p)
		vectors[i].Set("part of a whole name", len(p.words) == 1 && longer[p.words[0]])
	}
	return vectors
}

func (c *personContext) vector(p *person) rank.Vector {
	v := rank.NewVector(96)
	v.Add("always", 1)
	v.AddKey(rank.NewKey("words ").Append(strconv.Itoa(min(len(p.words), 5))), 1)
	v.Add("person "+strconv.Itoa(max(-6, min(c.r.personness(c.rd, p.text), 6))), 1)
	v.Set("given name", c.r.given[p.words[0]])
	v.Set("surname first", c.r.beginsWithSurname(p.text))
	bin(&v, "letters", utf8.RuneCountInString(p.text))
	v.Set("common word", c.r.common[p.words[0]] && !c.r.given[p.words[0]])
	v.Set("is the company", p.key == squeeze(c.company))
	v.Set("company has it", len(p.key) > 2 && strings.Contains(squeeze(c.company), p.key))
	sure := []string{}
	for _, m := range p.mentions {
		name := m.kind.String()
		if m.title != "" {
			name += " " + strconv.FormatBool(m.chief)
		}
		v.AddKey(rank.NewKey("mention ").Append(name), 1)
		sure = append(sure, name)
		org := squeeze(c.r.brand(m.org))
		v.Set("of the company", org != "" && org == squeeze(c.company))
		v.Set("of another house", org != "" && org != squeeze(c.company))
		v.Set("of an investor", m.org != "" && c.r.isInvestorName(m.org))
		v.Set("in a document", m.doc > 0)
	}
	exact := slices.ContainsFunc(c.chosen, func(f founderFound) bool { return f.Name == p.text })
	same := slices.ContainsFunc(c.chosen, func(f founderFound) bool { return samePerson(f.Name, p.text) })
	v.Set("rules choose", exact)
	v.Set("rules choose in other words", same && !exact)
	v.Set("rules choose another", len(c.chosen) > 0 && !same)
	v.Set("rules choose nobody", len(c.chosen) == 0 && !c.blind)
	for _, f := range c.chosen {
		if f.Name != p.text {
			continue
		}
		sure = append(sure, "rules")
		for _, basis := range slices.Sorted(maps.Keys(f.decision.features)) {
			v.AddKey(rank.NewKey("rules choose by ").Append(basis), 0.5*f.decision.features[basis])
		}
	}
	if c.rd.greetedNames[p.key] || c.rd.greetedNames[p.words[0]] {
		v.Add("greeted", 1)
		sure = append(sure, "greeted")
	}
	sure = append(sure, c.contacts(&v, p)...)
	sure = append(sure, c.heads(&v, p)...)
	sure = append(sure, c.titles(&v, p)...)
	sure = append(sure, c.standing(&v, p)...)
	slices.Sort(sure)
	for i, one := range sure {
		for _, other := range sure[:i] {
			v.AddKey(rank.NewKey("both ").Append(other).Append(" and ").Append(one), 0.7)
		}
	}
	v.Set("nothing is sure", len(sure) == 0)
	for k, share := range c.kinds {
		const least = 0.1
		if share < least {
			continue
		}
		kind := rank.NewKey("kind ").Append(strconv.Itoa(k))
		v.AddKey(kind, share)
		for _, name := range sure {
			v.AddKey(kind.Append(" ").Append(name), share)
		}
	}
	c.ofMeaning(&v, sure)
	for _, from := range p.from {
		v.AddKey(rank.NewKey("from ").Append(from), 0.5)
	}
	c.places(&v, &p.nameCandidate)
	return v
}

// ofMeaning adds what counts differently by what the text says of the deal: whom an investor declines is a founder.
func (c *personContext) ofMeaning(v *rank.Vector, sure []string) {
	const least = 0.15
	for m, share := range c.meaning {
		if share < least {
			continue
		}
		v.Add("meaning "+MeaningNames()[m], share)
		for _, name := range sure {
			v.Add("meaning "+MeaningNames()[m]+" "+name, share)
		}
	}
}

// contacts adds whose addresses and profiles are made of the name.
func (c *personContext) contacts(v *rank.Vector, p *person) []string {
	var sure []string
	own := squeeze(c.company)
	for _, a := range c.rd.address {
		if !matchesLocal(p.text, a.local) {
			continue
		}
		_, host, _ := strings.Cut(a.email, "@")
		label := domainLabel(host)
		name := "address at another house"
		switch {
		case c.rd.isRecipient(a.email):
			name = "address that was written to"
		case c.r.isFreeMail(host):
			name = "free address"
		case own != "" && label != "" && (strings.HasPrefix(label, own) || strings.HasPrefix(own, label)):
			name = "address at the company"
		case isHouseOfInvestors(host):
			name = "address at an investor's"
		}
		v.Add(name, 1)
		sure = append(sure, name)
	}
	for _, o := range c.rd.linkOwners {
		if o.slug != "" && matchesSlug(p.text, o.slug) {
			v.Add("profile", 1)
			return append(sure, "profile")
		}
	}
	return sure
}

// heads adds which mails the person wrote or got.
func (c *personContext) heads(v *rank.Vector, p *person) []string {
	var sure []string
	for i, h := range c.rd.mails {
		name := "inner"
		if i == 0 && !h.forwarded && !h.reply {
			name = "outer"
		}
		switch {
		case h.name != "" && samePerson(h.name, p.text):
			name += " sender"
		case h.addresses(p.text):
			name += " recipient"
		default:
			continue
		}
		if h.reply {
			name += " quoted"
		}
		v.Add(name, 1)
		sure = append(sure, name)
	}
	for i, name := range c.rd.speakers {
		if name == p.text || samePerson(name, p.text) {
			speaks := "speaks later"
			if i == 0 {
				speaks = "speaks first"
			}
			v.Add(speaks, 1)
			sure = appendNew(sure, speaks)
		}
	}
	return sure
}

// titles adds the titles and the company's name beside the places of the name.
func (c *personContext) titles(v *rank.Vector, p *person) []string {
	const close, nearby = 6, 60
	var sure []string
	own := squeeze(c.company)
	for _, h := range p.at[:min(len(p.at), 6)] {
		start, end := c.rd.tokens[h.first].start, c.rd.tokens[h.last-1].end
		for _, t := range c.rd.titleList {
			side, gap := "behind", t.start-end
			if t.start < start {
				side, gap = "before", start-t.end
			}
			if gap < 0 || gap > nearby {
				continue
			}
			name := "title " + side + " " + strconv.FormatBool(t.chief)
			if gap <= close {
				name += " close"
				sure = appendNew(sure, name)
			}
			v.Add(name, 1)
		}
		if i := strings.LastIndexByte(c.rd.body[:start], '\n'); strings.TrimSpace(c.rd.body[i+1:start]) == "" {
			if rest := c.rd.body[end:]; strings.TrimSpace(rest[:max(0, strings.IndexByte(rest+"\n", '\n'))]) == "" {
				v.Add("alone on a line", 1)
				sure = appendNew(sure, "alone on a line")
			}
		}
		around := c.rd.body[max(0, start-nearby):min(len(c.rd.body), end+nearby)]
		if own != "" && strings.Contains(squeeze(around), own) {
			v.Add("beside the company", 1)
			sure = appendNew(sure, "beside the company")
		}
	}
	if n := len(p.at); n > 0 && p.at[n-1].last >= len(c.rd.tokens)-12 {
		sure = append(sure, "at the end")
	}
	return sure
}

package founders

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/rank"
)

// Context has the data from which the features of all people of a text are computed.
type Context struct {
	naming.Context

	r       *Finder
	rd      *naming.Subject
	company string
	own     string          // company, squeezed
	meaning []float64       // the probability of each meaning of the text
	names   []string        // of the meanings, in the order of meaning
	chosen  []Found         // the founders that the rules chose
	who     acquaintances   // the chosen, and the senders, recipients and speakers of the text
	houses  []lexicon.Hit   // where the company is named
	ownAt   []stretch       // where its letters and digits are, whatever is between them
	nth     map[*Person]int // the number of each likely person, from 1, in the order of the text
	likely  int             // the highest number in nth
}

// NewContext returns the Context of the people of a text. names is the Context of the names in it, whose Known must be
// set, and meaning has the probability of each meaning of the text; company is the company's name, and chosen are the
// founders that the rules chose. A Context must not be used by several goroutines at once.
func (r *Finder) NewContext(
	names *naming.Context, meaning []float64, company string, chosen []Found,
) *Context {
	c := &Context{Context: *names, r: r, rd: names.Rd, company: company, meaning: meaning, chosen: chosen}
	c.own, c.names = lexicon.Squeeze(company), rank.MeaningNames()
	c.who = acquaintancesOf(names.Rd, chosen)
	c.ownAt = findSqueezed(c.rd.Body, c.own)
	c.Occurred, c.Longer = map[string]int{}, map[string]int{}
	return c
}

// lineUp finds where the company is named. It numbers the people whose names look like a person's, except the company's
// own name, in the order in which the text names them. Names that begin with the same word of the text share a number.
func (c *Context) lineUp(all []*Person) {
	if c.company != "" {
		named := c.r.naming.NewCollection(c.rd)
		named.Put(c.company, "")
		named.Locate()
		for _, one := range named.List {
			c.houses = one.At
		}
	}
	var order []*Person
	for _, p := range all {
		if len(p.At) > 0 && p.Key != c.own &&
			(c.r.people.Personness(c.rd.Names, p.Text) >= 1 || c.r.words.Given[p.Words[0]] || c.r.beginsWithSurname(p.Text)) {
			order = append(order, p)
		}
	}
	slices.SortStableFunc(order, func(a, b *Person) int { return a.At[0].First - b.At[0].First })
	c.nth, c.likely = map[*Person]int{}, 0
	last := -1
	for _, p := range order {
		if p.At[0].First != last {
			c.likely++
			last = p.At[0].First
		}
		c.nth[p] = c.likely
	}
}

// standing adds features for the person's number (see lineUp), and for their distance in words from the company's name.
// It returns the names of the features that pairs is to combine.
func (c *Context) standing(v *rank.Vector, p *Person) []string {
	nth := "unlikely"
	if n := c.nth[p]; n > 0 {
		nth = strconv.Itoa(min(n, 4)) + " of " + strconv.Itoa(min(c.likely, 4))
	}
	v.Add("person number "+nth, 1)
	nearest, side := -1, ""
	for _, h := range p.At {
		for _, house := range c.houses {
			gap, where := house.First-h.Last, "before"
			if house.First < h.First {
				gap, where = h.First-house.Last, "behind"
			}
			if gap >= 0 && (nearest < 0 || gap < nearest) {
				nearest, side = gap, where
				if c.rd.Tokens[house.First].Sentence == c.rd.Tokens[h.First].Sentence {
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
	rank.Bin(v, "company stands "+side, nearest)
	v.Add("company stands "+side, 1)
	if nearest <= 4 {
		sure = append(sure, "close to the company")
	}
	return sure
}

// Vectors returns the features of each person: their own, and those from the people named right beside them.
func (c *Context) Vectors(all []*Person) []rank.Vector {
	longer := map[string]bool{}
	for _, p := range all {
		for i := range p.Words {
			if len(p.Words) > 1 {
				longer[p.Words[i]] = true
			}
		}
	}
	c.lineUp(all)
	vectors := make([]rank.Vector, len(all))
	sure := make([][]string, len(all))
	for i, p := range all {
		vectors[i], sure[i] = c.vector(p)
		vectors[i].Set("part of a whole name", len(p.Words) == 1 && longer[p.Words[0]])
	}
	c.joinNeighbours(all, vectors, sure)
	return vectors
}

// vector returns the features of one person, and the names of the features that pairs is to combine.
func (c *Context) vector(p *Person) (rank.Vector, []string) {
	v := rank.NewVector(96)
	v.Add("always", 1)
	v.AddKey(rank.NewKey("words ").Append(strconv.Itoa(min(len(p.Words), 5))), 1)
	v.Add("person "+strconv.Itoa(max(-6, min(c.r.people.Personness(c.rd.Names, p.Text), 6))), 1)
	v.Set("given name", c.r.words.Given[p.Words[0]])
	v.AddKey(naming.ListedKey(p.Words), 1)
	v.Set("surname first", c.r.beginsWithSurname(p.Text))
	rank.Bin(&v, "letters", utf8.RuneCountInString(p.Text))
	v.Set("common word", c.r.words.Common[p.Words[0]] && !c.r.words.Given[p.Words[0]])
	v.Set("is the company", p.Key == c.own)
	v.Set("company has it", len(p.Key) > 2 && strings.Contains(c.own, p.Key))
	sure := c.mentions(&v, p)
	sure = append(sure, c.ofRules(&v, p)...)
	if c.rd.Greeted[p.Key] || c.rd.Greeted[p.Words[0]] {
		v.Add("greeted", 1)
		sure = append(sure, "greeted")
	}
	sure = append(sure, c.contacts(&v, p)...)
	sure = append(sure, c.heads(&v, p)...)
	sure = append(sure, c.titles(&v, p)...)
	sure = append(sure, c.standing(&v, p)...)
	c.pairs(&v, sure)
	c.ofMeaning(&v, sure)
	spelling(&v, p)
	for _, from := range p.From {
		v.AddKey(rank.NewKey("from ").Append(from), 0.5)
	}
	c.Occurrences(&v, &p.Candidate)
	return v, sure
}

// mentions adds features for the kinds of the person's mentions, and for whether they belong to the company, to another
// one or to an investor. It returns the names of the features that pairs is to combine.
func (c *Context) mentions(v *rank.Vector, p *Person) []string {
	var sure []string
	for _, m := range p.Mentions {
		name := m.Kind.String()
		if m.Title != "" {
			name += " " + strconv.FormatBool(m.Chief)
		}
		v.AddKey(rank.NewKey("mention ").Append(name), 1)
		sure = append(sure, name)
		org := lexicon.Squeeze(c.r.naming.Brand(m.Org))
		v.Set("of the company", org != "" && org == c.own)
		v.Set("of another house", org != "" && org != c.own)
		v.Set("of an investor", m.Org != "" && c.r.words.IsInvestorName(m.Org))
		v.Set("in a document", m.Doc > 0)
	}
	return sure
}

// ofRules adds features for whether the rules chose this person, somebody else or nobody as a founder, and why. It
// returns the names of the features that pairs is to combine.
func (c *Context) ofRules(v *rank.Vector, p *Person) []string {
	var sure []string
	exact := slices.ContainsFunc(c.chosen, func(f Found) bool { return f.Name == p.Text })
	same := slices.ContainsFunc(c.who.chosen, p.Who.Is)
	v.Set("rules choose", exact)
	v.Set("rules choose in other words", same && !exact)
	v.Set("rules choose another", len(c.chosen) > 0 && !same)
	v.Set("rules choose nobody", len(c.chosen) == 0 && !c.Blind)
	for _, f := range c.chosen {
		if f.Name != p.Text {
			continue
		}
		sure = append(sure, "rules")
		for _, basis := range slices.Sorted(maps.Keys(f.Decision.Features)) {
			v.AddKey(rank.NewKey("rules choose by ").Append(basis), 0.5*f.Decision.Features[basis])
		}
	}
	return sure
}

// pairs adds a feature for each pair of the names in sure, which name a person's strongest features, and a feature for
// each name in sure together with each likely kind of the text. It sorts sure.
func (c *Context) pairs(v *rank.Vector, sure []string) {
	slices.Sort(sure)
	for i, one := range sure {
		for _, other := range sure[:i] {
			v.AddKey(rank.NewKey("both ").Append(other).Append(" and ").Append(one), 0.7)
		}
	}
	v.Set("nothing is sure", len(sure) == 0)
	for k, share := range c.Kinds {
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
}

// spelling adds features for the first and last letters of each word of a name. By these a model recognizes names of
// people that are in no list.
func spelling(v *rank.Vector, p *Person) {
	const longest = 3
	for i, w := range p.Words {
		which := rank.NewKey("part ")
		if i > 0 && i == len(p.Words)-1 {
			which = rank.NewKey("last part ")
		}
		runes := []rune(w)
		shortest := 1
		if w == "" || runes[0] <= unicode.MaxLatin1 { // a letter says little
			shortest = 2
		}
		for n := shortest; n <= min(longest, len(runes)); n++ {
			v.AddKey(which.Append("^").Append(string(runes[:n])), 0.3)
			v.AddKey(which.Append(string(runes[len(runes)-n:])).Append("$"), 0.3)
		}
	}
}

// ofMeaning adds a feature for each likely meaning of the text together with each feature in sure. The same feature is
// worth more or less depending on the meaning: if an investor declines, the person who is addressed is a founder.
func (c *Context) ofMeaning(v *rank.Vector, sure []string) {
	const least = 0.15
	for m, share := range c.meaning {
		if share < least {
			continue
		}
		meaning := rank.NewKey("meaning ").Append(c.names[m])
		v.AddKey(meaning, share)
		for _, name := range sure {
			v.AddKey(meaning.Append(" ").Append(name), share)
		}
	}
}

// contacts adds a feature for each address in the text that is derived from the person's name: that a mail is addressed
// to it, or else whose its domain is. It adds one more if a profile in the text is derived from the name. It returns
// the names of these features, which pairs is to combine.
func (c *Context) contacts(v *rank.Vector, p *Person) []string {
	var sure []string
	words := people.WordsOf(p.Text)
	for _, a := range c.rd.Addresses {
		if !words.Match(a.Parts) {
			continue
		}
		_, host, _ := strings.Cut(a.Email, "@")
		label := links.DomainLabel(host)
		name := "address at another house"
		switch {
		case c.rd.IsRecipient(a.Email):
			name = "address that was written to"
		case c.r.text.IsFreeMail(host):
			name = "free address"
		case c.own != "" && label != "" && (strings.HasPrefix(label, c.own) || strings.HasPrefix(c.own, label)):
			name = "address at the company"
		case links.IsInvestorHost(host):
			name = "address at an investor's"
		}
		v.Add(name, 1)
		sure = append(sure, name)
	}
	for _, o := range c.rd.Owners {
		if o.Slug != "" && people.MatchesSlug(p.Text, o.Slug) {
			v.Add("profile", 1)
			return append(sure, "profile")
		}
	}
	return sure
}

// heads adds features for the mails that the person sent or received, and for whether they speak first or later in a
// chat. It returns the names of the features that pairs is to combine.
func (c *Context) heads(v *rank.Vector, p *Person) []string {
	var sure []string
	for i, h := range c.rd.Mails {
		name := "inner"
		if i == 0 && !h.Forwarded && !h.Reply {
			name = "outer"
		}
		switch {
		case h.Name != "" && c.who.senders[i].Is(p.Who):
			name += " sender"
		case slices.Contains(c.who.recipients[i], p.Key):
			name += " recipient"
		default:
			continue
		}
		if h.Reply {
			name += " quoted"
		}
		v.Add(name, 1)
		sure = append(sure, name)
	}
	for i, name := range c.rd.Speakers {
		if name == p.Text || c.who.speakers[i].Is(p.Who) {
			speaks := "speaks later"
			if i == 0 {
				speaks = "speaks first"
			}
			v.Add(speaks, 1)
			sure = lexicon.AppendNew(sure, speaks)
		}
	}
	return sure
}

// titles adds features for the first six occurrences of the name: the titles near it, whether the company's name is
// near, and whether the name is alone on its line. It returns the names of the features that pairs is to combine, among
// them one for a name near the end of the text.
func (c *Context) titles(v *rank.Vector, p *Person) []string {
	var sure []string
	for _, h := range p.At[:min(len(p.At), 6)] {
		start, end := c.rd.Tokens[h.First].Start, c.rd.Tokens[h.Last-1].End
		sure = c.titlesNear(v, start, end, sure)
		if isOwnLine(c.rd.Body, start, end) {
			v.Add("alone on a line", 1)
			sure = lexicon.AppendNew(sure, "alone on a line")
		}
		if c.isOwnNear(start, end) {
			v.Add("beside the company", 1)
			sure = lexicon.AppendNew(sure, "beside the company")
		}
	}
	if isAtEnd(c.rd, p) {
		sure = append(sure, "at the end")
	}
	return sure
}

// nearby is the largest number of bytes between a name and a title or company that belongs to it.
const nearby = 60

// titlesNear adds a feature for each title whose distance to the occurrence from start to end is at most nearby bytes,
// before or after it. For titles within six bytes it also appends the feature's name to sure. It returns sure.
func (c *Context) titlesNear(v *rank.Vector, start, end int, sure []string) []string {
	const close = 6
	for _, t := range c.rd.Titles {
		side, gap := "behind", t.Start-end
		if t.Start < start {
			side, gap = "before", start-t.End
		}
		if gap < 0 || gap > nearby {
			continue
		}
		name := "title " + side + " " + strconv.FormatBool(t.Chief)
		if gap <= close {
			name += " close"
			sure = lexicon.AppendNew(sure, name)
		}
		v.Add(name, 1)
	}
	return sure
}

// isOwnLine reports whether the occurrence is alone on its line, apart from white space.
func isOwnLine(body string, start, end int) bool {
	before := body[strings.LastIndexByte(body[:start], '\n')+1 : start]
	behind, _, _ := strings.Cut(body[end:], "\n")
	return strings.TrimSpace(before) == "" && strings.TrimSpace(behind) == ""
}

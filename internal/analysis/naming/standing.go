package naming

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rank"
)

// standing says what the candidates of a text are compared with: where its names begin, how often the most frequent of
// them occurs, and what the subjects and the addresses of its mails say. Names are candidates that look like one; see
// isLikeName.
type standing struct {
	starts    []int             // the tokens at which a name occurs first, in ascending order, each once
	foreign   []int             // the same, of names that are no party's
	most      int               // the most occurrences of a name
	sentences int               // the most sentences that one name is in
	inSubject int               // how many names are in a subject
	subjects  [][]lexicon.Token // of the mails, without "Re:" and the like
	owners    []domainOwner     // of the addresses
}

// domainOwner is the owner of a domain: "gridmint" with the ending "uk" for grid-mint.co.uk.
type domainOwner struct{ label, ending string }

// compare finds the standing of the candidates of a text. Context.Occurred need not be set.
func (c *Context) compare(all []*Candidate) standing {
	s := standing{}
	for _, one := range all {
		if !c.isLikeName(one) {
			continue
		}
		s.starts = append(s.starts, one.At[0].First)
		if !c.isParty(one) {
			s.foreign = append(s.foreign, one.At[0].First)
		}
		s.most = max(s.most, len(one.At))
		s.sentences = max(s.sentences, c.sentences(one))
		if c.isInSubject(one) {
			s.inSubject++
		}
	}
	s.starts, s.foreign = sortedOnce(s.starts), sortedOnce(s.foreign)
	for _, m := range c.Rd.Mails {
		if m.Subject != "" {
			s.subjects = append(s.subjects, lexicon.Tokenize(c.r.text.WithoutReplyMarks(m.Subject)))
		}
	}
	for _, a := range c.Rd.Addresses {
		_, host, _ := strings.Cut(a.Email, "@")
		label := links.DomainLabel(host)
		if label == "" || c.r.text.IsFreeMail(host) {
			continue
		}
		if one := (domainOwner{label, host[strings.LastIndexByte(host, '.')+1:]}); !slices.Contains(s.owners, one) {
			s.owners = append(s.owners, one)
		}
	}
	return s
}

func sortedOnce(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// isLikeName reports whether a candidate looks like the name of an organisation where it occurs first: it begins with a
// capital or a figure, is no person's name or part of one, and has a word that is not common.
func (c *Context) isLikeName(one *Candidate) bool {
	return len(one.At) > 0 && c.people[one.Key] == "" && !c.partsOfPeople[one.Key] && c.isCapital(one.At[0].First) &&
		!wordsIn(c.r.words.Common, one.Words).all
}

// isCapital reports whether token i of the body begins with a capital or a figure. It reports false if there is no such
// token.
func (c *Context) isCapital(i int) bool {
	if i < 0 || i >= len(c.Rd.Tokens) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(c.Rd.Body[c.Rd.Tokens[i].Start:])
	return unicode.IsUpper(first) || unicode.IsDigit(first)
}

// isParty reports whether a candidate is the name of a party to the correspondence: of a sender's or recipient's
// domain, or of an investor.
func (c *Context) isParty(one *Candidate) bool {
	for _, o := range c.owners[:2] {
		if slices.ContainsFunc(o.labels, one.isOrBegins) {
			return true
		}
	}
	company := c.r.words.Company.Whole
	return company[one.Words[len(one.Words)-1]] == "investor" || company[one.joined] == "investor"
}

// isOrBegins reports whether a domain's label is n.Key, or begins with it and n.Key has at least four bytes.
func (n *Candidate) isOrBegins(label string) bool {
	return label == n.Key || len(n.Key) >= 4 && strings.HasPrefix(label, n.Key)
}

func (c *Context) isInSubject(one *Candidate) bool {
	return one.Key != "" && strings.Contains(c.subjects, one.Key)
}

// sentences returns in how many sentences of the body the name is.
func (c *Context) sentences(one *Candidate) int {
	n, last := 0, -1
	for _, h := range one.At {
		if s := c.Rd.Tokens[h.First].Sentence; s != last {
			n, last = n+1, s
		}
	}
	return n
}

// compared adds features that compare the candidate with the others of the text.
func (c *Context) compared(v *rank.Vector, one *Candidate) {
	c.inSubjects(v, one)
	c.ofOwners(v, one)
	if len(one.At) == 0 {
		return
	}
	like := "other "
	if c.isLikeName(one) {
		like = "name "
	}
	order, _ := slices.BinarySearch(c.standing.starts, one.At[0].First)
	share := c.share(one)
	v.AddKey(rank.NewKey("order ").Append(like).Append(strconv.Itoa(min(order, 6))), 1)
	v.AddKey(rank.NewKey("share ").Append(like).Append(share), 1)
	v.Set("first and most", order == 0 && share == "most")

	party := "no party "
	if c.isParty(one) {
		party = "party "
	}
	order, _ = slices.BinarySearch(c.standing.foreign, one.At[0].First)
	v.AddKey(rank.NewKey("order of others ").Append(like).Append(party).Append(strconv.Itoa(min(order, 4))), 1)
	v.AddKey(rank.NewKey("one of ").Append(like).Append(strconv.Itoa(min(len(c.standing.starts), 6))), 1)
	v.AddKey(rank.NewKey("sentences ").Append(like).Append(part(c.sentences(one), c.standing.sentences)), 1)
	in := c.isInSubject(one)
	v.Set("alone in subjects", in && like == "name " && c.standing.inSubject == 1)
	v.Set("others in subjects", !in && c.standing.inSubject > 0)
}

// share returns how often a candidate occurs, beside the most frequent name: "most", "half", "less", or "once" if
// neither the candidate nor any name occurs twice.
func (c *Context) share(one *Candidate) string {
	if c.standing.most <= 1 && len(one.At) <= 1 {
		return "once"
	}
	return part(len(one.At), c.standing.most)
}

// part returns how large n is beside the largest number: "most" if it is not less, "half" if it is at least half of it,
// else "less".
func part(n, largest int) string {
	switch {
	case n >= largest:
		return "most"
	case 2*n >= largest:
		return "half"
	}
	return "less"
}

// inSubjects adds features for where in the subjects of the mails the name is, and between which words.
func (c *Context) inSubjects(v *rank.Vector, one *Candidate) {
	for _, subject := range c.standing.subjects {
		at := indexOf(subject, one.Words)
		if at < 0 {
			continue
		}
		end := at + len(one.Words)
		begins, ends := at == 0, end == len(subject)
		v.Set("begins a subject", begins)
		v.Set("ends a subject", ends)
		v.Set("is a subject", begins && ends)
		v.Set("inside a subject", !begins && !ends)
		v.Set("in a subject and again", len(one.At) > 1)
		if !begins {
			v.AddKey(rank.NewKey("in a subject after ").Append(subject[at-1].Folded), 1)
		}
		if !ends {
			v.AddKey(rank.NewKey("in a subject before ").Append(subject[end].Folded), 1)
		}
	}
}

// indexOf returns the index of the token at which words first begin, or -1. The words must be folded, and at least one.
func indexOf(tokens []lexicon.Token, words []string) int {
	for i := range tokens[:max(0, len(tokens)-len(words)+1)] {
		same := true
		for n, w := range words {
			same = same && tokens[i+n].Folded == w
		}
		if same {
			return i
		}
	}
	return -1
}

// ofOwners adds features for how the domain that has the name is written: its ending, as "vc", and the end of its
// label, as "partners".
func (c *Context) ofOwners(v *rank.Vector, one *Candidate) {
	for _, o := range c.standing.owners {
		if !one.isOrBegins(o.label) {
			continue
		}
		v.AddKey(rank.NewKey("own domain in ").Append(o.ending), 1)
		v.Set("own domain is longer", o.label != one.Key)
		for n := 3; n <= min(8, len(o.label)); n++ {
			v.AddKey(rank.NewKey("own domain ends ").Append(o.label[len(o.label)-n:]), 0.4)
		}
	}
}

// inList adds what is around an occurrence in a list of names, as "Primer, Spreedly and Gr4vy": whether a name comes
// before it, after it, or both. left and right are the results of text.MarkBefore and text.MarkAfter for the
// occurrence.
func (c *Context) inList(h lexicon.Hit, left, right string, add func(rank.Key, float64)) {
	before := isListMark(left) && c.isCapital(h.First-1) || c.isJoining(h.First-1) && c.isCapital(h.First-2)
	after := isListMark(right) && c.isCapital(h.Last) || c.isJoining(h.Last) && c.isCapital(h.Last+1)
	where := "no list"
	switch {
	case before && after:
		where = "inside a list"
	case before:
		where = "ends a list"
	case after:
		where = "begins a list"
	}
	add(rank.NewKey(where), 1)
}

func isListMark(mark string) bool { return mark != "" && strings.Contains(",/、+&", mark) }

// isJoining reports whether token i of the body joins names to a list: "and", "or", "vs".
func (c *Context) isJoining(i int) bool {
	return i >= 0 && i < len(c.Rd.Tokens) && lexicon.In("words in lists of names", c.Rd.Tokens[i].Folded)
}

// appendWordKeys appends the features for what the lists of words and of organisations say of a name; see
// appendFamiliarKeys, establishedKey and ListedKey.
func (c *Context) appendWordKeys(keys []rank.Key, one *Candidate) []rank.Key {
	where := "nowhere"
	if len(one.At) > 0 {
		where = c.whereCapital(one.At[0].First)
	}
	keys = appendFamiliarKeys(keys, one.Words, where)
	if key, ok := establishedKey(one); ok {
		keys = append(keys, key)
	}
	return appendListedKeys(keys, one.Words, where)
}

// appendListedKeys appends the features for the large lists that have the words of a name: see ListedKey. where is as
// for appendFamiliarKeys.
func appendListedKeys(keys []rank.Key, words []string, where string) []rank.Key {
	listed := ListedKey(words)
	return append(keys, listed, listed.Append(" ").Append(where))
}

// appendFamiliarKeys appends the features for how familiar the words of a name are (see lexicon.Familiarity), alone and
// with where, the result of whereCapital for its first occurrence: a familiar word is more likely a name if it has a
// capital inside a sentence. words must not be empty.
func appendFamiliarKeys(keys []rank.Key, words []string, where string) []rank.Key {
	first := lexicon.Familiarity(words[0])
	last := first
	if len(words) > 1 {
		last = lexicon.Familiarity(words[len(words)-1])
	}
	least, most := min(first, last), max(first, last)
	for _, w := range words[1:max(1, len(words)-1)] {
		familiarity := lexicon.Familiarity(w)
		least, most = min(least, familiarity), max(most, familiarity)
	}
	key := rank.NewKey("familiar ").Append(strconv.Itoa(least)).Append(" ")
	keys = append(keys, key.Append(strconv.Itoa(most)), key.Append(where))
	if len(words) == 1 {
		return keys
	}
	key = rank.NewKey("familiar first ").Append(strconv.Itoa(first)).Append(" ")
	return append(keys, key.Append(strconv.Itoa(last)), key.Append(where))
}

// establishedKey returns the feature for a name that is that of an established organisation, or begins with one, as
// "Scania Growth" does; see lexicon.OrganisationKind. It returns false for other names.
func establishedKey(one *Candidate) (rank.Key, bool) {
	if kind := lexicon.OrganisationKind(one.Key); kind != "" {
		return rank.NewKey("established ").Append(kind), true
	}
	begins := ""
	for _, w := range one.Words[:len(one.Words)-1] {
		begins += lexicon.Squeeze(w) //nolint:modernize // a few words, looked up after each
		if kind := lexicon.OrganisationKind(begins); kind != "" {
			return rank.NewKey("begins established ").Append(kind), true
		}
	}
	return 0, false
}

// ListedKey returns the feature that says in which of the large lists the first and the last word of a name are; see
// lexicon.ListsOf. words must not be empty.
func ListedKey(words []string) rank.Key {
	key := rank.NewKey("listed ").Append(lexicon.ListsOf(words[0]))
	if len(words) > 1 {
		key = key.Append(" ").Append(lexicon.ListsOf(words[len(words)-1]))
	}
	return key
}

// whereCapital returns "inside" or "begins", for whether token i of the body begins a sentence, followed by " capital"
// if it begins with a capital or a figure.
func (c *Context) whereCapital(i int) string {
	t := c.Rd.Tokens
	inside := i > 0 && t[i-1].Sentence == t[i].Sentence
	switch {
	case inside && c.isCapital(i):
		return "inside capital"
	case inside:
		return "inside"
	case c.isCapital(i):
		return "begins capital"
	}
	return "begins"
}

package founders

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// Person is somebody whom the text names and who may be a founder.
type Person struct {
	naming.Candidate

	Who      people.Identity
	Mentions []people.Mention // what the rules know of them
}

// Persons returns the people whom the text may name: the people of mentions; the senders and recipients of mails; those
// of the first 12 speakers of a chat whose names have no digit; and those of names, the candidates for the company's
// name, that may be a person's.
func (r *Finder) Persons(rd *naming.Subject, names []*naming.Candidate, mentions []people.Mention) []*Person {
	c := r.naming.NewCollection(rd)
	for _, m := range mentions {
		c.Put(people.PlainName(m.Name), "mention")
		c.Put(wholeName(rd.Text, people.PlainName(m.Name)), "mention")
	}
	for _, name := range correspondents(rd.Mails) {
		c.Put(people.PlainName(name), "head")
	}
	for _, name := range rd.Speakers[:min(len(rd.Speakers), 12)] {
		if !lexicon.HasDigit(name) {
			c.Put(people.PlainName(name), "speaker")
		}
	}
	for _, n := range names {
		if !r.mayBePerson(rd.Names, n) {
			continue
		}
		if plain := people.PlainName(n.Text); plain != n.Text {
			c.Put(plain, "name")
		} else {
			c.Take(n, "name")
		}
	}
	c.Locate()
	mentioned := make([]people.Identity, len(mentions))
	for i, m := range mentions {
		mentioned[i] = people.IdentityOf(m.Name)
	}
	all := make([]*Person, 0, len(c.List))
	for _, one := range c.List {
		p := &Person{Candidate: *one, Who: people.NewIdentity(one.Text, one.Key)}
		for i, m := range mentions {
			if mentioned[i].Is(p.Who) {
				p.Mentions = append(p.Mentions, m)
			}
		}
		all = append(all, p)
	}
	return all
}

// correspondents returns the names of the senders and recipients of mails.
func correspondents(mails []text.Header) []string {
	var names []string
	for _, h := range mails {
		for _, one := range append([]string{h.Name}, h.To...) {
			for part := range strings.FieldsFuncSeq(one, func(c rune) bool { return c == ';' }) {
				if name, _ := text.ReadPerson(part); name != "" {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// mayBePerson reports whether a candidate for the company's name may be a person's name instead.
func (r *Finder) mayBePerson(rd *people.Names, n *naming.Candidate) bool {
	words := countWords(n.Text)
	if words == 0 || words > 4 || !looksLikeName(n.Text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(n.Text)
	given := r.words.Given[n.Words[0]]
	switch {
	case lexicon.IsUnspaced(first), isHangul(first):
		return len(n.At) > 0 && r.mayBeEastern(rd, n)
	case unicode.IsLower(first):
		return given || r.mayBeSmall(rd, n) || people.HasOwnAddress(rd.Text, n.Text)
	case unicode.IsUpper(first):
		known := words > 1 || given || len(n.At) > 0
		return known && !r.words.Ordinary[n.Words[0]] && r.people.Personness(rd, n.Text) > -4
	}
	return len(n.At) > 0 && words <= 3
}

func countWords(s string) int {
	n := 0
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

func isHangul(c rune) bool { return c >= 0xac00 && c <= 0xd7a3 }

// mayBeSmall reports whether a name in lower-case letters may be a person's: it occurs in the body, and is beside a
// title or is two words of which neither is common.
func (r *Finder) mayBeSmall(rd *people.Names, n *naming.Candidate) bool {
	return len(n.At) > 0 && (r.besideTitle(rd, n) || countWords(n.Text) == 2 && !r.isCommonWord(n.Words))
}

func looksLikeName(s string) bool {
	const longest = 40
	return !lexicon.HasDigit(s) && !strings.HasSuffix(s, ".") && !strings.ContainsAny(s, "&+@/_,") &&
		utf8.RuneCountInString(s) <= longest
}

// mayBeEastern reports whether a name in Chinese, Japanese or Korean may be a person's: it is short and beside a
// title, or it begins with a surname.
func (r *Finder) mayBeEastern(rd *people.Names, n *naming.Candidate) bool {
	const longest = 6
	letters := utf8.RuneCountInString(strings.ReplaceAll(n.Text, " ", ""))
	return r.besideTitle(rd, n) && letters <= longest || r.beginsWithSurname(n.Text)
}

// isCommonWord reports whether one of the folded words is frequent in texts about deals, ordinary, or shorter than
// three letters.
func (r *Finder) isCommonWord(words []string) bool {
	return slices.ContainsFunc(words,
		func(w string) bool { return r.words.Common[w] || r.words.Ordinary[w] || utf8.RuneCountInString(w) < 3 })
}

// beginsWithSurname reports whether a text has two to four characters, spaces not counted, and begins with a surname,
// as names in Chinese and Korean do.
func (r *Finder) beginsWithSurname(text string) bool {
	runes := []rune(strings.ReplaceAll(text, " ", ""))
	n := len(runes)
	return n >= 2 && n <= 4 &&
		(n < 4 && r.words.Surnames[string(runes[:1])] || n > 2 && r.words.Surnames[string(runes[:2])])
}

// besideTitle reports whether a title is within 12 bytes before or after one of the name's occurrences, or an
// honorific, such as "さん", is next to one of them.
func (r *Finder) besideTitle(rd *people.Names, n *naming.Candidate) bool {
	const near = 12
	for _, h := range n.At {
		start, end := rd.Tokens[h.First].Start, rd.Tokens[h.Last-1].End
		for _, t := range rd.Titles {
			if t.End <= start && start-t.End <= near || t.Start >= end && t.Start-end <= near {
				return true
			}
		}
		before, behind := strings.TrimRight(rd.Body[:start], " ：:"), strings.TrimLeft(rd.Body[end:], " ")
		for _, word := range lexicon.List("honorifics") {
			if strings.HasPrefix(behind, word) || strings.HasSuffix(before, word) {
				return true
			}
		}
	}
	return false
}

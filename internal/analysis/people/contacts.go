package people

import (
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// MatchesSlug reports whether a LinkedIn profile's slug, such as "ann-lee-42", is derived from the person's name. It
// must contain two of the words that have more than two letters. One of them is enough if it is the only word of the
// name, if the slug begins with the first word of the name, or if it ends with the last.
func MatchesSlug(name, slug string) bool {
	slug = lexicon.Squeeze(slug)
	matched := 0
	words := strings.Fields(name)
	for _, w := range words {
		if w := lexicon.Squeeze(w); utf8.RuneCountInString(w) > 2 && strings.Contains(slug, w) {
			matched++
		}
	}
	return matched > 0 && (matched >= 2 || len(words) == 1 || strings.HasPrefix(slug, lexicon.Squeeze(words[0])) ||
		strings.HasSuffix(slug, lexicon.Squeeze(words[len(words)-1])))
}

// MatchesLocal reports whether the part of an address before the "@" is derived from the person's name: first, last,
// both, one with the other's first letter, the initials, or a shorter or longer form of the first name. It reports
// false for the address of an office, such as "info", and ignores a "+" and the text after it.
func MatchesLocal(name, local string) bool { return WordsOf(name).Match(text.LocalParts(local)) }

// personWords are the words of a person's name, as lexicon.Squeeze returns them, in a form that is fast to compare with
// many addresses.
type personWords struct {
	all      []string
	initials string
}

// WordsOf returns the words of a person's name, for Match.
func WordsOf(name string) personWords {
	all := strings.Fields(strings.ReplaceAll(lexicon.Fold(name), ".", ""))
	w := personWords{all: all, initials: initials(all)}
	for i := range all {
		all[i] = lexicon.Squeeze(all[i])
	}
	return w
}

// Match reports whether an address is derived from the name, as MatchesLocal does, by the parts that text.LocalParts
// returns.
func (w personWords) Match(parts []string) bool {
	return len(w.all) > 0 && slices.ContainsFunc(parts, func(part string) bool {
		return w.isOne(part) ||
			slices.ContainsFunc(w.all[1:], func(other string) bool { return isMadeOf(part, w.all[0], other) })
	})
}

// isOne reports whether a part is the first or the last name, a short or a long form of the first, or all initials.
func (w personWords) isOne(part string) bool {
	if len(part) <= 1 {
		return false
	}
	first, last := w.all[0], w.all[len(w.all)-1]
	return part == first || part == last || isNickname(part, first) || w.initials == part ||
		len(part) > 5 && strings.HasPrefix(part, first) && len(first) > 3
}

// isMadeOf reports whether a part is two names, or a name and a first letter, or two first letters, joined: "annlee",
// "leeann", "alee", "annl", "leea" and "al" for Ann Lee.
func isMadeOf(part, first, other string) bool {
	if len(first) == 0 || len(other) <= 1 {
		return false
	}
	return isJoined(part, first, other) || isJoined(part, other, first) || isJoined(part, first[:1], other) ||
		isJoined(part, first, other[:1]) || isJoined(part, other, first[:1]) || isJoined(part, first[:1], other[:1])
}

// isJoined reports whether text is first followed by second. It allocates nothing.
func isJoined(text, first, second string) bool {
	return len(text) == len(first)+len(second) && text[:len(first)] == first && text[len(first):] == second
}

// isNickname reports whether a part is the beginning of a longer first name, of at least three bytes, or its end, of at
// least four, as "alex" of "alexander" and "seun" of "oluwaseun" are.
func isNickname(part, first string) bool {
	return len(part) >= 3 && len(first) > len(part) &&
		(strings.HasPrefix(first, part) || len(part) >= 4 && strings.HasSuffix(first, part))
}

func initials(words []string) string {
	var out strings.Builder
	for _, w := range words {
		for _, r := range w {
			out.WriteRune(r)
			break
		}
	}
	return out.String()
}

// SamePerson reports whether two names may be one person's, as "Tamsin" and "Tamsin Hale" may: they have the same
// letters, or the same first name and, if both have several words, the same last name. Titles, accents and case do not
// count.
func SamePerson(a, b string) bool {
	a, b = PlainName(a), PlainName(b)
	if lexicon.IsPlainASCII(a) && lexicon.IsPlainASCII(b) {
		return samePersonASCII(a, b)
	}
	return IdentityOf(a).Is(IdentityOf(b))
}

// Identity is a name in a form that is fast to compare with many others. The comparison is that of SamePerson.
type Identity struct {
	squeezed, first, last string // in lower-case letters without accents
	full                  bool   // more than one word
}

// IdentityOf returns the Identity of a person by their name.
func IdentityOf(name string) Identity {
	plain := PlainName(name)
	return NewIdentity(plain, lexicon.Squeeze(plain))
}

// NewIdentity returns the Identity of a person by their name as PlainName returns it, and that name squeezed.
func NewIdentity(name, squeezed string) Identity {
	id := Identity{squeezed: squeezed, full: strings.Contains(name, " ")}
	for w := range strings.FieldsSeq(lexicon.Fold(name)) {
		if id.last == "" {
			id.first = w
		}
		id.last = w
	}
	return id
}

// Is reports whether both may be names of one person.
func (i Identity) Is(other Identity) bool {
	return i.squeezed == other.squeezed ||
		i.first == other.first && (!i.full || !other.full || i.last == other.last)
}

// IsShortFor reports whether the name is a single word that is short for the other's first name, as "Vero" is for
// "Veronika Moser".
func (i Identity) IsShortFor(other Identity) bool {
	return !i.full && i.first != "" && isNickname(i.first, other.first)
}

// Unaddressed returns a name without the forms of address before and after it: "Somchai" for "Khun Somchai" and "堀江"
// for "堀江さん". It never removes the whole name.
func Unaddressed(name string) string {
	plain := strings.TrimSpace(name)
	for _, form := range lexicon.List("honorifics") {
		if rest, ok := strings.CutSuffix(plain, form); ok && strings.TrimSpace(rest) != "" {
			plain = strings.TrimSpace(rest)
		}
	}
	words := strings.Fields(plain)
	for len(words) > 1 && lexicon.In("forms of address", lexicon.Fold(words[0])) {
		words = words[1:]
	}
	for len(words) > 1 && lexicon.In("forms of address", lexicon.Fold(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// samePersonASCII is SamePerson for names in ASCII. It does not allocate an Identity for each.
func samePersonASCII(a, b string) bool {
	if lexicon.SameSqueezed(a, b) {
		return true
	}
	if strings.Contains(a, " ") && strings.Contains(b, " ") {
		const spaces = " \t\n\v\f\r"
		return strings.EqualFold(a[:strings.IndexAny(a, spaces)], b[:strings.IndexAny(b, spaces)]) &&
			strings.EqualFold(a[strings.LastIndexAny(a, spaces)+1:], b[strings.LastIndexAny(b, spaces)+1:])
	}
	return strings.EqualFold(lexicon.FirstWord(a), lexicon.FirstWord(b))
}

// PlainName returns a name up to its first bracket or bar, without academic titles before it: "Ann Lee" for "Dr. Ann
// Lee (she/her)". A bracket at the beginning of the name does not count, and a title without a name is kept.
func PlainName(name string) string {
	if at := strings.IndexAny(name, "(（|"); at > 0 {
		name = name[:at]
	}
	for {
		first, rest, more := strings.Cut(strings.TrimSpace(name), " ")
		if lexicon.In("academic titles", first) {
			if more {
				name = rest
				continue
			}
		}
		return strings.TrimSpace(name)
	}
}

package founders

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/rank"
)

// PruningVectors returns the features by which a first model finds the people who are worth describing in full. They
// are few, and quick to compute. chosen are the founders that the rules chose.
func (r *Finder) PruningVectors(rd *naming.Subject, all []*Person, chosen []Found) []rank.Vector {
	vectors := make([]rank.Vector, len(all))
	const each = 20
	room := rank.NewVector(each * len(all))
	for i, p := range all {
		start := room.Len()
		form := firstForm(p)
		r.addWords(&room, p, form)
		r.addFirst(&room, rd, p, form)
		addKnown(&room, rd, p, chosen)
		vectors[i] = room.From(start)
	}
	return vectors
}

// firstForm returns a key for the class of the first letter and the number of words of a name. The class of a letter in
// a script without capitals is its block of 256 characters.
func firstForm(p *Person) rank.Key {
	first, _ := utf8.DecodeRuneInString(p.Text)
	letter := "x" + strconv.Itoa(int(first>>8))
	switch {
	case unicode.IsUpper(first):
		letter = "A"
	case unicode.IsLower(first):
		letter = "a"
	}
	return rank.NewKey("form ").Append(letter).Append(strconv.Itoa(min(len(p.Words), 5)))
}

// addWords adds features for how the name is written, what the lists of words say of its first and last word, and where
// it was found.
func (r *Finder) addWords(v *rank.Vector, p *Person, form rank.Key) {
	first, last := p.Words[0], p.Words[len(p.Words)-1]
	v.AddKey(form, 1)
	v.AddKey(naming.ListedKey(p.Words), 1)
	v.Set("given name", r.words.Given[first])
	v.Set("surname first", r.beginsWithSurname(p.Text))
	v.Set("common word", r.words.Common[first])
	v.Set("ordinary end", r.words.Ordinary[last])
	v.Set("common end", r.words.Common[last])
	for _, from := range p.From {
		v.AddKey(rank.NewKey("from ").Append(from), 1)
		v.AddKey(form.Append(from), 1)
	}
}

// addFirst adds features for how often the text has the name, and for the words and marks around the first occurrence.
func (r *Finder) addFirst(v *rank.Vector, rd *naming.Subject, p *Person, form rank.Key) {
	rank.Bin(v, "times", len(p.At))
	if len(p.At) == 0 {
		return
	}
	h, t := p.At[0], rd.Tokens
	rank.Bin(v, "first at", h.First)
	v.Set("at the end", isAtEnd(rd, p))
	v.Set("beside a title", r.besideTitle(rd.Names, &p.Candidate))
	if h.First > 0 {
		v.AddKey(rank.NewKey("before ").Append(t[h.First-1].Folded), 0.7)
		v.AddKey(form.Append(rd.Body[t[h.First-1].End:t[h.First].Start]), 0.7)
	}
	if h.Last < len(t) {
		v.AddKey(rank.NewKey("after ").Append(t[h.Last].Folded), 0.7)
		v.AddKey(form.Append(" ").Append(rd.Body[t[h.Last-1].End:t[h.Last].Start]), 0.7)
	}
}

// isAtEnd reports whether at most twelve words follow the last occurrence of the name.
func isAtEnd(rd *naming.Subject, p *Person) bool {
	n := len(p.At)
	return n > 0 && p.At[n-1].Last >= len(rd.Tokens)-12
}

// addKnown adds features for the mentions of the person, and for whether they are greeted and whether the rules chose
// them.
func addKnown(v *rank.Vector, rd *naming.Subject, p *Person, chosen []Found) {
	for _, m := range p.Mentions {
		v.AddKey(rank.NewKey("mention ").Append(m.Kind.String()), 1)
		v.Set("title", m.Title != "")
	}
	v.Set("greeted", rd.Greeted[p.Key] || rd.Greeted[p.Words[0]])
	for _, f := range chosen {
		v.Set("rules choose", f.Name == p.Text)
	}
}

package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// Written returns the index of the candidate that is the chosen name, all[chosen], in the form in which the text writes
// it: in the text's spelling and script, without particles that are joined to it and words about a meeting, and with a
// symbol that always follows it. p has the probability of each candidate. Written returns chosen if there is no such
// candidate.
func (r *Namer) Written(rd *Subject, all []*Candidate, p []float64, chosen int) int {
	i := r.native(rd, all, p, r.spelled(rd, all, p, withoutMeeting(all, chosen)))
	name := r.bare(rd, all[i].Text)
	if lexicon.HasHangul(name) {
		name = bareKorean(name)
	}
	return signed(rd, all, withPartner(rd, all, p, find(all, name, i)))
}

// withoutMeeting returns the index of the candidate behind a word such as "with" that is the second word of the chosen
// one, if the text has it more often: "Kelvino" for "Spoke with Kelvino". Otherwise it returns chosen.
func withoutMeeting(all []*Candidate, chosen int) int {
	first, rest, _ := strings.Cut(all[chosen].Text, " ")
	second, name, _ := strings.Cut(rest, " ")
	if first == "" || !lexicon.In("words before who is met", second) {
		return chosen
	}
	i := find(all, name, chosen)
	if len(all[i].At) <= len(all[chosen].At) {
		return chosen
	}
	return i
}

// find returns the index of the first candidate whose Text is text. If there is none, it returns its argument
// otherwise.
func find(all []*Candidate, text string, otherwise int) int {
	if i := slices.IndexFunc(all, func(one *Candidate) bool { return one.Text == text }); i >= 0 {
		return i
	}
	return otherwise
}

// native returns the index of the likeliest name in a script other than Latin, if the chosen name is in ASCII and the
// text has it at most in a domain: "海鸥生物" for "haiou.bio". A name that is less than a quarter as likely does not
// replace the chosen one.
func (r *Namer) native(rd *Subject, all []*Candidate, p []float64, chosen int) int {
	const share, shortest, greek = 4, 2, 0x370
	if !lexicon.IsPlainASCII(lexicon.Squeeze(all[chosen].Text)) || isOwnWord(rd.Body, all[chosen].Text) {
		return chosen
	}
	best := -1
	for i, one := range all {
		first, _ := utf8.DecodeRuneInString(one.Text)
		if isLatin := first < greek; isLatin || len(one.At) == 0 || utf8.RuneCountInString(one.Text) < shortest {
			continue
		}
		if share*p[i] > p[chosen] && (best < 0 || p[i] > p[best]) {
			best = i
		}
	}
	if best < 0 {
		return chosen
	}
	return best
}

// withoutForm returns a name without the legal forms at its end: "Tidewave" for "Tidewave OÜ". A form that people
// mostly say as part of the name, as in "Kelp Kitchen Co", stays.
func (r *Namer) withoutForm(name string) string {
	for {
		stem, form := r.cutForm(name)
		isWritten := lexicon.IsPlainASCII(form) || lexicon.IsUpper(form) // "Ağ" is a word
		if form == "" || !isWritten || lexicon.In("legal forms in names", strings.ToLower(form)) {
			return name
		}
		name = stem
	}
}

// bareTopic returns the text before the topic particle in a Japanese clause that was taken for a name: "ツバメ製菓" for
// "ツバメ製菓は明朝". If there is no such particle, or it may be a letter of the name itself, bareTopic returns the name
// unchanged.
func bareTopic(name string) string {
	for _, particle := range lexicon.List("Japanese particles of topics") {
		i := strings.Index(name, particle)
		if i <= 0 {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(name[:i])
		after, _ := utf8.DecodeRuneInString(name[i+len(particle):])
		if utf8.RuneCountInString(name[:i]) > 1 && !unicode.Is(unicode.Hiragana, before) &&
			!unicode.Is(unicode.Hiragana, after) {
			return name[:i]
		}
	}
	return name
}

// bareKorean returns a Korean name without the words after it that are about the deal: "모아창고" for "모아창고 진행상황".
func bareKorean(name string) string {
	words := strings.Fields(name)
	for n := 1; n < len(words); n++ {
		if word := words[n]; lexicon.In("Korean words after names", word) ||
			lexicon.In("Korean words after names", withoutParticles(word)) {
			return strings.Join(words[:n], " ")
		}
	}
	return name
}

// withPartner returns the index of the likeliest candidate that continues the chosen name with an "&" at all its
// occurrences: "Mama & I" for "Mama". It returns chosen if there is none.
func withPartner(rd *Subject, all []*Candidate, p []float64, chosen int) int {
	best, name := -1, all[chosen]
	for i, one := range all {
		rest, isLonger := strings.CutPrefix(one.Text, name.Text)
		if isLonger && strings.HasPrefix(strings.TrimLeft(rest, " "), "&") && (best < 0 || p[i] > p[best]) &&
			everywhere(rd, name, rest) {
			best = i
		}
	}
	if best < 0 {
		return chosen
	}
	return best
}

// everywhere reports whether rest, which may begin with spaces, directly follows each occurrence of the name in name.At
// (the first 12 of the body, see Locate), and no letter or digit follows rest. It returns false if At is empty.
func everywhere(rd *Subject, name *Candidate, rest string) bool {
	for _, h := range name.At {
		after, isFollowed := strings.CutPrefix(rd.Body[rd.Tokens[h.Last-1].End:], rest)
		if next, _ := utf8.DecodeRuneInString(after); !isFollowed || lexicon.IsWordRune(next) {
			return false
		}
	}
	return len(name.At) > 0
}

// signed returns the index of the chosen name with a symbol that always follows it, "Boda+" for "Boda", or with an
// "'s", "Larder's" for "Larder". A name with an "'s" must end a clause at one of its occurrences: before other words it
// may be a possessive. It returns chosen if nothing always follows the name, or if no candidate has it.
func signed(rd *Subject, all []*Candidate, chosen int) int {
	one := all[chosen]
	for _, sign := range []string{"+", "°", "'s", "’s"} {
		if owns := strings.HasSuffix(sign, "s"); everywhere(rd, one, sign) && (!owns || endsClause(rd, one, sign)) {
			return find(all, one.Text+sign, chosen)
		}
	}
	return chosen
}

// endsClause reports whether the name, with sign after it, ends a clause at one of its occurrences.
func endsClause(rd *Subject, one *Candidate, sign string) bool {
	return slices.ContainsFunc(one.At, func(h lexicon.Hit) bool {
		rest := rd.Body[rd.Tokens[h.Last-1].End+len(sign):]
		next, _ := utf8.DecodeRuneInString(rest)
		return rest == "" || strings.ContainsRune(".,;:)\n", next)
	})
}

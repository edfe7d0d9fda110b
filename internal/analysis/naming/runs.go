package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// tokens returns the words of the body in which names are looked for.
func (c *Collection) tokens() []lexicon.Token { return c.rd.Tokens[:min(len(c.rd.Tokens), nameTokens)] }

// ofBody collects names from the first nameTokens words of the body: the beginnings and ends of clauses, words with
// capitals, dots and figures, in texts without capitals short runs of words, and what inside and unspaced collect.
func (c *Collection) ofBody() {
	tokens := c.tokens()
	c.plain = isPlain(c.rd.Body, tokens)
	c.segments(c.rd.Body, tokens, "clause")
	c.written(tokens)
	if c.plain {
		c.runs(tokens)
	}
	c.inside(tokens)
	if lexicon.HasHan(c.rd.Body) {
		c.unspaced()
	}
}

// joins reports whether two neighboring words may belong to one name, by the characters between them.
func (c *Collection) joins(a, b lexicon.Token) bool { return joinsIn(c.rd.Body, a, b) }

func joinsIn(text string, a, b lexicon.Token) bool {
	gap := text[a.End:b.Start]
	return gap == "" || len(gap) <= 5 && strings.Trim(gap, " -&+.'’/·・_!־\u200c") == "" && !strings.HasPrefix(gap, "! ") &&
		(!strings.HasPrefix(gap, ". ") || abbreviates(text, a))
}

// segments collects the first one to four words and the last one to four words of each run of words without punctuation
// between them. It also collects a whole run of five words. It skips runs that begin in Chinese, Japanese or Thai. from
// is the origin of the names.
func (c *Collection) segments(text string, tokens []lexicon.Token, from string) {
	for i := 0; i < len(tokens); {
		end := i + 1
		for end < len(tokens) && joinsIn(text, tokens[end-1], tokens[end]) && tokens[end].Clause == tokens[i].Clause {
			end++
		}
		if first, _ := utf8.DecodeRuneInString(text[tokens[i].Start:]); !lexicon.IsUnspaced(first) {
			c.ends(text, tokens[i:end], from)
		}
		i = end
	}
}

func (c *Collection) ends(text string, run []lexicon.Token, from string) {
	n := len(run)
	for size := 1; size <= min(n, candidateWords); size++ {
		c.addWords(text, run[:size], from)
		if size < n {
			c.addWords(text, run[n-size:], from)
		}
	}
	if n == candidateWords+1 {
		c.addWords(text, run, from)
	}
}

// addWords collects a run of words, and if text is the body, also with the symbols or the dot beside it. It leaves out
// a single word that has only one byte or that is ordinary and not used as a name, and, in a text with capitals, words
// that are all ordinary or frequent and in lower-case letters.
func (c *Collection) addWords(text string, run []lexicon.Token, from string) {
	if len(run) == 1 && (c.r.words.Ordinary[run[0].Folded] && !c.isCalled(run[0], text) || len(run[0].Folded) < 2) ||
		!c.plain && c.isProse(run, text) {
		return
	}
	start, end := run[0].Start, run[len(run)-1].End
	c.add(text[start:end], from)
	if text == c.rd.Body {
		c.signed(start, end)
		c.dotted(start, end, run[len(run)-1])
	}
}

// isCalled reports whether an ordinary word is used as a name: it has a capital within a sentence, or a space and a
// bracket, a dash or "=" follow it, as in "Loop (audio)".
func (c *Collection) isCalled(t lexicon.Token, text string) bool {
	first, _ := utf8.DecodeRuneInString(text[t.Start:])
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:t.Start], " "))
	if unicode.IsUpper(first) && (unicode.IsLower(before) || before == ',') {
		return true
	}
	rest := strings.TrimLeft(text[t.End:], " ")
	next, _ := utf8.DecodeRuneInString(rest)
	return strings.HasPrefix(text[t.End:], " ") && strings.ContainsRune("(=-–—", next)
}

// isProse reports whether all words begin with lower-case letters, and are ordinary or frequent in texts about deals.
func (c *Collection) isProse(run []lexicon.Token, text string) bool {
	for _, t := range run {
		first, _ := utf8.DecodeRuneInString(text[t.Start:])
		if !c.r.words.Common[t.Folded] && !c.r.words.Ordinary[t.Folded] || !unicode.IsLower(first) {
			return false
		}
	}
	return true
}

// written collects the runs of one to four words that begin and end with a word that is written like a name: with a
// capital, a figure, or a dot inside.
func (c *Collection) written(tokens []lexicon.Token) {
	for i := range tokens {
		if !c.isWritten(tokens[i]) {
			continue
		}
		for n := i; n < len(tokens) && n < i+candidateWords && (n == i || c.joins(tokens[n-1], tokens[n])); n++ {
			if c.isWritten(tokens[n]) {
				c.addWords(c.rd.Body, tokens[i:n+1], "written")
				c.possessive(tokens[i].Start, tokens[n].End)
			}
		}
	}
}

// possessive collects the name from byte start up to end of the body with the "'s" after it: "Ben & Jerry's".
func (c *Collection) possessive(start, end int) {
	for _, s := range []string{"'s", "’s", "'S", "’S"} {
		if strings.HasPrefix(c.rd.Body[end:], s) {
			c.Put(c.rd.Body[start:end+len(s)], "possessive")
		}
	}
}

func (c *Collection) isWritten(t lexicon.Token) bool {
	word := c.rd.Body[t.Start:t.End]
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) || !lexicon.IsLower(word) ||
		lexicon.HasDigit(word) ||
		t.End < len(c.rd.Body)-1 && c.rd.Body[t.End] == '.' && unicode.IsLower(rune(c.rd.Body[t.End+1]))
}

// isPlain reports whether a text has so few capitals that they do not mark names: at most one in twelve words.
func isPlain(body string, tokens []lexicon.Token) bool {
	upper := 0
	for _, t := range tokens {
		if first, _ := utf8.DecodeRuneInString(body[t.Start:]); unicode.IsUpper(first) {
			upper++
		}
	}
	return upper*12 <= len(tokens)
}

// runs collects each run of up to three words that begins at one of the first 250 tokens. It skips runs that begin in
// Chinese, Japanese or Thai script. If a particle is joined to a run in Korean, Hebrew or Arabic, runs also collects
// the run without the particle.
func (c *Collection) runs(tokens []lexicon.Token) {
	for i := range tokens[:min(len(tokens), 250)] {
		if first, _ := utf8.DecodeRuneInString(c.rd.Body[tokens[i].Start:]); !lexicon.IsUnspaced(first) {
			c.runsFrom(tokens, i)
		}
	}
}

// runsFrom collects the runs of up to three words that begin at token i, and each run without a particle that is joined
// to it.
func (c *Collection) runsFrom(tokens []lexicon.Token, i int) {
	const most = 3
	for n := i; n < len(tokens) && n < i+most && (n == i || c.joins(tokens[n-1], tokens[n])); n++ {
		c.addWords(c.rd.Body, tokens[i:n+1], "run")
		text := c.rd.Body[tokens[i].Start:tokens[n].End]
		if bare := withoutParticles(text); bare != text {
			c.add(bare, "run without particles")
		}
	}
}

// unspaced collects names from the first 6000 bytes of a text in Chinese or Japanese: the runs of characters between
// punctuation, with and without the particles in them, and the beginnings and ends of these runs.
func (c *Collection) unspaced() {
	body := text.Head(c.rd.Body)
	runs := strings.FieldsFunc(body[:min(len(body), 6000)], func(r rune) bool {
		return !lexicon.IsWordRune(r) && !strings.ContainsRune("・&.ー-＆·", r) || r >= 0x3041 && r <= 0x3096
	})
	for _, run := range runs {
		c.unspacedRun(run)
		for part := range strings.FieldsFuncSeq(run, func(r rune) bool { return strings.ContainsRune(smallHan, r) }) {
			c.unspacedRun(part)
		}
	}
	for run := range strings.FieldsFuncSeq(body[:min(len(body), 6000)],
		func(r rune) bool { return !lexicon.IsWordRune(r) && !strings.ContainsRune("・&.ー＆· ", r) }) {
		if runes := []rune(run); len(runes) <= 14 {
			c.unspacedRun(run)
		}
	}
	if lexicon.IsJapanese(body) {
		c.betweenParticles(body[:min(len(body), 6000)])
	}
}

// betweenParticles collects the parts of a Japanese text that have two to ten characters, and a particle or punctuation
// on each side. A part may have particles inside, since a name may hold their letters: "つくも" in "つくも建機の採否".
func (c *Collection) betweenParticles(body string) {
	const shortest, longest = 2, 10
	for run := range strings.FieldsFuncSeq(body, func(r rune) bool { return !lexicon.IsWordRune(r) && r != 'ー' }) {
		for _, form := range lexicon.List("legal forms around names") {
			run = strings.TrimPrefix(run, form)
		}
		runes := []rune(run)
		for start := range runes {
			if start > 0 && !endsParticle(string(runes[:start])) {
				continue
			}
			for end := start + shortest; end <= min(len(runes), start+longest); end++ {
				if end == len(runes) || beginsParticle(string(runes[end:])) {
					c.add(string(runes[start:end]), "between particles")
				}
			}
		}
	}
}

func beginsParticle(s string) bool {
	return slices.ContainsFunc(lexicon.List("Japanese particles"), func(p string) bool { return strings.HasPrefix(s, p) })
}

func endsParticle(s string) bool {
	return slices.ContainsFunc(lexicon.List("Japanese particles"), func(p string) bool { return strings.HasSuffix(s, p) })
}

// smallHan are characters that names rarely contain: particles, pronouns, and verbs before names.
const smallHan = "的了是在和与跟对给把被做就也都有我你您他她它们这那个今明昨上下去来说聊见看投过从到为及或但不没会要想问让请叫又再已将家"

func (c *Collection) unspacedRun(run string) {
	runes := []rune(strings.Trim(run, "・.-·"))
	if len(runes) < 2 {
		return
	}
	if len(runes) <= 20 {
		c.add(string(runes), "run")
	}
	if !lexicon.IsUnspaced(runes[0]) && !lexicon.IsUnspaced(runes[len(runes)-1]) {
		return
	}
	for n := 2; n <= 8 && n < len(runes); n++ {
		c.add(string(runes[:n]), "begin of a run")
		c.add(string(runes[len(runes)-n:]), "end of a run")
	}
	for i := 1; i < len(runes); i++ { // where the script changes
		if unicode.Is(unicode.Han, runes[i]) != unicode.Is(unicode.Han, runes[i-1]) {
			c.add(string(runes[:i]), "begin of a run")
			c.add(string(runes[i:]), "end of a run")
		}
	}
}

// withoutParticles returns a name without a particle that the text joins to it: at its end in Korean, at its beginning
// in Hebrew and Arabic. A Korean name must keep two characters. In Hebrew and Arabic it also removes a first letter of
// the name itself that is written like a particle. It returns other names unchanged.
func withoutParticles(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case first >= 0xac00 && first <= 0xd7a3, lexicon.HasHangul(text):
		for _, end := range lexicon.List("Korean particles") {
			if bare, ok := strings.CutSuffix(text, end); ok && utf8.RuneCountInString(bare) >= 2 {
				return bare
			}
		}
	case first >= 0x0590 && first <= 0x05ff && strings.ContainsRune("בלמהושכ", first):
		return strings.TrimLeft(text[size:], "-־\"")
	case first >= 0x0600 && first <= 0x06ff && strings.ContainsRune("وبلفك", first):
		return text[size:]
	}
	return text
}

package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// The symbols that may belong to a name: before it, as in "& Sheep", and after it, as in "Kahoot!".
const (
	signsBefore = "&_@#¿¡"
	signsBehind = "+!&°%™"
)

// inside collects names that are written without a capital, from anywhere in a clause: texts in quotation marks, parts
// of senders' names, words with punctuation inside, words that the lexicon does not know, and words of scripts without
// capitals. In a text without capitals it collects only the first three of these, since the method runs collects all
// words there.
func (c *Collection) inside(tokens []lexicon.Token) {
	c.quoted()
	c.heads()
	c.joined()
	for i, t := range tokens {
		first, _ := utf8.DecodeRuneInString(c.rd.Body[t.Start:])
		switch {
		case c.plain, lexicon.IsUnspaced(first): // runs and unspaced collect them
		case unicode.IsLower(first):
			c.small(tokens, i)
		case unicode.IsLetter(first) && !unicode.IsUpper(first):
			c.runsFrom(tokens, i)
		}
	}
}

// small collects token i, a word without a capital, if isUnknown or isLed reports true for it. If isLed does, small
// also collects the token together with the next one if joins reports true for the two.
func (c *Collection) small(tokens []lexicon.Token, i int) {
	led := c.isLed(tokens, i)
	if led || c.isUnknown(tokens[i]) {
		c.add(c.rd.Body[tokens[i].Start:tokens[i].End], "inside")
		c.signed(tokens[i].Start, tokens[i].End)
	}
	if led && i+1 < len(tokens) && c.joins(tokens[i], tokens[i+1]) {
		c.add(c.rd.Body[tokens[i].Start:tokens[i+1].End], "inside")
	}
}

// isUnknown reports whether a word has at least three bytes and is neither in a phrase of the lexicon nor an ordinary
// word nor a given name.
func (c *Collection) isUnknown(t lexicon.Token) bool {
	w := c.r.words
	return len(t.Folded) >= 3 && !w.Common[t.Folded] && !w.Ordinary[t.Folded] && !w.Given[t.Folded]
}

// isLed reports whether the word before token i, in the same sentence, is a phrase of around_company_names.txt that
// comes before names: then even an ordinary word may be a name, as "crumb" in "offer for crumb". Phrases that come
// after a name, as "builds" in "crumb builds ovens", do not count.
func (c *Collection) isLed(tokens []lexicon.Token, i int) bool {
	if i == 0 || tokens[i-1].Sentence != tokens[i].Sentence {
		return false
	}
	switch c.r.words.Name.Whole[tokens[i-1].Folded] {
	case "sure", "likely", "weak":
		return true
	}
	return false
}

// signed collects the name from byte start up to end of the body together with the symbols around it that belong to it,
// which add cuts off: "Kahoot!", "& Sheep".
func (c *Collection) signed(start, end int) {
	body := c.rd.Body
	last := end
	for last < len(body) {
		r, size := utf8.DecodeRuneInString(body[last:])
		if !strings.ContainsRune(signsBehind, r) {
			break
		}
		last += size
	}
	if last > end && goesOn(body[last:], body[last-1] == '!') {
		c.Put(body[start:last], "signed")
	}
	before := strings.TrimSuffix(body[:start], " ")
	r, size := utf8.DecodeLastRuneInString(before)
	if !strings.ContainsRune(signsBefore, r) {
		return
	}
	if other, _ := utf8.DecodeLastRuneInString(before[:len(before)-size]); !lexicon.IsWordRune(other) && other != ' ' {
		c.Put(body[len(before)-size:end], "signed")
	}
}

// dotted collects the name from byte start up to end of the body with the dot after it, if the name ends with initials,
// as in "q.e.d.", or the dot does not end a sentence. last is the last token of the name; dotted ignores the name if
// that word is ordinary or frequent in texts about deals.
func (c *Collection) dotted(start, end int, last lexicon.Token) {
	body, w := c.rd.Body, c.r.words
	if !strings.HasPrefix(body[end:], ".") || w.Common[last.Folded] || w.Ordinary[last.Folded] {
		return
	}
	initials := len(last.Folded) == 1 && end-2 > start && body[end-2] == '.'
	if initials || goesOn(body[end+1:], true) {
		c.Put(body[start:end+1], "signed")
	}
}

// goesOn reports whether the symbol before rest belongs to the name before it: no word follows the symbol without a
// space. If ends is true, the symbol may also be one that ends a sentence; then the rest must continue the sentence.
func goesOn(rest string, ends bool) bool {
	first, size := utf8.DecodeRuneInString(rest)
	if !ends || size == 0 {
		return size > 0 && !lexicon.IsWordRune(first) || size == 0 && !ends
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return !lexicon.IsWordRune(first) && (unicode.IsLower(next) || strings.ContainsRune(".,:;)-–—", next))
}

// joined collects the first 60 words with punctuation or a symbol inside, of at most 40 bytes: "wow!labs", "s.w.e.l.l".
// It skips addresses and paths.
func (c *Collection) joined() {
	const longest, most = 40, 60
	found := 0
	for word := range strings.FieldsSeq(text.Head(c.rd.Body)) {
		if found == most {
			return
		}
		word = strings.Trim(word, ".,:;!?()[]{}<>\"'“”„«»*_")
		if len(word) > longest || strings.ContainsAny(word, "@/\\") || !strings.ContainsAny(word, ".!:&_+#'’-") {
			continue
		}
		c.add(word, "joined")
		found++
	}
}

// quoted collects the first 40 texts between quotation marks that are in one line and have at most 40 characters.
func (c *Collection) quoted() {
	const longest, most = 40, 40
	body, found := text.Head(c.rd.Body), 0
	for i, r := range body {
		closing := closingQuote(r)
		if closing == "" || found == most {
			continue
		}
		inside := body[i+utf8.RuneLen(r):]
		end := strings.IndexAny(inside[:min(len(inside), 4*longest)], closing+"\n")
		if end > 0 && inside[end] != '\n' && utf8.RuneCountInString(inside[:end]) <= longest {
			c.add(inside[:end], "quoted")
			found++
		}
	}
}

// closingQuote returns the characters that may close the quotation that r opens, "" if r opens none.
func closingQuote(r rune) string {
	switch r {
	case '"':
		return "\""
	case '“', '„':
		return "“”\""
	case '«', '»':
		return "«»"
	case '「':
		return "」"
	case '『':
		return "』"
	}
	return ""
}

// heads collects the parts of senders' names in mails, separated by commas, brackets and the like, and the ends of
// these parts, since senders add more to their names: "Ann Lee, CEO, Acme".
func (c *Collection) heads() {
	for _, m := range c.rd.Mails {
		for part := range strings.FieldsFuncSeq(m.Name, func(r rune) bool { return strings.ContainsRune(",()|/", r) }) {
			words := strings.Fields(part)
			for n := range words {
				c.add(strings.Join(words[n:], " "), "head")
			}
		}
	}
}

// abbreviates reports whether the dot after a word marks an abbreviation and ends no sentence: "Dr. Squatch", "K.R.
// Pumps".
func abbreviates(text string, word lexicon.Token) bool {
	first, size := utf8.DecodeRuneInString(text[word.Start:])
	return size == word.End-word.Start && unicode.IsUpper(first) || !lexicon.EndsSentence(text, word.End)
}

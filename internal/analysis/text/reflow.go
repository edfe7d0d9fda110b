package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// Flow returns the parts of a text that are each read as one line: lines that a mail program wrapped are one part, and
// a heading or a point of a list is a separate part. A blank line ends a part.
func (r *Reader) Flow(text string) []Span { return r.flowOf(text, false) }

// SlideFlow is Flow for a slide. A slide has too few lines to show their width, so a line that begins with a capital is
// a separate part, unless the line before it ends in a comma, in "&" or in a word with which no sentence ends.
func (r *Reader) SlideFlow(page string) []Span { return r.flowOf(page, true) }

func (r *Reader) flowOf(text string, slide bool) []Span {
	var all []Span
	at, widest := 0, widestLine(text)
	previous := ""
	for line := range strings.SplitSeq(text, "\n") {
		content := strings.TrimSpace(line)
		start := at + strings.Index(line, content)
		at += len(line) + 1
		if content == "" {
			previous = ""
			continue
		}
		if n := len(all); n > 0 && previous != "" && r.goesOn(previous, content, widest, slide) {
			all[n-1].End = start + len(content)
		} else {
			all = append(all, Span{Start: start, End: start + len(content)})
		}
		previous = content
	}
	return all
}

func widestLine(text string) int {
	widest := 0
	for line := range strings.Lines(text) {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	return widest
}

// goesOn reports whether the line next continues the sentence of line. widest is the number of characters of the widest
// line of the text; slide says that both are on a slide.
func (r *Reader) goesOn(line, next string, widest int, slide bool) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	switch {
	case strings.ContainsRune(".!?:;。！？：；…", last), last == Mask, isPoint(next), r.TopicOf(line) != "",
		r.words.Documents.Exact(next) != "", r.words.Mail.Exact(strings.TrimRight(line, ",")) != "":
		return false
	case last == ',', last == '&', last == '、', last == '，':
		return strings.Count(line, " ") > 1 || lexicon.IsUnspaced(last)
	case lexicon.StartsLower(next) && strings.Contains(line, " "), isOpenEnd(line[strings.LastIndexByte(line, ' ')+1:]):
		return true
	}
	// A full line has no room for the next line's first word.
	room := min(widest, 78) - utf8.RuneCountInString(line)
	if lexicon.IsUnspaced(last) {
		return room <= 2 && utf8.RuneCountInString(line) >= 16
	}
	return !slide && utf8.RuneCountInString(line) >= 44 && room < 1+utf8.RuneCountInString(lexicon.FirstWord(next))
}

// isPoint reports whether a line begins with the mark of a list: "• ", "- ", "1. ".
func isPoint(line string) bool {
	first, size := utf8.DecodeRuneInString(line)
	rest := line[size:]
	if strings.ContainsRune("•·▪◦●○■►➤✓✔→*–—-", first) {
		return rest == "" || rest[0] == ' ' || first > '~'
	}
	digits := strings.TrimLeft(line, "0123456789")
	return digits != line && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// isOpenEnd reports whether a word is one with which no sentence ends.
func isOpenEnd(word string) bool {
	return lexicon.In("words that end no sentence", lexicon.Fold(word))
}

// SentencesIn returns the sentences of the part of a text from byte in.Start up to, not including, in.End, without
// words such as "Our deck:" that only introduce a link.
func SentencesIn(text string, in Span) []Span {
	var all []Span
	start := in.Start
	add := func(end int) {
		if strings.TrimSpace(text[start:end]) != "" {
			all = append(all, Span{
				Start: start + len(text[start:end]) - len(strings.TrimLeft(text[start:end], " \n")), End: end,
			})
		}
		start = end
	}
	for i, c := range text[in.Start:in.End] {
		switch c {
		case '.':
			if lexicon.EndsSentence(text, in.Start+i) && !afterDigit(text, in.Start+i) {
				add(in.Start + i + 1)
			}
		case Mask: // "Our deck: https://…" says nothing without the link
			if strings.HasSuffix(strings.TrimRight(text[start:in.Start+i], " <("), ":") {
				start = in.Start + i + utf8.RuneLen(Mask)
			}
		case '!', '?', '。', '！', '？':
			add(in.Start + i + utf8.RuneLen(c))
		}
	}
	add(in.End)
	return all
}

// afterDigit reports whether the dot at i belongs to a number of one or two digits before it, and ends no sentence: the
// number begins a line, as in "1. First", or a lower-case letter or a month follows, as in "5. marts" and "5. Juni".
func afterDigit(text string, i int) bool {
	word := strings.LastIndexAny(text[:i], " \n") + 1
	if i == word || len(text[word:i]) > 2 || strings.Trim(text[word:i], "0123456789") != "" {
		return false
	}
	rest := strings.TrimLeft(text[i+1:], " ")
	return rest != "" && (word == 0 || text[word-1] == '\n' || lexicon.StartsLower(rest) || startsWithMonth(rest))
}

func startsWithMonth(s string) bool {
	rest := strings.TrimLeftFunc(s, unicode.IsLetter)
	return lexicon.In("months", lexicon.Fold(s[:len(s)-len(rest)]))
}

// TopicOf returns the topic that a heading names, such as "head_traction"; "head_other" for other headings of slides,
// "" for no heading.
func (r *Reader) TopicOf(line string) string {
	if topic := r.words.Summary.Exact(line); strings.HasPrefix(topic, "head_") {
		return topic
	}
	if r.words.Documents.Exact(line) == "slide" {
		return "head_other"
	}
	return ""
}

// Tidy returns a sentence without Mask, labels of links and surplus spaces. If it has more than longestSentence
// characters, it is cut at the end of a clause, or else at a space, or in a word, with " …" after it, and long is true.
func Tidy(text string) (tidied string, long bool) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, string(Mask), "")), " ")
	text = strings.NewReplacer(" .", ".", " ,", ",", "()", "", "<>", "", "[]", "").Replace(text)
	text = strings.TrimSpace(strings.Trim(withoutLabel(text), " ,:;-–—|*>•·▪◦●➤✓"))
	if utf8.RuneCountInString(text) <= longestSentence {
		return text, false
	}
	cut := string([]rune(text)[:longestSentence])
	for _, ends := range []string{";；", "。.!?", ",，、", "–—"} {
		if i := strings.LastIndexAny(cut, ends); i > longestSentence/3 {
			return strings.TrimRight(cut[:i], " ,;:–—-"), true
		}
	}
	if i := strings.LastIndexByte(cut, ' '); i > longestSentence/2 {
		cut = cut[:i]
	}
	return cut + " …", true
}

// Ended returns the sentence, which must not be empty, with a full stop ("。" in scripts without spaces), unless it has
// an end already.
func Ended(s string) string {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `"”»)'`))
	switch {
	case strings.ContainsRune(".!?…。！？", last):
		return s
	case lexicon.IsUnspaced(last):
		return s + "。"
	}
	return s + "."
}

// withoutLabel returns a sentence without the "Deck:" before a link.
func withoutLabel(text string) string {
	label, rest, ok := strings.Cut(text, ":")
	if !ok || !lexicon.In("labels of links", lexicon.Fold(strings.TrimSpace(label))) {
		return text
	}
	return strings.TrimPrefix(strings.TrimLeft(rest, " -–—,;"), "and ")
}

// IsUnspacedText reports whether a text of more than eight characters begins in a script without spaces.
func IsUnspacedText(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return lexicon.IsUnspaced(first) && utf8.RuneCountInString(s) > 8
}

// longestSentence is how many characters of a sentence are kept; a longer one is cut at a clause.
const longestSentence = 320

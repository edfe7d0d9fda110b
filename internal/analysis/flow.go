package analysis

import (
	"strings"
	"unicode/utf8"
)

// flow gives the stretches of a text that are read in one go: lines that a mail program broke are one stretch with
// the line they go on from, a heading or a point of a list is one of its own.
func (r *Rules) flow(text string) []place { return r.flowOf(text, false) }

// slideFlow is flow for a slide, whose lines are too few to tell its width: there a line that begins with a capital
// is a point.
func (r *Rules) slideFlow(page string) []place { return r.flowOf(page, true) }

func (r *Rules) flowOf(text string, slide bool) []place {
	var all []place
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
			all[n-1].end = start + len(content)
		} else {
			all = append(all, place{start: start, end: start + len(content)})
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

// goesOn reports whether a line goes on with the sentence of the line before it.
func (r *Rules) goesOn(line, next string, widest int, slide bool) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	switch {
	case strings.ContainsRune(".!?:;。！？：；…", last), last == mask, isPoint(next), r.topicOf(line) != "",
		r.documents.exact(next) != "", r.mailWords.exact(strings.TrimRight(line, ",")) != "":
		return false
	case last == ',', last == '&', last == '、', last == '，':
		return strings.Count(line, " ") > 1 || isUnspaced(last)
	case startsLower(next) && strings.Contains(line, " "), isOpenEnd(line[strings.LastIndexByte(line, ' ')+1:]):
		return true
	}
	// A full line has no room for the next line's first word.
	room := min(widest, 78) - utf8.RuneCountInString(line)
	if isUnspaced(last) {
		return room <= 2 && utf8.RuneCountInString(line) >= 16
	}
	return !slide && utf8.RuneCountInString(line) >= 44 && room < 1+utf8.RuneCountInString(firstWord(next))
}

// isPoint tells a line that begins with the mark of a list.
func isPoint(line string) bool {
	first, size := utf8.DecodeRuneInString(line)
	rest := line[size:]
	if strings.ContainsRune("•·▪◦●○■►➤✓✔→*–—-", first) {
		return rest == "" || rest[0] == ' ' || first > '~'
	}
	digits := strings.TrimLeft(line, "0123456789")
	return digits != line && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// isOpenEnd tells the words that no sentence ends with.
func isOpenEnd(word string) bool {
	switch fold(word) {
	case "and", "or", "of", "for", "the", "a", "an", "to", "with", "in", "on", "by", "from", "at", "our", "und", "oder",
		"der", "die", "das", "fur", "mit", "von", "zu", "im", "et", "de", "du", "des", "les", "la", "le",
		"pour", "avec", "y", "o", "del", "el", "los", "las", "para", "con", "e", "da", "do", "dos", "das os", "em", "com",
		"di", "il", "per", "van", "het", "een", "en", "voor", "met", "i", "w", "z", "dla", "na", "ve", "ile", "icin":
		return true
	}
	return false
}

// sentencesIn parts a stretch of a text at the ends of its sentences.
func sentencesIn(text string, in place) []place {
	var all []place
	start := in.start
	add := func(end int) {
		if strings.TrimSpace(text[start:end]) != "" {
			all = append(all, place{
				start: start + len(text[start:end]) - len(strings.TrimLeft(text[start:end], " \n")), end: end,
			})
		}
		start = end
	}
	for i, c := range text[in.start:in.end] {
		switch c {
		case '.':
			if endsSentence(text, in.start+i) && !afterDigit(text, in.start+i) {
				add(in.start + i + 1)
			}
		case mask: // "Our deck: https://…" says nothing without the link
			if strings.HasSuffix(strings.TrimRight(text[start:in.start+i], " <("), ":") {
				start = in.start + i + utf8.RuneLen(mask)
			}
		case '!', '?', '。', '！', '？':
			add(in.start + i + utf8.RuneLen(c))
		}
	}
	add(in.end)
	return all
}

// afterDigit distinguishes the dot of "1. First" and of a German date from a sentence's end: a lower-case word or
// nothing but the figure is beside it.
func afterDigit(text string, i int) bool {
	word := strings.LastIndexAny(text[:i], " \n") + 1
	if i == word || len(text[word:i]) > 2 || strings.Trim(text[word:i], "0123456789") != "" {
		return false
	}
	rest := strings.TrimLeft(text[i+1:], " ")
	return rest != "" && (word == 0 || text[word-1] == '\n' || startsLower(rest))
}

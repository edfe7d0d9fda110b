package text

import (
	"regexp"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// Reader parses texts. It is built once and may be used by many goroutines.
type Reader struct {
	words     *lexicon.Words
	extractor *links.Extractor

	wrote      *regexp.Regexp // the line that a mail program writes above a quoted mail
	assignment *regexp.Regexp // name=value
	chatTurn   *regexp.Regexp // time and name at the beginning of a line of a chat
}

// NewReader returns a Reader that looks words up in the lexicon and finds links with the extractor.
func NewReader(words *lexicon.Words, extractor *links.Extractor) *Reader {
	return &Reader{
		words: words, extractor: extractor,
		wrote: regexp.MustCompile(`(?i)^\s*(?:on|am|le|el|il|em|op|w dniu|den|på)\s(.{4,160}?)[\s,]*` +
			`(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|napisał\(a\)|napisała|napisał|skrev|` +
			`het volgende geschreven|yazdı)(?:\s(.{0,80}))?\s?:\s*$`),
		assignment: regexp.MustCompile(
			`\b([A-Za-z_]{3,20}(?: name)?)\s?=\s?("[^"\n]{1,900}"|(?: & |[^,;&\n"]){1,200})`),
		chatTurn: regexp.MustCompile(`^\s*(?:\[[\d./\- ,]{0,14}\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?` +
			`[\d./\- ,]{0,14}\]\s?|\d{1,4}[./\-]\d{1,2}[./\-]\d{2,4},? \d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?\s?[-–]\s?)` +
			`([^:\[\]/@]{1,40}?)\s?[:：]\s?`),
	}
}

// Bare returns a Text of mere words, such as a page of a document or a phrase, in which no mail, form or chat is
// looked for.
func Bare(words string) *Text {
	return &Text{Plain: words, Body: words, Tokens: lexicon.Tokenize(words)}
}

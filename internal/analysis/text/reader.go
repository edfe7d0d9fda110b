package text

import (
	"regexp"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/mailprovider"
)

// Reader parses texts. It is built once and may be used by many goroutines.
type Reader struct {
	words     *lexicon.Words
	extractor *links.Extractor
	providers *mailprovider.List

	wrote      *regexp.Regexp // the line that a mail program writes above a quoted mail
	days       map[string]bool
	assignment *regexp.Regexp // name=value
	chatTurn   *regexp.Regexp // time and name at the beginning of a line of a chat
}

// NewReader returns a Reader that looks words up in the lexicon and finds links with the extractor.
func NewReader(words *lexicon.Words, extractor *links.Extractor) *Reader {
	return &Reader{
		words: words, extractor: extractor, providers: mailprovider.New(),
		wrote: regexp.MustCompile(wrotePattern()), days: daysOfTheWeek(),
		assignment: regexp.MustCompile(assignmentPattern), chatTurn: regexp.MustCompile(chatTurnPattern),
	}
}

// Bare returns a Text for words alone, such as a page of a document or a phrase. It has only Plain, Body and Tokens:
// Bare does not look for mails, forms, chats or phrases.
func Bare(words string) *Text {
	return &Text{Plain: words, Body: words, Tokens: lexicon.Tokenize(words)}
}

package text

import (
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// Mask replaces each link in the parsed text, so that no word of a link is taken for a word of the sender.
const Mask = '\ue000'

// How many bytes at the beginning and at the end of a very long text are read for names and stages. Text.Links has the
// links of these parts only.
const (
	HeadRead = 48 << 10
	tailRead = 16 << 10
)

// MostPeople is the largest number of people, and of addresses, of a text that are considered, since each is compared
// with every other.
const MostPeople = 150

// Text is a parsed text: decoded, with a Mask in place of each link, and with the headers of mails separate.
type Text struct {
	sent         string // the text as sent, without the middle of a very long one
	cutAt        int    // where the middle is missing, in bytes of sent; 0 if it is whole
	missingRunes int    // how many characters are missing there, less one for the line end in their place

	Plain     string   // the parsed text, without quote marks
	Body      string   // Plain with spaces for headers, banners, and times and names of a chat: same offsets
	Links     []string // the link that each Mask replaces, in order
	Tokens    []lexicon.Token
	Lines     []Line
	Mails     []Header
	Fields    []Field // of a questionnaire
	HTML      bool
	MIME      bool // the text came with headers of a mail, or encoded for one
	JSON      bool
	Addresses []Address
	Owners    []linkOwner // of the first MostPeople links
	Year      int         // of the analysis

	// The phrases of the lexicon that the text contains.
	StatusHits, SourceHits, ConceptHits []lexicon.Hit

	Chat     Clue     // the copy of a chat, where the text is one
	Speaker  string   // who opens the chat
	Speakers []string // everybody who speaks in it

	recipients map[string]bool // the addresses in To of Mails, in lower case
}

// Line is one line of a text without its quote marks: from byte Start up to, not including, End of Plain and of Body.
type Line struct {
	Start, End int
	depth      int // how deep it is quoted
}

// linkOwner is the owner of a link: Slug of a LinkedIn profile, squeezed, or Label of a domain, such as "acme" of
// acme.io.
type linkOwner struct{ Slug, Label string }

// Read parses a text with everything that the rules look for; of a text of more than 64 KB, only the beginning and the
// end. year is the year of the analysis. Owners and Addresses have at most MostPeople elements.
func (r *Reader) Read(text string, year int) *Text {
	rd := r.Open(text, links.Cleaned{})
	if !rd.JSON {
		r.findFields(rd)
	}
	rd.Year = year
	rd.Tokens = lexicon.Tokenize(rd.Body)
	rd.StatusHits, rd.SourceHits = r.words.Status.Find(rd.Tokens), r.words.Source.Find(rd.Tokens)
	rd.ConceptHits = r.words.Concepts.Find(rd.Tokens)
	for _, l := range rd.Links[:min(len(rd.Links), MostPeople)] {
		host, _ := links.SplitLink(l)
		rd.Owners = append(rd.Owners, linkOwner{Slug: lexicon.Squeeze(links.LinkedInSlug(l)), Label: links.DomainLabel(host)})
	}
	for i := range rd.Addresses {
		local, host, _ := strings.Cut(rd.Addresses[i].Email, "@")
		rd.Addresses[i].Local, rd.Addresses[i].Label = local, links.DomainLabel(host)
		rd.Addresses[i].Parts = LocalParts(local)
	}
	return rd
}

// Open parses the parts of a text that a fallback name needs: its lines, mails, addresses and members of JSON. It sets
// no Tokens and no hits. before is what Extractor.Clean returned for the text, or zero; it must be zero for a text of
// more than HeadRead bytes.
func (r *Reader) Open(text string, before links.Cleaned) *Text {
	rd := &Text{MIME: clean.LooksQuotedPrintable(Head(text)), HTML: clean.LooksLikeHTML(Head(text))}
	rd.shorten(text)
	if rd.MIME || rd.HTML || before.Text == "" || strings.Contains(before.Text, "\r\n") {
		before = r.plain(rd)
	}
	rd.unquote(rd.masked(before))
	rd.Body = rd.Plain
	r.findHeaders(rd)
	r.blankBanners(rd)
	r.findChat(rd)
	rd.Addresses = Addresses(rd.Plain)
	rd.Addresses = rd.Addresses[:min(len(rd.Addresses), MostPeople)]
	rd.JSON = r.jsonFields(rd)
	return rd
}

// Head returns the beginning of a text that is read, of at most HeadRead bytes. It may end inside a character.
func Head(text string) string { return text[:min(len(text), HeadRead)] }

// shorten sets rd.sent to the text or, if it is too long to be read whole, to its beginning and its end, cut at line
// ends.
func (rd *Text) shorten(text string) {
	rd.sent = text
	if len(text) <= HeadRead+tailRead {
		return
	}
	first, last := text[:HeadRead], text[len(text)-tailRead:]
	if i := strings.LastIndexByte(first, '\n'); i > HeadRead/2 {
		first = first[:i]
	}
	if i := strings.IndexByte(last, '\n'); i >= 0 && i < tailRead/2 {
		last = last[i:]
	}
	first, last = wholeEnd(first), wholeStart(last)
	rd.sent, rd.cutAt = first+"\n"+last, len(first)
	rd.missingRunes = utf8.RuneCountInString(text) - utf8.RuneCountInString(rd.sent)
}

// wholeEnd returns s without a last character that was cut in two.
func wholeEnd(s string) string {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// wholeStart returns s without a first character that was cut in two.
func wholeStart(s string) string {
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// plain returns rd.sent as a person reads it, decoded from quoted-printable, and from HTML if rd.HTML is true, with
// "\n" as line ends. It also returns the links in it, of which one may begin inside another.
func (r *Reader) plain(rd *Text) links.Cleaned {
	text := rd.sent
	if clean.LooksQuotedPrintable(text) {
		text = clean.DecodeQuotedPrintable(text)
	}
	if rd.HTML {
		text = clean.HtmlText(text)
	}
	text = strings.ReplaceAll(clean.JoinWrapped(clean.Clean(text)), "\r\n", "\n")
	return links.Cleaned{Text: text, Links: r.extractor.Find(text)}
}

// masked returns a text with a Mask in place of each link, and appends the links to rd.Links. It leaves out a link that
// begins inside the one before.
func (rd *Text) masked(given links.Cleaned) string {
	var out strings.Builder
	at := 0
	for _, l := range given.Links {
		if l.Start < at {
			continue
		}
		out.WriteString(given.Text[at:l.Start])
		out.WriteRune(Mask)
		rd.Links = append(rd.Links, l.Url)
		at = l.End
	}
	out.WriteString(given.Text[at:])
	return out.String()
}

// unquote sets Plain to the text without quote marks and spaces at the ends of lines, and Lines with the depth of each
// line's quote. Tabs become spaces.
func (rd *Text) unquote(text string) {
	var out strings.Builder
	out.Grow(len(text))
	for raw := range strings.SplitSeq(text, "\n") {
		prefix := clean.QuotePrefix(raw)
		content := strings.TrimRight(strings.ReplaceAll(raw[len(prefix):], "\t", " "), " ")
		start := out.Len()
		out.WriteString(content)
		rd.Lines = append(rd.Lines, Line{Start: start, End: out.Len(), depth: strings.Count(prefix, ">")})
		out.WriteByte('\n')
	}
	rd.Plain = strings.TrimSuffix(out.String(), "\n")
	last := &rd.Lines[len(rd.Lines)-1]
	last.End = min(last.End, len(rd.Plain))
}

func (rd *Text) line(i int) string { return rd.Plain[rd.Lines[i].Start:rd.Lines[i].End] }

// blank replaces the lines from first up to, not including, last by spaces in the body.
func (rd *Text) blank(first, last int) {
	start, end := rd.Lines[first].Start, rd.Lines[last-1].End
	rd.Body = rd.Body[:start] + blanks(rd.Body[start:end]) + rd.Body[end:]
}

// blanks returns a text of the same length in bytes as s that has the line ends of s, and spaces for all other bytes.
func blanks(s string) string {
	b := make([]byte, len(s))
	for i := range b {
		b[i] = ' '
		if s[i] == '\n' {
			b[i] = '\n'
		}
	}
	return string(b)
}

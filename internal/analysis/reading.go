package analysis

import (
	"mime"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"
)

// mask is in a reading for each link, so that no word of a link is taken for one of the sender's.
const mask = '\ue000'

// The parts of a very long text that are read for names and stages; links are found in all of it.
const (
	headRead = 48 << 10
	tailRead = 16 << 10
)

// mostPeople is how many people and addresses of a text are looked at: each is compared with each.
const mostPeople = 150

// reading is a text as the rules look at it: plain, with links masked and the heads of mails set apart.
type reading struct {
	sent         string   // the text as sent, without the middle of a very long one
	cutAt        int      // where the middle is missing, in bytes of sent; 0 where it is whole
	missingRunes int      // how many characters are missing there, less the line end that stands for them
	text         string   // the whole, without quote marks
	body         string   // the same with heads of mails blanked out: same offsets
	links        []string // the link behind each mask, in order
	tokens       []token  // of body
	lines        []line
	mails        []header
	fields       []field
	html         bool
	mime         bool // the text came with heads of a mail, or encoded for one
	json         bool
	address      []address

	statusHits, sourceHits []hit
	conceptHits            []hit
	linkOwners             []linkOwner
	persons                map[string]int // how much a name looked at before is a person's

	year         int     // of the analysis
	phones       [][]int // where numbers are in the body
	titleList    []title
	spanList     []span
	firstWord    int // where the first name or word of the text stands
	greetedNames map[string]bool
	people       []mention
	names        []companyName
	company      string // "" where no name is good enough

	greets, signs bool // like a letter
	letterAt      place
	chat          clue   // the copy of a chat, where the text is one
	speaker       string // who opens it
	speakers      []string
	founderVoice  bool // the founders themselves speak
	introduces    bool // somebody else introduces them
	replies       bool // the investor answers them
	speaksOfDeal  bool // like a note of the investor's about a deal
}

// line is one line of the text, without its quote marks.
type line struct {
	start, end int
	depth      int // how deep it is quoted
}

// header is the head of a mail: who wrote what follows it.
type header struct {
	name, email string
	to          []string // names and addresses as written
	subject     string
	start, end  int // the lines of the head themselves
	forwarded   bool
	reply       bool // a line like "On Monday Ann wrote:"
}

// address is an e-mail address and where it stands.
type address struct {
	email        string
	local, label string // what is before the "@", and the owner's name behind it
	start, end   int
}

// linkOwner is whom a link belongs to: a person's profile, or a domain's owner.
type linkOwner struct{ slug, label string }

// read reads a text for everything that the rules look for.
func (r *Rules) read(text string) *reading {
	rd := r.open(text, cleaned{})
	if !rd.json {
		r.findFields(rd)
	}
	rd.tokens = tokenize(rd.body)
	rd.statusHits, rd.sourceHits = r.status.find(rd.tokens), r.source.find(rd.tokens)
	rd.conceptHits = r.concepts.find(rd.tokens)
	rd.persons = map[string]int{}
	for _, l := range rd.links[:min(len(rd.links), mostPeople)] {
		host, _ := splitLink(l)
		rd.linkOwners = append(rd.linkOwners, linkOwner{slug: squeeze(linkedInSlug(l)), label: domainLabel(host)})
	}
	for i := range rd.address {
		local, host, _ := strings.Cut(rd.address[i].email, "@")
		rd.address[i].local, rd.address[i].label = local, domainLabel(host)
	}
	return rd
}

// open reads a text as far as its fallback name needs: its lines, mails, addresses and members of JSON. A text that
// was cleaned before need not be cleaned again.
func (r *Rules) open(text string, before cleaned) *reading {
	rd := &reading{mime: looksQuotedPrintable(head(text)), html: looksLikeHTML(head(text))}
	rd.shorten(text)
	if rd.mime || rd.html || before.text == "" || strings.Contains(before.text, "\r\n") {
		before = r.plain(rd)
	}
	rd.unquote(rd.masked(before))
	rd.body = rd.text
	r.findHeaders(rd)
	r.blankBanners(rd)
	r.findChat(rd)
	rd.address = addresses(rd.text)
	rd.address = rd.address[:min(len(rd.address), mostPeople)]
	rd.json = r.jsonFields(rd)
	return rd
}

func head(text string) string { return text[:min(len(text), headRead)] }

// shorten keeps the beginning and the end of a text that is too long to be read whole, cut at line ends.
func (rd *reading) shorten(text string) {
	rd.sent = text
	if len(text) <= headRead+tailRead {
		return
	}
	first, last := text[:headRead], text[len(text)-tailRead:]
	if i := strings.LastIndexByte(first, '\n'); i > headRead/2 {
		first = first[:i]
	}
	if i := strings.IndexByte(last, '\n'); i >= 0 && i < tailRead/2 {
		last = last[i:]
	}
	first, last = wholeEnd(first), wholeStart(last)
	rd.sent, rd.cutAt = first+"\n"+last, len(first)
	rd.missingRunes = utf8.RuneCountInString(text) - utf8.RuneCountInString(rd.sent)
}

// wholeEnd leaves out the character that the end cuts in two.
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

// wholeStart leaves out what is left of a character that the start cuts in two.
func wholeStart(s string) string {
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// plain returns the text as a person reads it, and the links in it.
func (r *Rules) plain(rd *reading) cleaned {
	text := rd.sent
	if looksQuotedPrintable(text) {
		text = decodeQuotedPrintable(text)
	}
	if rd.html {
		text = htmlText(text)
	}
	text = strings.ReplaceAll(joinWrapped(clean(text)), "\r\n", "\n")
	return cleaned{text: text, links: r.extractor.find(text)}
}

// masked returns a text with a mask for each link, which it keeps.
func (rd *reading) masked(given cleaned) string {
	var out strings.Builder
	at := 0
	for _, l := range given.links {
		if l.start < at {
			continue
		}
		out.WriteString(given.text[at:l.start])
		out.WriteRune(mask)
		rd.links = append(rd.links, l.url)
		at = l.end
	}
	out.WriteString(given.text[at:])
	return out.String()
}

// unquote takes the quote marks off the lines, and remembers how deep each was quoted.
func (rd *reading) unquote(text string) {
	var out strings.Builder
	out.Grow(len(text))
	for raw := range strings.SplitSeq(text, "\n") {
		prefix := quotePrefix(raw)
		content := strings.TrimRight(strings.ReplaceAll(raw[len(prefix):], "\t", " "), " ")
		start := out.Len()
		out.WriteString(content)
		rd.lines = append(rd.lines, line{start: start, end: out.Len(), depth: strings.Count(prefix, ">")})
		out.WriteByte('\n')
	}
	rd.text = strings.TrimSuffix(out.String(), "\n")
	last := &rd.lines[len(rd.lines)-1]
	last.end = min(last.end, len(rd.text))
}

func (rd *reading) line(i int) string { return rd.text[rd.lines[i].start:rd.lines[i].end] }

// blank takes the lines from first up to, not including, last out of the body.
// blankBanners takes out what mail servers write above a mail from outside ("CAUTION: External sender.").
func (r *Rules) blankBanners(rd *reading) {
	const mostLines, longest = 40, 300
	for i := range rd.lines[:min(len(rd.lines), mostLines)] {
		l := rd.line(i)
		if len(l) > longest || !r.mailWords.has("banner", l) {
			continue
		}
		for _, s := range sentencesIn(rd.body, place{start: rd.lines[i].start, end: rd.lines[i].end}) {
			if r.mailWords.has("banner", rd.body[s.start:s.end]) {
				rd.body = rd.body[:s.start] + blanks(rd.body[s.start:s.end]) + rd.body[s.end:]
			}
		}
	}
}

func (rd *reading) blank(first, last int) {
	start, end := rd.lines[first].start, rd.lines[last-1].end
	rd.body = rd.body[:start] + blanks(rd.body[start:end]) + rd.body[end:]
}

// blanks gives as many bytes as s has: line ends where it has them, else spaces, the first a full stop to part
// sentences.
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

// findHeaders reads the heads of mails: blocks of "From: …" lines, also of forwarded and quoted mails, and lines like
// "On Monday, Ann <ann@acme.io> wrote:".
func (r *Rules) findHeaders(rd *reading) {
	for i := 0; i < len(rd.lines); i++ {
		if h, ok := r.attribution(rd.line(i)); ok {
			h.start, h.end = rd.lines[i].start, rd.lines[i].end
			rd.mails = append(rd.mails, h)
			rd.blank(i, i+1)
			continue
		}
		n, h := r.headerBlock(rd, i)
		if n == 0 {
			continue
		}
		h.start, h.end = rd.lines[i].start, rd.lines[i+n-1].end
		h.forwarded = i > 0
		if h.email != "" || h.name != "" || h.subject != "" {
			rd.mails = append(rd.mails, h)
			rd.mime = rd.mime || i == 0
		}
		rd.blank(i, i+n)
		i += n - 1
	}
}

// headerBlock counts the header lines from line i on and gives what they say; 0 where none is there.
func (r *Rules) headerBlock(rd *reading, i int) (int, header) {
	var h header
	n, known := 0, 0
	for i+n < len(rd.lines) {
		name, value := headerLine(rd.line(i + n))
		section := r.mailWords.exact(name)
		switch {
		case section == "" || section == "greeting" || section == "farewell" || section == "mark" || section == "banner":
			return r.acceptBlock(n, known, h)
		case section == "from":
			if !strings.Contains(value, "@") && n == 0 && !r.followedByHeader(rd, i+1) {
				return 0, h // "De: …" in prose, or a form that asks where one comes from
			}
			h.name, h.email = readPerson(value)
			known += 2
		case section == "to" || section == "copy" && name == "cc":
			h.to = append(h.to, value)
			known++
		case section == "subject":
			h.subject = decodeWords(value)
			known += 2
		default:
			known++
			if strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "mime-") {
				known++ // nobody writes these by hand
			}
		}
		n++
	}
	return r.acceptBlock(n, known, h)
}

func (r *Rules) acceptBlock(n, known int, h header) (int, header) {
	if known >= 2 || n > 0 && (h.email != "" || known > 0 && h.subject != "") {
		return n, h
	}
	return 0, header{}
}

func (r *Rules) followedByHeader(rd *reading, i int) bool {
	if i >= len(rd.lines) {
		return false
	}
	name, value := headerLine(rd.line(i))
	section := r.mailWords.exact(name)
	return value != "" && (section == "to" || section == "subject" || section == "date" || section == "copy")
}

// headerLine splits "*From:* x" into "from" and "x"; the name is "" where the line has none of a few letters.
func headerLine(s string) (name, value string) {
	name, value, ok := strings.Cut(strings.Replace(s, "：", ":", 1), ":")
	name = strings.Trim(name, " *_")
	if !ok || name == "" || utf8.RuneCountInString(name) > 26 {
		return "", ""
	}
	return fold(name), strings.Trim(value, " *_")
}

func decodeWords(s string) string {
	decoded, err := new(mime.WordDecoder).DecodeHeader(s)
	if err != nil {
		return s
	}
	return decoded
}

// person reads "Ann Lee <ann@acme.io>", "ann@acme.io (Ann Lee)" and the like.
func readPerson(value string) (name, email string) {
	value = decodeWords(value)
	if a, err := mail.ParseAddress(strings.NewReplacer("[mailto:", "<", "]", ">").Replace(value)); err == nil && a.Name != "" {
		return cleanName(a.Name), strings.ToLower(a.Address)
	}
	found := addresses(value)
	if len(found) == 0 {
		return cleanName(value), ""
	}
	name = cleanName(value[:found[0].start])
	if name == "" {
		name = cleanName(value[found[0].end:])
	}
	return name, found[0].email
}

// cleanName takes the brackets and quotes off a name, and turns "Lee, Ann" round.
func cleanName(s string) string {
	s = strings.Trim(s, " \"'<>()[]*,;:")
	s, _, _ = strings.Cut(s, " via ")
	if last, first, ok := strings.Cut(s, ", "); ok && !strings.Contains(first, " ") && !strings.Contains(last, " ") {
		s = first + " " + last
	}
	if strings.ContainsAny(s, "@/\n") || utf8.RuneCountInString(s) > 60 {
		return ""
	}
	return s
}

// attribution reads the line that a mail program sets above what it quotes.
func (r *Rules) attribution(s string) (header, bool) {
	m := r.wrote.FindStringSubmatch(s)
	if m == nil {
		return header{}, false
	}
	name, email := readPerson(strings.TrimSpace(m[1]))
	if after, address := readPerson(m[2]); address != "" { // "Am Montag schrieb Ann Lee <ann@acme.io>:"
		name, email = after, address
	}
	return header{name: afterDate(name), email: email, reply: true}, email != "" || name != ""
}

// afterDate leaves out the date before the name in "Thu, 5 Nov 2026 Ida Falk".
func afterDate(s string) string {
	words := strings.Fields(s)
	for i, word := range slices.Backward(words) {
		if hasDigit(word) || strings.HasSuffix(word, ",") || word == "at" || word == "um" {
			return strings.Join(words[i+1:], " ")
		}
	}
	return s
}

package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// Header is the header of one mail in a text: its sender, recipients and subject.
type Header struct {
	Name, Email string
	To          []string // the values of its "To" and "Cc" lines, as written
	Subject     string
	Start, end  int  // the bytes of the header's own lines
	Forwarded   bool // the header is not at the beginning of the text
	Reply       bool // a line like "On Monday Ann wrote:"
}

// findHeaders adds to rd.Mails the headers of mails: blocks of "From: …" lines, also of forwarded and quoted mails, and
// lines like "On Monday, Ann Lee <ann@acme.io> wrote:". It replaces them by spaces in the body. It sets rd.MIME if the
// text begins with a block.
func (r *Reader) findHeaders(rd *Text) {
	for i := 0; i < len(rd.Lines); i++ {
		if h, ok := r.attribution(rd.line(i)); ok {
			h.Start, h.end = rd.Lines[i].Start, rd.Lines[i].End
			rd.Mails = append(rd.Mails, h)
			rd.blank(i, i+1)
			continue
		}
		n, h := r.headerBlock(rd, i)
		if n == 0 {
			continue
		}
		h.Start, h.end = rd.Lines[i].Start, rd.Lines[i+n-1].End
		h.Forwarded = i > 0
		if h.Email != "" || h.Name != "" || h.Subject != "" {
			rd.addMail(h)
			rd.MIME = rd.MIME || i == 0
		}
		rd.blank(i, i+n)
		i += n - 1
	}
}

// addMail adds the header of a mail, and the addresses of its recipients.
func (rd *Text) addMail(h Header) {
	rd.Mails = append(rd.Mails, h)
	if rd.recipients == nil {
		rd.recipients = map[string]bool{}
	}
	for _, to := range h.To {
		for _, a := range Addresses(to) {
			rd.recipients[strings.ToLower(a.Email)] = true
		}
	}
}

// headerBlock returns how many header lines begin at line i, and their content; 0 for none.
func (r *Reader) headerBlock(rd *Text, i int) (int, Header) {
	var h Header
	n, known := 0, 0
	for i+n < len(rd.Lines) {
		name, value := headerLine(rd.line(i + n))
		section := r.words.Mail.Exact(name)
		switch {
		case slices.Contains([]string{"", "greeting", "farewell", "mark", "banner"}, section):
			return r.acceptBlock(n, known, h)
		case section == "from":
			if !strings.Contains(value, "@") && n == 0 && !r.followedByHeader(rd, i+1) {
				return 0, h // "De: …" in prose, or a form that asks where one comes from
			}
			h.Name, h.Email = ReadPerson(value)
			known += 2
		case section == "to" || section == "copy" && name == "cc":
			h.To = append(h.To, value)
			known++
		case section == "subject":
			h.Subject = decodeWords(value)
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

func (r *Reader) acceptBlock(n, known int, h Header) (int, Header) {
	if known >= 2 || n > 0 && (h.Email != "" || known > 0 && h.Subject != "") {
		return n, h
	}
	return 0, Header{}
}

func (r *Reader) followedByHeader(rd *Text, i int) bool {
	if i >= len(rd.Lines) {
		return false
	}
	name, value := headerLine(rd.line(i))
	section := r.words.Mail.Exact(name)
	return value != "" && (section == "to" || section == "subject" || section == "date" || section == "copy")
}

// headerLine splits "*From:* x" into "from", which is folded, and "x". Both are "" if no name of up to 26 characters is
// before a colon.
func headerLine(s string) (name, value string) {
	name, value, ok := strings.Cut(strings.Replace(s, "：", ":", 1), ":")
	name = strings.Trim(name, " *_")
	if !ok || name == "" || utf8.RuneCountInString(name) > 26 {
		return "", ""
	}
	return lexicon.Fold(name), strings.Trim(value, " *_")
}

// WithoutReplyMarks returns a subject without "Re: Fwd:", in any language.
func (r *Reader) WithoutReplyMarks(subject string) string {
	for {
		mark, rest, ok := strings.Cut(subject, ":")
		if !ok || r.words.Mail.Exact(mark) != "mark" {
			return subject
		}
		subject = strings.TrimSpace(rest)
	}
}

// blankBanners replaces in the body, by spaces, the warnings that mail servers write above a mail from outside
// ("CAUTION: External sender."). It looks at the first 40 lines, and skips lines of more than 300 bytes.
func (r *Reader) blankBanners(rd *Text) {
	const mostLines, longest = 40, 300
	for i := range rd.Lines[:min(len(rd.Lines), mostLines)] {
		l := rd.line(i)
		if len(l) > longest || !r.words.Mail.Has("banner", l) {
			continue
		}
		for _, s := range SentencesIn(rd.Body, Span{Start: rd.Lines[i].Start, End: rd.Lines[i].End}) {
			if r.words.Mail.Has("banner", rd.Body[s.Start:s.End]) {
				rd.Body = rd.Body[:s.Start] + blanks(rd.Body[s.Start:s.End]) + rd.Body[s.End:]
			}
		}
	}
}

// IsRecipient reports whether the recipients of a mail in the text include this address, in any case.
func (rd *Text) IsRecipient(email string) bool { return rd.recipients[strings.ToLower(email)] }

// HasSent reports whether a mail in the text is from this address, in any case. Its owner is then not only a
// recipient.
func (rd *Text) HasSent(email string) bool {
	return slices.ContainsFunc(rd.Mails, func(h Header) bool { return strings.EqualFold(h.Email, email) })
}

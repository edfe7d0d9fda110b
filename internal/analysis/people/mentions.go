package people

import (
	"sort"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Between returns the words or the punctuation between two bytes of the body, folded, without academic titles and
// without spaces around them. It reports false if to is less than from or more than 24 bytes after it, or if the bytes
// are in two sentences, in two paragraphs, or on two lines with words between.
func Between(body string, from, to int) (string, bool) {
	const widest = 24
	if to < from || to-from > widest {
		return "", false
	}
	gap := body[from:to]
	for _, academic := range []string{"Prof. ", "Dr. ", "Dipl.-Ing. ", "Mr. ", "Ms. ", "Mrs. "} {
		gap = strings.ReplaceAll(gap, academic, "")
	}
	if strings.Count(gap, "\n") > 1 || strings.ContainsAny(gap, ".!?;") {
		return "", false
	}
	if strings.Contains(gap, "\n") && strings.TrimSpace(gap) != "" && strings.TrimSpace(gap) != "," &&
		strings.TrimSpace(gap) != "|" {
		return "", false
	}
	return strings.TrimSpace(lexicon.Fold(gap)), true
}

// bindLeft reports whether gap, the words or punctuation between a name and a title after it, such as "," or "is",
// means that the title is the person's.
func (r *Finder) bindLeft(gap string) bool {
	switch strings.Trim(gap, " ,(-–—|/:•[") {
	case "":
		return gap != ")" && !strings.HasPrefix(gap, ")")
	}
	return r.words.People.Exact(strings.Trim(gap, " ,(-–—|/:•")) == "is"
}

// bindRight reports whether gap, the words or punctuation between a title and a name after it, means that the title is
// the person's.
func (r *Finder) bindRight(gap string) bool {
	gap = strings.Trim(gap, " :-–—,(=")
	return gap == "" || lexicon.In("words between a title and its bearer", gap)
}

// titled returns the people named beside titles. If there are names on both sides of a title, the name that looks more
// like a person's has the title. A name before the title that does not look like a person's is then the company of
// those after it. A title without a name that may be a person's is skipped.
func (r *Finder) titled(rd *Names, spans []Span) []Mention {
	var all []Mention
	bound := map[int]bool{} // by start of the span
	for _, t := range rd.Titles {
		right := sort.Search(len(spans), func(i int) bool { return spans[i].Start >= t.End })
		left := right - 1
		l, okL := r.leftOf(rd, t, left)
		okL = okL && !bound[l.Start]
		n, okR := r.rightOf(rd, t, right)
		if !okR && r.isNamedBehind(rd, t, right) {
			all = append(all, r.rightPeople(rd, spans, right+1, t, bound, spans[right], true)...)
			continue
		}
		scoreL, scoreR := r.sideScore(rd, l, okL), r.sideScore(rd, n, okR)
		if okL && isBeforeBracket(rd.Body[l.End:t.Start], t, scoreL, scoreR) {
			scoreL = min(scoreL, 0) // "Papaya (founders Joy Mensah and …)"
		}
		switch {
		case !okL && !okR && t.Chief:
			all = append(all, r.lowerBefore(rd.Text, t)...)
		case scoreL < -1 && scoreR < 1:
		case scoreL >= scoreR || scoreR < 1:
			all = append(all, r.leftPeople(rd, spans, left, t, bound)...)
		default:
			all = append(all, r.rightPeople(rd, spans, right, t, bound, l, okL && scoreL < 1)...)
		}
	}
	return all
}

// isBeforeBracket reports whether a bracket after a name contains the title and its people, as in "Papaya (founders Joy
// Mensah and …)". gap is the text between name and title; before and behind are the Personness of the names before and
// after the title.
func isBeforeBracket(gap string, t Title, before, behind int) bool {
	return behind >= 1 && (t.plural || behind >= before) && opensBracket(gap)
}

func opensBracket(gap string) bool { return strings.HasSuffix(strings.TrimRight(gap, " "), "(") }

// sideScore returns the Personness of the name on one side of a title, -99 if there is none.
func (r *Finder) sideScore(rd *Names, s Span, ok bool) int {
	if !ok {
		return -99
	}
	return r.Personness(rd, s.Text)
}

// isNamedBehind reports whether the text reads like "CEO of Acme is Ann Lee": the span at right is the company, the
// next one the person.
func (r *Finder) isNamedBehind(rd *Names, t Title, right int) bool {
	if right+1 >= len(rd.Spans) {
		return false
	}
	org, person := rd.Spans[right], rd.Spans[right+1]
	of, near := Between(rd.Body, t.End, org.Start)
	is, nearer := Between(rd.Body, org.End, person.Start)
	return near && nearer && r.isOf(of) && r.words.People.Exact(is) == "is" && r.Personness(rd, person.Text) >= 1
}

func (r *Finder) leftOf(rd *Names, t Title, i int) (Span, bool) {
	if i < 0 {
		return Span{}, false
	}
	return r.gapLeft(rd, t, i)
}

func (r *Finder) gapLeft(rd *Names, t Title, i int) (Span, bool) {
	s := rd.Spans[i]
	gap, ok := Between(rd.Body, s.End, t.Start)
	gap = strings.TrimPrefix(strings.TrimPrefix(gap, "'s"), "’s")
	return s, ok && r.bindLeft(withoutAddress(gap))
}

func (r *Finder) rightOf(rd *Names, t Title, i int) (Span, bool) {
	if i >= len(rd.Spans) {
		return Span{}, false
	}
	s := rd.Spans[i]
	gap, ok := Between(rd.Body, t.End, s.Start)
	return s, ok && r.bindRight(gap) && !strings.Contains(rd.Body[t.End:s.Start], "\n")
}

// withoutAddress returns gap, the text between a name and a title, without text.Mask; "," if an address is in it.
func withoutAddress(gap string) string {
	if strings.Contains(gap, "@") {
		return ","
	}
	return strings.ReplaceAll(gap, string(text.Mask), "")
}

// leftPeople returns the person spans[i] before the title t, or two people if splitPair splits that name. For a plural
// such as "founders", it also returns those listed before them. It adds to bound the offsets at which the names begin.
func (r *Finder) leftPeople(rd *Names, spans []Span, i int, t Title, bound map[int]bool) []Mention {
	org := r.orgBehind(rd, spans, t)
	last := strings.Count(strings.TrimSpace(rd.Body[t.End:]), " ") < 4
	all := []Mention{
		{Name: spans[i].Text, Title: Singular(t.Text), Org: org, Start: spans[i].Start, Chief: t.Chief, last: last},
	}
	bound[spans[i].Start] = true
	if people := r.splitPair(rd, spans[i].Text); len(people) > 1 {
		all = all[:0]
		for _, p := range people {
			all = append(all, Mention{Name: p, Title: Singular(t.Text), Org: org, Start: spans[i].Start, Chief: t.Chief})
		}
	}
	for ; t.plural && i > 0 && r.isList(rd.Text, spans[i-1].End, spans[i].Start) &&
		r.Personness(rd, spans[i-1].Text) > 0; i-- {
		bound[spans[i-1].Start] = true
		all = append([]Mention{
			{Name: spans[i-1].Text, Title: Singular(t.Text), Org: org, Start: spans[i-1].Start, Chief: t.Chief},
		}, all...)
	}
	return all
}

// rightPeople returns the person spans[i], who is named after the title t, and the people listed after them. After a
// title in the singular, the list ends at a plain comma. Their company is left.Text if hasOrg is true, otherwise the
// company that is named after the first person, if any. It adds to bound the offsets at which the names begin.
func (r *Finder) rightPeople(
	rd *Names, spans []Span, i int, t Title, bound map[int]bool, left Span, hasOrg bool,
) []Mention {
	org := ""
	if hasOrg {
		org = left.Text
	} else if i+1 < len(spans) {
		org = r.orgAfter(rd, spans[i].End, spans[i+1])
	}
	var all []Mention
	for {
		for _, p := range r.splitPair(rd, spans[i].Text) {
			all = append(all, Mention{Name: p, Title: Singular(t.Text), Org: org, Start: spans[i].Start, Chief: t.Chief})
		}
		bound[spans[i].Start] = true
		if i+1 >= len(spans) || !r.isList(rd.Text, spans[i].End, spans[i+1].Start) || r.Personness(rd, spans[i+1].Text) < 1 {
			return all
		}
		if gap := rd.Body[spans[i].End:spans[i+1].Start]; !t.plural && strings.Trim(gap, " ") == "," {
			return all // "CEO Ann Lee, Bob Ray": nothing says that they are one too
		}
		i++
	}
}

// splitPair splits a name such as "Suki Tran & Dale Moss" or "Suki Tran + Dale Moss" into the two names if both are
// people. It returns any other name alone.
func (r *Finder) splitPair(rd *Names, name string) []string {
	for _, joint := range []string{" & ", " + "} {
		first, second, ok := strings.Cut(name, joint)
		if ok && r.Personness(rd, first) >= 1 && r.Personness(rd, second) >= 1 {
			return []string{first, second}
		}
	}
	return []string{name}
}

// isList reports whether a name that ends at byte from and one that begins at byte to are in one list. They must be at
// most 90 bytes apart, and by more than one space. Between them may be a remark in brackets, then spaces, commas or the
// like, or a word such as "and". A blank line must not be between them, unless with such a word.
func (r *Finder) isList(rd *text.Text, from, to int) bool {
	if to-from > 90 || to < from {
		return false
	}
	between := rd.Body[from:to]
	gap := strings.TrimSpace(between)
	if strings.HasPrefix(gap, "(") {
		_, rest, ok := strings.Cut(gap, ")")
		if !ok {
			return false
		}
		gap = strings.TrimSpace(rest)
	}
	gap = strings.TrimSpace(strings.Trim(gap, ",;/+&"))
	apart := len(between) > 1 || strings.TrimSpace(between) != ""
	return gap == "" && apart && !strings.Contains(between, "\n\n") || IsAnd(gap)
}

// IsAnd reports whether a word joins two names, as "and" does in any language.
func IsAnd(word string) bool {
	return lexicon.In("joining words", lexicon.Fold(word))
}

// orgBehind returns the company that is right after the title: "CEO of Acme", "CEO, Acme", "CEO Acme". It returns "" if
// there is none.
func (r *Finder) orgBehind(rd *Names, spans []Span, t Title) string {
	if i := sort.Search(len(spans), func(i int) bool { return spans[i].Start >= t.End }); i < len(spans) {
		return r.orgAfter(rd, t.End, spans[i])
	}
	return ""
}

func (r *Finder) orgAfter(rd *Names, from int, s Span) string {
	gap, ok := Between(rd.Body, from, s.Start)
	if !ok {
		return ""
	}
	bare := strings.Trim(gap, " ,-–—|/()")
	if bare == "" && !strings.Contains(gap, ")") && r.Personness(rd, s.Text) < 1 {
		return s.Text
	}
	if r.isOf(strings.TrimPrefix(bare, ")")) || strings.HasSuffix(bare, " of") || bare == "@" ||
		strings.HasSuffix(bare, "d'") || strings.HasSuffix(bare, "d’") {
		return s.Text
	}
	return ""
}

// isOf reports whether the words between a person and a company connect them: "of", "from".
func (r *Finder) isOf(gap string) bool { return gap == "from" || r.words.People.Exact(gap) == "of" }

// Singular returns a title without an article, and with "founder" for a final "founders". It leaves other plurals as
// they are.
func Singular(title string) string {
	title = strings.TrimSpace(title)
	for _, article := range lexicon.List("articles") {
		if lexicon.HasPrefixFold(title, article) {
			title = title[len(article):]
		}
	}
	if strings.HasSuffix(strings.ToLower(title), "founders") {
		return title[:len(title)-1]
	}
	return title
}

// recipients returns the recipients of an investor's mail who have a full name and an address at a company that the
// mail mentions. It looks at the first mail of the text only, and returns nil if that is not an investor's.
func (r *Finder) recipients(rd *Scene) []Mention {
	if !rd.Replies || len(rd.Mails) == 0 || rd.Mails[0].Reply {
		return nil
	}
	var all []Mention
	for _, to := range rd.Mails[0].To {
		for one := range strings.FieldsFuncSeq(to, func(c rune) bool { return c == ',' || c == ';' }) {
			name, email := text.ReadPerson(one)
			if _, host, _ := strings.Cut(email, "@"); email != "" && strings.Contains(name, " ") && r.looksLikeName(name) &&
				r.isSpokenOf(lexicon.Squeeze(rd.Body+" "+rd.Mails[0].Subject), host) {
				all = append(all, Mention{Name: name, Email: email, Start: rd.Mails[0].Start, Kind: ByRecipient})
			}
		}
	}
	return all
}

// senders returns the senders of the mails in the text. It leaves out senders without a name, and with a name that
// cannot be a person's, such as one with a digit.
func (r *Finder) senders(rd *text.Text) []Mention {
	var all []Mention
	for _, h := range rd.Mails {
		if h.Name == "" || !r.looksLikeName(h.Name) {
			continue
		}
		all = append(all, Mention{Name: h.Name, Email: h.Email, Start: h.Start, Kind: BySender})
	}
	return all
}

func (r *Finder) looksLikeName(name string) bool {
	words := strings.Fields(name)
	return len(words) > 0 && len(words) <= 5 && !lexicon.HasDigit(name) && utf8.RuneCountInString(name) <= 50 &&
		!r.words.IsOrdinary(words[0])
}

// chatPeople returns the person who opened the chat. It returns nil if the text is no chat, or if their name has a
// digit or does not look like a person's. The chat shows the name that an address book has for them, which may be
// followed by the company's: "Ann Acme Robots".
func (r *Finder) chatPeople(rd *Names) []Mention {
	name := rd.Speaker
	if name == "" || lexicon.HasDigit(name) {
		return nil
	}
	m := Mention{Name: name, Start: rd.Chat.At.Start, Kind: ByChat}
	first, rest, more := strings.Cut(name, " ")
	if more && r.words.Given[lexicon.Fold(first)] && lexicon.IndexFold(rd.Body, rest) >= 0 {
		m.Name, m.Org = first, rest
	}
	if r.Personness(rd, m.Name) < 1 && !lexicon.HasHan(m.Name) &&
		!r.words.Given[lexicon.Fold(lexicon.FirstWord(m.Name))] && m.Org == "" {
		return nil
	}
	return []Mention{m}
}

// HasChief reports whether one of the mentions has a founder's or a chief's title.
func HasChief(people []Mention) bool {
	for _, p := range people {
		if p.Chief {
			return true
		}
	}
	return false
}

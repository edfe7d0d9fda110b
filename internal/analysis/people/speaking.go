package people

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/text"
)

// findSpeakers sets the fields of rd that say who speaks in the text: the founders, somebody who introduces them, or
// the investor's own people.
func (r *Finder) findSpeakers(rd *Scene) {
	rd.Greets, rd.Signs = r.letterMarks(rd)
	said := rd.manners()
	self := rd.HasKind(BySelf)
	rd.Introduces = said["third"] && !rd.selfIsChief() || !self && (said["third_weak"] || r.Introduction(rd.Cast).Ok)
	rd.Replies = !self && r.isReply(rd, said)
	if rd.Replies || rd.Introduces {
		return
	}
	deal := dealWords(rd.Text)
	rd.FounderVoice = self || said["outreach"] || len(rd.Mails) > 0 || rd.IsForm() && !rd.JSON ||
		r.hasVoice(rd, said["voice"], deal)
	rd.SpeaksOfDeal = deal && !rd.FounderVoice
}

// isReply reports whether the text is an investor's answer. said must come from manners.
func (r *Finder) isReply(rd *Scene, said map[string]bool) bool {
	return said["reply"] && !said["outreach"] && rejects(rd.Text) || r.isInvestorsMail(rd)
}

// manners returns the set of the sections of source.txt from which the text has a phrase; some of them show who speaks.
// Phrases of an answer count only outside of quoted mails.
func (rd *Scene) manners() map[string]bool {
	said := map[string]bool{}
	for _, h := range rd.SourceHits {
		if h.Section != "reply" || !rd.IsQuoted(rd.Tokens[h.First].Start) {
			said[h.Section] = true
		}
	}
	return said
}

// hasVoice reports whether a founder writes the text: it has words that only founders use (said), or it is a letter
// that a founder signs, or that ends with a person and their address or company (see endsWithSender). If the text
// mentions the stage of a deal (deal), it must be a letter in either case.
func (r *Finder) hasVoice(rd *Scene, said, deal bool) bool {
	letter := rd.IsLetter()
	return (said || letter && (rd.ChiefWrites() || r.endsWithSender(rd))) && (!deal || letter)
}

// letterMarks reports whether a greeting begins the text or a line of it, or ends its short first line, and whether a
// farewell follows at least four words. It sets rd.LetterAt to the first of them.
func (r *Finder) letterMarks(rd *Scene) (greets, signs bool) {
	for _, h := range r.words.Mail.Find(rd.Tokens) {
		switch h.Section {
		case "greeting":
			start := rd.Tokens[h.First].Start
			before := strings.TrimRight(rd.Body[:start], " >")
			if before == "" || strings.HasSuffix(before, "\n") || endsShortLine(rd.Text, h) {
				greets = true
				rd.LetterAt = rd.LetterAt.Or(rd.SpanOf(h))
			}
		case "farewell":
			if r.isFarewell(rd.Text, h) && h.First > 3 {
				signs = true
				rd.LetterAt = rd.LetterAt.Or(rd.SpanOf(h))
			}
		}
	}
	return greets, signs
}

// endsShortLine reports whether a greeting that begins within the first four words of the text ends a line, and has at
// most three words and no punctuation before it there: "Ayşe Hanım merhaba,".
func endsShortLine(rd *text.Text, h lexicon.Hit) bool {
	const mostWords = 3
	start, end := rd.Tokens[h.First].Start, rd.Tokens[h.Last-1].End
	line := rd.Body[strings.LastIndexByte(rd.Body[:start], '\n')+1 : start]
	return h.First <= mostWords && len(strings.Fields(line)) <= mostWords && !strings.ContainsAny(line, ".,:;!?") &&
		strings.HasPrefix(strings.TrimLeft(rd.Body[end:], " ,.!"), "\n")
}

// selfIsChief reports whether somebody who introduces themselves, as in "I'm Ann", has a founder's or a chief's title.
func (rd *Cast) selfIsChief() bool {
	for _, p := range rd.Mentions {
		if p.Kind == BySelf && (p.Chief || rd.AlsoChief(p.Name)) {
			return true
		}
	}
	return false
}

// ChiefWrites reports whether a founder signs the text, also by a name and a title at its end, or their own address is
// in it.
func (rd *Cast) ChiefWrites() bool {
	for _, p := range rd.Mentions {
		if p.Kind == BySignature && rd.AlsoChief(p.Name) || p.Chief && p.last {
			return true
		}
		for _, a := range rd.Addresses {
			local, _, _ := strings.Cut(a.Email, "@")
			if p.Chief && MatchesLocal(p.Name, local) {
				return true
			}
		}
	}
	return false
}

// endsWithSender reports whether a text that greets ends with a person and their address or company, which must not be
// an investor's: "… Ann Lee (Acme) ann@acme.io".
func (r *Finder) endsWithSender(rd *Scene) bool {
	const near = 80
	end := len(strings.TrimRight(rd.Body, " \n"))
	for _, p := range rd.Mentions {
		_, host, _ := strings.Cut(p.Email, "@")
		if p.Kind == ByContact && rd.Greets && end-p.Start <= near && strings.HasSuffix(rd.Body[:end], p.Email) &&
			!links.IsInvestorHost(host) {
			return true
		}
		if p.Kind == BySignature && p.Org != "" && rd.Greets && !r.words.IsInvestorName(p.Org) &&
			strings.HasSuffix(rd.Body[:end], p.Org) {
			return true
		}
	}
	return false
}

// HasKind reports whether a mention of the kind is in the text.
func (rd *Cast) HasKind(kind Kind) bool {
	for _, p := range rd.Mentions {
		if p.Kind == kind {
			return true
		}
	}
	return false
}

// dealWords reports whether the text mentions a stage of a deal other than intake.
func dealWords(rd *text.Text) bool {
	for _, h := range rd.StatusHits {
		if lexicon.IsConcept(h.Section) && h.Section != "intake" {
			return true
		}
	}
	return false
}

func rejects(rd *text.Text) bool {
	for _, h := range rd.StatusHits {
		if h.Section == "lost" && !rd.IsQuoted(rd.Tokens[h.First].Start) {
			return true
		}
	}
	return false
}

// NegatedBefore reports whether a word of negation is up to four words before the token, in its clause.
func NegatedBefore(rd *text.Text, i int, r *Finder) bool {
	for n := max(0, i-4); n < i; n++ {
		if rd.Tokens[n].Clause != rd.Tokens[i].Clause {
			continue
		}
		for _, p := range r.words.Status.ByFirst[rd.Tokens[n].Folded] {
			if last := p.Match(rd.Tokens, n); p.Section == "not" && last > 0 && last <= i {
				return true
			}
		}
	}
	return false
}

// isInvestorsMail reports whether the investor writes the text to the company: an investor signs it, or it answers a
// mail of the company, or it begins with a mail whose words have the company's name in the domain of a recipient or of
// a quoted sender ("acme" of acme.io), but not the name in the domain of its own sender.
func (r *Finder) isInvestorsMail(rd *Scene) bool {
	if r.investorSigns(rd) || r.answersCompany(rd) {
		return true
	}
	if len(rd.Mails) == 0 || rd.Mails[0].Start > rd.FirstWord || rd.Mails[0].Reply {
		return false
	}
	words := lexicon.Squeeze(rd.Body + " " + rd.Mails[0].Subject)
	_, from, _ := strings.Cut(rd.Mails[0].Email, "@")
	if r.isSpokenOf(words, from) {
		return false
	}
	for _, to := range rd.Mails[0].To {
		if _, host, _ := strings.Cut(text.FirstAddress(to), "@"); r.isSpokenOf(words, host) {
			return true
		}
	}
	for _, m := range rd.Mails[1:] {
		if _, host, _ := strings.Cut(m.Email, "@"); m.Reply && from != "" && host != from && r.isSpokenOf(words, host) {
			return true
		}
	}
	return false
}

// investorSigns reports whether somebody who works for an investor signs a text that greets the company, and that
// introduces nobody.
func (r *Finder) investorSigns(rd *Scene) bool {
	for _, p := range rd.Mentions {
		if p.Kind == BySignature && p.Org != "" && r.words.IsInvestorName(p.Org) && !rd.Introduces && rd.greetsCompany() {
			return true
		}
	}
	return false
}

// answersCompany reports whether the text answers a mail from the company, which it quotes: it greets the sender, names
// the owner of the sender's domain, which is not an investor's, has no address above the quote, and introduces nobody.
func (r *Finder) answersCompany(rd *Scene) bool {
	if len(rd.Mails) == 0 || !rd.Mails[0].Reply || rd.Introduces {
		return false
	}
	quoted := rd.Mails[0]
	for _, a := range rd.Addresses {
		if a.Start < quoted.Start {
			return false
		}
	}
	_, host, _ := strings.Cut(quoted.Email, "@")
	greeted := rd.Greeted[lexicon.Squeeze(quoted.Name)] || rd.Greeted[lexicon.Squeeze(lexicon.FirstWord(quoted.Name))]
	return greeted && r.isSpokenOf(lexicon.Squeeze(rd.Body), host) && !links.IsInvestorHost(host)
}

// isSpokenOf reports whether the squeezed words of a text contain the name of a host's owner: "acme" for "acme.io". It
// reports false for a name of fewer than four letters, and for a mail provider.
func (r *Finder) isSpokenOf(words, host string) bool {
	const shortest = 4
	label := links.DomainLabel(host)
	return len(label) >= shortest && !r.text.IsFreeMail(host) && strings.Contains(words, label)
}

// greetsCompany reports whether the text greets the sender of a mail that it quotes.
func (rd *Names) greetsCompany() bool {
	for _, m := range rd.Mails {
		if m.Reply && (rd.Greeted[lexicon.Squeeze(m.Name)] || rd.Greeted[lexicon.Squeeze(lexicon.FirstWord(m.Name))]) {
			return true
		}
	}
	return false
}

// IsLetter reports whether the text greets or bids farewell like a letter.
func (rd *Scene) IsLetter() bool { return rd.Greets || rd.Signs }

// Introduction returns a clue if the text introduces somebody to the reader by name, as in "Jonas, meet Rita"; the zero
// Clue if it does not. A phrase of the lexicon would also match "meet the team".
func (r *Finder) Introduction(rd *Cast) text.Clue {
	for _, p := range rd.Mentions {
		if p.Kind == ByMeeting && introVerb(rd.Text, p.Start) {
			return text.Clue{Ok: true, Quote: "meet " + p.Name, At: rd.SpanOfName(p.Name, p.Start)}
		}
	}
	return text.Clue{}
}

// introVerb reports whether "meet", but not "to meet", is right before the name that begins at byte start.
func introVerb(rd *text.Text, start int) bool {
	before := strings.Fields(lexicon.Fold(rd.Body[max(0, start-24):start]))
	n := len(before)
	return n > 0 && before[n-1] == "meet" && (n < 2 || before[n-2] != "to")
}

// AlsoChief reports whether a mention of the name has a founder's or chief's title. It compares only letters and
// digits.
func (rd *Cast) AlsoChief(name string) bool {
	for _, p := range rd.Mentions {
		if p.Chief && lexicon.Squeeze(p.Name) == lexicon.Squeeze(name) {
			return true
		}
	}
	return false
}

// isFarewell reports whether a hit is a farewell, and not the same words in a sentence. It must begin a line, a
// sentence or a clause. After a farewell of one word there must be the end of the line or the text, a comma, a full
// stop, an exclamation mark, a dash or a capital.
func (r *Finder) isFarewell(rd *text.Text, h lexicon.Hit) bool {
	start, end := rd.Tokens[h.First].Start, rd.Tokens[h.Last-1].End
	before := strings.TrimRight(rd.Body[:start], " ")
	begins := before == "" || strings.ContainsAny(before[len(before)-1:], ".!?\n,;:)") ||
		strings.HasSuffix(before, string(text.Mask))
	after := strings.TrimLeft(rd.Body[end:], " ")
	return begins && (after == "" || strings.ContainsAny(after[:1], ",.!\n-") || h.Words > 1 ||
		after[0] >= 'A' && after[0] <= 'Z' || after[0] >= 0xC3)
}

package analysis

import (
	"sort"
	"strings"
)

// voices tells who speaks in the text: the founders, somebody who introduces them, or the investor's own people.
func (r *Rules) voices(rd *reading) {
	rd.greets, rd.signs = r.letterMarks(rd)
	var outreach, voice, third, weak, reply bool
	for _, h := range rd.sourceHits {
		switch h.section {
		case "outreach":
			outreach = true
		case "voice":
			voice = true
		case "third":
			third = true
		case "third_weak":
			weak = true
		case "reply":
			reply = reply || !rd.isQuoted(rd.tokens[h.first].start)
		}
	}
	self := rd.hasKind(bySelf)
	rd.introduces = third && !rd.selfIsChief() || (weak || r.introduction(rd).ok) && !self
	rd.replies = reply && !outreach && !self && rd.rejects() || !self && r.isInvestorsMail(rd)
	deal := rd.dealWords()
	voice = voice || rd.isLetter() && (rd.chiefWrites() || r.endsWithSender(rd))
	rd.founderVoice = !rd.replies && !rd.introduces &&
		(self || outreach || voice && (!deal || rd.isLetter()) || len(rd.mails) > 0 || rd.isForm() && !rd.json)
	rd.speaksOfDeal = deal && !rd.founderVoice && !rd.replies && !rd.introduces && len(rd.mails) == 0
}

// letterMarks reports whether a greeting begins the text, or a line of it, and whether a farewell ends it.
func (r *Rules) letterMarks(rd *reading) (greets, signs bool) {
	for _, h := range r.mailWords.find(rd.tokens) {
		switch h.section {
		case "greeting":
			start := rd.tokens[h.first].start
			before := strings.TrimRight(rd.body[:start], " >")
			if before == "" || strings.HasSuffix(before, "\n") || rd.endsShortLine(h) {
				greets = true
				rd.letterAt = rd.letterAt.or(rd.placeOf(h))
			}
		case "farewell":
			if r.isFarewell(rd, h) && h.first > 3 {
				signs = true
				rd.letterAt = rd.letterAt.or(rd.placeOf(h))
			}
		}
	}
	return greets, signs
}

// endsShortLine tells a greeting behind a name: "Ayşe Hanım merhaba,".
func (rd *reading) endsShortLine(h hit) bool {
	const mostWords = 3
	start, end := rd.tokens[h.first].start, rd.tokens[h.last-1].end
	line := rd.body[strings.LastIndexByte(rd.body[:start], '\n')+1 : start]
	return h.first <= mostWords && len(strings.Fields(line)) <= mostWords && !strings.ContainsAny(line, ".,:;!?") &&
		strings.HasPrefix(strings.TrimLeft(rd.body[end:], " ,.!"), "\n")
}

// selfIsChief reports whether the one who says who they are is a founder or a chief.
func (rd *reading) selfIsChief() bool {
	for _, p := range rd.people {
		if p.kind == bySelf && (p.chief || rd.alsoChief(p.name)) {
			return true
		}
	}
	return false
}

// chiefWrites reports whether a founder signs the text, or their own address is in it.
func (rd *reading) chiefWrites() bool {
	for _, p := range rd.people {
		if p.kind == bySignature && rd.alsoChief(p.name) || p.chief && p.last {
			return true
		}
		for _, a := range rd.address {
			local, _, _ := strings.Cut(a.email, "@")
			if p.chief && matchesLocal(p.name, local) {
				return true
			}
		}
	}
	return false
}

// endsWithSender reports whether somebody with an address of their own house, or above its name, ends a text that
// greets: "… Ann Lee (Acme) ann@acme.io".
func (r *Rules) endsWithSender(rd *reading) bool {
	const near = 80
	end := len(strings.TrimRight(rd.body, " \n"))
	for _, p := range rd.people {
		_, host, _ := strings.Cut(p.email, "@")
		if p.kind == byContact && rd.greets && end-p.start <= near && strings.HasSuffix(rd.body[:end], p.email) &&
			!isHouseOfInvestors(host) {
			return true
		}
		if p.kind == bySignature && p.org != "" && rd.greets && !r.isInvestorName(p.org) &&
			strings.HasSuffix(rd.body[:end], p.org) {
			return true
		}
	}
	return false
}

func (rd *reading) hasKind(kind mentionKind) bool {
	for _, p := range rd.people {
		if p.kind == kind {
			return true
		}
	}
	return false
}

// dealWords reports whether the text speaks of a stage that a deal is in.
func (rd *reading) dealWords() bool {
	for _, h := range rd.statusHits {
		if isConcept(h.section) && h.section != "intake" {
			return true
		}
	}
	return false
}

func (rd *reading) rejects() bool {
	for _, h := range rd.statusHits {
		if h.section == "lost" && !rd.isQuoted(rd.tokens[h.first].start) {
			return true
		}
	}
	return false
}

// tokenAt returns the index of the first token that begins at the byte or behind it.
func (rd *reading) tokenAt(at int) int {
	return sort.Search(len(rd.tokens), func(i int) bool { return rd.tokens[i].start >= at })
}

// quote returns the words of a hit as they are in the text, with a few around them, on one line.
func (rd *reading) quote(h hit) string {
	at := rd.placeOf(h)
	return strings.Join(strings.Fields(strings.ReplaceAll(rd.body[at.start:at.end], string(mask), " ")), " ")
}

// placeOf returns where the words of a hit stand, with a few of its sentence around them.
func (rd *reading) placeOf(h hit) place {
	first, last := h.first, h.last-1
	for n := 0; n < 3 && first > 0 && rd.tokens[first-1].sentence == rd.tokens[h.first].sentence; n++ {
		first--
	}
	for n := 0; n < 4 && last+1 < len(rd.tokens) && rd.tokens[last+1].sentence == rd.tokens[h.first].sentence; n++ {
		last++
	}
	return place{start: rd.tokens[first].start, end: rd.tokens[last].end}
}

// negatedBefore reports whether a word of negation stands up to four words before the token, in its sentence.
func (rd *reading) negatedBefore(i int, r *Rules) bool {
	for n := max(0, i-4); n < i; n++ {
		if rd.tokens[n].clause != rd.tokens[i].clause {
			continue
		}
		for _, p := range r.status.byFirst[rd.tokens[n].folded] {
			if last := p.match(rd.tokens, n); p.section == "not" && last > 0 && last <= i {
				return true
			}
		}
	}
	return false
}

// isRecipient reports whether a mail in the text went to this address.
func (rd *reading) isRecipient(email string) bool {
	for _, h := range rd.mails {
		for _, to := range h.to {
			if strings.Contains(strings.ToLower(to), strings.ToLower(email)) {
				return true
			}
		}
	}
	return false
}

// isInvestorsMail reports whether the outermost mail goes to the company rather than comes from it: its recipient's
// domain is the one that the text speaks of, or a house of investors signs it.
func (r *Rules) isInvestorsMail(rd *reading) bool {
	for _, p := range rd.people {
		if p.kind == bySignature && p.org != "" && r.isInvestorName(p.org) && !rd.introduces && rd.greetsCompany() {
			return true
		}
	}
	if r.answersCompany(rd) {
		return true
	}
	if len(rd.mails) == 0 || rd.mails[0].start > rd.firstWord || rd.mails[0].reply {
		return false
	}
	words := squeeze(rd.body + " " + rd.mails[0].subject)
	_, from, _ := strings.Cut(rd.mails[0].email, "@")
	if r.isSpokenOf(words, from) {
		return false
	}
	for _, to := range rd.mails[0].to {
		if _, host, _ := strings.Cut(firstAddress(to), "@"); r.isSpokenOf(words, host) {
			return true
		}
	}
	for _, m := range rd.mails[1:] {
		if _, host, _ := strings.Cut(m.email, "@"); m.reply && from != "" && host != from && r.isSpokenOf(words, host) {
			return true
		}
	}
	return false
}

// answersCompany reports whether the text is an answer to a mail that it quotes from the company that it speaks of:
// it greets the sender, whose house's name is in it, and gives no address of its own.
func (r *Rules) answersCompany(rd *reading) bool {
	if len(rd.mails) == 0 || !rd.mails[0].reply || rd.introduces {
		return false
	}
	quoted := rd.mails[0]
	for _, a := range rd.address {
		if a.start < quoted.start {
			return false
		}
	}
	_, host, _ := strings.Cut(quoted.email, "@")
	greeted := rd.greetedNames[squeeze(quoted.name)] || rd.greetedNames[squeeze(firstWord(quoted.name))]
	return greeted && r.isSpokenOf(squeeze(rd.body), host) && !isHouseOfInvestors(host)
}

// isHouseOfInvestors tells the domains that end like the names of funds.
func isHouseOfInvestors(host string) bool {
	label := domainLabel(host)
	for _, word := range []string{"ventures", "capital", "partners", "fund", "angels", "invest"} {
		if strings.HasSuffix(label, word) {
			return true
		}
	}
	return strings.HasSuffix(host, ".vc") || strings.HasSuffix(host, ".fund") || strings.HasSuffix(host, ".capital") ||
		strings.HasSuffix(host, ".ventures")
}

// isSpokenOf reports whether the squeezed words of a text hold the name of a host's owner.
func (r *Rules) isSpokenOf(words, host string) bool {
	const shortest = 4
	label := domainLabel(host)
	return len(label) >= shortest && !r.isFreeMail(host) && strings.Contains(words, label)
}

// greetsCompany reports whether the text greets somebody by name who has an address in a mail that it quotes.
func (rd *reading) greetsCompany() bool {
	for _, m := range rd.mails {
		if m.reply && (rd.greetedNames[squeeze(m.name)] || rd.greetedNames[squeeze(firstWord(m.name))]) {
			return true
		}
	}
	return false
}

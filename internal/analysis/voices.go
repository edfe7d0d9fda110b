package analysis

import (
	"sort"
	"strings"
)

// voices tells who speaks in the text: the founders, somebody who introduces them, or the investor's own people.
func (r *Rules) voices(rd *reading) {
	rd.greets, rd.signs = r.letterMarks(rd)
	var outreach, voice, third, weak, reply bool
	for _, h := range r.source.find(rd.tokens) {
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
			reply = true
		}
	}
	self := rd.hasKind(bySelf)
	rd.introduces = third && !rd.selfIsChief() || (weak || r.introduction(rd) != "") && !self
	rd.replies = reply && !outreach && !self && rd.rejects(r)
	deal := rd.dealWords(r)
	voice = voice || rd.isLetter() && rd.chiefWrites()
	rd.founderVoice = !rd.replies && !rd.introduces && (self || outreach || voice && (!deal || rd.isLetter()) || len(rd.mails) > 0 || rd.isForm() && !rd.json)
	rd.speaksOfDeal = deal && !rd.founderVoice && !rd.replies && !rd.introduces && len(rd.mails) == 0
}

// letterMarks tells whether a greeting begins the text, or a line of it, and whether a farewell ends it.
func (r *Rules) letterMarks(rd *reading) (greets, signs bool) {
	for _, h := range r.mailWords.find(rd.tokens) {
		switch h.section {
		case "greeting":
			start := rd.tokens[h.first].start
			before := strings.TrimRight(rd.body[:start], " >")
			greets = greets || before == "" || strings.HasSuffix(before, "\n")
		case "farewell":
			signs = signs || r.isFarewell(rd, h) && h.first > 3
		}
	}
	return greets, signs
}

// selfIsChief tells whether the one who says who he is is a founder or a chief.
func (rd *reading) selfIsChief() bool {
	for _, p := range rd.people {
		if p.kind == bySelf && (p.chief || rd.alsoChief(p.name)) {
			return true
		}
	}
	return false
}

// chiefWrites tells whether a founder signs the text, or his own address stands in it.
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

func (rd *reading) hasKind(kind mentionKind) bool {
	for _, p := range rd.people {
		if p.kind == kind {
			return true
		}
	}
	return false
}

// dealWords tells whether the text speaks of a stage that a deal is in.
func (rd *reading) dealWords(r *Rules) bool {
	for _, h := range r.status.find(rd.tokens) {
		if isConcept(h.section) && h.section != "intake" {
			return true
		}
	}
	return false
}

func (rd *reading) rejects(r *Rules) bool {
	for _, h := range r.status.find(rd.tokens) {
		if h.section == "lost" {
			return true
		}
	}
	return false
}

// tokenAt gives the index of the first token that begins at the byte or behind it.
func (rd *reading) tokenAt(at int) int {
	return sort.Search(len(rd.tokens), func(i int) bool { return rd.tokens[i].start >= at })
}

// quote gives the words of a hit as they stand in the text, with a few around them.
func (rd *reading) quote(h hit) string {
	first, last := h.first, h.last-1
	for n := 0; n < 3 && first > 0 && rd.tokens[first-1].sentence == rd.tokens[h.first].sentence; n++ {
		first--
	}
	for n := 0; n < 4 && last+1 < len(rd.tokens) && rd.tokens[last+1].sentence == rd.tokens[h.first].sentence; n++ {
		last++
	}
	text := rd.body[rd.tokens[first].start:rd.tokens[last].end]
	return strings.Join(strings.Fields(strings.ReplaceAll(text, string(mask), " ")), " ")
}

// negatedBefore tells whether a word of negation stands up to four words before the token, in its sentence.
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

// isRecipient tells whether a mail in the text went to this address.
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

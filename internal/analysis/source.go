package analysis

import (
	"fmt"
	"strings"
	"unicode"
)

// The sources that the interface knows.
const (
	sourceManual   = "manual"
	sourceEmail    = "email"
	sourceForm     = "form"
	sourceReferral = "referral"
	sourceWebsite  = "website"
	sourceEvent    = "event"
	sourceOther    = "other"
)

// nearBeginning is how many bytes of a text tell how it came in; what stands further down is about the company.
const nearBeginning = 240

// sourceOf tells how the pitch reached the investor, and what of the text says so.
func (r *Rules) sourceOf(rd *reading) decision {
	c := r.clues(rd)
	d := r.sourceBy(rd, c)
	d.features["rivals"] = float64(min(c.rivals(d.value), 2))
	return d
}

func (r *Rules) sourceBy(rd *reading, c clues) decision {
	switch {
	case c.website.ok:
		return r.says(sourceWebsite, "website", "It came through the investor's own site", c.website)
	case rd.isForm() && !rd.isLetter():
		return decided(sourceForm, "form", rd.firstField(), "The text is answers to a questionnaire.")
	case c.event.ok:
		return r.says(sourceEvent, "event", "The text speaks of meeting at an event", c.event)
	case c.referral.ok && (!rd.replies || rd.introduces):
		return r.says(sourceReferral, "referral", "A third party recommends the company", c.referral)
	case rd.chat.ok:
		return r.says(sourceOther, "chat", "It is a copy of a chat", rd.chat)
	case c.other.ok && !rd.mime:
		return r.says(sourceOther, "other", "It came over another channel", c.other)
	case rd.mime || len(rd.mails) > 0:
		return decided(sourceEmail, "mail", rd.firstHead(), "The text is a mail, with the head or the encoding of one.")
	case rd.html:
		return decided(sourceEmail, "mail", rd.opening(), "The text is a mail in HTML.")
	case rd.speaksOfDeal && rd.isLetter():
		return decided(sourceManual, "colleague", rd.letterAt.or(rd.opening()), "A colleague writes about the deal.")
	case c.manual.ok && !rd.isLetter():
		return r.says(sourceManual, "note", "The text is a note of the team", c.manual)
	case rd.isLetter() || rd.founderVoice:
		return decided(sourceEmail, "letter", rd.letterAt.or(rd.opening()),
			"The text is written like a letter of the founder's own.")
	case c.email.ok && !rd.speaksOfDeal:
		return r.says(sourceEmail, "like_mail", "The text is written like a mail", c.email)
	case rd.hasFounderContact():
		return decided(sourceEmail, "contact", rd.opening(), "The text gives a founder's own contact, as a mail's end does.")
	}
	return decided(sourceManual, "silent", rd.opening(),
		"Nothing in the text says that it came from outside: it reads like a note of the team.")
}

// says makes the decision that words of the text speak for.
func (r *Rules) says(value, basis, what string, c clue) decision {
	d := decided(value, basis, c.at, fmt.Sprintf("%s: “%s”.", what, c.quote))
	d.channel = r.channelIn(c.quote)
	return d
}

func decided(value, basis string, at place, reasoning string) decision {
	return decision{value: value, at: at, reasoning: reasoning, features: features{basis: 1}}
}

// clue is what speaks for a source.
type clue struct {
	ok    bool
	quote string
	at    place
}

// clues are the first words that speak for each source.
type clues struct {
	website, event, referral, other, manual, email clue
}

// rivals counts the clues to other sources than the one decided on.
func (c clues) rivals(source string) int {
	n := 0
	for value, one := range map[string]clue{
		sourceWebsite: c.website, sourceEvent: c.event, sourceReferral: c.referral, sourceOther: c.other,
		sourceManual: c.manual, sourceEmail: c.email,
	} {
		if one.ok && value != source {
			n++
		}
	}
	return n
}

func (r *Rules) clues(rd *reading) clues {
	var c clues
	hits := rd.sourceHits
	self := sentencesOf(rd, hits, "self")
	future := sentencesOf(rd, hits, "event_future")
	for _, h := range hits {
		start := rd.tokens[h.first].start
		found := clue{true, rd.quote(h), rd.placeOf(h)}
		switch h.section {
		case "website":
			if start < nearBeginning || strings.Contains(fold(found.quote), "you") {
				first(&c.website, found)
			}
		case "event", "event_word", "event_name":
			if !future[rd.tokens[h.first].sentence] && r.isMeeting(rd, h) {
				first(&c.event, found)
			}
		case "referral":
			praised := h.last < len(rd.tokens) && hasDigit(rd.tokens[h.last].folded) // "recommended by 400 clinics"
			notSo := strings.HasPrefix(strings.TrimPrefix(rd.body[rd.tokens[h.last-1].end:], "で"), "はな")
			if !self[rd.tokens[h.first].sentence] && !praised && !notSo && !rd.negatedBefore(h.first, r) {
				first(&c.referral, found)
			}
		case "other":
			if start < nearBeginning {
				first(&c.other, found)
			}
		case "manual":
			first(&c.manual, found)
		case "heading":
			if h.first <= 1 && rd.tokens[h.first].sentence == rd.tokens[0].sentence {
				first(&c.manual, found)
			}
		case "email", "outreach":
			first(&c.email, found)
		}
	}
	if len(rd.mails) == 0 && !c.referral.ok {
		c.referral = r.introduction(rd)
	}
	return c
}

func first(to *clue, found clue) {
	if !to.ok {
		*to = found
	}
}

// introduction finds "Jonas, meet Rita", which no phrase tells from "meet the team".
func (r *Rules) introduction(rd *reading) clue {
	for _, p := range rd.people {
		if p.kind == byMeeting && rd.introVerb(p.start) {
			return clue{true, "meet " + p.name, rd.placeOfName(p.name, p.start)}
		}
	}
	return clue{}
}

// introVerb reports whether a bare "meet" is before the name: not "nice to meet Rita".
func (rd *reading) introVerb(start int) bool {
	before := strings.Fields(fold(rd.body[max(0, start-24):start]))
	n := len(before)
	return n > 0 && before[n-1] == "meet" && (n < 2 || before[n-2] != "to")
}

func sentencesOf(rd *reading, hits []hit, section string) map[int]bool {
	sentences := map[int]bool{}
	for _, h := range hits {
		if h.section == section {
			sentences[rd.tokens[h.first].sentence] = true
		}
	}
	return sentences
}

// isMeeting reports whether the words of an event say that somebody was met there. A phrase like "we met at" says so
// itself; the name of an event needs a word before it, and is written with a capital.
func (r *Rules) isMeeting(rd *reading, h hit) bool {
	if h.section == "event" {
		return !rd.inOffice(h)
	}
	start := rd.tokens[h.first].start
	if h.section == "event_name" && !startsUpper(rd.body[start:]) {
		return false
	}
	if h.words == 1 && h.section == "event_name" && len(rd.tokens[h.first].folded) <= 4 &&
		rd.body[start:rd.tokens[h.first].end] != strings.ToUpper(rd.body[start:rd.tokens[h.first].end]) {
		return false // "Rise" and "Leap" begin sentences too
	}
	if start < 40 && !rd.founderVoice {
		return true // a note headed by the event
	}
	for i := max(0, h.first-3); i < h.first; i++ {
		switch rd.tokens[i].folded {
		case "at", "from", "during", "after", "auf", "bei", "beim", "au", "lors", "en", "alla", "na", "no", "op", "aux",
			"al", "på":
			return rd.tokens[i].sentence == rd.tokens[h.first].sentence && r.hasContact(rd, h)
		}
	}
	return isUnspaced([]rune(rd.body[start:])[0]) && r.hasContact(rd, h)
}

// inOffice tells "we met at your office", which is no event.
func (rd *reading) inOffice(h hit) bool {
	for i := h.last; i < min(len(rd.tokens), h.last+2); i++ {
		switch rd.tokens[i].folded {
		case "office", "offices", "buro", "bureau", "bureaux", "oficina", "oficinas", "ufficio", "escritorio", "kantoor",
			"biurze", "ofisinizde":
			return true
		}
	}
	return false
}

// hasContact reports whether the sentence of the hit, or the one before, speaks of meeting or talking.
func (r *Rules) hasContact(rd *reading, h hit) bool {
	sentence := rd.tokens[h.first].sentence
	for _, t := range rd.tokens {
		if t.sentence != sentence && t.sentence != sentence-1 {
			continue
		}
		switch t.folded {
		case "met", "meet", "meeting", "talked", "talk", "spoke", "spoken", "chat", "chatted", "notes", "introduced", "seen",
			"saw", "conversation", "visited", "pitched", "kennengelernt", "getroffen", "gesprochen",
			"rencontre", "rencontres", "rencontree", "croises", "echange", "conocimos", "conocido", "coincidimos", "hablamos",
			"conosciuti", "incontrati", "parlato", "conhecemos", "conhecemo", "falamos", "ontmoet",
			"ontmoetten", "gesproken", "poznalismy", "spotkalismy", "rozmawialismy", "tanistik", "gorustuk", "konustuk", "认",
			"识", "见", "traffade", "traf", "会", "booth", "stand", "great":
			return true
		}
	}
	return false
}

func startsUpper(s string) bool {
	for _, r := range s {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || !unicode.IsLower(r)
	}
	return false
}

// isLetter reports whether the text greets or bids farewell like a letter.
func (rd *reading) isLetter() bool { return rd.greets || rd.signs }

// hasFounderContact reports whether a founder's own address or profile is in the text.
func (rd *reading) hasFounderContact() bool {
	return !rd.speaksOfDeal && rd.chiefWrites()
}

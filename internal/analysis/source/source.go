package source

import (
	"fmt"
	"strings"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// The values that the source of a company has in the API.
const (
	SourceManual   = "manual"
	SourceEmail    = "email"
	SourceForm     = "form"
	SourceReferral = "referral"
	SourceWebsite  = "website"
	SourceEvent    = "event"
	SourceOther    = "other"
)

// NearBeginning is the length in bytes of the beginning of a text in which words say how the text arrived; later words
// are about the company.
const NearBeginning = 240

// SourceOf returns how the pitch reached the investor, as one of Sources, with the words of the text that say so.
// Confidence is not set.
func (r *Judge) SourceOf(rd *people.Scene) evidence.Decision {
	c := r.clues(rd)
	d := r.sourceBy(rd, c)
	d.Features["rivals"] = float64(min(c.rivals(d.Value), 2))
	return d
}

func (r *Judge) sourceBy(rd *people.Scene, c clues) evidence.Decision {
	switch {
	case c.website.Ok:
		return r.says(SourceWebsite, "website", "It came through the investor's own site", c.website)
	case rd.IsForm() && !rd.IsLetter():
		return decided(SourceForm, "form", rd.FirstField(), "The text is answers to a questionnaire.")
	case c.event.Ok:
		return r.says(SourceEvent, "event", "The text speaks of meeting at an event", c.event)
	case c.referral.Ok && (!rd.Replies || rd.Introduces):
		return r.says(SourceReferral, "referral", "A third party recommends the company", c.referral)
	case rd.Chat.Ok:
		return r.says(SourceOther, "chat", "It is a copy of a chat", rd.Chat)
	case c.other.Ok && !rd.MIME:
		return r.says(SourceOther, "other", "It came over another channel", c.other)
	}
	return r.byManner(rd, c)
}

// byManner returns a decision by the form of the text. It is for texts in which no words say how they arrived. If the
// form does not show it either, the source is SourceManual.
func (r *Judge) byManner(rd *people.Scene, c clues) evidence.Decision {
	switch {
	case rd.MIME || len(rd.Mails) > 0:
		return decided(SourceEmail, "mail", rd.FirstHead(), "The text is a mail, with the head or the encoding of one.")
	case rd.HTML:
		return decided(SourceEmail, "mail", rd.Opening(), "The text is a mail in HTML.")
	case rd.SpeaksOfDeal && rd.IsLetter():
		return decided(SourceManual, "colleague", rd.LetterAt.Or(rd.Opening()), "A colleague writes about the deal.")
	case c.manual.Ok && !rd.IsLetter():
		return r.says(SourceManual, "note", "The text is a note of the team", c.manual)
	case rd.IsLetter() || rd.FounderVoice:
		return decided(SourceEmail, "letter", rd.LetterAt.Or(rd.Opening()),
			"The text is written like a letter from a founder.")
	case c.email.Ok && !rd.SpeaksOfDeal:
		return r.says(SourceEmail, "like_mail", "The text is written like a mail", c.email)
	case hasFounderContact(rd):
		return decided(SourceEmail, "contact", rd.Opening(),
			"The text has the contact details of a founder, as the end of a mail does.")
	}
	return decided(SourceManual, "silent", rd.Opening(),
		"Nothing in the text says that it came from outside: it reads like a note of the team.")
}

// says returns a decision for value with the feature named basis. Its reason is what, followed by the quote of clue c.
func (r *Judge) says(value, basis, what string, c text.Clue) evidence.Decision {
	d := decided(value, basis, c.At, fmt.Sprintf("%s: “%s”.", what, c.Quote))
	d.Channel = r.channelIn(c.Quote)
	return d
}

func decided(value, basis string, at text.Span, reasoning string) evidence.Decision {
	return evidence.Decision{Value: value, At: at, Reasoning: reasoning, Features: evidence.Features{basis: 1}}
}

// clues has, for each source, the first words of the text that point to it.
type clues struct {
	website, event, referral, other, manual, email text.Clue
}

// rivals returns how many sources other than the given one have a clue.
func (c clues) rivals(source string) int {
	n := 0
	for value, one := range map[string]text.Clue{
		SourceWebsite: c.website, SourceEvent: c.event, SourceReferral: c.referral, SourceOther: c.other,
		SourceManual: c.manual, SourceEmail: c.email,
	} {
		if one.Ok && value != source {
			n++
		}
	}
	return n
}

func (r *Judge) clues(rd *people.Scene) clues {
	var c clues
	hits := rd.SourceHits
	self := sentencesOf(rd.Text, hits, "self")
	future := sentencesOf(rd.Text, hits, "event_future")
	for _, h := range hits {
		start := rd.Tokens[h.First].Start
		found := text.Clue{Ok: true, Quote: rd.Quote(h), At: rd.SpanOf(h)}
		switch h.Section {
		case "website":
			if start < NearBeginning || strings.Contains(lexicon.Fold(found.Quote), "you") {
				first(&c.website, found)
			}
		case "event", "event_word", "event_name":
			if !future[rd.Tokens[h.First].Sentence] && r.isMeeting(rd, h) {
				first(&c.event, found)
			}
		case "referral":
			if !self[rd.Tokens[h.First].Sentence] && r.isReferral(rd, h) {
				first(&c.referral, found)
			}
		default:
			c.ofChannel(rd, h, found)
		}
	}
	if len(rd.Mails) == 0 && !c.referral.Ok {
		c.referral = r.people.Introduction(rd.Cast)
	}
	return c
}

// ofChannel keeps found, the phrase of hit h, as the clue to a note, a mail or another channel if it points to one of
// these, and is the first phrase that does. A phrase for another channel counts only near the beginning.
func (c *clues) ofChannel(rd *people.Scene, h lexicon.Hit, found text.Clue) {
	switch h.Section {
	case "other":
		if rd.Tokens[h.First].Start < NearBeginning {
			first(&c.other, found)
		}
	case "manual":
		first(&c.manual, found)
	case "heading":
		if isHeading(rd, h) {
			first(&c.manual, found)
		}
	case "email", "outreach":
		first(&c.email, found)
	}
}

// isReferral reports whether a hit recommends the company: it is not denied, and not mere praise such as "recommended
// by 400 clinics".
func (r *Judge) isReferral(rd *people.Scene, h lexicon.Hit) bool {
	praised := h.Last < len(rd.Tokens) && lexicon.HasDigit(rd.Tokens[h.Last].Folded)
	notSo := strings.HasPrefix(strings.TrimPrefix(rd.Body[rd.Tokens[h.Last-1].End:], "で"), "はな")
	return !praised && !notSo && !people.NegatedBefore(rd.Text, h.First, r.people)
}

// isHeading reports whether the words are in the first sentence of the text and begin with its first or second word.
func isHeading(rd *people.Scene, h lexicon.Hit) bool {
	return h.First <= 1 && rd.Tokens[h.First].Sentence == rd.Tokens[0].Sentence
}

func first(to *text.Clue, found text.Clue) {
	if !to.Ok {
		*to = found
	}
}

func sentencesOf(rd *text.Text, hits []lexicon.Hit, section string) map[int]bool {
	sentences := map[int]bool{}
	for _, h := range hits {
		if h.Section == section {
			sentences[rd.Tokens[h.First].Sentence] = true
		}
	}
	return sentences
}

// isMeeting reports whether the words of an event say that somebody was met there. A phrase like "we met at" says so
// itself, unless an office follows. The name of an event must begin with a capital, and a single word of up to four
// letters must be in capitals. The name must also be at the beginning of a note, or follow a word such as "at" and be
// near a word about a meeting or a talk. In scripts without spaces the word before is not needed.
func (r *Judge) isMeeting(rd *people.Scene, h lexicon.Hit) bool {
	if h.Section == "event" {
		return !inOffice(rd.Text, h)
	}
	start := rd.Tokens[h.First].Start
	if h.Section == "event_name" && !lexicon.StartsUpper(rd.Body[start:]) {
		return false
	}
	if h.Words == 1 && h.Section == "event_name" && len(rd.Tokens[h.First].Folded) <= 4 &&
		rd.Body[start:rd.Tokens[h.First].End] != strings.ToUpper(rd.Body[start:rd.Tokens[h.First].End]) {
		return false // "Rise" and "Leap" begin sentences too
	}
	if start < 40 && !rd.FounderVoice {
		return true // a note headed by the event
	}
	for i := max(0, h.First-3); i < h.First; i++ {
		if lexicon.In("words before events", rd.Tokens[i].Folded) {
			return rd.Tokens[i].Sentence == rd.Tokens[h.First].Sentence && r.hasContact(rd.Text, h)
		}
	}
	return lexicon.IsUnspaced([]rune(rd.Body[start:])[0]) && r.hasContact(rd.Text, h)
}

// inOffice reports whether the words after a hit name an office, as in "we met at your office", which is not an event.
func inOffice(rd *text.Text, h lexicon.Hit) bool {
	for i := h.Last; i < min(len(rd.Tokens), h.Last+2); i++ {
		if lexicon.In("offices", rd.Tokens[i].Folded) {
			return true
		}
	}
	return false
}

// hasContact reports whether the sentence of the hit, or the one before, mentions a meeting or a talk.
func (r *Judge) hasContact(rd *text.Text, h lexicon.Hit) bool {
	sentence := rd.Tokens[h.First].Sentence
	for _, t := range rd.Tokens {
		if t.Sentence != sentence && t.Sentence != sentence-1 {
			continue
		}
		if lexicon.In("words of contact", t.Folded) {
			return true
		}
	}
	return false
}

// hasFounderContact reports whether a founder signs the text or has an address in it, unless the text is a note about a
// deal.
func hasFounderContact(rd *people.Scene) bool {
	return !rd.SpeaksOfDeal && rd.ChiefWrites()
}

// Sources returns all sources that the API has.
func Sources() []string {
	return []string{SourceManual, SourceEmail, SourceForm, SourceReferral, SourceWebsite, SourceEvent, SourceOther}
}

// Names returns all sources in the order of the classes of the trained model of sources. A change of the order requires
// new training.
func Names() []string {
	return []string{SourceEmail, SourceWebsite, SourceEvent, SourceReferral, SourceForm, SourceManual, SourceOther}
}

// channelIn returns the longest phrase of a quote that says how the text arrived, folded and cut to analysis.LongestCue
// characters; "" if there is none.
func (r *Judge) channelIn(quote string) string {
	tokens := lexicon.Tokenize(quote)
	best := lexicon.Hit{}
	for _, h := range r.words.Source.Find(tokens) {
		switch h.Section {
		case "website", "event", "event_word", "event_name", "referral", "other", "manual", "email", "outreach":
			if h.Words > best.Words {
				best = h
			}
		}
	}
	return lexicon.Cut(FoldedWords(tokens[best.First:best.Last]), analysis.LongestCue)
}

// FoldedWords returns the folded words of tokens, separated by spaces.
func FoldedWords(tokens []lexicon.Token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Folded
	}
	return strings.Join(words, " ")
}

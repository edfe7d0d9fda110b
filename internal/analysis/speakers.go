package analysis

import (
	"sort"
	"strings"
)

// isShared tells what a founder says of their dealings with this investor from what they say of their business: "our
// call on Tuesday", "your due diligence".
func (r *Rules) isShared(rd *reading, h hit) bool {
	if h.section == conceptWon || h.section == conceptLost || h.section == conceptHold {
		return r.status.has("withdrawn", rd.sentenceOf(h)) ||
			h.section != conceptWon && r.status.has("your_end", rd.sentenceOf(h))
	}
	if far := rankOf(h.section) >= rankOf(conceptDiligence); far && len(rd.mails) < 2 && !rd.thread() {
		return rd.addressedNear(h) || rd.thanksNear(h)
	}
	for i := range rd.tokens {
		if rd.tokens[i].sentence != rd.tokens[h.first].sentence {
			continue
		}
		if isYou(rd.tokens[i].folded) {
			return true
		}
		switch rd.tokens[i].folded {
		case "merci", "danke", "gracias", "grazie", "obrigado", "obrigada", "dank", "bedankt", "dziekuje", "dziekujemy",
			"tesekkur", "tesekkurler", "谢", "感", "谢谢", "ありがと", "御礼", "礼",
			"thanks", "thank", "following", "discussed", "call", "ihr", "ihnen", "euch", "vous", "votre", "usted", "vuestro",
			"su", "voi", "lei", "vostro", "voce", "vosso", "seu", "u", "uw", "jullie",
			"panstwa", "siz", "sizin", "您", "贵", "御":
			return true
		}
	}
	return h.section == conceptPartner || h.section == conceptCommittee
}

// thanksNear reports whether the words before the phrase thank for it: "thanks for the term sheet".
func (rd *reading) thanksNear(h hit) bool {
	const near = 4
	for i := max(0, h.first-near); i < h.first; i++ {
		if rd.tokens[i].clause != rd.tokens[h.first].clause {
			continue
		}
		switch rd.tokens[i].folded {
		case "thanks", "thank", "danke", "dank", "merci", "gracias", "grazie", "obrigado", "obrigada", "bedankt", "dziekuje",
			"dziekujemy", "tesekkurler":
			return true
		}
	}
	return false
}

// thread reports whether the text is an answer in a longer exchange of mails.
func (rd *reading) thread() bool {
	for _, m := range rd.mails {
		if s := strings.ToLower(strings.TrimSpace(m.subject)); strings.HasPrefix(s, "re:") || strings.HasPrefix(s, "aw:") ||
			strings.HasPrefix(s, "sv:") || strings.HasPrefix(s, "ynt:") || strings.HasPrefix(s, "odp:") {
			return true
		}
	}
	return false
}

// addressedNear reports whether the one who is written to is named close to the phrase: what founders say of the later
// stages is else of somebody else.
func (rd *reading) addressedNear(h hit) bool {
	const near = 8
	for i := max(0, h.first-near); i < min(len(rd.tokens), h.last+near); i++ {
		if rd.tokens[i].sentence == rd.tokens[h.first].sentence && isYou(rd.tokens[i].folded) {
			return true
		}
	}
	return false
}

func isYou(word string) bool {
	// "istediğiniz", "önerinizi": what is yours, in Turkish
	for _, ending := range []string{"diginiz", "inizi", "inizin", "inize"} {
		if len(word) > len(ending)+2 && strings.HasSuffix(word, ending) {
			return true
		}
	}
	switch word {
	case "you", "your", "yours", "ihr", "ihre", "ihrem", "ihren", "ihrer", "ihnen", "euch", "eure", "eurem", "eurer",
		"dein", "deine", "deinem", "dir", "dich", "sie", "vous", "votre", "vos", "toi", "ton", "usted", "ustedes", "vuestro",
		"vuestra", "vuestros", "tu", "te", "su",
		"sus", "voi", "vostro", "vostra", "vostri", "voce", "voces", "vosso", "vossa", "seu", "sua", "u", "uw", "jullie",
		"panstwa", "panstwo", "wasz", "wasza", "waszego", "waszej", "siz", "sizin", "size", "sizinle", "您", "贵", "你", "御",
		"貴":
		return true
	}
	return false
}

// founderSpeaks reports whether the words are the founders' own: what a colleague writes above a mail of theirs that he
// passes on is not.
func (rd *reading) founderSpeaks(h hit) bool {
	if !rd.founderVoice {
		return false
	}
	for _, m := range rd.mails {
		if m.forwarded && !m.reply && m.start > rd.firstWord {
			return rd.tokens[h.first].start > m.start
		}
	}
	return true
}

// isQuoted reports whether the place is in a mail that the text answers or passes on, where something of its own stands
// above that mail.
func (rd *reading) isQuoted(at int) bool {
	const ownWords = 6
	for _, h := range rd.mails {
		if h.start > 0 && h.end <= at && rd.tokenAt(h.start) >= ownWords {
			return true
		}
	}
	i := sort.Search(len(rd.lines), func(i int) bool { return rd.lines[i].start > at }) - 1
	return i >= 0 && rd.lines[i].depth > 0 && rd.lines[0].depth == 0 && rd.tokenAt(rd.firstQuoted()) >= ownWords
}

// quotes reports whether the text holds an older mail below its own words.
func (rd *reading) quotes() bool { return len(rd.body) > 0 && rd.isQuoted(len(rd.body)-1) }

// firstQuoted returns where the first quoted line begins.
func (rd *reading) firstQuoted() int {
	for _, l := range rd.lines {
		if l.depth > 0 {
			return l.start
		}
	}
	return len(rd.body)
}

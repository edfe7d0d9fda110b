package people

import (
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/text"
)

// Thread reports whether a mail in the text is an answer, by a subject that begins with "Re:" or its equivalent in one
// of four other languages.
func Thread(rd *text.Text) bool {
	for _, m := range rd.Mails {
		if s := strings.ToLower(strings.TrimSpace(m.Subject)); strings.HasPrefix(s, "re:") || strings.HasPrefix(s, "aw:") ||
			strings.HasPrefix(s, "sv:") || strings.HasPrefix(s, "ynt:") || strings.HasPrefix(s, "odp:") {
			return true
		}
	}
	return false
}

// AddressedNear reports whether a word such as "you" is at most eight words from the phrase, in its sentence. If
// founders mention a later stage without such a word, they mean another investor.
func AddressedNear(rd *text.Text, h lexicon.Hit) bool {
	const near = 8
	for i := max(0, h.First-near); i < min(len(rd.Tokens), h.Last+near); i++ {
		if rd.Tokens[i].Sentence == rd.Tokens[h.First].Sentence && IsYou(rd.Tokens[i].Folded) {
			return true
		}
	}
	return false
}

// IsYou reports whether a folded word addresses the reader: "you" or "your" in any language, or a Turkish word with
// their ending.
func IsYou(word string) bool {
	// "istediğiniz", "önerinizi": what is yours, in Turkish
	for _, ending := range lexicon.List("Turkish endings of yours") {
		if len(word) > len(ending)+2 && strings.HasSuffix(word, ending) {
			return true
		}
	}
	return lexicon.In("words for you", word)
}

// FounderSpeaks reports whether the founders themselves say the phrase. If a colleague forwards their mail, the words
// above the mail are the colleague's.
func (rd *Scene) FounderSpeaks(h lexicon.Hit) bool {
	if !rd.FounderVoice {
		return false
	}
	for _, m := range rd.Mails {
		if m.Forwarded && !m.Reply && m.Start > rd.FirstWord {
			return rd.Tokens[h.First].Start > m.Start
		}
	}
	return true
}

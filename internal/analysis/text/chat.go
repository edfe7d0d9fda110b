package text

import (
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// findChat parses the copy of a chat into rd.Chat, rd.Speaker and rd.Speakers: lines that begin with a time and a name
// or, below a line with a time, with a name. It replaces times and names by spaces in the body, so that they do not
// count as words of the text. The first speaker counts as the person who contacted the investor. A text with mails or
// in HTML is not read as a chat.
func (r *Reader) findChat(rd *Text) {
	if len(rd.Mails) > 0 || rd.HTML {
		return
	}
	timed := false
	speakers := map[string]int{}
	for i := range rd.Lines {
		start, name, ok := r.turn(rd.line(i))
		bare := !ok && rd.isTimeLine(i)
		if !ok && timed {
			start, name, ok = bareTurn(rd.line(i))
			ok = ok && r.labelKind(name) == ""
		}
		if timed = timed || ok || bare; !ok {
			continue
		}
		if len(speakers) == 0 {
			from := rd.Lines[i].Start
			rd.Chat = Clue{true, strings.TrimSpace(rd.line(i)[:start]), Span{Start: from, End: from + start}}
			rd.Speaker = chatName(name)
		}
		speakers[name]++
		rd.Speakers = lexicon.AppendNew(rd.Speakers, chatName(name))
		rd.blankTurn(i, start)
	}
}

// blankTurn replaces the first length bytes of line i of the body, which are a time and a name, by spaces.
func (rd *Text) blankTurn(i, length int) {
	start := rd.Lines[i].Start
	rd.Body = rd.Body[:start] + blanks(rd.Body[start:start+length]) + rd.Body[start+length:]
}

// chatTurnPattern matches time and name at the beginning of a line of a chat.
const chatTurnPattern = `^\s*(?:\[[\d./\- ,]{0,14}\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?` +
	`[\d./\- ,]{0,14}\]\s?|\d{1,4}[./\-]\d{1,2}[./\-]\d{2,4},? \d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?\s?[-–]\s?)` +
	`([^:\[\]/@]{1,40}?)\s?[:：]\s?`

// turn parses "[14/11/26, 19:02:11] Ann Lee: hello", "14.11.26, 19:02 - Ann Lee: hello" and "[09:12] Ann (LP): hello".
// It returns the byte at which "hello" begins, and the name, with a remark in brackets. ok is false for any other line.
func (r *Reader) turn(s string) (start int, name string, ok bool) {
	m := r.chatTurn.FindStringSubmatchIndex(s)
	if m == nil {
		return 0, "", false
	}
	return m[1], s[m[2]:m[3]], true
}

// bareTurn parses "Ann: hello" in a chat whose times are on separate lines. The name must have at most 24 characters
// and not begin with a lower-case letter. The results are those of turn.
func bareTurn(s string) (start int, name string, ok bool) {
	i := strings.IndexAny(s, ":：")
	if i <= 0 || utf8.RuneCountInString(s[:i]) > 24 || strings.ContainsAny(s[:i], "/.,@?") || !lexicon.StartsUpper(s) {
		return 0, "", false
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size, s[:i], !strings.HasPrefix(s[i:], "://")
}

// isTimeLine reports whether line i is the first and contains a day and a time, as programs write above a copied chat.
// It reports false for a line of more than 40 characters.
func (rd *Text) isTimeLine(i int) bool {
	s := rd.line(i)
	return i == 0 && utf8.RuneCountInString(s) <= 40 && strings.Count(s, ":") == 1 &&
		strings.Count(s, "-")+strings.Count(s, "/")+strings.Count(s, ".") >= 2 && lexicon.HasDigit(s[max(0, len(s)-1):])
}

// chatName returns the name of a speaker up to the first "(", without spaces, "~" and "*" around it: "Ann" for
// "~ Ann (LP)". It returns "" if nothing is left.
func chatName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.Trim(name, " ~*")
}

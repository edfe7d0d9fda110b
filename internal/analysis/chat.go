package analysis

import (
	"strings"
	"unicode/utf8"
)

// findChat reads the copy of a chat: lines that begin with a time and a name, or, below a line with a time, with a
// name. What is before the words is blanked out of the body, so that it parts sentences and gives no company. The
// first who speaks is the one who came to the investor.
func (r *Rules) findChat(rd *reading) {
	if len(rd.mails) > 0 || rd.html {
		return
	}
	timed := false
	speakers := map[string]int{}
	for i := range rd.lines {
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
			from := rd.lines[i].start
			rd.chat = clue{true, strings.TrimSpace(rd.line(i)[:start]), place{start: from, end: from + start}}
			rd.speaker = chatName(name)
		}
		speakers[name]++
		rd.speakers = appendNew(rd.speakers, chatName(name))
		rd.blankTurn(i, start)
	}
}

// blankTurn takes the time and the name off the front of a line of the body.
func (rd *reading) blankTurn(i, length int) {
	start := rd.lines[i].start
	rd.body = rd.body[:start] + blanks(rd.body[start:start+length]) + rd.body[start+length:]
}

// turn reads "[14/11/26, 19:02:11] Ann Lee: hello", "14.11.26, 19:02 - Ann Lee: hello" and "[09:12] Ann (LP): hello",
// and gives where the words begin.
func (r *Rules) turn(s string) (start int, name string, ok bool) {
	m := r.chatTurn.FindStringSubmatchIndex(s)
	if m == nil {
		return 0, "", false
	}
	return m[1], s[m[2]:m[3]], true
}

// bareTurn reads "Ann: hello" in a chat whose times are on lines of their own.
func bareTurn(s string) (start int, name string, ok bool) {
	i := strings.IndexAny(s, ":：")
	if i <= 0 || utf8.RuneCountInString(s[:i]) > 24 || strings.ContainsAny(s[:i], "/.,@?") || !startsUpper(s) {
		return 0, "", false
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size, s[:i], !strings.HasPrefix(s[i:], "://")
}

// isTimeLine tells a first line that holds a day and a time, as programs write above what they copy.
func (rd *reading) isTimeLine(i int) bool {
	s := rd.line(i)
	return i == 0 && utf8.RuneCountInString(s) <= 40 && strings.Count(s, ":") == 1 &&
		strings.Count(s, "-")+strings.Count(s, "/")+strings.Count(s, ".") >= 2 && hasDigit(s[max(0, len(s)-1):])
}

// chatName takes a remark in brackets off the name.
func chatName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.Trim(name, " ~*")
}

// chatPeople gives the one who opened the chat. Programs for chats show what they are called in somebody's address
// book, which may be their name with the company's: "Ann Acme Robots".
func (r *Rules) chatPeople(rd *reading) []mention {
	name := rd.speaker
	if name == "" || hasDigit(name) {
		return nil
	}
	m := mention{name: name, start: rd.chat.at.start, kind: byChat}
	first, rest, more := strings.Cut(name, " ")
	if more && r.given[fold(first)] && indexFold(rd.body, rest) >= 0 {
		m.name, m.org = first, rest
	}
	if r.personness(rd, m.name) < 1 && !hasHan(m.name) && !r.given[fold(firstWord(m.name))] && m.org == "" {
		return nil
	}
	return []mention{m}
}

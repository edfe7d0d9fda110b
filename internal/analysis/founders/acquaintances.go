package founders

import (
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// acquaintances are the people whom a text certainly names, such as senders of mails. They are stored in a form that is
// fast to compare with every other person whom the text may name.
type acquaintances struct {
	chosen     []people.Identity // the founders that the rules chose
	senders    []people.Identity // one for each mail of the text
	recipients [][]string        // of each mail, their names squeezed
	speakers   []people.Identity
}

func acquaintancesOf(rd *naming.Subject, chosen []Found) acquaintances {
	var a acquaintances
	for _, f := range chosen {
		a.chosen = append(a.chosen, people.IdentityOf(f.Name))
	}
	for _, h := range rd.Mails {
		a.senders = append(a.senders, people.IdentityOf(h.Name))
		a.recipients = append(a.recipients, recipients(h))
	}
	for _, name := range rd.Speakers {
		a.speakers = append(a.speakers, people.IdentityOf(name))
	}
	return a
}

// recipients returns the names of the people that a mail is addressed to, squeezed: "annlee" for "Ann Lee"; "" for an
// address without a name.
func recipients(h text.Header) []string {
	var names []string
	for _, to := range h.To {
		for one := range strings.FieldsFuncSeq(to, func(c rune) bool { return c == ',' || c == ';' }) {
			whom, _ := text.ReadPerson(one)
			names = append(names, lexicon.Squeeze(whom))
		}
	}
	return names
}

// stretch is a part of the body, from byte start up to, not including, byte end.
type stretch struct{ start, end int }

// findSqueezed returns every part of a text whose letters and digits are those of name, which is as lexicon.Squeeze
// returns it: "Sun-King" for "sunking", also inside longer words. It returns nil if there is none.
func findSqueezed(body, name string) []stretch {
	if name == "" {
		return nil
	}
	var squeezed strings.Builder
	var origin []stretch // of each byte of squeezed
	for i := 0; i < len(body); {
		_, size := utf8.DecodeRuneInString(body[i:])
		letters := lexicon.Squeeze(body[i : i+size])
		squeezed.WriteString(letters)
		for range len(letters) {
			origin = append(origin, stretch{i, i + size})
		}
		i += size
	}
	var found []stretch
	for at := 0; ; at++ {
		next := strings.Index(squeezed.String()[at:], name)
		if next < 0 {
			return found
		}
		at += next
		found = append(found, stretch{origin[at].start, origin[at+len(name)-1].end})
	}
}

// isOwnNear reports whether the company's name is within nearby bytes before or after the occurrence from start to end.
func (c *Context) isOwnNear(start, end int) bool {
	for _, s := range c.ownAt {
		if s.start >= start-nearby && s.end <= end+nearby {
			return true
		}
	}
	return false
}

package analysis

import (
	"slices"
	"strings"
)

// strangers are those of a text who are plainly no founders: to whom it was sent, whom it greets, or who have
// another's title.
type strangers struct {
	names, addresses map[string]bool
}

func (s strangers) has(name, email string) bool {
	return s.names[squeeze(name)] || s.addresses[strings.ToLower(strings.TrimSpace(email))]
}

// strangers also tells whether the founders themselves speak.
func (r *Rules) strangers(in Input) (strangers, bool) {
	rd := r.understand(in)
	s := strangers{names: r.outsiders(rd, rd.people, rd.company), addresses: map[string]bool{}}
	for _, h := range rd.mails {
		for _, to := range h.to {
			for _, a := range addresses(to) {
				s.addresses[a.email] = !rd.hasSent(a.email)
			}
		}
	}
	return s, rd.founderVoice
}

// hasSent reports whether a mail in the text is from this address: then it is no mere recipient.
func (rd *reading) hasSent(email string) bool {
	return slices.ContainsFunc(rd.mails, func(h header) bool { return h.email == email })
}

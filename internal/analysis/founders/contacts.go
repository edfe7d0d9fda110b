package founders

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/people"
	"dealflow/internal/analysis/text"
)

// FillContacts sets the phone number, LinkedIn profile and background of each founder in list. It puts the e-mail
// addresses into lower case, corrects them as returnAddresses does, and sets those that are missing. An address or a
// profile belongs to a founder if it is derived from their name, a phone number if it follows their name. If the first
// founder of the list still has no address, they get the only other address that may be a founder's. A founder who is
// alone in the list also gets the only phone number of the text and, if their name is a single word, the only profile.
func (r *Finder) FillContacts(rd *people.Cast, list []analysis.Founder) {
	for i := range list {
		list[i].Email = strings.ToLower(list[i].Email)
	}
	returnAddresses(list)
	taken := map[string]bool{}
	for i := range list {
		taken[list[i].Email] = true
	}
	for i := range list {
		if list[i].Email == "" {
			list[i].Email = ownAddress(rd.Text, list[i].Name, taken)
			taken[list[i].Email] = true
		}
		list[i].LinkedInProfile = ownProfile(rd.Text, list[i].Name, len(list) == 1)
	}
	if len(list) == 0 {
		return
	}
	if i := firstWithout(list); i >= 0 && (len(list) == 1 || i == 0) {
		list[i].Email = r.loneAddress(rd, list, taken)
	}
	for i := range list {
		list[i].Phone = r.phoneOf(rd.Names, list[i], len(list) == 1)
		list[i].Background = r.people.Background(rd.Text, list[i].Name)
	}
}

// returnAddresses corrects e-mail addresses among founders. An address that is derived from the name of another founder
// of the list, and not from that of its owner, goes to that founder if they have no other address. An address that
// several founders have stays with the first of them.
func returnAddresses(list []analysis.Founder) {
	for i := range list {
		local, _, _ := strings.Cut(list[i].Email, "@")
		if local == "" || people.MatchesLocal(list[i].Name, local) {
			continue
		}
		owner := slices.IndexFunc(list, func(f analysis.Founder) bool {
			return (f.Email == "" || f.Email == list[i].Email) && people.MatchesLocal(f.Name, local)
		})
		if owner >= 0 {
			list[owner].Email, list[i].Email = list[i].Email, ""
		}
	}
	taken := map[string]bool{}
	for i := range list {
		if taken[list[i].Email] {
			list[i].Email = ""
		}
		taken[list[i].Email] = true
	}
}

func firstWithout(list []analysis.Founder) int {
	for i := range list {
		if list[i].Email == "" {
			return i
		}
	}
	return -1
}

func ownAddress(rd *text.Text, name string, taken map[string]bool) string {
	for _, a := range rd.Addresses {
		email := strings.ToLower(a.Email)
		local, _, _ := strings.Cut(email, "@")
		if !taken[email] && people.MatchesLocal(name, local) {
			return email
		}
	}
	return ""
}

// loneAddress returns the only address of the text that may be a founder's: it is not taken, and it does not belong to
// an office, a recipient, a person who is not a founder, or an investor. It returns "" for none or several.
func (r *Finder) loneAddress(rd *people.Cast, list []analysis.Founder, taken map[string]bool) string {
	lone := ""
	for _, a := range rd.Addresses {
		email := strings.ToLower(a.Email)
		local, host, _ := strings.Cut(email, "@")
		if taken[email] || text.IsRoleAddress(local) || rd.IsRecipient(email) || isOutsiders(rd, list, local, host) ||
			isNamedApart(rd.Text, list, local) {
			continue
		}
		if lone != "" && lone != email {
			return ""
		}
		lone = email
	}
	return lone
}

// isOutsiders reports whether the address local@host is at an investor's domain, or belongs to somebody whom the text
// names but who is not in list.
func isOutsiders(rd *people.Cast, list []analysis.Founder, local, host string) bool {
	for _, p := range rd.Mentions {
		known := slices.ContainsFunc(list, func(f analysis.Founder) bool { return people.SamePerson(f.Name, p.Name) })
		if !known && people.MatchesLocal(p.Name, local) {
			return true
		}
	}
	return links.IsInvestorHost(host)
}

// isNamedApart reports whether a part of an address is a name of people that the text has as a word with a capital, and
// that nobody in list has: "bastien" where the text says "Bastien" and the founder is Lisandra Paoli.
func isNamedApart(rd *text.Text, list []analysis.Founder, local string) bool {
	for _, part := range strings.FieldsFunc(lexicon.Fold(local), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if !strings.ContainsAny(lexicon.ListsOf(part), "gs") ||
			slices.ContainsFunc(list, func(f analysis.Founder) bool { return strings.Contains(lexicon.Squeeze(f.Name), part) }) {
			continue
		}
		for _, t := range rd.Tokens {
			first, _ := utf8.DecodeRuneInString(rd.Body[t.Start:])
			if t.Folded == part && unicode.IsUpper(first) && !isInAddress(rd, t.Start) {
				return true
			}
		}
	}
	return false
}

func isInAddress(rd *text.Text, at int) bool {
	return slices.ContainsFunc(rd.Addresses, func(a text.Address) bool { return a.Start <= at && at < a.End })
}

func ownProfile(rd *text.Text, name string, only bool) string {
	var profiles []string
	for _, l := range rd.Links {
		slug := links.LinkedInSlug(l)
		if slug == "" {
			continue
		}
		if people.MatchesSlug(name, slug) {
			return l
		}
		profiles = append(profiles, l)
	}
	if only && len(profiles) == 1 && !strings.Contains(name, " ") {
		return profiles[0]
	}
	return ""
}

// HasPhone reports whether a whole phone number is between the bytes start and end of the body.
func HasPhone(rd *people.Names, start, end int) bool {
	for _, n := range rd.Phones {
		if n[0] >= start && n[1] <= end {
			return true
		}
	}
	return false
}

// phoneOf returns the first phone number that begins within 200 bytes after the beginning of the last occurrence of the
// founder's name, "" if there is none. only is true if the list has no other founder: then the answer to a form's
// question for the phone comes first, and the only number of the text may be anywhere. It returns "" if rd.Phones is
// empty.
func (r *Finder) phoneOf(rd *people.Names, f analysis.Founder, only bool) string {
	const near = 200
	numbers := rd.Phones
	if len(numbers) == 0 {
		return ""
	}
	if answer := rd.AnswerTo("phone"); answer != "" && only {
		return answer
	}
	at := strings.LastIndex(rd.Body, f.Name)
	for _, n := range numbers {
		if only && len(numbers) == 1 || at >= 0 && n[0] > at && n[0]-at < near {
			return strings.TrimSpace(rd.Body[n[0]:n[1]])
		}
	}
	return ""
}

package analysis

import (
	"slices"
	"strings"
)

// fillContacts gives each founder the address, the number and the profile that belong to them: by their name in it, by
// standing beside it, or because there is but one of each.
func (r *Rules) fillContacts(rd *reading, list []Founder) {
	taken := map[string]bool{}
	for i := range list {
		taken[list[i].Email] = true
	}
	for i := range list {
		if list[i].Email == "" {
			list[i].Email = rd.ownAddress(list[i].Name, taken)
			taken[list[i].Email] = true
		}
		list[i].LinkedInProfile = rd.ownProfile(list[i].Name, len(list) == 1)
	}
	if len(list) == 0 {
		return
	}
	if i := firstWithout(list); i >= 0 && (len(list) == 1 || i == 0) {
		list[i].Email = r.loneAddress(rd, list, taken)
	}
	for i := range list {
		list[i].Phone = r.phoneOf(rd, list[i], len(list) == 1)
		list[i].Background = r.background(rd, list[i].Name)
	}
}

func firstWithout(list []Founder) int {
	for i := range list {
		if list[i].Email == "" {
			return i
		}
	}
	return -1
}

func (rd *reading) ownAddress(name string, taken map[string]bool) string {
	for _, a := range rd.address {
		local, _, _ := strings.Cut(a.email, "@")
		if !taken[a.email] && matchesLocal(name, local) {
			return a.email
		}
	}
	return ""
}

// loneAddress returns the only address of the text that nobody has: not an office's, nor the investor's.
func (r *Rules) loneAddress(rd *reading, list []Founder, taken map[string]bool) string {
	lone := ""
	for _, a := range rd.address {
		local, host, _ := strings.Cut(a.email, "@")
		if taken[a.email] || isRoleAddress(strings.ToLower(local)) || rd.isRecipient(a.email) ||
			rd.isOutsiders(list, local, host) {
			continue
		}
		if lone != "" && lone != a.email {
			return ""
		}
		lone = a.email
	}
	return lone
}

// isOutsiders tells the address of one whom the text names but who is no founder, or of an investor's house.
func (rd *reading) isOutsiders(list []Founder, local, host string) bool {
	for _, p := range rd.people {
		known := slices.ContainsFunc(list, func(f Founder) bool { return samePerson(f.Name, p.name) })
		if !known && matchesLocal(p.name, local) {
			return true
		}
	}
	return isHouseOfInvestors(host)
}

func (rd *reading) ownProfile(name string, only bool) string {
	var profiles []string
	for _, l := range rd.links {
		slug := linkedInSlug(l)
		if slug == "" {
			continue
		}
		if matchesSlug(name, slug) {
			return l
		}
		profiles = append(profiles, l)
	}
	if only && len(profiles) == 1 && !strings.Contains(name, " ") {
		return profiles[0]
	}
	return ""
}

// hasPhone reports whether a number is in this stretch of the body.
func (rd *reading) hasPhone(start, end int) bool {
	for _, n := range rd.phones {
		if n[0] >= start && n[1] <= end {
			return true
		}
	}
	return false
}

// phoneOf returns the number that is behind the founder's name, or the only one of the text where they are the only
// one.
func (r *Rules) phoneOf(rd *reading, f Founder, only bool) string {
	const near = 200
	numbers := rd.phones
	if len(numbers) == 0 {
		return ""
	}
	if answer := rd.answerTo("phone"); answer != "" && only {
		return answer
	}
	at := strings.LastIndex(rd.body, f.Name)
	for _, n := range numbers {
		if only && len(numbers) == 1 || at >= 0 && n[0] > at && n[0]-at < near {
			return strings.TrimSpace(rd.body[n[0]:n[1]])
		}
	}
	return ""
}

package analysis

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// domainLabel gives what of a host is the owner's name: "gridmint" of "mail.gridmint.co.uk"; "" where there is none.
func domainLabel(host string) string {
	host = strings.ToLower(strings.Trim(host, ". "))
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	label, _, _ := strings.Cut(domain, ".")
	return strings.ReplaceAll(label, "-", "")
}

// linkedInSlug gives "paulo-serra-1" of "https://www.linkedin.com/in/paulo-serra-1", "" for any other link.
func linkedInSlug(link string) string {
	host, path := splitLink(link)
	if host != "linkedin.com" && !strings.HasSuffix(host, ".linkedin.com") {
		return ""
	}
	slug, ok := strings.CutPrefix(path, "/in/")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(slug, "/?#"); i >= 0 {
		slug = slug[:i]
	}
	return strings.ToLower(slug)
}

// matchesSlug reports whether a LinkedIn profile's name is made of the person's.
func matchesSlug(name, slug string) bool {
	slug = squeeze(slug)
	matched := 0
	words := strings.Fields(name)
	for _, w := range words {
		if w := squeeze(w); utf8.RuneCountInString(w) > 2 && strings.Contains(slug, w) {
			matched++
		}
	}
	return matched > 0 && (matched >= 2 || len(words) == 1 || strings.HasPrefix(slug, squeeze(words[0])) ||
		strings.HasSuffix(slug, squeeze(words[len(words)-1])))
}

// matchesLocal reports whether the part of an address before the "@" is made of the person's name: first, last, both,
// or one with the other's first letter.
func matchesLocal(name, local string) bool { return localWords(name).match(local) }

// personWords are the words of a person's name as addresses are made of them.
type personWords []string

func localWords(name string) personWords {
	return strings.Fields(strings.ReplaceAll(fold(name), ".", ""))
}

func (words personWords) match(local string) bool {
	local, _, _ = strings.Cut(strings.ToLower(local), "+")
	if len(words) == 0 || isRoleAddress(local) {
		return false
	}
	first, last := squeeze(words[0]), squeeze(words[len(words)-1])
	for part := range strings.FieldsFuncSeq(local,
		func(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') }) {
		if len(part) > 1 && (part == first || part == last || isNickname(part, first)) {
			return true
		}
		for _, w := range words[1:] {
			if w := squeeze(w); len(first) > 0 && len(w) > 1 &&
				(part == first+w || part == w+first || part == first[:1]+w || part == first+w[:1] || part == w+first[:1] ||
					part == first[:1]+w[:1]) {
				return true
			}
		}
		if initials(words) == part && len(part) > 1 || len(part) > 5 && strings.HasPrefix(part, first) && len(first) > 3 {
			return true
		}
	}
	return false
}

// isNickname tells "seun" of "oluwaseun" and "alex" of "alexander".
func isNickname(part, first string) bool {
	return len(part) >= 3 && len(first) > len(part) &&
		(strings.HasPrefix(first, part) || len(part) >= 4 && strings.HasSuffix(first, part))
}

func initials(words []string) string {
	var out strings.Builder
	for _, w := range words {
		for _, r := range w {
			out.WriteRune(r)
			break
		}
	}
	return out.String()
}

// isRoleAddress distinguishes an address of an office from a person's.
func isRoleAddress(local string) bool {
	if strings.Contains(local, "noreply") || strings.Contains(local, "no-reply") ||
		strings.HasPrefix(local, "notification") {
		return true
	}
	switch local {
	case "info", "hello", "hi", "hey", "team", "contact", "office", "mail", "legal", "deals", "deal", "jobs", "careers",
		"support", "press", "ir", "invest", "investors", "pitch", "pitches",
		"noreply", "no-reply", "donotreply", "notifications", "notification", "newsletter", "updates", "admin", "sales",
		"marketing", "privacy", "kontakt", "hallo", "bonjour", "contacto", "contato", "inbound", "founders", "startups",
		"inbox":
		return true
	}
	return false
}

func (r *Rules) isFreeMail(host string) bool { return r.freeMail.exact(domainLabel(host)) != "" }

// addresses returns the e-mail addresses of a text: what is around each "@", as far as an address goes.
func addresses(text string) []address {
	const longest = 64
	var all []address
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '@')
		if i < 0 {
			return all
		}
		at := from + i
		from = at + 1
		start, end := at, at+1
		for start > 0 && at-start < longest && isLocalByte(text[start-1]) {
			start--
		}
		for end < len(text) && end-at < 4*longest && isHostByte(text[end]) {
			end++
		}
		start += len(text[start:at]) - len(strings.TrimLeft(text[start:at], ".'-"))
		end -= len(text[at:end]) - len(strings.TrimRight(text[at:end], ".-"))
		if i := strings.LastIndexByte(text[at:end], '.'); start < at && i > 1 && end-at-i > 2 &&
			strings.Trim(text[at+i+1:end], "0123456789-") != "" {
			all = append(all, address{email: text[start:end], start: start, end: end})
		}
	}
}

func isLocalByte(c byte) bool { return isHostByte(c) || strings.IndexByte("_%+'", c) >= 0 }

// firstAddress returns the first e-mail address of a text, "" for none.
func firstAddress(text string) string {
	if all := addresses(text); len(all) > 0 {
		return all[0].email
	}
	return ""
}

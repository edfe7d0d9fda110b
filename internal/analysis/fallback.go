package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// unnamed is what a company is called when nothing tells its name.
const unnamed = "Untitled company"

// longestName is the most characters that a company's name may have.
const longestName = 255

// FallbackName gives the name to store before the analysis is done, or when it finds none: the site's or the sender's
// domain, written like a name, else "Untitled company". The links are those that Links found in text.
func (r *Rules) FallbackName(text string, links []string) string {
	name, _ := r.fallback(r.open(head(text), cleaned{}), links)
	return name
}

// fallback returns the name in a domain of a text that is open already, and the domain.
func (r *Rules) fallback(rd *reading, links []string) (name, host string) {
	for _, personal := range []bool{true, false} { // an office's address may be the investor's own
		for _, a := range rd.address {
			local, host, _ := strings.Cut(a.email, "@")
			if role := isRoleAddress(local); domainLabel(host) == "" || r.isFreeMail(host) || isHouseOfInvestors(host) ||
				personal && role || role && !isCompanyAddress(local) || rd.isRecipient(a.email) {
				continue
			}
			return r.domainName(host), host
		}
	}
	for _, l := range links {
		if host, _ := splitLink(l); linkedInSlug(l) == "" && r.isOwnPage(l) && domainLabel(host) != "" &&
			!isHouseOfInvestors(host) {
			return r.domainName(host), host
		}
	}
	lower := strings.ToLower(rd.body)
	for _, m := range r.domain.FindAllStringIndex(lower, 20) {
		host := lower[m[0]:m[1]]
		suffix, known := publicsuffix.PublicSuffix(host)
		if known && !insideWord(lower, m[0]) && !isFileExtension(suffix) && r.isOwnPage("https://"+host) &&
			!r.isFreeMail(host) {
			return r.domainName(host), host
		}
	}
	return unnamed, ""
}

// isCompanyAddress distinguishes the addresses of offices that companies have from those that only investors have.
func isCompanyAddress(local string) bool {
	switch local {
	case "info", "hello", "hi", "hey", "team", "contact", "office", "mail", "founders", "kontakt", "hallo", "bonjour",
		"contacto", "contato", "sales", "ir":
		return true
	}
	return false
}

// isOwnPage distinguishes a page that may be the company's own from those of platforms, drives, social networks and
// trackers.
func (r *Rules) isOwnPage(link string) bool {
	host, rest := splitLink(link)
	path, query, _ := strings.Cut(strings.ToLower(rest), "?")
	for _, class := range r.picker.classes {
		for _, p := range class.Patterns {
			if p != "*" && holdsPattern(strings.ToLower(p), host, path) {
				return false
			}
		}
		if class.Never && class.holdsWord(query) {
			return false
		}
	}
	return host != "" && !isInfrastructure(host)
}

// isInfrastructure tells hosts that carry other people's files, and names that are reserved for examples.
func isInfrastructure(host string) bool {
	for _, suffix := range []string{
		"amazonaws.com", "cloudfront.net", "googleapis.com", "googleusercontent.com", "windows.net", "azureedge.net",
		"backblazeb2.com", "r2.dev", "digitaloceanspaces.com", "tally.so", "notion.so", "notion.site", "webflow.io",
		"github.io", "vercel.app", "netlify.app", "example.com", "example.org", "google.com", "outlook.com", "apple.com",
		"microsoft.com", "canva.com", "figma.com", "pitch.com",
	} {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return true
		}
	}
	return false
}

// domainName writes a host as a name: "saffron-grid.com" is Saffron Grid.
func (r *Rules) domainName(host string) string {
	label := strings.ToLower(strings.Trim(host, ". "))
	if short := domainLabel(host); short != "" {
		for part := range strings.SplitSeq(label, ".") {
			if strings.ReplaceAll(part, "-", "") == short {
				label = part
			}
		}
	}
	words := strings.FieldsFunc(partedLabel(label), func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(first)) + w[size:]
	}
	return limitName(strings.Join(words, " "))
}

// partedLabel parts what a label ends with where that is a word of its own in names: "waterlinielabs".
func partedLabel(label string) string {
	const shortest = 4
	for _, ending := range []string{
		"labs", "health", "robotics", "energy", "systems", "software", "foods", "homes", "therapeutics", "diagnostics",
		"mobility", "logistics", "materials", "analytics", "biotech", "technologies", "solutions", "industries", "studios",
	} {
		if stem, ok := strings.CutSuffix(label, ending); ok && len(stem) >= shortest && !strings.HasSuffix(stem, "-") {
			return stem + "-" + ending
		}
	}
	return label
}

func limitName(name string) string {
	runes := []rune(strings.Join(strings.Fields(name), " "))
	if len(runes) > longestName {
		runes = runes[:longestName]
	}
	return strings.TrimSpace(string(runes))
}

// withoutReplyMarks takes "Re: Fwd:" off a subject, in any language.
func (r *Rules) withoutReplyMarks(subject string) string {
	for {
		mark, rest, ok := strings.Cut(subject, ":")
		if !ok || r.mailWords.exact(mark) != "mark" {
			return subject
		}
		subject = strings.TrimSpace(rest)
	}
}

// subjectNames returns the names that a mail's subject holds.
func (r *Rules) subjectNames(subject string) []string {
	var names []string
	subject = r.withoutReplyMarks(subject)
	for _, s := range r.spansBetween(nil, subject, 0, len(subject)) {
		names = append(names, s.text)
	}
	return names
}

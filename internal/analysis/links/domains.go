package links

import (
	"strings"

	"golang.org/x/net/publicsuffix"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/lexicon"
)

// DomainLabel returns the part of a host that names its owner, in lower case and without hyphens: "gridmint" for
// "mail.grid-mint.co.uk". It returns "" for a host without a registered domain.
func DomainLabel(host string) string {
	domain := registered(host)
	label, _, _ := strings.Cut(domain, ".")
	return strings.ReplaceAll(label, "-", "")
}

// LinkedInSlug returns the part that names the person in the link of a LinkedIn profile, in lower case: "paulo-serra-1"
// for "https://www.linkedin.com/in/paulo-serra-1". It returns "" for any other link.
func LinkedInSlug(link string) string {
	host, path := SplitLink(link)
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

// SplitLink returns the host of a link in lower case, without user and port, and the rest from the path on. An IPv6
// address has no brackets. Both are "" for a link without a scheme.
func SplitLink(link string) (host, rest string) {
	_, after, ok := strings.Cut(link, "://")
	if !ok {
		return "", ""
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	host, rest = after[:end], after[end:]
	host = host[strings.LastIndexByte(host, '@')+1:]
	if address, isIPv6 := strings.CutPrefix(host, "["); isIPv6 {
		host, _, _ = strings.Cut(address, "]")
	} else if i := strings.IndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return strings.ToLower(host), rest
}

// Registered returns the registered domain of a host: "acme.io" for "mail.acme.io"; "" for none. It is cut to
// analysis.LongestCue characters.
func Registered(host string) string { return lexicon.Cut(registered(host), analysis.LongestCue) }

func registered(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(strings.Trim(host, ". ")))
	if err != nil {
		return ""
	}
	return domain
}

// isInfrastructure reports whether a host is that of a platform, such as one that serves other people's files, or has a
// name that is reserved for examples.
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

// IsInvestorHost reports whether a host, in lower case, looks like an investor's: its DomainLabel ends as names of
// funds do, or its top-level domain is one that funds use.
func IsInvestorHost(host string) bool {
	label := DomainLabel(host)
	for _, word := range lexicon.List("endings of investors") {
		if strings.HasSuffix(label, word) {
			return true
		}
	}
	return strings.HasSuffix(host, ".vc") || strings.HasSuffix(host, ".fund") || strings.HasSuffix(host, ".capital") ||
		strings.HasSuffix(host, ".ventures")
}

// IsOwnPage reports whether a link may be a page of the company's own site, and not one of a platform, drive, social
// network or tracker. It reports false for a link without a host.
func (d *DeckPicker) IsOwnPage(link string) bool {
	host, rest := SplitLink(link)
	path, query, _ := strings.Cut(strings.ToLower(rest), "?")
	for _, class := range d.classes {
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

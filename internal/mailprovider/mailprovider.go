// Package mailprovider knows whose addresses do not show which company somebody is of.
package mailprovider

import (
	_ "embed"
	"strings"

	"golang.org/x/net/publicsuffix"
)

//go:embed providers.txt
var providers string

// List has the domains of mail providers, and of services that pass on what others write. It is safe for concurrent
// use.
type List struct{ provider, passesOn domains }

// domains are whole domains, such as "gmx.net", and brands with a domain under many suffixes, such as "yahoo".
type domains struct{ whole, brands map[string]bool }

// New returns the list in providers.txt.
func New() *List {
	list := &List{domains{map[string]bool{}, map[string]bool{}}, domains{map[string]bool{}, map[string]bool{}}}
	into := &list.provider
	for line := range strings.Lines(providers) {
		line = strings.TrimSpace(line)
		switch brand, wide := strings.CutSuffix(line, ".*"); {
		case line == "" || line[0] == '#' || line == "[provider]":
		case line == "[passes on]":
			into = &list.passesOn
		case wide:
			into.brands[brand] = true
		default:
			into.whole[line] = true
		}
	}
	return list
}

// Has reports whether a host is a mail provider's, such as "yahoo.co.uk" or a host of "gmx.net".
func (l *List) Has(host string) bool { return l.provider.has(host) }

// PassesOn reports whether a host is that of a service that sends what others write, such as "docusign.net".
func (l *List) PassesOn(host string) bool { return l.passesOn.has(host) }

func (d domains) has(host string) bool {
	host = strings.Trim(strings.ToLower(host), ". ")
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return false
	}
	if label, _, _ := strings.Cut(domain, "."); d.brands[label] {
		return true
	}
	for part := host; len(part) >= len(domain); _, part, _ = strings.Cut(part, ".") {
		if d.whole[part] {
			return true
		}
	}
	return false
}

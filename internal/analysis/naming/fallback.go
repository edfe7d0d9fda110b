package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/clean"
	"dealflow/internal/analysis/evidence"
	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/text"
)

// Unnamed is the name of a company if no name is found. The SQL function app_name_key lists it, in lower case, among
// the names by which companies are not matched: change both together.
const Unnamed = "Untitled company"

// LongestName is the largest number of characters that a company's name may have.
const LongestName = 255

// FallbackName returns the name to store until the analysis is done, or if the analysis finds none: the sender's domain
// or a link's, written like a name ("Saffron Grid" for saffron-grid.com), else "Untitled company". all are the links in
// content.
func (r *Namer) FallbackName(content string, all []string) string {
	name, _ := r.Fallback(r.text.Open(text.Head(content), links.Cleaned{}), all)
	return name
}

// Fallback returns a name derived from a domain, and the domain. It tries the addresses of the text, then the links in
// all, then the first 20 hosts that the text names. It skips mail providers, platforms, recipients of mails and, in
// addresses and links, investors. It returns Unnamed and "" if no domain is left.
func (r *Namer) Fallback(rd *text.Text, all []string) (name, host string) {
	if host := r.hostOfAddress(rd); host != "" {
		return r.domainName(host), host
	}
	for _, l := range all {
		if host, _ := links.SplitLink(l); links.LinkedInSlug(l) == "" && r.picker.IsOwnPage(l) &&
			links.DomainLabel(host) != "" &&
			!links.IsInvestorHost(host) {
			return r.domainName(host), host
		}
	}
	lower := strings.ToLower(rd.Body)
	for _, m := range r.domain.FindAllStringIndex(lower, 20) {
		host := lower[m[0]:m[1]]
		suffix, known := publicsuffix.PublicSuffix(host)
		if known && !lexicon.InsideWord(lower, m[0]) && !clean.IsFileExtension(suffix) &&
			r.picker.IsOwnPage("https://"+host) &&
			!r.text.IsFreeMail(host) {
			return r.domainName(host), host
		}
	}
	return Unnamed, ""
}

// hostOfAddress returns the domain of an address that is a company's own, "" for none. It prefers a person's address to
// an office's, such as "info@", which may be the investor's own. Of offices it takes only those for which
// text.IsCompanyAddress reports true.
func (r *Namer) hostOfAddress(rd *text.Text) string {
	for _, personal := range []bool{true, false} {
		for _, a := range rd.Addresses {
			local, host, _ := strings.Cut(strings.ToLower(a.Email), "@")
			if role := text.IsRoleAddress(local); role && (personal || !text.IsCompanyAddress(local)) {
				continue
			}
			if links.DomainLabel(host) != "" && !r.text.IsFreeMail(host) && !links.IsInvestorHost(host) &&
				!rd.IsRecipient(a.Email) {
				return host
			}
		}
	}
	return ""
}

// domainName returns a host written as a name: "Saffron Grid" for "saffron-grid.com".
func (r *Namer) domainName(host string) string {
	label := strings.ToLower(strings.Trim(host, ". "))
	if short := links.DomainLabel(host); short != "" {
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
	return LimitName(strings.Join(words, " "))
}

// partedLabel returns a domain's label with a hyphen before an ending that is a separate word in names:
// "waterlinie-labs" for "waterlinielabs". It returns other labels unchanged.
func partedLabel(label string) string {
	const shortest = 4
	for _, ending := range lexicon.List("endings of labels") {
		if stem, ok := strings.CutSuffix(label, ending); ok && len(stem) >= shortest && !strings.HasSuffix(stem, "-") {
			return stem + "-" + ending
		}
	}
	return label
}

// LimitName returns a name with single spaces, cut to LongestName characters.
func LimitName(name string) string {
	runes := []rune(strings.Join(strings.Fields(name), " "))
	if len(runes) > LongestName {
		runes = runes[:LongestName]
	}
	return strings.TrimSpace(string(runes))
}

// subjectNames returns the names in a mail's subject.
func (r *Namer) subjectNames(subject string) []string {
	var names []string
	subject = r.text.WithoutReplyMarks(subject)
	for _, s := range r.people.SpansBetween(nil, subject, 0, len(subject)) {
		names = append(names, s.Text)
	}
	return names
}

// StandIn returns a name for a company that the text does not name, as a decision without a confidence: the name that a
// deck has in its title or on its first page, else a name derived from a domain, else Unnamed.
func (r *Namer) StandIn(rd *text.Text, in analysis.Input) evidence.Decision {
	for i, doc := range in.Documents {
		if name := r.deckName(doc); name != "" {
			return evidence.Decision{
				Value: LimitName(name), At: evidence.SpanOnPage(doc, i+1, name),
				Features: evidence.Features{"deck_title": 1},
			}
		}
	}
	if name, host := r.Fallback(rd, in.Links); name != Unnamed {
		return evidence.Decision{Value: name, At: text.Span{Literal: host}, Features: evidence.Features{"domain_alone": 1}}
	}
	return evidence.Decision{Value: Unnamed, Features: evidence.Features{"unnamed": 1}}
}

// CompanyName returns the company's name, as a decision without a confidence: the one that the text uses, else the name
// of StandIn. If StandIn returns Unnamed, CompanyName uses the best name of the text that has any points, but none of
// several words if there are documents.
func (r *Namer) CompanyName(rd *Subject, in analysis.Input) evidence.Decision {
	if rd.Company != "" {
		return r.nameDecision(rd, in, "best")
	}
	if d := r.StandIn(rd.Text, in); d.Value != Unnamed {
		return d
	}
	if len(rd.Ranked) > 0 && rd.Ranked[0].score > 0 &&
		(len(in.Documents) == 0 || !strings.Contains(rd.Ranked[0].text, " ")) {
		return r.nameDecision(rd, in, "weak")
	}
	return r.StandIn(rd.Text, in)
}

// nameDecision returns the best name of rd.Ranked, which must not be empty, as a decision, with the features from which
// its confidence is computed and with its span. basis is the name of a further feature: "best" or "weak".
func (r *Namer) nameDecision(rd *Subject, in analysis.Input, basis string) evidence.Decision {
	best, rival := rd.Ranked[0], 0
	if len(rd.Ranked) > 1 {
		rival = max(0, rd.Ranked[1].score)
	}
	d := evidence.Decision{Value: LimitName(best.text), Features: evidence.Features{basis: 1}}
	d.Features["score"] = float64(min(best.score, 24)) / 12
	d.Features["margin"] = float64(min(best.score-rival, 12)) / 6
	d.Features.Set("answered", best.answered)
	d.Features.Set("domain", best.domain)
	d.Features.Set("person", r.people.Personness(rd.Names, best.text) >= 2)
	for i, doc := range in.Documents {
		if lexicon.Squeeze(r.deckName(doc)) == lexicon.Squeeze(best.text) {
			d.Features.Set("deck", true)
			d.At = evidence.SpanOnPage(doc, i+1, best.text)
		}
	}
	if lexicon.IndexFold(rd.Plain, best.text) >= 0 || d.At.Quote == "" {
		d.At = rd.SpanOfName(best.text, min(best.start, len(rd.Plain)))
	}
	return d
}

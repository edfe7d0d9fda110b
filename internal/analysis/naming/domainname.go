package naming

import (
	"slices"
	"strings"

	"dealflow/internal/analysis/lexicon"
	"dealflow/internal/analysis/links"
)

// WithDomains returns the probabilities p of the candidates, corrected by the domains of the founders' addresses: the
// probability of a name from which such a domain is derived is multiplied by twenty, then all are divided by their sum.
// p is not changed. WithDomains returns p itself if the likeliest name, all[likeliest], is in a script that no domain
// has, or looks like one of the domains: "Wild Gasket" is right beside ida@wildgskt.com.
func (r *Namer) WithDomains(all []*Candidate, p []float64, likeliest int, emails []string) []float64 {
	const times = 20
	labels, key := r.labelsOf(emails), all[likeliest].Key
	if !lexicon.IsPlainASCII(key) ||
		slices.ContainsFunc(labels, func(label string) bool { return looksLike(key, label) }) {
		return p
	}
	weighed, sum := slices.Clone(p), 0.0
	for i, one := range all {
		if slices.ContainsFunc(labels, func(label string) bool { return isLabel(one, label) }) {
			weighed[i] *= times
		}
		sum += weighed[i]
	}
	for i := range weighed {
		weighed[i] /= sum
	}
	return weighed
}

// isLabel reports whether a domain's label is the candidate's name, also with a word such as "get" before it, or with
// letters replaced that domains cannot have: "kloeppelwerk" for "Klöppelwerk".
func isLabel(one *Candidate, label string) bool {
	return one.Key == label || one.Key == calledFor(label) || withPlainLetters(one.Text) == label
}

// withPlainLetters returns a name squeezed, with letters such as "ö" written as two: "kloeppelwerk" for "Klöppelwerk";
// "" for a name without such a letter.
func withPlainLetters(name string) string {
	plain := strings.ToLower(name)
	for _, pair := range lexicon.List("letters for two") {
		letter, two, _ := strings.Cut(pair, " ")
		plain = strings.ReplaceAll(plain, letter, two)
	}
	if len(plain) == len(name) && strings.EqualFold(plain, name) {
		return ""
	}
	return lexicon.Squeeze(plain)
}

// labelsOf returns the labels of the domains of addresses, as links.DomainLabel returns them, without mail providers.
func (r *Namer) labelsOf(emails []string) []string {
	var labels []string
	for _, email := range emails {
		_, host, _ := strings.Cut(email, "@")
		if label := links.DomainLabel(host); label != "" && !r.text.IsFreeMail(host) {
			labels = lexicon.AppendNew(labels, label)
		}
	}
	return labels
}

// looksLike reports whether a squeezed name has three letters in a row that a domain's label has, too, or is a part of
// the label.
func looksLike(name, label string) bool {
	const letters = 3
	for i := 0; i+letters <= len(name); i++ {
		if strings.Contains(label, name[i:i+letters]) {
			return true
		}
	}
	return strings.Contains(label, name)
}

package links

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"

	"dealflow/internal/analysis/lexicon"
)

// DeckClass is one row of the table by which the deck is chosen among the links of a text. A link belongs to the
// matching row of the lowest rank; of rows of one rank, those with Never are tried first, then those with OnlyNamed.
// Links of a row with Never are not decks; links of a row with OnlyNamed are decks only if the text calls them decks.
//
// A row matches by any of its Patterns, Suffixes and Words. Patterns are hosts, which match their subdomains too, and
// may be followed by the beginning of a path ("storage.tally.so/private"), which may be further on in the path if the
// host is "*"; one "*" in a host matches any run of characters. Suffixes are ends of paths (".pdf"). Words are whole
// words of a path, between slashes, dots and dashes; with Never, also of the query. Suffixes and Words are in lower
// case.
type DeckClass struct {
	Name     string   `json:"name" yaml:"name"`
	Rank     int      `json:"rank" yaml:"rank"`
	Patterns []string `json:"patterns,omitempty" yaml:"patterns,omitempty"`
	Suffixes []string `json:"suffixes,omitempty" yaml:"suffixes,omitempty"`
	Words    []string `json:"words,omitempty" yaml:"words,omitempty"`
	Never    bool     `json:"never,omitempty" yaml:"never,omitempty"`

	OnlyNamed bool `json:"only_named,omitempty" yaml:"only_named,omitempty"`
}

// DefaultDeckClasses returns the built-in table: DocSend, Papermark, Brieflink, Tally storage, cloud drives, then any
// other link; among the other links, those that look like a deck come before plain pages.
func DefaultDeckClasses() []DeckClass {
	table, err := lexicon.File("deck_classes.yaml")
	if err != nil {
		return nil // cannot happen: the table is part of the binary
	}
	classes, err := ParseDeckClasses(table)
	if err != nil {
		return nil // cannot happen: a test reads it
	}
	return classes
}

// ParseDeckClasses parses a table in YAML or JSON: a list of rows with the members of DeckClass. It returns the rows in
// the order in which they are tried: by rank, and within a rank first those with Never, then those with OnlyNamed. A
// syntax error, an unknown member or an empty list is reported alone; otherwise the error lists every invalid value
// with the number and name of its row.
func ParseDeckClasses(data []byte) ([]DeckClass, error) {
	var classes []DeckClass
	if err := yaml.UnmarshalWithOptions(data, &classes, yaml.Strict()); err != nil {
		return nil, fmt.Errorf(
			"deck classes: want a YAML or JSON list of {name, rank, patterns, suffixes, words, never, only_named}: %w", err,
		)
	}
	if len(classes) == 0 {
		return nil, errors.New("deck classes: the list is empty; leave it unset for the built-in table")
	}
	var wrong []error
	for i, c := range classes {
		for _, problem := range c.problems() {
			wrong = append(wrong, fmt.Errorf("deck classes: row %d (%s): %s", i+1, c.Name, problem))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	for _, c := range classes {
		lowered(c.Suffixes)
		lowered(c.Words)
	}
	sort.SliceStable(classes, func(i, j int) bool {
		a, b := classes[i], classes[j]
		return a.Rank < b.Rank || a.Rank == b.Rank && a.precedence() < b.precedence()
	})
	return classes, nil
}

// lowered changes the words to lower case in place, since links are compared in lower case.
func lowered(words []string) {
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
}

func (c DeckClass) precedence() int {
	switch {
	case c.Never:
		return 0
	case c.OnlyNamed:
		return 1
	}
	return 2
}

func (c DeckClass) problems() []string {
	var list []string
	if strings.TrimSpace(c.Name) == "" {
		list = append(list, "name is missing")
	}
	if c.Rank < 1 {
		list = append(list, fmt.Sprintf("rank is %d, want 1 (the highest class) or more", c.Rank))
	}
	if len(c.Patterns)+len(c.Suffixes)+len(c.Words) == 0 {
		list = append(list, "it has no patterns, suffixes or words and would hold no link")
	}
	for _, p := range c.Patterns {
		switch {
		case strings.TrimSpace(p) == "" || strings.ContainsAny(p, " \t\n"):
			list = append(list, fmt.Sprintf("pattern %q: want a host, or a host and the beginning of a path", p))
		case strings.Contains(p, "://"):
			list = append(list, fmt.Sprintf("pattern %q: leave the scheme out", p))
		}
	}
	for _, s := range c.Suffixes {
		if !strings.HasPrefix(s, ".") {
			list = append(list, fmt.Sprintf("suffix %q: want one that begins with a dot, like .pdf", s))
		}
	}
	if slices.Contains(c.Words, "") {
		list = append(list, "one of its words is empty")
	}
	return list
}

func patternHost(pattern string) string {
	host, _, _ := strings.Cut(strings.ToLower(pattern), "/")
	return host
}

// holds reports whether the link with this host, path and query, all in lower case, belongs to the class.
func (c DeckClass) holds(host, path, query string) bool {
	for _, p := range c.Patterns {
		if holdsPattern(strings.ToLower(p), host, path) {
			return true
		}
	}
	for _, s := range c.Suffixes {
		if strings.HasSuffix(path, s) {
			return true
		}
	}
	return c.holdsWord(path) || c.Never && c.holdsWord(query)
}

func (c DeckClass) holdsWord(path string) bool {
	for _, w := range c.Words {
		for at := path; ; {
			i := strings.Index(at, w)
			if i < 0 {
				break
			}
			if (i == 0 || isWordEdge(at[i-1])) && (i+len(w) == len(at) || isWordEdge(at[i+len(w)])) {
				return true
			}
			at = at[i+len(w):]
		}
	}
	return false
}

func isWordEdge(c byte) bool { return strings.IndexByte("/.-_~=?&+%", c) >= 0 }

func holdsPattern(pattern, host, path string) bool {
	wantHost, wantPath, hasPath := strings.Cut(pattern, "/")
	if strings.Contains(wantHost, "*") {
		if wantHost != "*" && !matchStar(wantHost, host) {
			return false
		}
	} else if host != wantHost && !strings.HasSuffix(host, "."+wantHost) {
		return false
	}
	return !hasPath || wantPath == "" || strings.HasPrefix(path, "/"+wantPath) ||
		wantHost == "*" && strings.Contains(path, "/"+wantPath)
}

// matchStar reports whether host matches a pattern that has one "*".
func matchStar(pattern, host string) bool {
	before, after, _ := strings.Cut(pattern, "*")
	return len(host) >= len(before)+len(after) && strings.HasPrefix(host, before) && strings.HasSuffix(host, after)
}

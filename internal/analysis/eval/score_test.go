package eval_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
)

// fieldNames are what a sample is scored by, in the order of the table. Titles and profiles are scored for the founders
// that are right by name and address.
func fieldNames() []string {
	return []string{
		"urls", "deck_url", "name", "founders", "source", "status", "deck", "summary", "kind", "all six", "titles",
		"linkedin",
	}
}

// tally counts the answers to a field, and those of them that are right.
type tally struct{ right, all int }

func (t tally) percent() float64 {
	if t.all == 0 {
		return 0
	}
	return 100 * float64(t.right) / float64(t.all)
}

// result is the score of a set: a tally for each field, and a line for each miss.
type result struct {
	fields map[string]tally
	misses []string
}

func (r *result) count(field string, right bool) {
	t := r.fields[field]
	t.all++
	if right {
		t.right++
	}
	r.fields[field] = t
}

// answers are the findings of a sample as the service would store them.
type answers struct {
	analysis.Findings
	urls    []string
	deckURL string
}

// kept returns the findings for an input as the service would store them: with the source "manual" if none was found,
// and the first PDF as the deck if none was chosen.
func kept(in analysis.Input, found analysis.Findings) answers {
	if found.Source == "" {
		found.Source = "manual" // what is kept when nothing was detected
	}
	if in.PickDeck && found.DeckDocumentID == "" {
		found.DeckDocumentID = "1" // the first PDF is taken then
	}
	return answers{Findings: found, urls: in.Links, deckURL: in.DeckURL}
}

// reading is a sample with the answers of an analyzer.
type reading struct {
	sample

	in        analysis.Input
	answers   answers
	decisions []rules.Decision // of the rules, where they were asked
}

// answerAll analyzes the samples of a set with an analyzer, atOnce of them at the same time.
func answerAll(tb testing.TB, analyzer analysis.Analyzer, set string, atOnce int) []reading {
	tb.Helper()
	return readAll(tb, set, atOnce, func(r *reading) {
		found, err := analyzer.Analyze(tb.Context(), r.in)
		if err != nil {
			tb.Error(err)
		}
		r.answers = kept(r.in, found)
	})
}

// explainAll analyzes the samples of a set with the rules, and also returns the decisions of the rules.
func explainAll(tb testing.TB, rules *rules.Rules, set string) []reading {
	tb.Helper()
	return readAll(tb, set, 2, func(r *reading) {
		found, decisions := rules.Explain(r.in)
		r.answers, r.decisions = kept(r.in, found), decisions
	})
}

func readAll(tb testing.TB, set string, atOnce int, read func(*reading)) []reading {
	tb.Helper()
	found, samples := newLinkReaders(), readSamples(tb, set)
	all := make([]reading, len(samples))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, s := range samples {
		group.Go(func() error {
			all[i] = reading{sample: s, in: s.input(found)}
			read(&all[i])
			return nil
		})
	}
	_ = group.Wait()
	return all
}

// byRules keeps what the rules found, by the names of the sets: to read all sets takes half a minute, and three tests
// judge the same findings.
var byRules = map[string][]reading{}

// readByRules reads a set by the rules as the service has them. Tests that call it do not run in parallel.
func readByRules(tb testing.TB, set string) []reading {
	tb.Helper()
	if byRules[set] == nil {
		byRules[set] = explainAll(tb, builtIn(), set)
	}
	return byRules[set]
}

var builtIn = sync.OnceValue(func() *rules.Rules { return rules.New(links.DefaultDeckClasses()) })

// score judges what was found in a set.
func score(tb testing.TB, all []reading) result {
	tb.Helper()
	r := result{fields: map[string]tally{}}
	for _, s := range all {
		a := s.answers
		six := true
		for _, field := range fieldNames() {
			if !s.asks(field) {
				continue
			}
			right, got, want := s.judge(tb, a, field)
			r.count(field, right)
			six = six && (right || !slices.Contains(fieldNames()[:6], field))
			if !right {
				r.misses = append(r.misses,
					fmt.Sprintf("%-14s %-9s got %.160q want %.160q %.200s", s.ID, field, got, want, reasonOf(a, field)))
			}
		}
		if s.asks("status") {
			r.count("all six", six)
		}
		s.details(&r, a)
	}
	return r
}

func reasonOf(a answers, field string) string {
	switch field {
	case "status":
		return a.StatusReasoning
	case "source":
		return a.SourceReasoning
	case "deck":
		return a.DeckReasoning
	}
	return ""
}

// asks reports whether the labels say anything of the field.
func (s sample) asks(field string) bool {
	switch field {
	case "deck":
		return s.Expected.Deck > 0
	case "summary":
		return s.Expected.Summary != nil
	case "titles", "linkedin", "all six":
		return false
	case "kind":
		return s.Kind != ""
	case "source":
		return s.Expected.Source != ""
	case "name":
		return s.Expected.Name != "" // a substitute for a name is not judged
	}
	return !s.hasOnlyName()
}

// hasOnlyName reports whether the labels say nothing but the company's name.
func (s sample) hasOnlyName() bool { return s.Expected.Source == "" && s.Kind == "" }

// judge compares the answer to one field with the labels. Their alternatives count as right.
func (s sample) judge(tb testing.TB, a answers, field string) (right bool, got, want string) {
	tb.Helper()
	switch field {
	case "urls":
		got, want = strings.Join(a.urls, " "), strings.Join(s.Expected.URLs, " ")
	case "deck_url":
		got, want = orNone(a.deckURL), orNull(s.Expected.DeckURL)
	case "name":
		got, want = a.Name, s.Expected.Name
	case "founders":
		got, want = people(s.asLabelled(a.Founders)), people(s.Expected.Founders)
	case "source":
		got, want = a.Source, s.Expected.Source
	case "status":
		got, want = orNone(a.StatusID), orNull(s.Expected.Status)
	case "kind": // a deal or none
		got, want = strconv.FormatBool(a.NotADeal()), strconv.FormatBool(s.Kind == "not_a_deal")
	case "deck":
		got, want = a.DeckDocumentID, strconv.Itoa(s.Expected.Deck)
	case "summary":
		return s.judgeSummary(a.Summary), a.Summary, fmt.Sprint(*s.Expected.Summary)
	}
	return got == want || slices.Contains(s.alternatives(tb, field), got), got, want
}

// judgeSummary reports whether the summary says what it must and nothing that it may not, and has to its end each
// sentence that must be whole if it begins in the summary.
func (s sample) judgeSummary(summary string) bool {
	want := s.Expected.Summary
	for _, part := range want.Holds {
		if !strings.Contains(summary, part) {
			return false
		}
	}
	for _, part := range want.Lacks {
		if strings.Contains(summary, part) {
			return false
		}
	}
	for _, whole := range want.Wholly {
		if words := strings.Fields(whole); strings.Contains(summary, words[0]+" "+words[1]) &&
			!strings.Contains(summary, whole) {
			return false
		}
	}
	return true
}

func orNull(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// people returns names and addresses, which is what founders are compared by, in a fixed order.
func people(all []analysis.Founder) string {
	var lines []string
	for _, f := range all {
		lines = append(lines, person(f.Name, f.Email))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

func person(name, email string) string { return bareName(name) + " <" + strings.ToLower(email) + ">" }

// bareName returns a name without forms of address before it, such as "Dr.", which a careful analyst may keep or not.
func bareName(name string) string {
	for {
		first, rest, more := strings.Cut(strings.TrimSpace(name), " ")
		switch strings.TrimSuffix(strings.ToLower(first), ".") {
		case "dr", "prof", "mr", "ms", "mrs", "dra", "ing", "sr", "sra", "د":
			if more {
				name = rest
				continue
			}
		}
		return strings.TrimSpace(name)
	}
}

// alternatives returns the further right answers to a field, in comparable form.
func (s sample) alternatives(tb testing.TB, field string) []string {
	tb.Helper()
	raw, ok := s.Alt[field]
	if !ok {
		return nil
	}
	var all []string
	var err error
	switch field {
	case "urls":
		var lists [][]string
		err = json.Unmarshal(raw, &lists)
		for _, l := range lists {
			all = append(all, strings.Join(l, " "))
		}
	case "founders":
		for _, l := range s.otherFounders(tb) {
			all = append(all, people(l))
		}
	default:
		var values []*string
		err = json.Unmarshal(raw, &values)
		for _, v := range values {
			all = append(all, orNull(v))
		}
	}
	if err != nil {
		tb.Fatalf("%s: alt %s: %v", s.ID, field, err)
	}
	return all
}

func (s sample) otherFounders(tb testing.TB) [][]analysis.Founder {
	tb.Helper()
	var lists [][]analysis.Founder
	if raw, ok := s.Alt["founders"]; ok {
		if err := json.Unmarshal(raw, &lists); err != nil {
			tb.Fatalf("%s: alt founders: %v", s.ID, err)
		}
	}
	return lists
}

// asLabelled writes a name that is a variant of a label's as the label does: "Ute Anders" for "Dr. Ute Anders".
func (s sample) asLabelled(found []analysis.Founder) []analysis.Founder {
	named := slices.Clone(found)
	for i := range named {
		named[i].Name = s.labelFor(named[i].Name)
	}
	return named
}

func (s sample) labelFor(name string) string {
	if !slices.Contains(s.variants("founder_name"), name) {
		return name
	}
	for _, want := range s.Expected.Founders {
		if strings.Contains(want.Name, name) || strings.Contains(name, want.Name) {
			return want.Name
		}
	}
	return name
}

// details counts the titles and the profiles of the founders that are right.
func (s sample) details(r *result, a answers) {
	for _, want := range s.Expected.Founders {
		for _, got := range a.Founders {
			if person(s.labelFor(got.Name), got.Email) != person(want.Name, want.Email) {
				continue
			}
			r.count("titles", strings.EqualFold(got.Title, want.Title) ||
				slices.Contains(s.variants("founder_title"), got.Title))
			r.count("linkedin", got.LinkedInProfile == want.LinkedInProfile)
		}
	}
}

func (s sample) variants(field string) []string {
	var values []string
	if json.Unmarshal(s.Alt[field], &values) != nil {
		return nil
	}
	return values
}

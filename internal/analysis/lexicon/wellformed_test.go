package lexicon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// phrases reads a lexicon as it is written: the phrases of each section.
func phrases(t *testing.T, file string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]string{}
	section := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case section == "":
			sections[""] = append(sections[""], line)
		default:
			for one := range strings.FieldsSeq(section) {
				sections[one] = append(sections[one], strings.ToLower(line))
			}
		}
	}
	return sections
}

func TestLexiconsAreWellFormed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d lexicons, %v", len(files), err)
	}
	for _, file := range files {
		for section, lines := range phrases(t, file) {
			if section == "" {
				t.Errorf("%s: %q stands before any section", file, lines[0])
			}
			for _, line := range lines {
				if strings.HasPrefix(line, "*") || strings.HasSuffix(line, "*") || strings.Contains(line, "* *") {
					t.Errorf("%s [%s]: %q: a gap stands between words", file, section, line)
				}
				if i := strings.Index(line, "~"); i >= 0 && i+1 < len(line) && line[i+1] != ' ' {
					t.Errorf("%s [%s]: %q: an open ending stands at the end of a word", file, section, line)
				}
			}
		}
	}
}

// TestLexiconsDoNotContradictThemselves finds phrases in two sections that exclude each other, such as those for won
// and for lost deals.
func TestLexiconsDoNotContradictThemselves(t *testing.T) {
	t.Parallel()
	for file, sections := range map[string][]string{
		"stage_phrases.txt": {
			"intake", "contacted", "screening", "meeting", "partner", "diligence", "committee", "terms", "won", "lost", "hold",
		},
		"stage_names.txt": {
			"contacted", "screening", "meeting", "partner", "diligence", "committee", "terms", "won", "lost", "hold",
		},
		"around_company_names.txt": {"sure", "against"},
		"titles.txt":               {"chief", "other"},
		"deck.txt":                 {"current", "stale"},
	} {
		all := phrases(t, file)
		seen := map[string]string{}
		for _, section := range sections {
			if len(all[section]) == 0 {
				t.Errorf("%s has no section %q", file, section)
			}
			for _, line := range all[section] {
				if other := seen[line]; other != "" && other != section {
					t.Errorf("%s: %q stands under [%s] and [%s]", file, line, other, section)
				}
				seen[line] = section
			}
		}
	}
}

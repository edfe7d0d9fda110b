package dealflow_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocsNameWhatExists finds the paths, links, make targets, Go names and SQL functions that the docs quote.
func TestDocsNameWhatExists(t *testing.T) {
	t.Parallel()
	code := readAll(t, ".go")
	makefile, schema := read(t, "Makefile"), read(t, "migrations/schema.sql")
	for path, text := range readAll(t, ".md") {
		if path == "CHANGELOG.md" { // speaks of what was
			continue
		}
		for _, quoted := range submatches("`([^`\n]+)`", text) {
			if missing := missingPath(path, quoted); missing != "" {
				t.Errorf("%s quotes %q: there is no %s", path, quoted, missing)
			}
			for _, target := range submatches(`^make ([a-z][a-z-]*)`, quoted) {
				if !regexp.MustCompile(`(?m)^` + target + `:`).MatchString(makefile) {
					t.Errorf("%s quotes %q: there is no such target", path, quoted)
				}
			}
			for _, function := range submatches(`^(app_\w+)`, quoted) {
				if !strings.Contains(schema, " public."+function+"(") {
					t.Errorf("%s quotes %q: the schema has no such function", path, quoted)
				}
			}
			if name := missingName(code, quoted); name != "" {
				t.Errorf("%s quotes %q: there is no %s", path, quoted, name)
			}
		}
		for _, link := range submatches(`\]\(([^)#\s]+)[^)]*\)`, text) {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), link)); err != nil {
				t.Errorf("%s links to %s, which is not there", path, link)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readAll returns the text of every file of the repository that has this ending, by path. It skips hidden folders but
// .github.
func readAll(t *testing.T, ending string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".github":
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ending):
			texts[path] = read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func submatches(pattern, text string) []string {
	var found []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// missingPath returns a path that quoted begins with and that exists neither from the root nor from the folder of the
// document; "" if there is none, or if the path does not begin with a folder of the code or the docs.
func missingPath(document, quoted string) string {
	for _, path := range submatches(`^((?:cmd|internal|jobs|migrations|client|docs|deploy)/[\w./*{},-]*)`, quoted) {
		for _, one := range braces(strings.TrimSuffix(path, "/...")) {
			fromRoot, err := filepath.Glob(one)
			beside, _ := filepath.Glob(filepath.Join(filepath.Dir(document), one))
			if err != nil || len(fromRoot)+len(beside) == 0 {
				return one
			}
		}
	}
	return ""
}

// braces expands a path with one pair of braces, as a shell does.
func braces(path string) []string {
	before, rest, found := strings.Cut(path, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{path}
	}
	var all []string
	for part := range strings.SplitSeq(inside, ",") {
		all = append(all, before+part+after)
	}
	return all
}

// missingName returns what a package lacks of a quoted name such as postgres.DB.Read, as "Read in package postgres". It
// returns "" if nothing is missing, if quoted is no such name, and if the package is not one of the project.
func missingName(code map[string]string, quoted string) string {
	parts := strings.Split(strings.TrimSuffix(quoted, "()"), ".")
	if !regexp.MustCompile(`^[a-z]\w*(\.[A-Z]\w*){1,2}$`).MatchString(strings.Join(parts, ".")) {
		return ""
	}
	known := false
	for _, name := range parts[1:] {
		declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |const |var |\t)` + name + `\b`)
		found := false
		for path, text := range code {
			if slices.Contains(strings.Split(filepath.Dir(path), "/"), parts[0]) {
				known, found = true, found || declared.MatchString(text)
			}
		}
		if known && !found {
			return name + " in package " + parts[0]
		}
	}
	return ""
}

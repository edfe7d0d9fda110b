package lexicon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestListsAreUsed: every list that the code asks for is there, and every list is asked for.
func TestListsAreUsed(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{"first": true, "second": true, "third": true} // by the number of a meeting
	inGo(t, func(_ string, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		if name := literal(call.Args[0]); name != "" && slices.Contains([]string{"In", "List"}, called(call)) {
			asked[name] = true
		}
	})
	for name := range asked {
		if len(List(name)) == 0 {
			t.Errorf("short_lists.json has no words of %q", name)
		}
	}
	for name, words := range read().words {
		if !asked[name] {
			t.Errorf("nothing asks for %q", name)
		}
		if len(read().sets[name]) != len(words) {
			t.Errorf("%q has a word twice", name)
		}
	}
}

// TestWordsAreData: what the code knows of languages is in the files of the lexicon, not in cases and slices.
func TestWordsAreData(t *testing.T) {
	t.Parallel()
	const few = 3 // a word or two beside each other may be names of features
	sections := sectionNames(t)
	inGo(t, func(place string, n ast.Node) {
		if strings.HasPrefix(place, "../model/request.go") || strings.HasPrefix(place, "../clean/html.go") {
			return // members of JSON, and tags
		}
		var words []string
		for _, one := range listed(n) {
			word := literal(one)
			if isForeign(word) {
				t.Errorf("%s: %q is a word that belongs in the lexicon", place, word)
			}
			if isWord(word) && !sections[word] {
				words = append(words, word)
			}
		}
		if len(words) > few {
			t.Errorf("%s: %q are words that belong in the lexicon", place, words)
		}
	})
}

// inGo visits all nodes of the packages below analysis, without their tests.
func inGo(t *testing.T, visit func(place string, n ast.Node)) {
	t.Helper()
	positions := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				visit(path+":"+strconv.Itoa(positions.Position(n.Pos()).Line), n)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listed returns what a case or a slice lists, and the keys of a set.
func listed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CaseClause:
		return n.List
	case *ast.CompositeLit:
		var all []ast.Expr
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok && isSet(n.Type) {
				e = pair.Key
			}
			all = append(all, e)
		}
		return all
	}
	return nil
}

func isSet(kind ast.Expr) bool {
	m, ok := kind.(*ast.MapType)
	if !ok {
		return false
	}
	value, ok := m.Value.(*ast.Ident)
	return ok && value.Name == "bool"
}

func literal(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return s
}

// called returns the name of the function that is called.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// isForeign reports whether a text has letters beyond those of English.
func isForeign(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) >= 0
}

func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune(" '-", r)
	}) < 0
}

// sectionNames returns the names of the sections of all files of phrases, which the code calls them by.
func sectionNames(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".txt" {
			continue
		}
		for _, l := range Lines(e.Name()) {
			for section := range strings.FieldsSeq(l.Sections) {
				all[section] = true
			}
		}
	}
	return all
}

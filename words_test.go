package dealflow_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The comments use Go's own verbs: a function returns, reports whether, parses, writes. People are they.
func TestCommentsUseTheWordsOfTheField(t *testing.T) {
	t.Parallel()
	quoted := regexp.MustCompile("(?s)\"[^\"]*\"|“[^”]*”|`[^`]*`|«[^»]*»")
	person := regexp.MustCompile(`(?i)\b(he|him|his|himself|she|hers|herself)\b`)
	verb := regexp.MustCompile(`^\w+ (gives|tells|told) `)
	dialect := regexp.MustCompile(`\b(stands?|stood|tells|told)\b( still)?`)
	fine := regexp.MustCompile(`^\w+ (gives up|tells .* (from|apart)|gives .* (a role|another role))\b`)
	for path, file := range goFiles(t) {
		for _, group := range file.Comments {
			if said := person.FindString(quoted.ReplaceAllString(group.Text(), "")); said != "" {
				t.Errorf("%s: a comment says %q; people are they: %s", path, said, group.Text())
			}
			for i, said := range dialect.FindAllString(quoted.ReplaceAllString(group.Text(), ""), -1) {
				isName := i == 0 && strings.HasPrefix(group.Text(), said+" ") // of what the comment is about
				if !isName && !strings.HasSuffix(said, " still") {
					t.Errorf("%s: a comment says %q; is it, say, show or distinguish? %s", path, said, group.Text())
				}
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			var doc *ast.CommentGroup
			switch declared := node.(type) {
			case *ast.FuncDecl:
				doc = declared.Doc
			case *ast.GenDecl:
				doc = declared.Doc
			}
			text := strings.ReplaceAll(doc.Text(), "\n", " ")
			if said := verb.FindString(text); said != "" && !fine.MatchString(text) {
				t.Errorf("%s: %q; does it return, report whether, or write?", path, said)
			}
			return true
		})
	}
}

// goFiles returns every Go file of the project but those that a program wrote, by its path.
func goFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err == nil && !ast.IsGenerated(file) {
			files[path] = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

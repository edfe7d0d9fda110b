package dealflow_test

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever opens a package must see what it is for: see docs/adr/0109-exported-types-of-a-package.md.
func TestPackagesExportAtMostTenTypes(t *testing.T) {
	t.Parallel()
	const most = 10
	exported := map[string][]string{}
	for path, file := range goFiles(t) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(folder, "internal/testkit") {
			continue
		}
		for _, declared := range file.Decls {
			for _, name := range typesOf(declared) {
				if ast.IsExported(name) {
					exported[folder] = append(exported[folder], name)
				}
			}
		}
	}
	for folder, names := range exported {
		if len(names) > most {
			t.Errorf("%s has %d exported types, more than %d: %s", folder, len(names), most, strings.Join(names, ", "))
		}
	}
	if len(exported) < 50 {
		t.Errorf("only %d packages have exported types", len(exported))
	}
}

func typesOf(declared ast.Decl) (names []string) {
	group, isGroup := declared.(*ast.GenDecl)
	if !isGroup {
		return nil
	}
	for _, spec := range group.Specs {
		if one, isType := spec.(*ast.TypeSpec); isType {
			names = append(names, one.Name.Name)
		}
	}
	return names
}

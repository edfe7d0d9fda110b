package dealflow_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// clientHolders are the folders whose types may have the Redis client in a field. Each costs a first build 1.7 s, and
// so does each package that names such a type (docs/adr/0115-what-a-first-build-compiles.md).
var clientHolders = []string{"cmd/api", "cmd/worker", "internal/wakeup", "jobs"}

func TestFewTypesHoldTheRedisClient(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		for _, held := range clientsIn(file) {
			found[folder] = true
			if !slices.Contains(clientHolders, folder) {
				t.Errorf("%s: a type has %s in a field, so that every package that names the type compiles the client's 2,200 "+
					"methods again: take an interface with what it needs, such as redis.Scripter, or a function", path, held)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range clientHolders {
		if !found[folder] {
			t.Errorf("%s has the client in no field: take it off the list", folder)
		}
	}
}

// clientsIn returns the types of the Redis client that the file's structs have in their fields, embedded ones,
// pointers, and elements of maps, slices and channels included. Functions that take or return the client cost nothing.
func clientsIn(file *ast.File) (held []string) {
	name := redisName(file)
	if name == "" {
		return nil
	}
	field := func(node ast.Node) bool {
		switch typed := node.(type) {
		case *ast.FuncType:
			return false
		case *ast.SelectorExpr:
			of, plain := typed.X.(*ast.Ident)
			if plain && of.Name == name && isClient(typed.Sel.Name) {
				held = append(held, name+"."+typed.Sel.Name)
			}
		}
		return true
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if made, is := node.(*ast.StructType); is {
			for _, f := range made.Fields.List {
				ast.Inspect(f.Type, field)
			}
		}
		return true
	})
	return held
}

// isClient reports whether a type of go-redis has the methods of every command.
func isClient(name string) bool {
	return slices.Contains([]string{
		"Client", "ClusterClient", "Ring", "UniversalClient", "Cmdable", "StatefulCmdable", "Conn", "Tx", "Pipeline",
		"Pipeliner",
	}, name)
}

// redisName returns the name by which the file knows go-redis; "" if it does not import it.
func redisName(file *ast.File) string {
	for _, imported := range file.Imports {
		if path, err := strconv.Unquote(imported.Path.Value); err == nil && path == "github.com/redis/go-redis/v9" {
			if imported.Name != nil {
				return imported.Name.Name
			}
			return "redis"
		}
	}
	return ""
}

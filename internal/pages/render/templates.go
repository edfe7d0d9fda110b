// Package render reads the templates and the assets of the pages, and executes templates. It does not depend on any
// page.
package render

import (
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
)

// Files are the templates and the assets of the pages. Servers may share them: they are safe for concurrent use.
type Files struct {
	templates *template.Template
	assets    *assets
}

// Read reads the templates and the assets in the folders "templates" and "assets" of files. All templates are in one
// set, so each name must be unique. The error is about files that cannot be read or templates that cannot be parsed.
func Read(files fs.FS) (*Files, error) {
	assets, err := readAssets(files)
	if err != nil {
		return nil, fmt.Errorf("read the assets of the pages: %w", err)
	}
	templates, err := template.New("").Funcs(functions(assets)).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates of the pages: %w", err)
	}
	return &Files{templates: templates, assets: assets}, nil
}

// Has reports whether there is a template of this name.
func (f *Files) Has(name string) bool { return f.templates.Lookup(name) != nil }

// Fill executes a template with a model, and returns the HTML. The error says that there is no such template, or that
// it failed.
func (f *Files) Fill(name string, model any) (template.HTML, error) {
	var made strings.Builder
	if err := f.templates.ExecuteTemplate(&made, name, model); err != nil {
		return "", fmt.Errorf("make %q: %w", name, err)
	}
	return template.HTML(made.String()), nil //nolint:gosec // G203: the template has escaped it
}

// Assets returns the handler of the assets. The asset's name is the value {name} of the path.
func (f *Files) Assets() http.Handler { return f.assets }

// AssetURL returns the path of an asset, with its hash as the query. The hash is empty if there is no such asset.
func (f *Files) AssetURL(name string) string { return f.assets.url(name) }

package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"
)

// AssetsPath is the path below which the assets are.
const AssetsPath = "/assets"

// styleSheet is the name of the style sheet of the console. It is all style files one after another, so that a browser
// loads it once for all pages.
const styleSheet = "console.css"

// assets are the styles, scripts and pictures of the pages. The address of an asset has a hash of its content, so that
// browsers may keep the asset for a year.
type assets struct {
	files  map[string][]byte // by name
	hashes map[string]string // by name
}

func readAssets(files fs.FS) (*assets, error) {
	a := &assets{files: map[string][]byte{}, hashes: map[string]string{}}
	entries, err := fs.ReadDir(files, "assets")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		content, err := fs.ReadFile(files, path.Join("assets", entry.Name()))
		if err != nil {
			return nil, err
		}
		name := entry.Name()
		if path.Ext(name) == ".css" { // in the order of their names, of which base.css is the first
			name = styleSheet
		}
		a.files[name] = append(a.files[name], content...)
	}
	for name, content := range a.files {
		sum := sha256.Sum256(content)
		a.hashes[name] = hex.EncodeToString(sum[:6])
	}
	return a, nil
}

// url returns the path of an asset, with its hash as the query. The hash is empty if there is no such asset.
func (a *assets) url(name string) string { return AssetsPath + "/" + name + "?" + a.hashes[name] }

// ServeHTTP responds with the asset of the path, or with 404 and a line of text. Browsers may keep it for a year if the
// query is its hash, and otherwise must revalidate it at each use.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, found := a.files[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	if r.URL.RawQuery == a.hashes[name] {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("ETag", `"`+a.hashes[name]+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

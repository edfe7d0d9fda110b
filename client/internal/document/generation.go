package document

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
)

// Generator is the program that writes the client, with its version.
const Generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

//go:embed generator.yaml templates/*.tmpl
var settings embed.FS

// Settings returns the file system with the generator's configuration, generator.yaml, and its templates, in the folder
// templates.
func Settings() fs.FS { return settings }

// Sum returns the hexadecimal SHA-256 of a prepared document, the generator and its settings. The generated client
// contains the Sum from which it was generated, so that a test can check whether it is up to date.
func Sum(prepared []byte) (string, error) {
	hash := sha256.New()
	hash.Write([]byte(Generator))
	err := fs.WalkDir(settings, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := settings.ReadFile(path)
		hash.Write(content)
		return err
	})
	hash.Write(prepared)
	return hex.EncodeToString(hash.Sum(nil)), err
}

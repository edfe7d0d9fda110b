package config

import (
	"fmt"
	"slices"
	"strings"
)

// storage has the URL of the storage of files. All processes share one storage.
type storage struct {
	URL string `env:"STORAGE_URL"`
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (s *storage) Validate() []error {
	return scheme("STORAGE_URL", s.URL, "file", "s3")
}

func scheme(name, value string, allowed ...string) []error {
	if value == "" {
		return []error{fmt.Errorf("%s is not set: give a URL that begins with %s://", name, strings.Join(allowed, ":// or "))}
	}
	head, _, found := strings.Cut(value, "://")
	if !found || !slices.Contains(allowed, head) {
		return []error{fmt.Errorf("%s must begin with %s://", name, strings.Join(allowed, ":// or "))}
	}
	return nil
}

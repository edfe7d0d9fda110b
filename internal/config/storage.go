package config

import (
	"fmt"
	"slices"
	"strings"
)

// storage is where files lie. All processes share it.
type storage struct {
	URL         string `env:"STORAGE_URL"`
	MaxFileSize int64  `env:"MAX_FILE_SIZE" envDefault:"52428800"` // bytes
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (s *storage) Validate() []error {
	mistakes := scheme("STORAGE_URL", s.URL, "file", "s3")
	if s.MaxFileSize < 1 {
		mistakes = append(mistakes, fmt.Errorf("MAX_FILE_SIZE: %d is no size in bytes", s.MaxFileSize))
	}
	return mistakes
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

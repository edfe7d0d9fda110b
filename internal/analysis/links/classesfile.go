package links

import (
	"fmt"
	"os"
)

// ReadDeckClasses returns an operator's table of deck platforms from a YAML or JSON file, or the built-in one if path
// is empty. The error names the file and what is wrong in it.
func ReadDeckClasses(path string) ([]DeckClass, error) {
	if path == "" {
		return DefaultDeckClasses(), nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the table of deck platforms: %w", err)
	}
	classes, err := ParseDeckClasses(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return classes, nil
}

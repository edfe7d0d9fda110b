package config

import (
	"fmt"
	"os"
	"time"
)

// analysis has the settings of the analysis of companies, and of how long a request waits for it.
type analysis struct {
	Wait            time.Duration `env:"ANALYSIS_WAIT"     envDefault:"30s"`
	DeckClassesFile string        `env:"DECK_CLASSES_FILE"` // replaces the table of deck platforms
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (a *analysis) Validate() []error {
	var mistakes []error
	if a.Wait < 0 {
		mistakes = append(mistakes, fmt.Errorf("ANALYSIS_WAIT: %s is negative", a.Wait))
	}
	if a.DeckClassesFile != "" {
		if _, err := os.Stat(a.DeckClassesFile); err != nil {
			mistakes = append(mistakes, fmt.Errorf("DECK_CLASSES_FILE: %w", err))
		}
	}
	return mistakes
}

package config

import (
	"fmt"
	"log/slog"
	"slices"
)

// Log has the settings of the log, which goes to stderr.
type Log struct {
	Level  slog.Level `env:"LOG_LEVEL" envDefault:"INFO"`
	Format string     `env:"LOG_FORMAT" envDefault:"auto"` // json, text, or auto: text on a terminal, JSON elsewhere
}

// Validate returns an error if the format is wrong, else nil. The level was checked when it was parsed.
func (l *Log) Validate() []error {
	if !slices.Contains([]string{"auto", "json", "text"}, l.Format) {
		return []error{fmt.Errorf("LOG_FORMAT=%s: must be auto, json or text", l.Format)}
	}
	return nil
}

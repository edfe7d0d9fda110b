package config

import (
	"errors"
	"fmt"
	"time"
)

// limits has the limits of what clients may send. PerSecond, PerMinute and MaxPerAddress hold for one client,
// MaxConnections and Uploads for the process, and the sizes for one request or row.
type limits struct {
	PerSecond   int   `env:"RATE_LIMIT_PER_SECOND" envDefault:"100"`     // 0: off
	PerMinute   int   `env:"RATE_LIMIT_PER_MINUTE" envDefault:"1000"`    // 0: off
	MaxJSONSize int64 `env:"MAX_JSON_SIZE"         envDefault:"1048576"` // bytes
	// uploads stored at once; 0: three quarters of the database connections
	Uploads    int   `env:"UPLOAD_CONCURRENCY"`
	MaxRowSize int64 `env:"MAX_ROW_SIZE"          envDefault:"41943040"` // bytes of one row of an import

	MaxConnections int `env:"MAX_CONNECTIONS"             envDefault:"4096"` // 0: no limit
	// 0: no limit; trusted proxies have none
	MaxPerAddress int `env:"MAX_CONNECTIONS_PER_ADDRESS" envDefault:"1024"`
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (l *limits) Validate() []error {
	var mistakes []error
	if l.PerSecond < 0 || l.PerMinute < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("RATE_LIMIT_PER_SECOND and RATE_LIMIT_PER_MINUTE may not be negative (0 turns one off)"))
	}
	if l.Uploads < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("UPLOAD_CONCURRENCY may not be negative (0: three of four of DATABASE_MAX_CONNECTIONS)"))
	}
	if l.MaxJSONSize < 1 {
		mistakes = append(mistakes, fmt.Errorf("MAX_JSON_SIZE: %d is no size in bytes", l.MaxJSONSize))
	}
	if l.MaxRowSize < 1<<10 || l.MaxRowSize > 1<<30 {
		mistakes = append(mistakes,
			fmt.Errorf("MAX_ROW_SIZE: %d is no size of a row in bytes, give 1024 to 1073741824", l.MaxRowSize))
	}
	return append(mistakes, l.validateConnections()...)
}

func (l *limits) validateConnections() []error {
	var mistakes []error
	if l.MaxConnections < 0 || l.MaxPerAddress < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("MAX_CONNECTIONS and MAX_CONNECTIONS_PER_ADDRESS may not be negative (0 turns one off)"))
	}
	return mistakes
}

// bodies has the settings of how slowly clients may send the bodies of requests. A worker reads them to compute how
// long the slowest form takes, since it must not sweep the files of such a form.
type bodies struct {
	Grace   time.Duration `env:"BODY_GRACE"    envDefault:"10s"`  // before MinRate holds
	MinRate int64         `env:"MIN_BODY_RATE" envDefault:"1024"` // bytes in a second
}

// Validate returns an error that names the settings that are wrong; nil if none is.
func (b *bodies) Validate() []error {
	if b.Grace < time.Second || b.MinRate < 1 {
		return []error{errors.New("BODY_GRACE must be at least 1s and MIN_BODY_RATE at least 1 byte in a second")}
	}
	return nil
}

// files has the limit of the size of the files that clients send.
type files struct {
	MaxSize int64 `env:"MAX_FILE_SIZE" envDefault:"52428800"` // bytes of one
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (f *files) Validate() []error {
	if f.MaxSize < 1 {
		return []error{fmt.Errorf("MAX_FILE_SIZE: %d is no size in bytes", f.MaxSize)}
	}
	return nil
}

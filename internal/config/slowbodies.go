package config

import (
	"errors"
	"time"
)

// bodies says how slowly clients may send what the API receives. A worker reads it to know how long the slowest form
// takes, whose files it must not sweep.
type bodies struct {
	Grace   time.Duration `env:"BODY_GRACE"    envDefault:"10s"`  // before MinRate holds
	MinRate int64         `env:"MIN_BODY_RATE" envDefault:"1024"` // bytes in a second
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (b *bodies) Validate() []error {
	if b.Grace < time.Second || b.MinRate < 1 {
		return []error{errors.New("BODY_GRACE must be at least 1s and MIN_BODY_RATE at least 1 byte in a second")}
	}
	return nil
}

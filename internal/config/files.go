package config

import "fmt"

// files bounds the files that clients send.
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

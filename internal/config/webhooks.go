package config

import (
	"fmt"
)

// webhooks has the settings of how messages are sent to the URLs of webhooks: to which addresses, and how many at once.
type webhooks struct {
	AllowPrivate bool `env:"WEBHOOK_ALLOW_PRIVATE" envDefault:"false"` // to addresses that are not on the public internet
	Concurrency  int  `env:"WEBHOOK_CONCURRENCY"   envDefault:"8"`     // messages at once
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (w *webhooks) Validate() []error {
	if w.Concurrency < 1 {
		return []error{fmt.Errorf("WEBHOOK_CONCURRENCY must be at least 1")}
	}
	return nil
}

package config

import (
	"fmt"
	"time"
)

// queue has the settings of how many tasks a worker does at once, and how long a task's row belongs to a worker that
// does not renew its lease.
type queue struct {
	Concurrency int `env:"WORKER_CONCURRENCY"      envDefault:"4"` // interactive tasks at once
	Bulk        int `env:"WORKER_BULK_CONCURRENCY" envDefault:"2"` // bulk tasks at once
	// a row whose lease was not renewed for this time has lost its worker
	Lease time.Duration `env:"WORKER_LEASE"            envDefault:"10s"`
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (q *queue) Validate() []error {
	var mistakes []error
	if q.Concurrency < 1 {
		mistakes = append(mistakes, fmt.Errorf("WORKER_CONCURRENCY must be at least 1"))
	}
	if q.Bulk < 1 {
		mistakes = append(mistakes, fmt.Errorf("WORKER_BULK_CONCURRENCY must be at least 1"))
	}
	if q.Lease < time.Second {
		mistakes = append(mistakes, fmt.Errorf("WORKER_LEASE: %s is too short, give at least 1s", q.Lease))
	}
	return mistakes
}

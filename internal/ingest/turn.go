// Package ingest holds what its parts have in common. Emails, form submissions and companies come in as files of any
// size (package imports) or one by one from other services (package hooks), and companies are made of them (package
// creation).
package ingest

import "context"

// Turn waits until there is room to store something; done, which must be called once, makes room for another. Its
// error is of kind Unavailable where there is none in time, or the context's. A nil Turn never waits.
type Turn func(context.Context) (done func(), err error)

// Take calls the turn.
func (t Turn) Take(ctx context.Context) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	return t(ctx)
}

// Package ingest holds what its subpackages have in common. Emails, form submissions and companies arrive as files of
// any size (package imports) or one by one from other services (package hooks), and companies are created from emails
// and submissions (package creation).
package ingest

import "context"

// Turn waits until there is room to store something. The caller must then call done once, which makes room for
// another. The error is of kind Unavailable if no room was made in time, or the context's. A Turn may be nil, for no
// limit: call it by Take.
type Turn func(context.Context) (done func(), err error)

// Take calls the Turn. A nil Turn does not wait, and its done does nothing.
func (t Turn) Take(ctx context.Context) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	return t(ctx)
}

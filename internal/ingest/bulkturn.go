// Package ingest has the types and functions that its subpackages share. Emails, form submissions and companies arrive
// as files of any size (package imports) or one by one from other services (package hooks), and companies are created
// from emails and submissions (package creation).
package ingest

import "context"

// Turn waits until something may be stored. The caller must then call done once, which lets another caller store
// something. The error is of the kind Unavailable if the wait took too long, or that of the context. A Turn may be nil,
// for no limit: call it by Take.
type Turn func(context.Context) (done func(), err error)

// Take calls the Turn. A nil Turn does not wait, and its done does nothing.
func (t Turn) Take(ctx context.Context) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	return t(ctx)
}

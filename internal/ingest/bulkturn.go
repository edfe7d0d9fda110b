// Package ingest has the types and functions that its subpackages share. Emails, form submissions and companies arrive
// as files of any size (package imports) or one by one from other services (package hooks), and companies are created
// from emails and submissions (package creation).
package ingest

import "context"

// Turn waits until the caller may store something. The caller must then call done once, which lets another caller store
// something. If the wait was too long, the error is of the kind Unavailable; if ctx ended, it is that of ctx. A nil
// Turn is no limit; call any Turn by Take.
type Turn func(context.Context) (done func(), err error)

// Take calls the Turn. For a nil Turn it returns at once, with a done that does nothing.
func (t Turn) Take(ctx context.Context) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	return t(ctx)
}

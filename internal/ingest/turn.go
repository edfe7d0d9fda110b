package ingest

import "context"

// Turn waits until there is room to store something; done, which must be called once, makes room for another. Its
// error is of kind Unavailable where there is none in time, or the context's. A nil Turn is always there.
type Turn func(context.Context) (done func(), err error)

func (t Turn) take(ctx context.Context) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	return t(ctx)
}

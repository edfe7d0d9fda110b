package postgres

import (
	"cmp"
	"context"

	"github.com/google/uuid"
)

// Origin is where a request comes from.
type Origin struct {
	Address   string    // of the client
	Device    string    // the client's User-Agent
	KeyID     uuid.UUID // uuid.Nil without a key
	SessionID uuid.UUID // uuid.Nil without a session
}

type originKey struct{}

// WithOrigin returns a context with this origin. Transactions that run in it record the address in the audit log.
func WithOrigin(ctx context.Context, origin Origin) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// originText returns what the audit log stores of the context's origin: its address, or "-" if the address is "". It
// returns "" if the context has no origin.
func originText(ctx context.Context) string {
	origin, found := ctx.Value(originKey{}).(Origin)
	if !found {
		return ""
	}
	return cmp.Or(origin.Address, "-")
}

// OriginOf returns the origin that the context was given, or the zero Origin.
func OriginOf(ctx context.Context) Origin {
	origin, _ := ctx.Value(originKey{}).(Origin)
	return origin
}

package account

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Caller is the user who sent a request, with the key or session that they sent.
type Caller struct {
	UserID    uuid.UUID
	KeyID     uuid.UUID // uuid.Nil for a session
	SessionID uuid.UUID // uuid.Nil for a key
	Scopes    []string  // of the key
}

// ByKey reports whether the caller sent an API key.
func (c Caller) ByKey() bool { return c.KeyID != uuid.Nil }

// RequireSession returns Forbidden with the code session_required if the caller sent an API key, otherwise nil.
func (c Caller) RequireSession() error {
	if c.ByKey() {
		return fault.New(fault.Forbidden, "session_required", fault.Detail{
			Field: "authorization", Message: "log in: a key may not do this",
		})
	}
	return nil
}

// BySession returns the identity of the user who has the session with this token. It does not look the session up.
func BySession(token string) *postgres.Identity {
	hash := sha256.Sum256([]byte(token))
	return postgres.BySession(hash[:])
}

// CallerOf returns the caller of an identity, which must have been looked up before: by Prove, or by a read or write as
// the identity.
func CallerOf(who *postgres.Identity) Caller {
	if who.IsSession() {
		return Caller{UserID: who.User, SessionID: who.Proof}
	}
	return Caller{UserID: who.User, KeyID: who.Proof, Scopes: who.Scopes}
}

// Prove looks up the user of an identity, unless that was done before. The error is Unauthenticated if its key or
// session is unknown or has ended. A read or write as the identity looks the user up too, so Prove is not needed before
// it.
func (s *Service) Prove(ctx context.Context, who *postgres.Identity) error {
	if who.Proven() {
		return nil
	}
	if err := s.db.Read(ctx, who); err != nil {
		return fmt.Errorf("look up the key or session: %w", err)
	}
	return nil
}

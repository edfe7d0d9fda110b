package postgres

import (
	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// Identity is whom queries run as: a user, or whoever a secret proves, which the database finds out in the trip in
// which it answers. One that is not proven yet sees nothing.
type Identity struct {
	User   uuid.UUID // uuid.Nil until it is known
	Proof  uuid.UUID // the id of the key or the session; uuid.Nil for a user without one
	Scopes []string  // of the key

	// Admit is asked once the identity is known and before anything is read as it; an error of it is the answer. It may
	// be nil.
	Admit func() error

	enter   string
	hash    []byte
	refusal string // the code of the refusal where the secret proves nobody
}

// AsUser returns the identity of a user who is known.
func AsUser(user uuid.UUID) *Identity { return &Identity{User: user} }

// ByKey returns the identity of whoever has the API key with this hash.
func ByKey(hash []byte) *Identity {
	return &Identity{enter: enterByKey, hash: hash, refusal: "invalid_api_key"}
}

// BySession returns the identity of whoever has the session with this hash.
func BySession(hash []byte) *Identity {
	return &Identity{enter: enterBySession, hash: hash, refusal: "invalid_session"}
}

// IsSession reports whether a session proves the identity.
func (who *Identity) IsSession() bool { return who.enter == enterBySession }

// Proven reports whether it is known who it is.
func (who *Identity) Proven() bool { return who.User != uuid.Nil }

// The statements by which a trip begins: each takes the role to which the policies apply and names the user, for the
// transaction alone, so that nothing leaks through a pooling proxy. They return one row in any case, so that no later
// statement of the trip runs as the login.
const (
	takeRole = `SELECT set_config('role', 'dealflow_app', true), set_config('statement_timeout', $2, true), `
	// Of a transaction that may change something: for the audit log.
	originates     = `set_config('app.origin', $3, true), `
	noOrigin       = `'', `
	reads          = `'', `
	writes         = `pg_current_xact_id()::text, ` // the transaction's id, which it would get with its first row
	enterAsUser    = `$1::uuid, NULL::uuid, NULL::text[] FROM set_config('app.user_id', COALESCE($1::text, ''), true)`
	enterByKey     = `e.person, e.proof, e.scopes FROM app_enter_by_key($1) AS e`
	enterBySession = `e.person, e.proof, e.scopes FROM app_enter_by_session($1) AS e`
)

// statement returns how a trip begins that reads or writes. A secret is looked up in every trip: one that was deleted
// proves nothing any more.
func (who *Identity) statement(purpose string) (sql string, argument any) {
	if who.enter != "" {
		return takeRole + purpose + who.enter, who.hash
	}
	if who.User != uuid.Nil {
		argument = who.User
	}
	return takeRole + purpose + enterAsUser, argument
}

// Secret returns what identifies the secret; "" for a user without one.
func (who *Identity) Secret() string { return string(who.hash) }

// answer is what the database says of an identity.
type answer struct {
	begun       bool // whether there is one
	xid         string
	user, proof uuid.NullUUID
	scopes      []string
}

func (found *answer) fields() []any {
	return []any{nil, nil, nil, &found.xid, &found.user, &found.proof, &found.scopes}
}

// know keeps whom the database found; Unauthenticated where the secret proves nobody.
func (who *Identity) know(found answer) error {
	who.User, who.Proof, who.Scopes = found.user.UUID, found.proof.UUID, found.scopes
	switch {
	case who.enter != "" && !found.user.Valid:
		return fault.New(fault.Unauthenticated, who.refusal)
	case who.Admit != nil:
		return who.Admit()
	}
	return nil
}

package postgres

import (
	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// Identity is the user as whom queries run. The user is given by an id, or found by the database from the hash of a
// secret, in the same round trip as the queries. If nobody has the secret, the queries see no rows, and the error is
// Unauthenticated. An Identity must not be used by several goroutines at once.
type Identity struct {
	User   uuid.UUID // uuid.Nil until it is known
	Proof  uuid.UUID // the id of the key or the session; uuid.Nil for a user without one
	Scopes []string  // of the key

	// Admit, if not nil, is called once the user is known and before rows are read; its error is returned instead of
	// them.
	Admit func() error

	enter   string
	hash    []byte
	refusal string // the error code if nobody has the secret
}

// AsUser returns the identity of the user with this id. Nobody has the id uuid.Nil: as that identity, queries see no
// rows of tables with row security.
func AsUser(user uuid.UUID) *Identity { return &Identity{User: user} }

// ByKey returns the identity of the user who has the API key with this SHA-256 hash. The key is looked up when the
// identity is used.
func ByKey(hash []byte) *Identity {
	return &Identity{enter: enterByKey, hash: hash, refusal: "invalid_api_key"}
}

// BySession returns the identity of the user who has the session whose token has this SHA-256 hash. The session is
// looked up when the identity is used.
func BySession(hash []byte) *Identity {
	return &Identity{enter: enterBySession, hash: hash, refusal: "invalid_session"}
}

// IsSession reports whether the identity is that of a session.
func (who *Identity) IsSession() bool { return who.enter == enterBySession }

// Proven reports whether the user is known: from AsUser, or because the database has found them.
func (who *Identity) Proven() bool { return who.User != uuid.Nil }

// Parts of the statement that begins every round trip to the database. The statement takes the role dealflow_app, to
// which the row policies apply, and sets the user. Both hold for this transaction only: a pooling proxy may run
// somebody else's transactions on the same connection. The statement must return one row, also if nobody has the
// secret: else set_config would not be called, and later statements of the round trip would run as the login.
const (
	takeRole = `SELECT set_config('role', 'dealflow_app', true), set_config('statement_timeout', $2, true), `
	// In a transaction that may write: sets where the request comes from, for the audit log.
	originates     = `set_config('app.origin', $3, true), `
	noOrigin       = `'', `
	reads          = `'', `
	writes         = `pg_current_xact_id()::text, ` // has the transaction get its id now, not with its first row
	enterAsUser    = `$1::uuid, NULL::uuid, NULL::text[], set_config('app.user_id', COALESCE($1::text, ''), true)`
	enterByKey     = `e.person, e.proof, e.scopes, '' FROM app_enter_by_key($1) AS e`
	enterBySession = `e.person, e.proof, e.scopes, '' FROM app_enter_by_session($1) AS e`
)

// statement returns the statement that begins a round trip, with its first argument. purpose is originates or noOrigin,
// followed by reads or writes. A secret is looked up in every round trip, so that a deleted one is refused at once.
func (who *Identity) statement(purpose string) (sql string, argument any) {
	if who.enter != "" {
		return takeRole + purpose + who.enter, who.hash
	}
	if who.User != uuid.Nil {
		argument = who.User
	}
	return takeRole + purpose + enterAsUser, argument
}

// Secret returns the SHA-256 hash of the key or session, as raw bytes; "" for a user given by their id.
func (who *Identity) Secret() string { return string(who.hash) }

// answer is what the statement of an identity returned.
type answer struct {
	begun       bool // whether the database answered
	xid         string
	user, proof uuid.NullUUID
	scopes      []string
}

func (found *answer) fields() []any {
	return []any{nil, nil, nil, &found.xid, &found.user, &found.proof, &found.scopes, nil}
}

// setUser sets the user, the proof and the scopes that the database found, and calls Admit. The error is
// Unauthenticated if nobody has the secret, otherwise that of Admit.
func (who *Identity) setUser(found answer) error {
	who.User, who.Proof, who.Scopes = found.user.UUID, found.proof.UUID, found.scopes
	switch {
	case who.enter != "" && !found.user.Valid:
		return fault.New(fault.Unauthenticated, who.refusal)
	case who.Admit != nil:
		return who.Admit()
	}
	return nil
}

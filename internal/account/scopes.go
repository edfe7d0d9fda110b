package account

import (
	"slices"

	"dealflow/internal/fault"
)

// Scopes of a key. Each allows only what its name says: a key that may read and write has both.
const (
	ScopeRead  = "read"  // reading
	ScopeWrite = "write" // creating, changing and deleting deals and their records
	ScopeAdmin = "admin" // the settings of teams, keys, passwords and sessions
)

// Scopes returns all scopes.
func Scopes() []string { return []string{ScopeRead, ScopeWrite, ScopeAdmin} }

// RequireScope returns Forbidden with the code missing_scope if the caller's key lacks this scope. Sessions have every
// scope, and every caller has the scope "".
func (c Caller) RequireScope(scope string) error {
	if scope != "" && c.ByKey() && !slices.Contains(c.Scopes, scope) {
		return missingScope(scope)
	}
	return nil
}

func missingScope(scope string) error {
	return fault.New(fault.Forbidden, "missing_scope",
		fault.Detail{Field: "scopes", Message: "the key needs the scope " + scope})
}

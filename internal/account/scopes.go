package account

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Scopes of a key. Each allows what it names and nothing else: a key that may read and write has both.
const (
	ScopeRead  = "read"  // looking at things
	ScopeWrite = "write" // making, changing and deleting deals and what belongs to them
	ScopeAdmin = "admin" // the settings of teams, keys, passwords and sessions
)

func allScopes() []string { return []string{ScopeRead, ScopeWrite, ScopeAdmin} }

// readScopes returns each scope once, in the order of allScopes; nil asks for all. InvalidBody for an unknown one,
// and for none.
func readScopes(given []string) (postgres.Strings, error) {
	if given == nil {
		return allScopes(), nil
	}
	for _, scope := range given {
		if !slices.Contains(allScopes(), scope) {
			return nil, fault.Field("scopes", "must be some of "+strings.Join(allScopes(), ", "))
		}
	}
	if len(given) == 0 {
		return nil, fault.Field("scopes", "must name at least one scope")
	}
	var scopes postgres.Strings
	for _, scope := range allScopes() {
		if slices.Contains(given, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}

// RequireScope returns Forbidden with the code missing_scope where the caller's key may not do what needs this scope;
// "" is allowed to all. Sessions may do everything.
func (c Caller) RequireScope(scope string) error {
	if scope != "" && c.ByKey() && !slices.Contains(c.Scopes, scope) {
		return missingScope(scope)
	}
	return nil
}

// ByKey reports whether the caller sent an API key.
func (c Caller) ByKey() bool { return c.KeyID != uuid.Nil }

func missingScope(scope string) error {
	return fault.New(fault.Forbidden, "missing_scope",
		fault.Detail{Field: "scopes", Message: "the key needs the scope " + scope})
}

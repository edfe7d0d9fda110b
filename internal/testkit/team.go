package testkit

import (
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/postgres"
)

// Team has a database with two accounts: a team with an owner and a member, and the account of a stranger.
type Team struct {
	DB  *postgres.DB
	URL string // of the database, as the service's login

	ID     uuid.UUID
	Owner  uuid.UUID
	Member uuid.UUID

	Rival    uuid.UUID // the stranger's account
	Stranger uuid.UUID
}

// NewTeam creates a Team in a database that no other test uses.
func NewTeam(tb testing.TB) *Team {
	tb.Helper()
	return NewTeamAt(tb, DatabaseURL(tb))
}

// NewTeamAt is NewTeam for the database at url, which must be migrated.
func NewTeamAt(tb testing.TB, url string) *Team {
	tb.Helper()
	team := &Team{URL: url}
	team.DB = Open(tb, team.URL)
	team.Owner, team.Member, team.Stranger = User(tb, team.DB, "Olivia Owner").ID, User(tb, team.DB, "Mia Member").ID,
		User(tb, team.DB, "Simon Stranger").ID
	team.ID = Account(tb, team.DB, team.Owner, "Northwind Ventures").ID
	team.Rival = Account(tb, team.DB, team.Stranger, "Elsewhere Capital").ID
	Member(tb, team.DB, team.ID, team.Member, account.RoleMember)
	return team
}

// Company inserts, as its creator, a company with the name Acme, the source manual and this visibility, and returns its
// id. The test ends if that fails.
func Company(tb testing.TB, db *postgres.DB, accountID, creator uuid.UUID, visibility string) uuid.UUID {
	tb.Helper()
	id := uuid.New()
	err := db.As(tb.Context(), creator, func(tx *postgres.Tx) error {
		return tx.Exec("INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by) VALUES "+
			"(?, ?, 'Acme', ?, 'manual', ?, ?)",
			id, accountID, visibility, creator, creator).Error
	})
	if err != nil {
		tb.Fatalf("make a %s company: %v", visibility, err)
	}
	return id
}

// DeleteCompany deletes a company as this user. It does nothing if the user may not, or if there is no such company.
// The test ends if the statement fails.
func DeleteCompany(tb testing.TB, db *postgres.DB, user, id uuid.UUID) {
	tb.Helper()
	err := db.As(tb.Context(), user, func(tx *postgres.Tx) error {
		return tx.Exec("DELETE FROM companies WHERE id = ?", id).Error
	})
	if err != nil {
		tb.Fatalf("delete company %s: %v", id, err)
	}
}

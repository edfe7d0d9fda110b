package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Role returns a user's role in an account. The error is NotFound if there is no such account, Forbidden if they are
// not a member.
func (s *Service) Role(ctx context.Context, user, accountID uuid.UUID) (role string, err error) {
	err = s.db.As(ctx, user, func(tx *postgres.Tx) error {
		role, err = RequireMember(tx, accountID)
		return err
	})
	return role, err
}

// IsMember returns a query that sets role to the caller's role in the account. It fails with NotFound if there is no
// such account, and with Forbidden if the caller is not a member.
func IsMember(role *string, accountID uuid.UUID) postgres.Query {
	var found *string
	return postgres.Value(&found, "SELECT app_account_role($1)", accountID).Then(func() error {
		switch {
		case found == nil:
			return fault.NewNotFound()
		case *found == "":
			return fault.NewForbidden()
		}
		*role = *found
		return nil
	})
}

// Read runs queries as an identity, in one round trip, if the user is a member of the account. The error is NotFound if
// there is no such account, and Forbidden if the user is not a member of it; then no query sets its result. Otherwise
// it is that of postgres.DB.Read.
func Read(ctx context.Context, db *postgres.DB, who *postgres.Identity, accountID uuid.UUID,
	queries ...postgres.Query,
) error {
	var role string
	return db.Read(ctx, who, append([]postgres.Query{IsMember(&role, accountID)}, queries...)...)
}

// ReadAsAdmin is Read for owners and admins: the error is also Forbidden for a plain member.
func ReadAsAdmin(
	ctx context.Context, db *postgres.DB, who *postgres.Identity, accountID uuid.UUID, queries ...postgres.Query,
) error {
	var role string
	isAdmin := IsMember(&role, accountID).Then(func() error {
		if role == RoleMember {
			return fault.NewForbidden()
		}
		return nil
	})
	return db.Read(ctx, who, append([]postgres.Query{isAdmin}, queries...)...)
}

// RequireMember returns the role of the transaction's user in an account. The error is NotFound if there is no such
// account, Forbidden if they are not a member.
func RequireMember(tx *postgres.Tx, accountID uuid.UUID) (string, error) {
	var role string
	if err := tx.Run(IsMember(&role, accountID)); err != nil {
		return "", fmt.Errorf("read the role in account %s: %w", accountID, err)
	}
	return role, nil
}

// ForMember returns a function that runs fn if the transaction's user is a member of the account, and otherwise returns
// the error of RequireMember.
func ForMember(accountID uuid.UUID, fn func(*postgres.Tx) error) func(*postgres.Tx) error {
	return func(tx *postgres.Tx) error {
		if _, err := RequireMember(tx, accountID); err != nil {
			return err
		}
		return fn(tx)
	}
}

// AsMember runs fn in a transaction of the user if the user is a member of the account. Otherwise it returns the error
// of RequireMember.
func AsMember(ctx context.Context, db *postgres.DB, user, accountID uuid.UUID, fn func(*postgres.Tx) error) error {
	return db.As(ctx, user, ForMember(accountID, fn))
}

// RequireAdmin returns an error unless the transaction's user is an owner or admin of the account: NotFound if there is
// no such account, otherwise Forbidden.
func RequireAdmin(tx *postgres.Tx, accountID uuid.UUID) error {
	role, err := RequireMember(tx, accountID)
	if err == nil && role == RoleMember {
		return fault.NewForbidden()
	}
	return err
}

// LockAsAdmin is RequireAdmin that also returns the role, and locks the account's row: until the transaction ends, no
// other transaction that calls LockAsAdmin for this account goes on.
func LockAsAdmin(tx *postgres.Tx, accountID uuid.UUID) (string, error) {
	// Row security hides the row from a user who is no admin, who then locks nothing. The role is read after the wait for
	// the lock, since it may have changed meanwhile.
	if err := tx.Exec("SELECT 1 FROM accounts WHERE id = ? FOR NO KEY UPDATE", accountID).Error; err != nil {
		return "", fmt.Errorf("lock account %s: %w", accountID, err)
	}
	role, err := RequireMember(tx, accountID)
	if err == nil && role == RoleMember {
		return "", fault.NewForbidden()
	}
	return role, err
}

package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// ordering is the table of the statuses or of the fields, and the column that holds their order. Both become part of an
// SQL statement and must be constants.
type ordering struct{ table, column string }

// MoveBefore puts a status right before the status with the id before, or last if before is nil, and numbers the ranks
// of all statuses of the account from 1. If before is id, the order stays as it is. The error is NotFound if there is
// no such account or it has no status id, Forbidden if the user is not an owner or admin, and InvalidBody if before is
// no status of the account.
func (s *Service) MoveBefore(ctx context.Context, user, accountID, id uuid.UUID, before *uuid.UUID) error {
	return s.moveBefore(ctx, user, accountID, ordering{"company_statuses", "rank"}, id, before)
}

// MoveFieldBefore puts a field right before another, and numbers the positions, as MoveBefore does for a status. It
// returns the same errors.
func (s *Service) MoveFieldBefore(ctx context.Context, user, accountID, id uuid.UUID, before *uuid.UUID) error {
	return s.moveBefore(ctx, user, accountID, ordering{"field_settings", "position"}, id, before)
}

func (s *Service) moveBefore(
	ctx context.Context, user, accountID uuid.UUID, in ordering, id uuid.UUID, before *uuid.UUID,
) error {
	return s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if _, err := account.LockAsAdmin(tx, accountID); err != nil {
			return err
		}
		var ids []uuid.UUID
		ordered := "SELECT id FROM " + in.table + " WHERE account_id = ? ORDER BY " + in.column + ", created_at, id"
		if err := tx.Raw(ordered, accountID).Scan(&ids).Error; err != nil {
			return fmt.Errorf("read the order of %s: %w", in.table, err)
		}
		moved, err := put(ids, id, before)
		if err != nil {
			return err
		}
		return renumber(tx, accountID, in, moved)
	})
}

// put moves id right before the id before, or to the end if before is nil, and returns the new order. If before is id,
// the order stays as it is. It modifies ids. The error is NotFound if id is not in ids, and InvalidBody if before is
// not in ids.
func put(ids []uuid.UUID, id uuid.UUID, before *uuid.UUID) ([]uuid.UUID, error) {
	from := slices.Index(ids, id)
	if from < 0 {
		return nil, fault.NewNotFound()
	}
	if before == nil {
		return append(slices.Delete(ids, from, from+1), id), nil
	}
	if *before == id {
		return ids, nil
	}
	ids = slices.Delete(ids, from, from+1)
	to := slices.Index(ids, *before)
	if to < 0 {
		return nil, fault.Field("before", "must be another of this account")
	}
	return slices.Insert(ids, to, id), nil
}

// renumber numbers the rows with these ids from 1, in the order of ids. It writes only rows whose number changes, since
// the change feed shows each write.
func renumber(tx *postgres.Tx, accountID uuid.UUID, in ordering, ids []uuid.UUID) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("encode the order of %s: %w", in.table, err)
	}
	err = tx.Exec("UPDATE "+in.table+" t SET "+in.column+" = n.number, updated_at = now() "+
		"FROM jsonb_array_elements_text(CAST(? AS jsonb)) WITH ORDINALITY AS n(id, number) "+
		"WHERE t.account_id = ? AND t.id = CAST(n.id AS uuid) AND t."+in.column+" <> n.number", string(list), accountID).Error
	if err != nil {
		return fmt.Errorf("write the order of %s: %w", in.table, err)
	}
	return nil
}

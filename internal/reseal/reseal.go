// Package reseal encrypts stored secrets again with the first of the service's keys, so that the others can be dropped.
package reseal

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/seal"
)

// Result says which secrets were found and encrypted again.
type Result struct {
	Fresh   int      `json:"fresh"`   // secrets that the first key had sealed already
	Renewed int      `json:"renewed"` // secrets that it has sealed now
	Lost    []string `json:"lost"`    // secrets that none of the keys opens, as "member of id"
}

// Add adds the numbers and the lost secrets of another Result.
func (r *Result) Add(other Result) {
	r.Fresh += other.Fresh
	r.Renewed += other.Renewed
	r.Lost = append(r.Lost, other.Lost...)
}

// All seals stored secrets again with the first key of the box: those for which the SQL function app_sealed returns one
// of these members, such as "totp". associated returns the associated data with which Box.Seal sealed the secret of a
// row. A secret that no key opens is left unchanged and named in done.Lost, which is no error. A secret that changes
// meanwhile is not counted: the process that changed it has the same keys and sealed it with the first. After an error,
// done has the counts until then, and All may be called again.
func All(
	ctx context.Context, db *postgres.DB, box *seal.Box, members []string,
	associated func(id uuid.UUID, member string) string,
) (done Result, err error) {
	var all []struct {
		ID     uuid.UUID
		Member string
		Sealed []byte
	}
	err = db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_sealed() WHERE member IN ?", members).Scan(&all).Error
	})
	if err != nil {
		return done, fmt.Errorf("read what is sealed: %w", err)
	}
	for _, one := range all {
		again, fresh, err := box.Renew(associated(one.ID, one.Member), one.Sealed)
		switch {
		case errors.Is(err, seal.ErrKey):
			done.Lost = append(done.Lost, one.Member+" of "+one.ID.String())
			continue
		case err != nil:
			return done, err
		case fresh:
			done.Fresh++
			continue
		}
		var replaced bool
		err = db.AsNobody(ctx, func(tx *postgres.Tx) error {
			return tx.Raw("SELECT app_reseal(?, ?, ?, ?)", one.ID, one.Member, one.Sealed, again).Scan(&replaced).Error
		})
		if err != nil {
			return done, fmt.Errorf("seal %s of %s anew: %w", one.Member, one.ID, err)
		}
		if replaced {
			done.Renewed++
		}
	}
	return done, nil
}

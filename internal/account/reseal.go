package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/seal"
)

// Resealed says what was found when secrets were sealed anew with the first key.
type Resealed struct {
	Fresh   int      `json:"fresh"`   // that the first key had sealed already
	Renewed int      `json:"renewed"` // that are now
	Lost    []string `json:"lost"`    // that none of the keys opens, as "member of id"
}

// Add adds what was found elsewhere.
func (r *Resealed) Add(other Resealed) {
	r.Fresh += other.Fresh
	r.Renewed += other.Renewed
	r.Lost = append(r.Lost, other.Lost...)
}

// sealedMember is where the sealed secrets of second factors are.
const sealedMember = "totp"

// ResealFactors seals the secrets of second factors anew with the first of the secrets, so that the others can be
// dropped.
func ResealFactors(ctx context.Context, db *postgres.DB, secrets [][]byte) (Resealed, error) {
	box, err := seal.New(secrets, SealPurpose)
	if err != nil {
		return Resealed{}, err
	}
	return Reseal(ctx, db, box, []string{sealedMember}, func(id uuid.UUID, _ string) string { return id.String() })
}

// Reseal seals what is sealed in these members anew; place returns where each belongs. Secrets that change meanwhile
// have been sealed with the first key by a process that has the same keys.
func Reseal(
	ctx context.Context, db *postgres.DB, box *seal.Box, members []string, place func(id uuid.UUID, member string) string,
) (done Resealed, err error) {
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
		again, fresh, err := box.Renew(place(one.ID, one.Member), one.Sealed)
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

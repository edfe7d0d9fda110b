package postgres

import (
	"fmt"

	"gorm.io/gorm"
)

// CountAlone returns how many rows a query finds, for a limit on their number. It first waits until no other
// transaction is open that called CountAlone with the same name, which may be any text: so two cannot both add the last
// row. It must be called before the transaction adds a row.
func (tx *Tx) CountAlone(name string, rows *gorm.DB) (count int64, err error) {
	if err := tx.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name).Error; err != nil {
		return 0, fmt.Errorf("wait for who counts %s: %w", name, err)
	}
	if err := rows.Count(&count).Error; err != nil {
		return 0, fmt.Errorf("count %s: %w", name, err)
	}
	return count, nil
}

package postgres

import (
	"fmt"

	"gorm.io/gorm"
)

// CountAlone returns how many rows a query finds. It must be called before the transaction adds a row to them. Until
// the transaction ends, other transactions that call CountAlone with the same name, which may be any text, wait, so
// that two that each add a row do not exceed a limit together.
func (tx *Tx) CountAlone(name string, rows *gorm.DB) (count int64, err error) {
	if err := tx.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name).Error; err != nil {
		return 0, fmt.Errorf("wait for who counts %s: %w", name, err)
	}
	if err := rows.Count(&count).Error; err != nil {
		return 0, fmt.Errorf("count %s: %w", name, err)
	}
	return count, nil
}

package company

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// writeBack stores what was read and found, and finishes the work, in one transaction: a second run of the same task, or one
// whose lease ran out, changes nothing.
func (a *Analyst) writeBack(ctx context.Context, item work.Item, readings []reading, v verdict) error {
	return a.DB.As(ctx, item.UserID, func(tx *postgres.Tx) error {
		var company Company
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&company, "id = ?", item.SubjectID).Error
		if errors.Is(err, gorm.ErrRecordNotFound) { // deleted meanwhile: there is nothing to write to
			return work.Finish(tx, item, result{Analysis: v.analysis})
		}
		if err != nil {
			return fmt.Errorf("load company %s: %w", item.SubjectID, err)
		}
		readings, err = stillThere(tx, readings)
		if err != nil {
			return err
		}
		if err := storeTexts(tx, readings); err != nil {
			return err
		}
		if err := decideDeck(tx, &company, readings, v); err != nil {
			return err
		}
		was := company
		columns, err := v.apply(&company)
		if err != nil {
			return err
		}
		if company.DeckStoragePath != nil {
			columns["deck_storage_path"] = *company.DeckStoragePath
		}
		if err := checkStage(tx, columns, &v); err != nil {
			return err
		}
		if err := tx.Model(&Company{}).Where("id = ?", company.ID).Updates(columns).Error; err != nil {
			return fmt.Errorf("write the analysis to company %s: %w", company.ID, err)
		}
		if err := recordDetected(tx, was, company, columns); err != nil {
			return err
		}
		if err := noteDetection(tx, company, v); err != nil {
			return err
		}
		return work.Finish(tx, item, result{Analysis: v.analysis})
	})
}

// recordDetected writes down that an analysis gave a company its stage, under the name that it has now.
func recordDetected(tx *postgres.Tx, was, company Company, columns map[string]any) error {
	if columns["company_status_id"] == nil || same(was.CompanyStatusID, company.CompanyStatusID) {
		return nil
	}
	was.Name = company.Name
	return recordMove(tx, was, company.CompanyStatusID)
}

// stillThere leaves out files that were deleted while they were read.
func stillThere(tx *postgres.Tx, readings []reading) ([]reading, error) {
	var kept []reading
	for _, r := range readings {
		var found []uuid.UUID
		err := tx.Model(&File{}).Clauses(clause.Locking{Strength: "KEY SHARE"}).Where("id = ?", r.file.ID).Pluck("id", &found).Error
		if err != nil {
			return nil, fmt.Errorf("look for file %s: %w", r.file.ID, err)
		}
		if len(found) > 0 {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// checkStage drops a detected stage that was deleted while the analysis ran.
func checkStage(tx *postgres.Tx, columns map[string]any, v *verdict) error {
	if columns["company_status_id"] == nil {
		return nil
	}
	var found bool
	err := tx.Raw("SELECT EXISTS (SELECT 1 FROM company_statuses WHERE id = ?)", columns["company_status_id"]).Scan(&found).Error
	if err == nil && !found {
		delete(columns, "company_status_id")
		v.analysis.StatusDetected = false
		v.analysis.StatusReasoning = joinSentences(v.analysis.StatusReasoning, "The stage was deleted meanwhile.")
	}
	return err
}

func storeTexts(tx *postgres.Tx, readings []reading) error {
	for _, r := range readings {
		err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Omit("CreatedAt").Create(&r.text).Error
		if err != nil {
			return fmt.Errorf("store the text of file %s: %w", r.file.ID, err)
		}
	}
	return nil
}

// decideDeck gives the files that were undecided their roles.
func decideDeck(tx *postgres.Tx, company *Company, readings []reading, v verdict) error {
	for _, r := range readings {
		if r.file.Role != RoleUndecided {
			continue
		}
		role := RoleAttachment
		if r.file.ID == v.deckFile {
			role, company.DeckStoragePath = RoleDeck, r.file.StoragePath
		}
		err := tx.Model(&File{}).Where("id = ? AND role = ?", r.file.ID, RoleUndecided).Update("role", role).Error
		if err != nil {
			return fmt.Errorf("decide the role of file %s: %w", r.file.ID, err)
		}
	}
	return nil
}

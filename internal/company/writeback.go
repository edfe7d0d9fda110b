package company

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
		if err := storeTextsFirst(tx, readings); err != nil {
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
		stages, err := checkStage(tx, columns, &v, was.CompanyStatusID)
		if err != nil {
			return err
		}
		update := func(db *gorm.DB) *gorm.DB { return db.Model(&Company{}).Where("id = ?", company.ID).Updates(columns) }
		if err := tx.Later(update, nil); err != nil {
			return fmt.Errorf("write the analysis to company %s: %w", company.ID, err)
		}
		if err := recordDetected(tx, was, company, columns, stages); err != nil {
			return err
		}
		if err := noteDetection(tx, company, v); err != nil {
			return err
		}
		if err := readAgain(tx, a.Work, company, v, item.RequestID); err != nil {
			return err
		}
		return work.Finish(tx, item, result{Analysis: v.analysis})
	})
}

// recordDetected writes down that an analysis gave a company its stage, under the name that it has now.
func recordDetected(tx *postgres.Tx, was, company Company, columns map[string]any, stages [2]*string) error {
	if columns["company_status_id"] == nil || same(was.CompanyStatusID, company.CompanyStatusID) {
		return nil
	}
	was.Name = company.Name
	return noteMove(tx, was, stages)
}

// stillThere leaves out files that were deleted while they were read.
func stillThere(tx *postgres.Tx, readings []reading) ([]reading, error) {
	if len(readings) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(readings))
	for i, r := range readings {
		ids[i] = r.file.ID
	}
	var found []uuid.UUID
	if err := tx.Model(&File{}).Clauses(clause.Locking{Strength: "KEY SHARE"}).Where("id IN ?", ids).Order("id").Pluck("id", &found).Error; err != nil {
		return nil, fmt.Errorf("look for the files that were read: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(readings), func(r reading) bool { return !slices.Contains(found, r.file.ID) }), nil
}

// checkStage drops a detected stage that was deleted while the analysis ran. It returns the names of the stage before and of that one.
func checkStage(tx *postgres.Tx, columns map[string]any, v *verdict, before *uuid.UUID) (names [2]*string, err error) {
	if columns["company_status_id"] == nil {
		return names, nil
	}
	if names, err = stageNames(tx, before, v.statusID); err != nil {
		return names, err
	}
	if names[1] == nil {
		delete(columns, "company_status_id")
		v.analysis.StatusDetected = false
		v.analysis.StatusReasoning = joinSentences(v.analysis.StatusReasoning, "The stage was deleted meanwhile.")
	}
	return names, nil
}

// storeTextsFirst stores texts of a company that the same transaction changes afterwards: its words are made then, once.
func storeTextsFirst(tx *postgres.Tx, readings []reading) error {
	if len(readings) == 0 {
		return nil
	}
	putOff := func(db *gorm.DB) *gorm.DB { return db.Exec("SELECT set_config('app.texts_first', 'on', true)") }
	if err := tx.Later(putOff, nil); err != nil {
		return fmt.Errorf("put off the words of the texts: %w", err)
	}
	return storeTexts(tx, readings)
}

func storeTexts(tx *postgres.Tx, readings []reading) error {
	for _, r := range readings {
		store := func(db *gorm.DB) *gorm.DB {
			return db.Clauses(clause.OnConflict{UpdateAll: true}).Omit("CreatedAt").Create(&r.text)
		}
		if err := tx.Later(store, nil); err != nil {
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
		decide := func(db *gorm.DB) *gorm.DB {
			return db.Model(&File{}).Where("id = ? AND role = ?", r.file.ID, RoleUndecided).Update("role", role)
		}
		if err := tx.Later(decide, nil); err != nil {
			return fmt.Errorf("decide the role of file %s: %w", r.file.ID, err)
		}
	}
	return nil
}

package company

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// held is what stands of a company while it is written to, all of it read as the transaction begins.
type held struct {
	found  []Company
	files  []uuid.UUID // of those that were read
	stages []*string   // the names of the company's stage, and of the one that was detected
}

// queries lock the company, as long as it is there, and the files.
func (h *held) queries(db *postgres.DB, companyID uuid.UUID, readings []reading, detected *uuid.UUID) []postgres.Query {
	queries := []postgres.Query{postgres.Found(db, &h.found, func(db *gorm.DB) *gorm.DB {
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", companyID).Find(&[]Company{})
	})}
	if len(readings) > 0 {
		ids := make([]uuid.UUID, len(readings))
		for i, r := range readings {
			ids[i] = r.file.ID
		}
		queries = append(queries, postgres.Rows(&h.files, func(id *uuid.UUID) []any { return []any{id} },
			"SELECT id FROM company_files WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE", ids))
	}
	if detected != nil {
		queries = append(queries, postgres.Value(&h.stages, `SELECT ARRAY[(SELECT s.name FROM company_statuses s JOIN companies c ON c.company_status_id = s.id WHERE c.id = $1),
			(SELECT name FROM company_statuses WHERE id = $2)]`, companyID, *detected))
	}
	return queries
}

// writeBack stores what was read and found, and finishes the work, in one transaction: a second run of the same task,
// or one whose lease ran out, changes nothing.
func (a *Analyst) writeBack(ctx context.Context, item work.Item, readings []reading, v verdict) error {
	var now held
	queries := now.queries(a.DB, *item.SubjectID, readings, v.statusID)
	return a.DB.WriteAs(ctx, postgres.AsUser(item.UserID), queries, func(tx *postgres.Tx) error {
		if len(now.found) == 0 { // deleted meanwhile: there is nothing to write to
			return work.Finish(tx, item, result{Analysis: v.analysis})
		}
		company := now.found[0]
		readings := now.stillThere(readings)
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
		var stages [2]*string
		copy(stages[:], now.stages)
		v.checkStage(columns, stages[1])
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
func (h *held) stillThere(readings []reading) []reading {
	return slices.DeleteFunc(slices.Clone(readings), func(r reading) bool { return !slices.Contains(h.files, r.file.ID) })
}

// checkStage drops a detected stage that was deleted while the analysis ran: it has no name.
func (v *verdict) checkStage(columns map[string]any, name *string) {
	if columns["company_status_id"] == nil || name != nil {
		return
	}
	delete(columns, "company_status_id")
	v.analysis.StatusDetected = false
	v.analysis.StatusReasoning = joinSentences(v.analysis.StatusReasoning, "The stage was deleted meanwhile.")
}

// storeTextsFirst stores texts of a company that the same transaction changes afterwards: its words are made then,
// once.
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

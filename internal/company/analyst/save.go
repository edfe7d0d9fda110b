package analyst

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// held is what is there of a company while it is written to, all of it read as the transaction begins.
type held struct {
	found  []company.Company
	files  []uuid.UUID // of those that were read
	stages []*string   // the names of the company's stage, and of the one that was detected
}

// queries lock the company, as long as it is there, and the files.
func (h *held) queries(db *postgres.DB, companyID uuid.UUID, readings []reading, detected *uuid.UUID) []postgres.Query {
	queries := []postgres.Query{postgres.Found(db, &h.found, func(db *gorm.DB) *gorm.DB {
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", companyID).Find(&[]company.Company{})
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
		queries = append(queries, postgres.Value(&h.stages, `SELECT ARRAY[(SELECT s.name FROM company_statuses s JOIN
			companies c ON c.company_status_id = s.id WHERE c.id = $1),
			(SELECT name FROM company_statuses WHERE id = $2)]`, companyID, *detected))
	}
	return queries
}

// save stores what was read and found, and finishes the work, in one transaction: a second run of the same task,
// or one whose lease ran out, changes nothing.
func (a *Analyst) save(ctx context.Context, item work.Item, readings []reading, v verdict) error {
	var now held
	queries := now.queries(a.db, *item.SubjectID, readings, v.statusID)
	return a.db.WriteAs(ctx, postgres.AsUser(item.UserID), queries, func(tx *postgres.Tx) error {
		if len(now.found) == 0 { // deleted meanwhile: there is nothing to write to
			return work.Finish(tx, item, aicreation.AnalysisResult{Analysis: v.analysis})
		}
		c := now.found[0]
		readings := now.stillThere(readings)
		if err := storeTextsFirst(tx, readings); err != nil {
			return err
		}
		if err := saveRoles(tx, &c, readings, v); err != nil {
			return err
		}
		was := c
		columns, err := v.apply(&c)
		if err != nil {
			return err
		}
		if c.DeckStoragePath != nil {
			columns["deck_storage_path"] = *c.DeckStoragePath
		}
		var stages [2]*string
		copy(stages[:], now.stages)
		v.checkStage(columns, stages[1])
		bringWords(columns, c, readings)
		update := func(db *gorm.DB) *gorm.DB { return db.Model(&company.Company{}).Where("id = ?", c.ID).Updates(columns) }
		if err := tx.Later(update, nil); err != nil {
			return fmt.Errorf("write the analysis to company %s: %w", c.ID, err)
		}
		if err := recordDetected(tx, was, c, columns, stages); err != nil {
			return err
		}
		if err := saveDetection(tx, c, v); err != nil {
			return err
		}
		if err := readAgain(tx, a.work, c, v, item.RequestID); err != nil {
			return err
		}
		return work.Finish(tx, item, aicreation.AnalysisResult{Analysis: v.analysis})
	})
}

// bringWords adds the words of the company as it is written: the database needs longer to find them. Those of a company
// with files are made there, and so are those of a company that got a file's text meanwhile.
func bringWords(columns map[string]any, c company.Company, readings []reading) {
	if words := c.PlainWords(); words != "" && len(readings) == 0 {
		columns["words"] = gorm.Expr("?::text::tsvector", words)
	}
}

// recordDetected writes down that an analysis gave a company its stage, under the name that it has now.
func recordDetected(tx *postgres.Tx, was, now company.Company, columns map[string]any, stages [2]*string) error {
	if columns["company_status_id"] == nil || was.CompanyStatusID != nil && *was.CompanyStatusID == *now.CompanyStatusID {
		return nil
	}
	was.Name = now.Name
	return company.RecordMoveBetween(tx, was, stages)
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

// decideRoles returns the files that were undecided their roles, and returns them.
func (v *verdict) decideRoles(c *company.Company, files []company.File) (decided []company.File) {
	for i, file := range files {
		if file.Role != company.RoleUndecided {
			continue
		}
		files[i].Role = company.RoleAttachment
		if file.ID == v.deckFile {
			files[i].Role, c.DeckStoragePath = company.RoleDeck, file.StoragePath
		}
		decided = append(decided, files[i])
	}
	return decided
}

// saveRoles decides about the files of a company that is stored.
func saveRoles(tx *postgres.Tx, c *company.Company, readings []reading, v verdict) error {
	files := make([]company.File, len(readings))
	for i, r := range readings {
		files[i] = r.file
	}
	for _, file := range v.decideRoles(c, files) {
		decide := func(db *gorm.DB) *gorm.DB {
			return db.Model(&company.File{}).Where("id = ? AND role = ?", file.ID, company.RoleUndecided).Update("role",
				file.Role)
		}
		if err := tx.Later(decide, nil); err != nil {
			return fmt.Errorf("decide the role of file %s: %w", file.ID, err)
		}
	}
	return nil
}

package analyst

import (
	"context"
	"encoding/json"
	"errors"
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

// held is a company to which an analysis is to be written. Its rows were locked and read when the writing transaction
// began. If version is not 0, they were instead read when the analysis began, and are not locked.
type held struct {
	found   []company.Company
	files   []uuid.UUID // those of the files read that the company still has
	stages  []*string   // the names of the company's status and of the detected one
	version uint32      // 0, or the version that a row that is not locked must still have when it is written
}

// queries returns queries that set the fields of h: they lock the company and those of the files read that it still
// has, and, if a status was detected, read the names of the company's status and of the detected one.
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
			"SELECT id FROM company_files WHERE id = ANY ($1) AND company_id = $2 ORDER BY id FOR KEY SHARE", ids, companyID))
	}
	if detected != nil {
		queries = append(queries, postgres.Value(&h.stages, `SELECT ARRAY[(SELECT s.name FROM company_statuses s JOIN
			companies c ON c.company_status_id = s.id WHERE c.id = $1),
			(SELECT name FROM company_statuses WHERE id = $2)]`, companyID, *detected))
	}
	return queries
}

// errOutdated says that a company changed after it was read.
var errOutdated = errors.New("the company has changed since the analysis began")

// save stores the texts of files and the verdict, and finishes the work, in one transaction. If another worker has
// taken the attempt over or the work is done already, nothing is written and the error is work.ErrLost. A company
// without files is changed in one round trip, without a lock; if it has changed since it was read, it is then locked,
// read again and changed.
func (a *Analyst) save(ctx context.Context, item work.Item, t target, readings []reading, v verdict) error {
	var now held
	write := func(tx *postgres.Tx) error { return a.write(tx, item, now, readings, v) }
	if len(t.files) == 0 {
		now = held{found: []company.Company{t.company}, stages: []*string{
			t.stageName(t.company.CompanyStatusID), t.stageName(v.statusID),
		}, version: t.version}
		if err := a.db.Write(ctx, item.UserID, write); !outdated(err) {
			return err
		}
		now = held{}
	}
	queries := now.queries(a.db, *item.SubjectID, readings, v.statusID)
	return a.db.WriteAs(ctx, postgres.AsUser(item.UserID), queries, write)
}

// stageName returns the name of a status; nil if the id is nil or the account has no such status.
func (t *target) stageName(id *uuid.UUID) *string {
	for i := range t.stages {
		if id != nil && t.stages[i].ID == *id {
			return &t.stages[i].Name
		}
	}
	return nil
}

// outdated reports whether an error means that the company has changed since it was read, that its detected status was
// deleted, or that it has been analyzed by now.
func outdated(err error) bool {
	return errors.Is(err, errOutdated) || errors.Is(err, gorm.ErrForeignKeyViolated) ||
		errors.Is(err, gorm.ErrDuplicatedKey)
}

// write writes the verdict to the company and finishes the work. If the company was deleted, it only finishes the work.
func (a *Analyst) write(tx *postgres.Tx, item work.Item, now held, readings []reading, v verdict) error {
	if len(now.found) > 0 {
		if err := a.writeCompany(tx, now, readings, &v, item.RequestID); err != nil {
			return err
		}
	}
	return work.Finish(tx, item, aicreation.AnalysisResult{Analysis: v.analysis})
}

// writeCompany writes the verdict to the company and stores the texts of its files. It skips files that the company no
// longer has. If the detected status was deleted meanwhile, writeCompany removes the status from the verdict, and the
// reasoning says so.
func (a *Analyst) writeCompany(
	tx *postgres.Tx, now held, readings []reading, v *verdict, requestID string,
) error {
	c := now.found[0]
	readings = now.stillThere(readings)
	if err := storeTextsFirst(tx, readings); err != nil {
		return err
	}
	if err := saveRoles(tx, &c, readings, v); err != nil {
		return err
	}
	from := c.CompanyStatusID
	columns, err := v.apply(&c)
	if err != nil {
		return err
	}
	if c.DeckStoragePath != nil {
		columns["deck_storage_path"] = *c.DeckStoragePath
	}
	var stages [2]*string
	copy(stages[:], now.stages)
	if v.checkStage(columns, stages[1]); columns["company_status_id"] == nil {
		c.CompanyStatusID = from
	}
	bringWords(columns, c, readings)
	if err := now.update(tx, c.ID, columns); err != nil {
		return err
	}
	if columns["company_status_id"] != nil && (from == nil || *from != *c.CompanyStatusID) {
		if err := company.RecordMoveBetween(tx, c, stages); err != nil {
			return err
		}
	}
	if err := saveDetection(tx, c, *v, now.version != 0 && len(v.input.Replaces) == 0); err != nil {
		return err
	}
	return readAgain(tx, a.work, c, *v, requestID)
}

// update changes columns of the company. If its row is not locked and has changed since it was read, the transaction
// fails with errOutdated.
func (h *held) update(tx *postgres.Tx, id uuid.UUID, columns map[string]any) error {
	err := tx.Later(func(db *gorm.DB) *gorm.DB {
		rows := db.Model(&company.Company{}).Where("id = ?", id)
		if h.version != 0 {
			rows = rows.Where("xmin = ?", h.version)
		}
		return rows.Updates(columns)
	}, func(changed int64, err error) error {
		if err == nil && changed == 0 && h.version != 0 {
			err = errOutdated
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write the analysis to company %s: %w", id, err)
	}
	return nil
}

// bringWords adds to the columns the words by which the search finds the company, since the database would need longer
// to find them. If files of the company have texts, the database must find the words, and nothing is added.
func bringWords(columns map[string]any, c company.Company, readings []reading) {
	if words := c.PlainWords(); words != "" && len(readings) == 0 {
		columns["words"] = gorm.Expr("?::text::tsvector", words)
	}
}

// stillThere returns the readings of files that the company still has.
func (h *held) stillThere(readings []reading) []reading {
	return slices.DeleteFunc(slices.Clone(readings), func(r reading) bool { return !slices.Contains(h.files, r.file.ID) })
}

// checkStage removes the detected status from the columns if name is nil, which means that the status was deleted while
// the analysis ran. The reasoning then says so.
func (v *verdict) checkStage(columns map[string]any, name *string) {
	if columns["company_status_id"] == nil || name != nil {
		return
	}
	delete(columns, "company_status_id")
	v.dropStage()
}

// dropStage removes the detected status, which was deleted while the analysis ran. The reasoning then says so.
func (v *verdict) dropStage() {
	v.statusID, v.analysis.StatusDetected = nil, false
	v.analysis.StatusReasoning = joinSentences(v.analysis.StatusReasoning, "The stage was deleted meanwhile.")
}

// storeTextsFirst stores the texts of files. It sets app.texts_first, so that the database computes the words of the
// company once, when the transaction changes the company's row.
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

// storeTexts stores the texts of files in place of earlier ones. If a file could not be read for a temporary reason, a
// text that was read without an error before stays.
func storeTexts(tx *postgres.Tx, readings []reading) error {
	for _, r := range readings {
		replace := clause.OnConflict{UpdateAll: true}
		if r.text.Passing {
			replace.Where.Exprs = []clause.Expression{gorm.Expr("file_texts.error <> ''")}
		}
		store := func(db *gorm.DB) *gorm.DB { return db.Clauses(replace).Omit("CreatedAt").Create(&r.text) }
		if err := tx.Later(store, nil); err != nil {
			return fmt.Errorf("store the text of file %s: %w", r.file.ID, err)
		}
	}
	return nil
}

// decideRoles sets the roles of those of the files that are undecided: the one that was picked becomes the deck, whose
// path it sets in c; the others become attachments. It returns copies of the files that it changed.
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

// saveRoles stores the roles that decideRoles sets.
func saveRoles(tx *postgres.Tx, c *company.Company, readings []reading, v *verdict) error {
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

// apply writes what was found to the company, and returns the values of the columns that it wrote, by their names. It
// does not change what the client gave, nor what people have set or cleared since.
func (v *verdict) apply(c *company.Company) (columns map[string]any, err error) {
	columns, edited := map[string]any{}, c.EditedFields()
	if !v.input.NameGiven && v.name != "" && !edited["name"] {
		c.Name, columns["name"] = v.name, v.name
	}
	if v.statusID != nil && !edited["company_status_id"] {
		c.CompanyStatusID, columns["company_status_id"] = v.statusID, *v.statusID
	}
	if v.source != "" && !edited["source"] {
		c.Source, columns["source"] = v.source, v.source
	}
	if c.Metadata, err = v.merge(c.Metadata, edited); err != nil {
		return nil, err
	}
	columns["metadata"] = string(c.Metadata)
	return columns, nil
}

// merge returns the metadata with what was extracted, and sets v.written to the members that it wrote. A member that is
// there stays, unless it is null, "", or was written by an earlier analysis; a member that people have set or cleared
// since stays in any case.
func (v *verdict) merge(given json.RawMessage, edited map[string]bool) (json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	v.written = nil
	if err := json.Unmarshal(given, &merged); err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	for name, value := range map[string]any{
		"founders": v.extra.Founders, "ai_analysis": v.extra.AIAnalysis, "analyzed_at": v.extra.AnalyzedAt,
	} {
		old := string(merged[name])
		if edited["metadata."+name] || old != "" && old != "null" && old != `""` && !slices.Contains(v.input.Replaces, name) {
			continue
		}
		v.written = append(v.written, name)
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", name, err)
		}
		merged[name] = encoded
	}
	return json.Marshal(merged)
}

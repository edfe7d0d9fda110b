package company

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dealflow/internal/analysis"
	"dealflow/internal/postgres"
)

// Detection is what an analysis wrote to a company, and what of its text others are likened to it by.
type Detection struct {
	CompanyID uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	Found     json.RawMessage // values of the fields that can be corrected, by the names of package analysis
	Cues      json.RawMessage // analysis.Cues
	Written   string          // members of the metadata that are the analysis's, separated by spaces
	Analysis  json.RawMessage // an Analysis; null where the company was analyzed before these were kept
	Review    postgres.Strings
	CreatedAt time.Time `gorm:"default:clock_timestamp()"`
}

// Correction is what somebody set in the place of what an analysis had found. Detected and Corrected are a string, of
// founders an array.
type Correction struct {
	CompanyID uuid.UUID `gorm:"primaryKey"`
	Field     string    `gorm:"primaryKey"` // analysis.FieldName, FieldStatus, FieldSource or FieldFounders
	AccountID uuid.UUID
	Detected  json.RawMessage
	Corrected json.RawMessage
	Cues      json.RawMessage
	Excerpt   string
	CreatedBy uuid.UUID
	CreatedAt time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// CorrectionWindow is how long a new stage counts as a correction of the one that was found. After it the deal has
// moved on, and a stage that nobody changed has proven right.
const CorrectionWindow = 72 * time.Hour

const (
	longestExcerpt  = 400 // characters
	mostCorrectable = 20  // founders
)

// KeepDetection keeps what the analysis found beside the company as it is now. What people changed while it ran is
// corrected at once.
func KeepDetection(tx *postgres.Tx, c Company, row Detection) error {
	keep := func(db *gorm.DB) *gorm.DB { return db.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row) }
	if err := tx.Later(keep, nil); err != nil {
		return fmt.Errorf("keep what was detected of company %s: %w", c.ID, err)
	}
	var edited []string
	for field, column := range Correctable() {
		if c.EditedFields()[column] {
			edited = append(edited, field)
		}
	}
	return correct(tx, c, edited)
}

// Correctable returns the fields, and what Company.Edited calls them.
func Correctable() map[string]string {
	return map[string]string{
		analysis.FieldName: "name", analysis.FieldStatus: "company_status_id", analysis.FieldSource: "source", analysis.FieldFounders: "metadata.founders",
	}
}

// DetectableValues returns the values that the company has now of the fields that can be corrected, by the names of
// package analysis. Founders of a shape that is not ours are left out.
func (c Company) DetectableValues() map[string]json.RawMessage {
	status := ""
	if c.CompanyStatusID != nil {
		status = c.CompanyStatusID.String()
	}
	values := map[string]json.RawMessage{}
	for field, value := range map[string]string{analysis.FieldName: c.Name, analysis.FieldStatus: status, analysis.FieldSource: c.Source} {
		if encoded, err := json.Marshal(value); err == nil {
			values[field] = encoded
		}
	}
	var members struct {
		Founders []analysis.Founder `json:"founders"`
	}
	if json.Unmarshal(c.Metadata, &members) != nil {
		return values
	}
	members.Founders = slices.Clone(members.Founders[:min(len(members.Founders), mostCorrectable)])
	if members.Founders == nil {
		members.Founders = []analysis.Founder{}
	}
	if encoded, err := json.Marshal(members.Founders); err == nil {
		values[analysis.FieldFounders] = encoded
	}
	return values
}

// SameJSON reports whether two texts are the same JSON value.
func SameJSON(a, b json.RawMessage) bool {
	var one, other any
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return bytes.Equal(a, b)
	}
	left, errLeft := json.Marshal(one)
	right, errRight := json.Marshal(other)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// corrects returns the fields that a change sets and an analysis may have found.
func (ch *Change) corrects() []string {
	var fields []string
	var members map[string]json.RawMessage
	_ = json.Unmarshal(ch.Metadata, &members) // nothing where there is none
	_, founders := members["founders"]
	_, summary := members["ai_analysis"]
	for field, set := range map[string]bool{
		analysis.FieldName: ch.Name != nil, analysis.FieldStatus: ch.StatusID.Set, analysis.FieldSource: ch.Source != nil, analysis.FieldFounders: founders,
		analysis.FieldSummary: summary, analysis.FieldDeck: ch.DeckLink.Set,
	} {
		if set {
			fields = append(fields, field)
		}
	}
	return fields
}

// learn notes a change of what an analysis found.
func (ch *Change) learn(tx *postgres.Tx, id uuid.UUID) error {
	fields := ch.corrects()
	if len(fields) == 0 {
		return nil
	}
	var now Company
	if err := tx.First(&now, "id = ?", id).Error; err != nil {
		return fmt.Errorf("load company %s as it is now: %w", id, err)
	}
	return correct(tx, now, fields)
}

// correct compares fields of a company with what was detected, and keeps, replaces or removes their corrections.
func correct(tx *postgres.Tx, c Company, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	was, err := lastDetection(tx, c.ID)
	if err != nil || was.CompanyID == uuid.Nil { // never analyzed
		return err
	}
	var found map[string]json.RawMessage
	if err := json.Unmarshal(was.Found, &found); err != nil {
		return fmt.Errorf("read what was detected: %w", err)
	}
	stands := c.DetectableValues()
	for _, field := range fields {
		if found[field] == nil || stands[field] == nil || field == analysis.FieldStatus && time.Since(was.CreatedAt) > CorrectionWindow {
			continue
		}
		if err := correctField(tx, c, was, field, found[field], stands[field]); err != nil {
			return fmt.Errorf("keep a correction of %s: %w", field, err)
		}
	}
	if !slices.ContainsFunc(was.Review, func(field string) bool { return slices.Contains(fields, field) }) {
		return nil
	}
	return settle(tx, c.ID, fields)
}

func correctField(tx *postgres.Tx, c Company, was Detection, field string, found, stands json.RawMessage) error {
	if SameJSON(found, stands) {
		return tx.Where("company_id = ? AND field = ?", c.ID, field).Delete(&Correction{}).Error
	}
	row := Correction{
		CompanyID: c.ID, Field: field, AccountID: c.AccountID, Detected: found, Corrected: stands, Cues: was.Cues, Excerpt: excerpt(c), CreatedBy: tx.UserID(),
		UpdatedAt: time.Now(),
	}
	return tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "field"}},
		DoUpdates: clause.AssignmentColumns([]string{"corrected", "created_by", "updated_at"}),
	}).Create(&row).Error
}

func excerpt(c Company) string {
	if c.SourceContent == nil {
		return ""
	}
	begin := (*c.SourceContent)[:min(len(*c.SourceContent), 4*longestExcerpt)]
	runes := []rune(strings.ToValidUTF8(begin, ""))
	return strings.TrimSpace(string(runes[:min(len(runes), longestExcerpt)]))
}

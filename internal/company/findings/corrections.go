package findings

import (
	"bytes"
	"encoding/json"
	"errors"
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

// Detection is the stored result of a company's last analysis, with the cues that are used to compare the company's
// text with others.
type Detection struct {
	CompanyID uuid.UUID `gorm:"primaryKey"`
	AccountID uuid.UUID
	Found     json.RawMessage  // an object with the values of correctable fields, by the names of package analysis
	Cues      json.RawMessage  // analysis.Cues
	Written   string           // names of the metadata members that the analysis wrote, separated by spaces
	Analysis  json.RawMessage  // an Analysis; null if the company was analyzed before analyses were kept
	Review    postgres.Strings // names of the fields that are to be reviewed
	CreatedAt time.Time        `gorm:"default:clock_timestamp()"`
}

// Correction is the value that somebody set instead of the one that an analysis had found. Detected and Corrected are
// a JSON string, or an array for founders.
type Correction struct {
	CompanyID uuid.UUID `gorm:"primaryKey"`
	Field     string    `gorm:"primaryKey"` // analysis.FieldName, FieldStatus, FieldSource or FieldFounders
	AccountID uuid.UUID
	Detected  json.RawMessage
	Corrected json.RawMessage
	Cues      json.RawMessage
	Excerpt   string // the first longestExcerpt characters of the company's text
	CreatedBy uuid.UUID
	CreatedAt time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// CorrectionWindow is how long after an analysis a new status counts as a correction of the status that was found. A
// later change means that the deal has moved on. A status that nobody changed within the window counts as right.
const CorrectionWindow = 72 * time.Hour

const (
	longestExcerpt  = 400 // characters
	mostCorrectable = 20  // founders of a company
)

// Keep stores what an analysis found about a company, in place of the result of an earlier analysis. now is the company
// after the analysis was written to it. A field that people have set is recorded as corrected, as Correct does, if its
// value is not the one that was found. If first is true, the caller expects that there is no earlier result: if there
// is one, the transaction fails with gorm.ErrDuplicatedKey.
func Keep(tx *postgres.Tx, now Subject, row Detection, first bool) error {
	keep := func(db *gorm.DB) *gorm.DB {
		if !first { // an insertion alone costs less
			db = db.Clauses(clause.OnConflict{UpdateAll: true})
		}
		return db.Create(&row)
	}
	if err := tx.Later(keep, nil); err != nil {
		return fmt.Errorf("keep what was detected of company %s: %w", now.CompanyID, err)
	}
	var edited []string
	for field, column := range Correctable() {
		if now.Edited[column] {
			edited = append(edited, field)
		}
	}
	return Correct(tx, now, edited)
}

// Correctable returns the fields that can be corrected. The keys are their names in package analysis, and the values
// their names in Company.Edited.
func Correctable() map[string]string {
	return map[string]string{
		analysis.FieldName: "name", analysis.FieldStatus: "company_status_id", analysis.FieldSource: "source",
		analysis.FieldFounders: "metadata.founders",
	}
}

// Subject is the present state of a company, reduced to the fields that an analysis may have found.
type Subject struct {
	CompanyID uuid.UUID
	AccountID uuid.UUID
	Name      string
	Source    string
	StatusID  *uuid.UUID
	Text      string // as sent
	Metadata  json.RawMessage
	Edited    map[string]bool // names of the fields that people have set: see company.Company
}

// Values returns the values of the correctable fields as JSON, by the names of package analysis. The status is "" if
// there is none. The founders are at most the first mostCorrectable, and [] if there are none; they are left out if the
// metadata cannot be decoded, or if its founders are not an array of analysis.Founder.
func (s Subject) Values() map[string]json.RawMessage {
	status := ""
	if s.StatusID != nil {
		status = s.StatusID.String()
	}
	values := map[string]json.RawMessage{}
	for field, value := range map[string]string{
		analysis.FieldName: s.Name, analysis.FieldStatus: status,
		analysis.FieldSource: s.Source,
	} {
		if encoded, err := json.Marshal(value); err == nil {
			values[field] = encoded
		}
	}
	var members struct {
		Founders []analysis.Founder `json:"founders"`
	}
	if json.Unmarshal(s.Metadata, &members) != nil {
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

// SameJSON reports whether two texts are the same JSON value. If one is not JSON, the texts must be equal.
func SameJSON(a, b json.RawMessage) bool {
	var one, other any
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return bytes.Equal(a, b)
	}
	left, errLeft := json.Marshal(one)
	right, errRight := json.Marshal(other)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

// Correct compares fields of a company, named as in package analysis, with the values that its last analysis detected.
// now is the present state of the company. Correct stores a correction for a field that differs, and removes the
// correction of a field that is equal. It skips fields that the analysis did not find, and the status if the analysis
// is older than CorrectionWindow. Then it removes the fields, skipped or not, from those to be reviewed. It does
// nothing for a company that was never analyzed.
func Correct(tx *postgres.Tx, now Subject, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	was, err := Last(tx, now.CompanyID)
	if err != nil || was.CompanyID == uuid.Nil { // never analyzed
		return err
	}
	var found map[string]json.RawMessage
	if err := json.Unmarshal(was.Found, &found); err != nil {
		return fmt.Errorf("read what was detected: %w", err)
	}
	values := now.Values()
	for _, field := range fields {
		if found[field] == nil || values[field] == nil || field == analysis.FieldStatus &&
			time.Since(was.CreatedAt) > CorrectionWindow {
			continue
		}
		if err := correctField(tx, now, was, field, found[field], values[field]); err != nil {
			return fmt.Errorf("keep a correction of %s: %w", field, err)
		}
	}
	if !slices.ContainsFunc(was.Review, func(field string) bool { return slices.Contains(fields, field) }) {
		return nil
	}
	return MarkReviewed(tx, now.CompanyID, fields)
}

func correctField(tx *postgres.Tx, now Subject, was Detection, field string, found, value json.RawMessage) error {
	if SameJSON(found, value) {
		return tx.Where("company_id = ? AND field = ?", now.CompanyID, field).Delete(&Correction{}).Error
	}
	row := Correction{
		CompanyID: now.CompanyID, Field: field, AccountID: now.AccountID, Detected: found, Corrected: value, Cues: was.Cues,
		Excerpt: excerpt(now.Text), CreatedBy: tx.UserID(),
		UpdatedAt: time.Now(),
	}
	return tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "field"}},
		DoUpdates: clause.AssignmentColumns([]string{"corrected", "created_by", "updated_at"}),
	}).Create(&row).Error
}

func excerpt(text string) string {
	begin := text[:min(len(text), 4*longestExcerpt)]
	runes := []rune(strings.ToValidUTF8(begin, ""))
	return strings.TrimSpace(string(runes[:min(len(runes), longestExcerpt)]))
}

// Last returns the stored result of a company's last analysis, or the zero Detection if there was none.
func Last(tx *postgres.Tx, companyID uuid.UUID) (Detection, error) {
	var was Detection
	err := tx.First(&was, "company_id = ?", companyID).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return was, fmt.Errorf("load what was detected of company %s: %w", companyID, err)
	}
	return was, nil
}

// MarkReviewed removes fields from the fields of a company that are to be reviewed. It ignores names that are not among
// them.
func MarkReviewed(tx *postgres.Tx, id uuid.UUID, looked []string) error {
	err := tx.Run(postgres.Do(`UPDATE detections SET review = ARRAY(SELECT r FROM unnest(review) WITH ORDINALITY AS u
		(r, n) WHERE r <> ALL ($2) ORDER BY n)
		WHERE company_id = $1 AND review && $2`, id, append([]string{}, looked...)))
	if err != nil {
		return fmt.Errorf("note what of company %s was reviewed: %w", id, err)
	}
	return nil
}

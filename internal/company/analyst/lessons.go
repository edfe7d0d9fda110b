package analyst

import (
	"encoding/json"
	"strings"
	"time"

	"gorm.io/gorm"

	"dealflow/internal/analysis"
	"dealflow/internal/company/findings"
	"dealflow/internal/postgres"
)

// The largest numbers of lessons of each kind that an analysis uses, the newest first. More would take more time, and
// old ones say little.
const (
	mostCorrections = 200
	mostKept        = 100
)

// lessonRow is a correction, or a detection that is older than CorrectionWindow.
type lessonRow struct {
	Field     string // of a detection: the fields that were corrected, separated by spaces
	Detected  json.RawMessage
	Corrected json.RawMessage // null for a detection
	Cues      json.RawMessage
	Company   string
	Excerpt   string
	At        time.Time
}

// lessons returns a query that reads lessons of an account into rows, the newest first: the latest mostCorrections
// corrections, and the latest mostKept detections that are older than findings.CorrectionWindow, without the cue
// "words", which only corrections use. It leaves out companies that the caller does not see. account is a uuid.UUID, or
// a gorm expression whose value is one.
func lessons(db *postgres.DB, rows *[]lessonRow, account any) postgres.Query {
	return postgres.Found(db, rows, func(db *gorm.DB) *gorm.DB {
		return db.Raw(`SELECT * FROM (
			(SELECT k.field, k.detected, k.corrected, k.cues, c.name AS company, k.excerpt, k.updated_at AS at
				FROM corrections k JOIN companies c ON c.id = k.company_id WHERE k.account_id = ? ORDER BY k.updated_at DESC
					LIMIT ?)
			UNION ALL
			(SELECT COALESCE((SELECT string_agg(k.field, ' ') FROM corrections k WHERE k.company_id = d.company_id), ''),
				d.found, NULL, d.cues - 'words', '', '', d.created_at
				FROM detections d WHERE d.account_id = ? AND d.created_at < now() - make_interval(secs => ?) ORDER BY
					d.created_at DESC LIMIT ?)
			) AS l ORDER BY at DESC`, account, mostCorrections, account, findings.CorrectionWindow.Seconds(),
			mostKept).Find(&[]lessonRow{})
	})
}

// lessons returns the lessons of a row; none if its JSON cannot be parsed, since another version wrote it.
func (row lessonRow) lessons() []analysis.Lesson {
	l := analysis.Lesson{Field: row.Field, Company: row.Company, Excerpt: row.Excerpt, At: row.At}
	if json.Unmarshal(row.Cues, &l.Cues) != nil {
		return nil
	}
	if row.Corrected == nil {
		return row.kept(l)
	}
	if l.Field == analysis.FieldFounders {
		if json.Unmarshal(row.Detected, &l.Before) != nil || json.Unmarshal(row.Corrected, &l.After) != nil {
			return nil
		}
		return []analysis.Lesson{l}
	}
	if json.Unmarshal(row.Detected, &l.Detected) != nil || json.Unmarshal(row.Corrected, &l.Chosen) != nil {
		return nil
	}
	return []analysis.Lesson{l}
}

// kept returns a lesson for the detected status and one for the detected source. It leaves out a field that somebody
// corrected or that was not detected. The lessons are copies of l.
func (row lessonRow) kept(l analysis.Lesson) []analysis.Lesson {
	var found map[string]json.RawMessage
	if json.Unmarshal(row.Detected, &found) != nil {
		return nil
	}
	var all []analysis.Lesson
	for _, field := range []string{analysis.FieldStatus, analysis.FieldSource} {
		if strings.Contains(" "+row.Field+" ", " "+field+" ") || json.Unmarshal(found[field], &l.Detected) != nil {
			continue
		}
		l.Field, l.Chosen, l.Kept = field, l.Detected, true
		all = append(all, l)
	}
	return all
}

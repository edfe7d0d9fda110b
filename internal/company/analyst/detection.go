package analyst

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/postgres"
)

// minDetectionLength is how many characters a text must exceed for its status and source to be detected. White space
// counts.
const minDetectionLength = 50

// saveDetection stores what the analysis found. c is the company after the analysis was written to it; fields that
// people changed while the analysis ran are recorded as corrections. first is as in findings.Keep.
func saveDetection(tx *postgres.Tx, c company.Company, v verdict, first bool) error {
	row, err := v.detection(c)
	if err != nil {
		return err
	}
	return findings.Keep(tx, c.Findable(), row, first)
}

// detection returns the row of what the analysis found. c is the company after the analysis was written to it.
func (v *verdict) detection(c company.Company) (findings.Detection, error) {
	row := findings.Detection{
		CompanyID: c.ID, AccountID: c.AccountID, Written: strings.Join(v.written, " "), Review: c.Unreviewed(v.analysis),
		CreatedAt: time.Now(),
	}
	found, err := v.detected(c)
	if err != nil {
		return row, err
	}
	if row.Found, err = json.Marshal(found); err != nil {
		return row, fmt.Errorf("encode what was detected: %w", err)
	}
	if row.Cues, err = json.Marshal(v.cues); err != nil {
		return row, fmt.Errorf("encode the cues: %w", err)
	}
	if row.Analysis, err = json.Marshal(v.analysis); err != nil {
		return row, fmt.Errorf("encode the analysis: %w", err)
	}
	return row, nil
}

// detected returns, by field, the values that the analysis decided: the value that the analysis found if somebody has
// changed the field since, otherwise the value of c, the company after the analysis was written to it. It leaves out
// fields that the client gave or that were not to be detected, and founders that the analysis did not write.
func (v *verdict) detected(c company.Company) (map[string]json.RawMessage, error) {
	values, edited := c.Findable().Values(), c.EditedFields()
	found := map[string]json.RawMessage{}
	take := func(field string, was any) error {
		if !edited[findings.Correctable()[field]] {
			if values[field] != nil {
				found[field] = values[field]
			}
			return nil
		}
		encoded, err := json.Marshal(was)
		found[field] = encoded
		return err
	}
	var errs []error
	if !v.input.NameGiven && v.name != "" {
		errs = append(errs, take(analysis.FieldName, v.name))
	}
	if v.asked.status {
		was := ""
		if v.statusID != nil {
			was = v.statusID.String()
		}
		errs = append(errs, take(analysis.FieldStatus, was))
	}
	if v.asked.source && (v.source != "" || !edited["source"]) {
		errs = append(errs, take(analysis.FieldSource, v.source))
	}
	if own, err := json.Marshal(v.extra.Founders); err == nil &&
		(edited["metadata.founders"] || findings.SameJSON(own, values[analysis.FieldFounders])) {
		errs = append(errs, take(analysis.FieldFounders, v.extra.Founders))
	}
	return found, errors.Join(errs...)
}

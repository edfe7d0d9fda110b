package company

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company/findings"
	"dealflow/internal/postgres"
)

// Findable returns the company with the values that an analysis may have found.
func (c Company) Findable() findings.Subject {
	return findings.Subject{
		CompanyID: c.ID, AccountID: c.AccountID, Name: c.Name, Source: c.Source, StatusID: c.CompanyStatusID,
		Text: c.Text(), Metadata: c.Metadata, Edited: c.EditedFields(),
	}
}

// corrects returns the fields that a change sets and that an analysis may have found, by the names of package analysis
// and in no order.
func (ch *Change) corrects() []string {
	var fields []string
	var members map[string]json.RawMessage
	_ = json.Unmarshal(ch.Metadata, &members) // no members if it is empty
	_, founders := members["founders"]
	_, summary := members["ai_analysis"]
	for field, set := range map[string]bool{
		analysis.FieldName: ch.Name != nil, analysis.FieldStatus: ch.StatusID.Set, analysis.FieldSource: ch.Source != nil,
		analysis.FieldFounders: founders,
		analysis.FieldSummary:  summary, analysis.FieldDeck: ch.DeckLink.Set,
	} {
		if set {
			fields = append(fields, field)
		}
	}
	return fields
}

// learn compares the fields that a change sets with the values that the last analysis of the company found, and records
// or removes corrections as findings.Correct does. Call it after the change was written.
func (ch *Change) learn(tx *postgres.Tx, id uuid.UUID) error {
	fields := ch.corrects()
	if len(fields) == 0 {
		return nil
	}
	var now Company
	if err := tx.First(&now, "id = ?", id).Error; err != nil {
		return fmt.Errorf("load company %s as it is now: %w", id, err)
	}
	return findings.Correct(tx, now.Findable(), fields)
}

package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/analysis"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// AnalyseAgain has a company's stored text and files analyzed once more: d names the company, the work, and who waits
// for it. What people gave or have changed stays; what the last analysis wrote is replaced. Refusals as of Update;
// Conflict while an analysis of the company waits or runs.
func (s *Service) AnalyseAgain(ctx context.Context, user uuid.UUID, d Draft) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		company, err := lock(tx, d.CompanyID)
		if err != nil {
			return err
		}
		var runs bool
		if err := tx.Raw("SELECT app_analysis_runs(?)", company.ID).Scan(&runs).Error; err != nil {
			return fmt.Errorf("look for a running analysis: %w", err)
		}
		if runs {
			return fault.New(fault.Conflict, "analysis_running")
		}
		todo, err := s.inputAgain(tx, company)
		if err != nil {
			return err
		}
		d.AccountID = company.AccountID
		return s.addWork(tx, d, WorkAnalyse, todo)
	})
}

// inputAgain is the input of an analysis of a company that is stored. A value that is not what the last analysis left
// counts as given.
func (s *Service) inputAgain(tx *postgres.Tx, c Company) (AnalysisInput, error) {
	text := c.Text()
	outline := s.outline(text)
	todo := AnalysisInput{Links: outline.Links, DeckURL: outline.DeckURL, DeckReason: outline.DeckReason}
	was, err := lastDetection(tx, c.ID)
	if err != nil {
		return todo, err
	}
	var found map[string]json.RawMessage
	analyzed := was.CompanyID != uuid.Nil
	if analyzed {
		if err := json.Unmarshal(was.Found, &found); err != nil {
			return todo, fmt.Errorf("read what was detected: %w", err)
		}
	}
	stands, edited := c.DetectableValues(), c.EditedFields()
	given := func(field string, unset bool) bool {
		return !unset && !edited[Correctable()[field]] && !SameJSON(found[field], stands[field])
	}
	todo.NameGiven = given(analysis.FieldName, c.Name == Untitled || c.Name == outline.FallbackName())
	todo.StatusGiven = given(analysis.FieldStatus, c.CompanyStatusID == nil)
	todo.SourceGiven = given(analysis.FieldSource, c.Source == "manual" && !analyzed)
	todo.Replaces = strings.Fields(was.Written)
	var undecided int64
	err = tx.Model(&File{}).Where("company_id = ? AND role = ?", c.ID, RoleUndecided).Count(&undecided).Error
	todo.SeveralPDFs = undecided > 0
	return todo, err
}

// lastDetection returns what the last analysis of a company left; its zero value where there was none.
func lastDetection(tx *postgres.Tx, companyID uuid.UUID) (Detection, error) {
	var was Detection
	err := tx.First(&was, "company_id = ?", companyID).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return was, fmt.Errorf("load what was detected of company %s: %w", companyID, err)
	}
	return was, nil
}

package aicreation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/naming"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Again adds the work of analyzing a stored company again, with its stored text and files. It reads only CompanyID,
// WorkID, Waiter, Queue and RequestID of the draft. The analysis keeps values that people gave or changed, and replaces
// values that the last analysis wrote. Again returns the same errors as company.Service.Get, and Conflict if an
// analysis of the company waits or runs.
func (s *Service) Again(ctx context.Context, user uuid.UUID, d Draft) error {
	return s.DB.As(ctx, user, func(tx *postgres.Tx) error {
		current, err := company.Lock(tx, d.CompanyID)
		if err != nil {
			return err
		}
		var runs bool
		if err := tx.Raw("SELECT app_is_analyzed(ARRAY[?]::uuid[])", current.ID).Scan(&runs).Error; err != nil {
			return fmt.Errorf("look for a running analysis: %w", err)
		}
		if runs {
			return fault.New(fault.Conflict, "analysis_running")
		}
		todo, err := s.inputAgain(tx, current)
		if err != nil {
			return err
		}
		d.AccountID = current.AccountID
		return s.addWork(tx, d, WorkAnalyse, todo)
	})
}

// inputAgain returns the input for another analysis of a stored company. A value that differs from what the last
// analysis found counts as given by the client, unless it is what an analysis may fill in: a fallback name, no status,
// or the source "manual" of a company that was never analyzed. Fields that people edited do not count as given: the
// analysis leaves them alone in any case.
func (s *Service) inputAgain(tx *postgres.Tx, c company.Company) (AnalysisInput, error) {
	text := c.Text()
	outline := s.outline(text)
	todo := AnalysisInput{Links: outline.Links, DeckURL: outline.DeckURL, DeckReason: outline.DeckReason}
	was, err := findings.Last(tx, c.ID)
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
	now := c.Findable()
	values := now.Values()
	given := func(field string, unset bool) bool {
		return !unset && !now.Edited[findings.Correctable()[field]] && !findings.SameJSON(found[field], values[field])
	}
	todo.NameGiven = given(analysis.FieldName, c.Name == naming.Unnamed || c.Name == outline.FallbackName())
	todo.StatusGiven = given(analysis.FieldStatus, c.CompanyStatusID == nil)
	todo.SourceGiven = given(analysis.FieldSource, c.Source == "manual" && !analyzed)
	todo.Replaces = strings.Fields(was.Written)
	var undecided int64
	err = tx.Model(&company.File{}).Where("company_id = ? AND role = ?", c.ID, company.RoleUndecided).
		Count(&undecided).Error
	todo.SeveralPDFs = undecided > 0
	return todo, err
}

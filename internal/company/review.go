package company

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company/findings"
	"dealflow/internal/postgres"
)

// findingsRow is what the last analysis of a company found, as it is stored, and the fields that are still to be
// reviewed.
type findingsRow struct {
	analysis []byte
	open     []string
}

func (r *findingsRow) fields() []any { return []any{&r.analysis, &r.open} }

// read returns the analysis, whose NeedsReview are the fields still to be reviewed; nil if no analysis is stored.
func (r *findingsRow) read() (*findings.Analysis, error) {
	var kept *findings.Analysis
	if len(r.analysis) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(r.analysis, &kept); err != nil {
		return nil, fmt.Errorf("read a kept analysis: %w", err)
	}
	if kept != nil {
		kept.NeedsReview = r.open
	}
	return kept, nil
}

// Findings returns what the last analysis of a company found; its NeedsReview are the fields that nobody has confirmed
// or corrected. It is nil if the company was never analyzed, or only before findings were stored. It returns the same
// errors as Get.
func (s *Service) Findings(ctx context.Context, who *postgres.Identity, id uuid.UUID) (*findings.Analysis, error) {
	var rows []findingsRow
	return readFindings(&rows, s.db.Read(ctx, who, Seen(id), selectFindings(&rows, id, "")))
}

// selectFindings returns the query for the findings of a company. lock is "", or the SQL by which their row is locked,
// such as " FOR UPDATE".
func selectFindings(rows *[]findingsRow, id uuid.UUID, lock string) postgres.Query {
	return postgres.Rows(rows, (*findingsRow).fields, "SELECT analysis, review FROM detections WHERE company_id = $1"+lock,
		id)
}

// readFindings reads what selectFindings found; nil if it found no row. err is the error of that query, which
// readFindings returns.
func readFindings(rows *[]findingsRow, err error) (*findings.Analysis, error) {
	if err != nil {
		return nil, fmt.Errorf("read the findings of a company: %w", err)
	}
	if len(*rows) == 0 {
		return nil, nil
	}
	return (*rows)[0].read()
}

// Confirm marks fields of a company as reviewed: it removes them from the fields to review. It ignores names of other
// fields. It returns the same errors as Get, and the error of a check that postgres.Requiring set in ctx; nothing is
// changed then.
func (s *Service) Confirm(ctx context.Context, user, id uuid.UUID, looked []string) error {
	return s.db.As(ctx, user, func(tx *postgres.Tx) error {
		if _, err := Find(tx, tx.DB, id); err != nil {
			return err
		}
		if err := postgres.Require(tx, func() (*findings.Analysis, error) {
			var rows []findingsRow
			return readFindings(&rows, tx.Run(selectFindings(&rows, id, " FOR UPDATE")))
		}); err != nil {
			return err
		}
		return findings.MarkReviewed(tx, id, looked)
	})
}

// Unreviewed returns the fields to review of an analysis of the company, without fields that people have set.
func (c Company) Unreviewed(found findings.Analysis) []string {
	edited := c.EditedFields()
	return slices.DeleteFunc(slices.Clone(found.NeedsReview),
		func(field string) bool { return edited[reviewable()[field]] })
}

// reviewable maps fields to review, by their names in package analysis, to their names in Company.Edited. It leaves out
// fields that Edited does not have.
func reviewable() map[string]string {
	fields := findings.Correctable()
	fields[analysis.FieldSummary] = "metadata.ai_analysis"
	return fields
}

// toReview is a company with fields that nobody has confirmed or corrected since its analysis.
type toReview struct {
	View

	Analysis findings.Analysis // its NeedsReview are these fields
	Since    time.Time         // when it was analyzed
}

// reviewRow is a row of the result of the query for companies to review.
type reviewRow struct {
	viewRow
	findingsRow

	since time.Time
}

// Reviews returns a page of the companies of an account that the caller sees and that have fields to review, and
// reports whether more follow. The companies that were analyzed longest ago come first. Pages are counted from 1.
// Reviews does not check membership: a caller who is no member sees no companies.
func (s *Service) Reviews(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, page, limit int,
) (found []toReview, more bool, err error) {
	var rows []reviewRow
	of := viewed().withDeck(true)
	err = s.db.Read(ctx, who, postgres.Rows(&rows, func(r *reviewRow) []any {
		return append(of.fields(&r.viewRow), &r.analysis, &r.open, &r.since)
	}, "SELECT "+of.columns+
		`, d.analysis, d.review, d.created_at FROM detections d JOIN companies c ON c.id = d.company_id`+of.joins+`
		WHERE d.account_id = $1 AND d.review <> '{}' ORDER BY d.created_at, d.company_id LIMIT $2 OFFSET $3`,
		accountID, limit+1, int64(page-1)*int64(limit)))
	if err != nil {
		return nil, false, fmt.Errorf("list what is to be reviewed: %w", err)
	}
	if more = len(rows) > limit; more {
		rows = rows[:limit]
	}
	for i := range rows {
		one, err := rows[i].toReview()
		if err != nil {
			return nil, false, err
		}
		found = append(found, one)
	}
	return found, more, nil
}

func (r *reviewRow) toReview() (toReview, error) {
	view, err := r.view()
	if err != nil {
		return toReview{}, err
	}
	kept, err := r.read()
	if err != nil {
		return toReview{}, err
	}
	one := toReview{View: view, Since: r.since}
	if kept != nil {
		one.Analysis = *kept
	}
	return one, nil
}

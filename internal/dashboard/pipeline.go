package dashboard

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// MostCounted is the highest number of matching companies that is counted, since a request waits for the result.
const MostCounted = 100_000

// Uncounted is the Count of every stage if more than MostCounted companies match a filter.
const Uncounted = -1

// Filter selects the companies that are counted. The zero Filter matches all companies.
type Filter struct {
	Search string // every word of it must occur in the company
	Source string
}

// Pipeline has the statuses of an account with the numbers of companies that the caller sees.
type Pipeline struct {
	Companies int     // all, whether they match the filter or not
	Stages    []Stage // with the number of those that match; Uncounted where more than MostCounted match
}

// matching is the number of companies with a status that match a filter. If more than MostCounted companies match, over
// all statuses, count is nil.
type matching struct {
	status *uuid.UUID
	count  *int
}

// Pipeline returns the statuses of an account, each with the number of companies that match the filter. If a filter
// that is not zero matches more than MostCounted companies, each Count is Uncounted. The error is NotFound if there is
// no such account, and Forbidden if the caller is not a member of it.
func (s *Service) Pipeline(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, f Filter,
) (Pipeline, error) {
	var role string
	var statuses []pipeline.Status
	var figures []figure
	var matches []matching
	queries := []postgres.Query{
		account.IsMember(&role, accountID), pipeline.Query(&statuses, accountID), countStatuses(&figures, accountID),
	}
	if f != (Filter{}) {
		queries = append(queries, countMatching(&matches, accountID, f))
	}
	if err := s.db.Read(ctx, who, queries...); err != nil {
		return Pipeline{}, fmt.Errorf("count the companies of each stage: %w", err)
	}
	var found Pipeline
	counts := map[string]int{}
	for _, one := range figures {
		counts[one.key] = one.count
		found.Companies += one.count
	}
	if f != (Filter{}) {
		counts = countsOf(matches)
	}
	for _, status := range statuses {
		found.Stages = append(found.Stages, Stage{
			ID: &status.ID, Name: status.Name, Color: status.Color, Count: countOf(counts, status.ID.String()),
		})
	}
	found.Stages = append(found.Stages, Stage{Count: countOf(counts, "")})
	return found, nil
}

// countsOf returns the numbers by the id of the status; the key of companies without a status is "". It returns nil if
// more than MostCounted companies match.
func countsOf(matches []matching) map[string]int {
	counts := map[string]int{}
	for _, one := range matches {
		switch {
		case one.count == nil:
			return nil
		case one.status == nil:
			counts[""] = *one.count
		default:
			counts[one.status.String()] = *one.count
		}
	}
	return counts
}

func countOf(counts map[string]int, key string) int {
	if counts == nil {
		return Uncounted
	}
	return counts[key]
}

func countMatching(matches *[]matching, accountID uuid.UUID, f Filter) postgres.Query {
	return postgres.Rows(matches, func(m *matching) []any { return []any{&m.status, &m.count} },
		"SELECT status, count FROM app_count_matching($1, NULLIF($2, ''), NULLIF($3, ''), $4)",
		accountID, f.Search, f.Source, MostCounted)
}

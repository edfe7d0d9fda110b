package dashboard

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// MostCounted is how many companies that match a filter are counted while somebody waits.
const MostCounted = 100_000

// Uncounted is in the place of a number that nobody has counted.
const Uncounted = -1

// Filter narrows the companies that are counted. Zero values filter nothing.
type Filter struct {
	Search string // every word of it must occur
	Source string
}

// Pipeline is the stages of an account, with what the caller sees of its companies.
type Pipeline struct {
	Companies int     // whatever the filter
	Stages    []Stage // with the companies that match it; Uncounted where they are more than MostCounted
}

// matching is how many companies of a status match a filter; no count where they are too many.
type matching struct {
	status *uuid.UUID
	count  *int
}

// Pipeline returns the stages of an account to a member, with the number of companies that match the filter.
// NotFound or Forbidden where the account is not theirs.
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

// countsOf returns the counts by the id of their status, "" for none; nil where they are too many to count.
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

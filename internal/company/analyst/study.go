package analyst

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"dealflow/internal/analysis/rules"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/postgres"
)

// Studied is a draft that CreateBatch is to store, with what its analysis found. Without a verdict it has not been
// analyzed yet.
type Studied struct {
	Draft *aicreation.Draft

	company company.Company
	input   aicreation.AnalysisInput
	verdict *verdict
}

// Study analyzes drafts of one account before CreateBatch stores them, so that a company is written once, with the
// result, instead of twice. The result has each draft, in their order. Study analyzes nothing if the analyzer is a
// model, which takes seconds for each draft. CreateBatch adds bulk work for every draft that is not analyzed, also for
// one whose analysis failed. Study returns an error only if the statuses and lessons of the account cannot be loaded,
// or if ctx ends.
func (c *Creator) Study(
	ctx context.Context, user, accountID uuid.UUID, drafts []*aicreation.Draft,
) ([]*Studied, error) {
	all := make([]*Studied, len(drafts))
	for i, d := range drafts {
		all[i] = &Studied{Draft: d}
	}
	if _, rules := c.analyst.analyzer.(*rules.Rules); !rules || len(drafts) == 0 {
		return all, nil
	}
	known := target{user: user}
	if err := known.load(ctx, c.analyst.db, accountID); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0)) // with what Postgres writes meanwhile, all processors have work
	for _, one := range all {
		group.Go(func() error {
			c.study(ctx, known, one)
			return ctx.Err()
		})
	}
	return all, group.Wait()
}

// study analyzes one draft, as the user t.user. If that fails or panics, it leaves the draft without a verdict; it logs
// a panic.
func (c *Creator) study(ctx context.Context, t target, one *Studied) {
	defer func() {
		if panicked := recover(); panicked != nil {
			c.analyst.logger.ErrorContext(ctx, "the analysis of an imported company panicked; it will be tried again separately",
				"panic", panicked, "stack", string(debug.Stack()))
		}
	}()
	d := *one.Draft
	d.CompanyID = postgres.NewID()
	t.company, _, t.input = c.creations.Rows(t.user, d)
	_, v, err := c.analyst.study(ctx, t)
	if err != nil {
		return
	}
	if _, err := v.apply(&t.company); err != nil {
		return
	}
	one.company, one.input, one.verdict = t.company, t.input, &v
}

// detectedStages returns the set of the statuses that analyses of the drafts detected and that still exist.
func detectedStages(tx *postgres.Tx, accountID uuid.UUID, all []*Studied) (map[uuid.UUID]bool, error) {
	wanted := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for _, one := range all {
		if one.verdict == nil || one.verdict.statusID == nil {
			continue
		}
		if id := *one.verdict.statusID; !wanted[id] {
			wanted[id] = true
			ids = append(ids, id)
		}
	}
	return company.Stages(tx, accountID, ids...)
}

// without returns s if no status was detected or the detected one is in stages. Otherwise the status was deleted after
// the analysis, and without returns a copy of s without it.
func (s *Studied) without(stages map[uuid.UUID]bool) *Studied {
	if s.verdict == nil || s.verdict.statusID == nil || stages[*s.verdict.statusID] {
		return s
	}
	left, v := *s, *s.verdict
	v.dropStage()
	left.company.CompanyStatusID, left.verdict = nil, &v
	return &left
}

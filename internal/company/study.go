package company

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"dealflow/internal/analysis"
	"dealflow/internal/postgres"
)

// studied is the company of a draft, with what its analysis came to; nil while that is to be done.
type studied struct {
	company Company
	order   order
	verdict *verdict
}

// Study analyzes drafts that IntakeBatch is to store, for a member of their account: companies that come in as they
// will stay are written once instead of twice. It leaves to bulk work what a model analyzes, since that takes
// seconds, and what cannot be analyzed here.
func (c *Creator) Study(ctx context.Context, user, accountID uuid.UUID, drafts []*Draft) error {
	if _, rules := c.analyst.Analyzer.(*analysis.Rules); !rules || len(drafts) == 0 {
		return nil
	}
	known := subject{user: user}
	if err := known.load(ctx, c.companies.DB, accountID); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, runtime.GOMAXPROCS(0)/2)) // Postgres writes the batch before meanwhile
	for _, d := range drafts {
		group.Go(func() error {
			d.studied = c.studyOne(ctx, known, *d)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// studyOne returns nil where a draft cannot be analyzed, whatever the reason.
func (c *Creator) studyOne(ctx context.Context, about subject, d Draft) (done *studied) {
	defer func() {
		if panicked := recover(); panicked != nil {
			c.companies.Logger.ErrorContext(ctx, "the analysis of an imported company panicked; it is tried again alone",
				"panic", panicked, "stack", string(debug.Stack()))
			done = nil
		}
	}()
	d.CompanyID = uuid.New()
	about.company, _, about.order = c.companies.prepare(about.user, d)
	_, v, err := c.analyst.study(ctx, about)
	if err != nil {
		return nil
	}
	if _, err := v.apply(&about.company); err != nil {
		return nil
	}
	return &studied{company: about.company, order: about.order, verdict: &v}
}

// detectedStages returns those stages that the analyses of drafts detected and that are still there.
func detectedStages(tx *postgres.Tx, accountID uuid.UUID, drafts []*Draft) (map[uuid.UUID]bool, error) {
	wanted := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for _, d := range drafts {
		if d.studied == nil || d.studied.verdict == nil || d.studied.verdict.statusID == nil {
			continue
		}
		if id := *d.studied.verdict.statusID; !wanted[id] {
			wanted[id] = true
			ids = append(ids, id)
		}
	}
	return Stages(tx, accountID, ids...)
}

// without returns what was studied without a detected stage that was deleted meanwhile.
func (s *studied) without(stages map[uuid.UUID]bool) *studied {
	if s.verdict == nil || s.verdict.statusID == nil || stages[*s.verdict.statusID] {
		return s
	}
	left, v := *s, *s.verdict
	v.statusID, left.company.CompanyStatusID = nil, nil
	left.verdict = &v
	return &left
}

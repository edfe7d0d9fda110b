package analyst_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

const ferns = "Hi, I'm Paulo Serra, founder of Brackenfield: we sell ferns to offices.\n" +
	"The deck is at https://docsend.com/view/123.\nWe are raising 800k and would love to talk.\n\nPaulo Serra\nCEO, " +
	"Brackenfield\n"

// studied returns drafts with these texts after Creator.Study, and the Creator, which uses the rules.
func (s *setup) studied(t *testing.T, texts ...string) (*analyst.Creator, []*analyst.Studied) {
	t.Helper()
	analysts := analyst.New(analyst.Deps{
		DB: s.DB, Analyzer: rules.New(links.DefaultDeckClasses()), Now: time.Now,
		Logger: slog.New(slog.DiscardHandler),
	})
	creator := analyst.NewCreator(s.Creations, analysts, match.New())
	var drafts []*aicreation.Draft
	for _, text := range texts {
		d := &aicreation.Draft{AccountID: s.Team, ExternalID: uuid.NewString(), Text: text}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		drafts = append(drafts, d)
	}
	all, err := creator.Study(t.Context(), s.Owner, s.Team, drafts)
	if err != nil {
		t.Fatal(err)
	}
	return creator, all
}

func TestStudiedStageThatIsDeletedMeanwhileIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	creator, drafts := s.studied(t, ferns)
	store := func() []uuid.UUID {
		t.Helper()
		var added []uuid.UUID
		err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) (err error) {
			added, err = creator.CreateBatch(tx, s.Team, drafts)
			return err
		})
		if err != nil || len(added) != 1 {
			t.Fatalf("added %v: %v", added, err)
		}
		return added
	}
	stage := func(id uuid.UUID) string {
		return testkit.Texts(t, s.URL, "SELECT COALESCE(company_status_id::text, 'none') FROM companies WHERE id = $1", id)[0]
	}
	first := store()[0]
	if stage(first) == "none" {
		t.Fatal("no stage was detected: the text shows nothing")
	}
	testkit.Exec(t, s.URL, "DELETE FROM companies")
	testkit.Exec(t, s.URL, "DELETE FROM company_statuses WHERE account_id = $1", s.Team)
	if second := store()[0]; stage(second) != "none" {
		t.Errorf("the stage is %s, which was deleted", stage(second))
	}
	if said := testkit.Texts(t, s.URL, "SELECT analysis::text FROM detections")[0]; !strings.Contains(said,
		"was deleted meanwhile") || strings.Contains(said, `"status_detected": true`) {
		t.Errorf("the analysis does not say that the stage was deleted: %s", said)
	}
}

// TestStudyEndsWithItsContext keeps a worker that stops from storing what it did not analyze.
func TestStudyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	creator, studied := s.studied(t, ferns)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := creator.Study(ctx, s.Owner, s.Team, []*aicreation.Draft{studied[0].Draft}); err == nil {
		t.Error("a study without time succeeded")
	}
}

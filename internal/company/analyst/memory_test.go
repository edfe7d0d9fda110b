package analyst_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis/model"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// modelled makes the analyst ask a model that answers, and counts its requests.
func (s *setup) modelled(t *testing.T, remember analyst.Remember) *testkit.ModelServer {
	t.Helper()
	field := func(value string) map[string]any {
		return map[string]any{"value": value, "quote": "", "document": "", "page": 0, "confidence": 0.9, "reasoning": ""}
	}
	server := testkit.NewModelServer(t, testkit.ModelAnswer(map[string]any{
		"name": field(""), "founders": []any{}, "summary": field(""), "status": field(""), "source": field("email"),
		"deck": field(""),
	}))
	deps := s.Deps
	deps.Analyzer = model.NewOpenAI(model.OpenAIOptions{BaseURL: server.URL, Model: "small", Retries: -1})
	deps.Remember = remember
	s.Analyst = analyst.New(deps)
	return server
}

// ask analyses the text as a user, and returns the number of requests that it took.
func (s *setup) ask(t *testing.T, server *testkit.ModelServer, user uuid.UUID, change func(*aicreation.Draft)) int {
	t.Helper()
	before := len(server.Requests())
	d := s.Draft(companykit.Long)
	change(&d)
	out := s.analysed(t, user, d)
	if !strings.Contains(out.Analysis.AIReasoning, "Analyzed by small.") {
		t.Fatalf("the model was not used: %s", out.Analysis.AIReasoning)
	}
	return len(server.Requests()) - before
}

func TestModelAnswersAreRemembered(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	server := s.modelled(t, analyst.Remember{Age: time.Hour, Most: 100})
	same := func(*aicreation.Draft) {}
	private := func(d *aicreation.Draft) { d.Visibility = company.VisibilityPrivate }
	for _, step := range []struct {
		name   string
		user   uuid.UUID
		change func(*aicreation.Draft)
		want   int
	}{
		{"the first", s.Owner, same, 1},
		{"again", s.Owner, same, 0},
		{"a colleague", s.Member, same, 0},
		{"a dry run", s.Member, func(d *aicreation.Draft) { d.DryRun = true }, 0},
		{"another text", s.Owner, func(d *aicreation.Draft) { d.Text += " More." }, 1},
		{"in private", s.Owner, private, 1},
		{"in private, again", s.Owner, private, 0},
		{"in private, a colleague", s.Member, private, 1},
		{"another team", s.Stranger, func(d *aicreation.Draft) { d.AccountID = s.Rival }, 1},
	} {
		if got := s.ask(t, server, step.user, step.change); got != step.want {
			t.Errorf("%s: %d requests, want %d", step.name, got, step.want)
		}
	}
	testkit.Exec(t, s.URL, "UPDATE model_answers SET created_at = created_at - interval '2 hours'")
	if first, again := s.ask(t, server, s.Owner, same), s.ask(t, server, s.Owner, same); first != 1 || again != 0 {
		t.Errorf("an old answer: %d requests, then %d", first, again)
	}
}

func TestModelAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	server := s.modelled(t, analyst.Remember{Age: time.Hour, Most: 3})
	for i := range 5 {
		s.ask(t, server, s.Owner, func(d *aicreation.Draft) { d.Text += strings.Repeat("!", i) })
	}
	s.ask(t, server, s.Stranger, func(d *aicreation.Draft) { d.AccountID = s.Rival })
	if gone, err := s.Analyst.ForgetAnswers(t.Context()); err != nil || gone != 2 || s.Count(t, "model_answers") != 4 {
		t.Errorf("%d are gone, %v; %d are left, want 3 and 1", gone, err, s.Count(t, "model_answers"))
	}
	testkit.Exec(t, s.URL, "UPDATE model_answers SET created_at = now() - interval '2 hours' WHERE account_id = $1",
		s.Team)
	if gone, err := s.Analyst.ForgetAnswers(t.Context()); err != nil || gone != 3 {
		t.Errorf("%d are gone, %v, want 3", gone, err)
	}
	if s.ask(t, server, s.Stranger, func(d *aicreation.Draft) { d.AccountID = s.Rival }) != 0 {
		t.Error("the newest answer is gone too")
	}
}

// Deleting a company also deletes what the model answered about it.
func TestModelAnswersGoWithTheCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	server := s.modelled(t, analyst.Remember{Age: time.Hour, Most: 3})
	s.ask(t, server, s.Owner, func(*aicreation.Draft) {})
	testkit.Exec(t, s.URL, "DELETE FROM companies")
	if n := s.Count(t, "model_answers"); n != 0 {
		t.Errorf("%d answers are left", n)
	}
}

func TestModelAnswersAreNotKeptWhereOff(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	server := s.modelled(t, analyst.Remember{})
	for range 2 {
		if s.ask(t, server, s.Owner, func(*aicreation.Draft) {}) != 1 || s.Count(t, "model_answers") != 0 {
			t.Error("an answer was kept")
		}
	}
}

// The database alone hides what was remembered for one user, also of a dry run, which no company hides.
func TestModelAnswersOfOthersAreHidden(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	server := s.modelled(t, analyst.Remember{Age: time.Hour, Most: 100})
	for i, visibility := range []string{company.VisibilityTeam, company.VisibilityShared, company.VisibilityPrivate} {
		for _, dry := range []bool{false, true} {
			s.ask(t, server, s.Owner, func(d *aicreation.Draft) {
				d.Visibility, d.DryRun, d.Text = visibility, dry, d.Text+strings.Repeat(".", 2*i)
				if dry {
					d.Text += "!"
				}
			})
		}
	}
	for name, tt := range map[string]struct {
		user uuid.UUID
		want int
	}{"who asked": {s.Owner, 6}, "a colleague": {s.Member, 2}, "a stranger": {s.Stranger, 0}} {
		var seen int
		err := s.DB.As(t.Context(), tt.user, func(tx *postgres.Tx) error {
			return tx.Raw("SELECT count(*) FROM model_answers").Scan(&seen).Error
		})
		if err != nil || seen != tt.want {
			t.Errorf("%s sees %d answers, %v, want %d", name, seen, err, tt.want)
		}
	}
}

package analyst_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// again analyzes a company again with an analyzer that returns these findings, and returns the result.
func (s *setup) again(t *testing.T, id uuid.UUID, findings analysis.Findings) aicreation.Created {
	t.Helper()
	s.Analyzer.Findings = findings
	d := aicreation.Draft{CompanyID: id, WorkID: uuid.New()}
	if err := s.Creations.Again(t.Context(), s.Owner, d); err != nil {
		t.Fatal(err)
	}
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	return s.Created(t, d)
}

// other is what a better analyzer finds in the same text.
func (s *setup) other() analysis.Findings {
	return analysis.Findings{
		Name: "Zenith", StatusID: s.Statuses["Term Sheet"].String(), Source: "event", Summary: "Other words.",
		Founders: []analysis.Founder{{Name: "Max Other"}}, Analyzer: "scripted",
	}
}

type shown struct{ name, status, source, founder, summary string }

func (s *setup) shown(t *testing.T, c company.View) shown {
	t.Helper()
	var members struct {
		Founders []analysis.Founder `json:"founders"`
		Summary  string             `json:"ai_analysis"`
	}
	if err := json.Unmarshal(c.Metadata, &members); err != nil {
		t.Fatal(err)
	}
	got := shown{name: c.Name, source: c.Source, summary: members.Summary}
	if c.Status != nil {
		got.status = c.Status.Name
	}
	if len(members.Founders) > 0 {
		got.founder = members.Founders[0].Name
	}
	return got
}

func TestAnalyzingAgainReplacesWhatTheAnalysisWrote(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	id := s.analysed(t, s.Owner, s.Draft(companykit.Long)).Company.ID
	want := shown{"Zenith", "Term Sheet", "event", "Max Other", "Other words."}
	if got := s.shown(t, s.again(t, id, s.other()).Company); got != want {
		t.Errorf("again it is %+v, want %+v", got, want)
	}
}

// TestAnalyzingAgainReplacesAStatusAfterAStageWasDeleted deletes the stage that the second of three analyses detects.
func TestAnalyzingAgainReplacesAStatusAfterAStageWasDeleted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	id := s.analysed(t, s.Owner, s.Draft(companykit.Long)).Company.ID
	s.Analyzer.During = func() {
		testkit.Exec(t, s.URL, "DELETE FROM company_statuses WHERE id = $1", s.Statuses["Term Sheet"])
	}
	if got := s.again(t, id, s.other()); got.Analysis.StatusDetected || *got.Company.CompanyStatusID != s.Statuses["New"] {
		t.Fatalf("with the stage deleted the company is in %v, %+v", got.Company.CompanyStatusID, got.Analysis)
	}
	s.Analyzer.During = nil
	found := s.other()
	found.StatusID = s.Statuses["Passed"].String()
	if got := s.again(t, id, found); !got.Analysis.StatusDetected || *got.Company.CompanyStatusID != s.Statuses["Passed"] {
		t.Errorf("the next analysis leaves the company in %v: %s", got.Company.Status.Name, got.Analysis.StatusReasoning)
	}
}

func TestAnalyzingAgainKeepsWhatPeopleSet(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	id := s.analysed(t, s.Owner, s.Draft(companykit.Long)).Company.ID
	s.change(t, s.Member, id, company.Change{
		Name: new("ACME"), StatusID: set(s.Statuses["Passed"]), Source: new("referral"),
		Metadata: json.RawMessage(`{"founders": [{"name": "Ada"}], "ai_analysis": "mine"}`),
	})
	want := shown{"ACME", "Passed", "referral", "Ada", "mine"}
	for range 2 {
		if got := s.shown(t, s.again(t, id, s.other()).Company); got != want {
			t.Errorf("again it is %+v, want %+v", got, want)
		}
	}
}

func TestAnalyzingAgainKeepsWhatWasGiven(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	d := s.Draft(companykit.Long)
	d.Name, d.Source, d.StatusID = "Given", "manual", new(s.Statuses["Passed"])
	d.Metadata = json.RawMessage(`{"founders": [{"name": "Ada"}], "ai_analysis": "mine"}`)
	id := s.analysed(t, s.Owner, d).Company.ID
	want := shown{"Given", "Passed", "manual", "Ada", "mine"}
	for range 2 {
		if got := s.shown(t, s.again(t, id, s.other()).Company); got != want {
			t.Errorf("again it is %+v, want %+v", got, want)
		}
	}
}

func TestACompanyMadeByHandIsAnalyzed(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	made, err := s.Service.Create(t.Context(), postgres.AsUser(s.Owner), company.NewCompany{
		AccountID: s.Team, Change: company.Change{Name: new("By hand")}, SourceContent: new(companykit.Long),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := shown{"By hand", "Term Sheet", "event", "Max Other", "Other words."}
	if got := s.shown(t, s.again(t, made.ID, s.other()).Company); got != want {
		t.Errorf("analyzed it is %+v, want %+v", got, want)
	}
}

func TestOneAnalysisOfACompanyAtATime(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	again := aicreation.Draft{CompanyID: d.CompanyID, WorkID: uuid.New()}
	refused := func(what string) {
		t.Helper()
		if err := s.Creations.Again(t.Context(), s.Member, again); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v, want a conflict", what, err)
		}
	}
	refused("while it waits")
	item, err := s.Work.Claim(t.Context(), s.Queue.Refs[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	refused("while it runs")
	if err := s.Analyst.Analyse(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if err := s.Creations.Again(t.Context(), s.Member, again); err != nil {
		t.Error(err)
	}
	if err := s.Creations.Again(t.Context(), s.Stranger, again); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a stranger: %v", err)
	}
}

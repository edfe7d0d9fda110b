package analyst_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

func metadata(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

func TestAnalysisIsWrittenToTheCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	s.Analyzer.Findings = s.Found()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	out := s.Created(t, d)
	c := out.Company
	if c.Name != "Acme Robotics" || c.Source != "email" || c.Status == nil || c.Status.Name != "New" {
		t.Errorf("company %+v, status %+v", c.Company, c.Status)
	}
	if !out.Analysis.StatusDetected || !out.Analysis.SourceDetected || out.Analysis.ProcessedAt == nil ||
		out.Analysis.StatusReasoning != "A first contact." {
		t.Errorf("analysis %+v", out.Analysis)
	}
	members := metadata(t, c.Metadata)
	founders, _ := members["founders"].([]any)
	if len(founders) != 1 || founders[0].(map[string]any)["email"] != "zoe@acme.example" ||
		members["ai_analysis"] != "Builds robots." {
		t.Errorf("metadata %s", c.Metadata)
	}
	if at, ok := members["analyzed_at"].(string); !ok || !strings.HasSuffix(at, "Z") ||
		len(at) != len("2026-03-02T10:00:00.123456Z") {
		t.Errorf("analyzed_at = %v", members["analyzed_at"])
	}
}

func TestWhatTheClientGaveStays(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	status := s.Statuses["Screening"]
	d.Name, d.Source, d.StatusID = "Given Name", "event", &status
	d.Metadata = json.RawMessage(
		`{"founders": [{"name": "Given Founder"}], "ai_analysis": "", "analyzed_at": null, "mine": [1, {"a": null}]}`,
	)
	s.Pitch(t, d)
	s.Analyzer.Findings = s.Found()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if in := s.Analyzer.Asked[0]; in.DetectStatus || in.DetectSource {
		t.Errorf("the analyzer was asked for what was given: %+v", in)
	}
	out := s.Created(t, d)
	c := out.Company
	if c.Name != "Given Name" || c.Source != "event" || *c.CompanyStatusID != status || out.Analysis.StatusDetected ||
		out.Analysis.SourceDetected {
		t.Errorf("company %+v, analysis %+v", c.Company, out.Analysis)
	}
	text := string(c.Metadata)
	for _, want := range []string{`"Given Founder"`, `"Builds robots."`, `"mine": [1, {"a": null}]`} {
		if !strings.Contains(text, want) {
			t.Errorf("metadata lacks %s: %s", want, text)
		}
	}
	for _, not := range []string{"Zoë", `"analyzed_at": null`, `"linkedin_profile"`} {
		if strings.Contains(text, not) {
			t.Errorf("metadata has %s: %s", not, text)
		}
	}
}

func TestShortTextIsNotDetected(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for text, detected := range map[string]bool{strings.Repeat("é", 50): false, strings.Repeat("é", 51): true} {
		d := s.Pitch(t, s.Draft(text))
		s.Analyzer.Findings = s.Found()
		if err := s.Analyse(t); err != nil {
			t.Fatal(err)
		}
		out := s.Created(t, d)
		if out.Analysis.StatusDetected != detected || out.Analysis.SourceDetected != detected ||
			(out.Company.CompanyStatusID != nil) != detected {
			t.Errorf("%d characters: %+v", len([]rune(text)), out.Analysis)
		}
		if !detected && out.Company.Source != "manual" {
			t.Errorf("source %s, want manual", out.Company.Source)
		}
	}
}

func TestDeckOfSeveralPDFs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pick      int // of the uploads; -1: the analyzer cannot decide
		deck      string
		reasoning string
	}{
		"picked":       {2, "rl-helv-12.pdf", "It has slides."},
		"not decided":  {-1, "lo-basic-12.pdf", "first PDF"},
		"picked first": {1, "lo-basic-12.pdf", "It has slides."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			d := s.Draft(companykit.Long)
			s.Upload(t, &d, "a.txt", "lo-basic-12.pdf", "rl-helv-12.pdf")
			s.Pitch(t, d)
			s.Analyzer.Findings = s.Found()
			if tc.pick >= 0 {
				s.Analyzer.Findings.DeckDocumentID, s.Analyzer.Findings.DeckReasoning = d.Files[tc.pick].ID.String(),
					"It has slides."
			}
			if err := s.Analyse(t); err != nil {
				t.Fatal(err)
			}
			out := s.Created(t, d)
			if out.Company.Deck == nil || out.Company.Deck.Title != tc.deck ||
				*out.Company.DeckStoragePath != *out.Company.Deck.StoragePath {
				t.Fatalf("deck %+v, path %v", out.Company.Deck, out.Company.DeckStoragePath)
			}
			if !strings.Contains(out.Analysis.AIReasoning, tc.reasoning) || len(out.Attachments) != 2 {
				t.Errorf("reasoning %q, %d attachments", out.Analysis.AIReasoning, len(out.Attachments))
			}
			if n := s.Count(t, "file_texts"); n != 2 {
				t.Errorf("%d texts are stored, want 2", n)
			}
		})
	}
}

func TestUnreadablePDFIsNoError(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "qpdf-needpw-12.pdf")
	s.Pitch(t, d)
	s.Analyzer.Findings = s.Found()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	out := s.Created(t, d)
	if !strings.Contains(out.Analysis.AIReasoning, "password") || out.Company.Deck == nil {
		t.Errorf("reasoning %q, deck %v", out.Analysis.AIReasoning, out.Company.Deck)
	}
}

func TestScanIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "scan-8.pdf")
	s.Pitch(t, d)
	s.Analyzer.Findings = s.Found()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if out := s.Created(t, d); !strings.Contains(out.Analysis.AIReasoning, "pictures without text") {
		t.Errorf("reasoning %q", out.Analysis.AIReasoning)
	}
}

func TestSecondRunChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	s.Analyzer.Findings = s.Found()
	item, err := s.Work.Claim(t.Context(), s.Queue.Refs[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Analyst.Analyse(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	s.Analyzer.Findings.Name = "Other"
	if err := s.Analyst.Analyse(t.Context(), item); !errors.Is(err, work.ErrLost) {
		t.Errorf("the second run: %v, want ErrLost", err)
	}
	if out := s.Created(t, d); out.Company.Name != "Acme Robotics" {
		t.Errorf("the second run wrote %q", out.Company.Name)
	}
}

func TestADetectedStageIsActivity(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	s.Analyzer.Findings = s.Found()
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	told := testkit.Texts(t, s.URL, "SELECT type || ': ' || description FROM activity WHERE company_id = '"+
		d.CompanyID.String()+"' ORDER BY created_at")
	if len(told) != 2 || told[1] != "status_changed: Company Acme Robotics moved from no status to New" {
		t.Errorf("the activity is %q", told)
	}
}

func TestStageDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	s.Analyzer.Findings = s.Found()
	s.Analyzer.During = func() { testkit.Exec(t, s.URL, "DELETE FROM company_statuses WHERE id = $1", s.Statuses["New"]) }
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if out := s.Created(t, d); out.Company.CompanyStatusID != nil || out.Analysis.StatusDetected ||
		out.Company.Name != "Acme Robotics" {
		t.Errorf("outcome %+v", out)
	}
}

func TestAnalyzerErrorIsWorthAnotherAttempt(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	s.Analyzer.Err = errors.New("out of memory")
	if err := s.Analyse(t); err == nil || errors.Is(err, work.ErrLost) {
		t.Errorf("error %v", err)
	}
	if out := s.Created(t, d); out.Analysis.ProcessedAt != nil {
		t.Errorf("analysis %+v", out.Analysis)
	}
}

func TestVisibility(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	ids := map[string]uuid.UUID{}
	for _, visibility := range []string{company.VisibilityTeam, company.VisibilityShared, company.VisibilityPrivate} {
		d := s.Draft(companykit.Long)
		d.Visibility = visibility
		s.Upload(t, &d, "a.txt")
		ids[visibility] = s.Pitch(t, d).CompanyID
	}
	see := func(user uuid.UUID) []string {
		views, _, err := s.Service.List(t.Context(), postgres.AsUser(user), company.ListQuery{Page: paging.First(10)})
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		for _, view := range views {
			seen = append(seen, view.Visibility)
		}
		slices.Sort(seen)
		return seen
	}
	for name, tc := range map[string]struct {
		user uuid.UUID
		want []string
	}{
		"creator": {s.Owner, []string{"private", "shared", "team"}}, "member": {s.Member, []string{"team"}},
		"stranger": {s.Stranger, nil},
	} {
		if got := see(tc.user); !slices.Equal(got, tc.want) {
			t.Errorf("%s sees %v, want %v", name, got, tc.want)
		}
	}
	testkit.Exec(t, s.URL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)",
		ids["shared"], s.Team, s.Member)
	testkit.Exec(t, s.URL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)",
		ids["private"], s.Team, s.Member)
	if got := see(s.Member); !slices.Equal(got, []string{"shared", "team"}) {
		t.Errorf("after sharing the member sees %v", got)
	}
	// The application's own filters removed: the database alone must hide what hangs on a hidden company.
	for table, want := range map[string]int{"companies": 2, "company_files": 2, "activity": 2, "work": 0, "api_keys": 0} {
		var seen int
		err := s.DB.As(t.Context(), s.Member,
			func(tx *postgres.Tx) error { return tx.Raw("SELECT count(*) FROM " + table).Scan(&seen).Error })
		if err != nil || seen != want {
			t.Errorf("the member sees %d rows of %s, %v; want %d", seen, table, err, want)
		}
	}
}

// TestAnOwnerFinishesTheAnalysisOfWhoLeft removes a member while the company that they created is analyzed.
func TestAnOwnerFinishesTheAnalysisOfWhoLeft(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	if err := s.Creations.Create(t.Context(), s.Member, d); err != nil {
		t.Fatal(err)
	}
	s.Analyzer.Findings = s.Found()
	s.Analyzer.During = func() {
		s.Analyzer.During = nil
		testkit.Exec(t, s.URL, "DELETE FROM memberships WHERE user_id = $1", s.Member)
	}
	if err := s.Analyse(t); !errors.Is(err, work.ErrLost) {
		t.Errorf("the analysis as who left: %v, want ErrLost", err)
	}
	testkit.Exec(t, s.URL, "UPDATE work SET lease_until = now() - interval '1 minute'")
	if _, err := s.Work.Due(t.Context(), time.Minute, 10); err != nil {
		t.Fatal(err)
	}
	item, err := s.Work.Claim(t.Context(), work.Ref{ID: d.WorkID, Attempt: 2}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Analyst.Analyse(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	view, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), d.CompanyID)
	if err != nil || view.Name != "Acme Robotics" {
		t.Errorf("the company is %q, %v", view.Name, err)
	}
}

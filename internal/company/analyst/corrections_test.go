package analyst_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/plain"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// analysed creates a company from a text as the user, and analyzes it by s.Analyst.
func (s *setup) analysed(t *testing.T, user uuid.UUID, d aicreation.Draft) aicreation.Created {
	t.Helper()
	if err := s.Creations.Create(t.Context(), user, d); err != nil {
		t.Fatal(err)
	}
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	out, err := s.Creations.Created(t.Context(), user, d)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *setup) change(t *testing.T, user, id uuid.UUID, change company.Change) {
	t.Helper()
	if _, err := s.Service.Update(t.Context(), postgres.AsUser(user), id, change); err != nil {
		t.Fatal(err)
	}
}

// corrections returns the stored corrections as "field: detected -> corrected", in the order of their fields.
func (s *setup) corrections(t *testing.T) string {
	t.Helper()
	all := testkit.Texts(t, s.URL, "SELECT field || ': ' || detected || ' -> ' || corrected FROM corrections ORDER BY 1")
	for i := range all {
		for name, id := range s.Statuses {
			all[i] = strings.ReplaceAll(all[i], id.String(), name)
		}
	}
	return strings.Join(all, "; ")
}

func TestCorrectionsAreKept(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	screening, passed, first := s.Statuses["Screening"], s.Statuses["Passed"], s.Statuses["New"]
	id := s.analysed(t, s.Owner, s.Draft(companykit.Long)).Company.ID
	founder := func(name, email string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"founders": [{"name": %q, "email": %q}], "mine": 1}`, name, email))
	}
	for _, step := range []struct {
		name   string
		change company.Change
		want   string
	}{
		{"something else", company.Change{
			Changes: plain.Changes{Notes: set("n")}, Visibility: new("team"),
			Metadata: json.RawMessage(`{"ai_analysis": "x"}`),
		}, ""},
		{"the same again", company.Change{Name: new("Acme Robotics"), Source: new("email"), StatusID: set(first)}, ""},
		{"another name", company.Change{Name: new("ACME")}, `name: "Acme Robotics" -> "ACME"`},
		{"yet another name", company.Change{Name: new("Acme GmbH")}, `name: "Acme Robotics" -> "Acme GmbH"`},
		{"the name it had", company.Change{Name: new(" Acme Robotics ")}, ""},
		{"a stage", company.Change{StatusID: set(screening)}, `status: "New" -> "Screening"`},
		{"another stage", company.Change{StatusID: set(passed)}, `status: "New" -> "Passed"`},
		{"no stage", company.Change{StatusID: patch.Nullable[uuid.UUID]{Set: true}}, `status: "New" -> ""`},
		{"the stage it had", company.Change{StatusID: set(first)}, ""},
		{"a source", company.Change{Source: new("referral")}, `source: "email" -> "referral"`},
		{"the source it had", company.Change{Source: new("email")}, ""},
		{"no founders", company.Change{
			Metadata: json.RawMessage(`{"founders": []}`),
		}, `founders: [{"name": "Zoë Lang", "email": "zoe@acme.example", "phone": "", "title": "", "background": "", ` +
			`"linkedin_profile": ""}] -> []`},
		{"founders of another shape", company.Change{
			Metadata: json.RawMessage(`{"founders": "Zoë"}`),
		}, `founders: [{"name": "Zoë Lang", "email": "zoe@acme.example", "phone": "", "title": "", "background": "", ` +
			`"linkedin_profile": ""}] -> []`},
		{"the founder as she was", company.Change{Metadata: founder("Zoë Lang", "zoe@acme.example")}, ""},
	} {
		s.change(t, s.Member, id, step.change)
		if got := s.corrections(t); got != step.want {
			t.Errorf("after %s: %s, want %s", step.name, got, step.want)
		}
	}
}

// A move of many companies at once is recorded as a correction like the move of one, and repeating it changes nothing.
// An id that is sent twice counts once.
func TestMovesOfManyAreCorrections(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	analyzed := s.analysed(t, s.Owner, s.Draft(companykit.Long)).Company
	byHand := s.Create(t, "Made by hand", func(*company.NewCompany) {})
	move := company.ManyChange{StatusID: set(s.Statuses["Passed"])}
	for _, want := range []company.Many{{Changed: 2, Unseen: 1}, {Same: 2, Unseen: 1}} {
		ids := []uuid.UUID{analyzed.ID, byHand, uuid.New(), analyzed.ID}
		done, err := s.Service.ChangeMany(t.Context(), postgres.AsUser(s.Member), analyzed.AccountID, ids, move)
		if err != nil || done != want {
			t.Errorf("done %+v, error %v, want %+v", done, err, want)
		}
		if got, want := s.corrections(t), `status: "New" -> "Passed"`; got != want {
			t.Errorf("corrections %s, want %s", got, want)
		}
	}
}

func TestNoCorrectionWhereNothingWasDetected(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	other := func(id uuid.UUID) {
		s.change(t, s.Owner, id, company.Change{
			Name: new("Other"), Source: new("event"), StatusID: set(s.Statuses["Passed"]),
			Metadata: json.RawMessage(`{"founders": [{"name": "Other"}]}`),
		})
	}
	given := s.Draft(companykit.Long)
	status := s.Statuses["Screening"]
	given.Name, given.Source, given.StatusID, given.Metadata = "Given", "form", &status,
		json.RawMessage(`{"founders": [{"name": "Given"}]}`)
	other(s.analysed(t, s.Owner, given).Company.ID)
	other(s.Create(t, "Made by hand", func(*company.NewCompany) {}))
	waiting := s.Draft(companykit.Long)
	s.Pitch(t, waiting)
	other(waiting.CompanyID)
	if got := s.corrections(t); got != "" {
		t.Errorf("corrections of what was given, of what was never analysed, or not yet: %s", got)
	}
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	want := `name: "Acme Robotics" -> "Other"; source: "email" -> "event"; status: "New" -> "Passed"`
	if got := s.corrections(t); !strings.Contains(got, want) || !strings.HasPrefix(got, "founders: ") {
		t.Errorf("what was set while the analysis ran: %s, want %s", got, want)
	}
}

// A move to another stage after the correction window is no correction.
func TestStagesAreCorrectedForAWhile(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	id := s.analysed(t, s.Owner, s.Draft(companykit.Long)).Company.ID
	s.change(t, s.Owner, id, company.Change{StatusID: set(s.Statuses["Screening"])})
	testkit.Exec(t, s.URL, "UPDATE detections SET created_at = created_at - interval '4 days'")
	s.change(t, s.Owner, id, company.Change{StatusID: set(s.Statuses["Passed"]), Name: new("ACME")})
	if got, want := s.corrections(t), `name: "Acme Robotics" -> "ACME"; status: "New" -> "Screening"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// lessonsOf returns the lessons that an analysis as this user is given, a word each.
func (s *setup) lessonsOf(t *testing.T, user, team uuid.UUID) string {
	t.Helper()
	d := s.Draft(companykit.Long)
	d.AccountID, d.DryRun = team, true
	s.analysed(t, user, d)
	var all []string
	for _, l := range s.Analyzer.Asked[len(s.Analyzer.Asked)-1].Lessons {
		word := l.Field + "=" + l.Chosen
		if l.Kept {
			word += "(kept)"
		}
		if l.Field == analysis.FieldFounders {
			word = fmt.Sprintf("%s=%d->%d", l.Field, len(l.Before), len(l.After))
		}
		for name, id := range s.Statuses {
			word = strings.ReplaceAll(word, id.String(), name)
		}
		all = append(all, word)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestLessonsAreForThoseWhoSeeTheCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Analyzer.Findings = s.Found()
	s.Analyzer.Findings.Cues = analysis.Cues{Meaning: "intake", Senders: []string{"zoe@acme.example"}}
	for visibility, change := range map[string]company.Change{
		company.VisibilityTeam: {Source: new("event")}, company.VisibilityPrivate: {Source: new("form")},
		company.VisibilityShared: {Metadata: json.RawMessage(`{"founders": []}`)},
	} {
		d := s.Draft(companykit.Long)
		d.Visibility = visibility
		s.change(t, s.Owner, s.analysed(t, s.Owner, d).Company.ID, change)
	}
	for name, tt := range map[string]struct {
		user, team uuid.UUID
		want       string
	}{
		"who sees all":        {s.Owner, s.Team, "founders=1->0 source=event source=form"},
		"who sees the team's": {s.Member, s.Team, "source=event"}, "another team": {s.Stranger, s.Rival, ""},
	} {
		if got := s.lessonsOf(t, tt.user, tt.team); got != tt.want {
			t.Errorf("%s learns %q, want %q", name, got, tt.want)
		}
	}
	if l := s.Analyzer.Asked[3].Lessons; len(l) > 0 &&
		(l[0].Cues.Meaning != "intake" || l[0].Company == "" || !strings.HasPrefix(l[0].Excerpt, "Dear team")) {
		t.Errorf("the lesson lacks its cues: %+v", l[0])
	}
	testkit.Exec(t, s.URL, "UPDATE detections SET created_at = created_at - interval '4 days'")
	if got, want := s.lessonsOf(t, s.Member, s.Team), "source=event status=New(kept)"; got != want {
		t.Errorf("after some days the member learns %q, want %q", got, want)
	}
}

// contact returns the first mail of company number i. The mails differ only in the names and domains of the companies.
func contact(i int) string {
	name := "Brand" + string(rune('a'+i%26)) + string(rune('a'+i/26))
	return fmt.Sprintf("From: Ann Lee <ann@%[2]s.example>\nTo: deals@fund.example\nSubject: %[1]s\n\nHi,\n\nI am Ann, "+
		"founder of %[1]s. We build cranes for small ports and raise a seed round.\n\nBest, Ann",
		name, strings.ToLower(name))
}

// TestAccountsLearnByThemselves corrects ten deals of one team, and compares how many later deals of this and of
// another team are then right.
func TestAccountsLearnByThemselves(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	deps := s.Deps
	deps.Analyzer = rules.New(links.DefaultDeckClasses())
	s.Analyst = analyst.New(deps)
	radar := uuid.New()
	testkit.Exec(t, s.URL,
		"INSERT INTO company_statuses (id, account_id, name, color, rank) VALUES ($1, $2, 'Radar', '#000000', 9)", radar,
		s.Team)
	score := func(user, team uuid.UUID, from, to int, correct bool) (right int) {
		for i := from; i < to; i++ {
			d := s.Draft(contact(i))
			d.AccountID = team
			got := s.analysed(t, user, d).Company
			switch {
			case got.CompanyStatusID != nil && *got.CompanyStatusID == radar && got.Source == "referral":
				right++
			case correct:
				s.change(t, user, got.ID, company.Change{StatusID: set(radar), Source: new("referral")})
			}
		}
		return right
	}
	if before := score(s.Owner, s.Team, 0, 10, false); before != 0 {
		t.Fatalf("%d of 10 are right by themselves", before)
	}
	score(s.Owner, s.Team, 10, 20, true)
	if after := score(s.Member, s.Team, 20, 40, false); after < 18 {
		t.Errorf("after ten corrections %d of 20 are right, want 18", after)
	}
	for i := range 10 {
		d := s.Draft(contact(i))
		d.AccountID = s.Rival
		got := s.analysed(t, s.Stranger, d)
		if got.Company.Status == nil || got.Company.Status.Name != "New" || got.Company.Source != "email" ||
			strings.Contains(got.Analysis.StatusReasoning+got.Analysis.SourceReasoning, "This team") {
			t.Fatalf("another team learned from it: %+v, %q", got.Company.Status, got.Analysis.StatusReasoning)
		}
	}
}

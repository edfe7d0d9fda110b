package aicreation_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/fault"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

func TestIntakeStoresCompanyFilesAndWorkTogether(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long + " https://docsend.com/view/abc123")
	notes := "met at the fair"
	d.Name, d.Notes, d.Metadata = "Acme", &notes, json.RawMessage(`{"lead": "Ada", "big": 12345678901234567890}`)
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)

	out := s.Created(t, d)
	c := out.Company
	if c.Name != "Acme" || *c.Notes != notes || *c.SourceContent != d.Text || c.Visibility != company.VisibilityTeam ||
		c.Source != "manual" || c.CompanyStatusID != nil {
		t.Errorf("company %+v", c.Company)
	}
	if c.DeckLink == nil || *c.DeckLink != "https://docsend.com/view/abc123" || c.Deck == nil ||
		c.Deck.Title != "lo-basic-12.pdf" || *c.DeckStoragePath != *c.Deck.StoragePath {
		t.Errorf("deck link %v, deck %+v", c.DeckLink, c.Deck)
	}
	if !strings.Contains(string(c.Metadata), "12345678901234567890") {
		t.Errorf("a number of the client's changed: %s", c.Metadata)
	}
	if len(out.Attachments) != 0 || out.Analysis.ProcessedAt != nil ||
		!strings.Contains(out.Analysis.AIReasoning, "goes on") {
		t.Errorf("before the analysis: %+v, attachments %v", out.Analysis, out.Attachments)
	}
	if got := s.Stored(t); !slices.Equal(got, []string{"companies"}) {
		t.Errorf("storage holds %v", got)
	}
	if len(s.Queue.Refs) != 1 || s.Queue.Refs[0].ID != d.WorkID || s.Count(t, "activity") != 1 {
		t.Errorf("told %v, %d activities", s.Queue.Refs, s.Count(t, "activity"))
	}
}

func TestRefusedIntakeLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	tests := map[string]struct {
		change func(*aicreation.Draft)
		field  string
		want   fault.Kind
	}{
		"white space":   {func(d *aicreation.Draft) { d.Text = " \n\t" }, "text", fault.InvalidBody},
		"no account":    {func(d *aicreation.Draft) { d.AccountID = uuid.Nil }, "account_id", fault.InvalidBody},
		"long name":     {func(d *aicreation.Draft) { d.Name = strings.Repeat("ä", 256) }, "name", fault.InvalidBody},
		"visibility":    {func(d *aicreation.Draft) { d.Visibility = "public" }, "visibility", fault.InvalidBody},
		"source":        {func(d *aicreation.Draft) { d.Source = "fax" }, "source", fault.InvalidBody},
		"metadata":      {func(d *aicreation.Draft) { d.Metadata = json.RawMessage(`[1]`) }, "metadata", fault.InvalidBody},
		"null metadata": {func(d *aicreation.Draft) { d.Metadata = json.RawMessage(`null`) }, "metadata", fault.InvalidBody},
		"foreign status": {
			func(d *aicreation.Draft) { id := uuid.New(); d.StatusID = &id }, "company_status_id", fault.InvalidBody,
		},
		"unknown account":  {func(d *aicreation.Draft) { d.AccountID = uuid.New() }, "", fault.NotFound},
		"another's team":   {func(d *aicreation.Draft) { d.AccountID = s.Rival }, "", fault.Forbidden},
		"dry, other team":  {func(d *aicreation.Draft) { d.AccountID = s.Rival; d.DryRun = true }, "", fault.Forbidden},
		"dry, white space": {func(d *aicreation.Draft) { d.Text = ""; d.DryRun = true }, "text", fault.InvalidBody},
		"dry, foreign status": {
			func(d *aicreation.Draft) { id := uuid.New(); d.StatusID, d.DryRun = &id, true }, "company_status_id",
			fault.InvalidBody,
		},
	}
	for name, tc := range tests {
		d := s.Draft(companykit.Long)
		s.Upload(t, &d, "a.txt", "b.txt")
		tc.change(&d)
		err := s.Creations.Create(t.Context(), s.Owner, d)
		if !fault.Is(err, tc.want) {
			t.Errorf("%s: error %v, want kind %d", name, err, tc.want)
		}
		var refusal *fault.Error
		if tc.field != "" && (!errors.As(err, &refusal) || len(refusal.Details) != 1 ||
			refusal.Details[0].Field != tc.field) {
			t.Errorf("%s: details of %v, want field %s", name, err, tc.field)
		}
	}
	for _, table := range []string{"companies", "company_files", "work", "activity"} {
		if n := s.Count(t, table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if got := s.Stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
}

func TestRolesOfFiles(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	tests := map[string]struct {
		files       []string
		deck        string
		attachments []string
	}{
		"one file of any type is the deck": {[]string{"notes.txt"}, "notes.txt", nil},
		"several without a PDF":            {[]string{"a.txt", "b.txt"}, "", []string{"a.txt", "b.txt"}},
		"the only PDF of several":          {[]string{"a.txt", "lo-basic-12.pdf"}, "lo-basic-12.pdf", []string{"a.txt"}},
		"two PDFs, not decided yet": {
			[]string{"lo-basic-12.pdf", "rl-helv-12.pdf", "a.txt"}, "", []string{"lo-basic-12.pdf", "rl-helv-12.pdf", "a.txt"},
		},
	}
	for name, tc := range tests {
		d := s.Draft(companykit.Long)
		s.Upload(t, &d, tc.files...)
		s.Pitch(t, d)
		out := s.Created(t, d)
		var deck string
		if out.Company.Deck != nil {
			deck = out.Company.Deck.Title
		}
		var attachments []string
		for _, file := range out.Attachments {
			attachments = append(attachments, file.Title)
		}
		if deck != tc.deck || !slices.Equal(attachments, tc.attachments) {
			t.Errorf("%s: deck %q, attachments %v", name, deck, attachments)
		}
	}
}

func TestDryRunStoresNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	d.DryRun = true
	s.Upload(t, &d, "lo-basic-12.pdf")
	s.Pitch(t, d)
	s.Analyzer.Findings = analysis.Findings{
		Name: "Acme", StatusID: s.Statuses["New"].String(), Source: "email", Analyzer: "rules",
	}
	if err := s.Analyse(t); err != nil {
		t.Fatal(err)
	}
	if len(s.Analyzer.Asked) != 1 || len(s.Analyzer.Asked[0].Documents) != 1 ||
		len(s.Analyzer.Asked[0].Documents[0].Pages) != 12 {
		t.Errorf("the analyzer was given %+v", s.Analyzer.Asked)
	}
	out := s.Created(t, d)
	if out.Company.ID != uuid.Nil || out.Company.Name != "Acme" || out.Company.Status == nil ||
		out.Company.DeckStoragePath != nil || out.Analysis.ProcessedAt == nil {
		t.Errorf("dry run = %+v, %+v", out.Company, out.Analysis)
	}
	for _, table := range []string{"companies", "company_files", "file_texts", "work", "activity"} {
		if n := s.Count(t, table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	if got := s.Stored(t); len(got) != 0 {
		t.Errorf("storage holds %v", got)
	}
}

func TestFailedAnalysisIsTold(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Pitch(t, s.Draft(companykit.Long))
	testkit.Exec(t, s.URL, "UPDATE work SET max_attempts = 1")
	item, err := s.Work.Claim(t.Context(), s.Queue.Refs[0], time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Work.Fail(t.Context(), item, errors.New("no way")); err != nil {
		t.Fatal(err)
	}
	out := s.Created(t, d)
	if out.Analysis.ProcessedAt != nil || !strings.Contains(out.Analysis.AIReasoning, "given up") {
		t.Errorf("analysis %+v", out.Analysis)
	}
}

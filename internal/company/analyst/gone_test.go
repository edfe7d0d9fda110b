package analyst_test

import (
	"testing"

	"dealflow/internal/testkit/companykit"
)

// TestPDFsDeletedBeforeTheAnalysis deletes the PDFs of which the analysis is to pick the deck.
func TestPDFsDeletedBeforeTheAnalysis(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "lo-basic-12.pdf", "rl-helv-12.pdf")
	s.Pitch(t, d)
	item := s.Claim(t)
	for _, file := range d.Files {
		if err := s.Attachments.Detach(t.Context(), s.Owner, d.CompanyID, file.ID); err != nil {
			t.Fatal(err)
		}
	}
	s.Analyzer.Findings = s.Found()
	if err := s.Analyst.Analyse(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	out := s.Created(t, d)
	if out.Company.Name != "Acme Robotics" || out.Company.DeckStoragePath != nil || out.Analysis.ProcessedAt == nil {
		t.Errorf("company %+v, analysis %+v", out.Company.Company, out.Analysis)
	}
}

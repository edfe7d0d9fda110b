package pages

import (
	"net/http"

	"dealflow/internal/analysis"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// companyModel is the page of one company.
type companyModel struct {
	card

	Notes      string
	Source     string
	Text       string // as it was sent
	DeckLink   string
	DeckName   string
	Founders   []analysis.Founder
	Summary    string
	AnalyzedAt string
	Stages     []pipeline.Status
}

func (p *Pages) companyPage(w http.ResponseWriter, r *http.Request, s *scene) error {
	id, err := pathID(r, "company")
	if err != nil {
		return err
	}
	view, err := p.deps.Companies.Get(r.Context(), s.Who, id)
	if err != nil {
		return err
	}
	if view.AccountID != s.account.ID {
		return notFound()
	}
	stages, _, err := p.deps.Pipelines.List(r.Context(), s.Who, s.account.ID, postgres.FirstPage(pipeline.Most))
	if err != nil {
		return err
	}
	found := findingsOf(view.Metadata)
	model := companyModel{
		card: cardOf(s, view), Notes: text(view.Notes), Source: view.Source, Text: text(view.SourceContent), DeckLink: webLink(text(view.DeckLink)),
		Founders: found.Founders, Summary: found.Summary, AnalyzedAt: found.AnalyzedAt, Stages: stages,
	}
	if view.Deck != nil {
		model.DeckName = view.Deck.Title
	}
	return p.show(w, http.StatusOK, "company", s.frame(view.Name, "companies", model))
}

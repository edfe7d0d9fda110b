// Package aicreation makes companies of texts and files: it takes a draft in with what can be found at once, adds the
// work of analyzing the rest, and shows what came of it. The analysis is done by package analyst.
package aicreation

import (
	"runtime"

	"dealflow/internal/analysis/rules"
	"dealflow/internal/company"
	"dealflow/internal/company/upload"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Deps are what the service is made of. All are required.
type Deps struct {
	DB        *postgres.DB
	Companies *company.Service
	Uploads   *upload.Store
	Work      *work.Store
	Rules     *rules.Rules // find links and a deck, and name a company until its analysis is done
}

// Service makes companies of drafts.
type Service struct {
	Deps

	outlining chan struct{} // has room for as many texts as are looked through at once
}

// New returns a service. Half of the processors look through texts at once: requests for what is stored do not wait
// behind large ones.
func New(deps Deps) *Service {
	return &Service{Deps: deps, outlining: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// FallbackName returns the name of a company whose text has none.
func (s *Service) FallbackName(text string, links []string) string {
	return s.Rules.FallbackName(text, links)
}

func (s *Service) outline(text string) rules.Outline {
	s.outlining <- struct{}{}
	defer func() { <-s.outlining }()
	return s.Rules.Outline(text)
}

// Package aicreation creates companies from texts and files. It stores a draft with the links that can be found at
// once, adds the work of analyzing the rest, and returns the result. Package analyst does the analysis.
package aicreation

import (
	"runtime"

	"dealflow/internal/analysis/rules"
	"dealflow/internal/company"
	"dealflow/internal/company/upload"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

// Deps are the dependencies of the service. All are required.
type Deps struct {
	DB        *postgres.DB
	Companies *company.Service
	Uploads   *upload.Store
	Work      *work.Store
	Rules     *rules.Rules // they find links and a deck link, and a name for a company until its analysis is done
}

// Service creates companies from drafts. It is safe for concurrent use.
type Service struct {
	Deps

	outlining chan struct{} // buffered: bounds how many texts outline looks through at once
}

// New returns a service. It limits the number of texts that are searched for links at the same time to half of the
// processors, but at least one, so that reads of stored data do not wait behind large texts.
func New(deps Deps) *Service {
	return &Service{Deps: deps, outlining: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

func (s *Service) outline(text string) rules.Outline {
	s.outlining <- struct{}{}
	defer func() { <-s.outlining }()
	return s.Rules.Outline(text)
}

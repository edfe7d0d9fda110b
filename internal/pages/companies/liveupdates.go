package companies

import (
	"net/http"

	"dealflow/internal/pages/frame"
)

// companyEvents streams an event whenever the company has changed. It returns when the visitor may no longer see the
// company; see frame.Server.Stream.
func (p *pages) companyEvents(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	id, err := frame.PathID(r, "company")
	if err != nil {
		return err
	}
	watching := p.deps.Changes.Watch(id)
	defer watching.Close()
	return p.frame.Stream(w, r, s, watching, func() error {
		_, err := p.visibleCompany(r, s)
		return err
	})
}

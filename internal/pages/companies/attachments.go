package companies

import (
	"net/http"
	"net/url"

	"dealflow/internal/pages/frame"
)

func (p *pages) attach(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return err
	}
	if err := s.Attach(view.ID); err != nil {
		return err
	}
	return back(w, r, s, view.ID, url.Values{"place": {"files"}})
}

func (p *pages) detach(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, form, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "file")
	if err != nil {
		return err
	}
	if err := p.deps.Attachments.Detach(r.Context(), s.Caller.UserID, view.ID, id); err != nil {
		return err
	}
	return back(w, r, s, view.ID, form)
}

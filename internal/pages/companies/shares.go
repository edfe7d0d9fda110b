package companies

import (
	"net/http"

	"github.com/google/uuid"

	"dealflow/internal/pages/frame"
)

// share shares a company with a member or, if the form has "remove", stops sharing it with them; then it redirects
// back. The error is NotFound for a member that is not an id, and otherwise that of sent or of company.Service's Share
// or Unshare.
func (p *pages) share(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, form, err := p.sent(w, r, s)
	if err != nil {
		return err
	}
	with, err := uuid.Parse(form.Get("user"))
	if err != nil {
		return frame.NotFound()
	}
	if form.Get("remove") != "" {
		err = p.deps.Companies.Unshare(r.Context(), s.Caller.UserID, view.ID, with)
	} else {
		_, err = p.deps.Companies.Share(r.Context(), s.Caller.UserID, view.ID, with)
	}
	if err != nil {
		return err
	}
	return back(w, r, s, view.ID, form)
}

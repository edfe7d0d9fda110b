package self

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
)

// endSession ends a session; one that has ended already is not an error.
func (p *pages) endSession(r *http.Request, s *frame.Scene, id uuid.UUID, _ url.Values) (any, error) {
	return nil, formpage.UnlessGone(p.people.EndSession(r.Context(), s.Caller.UserID, id))
}

func (p *pages) endOtherSessions(r *http.Request, s *frame.Scene, _ url.Values) (any, error) {
	return nil, p.people.EndOtherSessions(r.Context(), s.Caller)
}

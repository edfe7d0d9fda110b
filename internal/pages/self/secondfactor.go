package self

import (
	"net/http"
	"net/url"

	"dealflow/internal/pages/formpage"
	"dealflow/internal/pages/frame"
)

// startFactor checks the password and returns the secret of a new second factor. The factor is not on until
// confirmFactor has checked its first code.
func (p *pages) startFactor(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	return p.people.StartFactor(r.Context(), s.Caller, form.Get("password"), s.Guard)
}

func (p *pages) confirmFactor(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	codes, err := p.people.ConfirmFactor(r.Context(), s.Caller, form.Get("code"))
	return formpage.Codes(codes), err
}

func (p *pages) stopFactor(r *http.Request, s *frame.Scene, form url.Values) (any, error) {
	return nil, p.people.StopFactor(r.Context(), s.Caller, form.Get("password"), s.Guard)
}

package companies

import (
	"net/http"
	"time"

	"dealflow/internal/company"
	"dealflow/internal/pages/frame"
)

// downloadExpiry is how long the signed address of a download is valid.
const downloadExpiry = 10 * time.Minute

// downloadDeck redirects to a signed address of the deck's file. The error is NotFound if there is no such file, and
// otherwise that of visibleCompany.
func (p *pages) downloadDeck(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return err
	}
	if view.Deck == nil {
		return frame.NotFound()
	}
	return p.download(w, r, *view.Deck)
}

func (p *pages) downloadAttachment(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "file")
	if err != nil {
		return err
	}
	file, err := p.deps.Attachments.Get(r.Context(), s.Who, view.ID, id)
	if err != nil {
		return err
	}
	return p.download(w, r, file)
}

// download redirects to a signed address of a file, which is valid for downloadExpiry. The error is NotFound for a
// link.
func (p *pages) download(w http.ResponseWriter, r *http.Request, file company.File) error {
	if file.StoragePath == nil {
		return frame.NotFound()
	}
	name := file.Title
	if file.OriginalFilename != nil {
		name = *file.OriginalFilename
	}
	return frame.Redirect(w, r, p.deps.Signer.URL(*file.StoragePath, name, p.deps.Now().Add(downloadExpiry)))
}

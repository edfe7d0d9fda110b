package companies

import (
	"net/http"
	"slices"

	"dealflow/internal/email"
	"dealflow/internal/pages/frame"
)

// letter is the page of one email about a company.
type letter struct {
	email.View

	Back string // the company's page
	URL  string
	Name string // of the company
}

// emailOf returns the email of the path. The error is NotFound if the email is not linked to the company of the path,
// and otherwise that of visibleCompany or email.Service.Get.
func (p *pages) emailOf(r *http.Request, s *frame.Scene) (letter, error) {
	view, err := p.visibleCompany(r, s)
	if err != nil {
		return letter{}, err
	}
	id, err := frame.PathID(r, "email")
	if err != nil {
		return letter{}, err
	}
	mail, err := p.deps.Emails.Get(r.Context(), s.Who, s.Account.ID, id)
	if err != nil {
		return letter{}, err
	}
	if !slices.Contains(mail.CompanyIDs, view.ID) {
		return letter{}, frame.NotFound()
	}
	back := s.Base() + "/companies/" + view.ID.String()
	return letter{View: mail, Back: back, URL: back + "/emails/" + id.String(), Name: view.Name}, nil
}

// emailPage shows an email and its files. The errors are those of emailOf.
func (p *pages) emailPage(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	mail, err := p.emailOf(r, s)
	if err != nil {
		return err
	}
	return p.frame.Show(w, http.StatusOK, "email", s.Page("Email", "companies", mail))
}

// emailFile redirects to a signed address of a file of an email, which is valid for downloadExpiry. The error is
// NotFound if the email has no such file, and otherwise that of emailOf.
func (p *pages) emailFile(w http.ResponseWriter, r *http.Request, s *frame.Scene) error {
	mail, err := p.emailOf(r, s)
	if err != nil {
		return err
	}
	id, err := frame.PathID(r, "file")
	if err != nil {
		return err
	}
	for _, file := range mail.Attachments {
		if file.ID == id {
			until := p.deps.Now().Add(downloadExpiry)
			return frame.Redirect(w, r, p.deps.Signer.URL(file.StoragePath, file.Filename, until))
		}
	}
	return frame.NotFound()
}

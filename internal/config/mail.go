package config

import (
	"fmt"
	"net/mail"
)

// mailServer has the settings of the server that sends mails. Without a URL no mails are sent.
type mailServer struct {
	URL  string `env:"SMTP_URL"`  // smtp://user:password@host:port, or smtps://
	From string `env:"MAIL_FROM"` // such as Deals <deals@fund.example>
}

// Enabled reports whether mails are sent.
func (m *mailServer) Enabled() bool { return m.URL != "" }

// Validate returns an error for each setting that is wrong; nil if none is, or if there is no URL.
func (m *mailServer) Validate() []error {
	if !m.Enabled() {
		return nil
	}
	mistakes := scheme("SMTP_URL", m.URL, "smtp", "smtps")
	if _, err := mail.ParseAddress(m.From); err != nil {
		mistakes = append(mistakes, fmt.Errorf("MAIL_FROM: %q is no email address, and SMTP_URL needs one", m.From))
	}
	return mistakes
}

package config

import (
	"fmt"
	"net/mail"
	"time"
)

// Sessions are how long a login lasts.
type Sessions struct {
	Lifetime time.Duration `env:"SESSION_LIFETIME" envDefault:"720h"` // used or not
	Idle     time.Duration `env:"SESSION_IDLE"     envDefault:"168h"` // without a request
}

// Validate returns what is wrong.
func (s *Sessions) Validate() []error {
	if s.Lifetime < time.Minute || s.Idle < time.Minute || s.Idle > s.Lifetime {
		return []error{
			fmt.Errorf("SESSION_IDLE and SESSION_LIFETIME: give at least 1m, and no longer an idle time than the lifetime "+
				"(%s, %s)",
				s.Idle, s.Lifetime),
		}
	}
	return nil
}

// Audit is how long the log of who changed what is kept.
type Audit struct {
	Retention time.Duration `env:"AUDIT_RETENTION" envDefault:"8760h"` // 0: for ever
}

// Validate returns what is wrong.
func (a *Audit) Validate() []error {
	if a.Retention != 0 && a.Retention < 24*time.Hour {
		return []error{
			fmt.Errorf("AUDIT_RETENTION: %s is too short, give at least 24h, or 0 to keep everything", a.Retention),
		}
	}
	return nil
}

// Changes is how long what happened is kept for those who follow it.
type Changes struct {
	Retention time.Duration `env:"CHANGES_RETENTION" envDefault:"720h"` // 0: for ever
}

// Validate returns what is wrong.
func (c *Changes) Validate() []error {
	if c.Retention != 0 && c.Retention < 24*time.Hour {
		return []error{fmt.Errorf("CHANGES_RETENTION: %s is too short, give at least 24h, or 0 to keep everything",
			c.Retention)}
	}
	return nil
}

// Webhooks is how messages are sent to the receivers of accounts.
type Webhooks struct {
	AllowPrivate bool `env:"WEBHOOK_ALLOW_PRIVATE" envDefault:"false"` // to addresses that are not on the public internet
	Concurrency  int  `env:"WEBHOOK_CONCURRENCY"   envDefault:"8"`     // messages at once
}

// Validate returns what is wrong.
func (w *Webhooks) Validate() []error {
	if w.Concurrency < 1 {
		return []error{fmt.Errorf("WEBHOOK_CONCURRENCY must be at least 1")}
	}
	return nil
}

// Mail is the server that sends mails. Without one none are sent.
type Mail struct {
	URL  string `env:"SMTP_URL"`  // smtp://user:password@host:port, or smtps://
	From string `env:"MAIL_FROM"` // such as Deals <deals@fund.example>
}

// Enabled reports whether mails are sent.
func (m *Mail) Enabled() bool { return m.URL != "" }

// Validate returns what is wrong.
func (m *Mail) Validate() []error {
	if !m.Enabled() {
		return nil
	}
	mistakes := scheme("SMTP_URL", m.URL, "smtp", "smtps")
	if _, err := mail.ParseAddress(m.From); err != nil {
		mistakes = append(mistakes, fmt.Errorf("MAIL_FROM: %q is no email address, and SMTP_URL needs one", m.From))
	}
	return mistakes
}

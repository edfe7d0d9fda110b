// Package smtp sends plain text mails over SMTP.
package smtp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// sendTimeout limits each step of a conversation with the server: the connection, its greeting, the login, the mail,
// and the end.
const sendTimeout = 30 * time.Second

// Server sends mails to an SMTP server. It has no open connection between calls. It is safe for concurrent use.
type Server struct {
	host    string
	options []gomail.Option
	name    string // of the sender
	from    string // the sender's address
	domain  string // of that address
}

// New returns a Server for an smtp:// or smtps:// URL and the sender's address, such as Deals <deals@fund.example>. It
// does not connect. With smtp:// the connection is encrypted only if the server offers STARTTLS. The error says what is
// wrong with the URL or the address; it does not contain the password.
func New(address, from string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		return nil, errors.New("SMTP_URL must be smtp://user:password@host:port or smtps://…")
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("MAIL_FROM: %q is no email address", from)
	}
	standard := map[string]string{"smtp": "587", "smtps": "465"}[u.Scheme]
	port, err := strconv.Atoi(cmp.Or(u.Port(), standard))
	if err != nil {
		return nil, fmt.Errorf("SMTP_URL: %q is no port", u.Port())
	}
	options := []gomail.Option{
		gomail.WithPort(port), gomail.WithTimeout(sendTimeout), gomail.WithTLSPolicy(gomail.TLSOpportunistic),
	}
	if u.Scheme == "smtps" {
		options = append(options, gomail.WithSSL())
	}
	if user := u.User.Username(); user != "" {
		password, _ := u.User.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user),
			gomail.WithPassword(password))
	}
	address, domain := plainDomain(sender.Address)
	return &Server{host: u.Hostname(), options: options, name: sender.Name, from: address, domain: domain}, nil
}

// plainDomain returns an address with its domain in ASCII (xn--…), which every server accepts, and that domain. It
// leaves a domain unchanged that has no such form.
func plainDomain(address string) (plain, domain string) {
	at := strings.LastIndexByte(address, '@')
	local, domain := address[:at+1], address[at+1:]
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		domain = ascii
	}
	return local + domain, domain
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// Check connects to the server, encrypts the connection and logs in as Send does, and sends nothing. It returns an
// error if one of these fails.
func (s *Server) Check(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("SMTP_URL: %w", err)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("log in to the mail server: %w", err)
	}
	return client.Close()
}

// Send sends a plain text to an address, and waits until the server has accepted it. The Message-ID of the mail is
// derived from id: a mail must be sent again with the same id, so that mail servers recognize it. IsRefused,
// ReachedServer and IsUnanswered classify the error.
func (s *Server) Send(ctx context.Context, id, to, subject, text string) error {
	to, _ = plainDomain(to)
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := message.FromFormat(s.name, s.from); err != nil {
		return fmt.Errorf("MAIL_FROM: %w", err)
	}
	if err := message.To(to); err != nil {
		return &refused{fmt.Errorf("address the mail: %w", err)}
	}
	message.Subject(subject)
	message.SetDate()
	message.SetMessageIDWithValue(id + "@" + s.domain)
	message.SetGenHeader("Auto-Submitted", "auto-generated") // so that no absence is answered
	message.SetBodyString(gomail.TypeTextPlain, text)
	options := s.options
	if isASCII(s.from + to) { // a mail that asks for SMTPUTF8 is refused by servers on its way that lack it
		options = append(slices.Clip(options), gomail.WithoutSMTPUTF8())
	}
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return fmt.Errorf("SMTP_URL: %w", err)
	}
	// What goes wrong after the server took the mail, at the end of the conversation, is no reason to send it again.
	if err := client.DialAndSendWithContext(ctx, message); err != nil && !message.IsDelivered() {
		return fmt.Errorf("send the mail: %w", err)
	}
	return nil
}

type refused struct{ error }

func (r *refused) Unwrap() error { return r.error }

// IsRefused reports whether err, an error of Send, means that the server will never accept this mail, such as one to an
// address that it does not know, or with content that it refuses.
func IsRefused(err error) bool {
	if _, ours := errors.AsType[*refused](err); ours {
		return true
	}
	var sending *gomail.SendError
	if !errors.As(err, &sending) || sending.IsTemp() {
		return false
	}
	return sending.Reason == gomail.ErrSMTPRcptTo || sending.Reason == gomail.ErrSMTPData ||
		sending.Reason == gomail.ErrSMTPDataClose && sending.ErrorCode() != 0 // it has read the mail
}

// ReachedServer reports whether err, an error of Send, means that the mail reached the server: the server answered that
// it does not accept the mail, now or ever, or its answer to the whole mail was lost. It is false if the server could
// not be reached.
func ReachedServer(err error) bool {
	var sending *gomail.SendError
	return errors.As(err, &sending) && (sending.ErrorCode() != 0 || IsUnanswered(err))
}

// IsUnanswered reports whether err, an error of Send, means that the server got the whole mail and its answer was lost.
// The server may have accepted the mail.
func IsUnanswered(err error) bool {
	var sending *gomail.SendError
	return errors.As(err, &sending) && sending.Reason == gomail.ErrSMTPDataClose && sending.ErrorCode() == 0
}

// Package mailbox has a mail server for tests, which keeps the mails that it accepts.
package mailbox

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	gosmtp "github.com/emersion/go-smtp"

	"dealflow/internal/smtp"
)

// ErrLater is the SMTP error of a server that does not accept a mail now, but may later.
var ErrLater = &gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 3, 0}, Message: "come back later"}

// Later is an Answer that always returns ErrLater.
func Later(int, *gosmtp.Conn) error { return ErrLater }

// Mail is a mail that a Box accepted.
type Mail struct {
	To   string
	Text string // with its header; soft line breaks and =3D of quoted-printable are decoded
}

// Box is a mail server on a loopback address. It accepts all mails, except those that an Answer of Set refuses. It is
// safe for concurrent use.
type Box struct {
	Address string // host and port

	mu     sync.Mutex
	answer Answer
	asked  int
	mails  []Mail
}

// Answer decides on a mail: the server accepts it if the error is nil, and otherwise responds with the error. asked is
// the number of mails so far, including this one. An Answer may close the connection, and may send mails to the Box.
type Answer func(asked int, conn *gosmtp.Conn) error

// Start starts a Box, which is stopped when the test ends.
func Start(tb testing.TB) *Box {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	b := &Box{Address: listener.Addr().String()}
	server := gosmtp.NewServer(b)
	server.Domain = "localhost"
	go func() { _ = server.Serve(listener) }()
	tb.Cleanup(func() { _ = server.Close() })
	return b
}

// Server returns an smtp.Server that sends to the mail server at a host:port, such as the Address of a Box.
func Server(tb testing.TB, address string) *smtp.Server {
	tb.Helper()
	server, err := smtp.New("smtp://"+address, "Deals <deals@fund.example>")
	if err != nil {
		tb.Fatal(err)
	}
	return server
}

// Set sets the Answer to all further mails; nil accepts them.
func (b *Box) Set(answer Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = answer
}

// Mails returns a copy of the list of mails that the server accepted, in the order in which they came.
func (b *Box) Mails() []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.mails)
}

// Asked returns how many mails were sent to the server, including those that it did not accept.
func (b *Box) Asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

// NewSession implements gosmtp.Backend.
func (b *Box) NewSession(conn *gosmtp.Conn) (gosmtp.Session, error) {
	return &session{box: b, conn: conn}, nil
}

type session struct {
	box  *Box
	conn *gosmtp.Conn
	to   string
}

func (s *session) Mail(string, *gosmtp.MailOptions) error      { return nil }
func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error { s.to = to; return nil }
func (s *session) Reset()                                      {}
func (s *session) Logout() error                               { return nil }
func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	b := s.box
	b.mu.Lock()
	b.asked++
	asked, answer := b.asked, b.answer
	b.mu.Unlock()
	if answer != nil { // without the lock: it may send mails itself
		if err := answer(asked, s.conn); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	plain := strings.ReplaceAll(strings.ReplaceAll(string(text), "=\r\n", ""), "=3D", "=")
	b.mails = append(b.mails, Mail{To: s.to, Text: plain})
	return nil
}

package smtp_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dealflow/internal/smtp"
)

// trusted is the certificate that the machine's roots hold in these tests, which TestMain sees to; the system reads
// them once.
var trusted tls.Certificate

func TestMain(m *testing.M) {
	certificate, encoded, err := newCertificate()
	if err != nil {
		panic(err)
	}
	trusted = certificate
	dir, err := os.MkdirTemp("", "mail")
	if err != nil {
		panic(err)
	}
	roots := filepath.Join(dir, "roots.pem")
	if err := os.WriteFile(roots, encoded, 0o600); err != nil {
		panic(err)
	}
	_ = os.Setenv("SSL_CERT_FILE", roots)
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func newCertificate() (certificate tls.Certificate, encoded []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return certificate, nil, err
	}
	encoded = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, encoded, nil
}

// server is an SMTP server that takes one conversation.
type server struct {
	address     string
	certificate tls.Certificate
	startTLS    bool   // offers STARTTLS
	recipient   string // answers RCPT; "250 OK" when empty
	mail        string // answers the whole mail; "250 OK" when empty
	got         chan received
}

// received is what a conversation came to.
type received struct {
	encrypted bool
	login     string
	envelope  []string // the commands MAIL and RCPT
	text      string
}

// serve starts the server, with TLS from the first byte where wrapped, until the test ends.
func (s *server) serve(t *testing.T, wrapped bool) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s.address, s.got = listener.Addr().String(), make(chan received, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var r received
		if wrapped {
			conn, r.encrypted = tls.Server(conn, s.config()), true
		}
		s.talk(conn, &r)
		s.got <- r
	}()
}

func (s *server) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{s.certificate}, MinVersion: tls.VersionTLS12}
}

func (s *server) talk(conn net.Conn, r *received) {
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = fmt.Fprintf(conn, "%s\r\n", line) }
	say("220 test")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			say("250-test")
			if s.startTLS && !r.encrypted {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN")
			say("250-SMTPUTF8")
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			conn, r.encrypted = tls.Server(conn, s.config()), true
			in = bufio.NewReader(conn)
		case "AUTH":
			login, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			r.login = string(login)
			say("235 welcome")
		case "MAIL":
			r.envelope = append(r.envelope, strings.TrimSpace(line))
			say("250 OK")
		case "RCPT":
			r.envelope = append(r.envelope, strings.TrimSpace(line))
			say(orOK(s.recipient))
		case "DATA":
			say("354 go on")
			r.text = readMail(in)
			say(orOK(s.mail))
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 OK")
		}
	}
}

func orOK(answer string) string {
	if answer == "" {
		return "250 OK"
	}
	return answer
}

func readMail(in *bufio.Reader) string {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

func send(t *testing.T, address string) error {
	t.Helper()
	sender, err := smtp.New(address, "Deals <deals@fund.example>")
	if err != nil {
		t.Fatal(err)
	}
	return sender.Send(t.Context(), "7f3c", "ada@fund.example", "Set a new password", "Follow the link.")
}

func TestMailsTravelEncrypted(t *testing.T) {
	t.Parallel()
	for name, scheme := range map[string]string{"STARTTLS": "smtp", "TLS": "smtps"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{certificate: trusted, startTLS: true}
			s.serve(t, scheme == "smtps")
			if err := send(t, scheme+"://user:p%40ss@"+s.address); err != nil {
				t.Fatal(err)
			}
			got := <-s.got
			if !got.encrypted || got.login != "\x00user\x00p@ss" || !strings.Contains(got.text, "Follow the link.") ||
				!strings.Contains(got.text, "Subject: Set a new password") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestAddressesTravelInASCII sends to addresses whose domains have other letters. Only a local part with such letters
// needs a server that takes them.
func TestAddressesTravelInASCII(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"ada@bücher.example": "MAIL FROM:<deals@xn--fnd-sna.example> BODY=8BITMIME, RCPT TO:<ada@xn--bcher-kva.example>",
		"ada@fund.example":   "MAIL FROM:<deals@xn--fnd-sna.example> BODY=8BITMIME, RCPT TO:<ada@fund.example>",
		"jörg@fund.example":  "MAIL FROM:<deals@xn--fnd-sna.example> BODY=8BITMIME SMTPUTF8, RCPT TO:<jörg@fund.example>",
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			s := &server{}
			s.serve(t, false)
			sender, err := smtp.New("smtp://"+s.address, `"Fönd, Deals" <deals@fönd.example>`)
			if err != nil {
				t.Fatal(err)
			}
			if err := sender.Send(t.Context(), "7f3c", to, "Set a new password", "Follow the link."); err != nil {
				t.Fatal(err)
			}
			got := <-s.got
			if envelope := strings.Join(got.envelope, ", "); envelope != want {
				t.Errorf("the envelope is\n%s, want\n%s", envelope, want)
			}
			if !strings.Contains(got.text, "Message-ID: <7f3c@xn--fnd-sna.example>") {
				t.Errorf("the mail has no Message-ID in ASCII:\n%s", got.text)
			}
		})
	}
}

// TestMailsSayThatNobodyWroteThem looks for the header that keeps notices of absence from answering (RFC 3834), and
// for those that name the library.
func TestMailsSayThatNobodyWroteThem(t *testing.T) {
	t.Parallel()
	s := &server{}
	s.serve(t, false)
	if err := send(t, "smtp://"+s.address); err != nil {
		t.Fatal(err)
	}
	text := (<-s.got).text
	if !strings.Contains(text, "Auto-Submitted: auto-generated\r\n") {
		t.Errorf("no Auto-Submitted:\n%s", text)
	}
	if strings.Contains(text, "go-mail") {
		t.Errorf("the mail names the library that sent it:\n%s", text)
	}
}

func TestNothingIsSentToAServerWithAnUnknownCertificate(t *testing.T) {
	t.Parallel()
	unknown, _, err := newCertificate()
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"smtp", "smtps"} {
		s := &server{certificate: unknown, startTLS: true}
		s.serve(t, scheme == "smtps")
		if err := send(t, scheme+"://user:pass@"+s.address); err == nil {
			t.Errorf("%s: sent", scheme)
		}
		if got := <-s.got; got.login != "" || got.text != "" {
			t.Errorf("%s: got %+v", scheme, got)
		}
	}
}

func TestARefusedMailIsToldFromOneToTryAgain(t *testing.T) {
	t.Parallel()
	for _, answers := range []struct {
		recipient, mail string
		refused         bool
	}{
		{recipient: "550 no such user", refused: true},
		{recipient: "451 try later"},
		{mail: "554 it looks like spam", refused: true},
		{mail: "451 try later"},
	} {
		s := &server{certificate: trusted, recipient: answers.recipient, mail: answers.mail}
		s.serve(t, false)
		if err := send(t, "smtp://"+s.address); err == nil || smtp.IsRefused(err) != answers.refused {
			t.Errorf("%+v: %v, refused %v", answers, err, smtp.IsRefused(err))
		}
	}
}

func TestWrongSettingsAreNamedWithoutThePassword(t *testing.T) {
	t.Parallel()
	for address, from := range map[string]string{
		"http://user:secret@host": "a@b.example", "smtp://": "a@b.example", "smtp://user:secret@host": "nobody",
	} {
		if _, err := smtp.New(address, from); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s, %s: %v", address, from, err)
		}
	}
}

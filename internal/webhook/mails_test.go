package webhook_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"dealflow/internal/account/outbox"
	"dealflow/internal/mail"
	"dealflow/internal/testkit"
	"dealflow/internal/webhook"
)

// postbox is a mail server that takes every mail and hangs up before it says so.
type postbox struct {
	mu    sync.Mutex
	mails []string
}

// NewSession is part of smtp.Backend.
func (p *postbox) NewSession(conn *smtp.Conn) (smtp.Session, error) {
	return &conversation{box: p, conn: conn}, nil
}

type conversation struct {
	box  *postbox
	conn *smtp.Conn
	to   string
}

func (c *conversation) Mail(string, *smtp.MailOptions) error      { return nil }
func (c *conversation) Rcpt(to string, _ *smtp.RcptOptions) error { c.to = to; return nil }
func (c *conversation) Reset()                                    {}
func (c *conversation) Logout() error                             { return nil }
func (c *conversation) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	c.box.mu.Lock()
	defer c.box.mu.Unlock()
	unfolded := strings.ReplaceAll(strings.ReplaceAll(string(text), "=\r\n", ""), "=3D", "=")
	c.box.mails = append(c.box.mails, "To: "+c.to+"\n"+unfolded)
	return c.conn.Conn().Close()
}

func newPostbox(t *testing.T) (*postbox, *mail.Server) {
	t.Helper()
	box := &postbox{}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(box)
	server.Domain = "localhost"
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	taker, err := mail.New("smtp://"+listener.Addr().String(), "Deals <deals@fund.example>")
	if err != nil {
		t.Fatal(err)
	}
	return box, taker
}

// TestAdminsAreMailedOnce disables a webhook and enables it again, with a mail server whose answers are lost: each time
// the owner and the admin whose address is proven get one mail.
func TestAdminsAreMailedOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, func(d *webhook.Draft) { d.URL += "/secret-path" })
	admin, unproven := testkit.User(t, s.DB, "Ada"), testkit.User(t, s.DB, "Uma")
	testkit.Member(t, s.DB, s.ID, admin.ID, "admin")
	testkit.Member(t, s.DB, s.ID, unproven.ID, "admin")
	testkit.Exec(t, s.Team.URL, "UPDATE users SET proven_at = now() WHERE id <> $1", unproven.ID)
	testkit.Exec(t, s.Team.URL, "UPDATE users SET proven_at = NULL WHERE id = $1", unproven.ID)
	owner := testkit.Texts(t, s.Team.URL, "SELECT email FROM users WHERE id = $1", s.Owner)[0]
	box, server := newPostbox(t)
	outbox := outbox.New(s.DB, server, slog.New(slog.DiscardHandler))

	for round := 1; round <= 2; round++ {
		s.status.Store(http.StatusGone)
		testkit.Company(t, s.DB, s.ID, s.Owner, "team")
		testkit.Company(t, s.DB, s.ID, s.Owner, "team")
		s.pump(t, 2*round)
		s.deliver(t)
		s.deliver(t)
		if s.listed(t).Enabled {
			t.Fatal("410 does not disable the webhook")
		}
		for range 3 {
			if err := outbox.SendDue(t.Context()); err != nil {
				t.Fatal(err)
			}
			testkit.Exec(t, s.Team.URL, "UPDATE mails SET next_at = now()")
		}
		var to []string
		box.mu.Lock()
		for _, sent := range box.mails[2*(round-1):] {
			to = append(to, strings.TrimPrefix(strings.SplitN(sent, "\n", 2)[0], "To: "))
			if strings.Contains(sent, "secret-path") || !strings.Contains(sent, "410 Gone") ||
				!strings.Contains(sent, "/webhooks/"+s.hook.ID.String()) {
				t.Errorf("a mail is\n%s", sent)
			}
		}
		box.mu.Unlock()
		slices.Sort(to)
		if want := []string{owner, admin.Email}; !slices.Equal(to, want) && !slices.Equal(to, []string{want[1], want[0]}) {
			t.Errorf("round %d: mails went to %q, want %q", round, to, want)
		}
		on := true
		if _, err := s.service.Change(t.Context(), s.Owner, s.ID, s.hook.ID, webhook.Change{Enabled: &on}); err != nil {
			t.Fatal(err)
		}
	}
}

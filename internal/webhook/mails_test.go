package webhook_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"dealflow/internal/account/outbox"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/mailbox"
	"dealflow/internal/webhook"
)

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
	box := mailbox.Start(t)
	box.Set(func(_ int, conn *smtp.Conn) error { return conn.Conn().Close() })
	outbox := outbox.New(s.DB, mailbox.Server(t, box.Address), slog.New(slog.DiscardHandler))

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
		for _, sent := range box.Mails()[2*(round-1):] {
			to = append(to, sent.To)
			if strings.Contains(sent.Text, "secret-path") || !strings.Contains(sent.Text, "410 Gone") ||
				!strings.Contains(sent.Text, "/webhooks/"+s.hook.ID.String()) {
				t.Errorf("a mail is\n%s", sent.Text)
			}
		}
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

// TestMailsAboutWebhooksDisabledAtOnceAreCounted has four webhooks disabled at the same time whose owner may get two
// more mails.
func TestMailsAboutWebhooksDisabledAtOnceAreCounted(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	testkit.Exec(t, s.Team.URL, "UPDATE users SET proven_at = now()")
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET enabled = false, disabled_reason = '410 Gone'")
	mail := func() error {
		return s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
			return tx.Exec("SELECT app_mail_disabled_webhook(?, 'https://deals.example')", s.hook.ID).Error
		})
	}
	for range outbox.PerHour - 2 {
		if err := mail(); err != nil {
			t.Fatal(err)
		}
	}
	testkit.AtOnce(t, s.Team.URL, "mails", mail)
	counts := testkit.Texts(t, s.Team.URL, "SELECT count(*)::text FROM mails GROUP BY email")
	if want := []string{strconv.Itoa(outbox.PerHour)}; !slices.Equal(counts, want) {
		t.Errorf("mails in an hour, by address: %q, want %q", counts, want)
	}
}

package outbox_test

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/uuid"

	"dealflow/internal/account/outbox"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/mailbox"
)

// office is a database with mails to be sent, and a mail server that takes them all unless another answer is set.
type office struct {
	*testing.T

	url string
	db  *postgres.DB
	box *mailbox.Box
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{T: t, url: testkit.DatabaseURL(t), box: mailbox.Start(t)}
	o.db = testkit.Open(t, o.url)
	return o
}

// sender returns the outbox of one more process.
func (o *office) sender(address string) *outbox.Outbox {
	o.Helper()
	return outbox.New(o.db, mailbox.Server(o, address), slog.New(slog.DiscardHandler))
}

// add stores a mail to a new user.
func (o *office) add() {
	o.Helper()
	user := testkit.User(o.T, o.db, "Ada")
	err := o.db.AsNobody(o.Context(), func(tx *postgres.Tx) error {
		_, err := outbox.Add(tx, outbox.Verification, user.Email, user.ID, uuid.Nil, "https://deals.example")
		return err
	})
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) send(sender *outbox.Outbox) {
	o.Helper()
	if err := sender.SendDue(o.Context()); err != nil {
		o.Error(err)
	}
}

// pass makes the mails older, and the next attempts at them nearer.
func (o *office) pass(interval string) {
	o.Helper()
	testkit.Exec(o.T, o.url, "UPDATE mails SET next_at = next_at - $1::interval, created_at = created_at - $1::interval",
		interval)
}

// state returns the state of each mail: "sent", "given up", "due" or "waiting".
func (o *office) state() string {
	o.Helper()
	return strings.Join(testkit.Texts(o.T, o.url, "SELECT CASE WHEN sent_at IS NOT NULL THEN 'sent' "+
		"WHEN failed_at IS NOT NULL THEN 'given up' WHEN next_at <= now() THEN 'due' ELSE 'waiting' END FROM mails"), ", ")
}

func (o *office) want(state string) {
	o.Helper()
	if got := o.state(); got != state {
		o.Errorf("the mail is %s, want %s", got, state)
	}
}

// TestMailsThatAreAskedForAtOnceAreCounted asks for four mails at the same time for an address that may get two more,
// after others were refused, which do not count.
func TestMailsThatAreAskedForAtOnceAreCounted(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	add := func() error {
		return o.db.AsNobody(t.Context(), func(tx *postgres.Tx) error {
			added, err := outbox.Add(tx, outbox.Reset, "ada@fund.example", uuid.Nil, uuid.Nil, "https://deals.example")
			if err == nil && !added {
				err = fault.New(fault.Conflict, "too_many_mails")
			}
			return err
		})
	}
	for range outbox.PerHour {
		if err := add(); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		if err := add(); !fault.Is(err, fault.Conflict) {
			t.Errorf("one mail too many is answered with %v", err)
		}
	}
	testkit.Exec(t, o.url, "DELETE FROM mails WHERE id IN (SELECT id FROM mails LIMIT 2)")
	if added := testkit.AtOnce(t, o.url, "mails", add); added != 2 {
		t.Errorf("of four at once %d are sent, want 2", added)
	}
}

// TestASlowServerGetsEachMailOnce has ten mails sent of which each takes 40 seconds. Another process looks for mails
// when the first has been sending for six minutes.
func TestASlowServerGetsEachMailOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for range 10 {
		o.add()
	}
	other := o.sender(o.box.Address)
	o.box.Set(func(asked int, _ *smtp.Conn) error {
		if asked < 10 {
			o.pass("40 seconds")
		}
		if asked == 9 {
			o.send(other)
		}
		return nil
	})
	o.send(o.sender(o.box.Address))
	got := map[string]int{}
	for _, one := range o.box.Mails() {
		got[one.To]++
	}
	if len(got) != 10 {
		t.Errorf("%d addresses got a mail, want 10", len(got))
	}
	for to, mails := range got {
		if mails != 1 {
			t.Errorf("%s got %d mails", to, mails)
		}
	}
}

// TestALateFailureLeavesASentMail has a process fail after its lease, when another one has sent the mail.
func TestALateFailureLeavesASentMail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.add()
	other := o.sender(o.box.Address)
	o.box.Set(func(asked int, _ *smtp.Conn) error {
		if asked > 1 {
			return nil
		}
		o.pass("6 minutes")
		o.send(other)
		return mailbox.ErrLater
	})
	o.send(o.sender(o.box.Address))
	o.want("sent")
	o.pass("1 hour")
	o.send(other)
	if o.box.Asked() != 2 {
		t.Errorf("the mail server was asked %d times, want twice", o.box.Asked())
	}
}

// overlap has two processes send the same mail. The first one's lease runs out while it waits for the mail server, and
// the second one begins. The mail server answers the first with the error first, then between is called, and it answers
// the second with the error second.
func (o *office) overlap(first, second error, between func()) {
	o.Helper()
	o.add()
	taken, over, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	other := o.sender(o.box.Address)
	o.box.Set(func(asked int, _ *smtp.Conn) error {
		if asked > 1 {
			close(taken)
			<-over
			return second
		}
		o.pass("6 minutes")
		go func() { defer close(done); o.send(other) }()
		<-taken
		return first
	})
	o.send(o.sender(o.box.Address))
	between()
	close(over)
	<-done
}

func TestALateFailureLeavesTheNextAttempt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.overlap(mailbox.ErrLater, nil, func() {
		lease := testkit.Texts(t, o.url, "SELECT (next_at > now() + interval '4 minutes')::text FROM mails")
		if lease[0] != "true" {
			t.Error("the late failure ended the lease of the next attempt")
		}
	})
	o.want("sent")
}

func TestALateSuccessIsStored(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.overlap(nil, mailbox.ErrLater, func() { o.want("sent") })
	o.want("sent")
}

// TestAnOldMailIsTriedAgain passes a day without workers, and then one error.
func TestAnOldMailIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.add()
	o.pass("25 hours")
	o.box.Set(mailbox.Later)
	o.send(o.sender(o.box.Address))
	o.want("waiting")
	o.pass("1 hour")
	o.box.Set(nil)
	o.send(o.sender(o.box.Address))
	o.want("sent")
}

// TestAnOutageUsesNoTriesUp has the mail server away for two days, and then answer once that it takes mails later.
func TestAnOutageUsesNoTriesUp(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.add()
	away := o.sender("127.0.0.1:1")
	for range 24 {
		o.send(away)
		o.pass("2 hours")
	}
	o.want("due")
	o.box.Set(mailbox.Later)
	o.send(o.sender(o.box.Address))
	o.want("waiting")
}

// TestAMailIsGivenUp has a server answer for a day that it takes the mail later, and one be away for a week.
func TestAMailIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		away bool
		pass string
	}{
		"answers": {false, "3 hours"}, "away": {true, "20 hours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.add()
			o.box.Set(mailbox.Later)
			sender := o.sender(o.box.Address)
			if test.away {
				sender = o.sender("127.0.0.1:1")
			}
			for range 10 {
				o.want("due")
				o.send(sender)
				o.pass(test.pass)
			}
			o.want("given up")
		})
	}
}

// TestAStopReleasesTheMail stops a process while it connects to the mail server, a day after the mail was stored.
func TestAStopReleasesTheMail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.add()
	o.pass("25 hours")
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		conn, err := silent.Accept()
		stop()
		if err == nil {
			_ = conn.Close()
		}
	}()
	_ = o.sender(silent.Addr().String()).SendDue(ctx)
	o.want("due")
	o.send(o.sender(o.box.Address))
	o.want("sent")
}

// TestASlowDatabaseEndsWithinTheLease locks the table of the tokens that mails carry. The attempt must end before its
// lease does, and not count as a try.
func TestASlowDatabaseEndsWithinTheLease(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.add()
	lock, err := testkit.Administrator(t, o.url).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }() // fails once it is over
	if _, err := lock.ExecContext(t.Context(), "LOCK TABLE address_proofs"); err != nil {
		t.Fatal(err)
	}
	sender := o.sender(o.box.Address)
	sender.SetPrepareTimeout(500 * time.Millisecond)
	o.send(sender)
	o.want("waiting")
	if o.box.Asked() != 0 {
		t.Error("a mail was sent without its token")
	}
	ended := testkit.Texts(t, o.url,
		"SELECT concat_ws(' ', tries, next_at < now() + interval '1 minute', error) FROM mails")
	if !strings.HasPrefix(ended[0], "0 t ") || !strings.Contains(ended[0], context.DeadlineExceeded.Error()) {
		t.Errorf("tries, whether the mail is free soon, and the error are %q", ended[0])
	}
}

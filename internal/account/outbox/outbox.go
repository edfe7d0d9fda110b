// Package outbox stores mails and sends them. A mail is stored in the transaction that causes it, and sent later by any
// process that runs an Outbox.
package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
	"dealflow/internal/secret"
	"dealflow/internal/smtp"
)

// The rhythm of sending: Run looks for mails every interval, and sends up to batch of them, each of which is reserved
// for lease just before it is sent. A mail that failed is tried again after at most maxPause.
const (
	interval = time.Second
	batch    = 10
	lease    = 5 * time.Minute
	maxPause = 10 * time.Minute

	// prepareTimeout is the time in which a mail must be taken and written, and the mail server be connected. With the
	// four times that smtp.Server may wait after that, 30 seconds each, it must be shorter than lease.
	prepareTimeout = 2 * time.Minute
)

// When a mail that the mail server did not refuse is given up: after giveUp if at least minTries attempts reached the
// server; else after giveUpAway, when the links in the mail no longer work, if at least minTries attempts were made.
const (
	giveUp     = 24 * time.Hour
	giveUpAway = InvitationLifetime
	minTries   = 10
)

// Outbox sends stored mails. Any number of processes may run one.
type Outbox struct {
	db             *postgres.DB
	server         *smtp.Server
	log            *slog.Logger
	prepareTimeout time.Duration
}

// New returns an Outbox for the mails of a database. It sends nothing until Run or SendDue is called.
func New(db *postgres.DB, server *smtp.Server, log *slog.Logger) *Outbox {
	return &Outbox{db: db, server: server, log: log, prepareTimeout: prepareTimeout}
}

// Kinds of mails.
const (
	Invitation   = "invitation"
	Webhook      = "webhook" // a webhook was disabled; stored by app_mail_disabled_webhook
	Verification = "verification"
	Reset        = "reset"
)

// Add stores a mail in the transaction; it is sent after the commit. user and invitation are the ids of the user and
// the invitation that the mail is about, or uuid.Nil. base is the beginning of the links in the mail, without a slash
// at the end. If the address got PerHour mails of the kind in the last hour, or the account of the invitation had
// PerDay mailed in the last day, Add returns false and the mail is not sent; Wait counts it all the same if a user is
// given.
func Add(
	tx *postgres.Tx, kind, email string, user, invitation uuid.UUID, base string,
) (added bool, err error) {
	id := func(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }
	err = tx.Raw("SELECT app_add_mail(?, ?, ?, ?, ?, ?)", uuid.New(), kind, email, id(user), id(invitation), base).
		Scan(&added).Error
	if err != nil {
		return false, fmt.Errorf("add a mail: %w", err)
	}
	return added, nil
}

// PerHour is the maximum number of mails of a kind to an address in an hour, and PerDay that of invitations of an
// account in a day. The functions of the database enforce them.
const (
	PerHour = 10
	PerDay  = 100
)

// Wait returns how long the transaction's user must wait before they may request another mail of the kind; 0 if they
// may request one now. It counts only the mails that this user requested, so that it shows nothing about other users
// who claim the address.
func Wait(tx *postgres.Tx, kind string) (time.Duration, error) {
	var seconds float64
	if err := tx.Raw("SELECT app_mail_wait(?)", kind).Scan(&seconds).Error; err != nil {
		return 0, fmt.Errorf("count mails: %w", err)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// letter is a mail to be sent.
type letter struct {
	ID           uuid.UUID
	Kind         string
	Email        string
	UserID       uuid.NullUUID
	InvitationID uuid.NullUUID
	BaseURL      string
	Attempt      int // from 1; counts every time that the mail was reserved
	Tries        int // failed attempts that reached the mail server
	CreatedAt    time.Time
	AccountName  string
	Inviter      string

	// Of a webhook that is disabled.
	AccountID      uuid.NullUUID
	WebhookID      uuid.NullUUID
	WebhookURL     string
	DisabledReason string
}

// Run sends the mails that are due, again and again until the context ends; then it returns.
func (o *Outbox) Run(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := o.SendDue(ctx); err != nil && ctx.Err() == nil {
			o.log.WarnContext(ctx, "mails to send could not be read; it will be tried again", "error", err)
		}
	}
}

// SendDue sends the mails that are due now, at most batch of them. It returns only errors of the database. The error of
// a mail is stored with the mail. A mail that failed is tried again until it is given up.
func (o *Outbox) SendDue(ctx context.Context) error {
	for range batch {
		if found, err := o.sendNext(ctx); err != nil || !found {
			return err
		}
	}
	return nil
}

// sendNext sends one mail that is due, and reports whether there was one. It returns only errors of the database: an
// error of sending is stored with the mail.
func (o *Outbox) sendNext(ctx context.Context) (found bool, err error) {
	preparing, cancel := context.WithTimeout(ctx, o.prepareTimeout)
	defer cancel()
	var due []letter
	err = o.db.AsNobody(preparing, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_take_mails(1, make_interval(secs => ?))", lease.Seconds()).Scan(&due).Error
	})
	if err != nil {
		return false, fmt.Errorf("take a mail: %w", err)
	}
	if len(due) == 0 {
		return false, nil
	}
	return true, o.end(ctx, due[0], o.send(preparing, due[0]))
}

// send writes a letter and sends it. The context bounds the time until the mail server is connected. The letter gets
// new tokens at each attempt; only their hashes are stored. send also returns nil if there is nothing to send (a reset
// for an address that nobody has), and for the mail about a webhook if the server did not answer: that mail is not
// tried again.
func (o *Outbox) send(ctx context.Context, l letter) error {
	subject, text, err := o.write(ctx, l)
	if err != nil || text == "" {
		return err
	}
	err = o.server.Send(ctx, l.ID.String(), l.Email, subject, text)
	if l.Kind == Webhook && smtp.IsUnanswered(err) {
		o.log.WarnContext(ctx, "a mail may not have arrived: the server did not answer; it is not sent again", "mail_id",
			l.ID, "kind", l.Kind, "error", err)
		return nil // nobody waits for it, and most such servers have accepted it
	}
	return err
}

// mint returns a new token, which works for the duration lasts, and stores its hash.
func (o *Outbox) mint(
	ctx context.Context, kind string, user, invitation uuid.NullUUID, lasts time.Duration,
) (string, error) {
	token := secret.New()
	err := o.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_add_proof(decode(?, 'hex'), ?, ?, ?, make_interval(secs => ?))",
			secret.Hash(token), kind, user, invitation, lasts.Seconds()).Error
	})
	if err != nil {
		return "", fmt.Errorf("keep the hash of a token: %w", err)
	}
	return token, nil
}

// end stores the result of an attempt at a letter. failed is the error of send, nil if the letter was sent. A letter is
// given up if the mail server refused it or isOver reports true; otherwise it is tried again after a pause. If ctx,
// which is that of the process, ended before the mail server was reached, the letter is due at once, for another
// process.
func (o *Outbox) end(ctx context.Context, l letter, failed error) error {
	var problem, pause any
	reached := smtp.ReachedServer(failed)
	if reached {
		l.Tries++
	}
	if failed != nil {
		problem = failed.Error()
	}
	switch {
	case failed == nil:
	case ctx.Err() != nil && !reached && !smtp.IsRefused(failed):
		pause = 0
	case smtp.IsRefused(failed) || l.isOver():
		o.log.ErrorContext(ctx, "a mail is given up", "mail_id", l.ID, "kind", l.Kind, "error", failed)
	default:
		pause = min(time.Duration(l.Attempt*l.Attempt)*5*time.Second, maxPause).Seconds()
		o.log.WarnContext(ctx, "a mail could not be sent; it will be tried again", "mail_id", l.ID, "kind", l.Kind, "error",
			failed)
	}
	err := o.db.AsNobody(context.WithoutCancel(ctx), func(tx *postgres.Tx) error {
		return tx.Exec("SELECT app_end_mail(?, ?, ?, make_interval(secs => ?), ?)", l.ID, l.Attempt, problem, pause,
			reached).Error
	})
	if err != nil {
		return fmt.Errorf("write down what became of a mail: %w", err)
	}
	return nil
}

// isOver reports whether a letter that failed is given up: after giveUp if at least minTries attempts reached the mail
// server, and after giveUpAway if the letter was reserved at least minTries times.
func (l letter) isOver() bool {
	age := time.Since(l.CreatedAt)
	return age > giveUp && l.Tries >= minTries || age > giveUpAway && l.Attempt >= minTries
}

package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/mimemail"
	"dealflow/internal/postgres"
	"dealflow/internal/retention"
)

// How old a signature of Mailgun may be, and how far its time may be in the future. Mailgun tries to deliver a mail for
// eight hours. Its tokens are stored longer: see retention.MailgunTokens.
const (
	mailgunAge   = 12 * time.Hour
	mailgunAhead = 10 * time.Minute
)

// signedByMailgun reports whether a signature is Mailgun's and its time is within the limits. If so, it sets p.token to
// the hash of the signature, and not of the token: Mailgun signs time and token as one text, which can be split in
// several ways.
func (p *proving) signedByMailgun(s mimemail.Signed) bool {
	seconds, err := strconv.ParseInt(s.Timestamp, 10, 64)
	given, wrong := hex.DecodeString(s.Signature)
	if err != nil || wrong != nil || s.Token == "" {
		return false
	}
	mac := hmac.New(sha256.New, p.signingKey)
	mac.Write([]byte(s.Timestamp + s.Token))
	age := p.now().Sub(time.Unix(seconds, 0))
	if !hmac.Equal(given, mac.Sum(nil)) || age >= mailgunAge || age <= -mailgunAhead {
		return false
	}
	hash := sha256.Sum256(given)
	p.token = hash[:]
	return true
}

// spend marks p.token as used for the mail with this name, in the transaction that stores the mail. adds must say
// whether the transaction adds the mail. A token that was used before is accepted only for the same mail, and only if
// the mail is still stored, so that adds is false; else the error is Unauthenticated. If the proof was not Mailgun's
// signature, spend does nothing.
func (p *proving) spend(tx *postgres.Tx, accountID uuid.UUID, name string, adds bool) error {
	if p.token == nil {
		return nil
	}
	brought := sha256.Sum256([]byte(name))
	kept := tx.Exec("INSERT INTO mailgun_tokens (account_id, hash, brought) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		accountID, p.token, brought[:])
	if kept.Error != nil {
		return fmt.Errorf("remember Mailgun's token: %w", kept.Error)
	}
	if kept.RowsAffected == 1 {
		return nil
	}
	var same bool
	err := tx.Raw("SELECT brought = ? FROM mailgun_tokens WHERE account_id = ? AND hash = ?", brought[:], accountID,
		p.token).Row().Scan(&same)
	if err != nil {
		return fmt.Errorf("look for Mailgun's token: %w", err)
	}
	if adds || !same {
		return fault.New(fault.Unauthenticated, "invalid_signature", fault.Detail{
			Field: "token", Message: "came with another mail before: a signature of Mailgun counts once",
		})
	}
	return nil
}

// ForgetTokens removes the tokens of Mailgun of all accounts that are older than retention.MailgunTokens.
func (r *Receiver) ForgetTokens(ctx context.Context) error {
	return r.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		err := tx.Exec("SELECT app_forget_mailgun_tokens(make_interval(secs => ?))", retention.MailgunTokens.Seconds()).Error
		if err != nil {
			return fmt.Errorf("forget tokens of Mailgun: %w", err)
		}
		return nil
	})
}

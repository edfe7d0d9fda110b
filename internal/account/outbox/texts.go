package outbox

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

func (o *Outbox) write(ctx context.Context, l letter) (subject, text string, err error) {
	switch l.Kind {
	case Invitation:
		subject = l.Inviter + " invites you to " + l.AccountName
		token, err := o.mint(ctx, l.Kind, uuid.NullUUID{}, l.InvitationID, InvitationLifetime)
		return line(subject), fmt.Sprintf(invitationText, line(l.Inviter), line(l.AccountName),
			l.BaseURL+"/invitations/"+token), err
	case Verification:
		token, err := o.mint(ctx, l.Kind, l.UserID, uuid.NullUUID{}, VerificationLifetime)
		return "Confirm your address", fmt.Sprintf(verificationText, l.Email, l.BaseURL+"/verify/"+token), err
	case Webhook:
		subject = "A webhook of " + l.AccountName + " is disabled"
		return line(subject), l.aboutWebhook(), nil
	}
	text, err = o.writeReset(ctx, l)
	return "Choose a new password", text, err
}

// aboutWebhook returns the text of a mail about a disabled webhook. It names only the receiver's host, since the rest
// of the URL may contain a token.
func (l letter) aboutWebhook() string {
	host := l.WebhookURL
	if u, err := url.Parse(l.WebhookURL); err == nil {
		host = u.Host
	}
	address := fmt.Sprintf("%s/api/v1/accounts/%s/webhooks/%s", l.BaseURL, l.AccountID.UUID, l.WebhookID.UUID)
	return fmt.Sprintf(webhookText, line(host), line(l.AccountName), line(l.DisabledReason), address)
}

// writeReset returns the text of a mail with a link to choose a new password, for the user who has proven the address.
// If nobody has proven it, the text has a link for each of the five oldest users who claim it. If nobody has the
// address, the text is "". The users are looked up here and not when the reset is requested, so that the answer to the
// request does not show whether there are any.
func (o *Outbox) writeReset(ctx context.Context, l letter) (string, error) {
	var users []struct {
		UserID      uuid.NullUUID
		AccountName string
	}
	err := o.db.AsNobody(ctx, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT * FROM app_reset_users(?)", l.Email).Scan(&users).Error
	})
	if err != nil || len(users) == 0 {
		return "", err
	}
	var links strings.Builder
	for _, u := range users {
		token, err := o.mint(ctx, l.Kind, u.UserID, uuid.NullUUID{}, ResetLifetime)
		if err != nil {
			return "", err
		}
		if u.AccountName != "" {
			fmt.Fprintf(&links, "In %s:\n", line(u.AccountName))
		}
		fmt.Fprintf(&links, "%s\n\n", l.BaseURL+"/reset/"+token)
	}
	return fmt.Sprintf(resetText, l.Email, links.String()), nil
}

// line returns a text as one line of at most 200 characters: without control characters, line breaks and tabs included,
// and with each run of spaces replaced by one.
func line(text string) string {
	return strings.Join(strings.Fields(postgres.Shortened(text, 200)), " ")
}

const invitationText = `Hello,

%s invites you to the team %s. To join, open this page within seven days:

%s

If you do not know them, ignore this mail.
`

const verificationText = `Hello,

somebody registered with the address %s. If that was you, confirm it on this page within a day:

%s

If it was not you, ignore this mail: nothing of theirs becomes yours, or the reverse.
`

const webhookText = `Hello,

the webhook of the team %[2]s that sends to %[1]s is disabled: %[3]s. Nothing is sent to it any more.

Once the receiver works, enable the webhook again. What changed meanwhile is sent then, as long as changes are kept:

PATCH %[4]s
{"enabled": true}

Owners and admins of the team get this mail.
`

const resetText = `Hello,

somebody asked for a new password for the address %s. If that was you, choose one on this page within an hour:

%sIf it was not you, ignore this mail: your password stays as it is.
`

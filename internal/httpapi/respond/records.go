package respond

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
)

// What the things of an account share: how they are done something to, and what they are answered with.

// Act is what is done as a user to a record of an account.
type Act[R any] func(ctx context.Context, user, accountID, id uuid.UUID) (R, error)

// With makes an act of one that takes changes.
func With[R, C any](
	change func(ctx context.Context, user, accountID, id uuid.UUID, changes C) (R, error), changes C,
) Act[R] {
	return func(ctx context.Context, user, accountID, id uuid.UUID) (R, error) {
		return change(ctx, user, accountID, id, changes)
	}
}

// Record does something to the record of a path, and answers with the record. What it is called in the path is param,
// and in the answer member.
func Record[R, W any](c *gin.Context, caller account.Caller, param, member string, do Act[R], show func(R) W) error {
	accountID, id, err := route.RecordIDs(c, param)
	if err != nil {
		return err
	}
	record, err := do(c.Request.Context(), caller.UserID, accountID, id)
	if err != nil {
		return err
	}
	return Thing(c, member, show(record))
}

// Removed removes the record of a path, and answers with a message.
func Removed(c *gin.Context, caller account.Caller, param, message string,
	remove func(ctx context.Context, user, accountID, id uuid.UUID) error,
) error {
	accountID, id, err := route.RecordIDs(c, param)
	if err != nil {
		return err
	}
	if err := remove(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return Message(c, message)
}

// Read answers with the record of a path, named as for Record.
func Read[R, W any](c *gin.Context, who *postgres.Identity, param, member string,
	get func(context.Context, *postgres.Identity, uuid.UUID, uuid.UUID) (R, error), show func(R) W,
) error {
	accountID, id, err := route.RecordIDs(c, param)
	if err != nil {
		return err
	}
	record, err := get(c.Request.Context(), who, accountID, id)
	if err != nil {
		return err
	}
	return Thing(c, member, show(record))
}

// Made makes a thing in the account of a path, and answers with it.
func Made[R, D, W any](c *gin.Context, caller account.Caller, member string,
	create func(ctx context.Context, user, accountID uuid.UUID, draft D) (R, error), draft D, show func(R) W,
) error {
	accountID, err := route.PathID(c, "account_id")
	if err != nil {
		return err
	}
	return Once(c, http.StatusCreated, func(ctx context.Context) (R, error) {
		return create(ctx, caller.UserID, accountID, draft)
	}, func(made R) any { return gin.H{member: show(made)} })
}

// WithSecret is Once for a thing with a new secret, which is shown this once.
func WithSecret[R, W any](c *gin.Context, status int, member, secretMember string,
	do func(context.Context) (R, string, error), show func(R) W,
) error {
	var secret string
	return Once(c, status, func(ctx context.Context) (made R, err error) {
		made, secret, err = do(ctx)
		return made, err
	}, func(made R) any { return gin.H{member: show(made), secretMember: secret} })
}

// Once does something that calls postgres.Tx.Made with what it returns, and answers with that. With an
// Idempotency-Key the answer is kept in the same transaction, without its secrets, so that a repeat gets it whatever
// became of this one.
func Once[R any](c *gin.Context, status int, do func(context.Context) (R, error), show func(R) any) error {
	ctx := c.Request.Context()
	idempotency.OnMade(ctx, func(thing any) (idempotency.Kept, error) {
		made, is := thing.(R)
		if !is {
			return idempotency.Kept{}, fmt.Errorf("%T was made, not %T", thing, made)
		}
		body, err := wire.Encode(Envelope(c, show(made)))
		answer := idempotency.Answer{
			Status: status, ContentType: jsonMediaType,
			Body: replay.WithoutSecrets(append(body, '\n'), route.Of(c).Repeats.Secrets),
		}
		return idempotency.Kept{Answer: &answer}, err
	})
	made, err := do(ctx)
	if err != nil {
		return err
	}
	return Answer(c, status, show(made))
}

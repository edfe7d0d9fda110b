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

// The functions below are for handlers of records of an account: they read, make, change or remove a record, and
// answer.

// Act does something to a record of an account as a user, and returns the record.
type Act[R any] func(ctx context.Context, user, accountID, id uuid.UUID) (R, error)

// With returns an Act that calls change with these changes.
func With[R, C any](
	change func(ctx context.Context, user, accountID, id uuid.UUID, changes C) (R, error), changes C,
) Act[R] {
	return func(ctx context.Context, user, accountID, id uuid.UUID) (R, error) {
		return change(ctx, user, accountID, id, changes)
	}
}

// Record calls do for the record whose id is the path parameter param, and answers as Thing does, with the record in
// the named member of data.
func Record[R, W any](c *gin.Context, caller account.Caller, param, member string, do Act[R], show func(R) W) error {
	accountID, id := route.RecordIDs(c, param)
	record, err := do(c.Request.Context(), caller.UserID, accountID, id)
	if err != nil {
		return err
	}
	return Thing(c, member, show(record))
}

// Removed calls remove for the record whose id is the path parameter param, and answers with a message.
func Removed(c *gin.Context, caller account.Caller, param, message string,
	remove func(ctx context.Context, user, accountID, id uuid.UUID) error,
) error {
	accountID, id := route.RecordIDs(c, param)
	if err := remove(c.Request.Context(), caller.UserID, accountID, id); err != nil {
		return err
	}
	return Message(c, message)
}

// Read answers as Thing does, with the record whose id is the path parameter param in the named member of data.
func Read[R, W any](c *gin.Context, who *postgres.Identity, param, member string,
	get func(context.Context, *postgres.Identity, uuid.UUID, uuid.UUID) (R, error), show func(R) W,
) error {
	accountID, id := route.RecordIDs(c, param)
	record, err := get(c.Request.Context(), who, accountID, id)
	if err != nil {
		return err
	}
	return Thing(c, member, show(record))
}

// Made creates a thing in the account of the path, and answers 201 with what show returns for it, in the named member
// of data. create must call postgres.Tx.Made with the thing that it returns, so that the answer can be stored (see
// Once). The error is that of create.
func Made[R, D, W any](c *gin.Context, caller account.Caller, member string,
	create func(ctx context.Context, user, accountID uuid.UUID, draft D) (R, error), draft D, show func(R) W,
) error {
	accountID := route.PathID(c, "account_id")
	return Once(c, http.StatusCreated, func(ctx context.Context) (R, error) {
		return create(ctx, caller.UserID, accountID, draft)
	}, func(made R) any { return gin.H{member: show(made)} })
}

// WithSecret calls do as Once does, for a thing with a new secret, which do also returns. The answer has the thing in
// member and the secret in secretMember. The secret cannot be read again.
func WithSecret[R, W any](c *gin.Context, status int, member, secretMember string,
	do func(context.Context) (R, string, error), show func(R) W,
) error {
	var secret string
	return Once(c, status, func(ctx context.Context) (made R, err error) {
		made, secret, err = do(ctx)
		return made, err
	}, func(made R) any { return gin.H{member: show(made), secretMember: secret} })
}

// Once calls do, and answers with the thing that do returns. do must call postgres.Tx.Made with this thing. If the
// request has an Idempotency-Key, the answer, without its secrets, is stored in the same transaction, so that a repeat
// gets the answer even if the first one is lost.
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

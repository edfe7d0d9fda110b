package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
)

// What the things of an account share: where they are, how they are answered with, and how their filters and fields
// are read.

// recordIDs returns the account and the thing of a path.
func recordIDs(c *gin.Context, name string) (accountID, id uuid.UUID, err error) {
	if accountID, err = pathID(c, "account_id"); err != nil {
		return uuid.Nil, uuid.Nil, err
	}
	id, err = pathID(c, name)
	return accountID, id, err
}

// recordOf is what a record is called: in a path, and in an answer.
type recordOf struct{ param, member string }

// act is what is done as a user to a record of an account.
type act[R any] func(ctx context.Context, user, accountID, id uuid.UUID) (R, error)

// with makes an act of one that takes changes.
func with[R, C any](change func(ctx context.Context, user, accountID, id uuid.UUID, changes C) (R, error), changes C) act[R] {
	return func(ctx context.Context, user, accountID, id uuid.UUID) (R, error) {
		return change(ctx, user, accountID, id, changes)
	}
}

// answerRecord does something to the record of a path, and answers with the record.
func answerRecord[R, W any](a *API, c *gin.Context, of recordOf, do act[R], show func(R) W) error {
	accountID, id, err := recordIDs(c, of.param)
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	record, err := do(c.Request.Context(), caller.UserID, accountID, id)
	if err != nil {
		return err
	}
	return a.okThing(c, of.member, show(record))
}

// readRecord answers with the record of a path.
func readRecord[R, W any](a *API, c *gin.Context, of recordOf,
	get func(context.Context, *postgres.Identity, uuid.UUID, uuid.UUID) (R, error), show func(R) W,
) error {
	accountID, id, err := recordIDs(c, of.param)
	if err != nil {
		return err
	}
	record, err := get(c.Request.Context(), identityOf(c), accountID, id)
	if err != nil {
		return err
	}
	return a.okThing(c, of.member, show(record))
}

// showAll returns what is shown of a list's rows; [] of none.
func showAll[R, W any](rows []R, show func(R) W) []W {
	shown := make([]W, len(rows))
	for i, row := range rows {
		shown[i] = show(row)
	}
	return shown
}

// listPage is a list of what belongs to an account or a company.
type listPage[R any] func(context.Context, *postgres.Identity, uuid.UUID, postgres.Page) ([]R, *postgres.Place, error)

// answerList answers with a page of such a list; param is what its owner is called in the path.
func answerList[R, W any](a *API, c *gin.Context, param, member string, list listPage[R], show func(R) W) error {
	return answerOwn(a, c, member, func(ctx context.Context, who *postgres.Identity, page postgres.Page) ([]R, *postgres.Place, error) {
		owner, err := pathID(c, param)
		if err != nil {
			return nil, nil, err
		}
		return list(ctx, who, owner, page)
	}, show)
}

// answerOwn answers with a page of a list of what is the caller's own.
func answerOwn[R, W any](a *API, c *gin.Context, member string,
	list func(context.Context, *postgres.Identity, postgres.Page) ([]R, *postgres.Place, error), show func(R) W,
) error {
	params := request.ReadQuery(c.Request)
	page := params.WholePage(a.Secrets)
	if err := params.Err(); err != nil {
		return err
	}
	rows, next, err := list(c.Request.Context(), identityOf(c), page.Page)
	if err != nil {
		return err
	}
	return a.ok(c, gin.H{member: showAll(rows, show), "pagination": page.Pagination(next)})
}

// answerMade makes a thing in the account of a path, and answers with it.
func answerMade[R, D, W any](a *API, c *gin.Context, member string, create func(ctx context.Context, user, accountID uuid.UUID, draft D) (R, error), draft D, show func(R) W) error {
	accountID, err := pathID(c, "account_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	return answerOnce(a, c, http.StatusCreated, func(ctx context.Context) (R, error) {
		return create(ctx, caller.UserID, accountID, draft)
	}, func(made R) any { return gin.H{member: show(made)} })
}

// answerOnce does something that calls postgres.Tx.Made with what it returns, and answers with that. With an
// Idempotency-Key the answer is kept in the same transaction, without its secrets, so that a repeat gets it whatever
// became of this one.
func answerOnce[R any](a *API, c *gin.Context, status int, do func(context.Context) (R, error), show func(R) any) error {
	ctx := c.Request.Context()
	idempotency.OnMade(ctx, func(thing any) (idempotency.Kept, error) {
		made, is := thing.(R)
		if !is {
			return idempotency.Kept{}, fmt.Errorf("%T was made, not %T", thing, made)
		}
		body, err := wire.Encode(a.envelope(c, show(made)))
		answer := idempotency.Answer{Status: status, ContentType: jsonMediaType, Body: replay.WithoutSecrets(append(body, '\n'), a.endpointOf(c).repeats.Secrets)}
		return idempotency.Kept{Answer: &answer}, err
	})
	made, err := do(ctx)
	if err != nil {
		return err
	}
	return a.answer(c, status, show(made))
}

// readObject reads the body as a JSON object.
func (a *API) readObject(c *gin.Context) (*request.Object, error) {
	return request.ReadObject(c.Request, a.MaxJSONSize)
}

// nullable returns a member that null clears.
func nullable[T any](o *request.Object, name string, read func(string) *T) company.Nullable[T] {
	return company.Nullable[T]{Value: read(name), Set: o.Sent(name)}
}

// pathID returns a UUID out of the path; a malformed one is NotFound like one that does not exist.
func pathID(c *gin.Context, name string) (uuid.UUID, error) {
	id, ok := request.ParseID(c.Param(name))
	if !ok {
		return uuid.Nil, fault.NewNotFound()
	}
	return id, nil
}

package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/idempotency"
	"dealflow/internal/postgres"
)

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
	maxKeyLength      = 255
)

// recall answers anew for something that was made before, from the reference that idempotency.Remember was given.
type recall func(c *gin.Context, reference json.RawMessage) error

// once lets a request with an Idempotency-Key be sent again: it is done once, and its answer is given again. Refusals
// are not kept, so the key of a request that is corrected may stay. Without a recall, something that was made and
// whose answer was lost is told as such.
func (a *API) once(e endpoint) handler {
	return func(c *gin.Context) error {
		given, err := keyOf(c.Request)
		if err != nil {
			return err
		}
		if given == "" {
			return e.handle(c)
		}
		if err := a.prove(c); err != nil {
			return err
		}
		attempt, stands, err := a.Idempotency.Begin(c.Request.Context(), keyOwner(c), given)
		if err != nil {
			if fault.Is(err, fault.Conflict) {
				c.Header("Retry-After", "1")
			}
			return err
		}
		sent := a.printOf(e, c.Request)
		defer sent.close()
		if attempt == nil {
			return a.replay(c, e, stands, sent)
		}
		return a.settle(c, attempt, sent, a.whole(e, a.firstOrAgain(e, stands, sent)))
	}
}

// keyOf returns the request's key; "" without one.
func keyOf(r *http.Request) (string, error) {
	given := r.Header.Values(idempotencyHeader)
	if len(given) == 0 {
		return "", nil
	}
	unprintable := strings.ContainsFunc(given[0], func(r rune) bool { return r < ' ' || r > '~' })
	if len(given) > 1 || given[0] == "" || len(given[0]) > maxKeyLength || unprintable {
		return "", fault.Query(idempotencyHeader, "must be sent once, with 1 to 255 printable ASCII characters")
	}
	return given[0], nil
}

// keyOwner is whose keys a request uses: the caller's; where nobody needs to log in, those of their address.
func keyOwner(c *gin.Context) uuid.UUID {
	if caller, known := callerOf(c); known {
		return caller.UserID
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("address:"+c.ClientIP()))
}

// firstOrAgain is what there is to do for a request that has its key: all of it, or only to answer where the process
// that did it was lost.
func (a *API) firstOrAgain(e endpoint, stands idempotency.Key, sent *fingerprint) handler {
	if stands.State != idempotency.Committed {
		return e.handle
	}
	return func(c *gin.Context) error {
		if err := a.sameRequest(c, stands, sent); err != nil {
			return err
		}
		if e.repeats.again == nil || string(stands.Reference) == "null" {
			return fault.New(fault.Conflict, "outcome_unknown", fault.Detail{
				Field: idempotencyHeader, Message: "the first request with this key was carried out and its answer was lost: look at what it made; to do it once more, use another key",
			})
		}
		return e.repeats.again(c, stands.Reference)
	}
}

// whole reads the body of a request whose handler does not, before the handler runs: the fingerprint is of all of it.
func (a *API) whole(e endpoint, do handler) handler {
	if !e.repeats.bodiless {
		return do
	}
	return func(c *gin.Context) error {
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(c.Writer, c.Request.Body, a.MaxJSONSize)); err != nil {
			return request.FormError(err)
		}
		return do(c)
	}
}

// settle does it, and keeps the answer before it is sent. Whatever else happens, the key is released.
func (a *API) settle(c *gin.Context, attempt *idempotency.Attempt, sent *fingerprint, do handler) error {
	request, writer := c.Request, c.Writer
	held := &heldAnswer{ResponseWriter: writer, status: http.StatusOK}
	kept, unclear := false, false
	defer func() { // also of a panic
		c.Writer = writer
		if kept {
			return
		}
		if unclear {
			attempt.ReleaseLater()
		} else if err := attempt.Release(); err != nil {
			a.Logger.WarnContext(request.Context(), "an idempotency key could not be released; it will be", slog.Any("error", err))
		}
	}()
	c.Writer, c.Request = held, request.WithContext(attempt.Context(request.Context(), sent.sum))
	err := do(c)
	c.Writer, c.Request = writer, request
	if err != nil {
		kept, unclear = attempt.Answered(), errors.Is(err, postgres.ErrOutcomeUnknown)
		return err
	}
	if held.status < http.StatusMultipleChoices {
		kept = attempt.Answered() || a.keep(c, attempt, held, sent)
	}
	return held.send()
}

func (a *API) keep(c *gin.Context, attempt *idempotency.Attempt, held *heldAnswer, sent *fingerprint) bool {
	err := attempt.Keep(idempotency.Answer{
		Status: held.status, ContentType: held.Header().Get("Content-Type"),
		Body: withoutSecrets(held.body.Bytes(), a.endpointOf(c).repeats.secrets),
	}, sent.sum())
	if err != nil { // it is done: the client must hear of it all the same
		a.Logger.WarnContext(c.Request.Context(), "the answer of an idempotency key could not be kept", slog.Any("error", err))
	}
	return err == nil
}

// replay answers as before, if the request is as before and the caller still belongs where it was done.
func (a *API) replay(c *gin.Context, e endpoint, stands idempotency.Key, sent *fingerprint) error {
	if err := a.sameRequest(c, stands, sent); err != nil {
		return err
	}
	if err := a.stillBelongs(c, e.access, stands.Body); err != nil {
		return err
	}
	c.Header(replayedHeader, "true")
	c.Header("Content-Type", *stands.ContentType)
	c.Data(*stands.Status, *stands.ContentType, stands.Body)
	return nil
}

// stillBelongs refuses a caller who has lost the access that the first answer needed: to the company or the account
// of the path, or else to the account of the company that the answer holds.
func (a *API) stillBelongs(c *gin.Context, who Access, answer []byte) error {
	caller, known := callerOf(c)
	if !known {
		return nil
	}
	accountID := accountOfAnswer(answer)
	switch who {
	case viewers:
		id, err := pathID(c, "id")
		if err == nil {
			_, err = a.Companies.Get(c.Request.Context(), identityOf(c), id)
		}
		return err
	case members, admins:
		id, err := pathID(c, "account_id")
		if err != nil {
			return err
		}
		accountID = id
	case probe, open, hook, entrance, visitors, monitor, operators, users:
	}
	if accountID == uuid.Nil {
		return nil
	}
	_, err := a.Accounts.Role(c.Request.Context(), caller.UserID, accountID)
	return err
}

// accountOfAnswer returns the account of the company that an answer holds; uuid.Nil where it holds none.
func accountOfAnswer(answer []byte) uuid.UUID {
	var kept struct {
		Data struct {
			Company struct {
				AccountID uuid.UUID `json:"account_id"`
			} `json:"company"`
		} `json:"data"`
	}
	_ = json.Unmarshal(answer, &kept) // data of another shape is no company
	return kept.Data.Company.AccountID
}

// sameRequest reads the body and refuses one that is not that of the first request.
func (a *API) sameRequest(c *gin.Context, stands idempotency.Key, sent *fingerprint) error {
	same, err := sent.matches(c.Request.Body, stands.Fingerprint, a.maxForm())
	if err != nil {
		return request.Incomplete(err)
	}
	if !same {
		return fault.New(fault.Conflict, "idempotency_key_reused",
			fault.Detail{Field: idempotencyHeader, Message: "was used for another request in the last 24 hours: use a new key for a new request"})
	}
	return nil
}

// withoutSecrets returns the body of an answer with null for those members of its data.
func withoutSecrets(body []byte, secrets []string) []byte {
	if len(secrets) == 0 {
		return body
	}
	var answer struct {
		Success  bool                       `json:"success"`
		Data     map[string]json.RawMessage `json:"data"`
		AuthType string                     `json:"authType,omitempty"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil // never: an answer with secrets is an object
	}
	for _, name := range secrets {
		if _, found := answer.Data[name]; found {
			answer.Data[name] = json.RawMessage("null")
		}
	}
	return append(encode(answer), '\n')
}

package httpapi

import (
	"encoding/json"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/replay"
	"dealflow/internal/httpapi/route"
)

// once returns the handler of a route whose requests may be sent again with their Idempotency-Key: see package replay.
func (a *API) once(e route.Endpoint) route.Handler {
	return route.Handler(a.replayer.Once(replay.Route{
		Policy: e.Repeats, Handle: replay.Handler(e.Handle), Owner: a.keyOwner,
		Admits: func(c *gin.Context, answer []byte) error { return a.stillBelongs(c, e.Access, answer) },
	}))
}

// keyOwner returns the id under which the Idempotency-Key of a request is stored: the id of the user who sent the
// request or, on routes that need no login, an id derived from the client's address. The errors are those of
// identity.Identifier.Prove.
func (a *API) keyOwner(c *gin.Context) (uuid.UUID, error) {
	if err := a.identities.Prove(c); err != nil {
		return uuid.Nil, err
	}
	if caller, known := route.Caller(c); known {
		return caller.UserID, nil
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("address:"+c.ClientIP())), nil
}

// stillBelongs returns NotFound or Forbidden if the caller has lost the access that the first answer needed. On routes
// of a company, this access is to see the company, or the one into which it was merged; on routes of an account, to be
// a member or, for routes of admins, an owner or admin; on any other route, to be a member of the account of the
// company in the answer. If the answer has no company, or the caller is not known, stillBelongs returns nil.
func (a *API) stillBelongs(c *gin.Context, who route.Access, answer []byte) error {
	caller, known := route.Caller(c)
	if !known {
		return nil
	}
	accountID := accountOfAnswer(answer)
	switch who {
	case route.Viewers:
		_, err := a.Companies.Get(c.Request.Context(), route.Identity(c), route.PathID(c, "id"))
		if fault.SuccessorOf(err) != "" {
			return nil // it was merged, maybe by this request, into one that they see
		}
		return err
	case route.Members, route.Admins:
		accountID = route.PathID(c, "account_id")
	case route.Probe, route.Open, route.Hook, route.Entrance, route.Visitors, route.Monitor, route.Operators, route.Users:
	}
	if accountID == uuid.Nil {
		return nil
	}
	role, err := a.Accounts.Role(c.Request.Context(), caller.UserID, accountID)
	if err == nil && who == route.Admins && role == account.RoleMember {
		return fault.NewForbidden()
	}
	return err
}

// accountOfAnswer returns the account of the company in an answer, or uuid.Nil if the answer has no company.
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

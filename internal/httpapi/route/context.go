package route

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/postgres"
)

// Keys of the values that are kept in a request's gin.Context.
const (
	endpointKey  = "endpoint"
	identityKey  = "identity"
	callerKey    = "caller"
	requestIDKey = "request_id"
)

// Set notes the route of a request.
func Set(c *gin.Context, e *Endpoint) { c.Set(endpointKey, e) }

// Of returns the route of a request; nil before Set was called.
func Of(c *gin.Context) *Endpoint {
	value, _ := c.Get(endpointKey)
	e, _ := value.(*Endpoint)
	return e
}

// SetIdentity notes the identity with which a request reads the database.
func SetIdentity(c *gin.Context, who *postgres.Identity) { c.Set(identityKey, who) }

// Identity returns the identity with which a request reads the database; nil on a route where nobody has to log in.
func Identity(c *gin.Context) *postgres.Identity {
	value, _ := c.Get(identityKey)
	who, _ := value.(*postgres.Identity)
	return who
}

// SetCaller notes who sent a request.
func SetCaller(c *gin.Context, caller account.Caller) { c.Set(callerKey, caller) }

// Caller returns who sent a request, and whether that is known: in a handler that takes an Identity, it is known only
// after the first query.
func Caller(c *gin.Context) (account.Caller, bool) {
	value, _ := c.Get(callerKey)
	caller, known := value.(account.Caller)
	return caller, known
}

// RequestIDHeader is the name of the header with the id of a request: the client's own, or else ours.
const RequestIDHeader = "X-Request-Id"

// SetRequestID notes the id of a request.
func SetRequestID(c *gin.Context, id string) { c.Set(requestIDKey, id) }

// RequestID returns the id of a request.
func RequestID(c *gin.Context) string { return c.GetString(requestIDKey) }

// PathID returns the UUID in a path parameter. The error for a malformed UUID is NotFound, as for a UUID that no thing
// has.
func PathID(c *gin.Context, name string) (uuid.UUID, error) {
	id, ok := request.ParseID(c.Param(name))
	if !ok {
		return uuid.Nil, fault.NewNotFound()
	}
	return id, nil
}

// PartID returns the UUID in the path parameter of something that belongs to an account or a company of the same path.
// A malformed UUID is uuid.Nil, which nothing has: so the caller is refused as for a UUID that nothing has, which is
// after the account or company was checked.
func PartID(c *gin.Context, name string) uuid.UUID {
	id, ok := request.ParseID(c.Param(name))
	if !ok {
		return uuid.Nil
	}
	return id
}

// RecordIDs returns the id of the account in a path, and the id of the record, which is in the path parameter name, as
// PartID returns it. The error is that of PathID.
func RecordIDs(c *gin.Context, name string) (accountID, id uuid.UUID, err error) {
	accountID, err = PathID(c, "account_id")
	return accountID, PartID(c, name), err
}

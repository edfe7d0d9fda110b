package route

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
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

// Set stores the route of a request in its context.
func Set(c *gin.Context, e *Endpoint) { c.Set(endpointKey, e) }

// Of returns the route of a request; nil before Set was called.
func Of(c *gin.Context) *Endpoint {
	value, _ := c.Get(endpointKey)
	e, _ := value.(*Endpoint)
	return e
}

// SetIdentity stores the identity with which a request reads the database.
func SetIdentity(c *gin.Context, who *postgres.Identity) { c.Set(identityKey, who) }

// Identity returns the identity with which a request reads the database. It is nil on a route that does not look at
// keys and sessions, and for a visitor of the console without a session.
func Identity(c *gin.Context) *postgres.Identity {
	value, _ := c.Get(identityKey)
	who, _ := value.(*postgres.Identity)
	return who
}

// SetCaller stores who sent a request.
func SetCaller(c *gin.Context, caller account.Caller) { c.Set(callerKey, caller) }

// Caller returns who sent a request, and reports whether that is known. In a handler of an identity, it is known only
// after the first query.
func Caller(c *gin.Context) (account.Caller, bool) {
	value, _ := c.Get(callerKey)
	caller, known := value.(account.Caller)
	return caller, known
}

// RequestIDHeader is the name of the header with the id of a request: the client's own, or else ours.
const RequestIDHeader = "X-Request-Id"

// SetRequestID stores the id of a request.
func SetRequestID(c *gin.Context, id string) { c.Set(requestIDKey, id) }

// RequestID returns the id of a request; "" before SetRequestID was called.
func RequestID(c *gin.Context) string { return c.GetString(requestIDKey) }

// PathID returns the UUID in a path parameter. For a malformed UUID it returns uuid.Nil, which nothing has as its id:
// the request is then refused like one with an unknown id, after all other checks.
func PathID(c *gin.Context, name string) uuid.UUID {
	id, ok := request.ParseID(c.Param(name))
	if !ok {
		return uuid.Nil
	}
	return id
}

// RecordIDs returns the id of the account in a path, and the id of the record in the path parameter name.
func RecordIDs(c *gin.Context, name string) (accountID, id uuid.UUID) {
	return PathID(c, "account_id"), PathID(c, name)
}

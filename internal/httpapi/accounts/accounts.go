// Package accounts answers the requests for users and their accounts: keys, sessions, secrets, members, the audit log
// and the dashboard.
package accounts

import (
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/audit"
	"dealflow/internal/dashboard"
	"dealflow/internal/httpapi/identity"
	"dealflow/internal/httpapi/limits"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
	"dealflow/internal/ratelimit"
)

// Handlers answer the requests for users and their accounts: keys, sessions, secrets, members, the audit log and the
// dashboard.
type Handlers struct {
	Accounts   *account.Service
	SignIn     *signin.Service
	Keys       *apikey.Service
	Audit      *audit.Log
	Dashboards *dashboard.Service
	Identities *identity.Identifier
	Reader     request.Reader
	Guesses    *limits.Guesses
	FewGuesses *ratelimit.Limiter // wrong passwords of a user from an address or from a device
	// ManyGuesses counts wrong passwords of a user from anywhere and of all users from an address; also registrations
	// and requests for reset mails from an address.
	ManyGuesses *ratelimit.Limiter
	Devices     Devices
	Now         func() time.Time
	PublicURL   string // the beginning of the service's own URLs, without a slash at the end
	SignupOpen  bool   // whether anybody may register
}

// wireAccount is an account as its member sees it.
type wireAccount struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	CreatedAt *string   `json:"created_at"`
	UpdatedAt *string   `json:"updated_at"`
}

// ListAccounts answers with a page of the accounts that the caller belongs to, the oldest membership first. The errors
// are those of the query (see request.Query) and of account.Service.Accounts.
func (h *Handlers) ListAccounts(c *gin.Context, who *postgres.Identity) error {
	return respond.Own(h.Reader, c, who, "accounts", h.Accounts.Accounts, showAccount)
}

func showAccount(j account.Joined) wireAccount {
	return wireAccount{
		ID: j.ID, Name: j.Name, Role: j.Role, CreatedAt: wire.Time(j.CreatedAt), UpdatedAt: wire.Time(j.UpdatedAt),
	}
}

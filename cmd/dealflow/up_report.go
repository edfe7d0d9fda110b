package main

import (
	"fmt"
	"strings"
	"time"

	"dealflow/internal/account/signin"
)

// up has what announceUp prints about a service that is ready.
type up struct {
	running

	demo         demo
	signIn       string // signs the demo user in once
	worker       string // the address of the worker's probes
	devFile      string
	began        time.Time
	passwordMade bool
}

// announceUp prints the addresses of the service, and how to sign in. A password is printed here and nowhere else, and
// only if it was generated.
func (t *tool) announceUp(u up) error {
	password := u.OperatorPassword
	if !u.passwordMade {
		password = "(OPERATOR_PASSWORD)"
	}
	took := time.Since(u.began).Round(10 * time.Millisecond)
	value := map[string]any{
		"status": "ready", "seconds": took.Seconds(), "pid": u.PID, "base_url": u.BaseURL, "docs_url": u.DocsURL,
		"dashboard_url": u.DashboardURL,
		"operator_user": u.OperatorUser, "operator_password": password, "account_id": u.demo.accountID, "api_key": u.demo.key,
		"sign_in_url": u.signIn,
	}
	lines := []string{
		"",
		"  Console    " + u.signIn,
		"             (signs you in once as the demo user, within " + signin.LinkLifetime.String() + ")",
		"  API        " + u.BaseURL,
		"  Docs       " + u.DocsURL,
		"  Dashboard  " + u.DashboardURL + "  (user " + u.OperatorUser + ", password " + password + ")",
		"  Account    " + u.demo.accountID,
		"  API key    " + u.demo.key,
		"",
		"  Address, account and key are in " + u.devFile + " too. Ctrl-C stops everything.",
		fmt.Sprintf("dealflow is ready after %s", took),
	}
	return t.print(value, "%s", strings.Join(lines, "\n"))
}

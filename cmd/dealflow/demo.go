package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
)

// What the first start creates: the address and the name of a user, and the names of an account and of an API key.
const (
	demoEmail   = "demo@example.com"
	demoName    = "Demo User"
	demoAccount = "Demo Account"
	demoKey     = "Made by dealflow up"
)

// demo is what somebody needs to use a new service at once: the id of the demo user, their account and an API key.
type demo struct {
	accountID, key string
	user           uuid.UUID
}

// findDemo returns the demo in dev.env if its key is valid in this database. Otherwise it creates a key, since an old
// key cannot be read from the database, and the user and the account if they are missing.
func findDemo(ctx context.Context, dir dataDir, databaseURL string) (demo, error) {
	db, err := postgres.Open(ctx, databaseURL, postgres.Options{MaxConnections: 2})
	if err != nil {
		return demo{}, err
	}
	defer db.Close()
	keys := apikey.New(db)
	kept := readDemo(dir)
	if caller, err := keys.Authenticate(ctx, kept.key); err == nil && kept.accountID != "" {
		kept.user = caller.UserID
		return kept, nil
	} else if err != nil && !fault.Is(err, fault.Unauthenticated) {
		return demo{}, err
	}
	made, err := makeDemo(ctx, account.New(db), signin.New(db), keys)
	if err != nil {
		return demo{}, fmt.Errorf("make the demo user: %w", err)
	}
	return made, nil
}

func makeDemo(
	ctx context.Context, accounts *account.Service, people *signin.Service, keys *apikey.Service,
) (demo, error) {
	user, err := people.UserByEmail(ctx, demoEmail)
	if fault.Is(err, fault.NotFound) {
		var made account.User
		made, err = people.CreateUser(ctx, demoEmail, demoName, "")
		user = made.ID
	}
	if err != nil {
		return demo{}, err
	}
	team, err := demoTeam(ctx, accounts, user)
	if err != nil {
		return demo{}, err
	}
	_, key, err := keys.Create(ctx, user, demoKey)
	return demo{accountID: team.String(), key: key, user: user}, err
}

// signInLink returns a URL below console that signs the user in once, within signin.LinkLifetime.
func signInLink(ctx context.Context, databaseURL, console string, user uuid.UUID) (string, error) {
	db, err := postgres.Open(ctx, databaseURL, postgres.Options{MaxConnections: 1})
	if err != nil {
		return "", err
	}
	defer db.Close()
	token, err := signin.New(db).NewLink(ctx, user)
	if err != nil {
		return "", err
	}
	return console + signin.LinkPath + token, nil
}

func demoTeam(ctx context.Context, accounts *account.Service, user uuid.UUID) (uuid.UUID, error) {
	self, err := accounts.Self(ctx, postgres.AsUser(user))
	if err != nil {
		return uuid.Nil, err
	}
	if len(self.Accounts) > 0 {
		return self.Accounts[0].ID, nil
	}
	made, err := accounts.Create(ctx, user, demoAccount, pipeline.Seed)
	return made.ID, err
}

// readDemo returns the account and the key in dev.env; they are "" if dev.env cannot be read.
func readDemo(dir dataDir) demo {
	file, err := os.Open(dir.path(devFile))
	if err != nil {
		return demo{}
	}
	defer file.Close()
	var found demo
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "=")
		switch name {
		case "DEALFLOW_ACCOUNT_ID":
			found.accountID = value
		case "DEALFLOW_API_KEY":
			found.key = value
		}
	}
	return found
}

// write writes the address of the API, and the account and the key of the demo, to dev.env, in the form that a shell
// and make read.
func (d demo) write(dir dataDir, baseURL string) error {
	text := fmt.Sprintf("DEALFLOW_URL=%s\nDEALFLOW_ACCOUNT_ID=%s\nDEALFLOW_API_KEY=%s\n", baseURL, d.accountID, d.key)
	return dir.write(devFile, []byte(text))
}

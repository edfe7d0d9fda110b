package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/timestamp"
)

func (t *tool) userCommand() *cobra.Command {
	return group("user", "Create users, set their passwords, prove their addresses and turn off second factors",
		t.userCreateCommand(), t.userPasswordCommand(), t.userVerifyCommand(), t.userTOTPCommand())
}

func (t *tool) userCreateCommand() *cobra.Command {
	var email, name string
	cmd := &cobra.Command{
		Use:   "create --email E --name N",
		Short: "Create a user, who can use API keys but not log in until they have a password", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.createUser(cmd.Context(), email, name) },
	}
	cmd.Flags().StringVar(&email, "email", "", "the user's email address")
	cmd.Flags().StringVar(&name, "name", "", "the user's full name")
	return need(cmd, "email", "name")
}

func (t *tool) createUser(ctx context.Context, email, name string) error {
	return t.withPeople(ctx, func(people *signin.Service) error {
		made, err := people.CreateUser(ctx, email, name, "")
		if err != nil {
			return err
		}
		object := userObject{ID: made.ID, Email: made.Email, Name: made.Name, CreatedAt: timestamp.Format(made.CreatedAt)}
		return t.print(object, "Made user %s with the id %s.", made.Email, made.ID)
	})
}

// whichUser selects a user for a command: by their address and, if several users claim that address, by the id of the
// account that the one who is meant joined first.
type whichUser struct{ email, account string }

func (w *whichUser) flags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&w.email, "email", "", "the user's email address")
	cmd.Flags().StringVar(&w.account, "account", "",
		"where several users claim the address: the id of the account that let in the one meant")
	return need(cmd, "email")
}

func (w *whichUser) find(ctx context.Context, people *signin.Service) (uuid.UUID, error) {
	var home uuid.NullUUID
	if w.account != "" {
		id, err := parseID("account", w.account)
		if err != nil {
			return uuid.Nil, err
		}
		home = uuid.NullUUID{UUID: id, Valid: true}
	}
	id, err := people.UserForOperator(ctx, w.email, home)
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, fmt.Errorf("no user has the address %q: make one with dealflow user create", w.email)
	}
	return id, err
}

func (t *tool) userPasswordCommand() *cobra.Command {
	var which whichUser
	return which.flags(&cobra.Command{
		Use: "password --email E", Short: "Set a user's password, read from the terminal (twice) or else from stdin",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.setPassword(cmd.Context(), which) },
	})
}

func (t *tool) setPassword(ctx context.Context, which whichUser) error {
	return t.withPeople(ctx, func(people *signin.Service) error {
		user, err := which.find(ctx, people)
		if err != nil {
			return err
		}
		password, err := t.readPassword(ctx)
		if err != nil {
			return err
		}
		if err := people.SetPassword(ctx, user, password); err != nil {
			return err
		}
		return t.print(map[string]any{"id": user, "email": which.email}, "Set the password of %s.", which.email)
	})
}

func (t *tool) userVerifyCommand() *cobra.Command {
	var which whichUser
	return which.flags(&cobra.Command{
		Use:   "verify --email E",
		Short: "Mark an address as proven to be its user's, who can then be made a member of any account", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.verifyUser(cmd.Context(), which) },
	})
}

func (t *tool) verifyUser(ctx context.Context, which whichUser) error {
	return t.withPeople(ctx, func(people *signin.Service) error {
		user, err := which.find(ctx, people)
		if err != nil {
			return err
		}
		if err := people.ProveUser(ctx, user); err != nil {
			return err
		}
		return t.print(map[string]any{"id": user, "email": which.email, "verified": true},
			"The address %s is proven from now on.", which.email)
	})
}

func (t *tool) userTOTPCommand() *cobra.Command {
	var which whichUser
	var off bool
	cmd := which.flags(&cobra.Command{
		Use: "totp --email E --off", Args: noArgs,
		Short: "Turn off the second factor of a user who has lost it, with its recovery codes",
		RunE:  func(cmd *cobra.Command, _ []string) error { return t.turnOffTOTP(cmd.Context(), which, off) },
	})
	cmd.Flags().BoolVar(&off, "off", false, "turn it off; only the user can turn it on again")
	return need(cmd, "off")
}

func (t *tool) turnOffTOTP(ctx context.Context, which whichUser, off bool) error {
	if !off {
		return errors.New("give --off: only its user can turn a second factor on")
	}
	return t.withPeople(ctx, func(people *signin.Service) error {
		user, err := which.find(ctx, people)
		if err != nil {
			return err
		}
		err = people.RemoveFactor(ctx, user)
		if fault.Is(err, fault.NotFound) {
			return fmt.Errorf("%s has no second factor", which.email)
		}
		if err != nil {
			return err
		}
		object := map[string]any{"id": user, "email": which.email, "totp_enabled": false}
		return t.print(object, "The second factor of %s is off.", which.email)
	})
}

// userByEmail returns the id of the user who has proven an address. If there is none, the error says how to create one
// or prove an address.
func userByEmail(ctx context.Context, people *signin.Service, email string) (uuid.UUID, error) {
	id, err := people.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, fmt.Errorf(
			"no user has proven the address %q: make one with dealflow user create, or prove one with dealflow user verify",
			email,
		)
	}
	return id, err
}

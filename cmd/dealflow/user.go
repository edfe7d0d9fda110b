package main

import (
	"context"

	"github.com/spf13/cobra"

	"dealflow/internal/account"
)

func (t *tool) userCommand() *cobra.Command {
	return group("user", "Make users and set their passwords", t.userCreateCommand(), t.userPasswordCommand())
}

func (t *tool) userCreateCommand() *cobra.Command {
	var email, name string
	cmd := &cobra.Command{
		Use: "create --email E --name N", Short: "Make a user, who can use API keys but not log in until he has a password", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.createUser(cmd.Context(), email, name) },
	}
	cmd.Flags().StringVar(&email, "email", "", "the user's email address")
	cmd.Flags().StringVar(&name, "name", "", "the user's full name")
	return need(cmd, "email", "name")
}

func (t *tool) createUser(ctx context.Context, email, name string) error {
	return t.withAccounts(ctx, func(accounts *account.Service) error {
		made, err := accounts.CreateUser(ctx, email, name, "")
		if err != nil {
			return err
		}
		object := userObject{ID: made.ID, Email: made.Email, Name: made.Name, CreatedAt: stamp(made.CreatedAt)}
		return t.print(object, "Made user %s with the id %s.", made.Email, made.ID)
	})
}

func (t *tool) userPasswordCommand() *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "password --email E", Short: "Set a user's password, which is asked for on a terminal and else read from stdin", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.setPassword(cmd.Context(), email) },
	}
	cmd.Flags().StringVar(&email, "email", "", "the user's email address")
	return need(cmd, "email")
}

func (t *tool) setPassword(ctx context.Context, email string) error {
	return t.withAccounts(ctx, func(accounts *account.Service) error {
		user, err := userByEmail(ctx, accounts, email)
		if err != nil {
			return err
		}
		password, err := t.readPassword(ctx)
		if err != nil {
			return err
		}
		if err := accounts.SetPassword(ctx, user, password); err != nil {
			return err
		}
		return t.print(map[string]any{"id": user, "email": email}, "Set the password of %s.", email)
	})
}

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/timestamp"
)

func (t *tool) keyCommand() *cobra.Command {
	return group("key", "Create and revoke API keys", t.keyCreateCommand(), t.keyRevokeCommand())
}

func (t *tool) keyCreateCommand() *cobra.Command {
	var email, name string
	cmd := &cobra.Command{
		Use:   "create --user E --name N",
		Short: "Create an API key for the user with this address, and print it; it cannot be read again",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return t.createKey(cmd.Context(), email, name) },
	}
	cmd.Flags().StringVar(&email, "user", "", "the user's email address")
	cmd.Flags().StringVar(&name, "name", "", "the purpose of the key")
	return need(cmd, "user", "name")
}

func (t *tool) createKey(ctx context.Context, email, name string) error {
	return t.withDB(ctx, func(db *postgres.DB) error {
		user, err := (&whichUser{email: email}).find(ctx, signin.New(db))
		if err != nil {
			return err
		}
		made, full, err := apikey.New(db).Create(ctx, user, name)
		if err != nil {
			return err
		}
		object := keyObject{
			ID: made.ID, Name: made.Name, Key: full, Hint: made.Hint, UserID: user, CreatedAt: timestamp.Format(made.CreatedAt),
		}
		return t.print(object, "Made API key %q with the id %s. Keep its value, which nobody can show again: %s", made.Name,
			made.ID, full)
	})
}

func (t *tool) keyRevokeCommand() *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use: "revoke --id ID", Short: "Delete an API key, which stops working at once", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.revokeKey(cmd.Context(), id) },
	}
	cmd.Flags().StringVar(&id, "id", "", "the key's id")
	return need(cmd, "id")
}

func (t *tool) revokeKey(ctx context.Context, given string) error {
	id, err := parseID("id", given)
	if err != nil {
		return err
	}
	return t.withDB(ctx, func(db *postgres.DB) error {
		err := apikey.New(db).Revoke(ctx, id)
		if fault.Is(err, fault.NotFound) {
			return fmt.Errorf("no API key has the id %s: it was revoked already, or the id is another thing's", id)
		}
		if err != nil {
			return err
		}
		return t.print(map[string]any{"id": id, "deleted": true}, "Revoked API key %s, which no longer works.", id)
	})
}

package main

import (
	"context"

	"github.com/spf13/cobra"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/timestamp"
)

func (t *tool) accountCommand() *cobra.Command {
	return group("account", "Create accounts (teams)", t.accountCreateCommand())
}

func (t *tool) accountCreateCommand() *cobra.Command {
	var name, owner string
	cmd := &cobra.Command{
		Use:   "create --name N --owner E",
		Short: "Create an account with the default pipeline, owned by the user with this address", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.createAccount(cmd.Context(), name, owner) },
	}
	cmd.Flags().StringVar(&name, "name", "", "the account's name")
	cmd.Flags().StringVar(&owner, "owner", "", "the owner's email address")
	return need(cmd, "name", "owner")
}

func (t *tool) createAccount(ctx context.Context, name, owner string) error {
	return t.withDB(ctx, func(db *postgres.DB) error {
		user, err := userByEmail(ctx, signin.New(db), owner)
		if err != nil {
			return err
		}
		made, err := account.New(db).Create(ctx, user, name, pipeline.Seed)
		if err != nil {
			return err
		}
		object := accountObject{ID: made.ID, Name: made.Name, OwnerID: user, CreatedAt: timestamp.Format(made.CreatedAt)}
		return t.print(object, "Made account %q with the id %s, owned by %s.", made.Name, made.ID, owner)
	})
}

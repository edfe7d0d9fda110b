package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"dealflow/internal/account"
	"dealflow/internal/account/signin"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/timestamp"
)

func (t *tool) memberCommand() *cobra.Command {
	return group("member", "Add members to accounts", t.memberAddCommand())
}

func (t *tool) memberAddCommand() *cobra.Command {
	var accountID, email, role string
	cmd := &cobra.Command{
		Use:   "add --account ID --email E --role owner|admin|member",
		Short: "Make a user a member of an account, or change their role", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.addMember(cmd.Context(), accountID, email, role) },
	}
	cmd.Flags().StringVar(&accountID, "account", "", "the account's id")
	cmd.Flags().StringVar(&email, "email", "", "the user's email address")
	cmd.Flags().StringVar(&role, "role", "", "owner, admin or member")
	return need(cmd, "account", "email", "role")
}

func (t *tool) addMember(ctx context.Context, accountID, email, role string) error {
	id, err := parseID("account", accountID)
	if err != nil {
		return err
	}
	return t.withDB(ctx, func(db *postgres.DB) error {
		user, err := userByEmail(ctx, signin.New(db), email)
		if err != nil {
			return err
		}
		made, err := account.New(db).AddMember(ctx, id, user, role)
		if fault.Is(err, fault.NotFound) {
			return fmt.Errorf("no account has the id %s: make one with dealflow account create", id)
		}
		if err != nil {
			return err
		}
		object := memberObject{
			ID: made.ID, AccountID: made.AccountID, UserID: made.UserID, Role: made.Role,
			CreatedAt: timestamp.Format(made.CreatedAt),
		}
		return t.print(object, "Gave %s the role of %s in account %s.", email, made.Role, made.AccountID)
	})
}

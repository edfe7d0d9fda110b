package agents

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

// accountsShown is the largest number of accounts of a user that are listed.
const accountsShown = 100

type nothing struct{}

type accountShown struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	Role string    `json:"role"`
}

type accountsFound struct {
	Accounts []accountShown `json:"accounts"`
}

func listAccountsTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "list_accounts", Annotations: reading("List teams"),
		Description: "Lists the accounts (investor teams) that the user belongs to. Other tools need an account_id only " +
			"where there are several.",
	}
}

func listAccounts(
	ctx context.Context, api *client.Client, _ nothing,
) (found accountsFound, sentence string, err error) {
	listed, err := api.ListAccounts(ctx, client.ListAccountsParams{Limit: new(accountsShown)})
	if err != nil {
		return found, "", err
	}
	found.Accounts = []accountShown{}
	for _, one := range listed.Accounts {
		found.Accounts = append(found.Accounts, accountShown{one.ID, cut(one.Name, lineSize), string(one.Role)})
	}
	return found, fmt.Sprintf("The user belongs to %s.", counted(len(found.Accounts), "account")), nil
}

// accountOf returns named, which it does not check, or, if named is uuid.Nil, the only account of the user. The error
// is a mistake if the user then has no account or several.
func accountOf(ctx context.Context, api *client.Client, named uuid.UUID) (uuid.UUID, error) {
	if named != uuid.Nil {
		return named, nil
	}
	found, _, err := listAccounts(ctx, api, nothing{})
	switch {
	case err != nil:
		return uuid.Nil, err
	case len(found.Accounts) == 1:
		return found.Accounts[0].ID, nil
	case len(found.Accounts) == 0:
		return uuid.Nil, wrong("The user belongs to no account: they must be invited to one first.")
	}
	return uuid.Nil, wrong("The user belongs to several accounts: call the tool again with one of list_accounts as " +
		"account_id.")
}

// counted returns a number with its noun, such as "2 companies".
func counted(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

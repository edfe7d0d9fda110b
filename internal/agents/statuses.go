package agents

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

// stage is a status of the pipeline, with its name cut to lineSize characters.
type stage struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

func stageOf(embedded *client.EmbeddedStatus) *stage {
	if embedded == nil {
		return nil
	}
	return &stage{embedded.ID, cut(embedded.StatusText, lineSize)}
}

type statusesWanted struct {
	AccountID uuid.UUID `json:"account_id,omitzero" jsonschema:"the team; only needed where the user belongs to several"`
}

type statusShown struct {
	stage

	Description string `json:"description"`
	Rank        int    `json:"rank" jsonschema:"its place in the pipeline"`
}

type statusesFound struct {
	AccountID uuid.UUID     `json:"account_id"`
	Statuses  []statusShown `json:"statuses"`
}

func statusesTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "list_statuses", Annotations: reading("List pipeline statuses"),
		Description: "Lists the statuses (stages) of a team's pipeline in their order. Tools that take a status take its " +
			"id or its name.",
	}
}

func listStatuses(
	ctx context.Context, api *client.Client, in statusesWanted,
) (found statusesFound, sentence string, err error) {
	if found.AccountID, err = accountOf(ctx, api, in.AccountID); err != nil {
		return found, "", err
	}
	listed, err := api.ListCompanyStatuses(ctx, found.AccountID, client.ListCompanyStatusesParams{})
	if err != nil {
		return found, "", err
	}
	found.Statuses = []statusShown{}
	for _, one := range listed {
		found.Statuses = append(found.Statuses, statusShown{
			stage{one.ID, cut(one.Name, lineSize)}, cut(deref(one.Description), quoteSize), one.Rank,
		})
	}
	return found, fmt.Sprintf("The pipeline has %s.", counted(len(found.Statuses), "status")), nil
}

// noStatus is passed to a tool in place of the name of a status, for a company without a status.
const noStatus = "no_status"

// statusOf returns the id of the account's status with this id or name, in any case; the first one if several have the
// name. It returns nil for noStatus. If there is no such status, the error is a mistake that lists the names of the
// account's statuses.
func statusOf(ctx context.Context, api *client.Client, accountID uuid.UUID, named string) (*uuid.UUID, error) {
	if named == noStatus {
		return nil, nil
	}
	found, _, err := listStatuses(ctx, api, statusesWanted{AccountID: accountID})
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, one := range found.Statuses {
		if strings.EqualFold(one.Name, strings.TrimSpace(named)) || strings.EqualFold(one.ID.String(), named) {
			return &one.ID, nil
		}
		names = append(names, one.Name)
	}
	return nil, wrong("The team has no status %q. It has: %s. Take one of these, or %s for "+
		"none.", cut(named, lineSize), strings.Join(names, ", "), noStatus)
}

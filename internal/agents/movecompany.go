package agents

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

type moveWanted struct {
	CompanyID uuid.UUID `json:"company_id"`
	Status    string    `json:"status" jsonschema:"id or name of a status of list_statuses, or no_status"`
}

func moveTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "move_company", Annotations: replacing("Move a company"),
		Description: `Moves a company to another status of its team's pipeline. Needs a key with the scope write.`,
	}
}

func moveCompany(
	ctx context.Context, api *client.Client, in moveWanted,
) (moved companyFound, sentence string, err error) {
	var body client.ChangeCompanyBody
	if body.CompanyStatusID, err = statusChange(ctx, api, in.CompanyID, in.Status); err != nil {
		return moved, "", err
	}
	moved, err = change(ctx, api, in.CompanyID, body)
	return moved, fmt.Sprintf("Moved company %s.", in.CompanyID), err
}

// statusChange returns the change of a company's status to the status with this id or name; noStatus clears the status.
// It does not check an id. The error is a mistake if the company's account has no status of this name.
func statusChange(
	ctx context.Context, api *client.Client, companyID uuid.UUID, named string,
) (client.Change[uuid.UUID], error) {
	if id, err := uuid.Parse(named); err == nil {
		return client.Set(id), nil
	}
	about, err := api.GetCompany(ctx, companyID, client.GetCompanyParams{})
	if err != nil {
		return client.Change[uuid.UUID]{}, err
	}
	id, err := statusOf(ctx, api, about.Company.AccountID, named)
	if id == nil {
		return client.Clear[uuid.UUID](), err
	}
	return client.Set(*id), err
}

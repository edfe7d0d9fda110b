package agents

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

type additionWanted struct {
	repeatable

	Text       string            `json:"text" jsonschema:"the pitch, mail or note, as it was written"`
	AccountID  uuid.UUID         `json:"account_id,omitzero" jsonschema:"the team; only needed where the user belongs to several"`
	Name       string            `json:"name,omitempty" jsonschema:"where it is known; else it is found in the text"`
	Status     string            `json:"status,omitempty" jsonschema:"id or name of a status; else it is found in the text"`
	Source     client.Source     `json:"source,omitempty" jsonschema:"where it is known; else it is found in the text"`
	Visibility client.Visibility `json:"visibility,omitempty" jsonschema:"who of the team sees it: all (team, where it is left out), those it is shared with, or the user alone"`
	Notes      string            `json:"notes,omitempty" jsonschema:"of the team, beside the text"`
	DryRun     bool              `json:"dry_run,omitempty" jsonschema:"true: say what would be found, and store nothing"`
}

func additionTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "add_company", Annotations: adding("Add a company"),
		Description: "Adds a company from a text. The service reads name, founders, summary, status, source and deck " +
			"link out of it, and answers with what it found\n" +
			"and the quotes that prove it. With dry_run nothing is stored. Needs a key with the scope write.",
	}
}

func addCompany(
	ctx context.Context, api *client.Client, in additionWanted,
) (made companyShown, sentence string, err error) {
	form := client.AICreationForm{
		Text: strings.NewReader(in.Text), Name: given(in.Name), Source: given(in.Source), Visibility: given(in.Visibility),
		Notes: given(in.Notes), DryRun: given(in.DryRun),
	}
	if form.AccountID, err = accountOf(ctx, api, in.AccountID); err != nil {
		return made, "", err
	}
	if in.Status != "" {
		if form.CompanyStatusID, err = statusOf(ctx, api, form.AccountID, in.Status); err != nil {
			return made, "", err
		}
	}
	added, err := api.CreateCompanyByAI(ctx, form, in.options()...)
	if err != nil {
		return made, "", err
	}
	made = showCompany(added.Company, &added.Analysis)
	switch {
	case made.ID == nil:
		sentence = "Nothing was stored: this is what would be found."
	case !made.Analyzed:
		sentence = fmt.Sprintf("Added company %s. Its analysis goes on: read it with get_company later.", made.ID)
	default:
		sentence = fmt.Sprintf("Added company %s.", made.ID)
	}
	return made, sentence, nil
}

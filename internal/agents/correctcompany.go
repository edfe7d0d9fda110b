package agents

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

type correctionWanted struct {
	CompanyID uuid.UUID     `json:"company_id"`
	Name      string        `json:"name,omitempty"`
	Source    client.Source `json:"source,omitempty"`
	Status    string        `json:"status,omitempty" jsonschema:"id or name of the status that its text names, or no_status"`
	Founders  []founder     `json:"founders,omitempty" jsonschema:"all founders as they should be: they replace those that stand; an empty list removes them"`
}

func correctionTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "correct_company", Annotations: replacing("Correct a company"),
		Description: "Corrects what the analysis of a company got wrong: name, source, status or founders. What is " +
			"left out stays. The team's later analyses learn\n" +
			"from it, so correct only what the user says is wrong; to move a deal on, " +
			"use move_company. Needs a key with the scope write.",
	}
}

func correctCompany(
	ctx context.Context, api *client.Client, in correctionWanted,
) (changed companyFound, sentence string, err error) {
	if in.Name == "" && in.Source == "" && in.Status == "" && in.Founders == nil {
		return changed, "", wrong("Nothing to correct was given: give name, source, status or founders.")
	}
	body := client.ChangeCompanyBody{Name: given(in.Name), Source: given(in.Source)}
	if in.Founders != nil {
		body.Metadata = map[string]any{"founders": wholeFounders(in.Founders)}
	}
	if in.Status != "" {
		if body.CompanyStatusID, err = statusChange(ctx, api, in.CompanyID, in.Status); err != nil {
			return changed, "", err
		}
	}
	changed, err = change(ctx, api, in.CompanyID, body)
	return changed, fmt.Sprintf("Corrected company %s.", in.CompanyID), err
}

// wholeFounders returns founders with all members that the API has for a founder. Unknown values are "".
func wholeFounders(founders []founder) []map[string]string {
	whole := []map[string]string{}
	for _, one := range founders {
		whole = append(whole, map[string]string{
			"name": one.Name, "title": one.Title, "email": one.Email, "phone": one.Phone, "linkedin_profile": one.LinkedIn,
			"background": one.Background,
		})
	}
	return whole
}

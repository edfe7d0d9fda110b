package agents

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

type noteWanted struct {
	repeatable

	CompanyID   uuid.UUID `json:"company_id"`
	Title       string    `json:"title" jsonschema:"such as: First call"`
	Content     string    `json:"content,omitempty" jsonschema:"Markdown"`
	MeetingDate string    `json:"meeting_date,omitempty" jsonschema:"of minutes: when the meeting was (RFC 3339)"`
	Attendees   []string  `json:"attendees,omitempty" jsonschema:"of minutes: who was there"`
}

func noteTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "add_note", Annotations: adding("Add a note"),
		Description: `Adds a note, or the minutes of a meeting, to a company. Needs a key with the scope write.`,
	}
}

func addNote(ctx context.Context, api *client.Client, in noteWanted) (made recordShown, sentence string, err error) {
	met, err := timeOf("meeting_date", in.MeetingDate)
	if err != nil {
		return made, "", err
	}
	about, err := api.GetCompany(ctx, in.CompanyID, client.GetCompanyParams{})
	if err != nil {
		return made, "", err
	}
	body := client.CreateMeetingMinutesBody{
		Title: in.Title, Content: given(in.Content), CompanyID: &in.CompanyID, Attendees: in.Attendees,
		MeetingDate: met,
	}
	minutes, err := api.CreateMeetingMinutes(ctx, about.Company.AccountID, body, in.options()...)
	if err != nil {
		return made, "", err
	}
	return showMinutes(minutes), fmt.Sprintf("Added note %s.", minutes.ID), nil
}

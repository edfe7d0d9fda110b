package agents

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dealflow/client"
)

// repeatable is embedded in the arguments of a tool that does more if it is called again, such as adding another
// company. A second call with the same key and arguments returns the first answer and does nothing. The same key with
// other arguments is refused.
type repeatable struct {
	IdempotencyKey string `json:"idempotency_key,omitempty" jsonschema:"of your own, such as a UUID: the same call with the same key does nothing a second time"`
}

func (r repeatable) options() []client.Option {
	if r.IdempotencyKey == "" {
		return nil
	}
	return []client.Option{client.IdempotencyKey(r.IdempotencyKey)}
}

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

func change(
	ctx context.Context, api *client.Client, id uuid.UUID, body client.ChangeCompanyBody,
) (companyFound, error) {
	changed, err := api.ChangeCompany(ctx, id, client.ChangeCompanyParams{}, body)
	if err != nil {
		return companyFound{}, err
	}
	return showBriefly(id, changed.Company), nil
}

// showBriefly returns a company as it is shown in lists, but with this id.
func showBriefly(id uuid.UUID, one client.Company) companyFound {
	shown := showCompany(one, nil)
	names := []string{}
	for _, one := range shown.Untrusted.Founders {
		names = append(names, one.Name)
	}
	return companyFound{
		ID: id, AccountID: shown.AccountID, Status: shown.Status, Source: shown.Source, UpdatedAt: deref(shown.UpdatedAt),
		Untrusted: brief{shown.Untrusted.Name, cut(shown.Untrusted.Summary, quoteSize), names},
	}
}

type noteWanted struct {
	repeatable

	CompanyID   uuid.UUID `json:"company_id"`
	Title       string    `json:"title" jsonschema:"such as: First call"`
	Content     string    `json:"content,omitempty" jsonschema:"Markdown"`
	MeetingDate time.Time `json:"meeting_date,omitzero" jsonschema:"of minutes: when the meeting was (RFC 3339)"`
	Attendees   []string  `json:"attendees,omitempty" jsonschema:"of minutes: who was there"`
}

func noteTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "add_note", Annotations: adding("Add a note"),
		Description: `Adds a note, or the minutes of a meeting, to a company. Needs a key with the scope write.`,
	}
}

func addNote(ctx context.Context, api *client.Client, in noteWanted) (made recordShown, sentence string, err error) {
	about, err := api.GetCompany(ctx, in.CompanyID, client.GetCompanyParams{})
	if err != nil {
		return made, "", err
	}
	body := client.CreateMeetingMinutesBody{
		Title: in.Title, Content: given(in.Content), CompanyID: &in.CompanyID, Attendees: in.Attendees,
	}
	if !in.MeetingDate.IsZero() {
		body.MeetingDate = &client.Time{Time: in.MeetingDate}
	}
	minutes, err := api.CreateMeetingMinutes(ctx, about.Company.AccountID, body, in.options()...)
	if err != nil {
		return made, "", err
	}
	return showMinutes(minutes), fmt.Sprintf("Added note %s.", minutes.ID), nil
}

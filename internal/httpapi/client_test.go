package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/client"
)

// client makes a generated client that acts by a key.
func (s *server) client(key string) *client.Client {
	s.Helper()
	made, err := client.New(s.url+"/api/v1", key)
	must(s.T, err)
	return made
}

func TestGeneratedClientWorksWithDeals(t *testing.T) {
	t.Parallel()
	s := start(t)
	deals, ctx := s.client(s.key), t.Context()
	made, err := deals.CreateCompanyByAI(ctx, client.AICreationForm{
		AccountID: s.account.ID, Text: strings.NewReader("Acme makes anvils."), Name: new("Acme"),
		Metadata: map[string]any{"round": 2},
		Files: []client.File{
			{Name: "deck.txt", Content: strings.NewReader("deck")}, {Name: "plan.txt", Content: strings.NewReader("plan")},
		},
	})
	must(t, err)
	id := *made.Company.ID
	if made.Company.Name != "Acme" || len(made.Attachments) != 2 || made.Company.AccountID != s.account.ID {
		t.Errorf("made %+v with the attachments %+v", made.Company, made.Attachments)
	}
	status, err := deals.CreateCompanyStatus(ctx, s.account.ID, client.CreateCompanyStatusBody{Name: "Partner meeting"})
	must(t, err)
	changed, err := deals.ChangeCompany(ctx, id, client.ChangeCompanyParams{}, client.ChangeCompanyBody{
		CompanyStatusID: client.Set(status.ID), Notes: client.Set("soon"), Visibility: new(client.VisibilityPrivate),
	})
	must(t, err)
	if c := changed.Company; c.CompanyStatus == nil || *c.CompanyStatus != status || *c.Notes != "soon" ||
		c.Visibility != client.VisibilityPrivate {
		t.Errorf("changed to %+v", c)
	}
	changed, err = deals.ChangeCompany(ctx, id, client.ChangeCompanyParams{},
		client.ChangeCompanyBody{CompanyStatusID: client.Clear[uuid.UUID]()})
	must(t, err)
	if c := changed.Company; c.CompanyStatusID != nil || *c.Notes != "soon" {
		t.Errorf("cleared to %+v", c)
	}
	attached, err := deals.CreateAttachment(ctx, id,
		client.AttachmentForm{
			File: &client.File{Name: "a.csv", Content: strings.NewReader("a,b\n1,2\n")}, Title: new("Figures"),
		})
	must(t, err)
	if attached.Title != "Figures" || *attached.OriginalFilename != "a.csv" || *attached.FileSizeBytes != 8 {
		t.Errorf("attached %+v", attached)
	}
	page, err := deals.ListCompanies(ctx, client.ListCompaniesParams{
		Search: new("anvils"), Limit: new(1), Visibility: new(client.VisibilityPrivate),
	})
	must(t, err)
	if len(page.Companies) != 1 || page.Companies[0].ID != id || page.Pagination.Limit != 1 || page.Pagination.HasNext {
		t.Errorf("listed %+v", page)
	}
	must(t, deals.DeleteCompany(ctx, id))
	if _, err := deals.GetCompany(ctx, id, client.GetCompanyParams{}); !client.HasCode(err, "not_found") {
		t.Errorf("a deleted company: %v", err)
	}
}

func TestGeneratedClientWorksWithATeam(t *testing.T) {
	t.Parallel()
	s := start(t)
	deals, ctx := s.client(s.key), t.Context()
	minutes, err := deals.CreateMeetingMinutes(ctx, s.account.ID, client.CreateMeetingMinutesBody{Title: "Call"},
		client.IdempotencyKey("once"))
	must(t, err)
	again, err := deals.CreateMeetingMinutes(ctx, s.account.ID, client.CreateMeetingMinutesBody{Title: "Call"},
		client.IdempotencyKey("once"))
	must(t, err)
	if again.ID != minutes.ID || again.Title != "Call" || again.CompanyID != nil || again.Processed {
		t.Errorf("made %+v, then %+v", minutes, again)
	}
	if _, err := deals.CreateFormSubmission(ctx, s.account.ID,
		client.CreateFormSubmissionBody{Data: []client.FormAnswer{{Key: "a", Value: "b"}}}); err != nil {
		t.Error(err)
	}
	forms, err := deals.ListFormSubmissions(ctx, s.account.ID, client.ListFormSubmissionsParams{Processed: new(false)})
	must(t, err)
	if forms.Pagination.Total != 1 || forms.Submissions[0].Data[0].Value != "b" {
		t.Errorf("listed %+v", forms)
	}
	board, err := deals.GetDashboard(ctx, s.account.ID, client.GetDashboardParams{Days: new(7)})
	must(t, err)
	if len(board.Charts.CompaniesOverTime) != 7 || len(board.PipelineSummary) != 8 {
		t.Errorf("the dashboard is %+v", board)
	}
	team, err := deals.ListMembers(ctx, s.account.ID, client.ListMembersParams{})
	must(t, err)
	if len(team.Members) != 1 || team.Members[0].Role != client.RoleOwner || len(team.Invitations) != 0 {
		t.Errorf("the team is %+v", team)
	}
	health, err := deals.GetHealth(ctx)
	must(t, err)
	ready, err := deals.GetReadiness(ctx)
	must(t, err)
	if health.Status != "ok" || ready.Workers != 1 {
		t.Errorf("health %+v, readiness %+v", health, ready)
	}
}

func TestGeneratedClientIsRefusedInTypes(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	_, strangersKey := s.stranger()
	_, notOurs := s.client(strangersKey).ListMembers(ctx, s.account.ID, client.ListMembersParams{})
	_, nobody := s.client("").ListAccounts(ctx, client.ListAccountsParams{})
	_, wrong := s.client(s.key).CreateCompany(ctx,
		client.CreateCompanyBody{AccountID: s.account.ID, Name: " ", DeckLink: new("ftp://a")})
	for name, tc := range map[string]struct {
		err    error
		status int
		fields string
	}{
		"another team": {notOurs, http.StatusForbidden, ""}, "nobody": {nobody, http.StatusUnauthorized, ""},
		"wrong fields": {wrong, http.StatusBadRequest, "name deck_link"},
	} {
		refused, is := tc.err.(*client.Error) //nolint:errorlint // it is promised as it is
		if !is || refused.Status != tc.status || refused.RequestID == "" || refused.Code == "" {
			t.Errorf("%s: %v", name, tc.err)
			continue
		}
		fields := []string{}
		for _, d := range refused.Details {
			fields = append(fields, d.Field)
		}
		if got := strings.Join(fields, " "); got != tc.fields {
			t.Errorf("%s: names %q, want %q", name, got, tc.fields)
		}
	}
}

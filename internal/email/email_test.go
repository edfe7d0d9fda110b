package email_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/blob"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

type setup struct {
	*testkit.Team

	blobs   *blob.Store
	service *email.Service
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	return newSetupOf(t, testkit.NewTeam(t))
}

func newSetupOf(t *testing.T, team *testkit.Team) *setup {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	return &setup{Team: team, blobs: blobs, service: email.New(team.DB, blobs)}
}

// add keeps an email as a user of an account; its external id is made up where there is none.
func (s *setup) add(t *testing.T, user, accountID uuid.UUID, d email.Draft) (id uuid.UUID, added bool, err error) {
	t.Helper()
	if d.ExternalID == "" {
		d.ExternalID = "<" + uuid.NewString() + "@mail.example>"
	}
	err = s.DB.As(t.Context(), user, func(tx *postgres.Tx) error {
		id, added, err = s.service.Add(tx, accountID, d)
		return err
	})
	return id, added, err
}

// receive keeps an email as the team's owner.
func (s *setup) receive(t *testing.T, d email.Draft) uuid.UUID {
	t.Helper()
	if d.FromEmail == "" {
		d.FromEmail = "ada@acme.example"
	}
	id, added, err := s.add(t, s.Owner, s.ID, d)
	if err != nil || !added {
		t.Fatalf("add: %v, added %v", err, added)
	}
	return id
}

func wantKind(t *testing.T, what string, err error, want fault.Kind, field string) {
	t.Helper()
	if !fault.Is(err, want) || field != "" && !strings.Contains(err.Error(), "; "+field+": ") {
		t.Errorf("%s: error %v, want kind %d about %q", what, err, want, field)
	}
}

func TestAnEmailComesBackAsItArrived(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	first, second := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	subject, content := "Re: Anvils", "Dear\n\n  team,\r\n\twe forge 日本語 "+strings.Repeat("é", 300)
	id := s.receive(t, email.Draft{
		ExternalID: "<1@acme.example>", FromEmail: "Ada@Acme.example", FromName: "Ada",
		ToEmails: []string{"deals@fund.example", `"odd, name"@x.example`},
		Subject:  &subject, Content: content, Tags: []string{"hot", "a,b", "hot"}, Metadata: json.RawMessage(`{"date": "x"}`),
		CompanyIDs: []uuid.UUID{first, second, first},
		Attachments: []email.Attachment{
			{Filename: "deck.pdf", ContentType: "application/pdf", SizeBytes: 12, StoragePath: "emails/x/1"},
			{Filename: "a.txt", ContentType: "text/plain", SizeBytes: 0, StoragePath: "emails/x/2"},
		},
	})
	got, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got.CompanyIDs, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	want := []uuid.UUID{first, second}
	slices.SortFunc(want, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	if got.FromEmail != "Ada@Acme.example" ||
		!slices.Equal(got.ToEmails, []string{"deals@fund.example", `"odd, name"@x.example`}) || *got.Subject != subject ||
		got.Content != content || !slices.Equal(got.Tags, []string{"hot", "a,b"}) || got.AttachmentsCount != 2 ||
		got.Processed ||
		string(got.Metadata) != `{"date": "x"}` || !slices.Equal(got.CompanyIDs, want) || got.CreatedAt.IsZero() {
		t.Errorf("read %+v", got)
	}
	if preview := "Dear team, we forge 日本語 " + strings.Repeat("é", 200-24); got.ContentPreview != preview {
		t.Errorf("the preview is %q", got.ContentPreview)
	}
	if len(got.Attachments) != 2 || got.Attachments[0].Filename != "deck.pdf" ||
		got.Attachments[1].StoragePath != "emails/x/2" || got.Attachments[0].SizeBytes != 12 ||
		got.Attachments[0].EmailID != id {
		t.Errorf("attachments %+v", got.Attachments)
	}
}

func TestABareEmail(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	got, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, s.receive(t, email.Draft{}))
	if err != nil || got.Subject != nil || got.Content != "" || got.ContentPreview != "" || got.Tags == nil ||
		got.ToEmails == nil || got.CompanyIDs == nil ||
		got.Attachments == nil || len(got.Attachments)+len(got.CompanyIDs)+len(got.Tags)+len(got.ToEmails) != 0 ||
		string(got.Metadata) != "{}" {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestWhatPostgresCannotKeepIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	subject := "a\x00b\xff"
	got, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, s.receive(t, email.Draft{
		FromEmail: "a\x00@b.example", FromName: "\xc3", ToEmails: []string{"\x00"}, Subject: &subject,
		Content:     "x\x00y\xffz " + strings.Repeat("word ", 300_000),
		Attachments: []email.Attachment{{Filename: "\x00.pdf", ContentType: "a\xff", StoragePath: "p"}},
	}))
	if err != nil || got.FromEmail != "a@b.example" || *got.Subject != "ab\uFFFD" ||
		!strings.HasPrefix(got.Content, "xy\uFFFDz word") || got.Attachments[0].Filename != ".pdf" {
		t.Errorf("read %q %q %.20q, %v", got.FromEmail, *got.Subject, got.Content, err)
	}
}

func TestAnEmailIsKeptOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	first, _, err := s.add(t, s.Owner, s.ID,
		email.Draft{
			ExternalID: "<1@x>", FromEmail: "a@x.example", Content: "first",
			Attachments: []email.Attachment{{Filename: "f", StoragePath: "p"}},
		})
	if err != nil {
		t.Fatal(err)
	}
	again, added, err := s.add(t, s.Member, s.ID,
		email.Draft{
			ExternalID: "<1@x>", FromEmail: "b@x.example", Content: "second",
			Attachments: []email.Attachment{{Filename: "g", StoragePath: "q"}},
		})
	if err != nil || added || again != first {
		t.Errorf("again: %v, added %v, %v", again, added, err)
	}
	if got, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, first); err != nil ||
		got.Content != "first" || len(got.Attachments) != 1 {
		t.Errorf("the first is now %+v, %v", got, err)
	}
	if _, added, err := s.add(t, s.Stranger, s.Rival,
		email.Draft{ExternalID: "<1@x>", FromEmail: "a@x.example"}); err != nil || !added {
		t.Errorf("another account has its own: added %v, %v", added, err)
	}
}

func TestAddRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	theirs := testkit.Company(t, s.DB, s.Rival, s.Stranger, "team")
	for name, tc := range map[string]struct {
		draft email.Draft
		field string
	}{
		"no sender":         {email.Draft{FromEmail: " "}, "from_email"},
		"long sender":       {email.Draft{FromEmail: strings.Repeat("a", 321)}, "from_email"},
		"blank id":          {email.Draft{FromEmail: "a@x.example", ExternalID: " "}, "external_id"},
		"long id":           {email.Draft{FromEmail: "a@x.example", ExternalID: strings.Repeat("é", 501)}, "external_id"},
		"blank tag":         {email.Draft{FromEmail: "a@x.example", Tags: []string{"a", ""}}, "tags.1"},
		"hidden company":    {email.Draft{FromEmail: "a@x.example", CompanyIDs: []uuid.UUID{hidden}}, "company_ids"},
		"another's company": {email.Draft{FromEmail: "a@x.example", CompanyIDs: []uuid.UUID{theirs}}, "company_ids"},
	} {
		_, _, err := s.add(t, s.Member, s.ID, tc.draft)
		wantKind(t, name, err, fault.InvalidBody, tc.field)
	}
	if _, _, err := s.add(t, s.Stranger, s.ID, email.Draft{FromEmail: "a@x.example"}); err == nil {
		t.Error("a stranger added an email")
	}
	if left := testkit.Count(t, s.URL, "emails"); left != 0 {
		t.Errorf("%d refused emails were kept", left)
	}
	s.receive(t, email.Draft{ExternalID: strings.Repeat("😀", 500), FromEmail: strings.Repeat("😀", 320)})
}

func TestGetRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.receive(t, email.Draft{})
	for name, tc := range map[string]struct {
		user, account, id uuid.UUID
		want              fault.Kind
	}{
		"unknown":         {s.Member, s.ID, uuid.New(), fault.NotFound},
		"stranger":        {s.Stranger, s.ID, id, fault.Forbidden},
		"another account": {s.Stranger, s.Rival, id, fault.NotFound},
		"no such account": {s.Member, uuid.New(), id, fault.NotFound},
	} {
		_, err := s.service.Get(t.Context(), postgres.AsUser(tc.user), tc.account, tc.id)
		wantKind(t, "get: "+name, err, tc.want, "")
		_, err = s.service.Update(t.Context(), tc.user, tc.account, tc.id, email.Changes{})
		wantKind(t, "update: "+name, err, tc.want, "")
	}
}

func TestUpdateChangesWhatWasSent(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	one, two := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	yes := true
	tests := map[string]struct {
		changes   email.Changes
		processed bool
		tags      []string
		companies []uuid.UUID
	}{
		"nothing":         {email.Changes{}, false, []string{"a"}, []uuid.UUID{one}},
		"processed":       {email.Changes{Processed: &yes}, true, []string{"a"}, []uuid.UUID{one}},
		"tags":            {email.Changes{Tags: &[]string{"b", "c", "b"}}, false, []string{"b", "c"}, []uuid.UUID{one}},
		"no tags":         {email.Changes{Tags: &[]string{}}, false, []string{}, []uuid.UUID{one}},
		"other company":   {email.Changes{CompanyIDs: &[]uuid.UUID{two, two}}, false, []string{"a"}, []uuid.UUID{two}},
		"another company": {email.Changes{CompanyIDs: &[]uuid.UUID{two, one}}, false, []string{"a"}, []uuid.UUID{one, two}},
		"no company":      {email.Changes{CompanyIDs: &[]uuid.UUID{}}, false, []string{"a"}, []uuid.UUID{}},
	}
	for name, tc := range tests {
		before, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID,
			s.receive(t, email.Draft{Tags: []string{"a"}, CompanyIDs: []uuid.UUID{one}, Content: "text"}))
		if err != nil {
			t.Fatal(err)
		}
		after, err := s.service.Update(t.Context(), s.Member, s.ID, before.ID, tc.changes)
		if err != nil || after.Processed != tc.processed || !slices.Equal(after.Tags, tc.tags) ||
			!slices.Equal(after.CompanyIDs, tc.companies) ||
			after.Content != "text" || !after.UpdatedAt.After(before.UpdatedAt) || !after.CreatedAt.Equal(before.CreatedAt) {
			t.Errorf("%s: %+v, %v", name, after, err)
		}
	}
}

func TestUpdateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.receive(t, email.Draft{})
	hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	for name, tc := range map[string]struct {
		changes email.Changes
		field   string
	}{
		"blank tag":          {email.Changes{Tags: &[]string{"a", " "}}, "tags.1"},
		"tag nobody sees":    {email.Changes{Tags: &[]string{"\u200b"}}, "tags.0"},
		"long tag":           {email.Changes{Tags: &[]string{strings.Repeat("é", 101)}}, "tags.0"},
		"too many tags":      {email.Changes{Tags: slicesOf(101)}, "tags"},
		"too many companies": {email.Changes{CompanyIDs: new(make([]uuid.UUID, 101))}, "company_ids"},
		"hidden company":     {email.Changes{CompanyIDs: &[]uuid.UUID{hidden}}, "company_ids"},
		"unknown company":    {email.Changes{CompanyIDs: &[]uuid.UUID{uuid.New()}}, "company_ids"},
	} {
		_, err := s.service.Update(t.Context(), s.Member, s.ID, id, tc.changes)
		wantKind(t, name, err, fault.InvalidBody, tc.field)
	}
	if _, err := s.service.Update(t.Context(), s.Member, s.ID, id, email.Changes{Tags: slicesOf(100)}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}

func slicesOf(count int) *[]string {
	var tags []string
	for i := range count {
		tags = append(tags, fmt.Sprint("tag ", i))
	}
	return &tags
}

// A member who does not see a company neither learns that an email is about it, nor takes it away.
func TestCompaniesAreToldToThoseWhoSeeThem(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	private, open := testkit.Company(t, s.DB, s.ID, s.Owner, "private"), testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	id := s.receive(t, email.Draft{CompanyIDs: []uuid.UUID{private, open}})
	if got, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, id); err != nil ||
		!slices.Equal(got.CompanyIDs, []uuid.UUID{open}) {
		t.Errorf("the member reads %v, %v", got.CompanyIDs, err)
	}
	for name, q := range map[string]email.ListQuery{"list": {}, "search": {Search: new("ada")}} {
		q.Page, q.CompanyID = paging.First(10), &private
		if rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, q); err != nil || len(rows) != 0 {
			t.Errorf("%s: the member finds %v by the hidden company, %v", name, rows, err)
		}
		if rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Owner), s.ID, q); err != nil || len(rows) != 1 {
			t.Errorf("%s: the owner finds %v, %v", name, rows, err)
		}
	}
	if got, err := s.service.Update(t.Context(), s.Member, s.ID, id,
		email.Changes{CompanyIDs: &[]uuid.UUID{}}); err != nil || len(got.CompanyIDs) != 0 {
		t.Errorf("the member is left with %v, %v", got.CompanyIDs, err)
	}
	if got, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, id); err != nil ||
		!slices.Equal(got.CompanyIDs, []uuid.UUID{private}) {
		t.Errorf("the owner is left with %v, %v", got.CompanyIDs, err)
	}
	testkit.DeleteCompany(t, s.DB, s.Owner, private)
	if got, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, id); err != nil || len(got.CompanyIDs) != 0 {
		t.Errorf("without its company the email is %+v, %v", got, err)
	}
}

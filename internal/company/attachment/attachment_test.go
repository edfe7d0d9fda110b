package attachment_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/attachment"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit/companykit"
)

func TestAttachedFilesAndLinks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	s.Upload(t, &d, "deck.txt")
	s.Pitch(t, d)
	plain, err := s.Attach(t, s.Member, d.CompanyID, "model.txt", nil)
	if err != nil || plain.Title != "model.txt" || *plain.OriginalFilename != "model.txt" ||
		plain.Role != company.RoleAttachment || plain.AttachmentType != company.TypeFile ||
		plain.AccountID != s.Team || *plain.MediaType != "text/plain" || *plain.SizeBytes == 0 || plain.CreatedAt.IsZero() {
		t.Errorf("attached %+v, %v", plain, err)
	}
	described, err := s.Attach(t, s.Owner, d.CompanyID, "b.txt", func(in *attachment.Draft) {
		in.Title, in.Description, in.AccountID = new(" Cap table "), new("as of May"), &s.Team
	})
	if err != nil || described.Title != "Cap table" || *described.Description != "as of May" {
		t.Errorf("attached %+v, %v", described, err)
	}
	link, err := s.Attachments.Attach(t.Context(), s.Owner,
		attachment.Draft{CompanyID: d.CompanyID, LinkURL: "https://room.example/42"})
	if err != nil || link.AttachmentType != company.TypeLink || link.Title != "https://room.example/42" ||
		link.StoragePath != nil || *link.LinkURL != link.Title {
		t.Errorf("attached %+v, %v", link, err)
	}
	files, _, err := s.Attachments.List(t.Context(), postgres.AsUser(s.Member), d.CompanyID, paging.First(100))
	if err != nil || len(files) != 3 || files[0].ID != plain.ID || files[1].ID != described.ID || files[2].ID != link.ID {
		t.Errorf("listed %+v, %v", files, err)
	}
	if got := s.Stored(t); !slices.Equal(got, []string{"companies", "companies", "companies"}) {
		t.Errorf("storage holds %v", got)
	}
	for _, id := range []uuid.UUID{plain.ID, link.ID} {
		if err := s.Attachments.Detach(t.Context(), s.Member, d.CompanyID, id); err != nil {
			t.Errorf("detach: %v", err)
		}
		if _, err := s.Attachments.Get(t.Context(), postgres.AsUser(s.Owner), d.CompanyID, id); !fault.Is(err,
			fault.NotFound) {
			t.Errorf("detached, it is still there: %v", err)
		}
	}
	if got := s.Stored(t); len(got) != 2 {
		t.Errorf("storage holds %v", got)
	}
}

func TestAttachRefusalsLeaveNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	hidden := s.Create(t, "Hidden", func(in *company.NewCompany) { in.Visibility = new("private") })
	other, err := s.Accounts.Create(t.Context(), s.Owner, "Second", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		fill     func(*attachment.Draft)
		want     fault.Kind
		field    string
	}{
		"empty title": {
			s.Owner, id, func(in *attachment.Draft) { in.Title = new("") }, fault.InvalidBody, "title",
		},
		"blank title": {
			s.Owner, id, func(in *attachment.Draft) { in.Title = new(" ") }, fault.InvalidBody, "title",
		},
		"long title": {
			s.Owner, id, func(in *attachment.Draft) {
				in.Title = new(strings.Repeat("é", 256))
			}, fault.InvalidBody, "title",
		},
		"file and link": {
			s.Owner, id, func(in *attachment.Draft) { in.LinkURL = "https://a.example" }, fault.InvalidBody, "file",
		},
		"another account": {
			s.Owner, id, func(in *attachment.Draft) { in.AccountID = &other.ID }, fault.InvalidBody, "account_id",
		},
		"another's account": {s.Owner, id, func(in *attachment.Draft) { in.AccountID = &s.Rival }, fault.Forbidden, ""},
		"no such account": {
			s.Owner, id, func(in *attachment.Draft) { in.AccountID = new(uuid.New()) }, fault.NotFound, "",
		},
		"no such company": {s.Owner, uuid.New(), nil, fault.NotFound, ""},
		"hidden":          {s.Member, hidden, nil, fault.NotFound, ""},
		"stranger":        {s.Stranger, id, nil, fault.Forbidden, ""},
	} {
		_, err := s.Attach(t, tc.user, tc.id, "a.txt", tc.fill)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != tc.want || tc.field != "" && refusal.Details[0].Field != tc.field {
			t.Errorf("%s: %v, want kind %d for %q", name, err, tc.want, tc.field)
		}
	}
	for name, in := range map[string]attachment.Draft{
		"nothing": {CompanyID: id}, "no link": {CompanyID: id, LinkURL: "ftp://a.example"},
		"script": {CompanyID: id, LinkURL: "javascript:1"},
	} {
		if _, err := s.Attachments.Attach(t.Context(), s.Owner, in); !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := s.Count(t, "company_files"); n != 0 || len(s.Stored(t)) != 0 {
		t.Errorf("%d rows are left, storage holds %v", n, s.Stored(t))
	}
	if _, err := s.Attachments.Receive(t.Context(), id, "a.txt", strings.NewReader("")); err == nil ||
		!strings.Contains(err.Error(), "file: is empty") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestAnAttachmentThatWentBeforeItWasRead(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	file, err := s.Attach(t, s.Owner, id, "rl-helv-12.pdf", nil)
	if err != nil {
		t.Fatal(err)
	}
	item := s.Claim(t)
	if err := s.Attachments.Detach(t.Context(), s.Owner, id, file.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Analyst.Read(t.Context(), item); err != nil {
		t.Errorf("reading what went: %v", err)
	}
}

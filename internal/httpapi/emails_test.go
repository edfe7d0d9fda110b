package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/email"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// receive keeps an email of the account as its owner, and returns its id.
func (s *server) receive(d email.Draft) string {
	s.Helper()
	if d.ExternalID == "" {
		d.ExternalID = uuid.NewString()
	}
	if d.FromEmail == "" {
		d.FromEmail = "ada@acme.example"
	}
	var id uuid.UUID
	must(s.T, s.db.As(s.Context(), s.owner.ID, func(tx *postgres.Tx) error {
		var err error
		id, _, err = s.deps.Emails.Add(tx, s.account.ID, d)
		return err
	}))
	return id.String()
}

func TestAnEmailIsRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	open, private := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team"),
		testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private")
	_, err := s.deps.Blobs.Write(t.Context(), "emails/1/2", strings.NewReader("attached text"), 1000)
	must(t, err)
	id := s.receive(email.Draft{
		FromEmail: "Ada@acme.example", ToEmails: []string{"deals@fund.example"}, Subject: new("Anvils <now>"),
		Content: "We make\n\nanvils & hammers.",
		Tags:    []string{"hot"}, Metadata: json.RawMessage(`{"date":"2026-03-02","n":1.50}`),
		CompanyIDs: []uuid.UUID{open, private},
		Attachments: []email.Attachment{
			{Filename: "notes é.txt", ContentType: "text/plain", SizeBytes: 13, StoragePath: "emails/1/2"},
		},
	})
	_, member := s.colleague("Mia Member", "member")
	got := s.get(s.accountPath("emails/"+id), member).want(http.StatusOK)
	url := got.text("data.email.attachments.0.download_url")
	want := object{
		"id": id, "account_id": s.account.ID.String(), "from_email": "Ada@acme.example", "subject": "Anvils <now>",
		"content_preview": "We make anvils & hammers.",
		"tags":            []any{"hot"}, "processed": false, "attachments_count": json.Number("1"),
		"created_at": got.at("data.email.created_at"),
		"to_emails":  []any{"deals@fund.example"}, "content": "We make\n\nanvils & hammers.",
		"company_ids": []any{open.String()},
		"metadata":    object{"date": "2026-03-02", "n": json.Number("1.50")}, "updated_at": got.at("data.email.created_at"),
		"attachments": []any{object{
			"id": got.at("data.email.attachments.0.id"), "email_id": id, "filename": "notes é.txt",
			"content_type": "text/plain", "size": json.Number("13"),
			"storage_path": "emails/1/2", "download_url": url, "created_at": got.at("data.email.created_at"),
		}},
	}
	if !reflect.DeepEqual(got.at("data.email"), want) {
		t.Errorf("read %s, want %v", got.Raw, want)
	}
	file := s.do(s.request(http.MethodGet, s.local(url), nil))
	if string(file.Raw) != "attached text" || !strings.Contains(file.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("downloaded %q as %s", file.Raw, file.Header.Get("Content-Disposition"))
	}
	if creator := s.get(s.accountPath("emails/"+id), s.key); len(creator.at("data.email.company_ids").([]any)) != 2 {
		t.Errorf("the private company's creator reads %s", creator.Raw)
	}
}

func TestWhoReadsEmails(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, stranger := s.stranger()
	id := s.receive(email.Draft{})
	path := s.accountPath("emails/" + id)
	for name, tc := range map[string]struct {
		path, key string
		want      int
	}{
		"stranger": {path, stranger, 403}, "nobody": {path, "", 401},
		"unknown": {s.accountPath("emails/" + missing()), s.key, 404}, "malformed": {s.accountPath("emails/42"), s.key, 404},
		"through another account": {"/api/v1/accounts/" + elsewhere.ID.String() + "/emails/" + id, stranger, 404},
	} {
		for _, got := range []reply{s.get(tc.path, tc.key), s.change(tc.path, tc.key, object{"processed": true})} {
			if got.Status != tc.want || strings.Contains(string(got.Raw), "acme") {
				t.Errorf("%s: %d %s", name, got.Status, got.Raw)
			}
		}
	}
}

func TestAnEmailIsChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team").String()
	path := s.accountPath("emails/" + s.receive(email.Draft{Tags: []string{"old"}, Content: "text"}))
	want := s.get(path, s.key).want(http.StatusOK).at("data.email").(object)
	for _, step := range []struct{ change, want object }{
		{object{"processed": true}, object{"processed": true}},
		{object{"tags": []string{"b", "a", "b"}}, object{"tags": []any{"b", "a"}}},
		{object{"company_ids": []string{company, company}}, object{"company_ids": []any{company}}},
		{object{"tags": []string{}, "company_ids": []string{}, "processed": false}, object{
			"tags": []any{}, "company_ids": []any{}, "processed": false,
		}},
		{object{"content": "ignored"}, object{}},
	} {
		got := s.change(path, s.key, step.change).want(http.StatusOK)
		maps.Copy(want, step.want)
		if got.text("data.email.updated_at") <= want["updated_at"].(string) {
			t.Errorf("%v: updated_at stayed", step.change)
		}
		want["updated_at"] = got.at("data.email.updated_at")
		if read := s.get(path, s.key); !reflect.DeepEqual(got.at("data.email"), want) ||
			!reflect.DeepEqual(read.at("data.email"), want) {
			t.Errorf("%v: %s, want %v", step.change, got.Raw, want)
		}
	}
}

func TestChangesOfAnEmailAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	hidden := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private").String()
	_, member := s.colleague("Mia Member", "member")
	path := s.accountPath("emails/" + s.receive(email.Draft{Tags: []string{"old"}}))
	before := s.get(path, s.key)
	for name, tc := range map[string]struct {
		body  object
		field string
	}{
		"null processed": {object{"processed": nil}, "processed"},
		"text processed": {object{"processed": "yes"}, "processed"},
		"null tags":      {object{"tags": nil}, "tags"}, "text as tags": {object{"tags": "hot"}, "tags"},
		"blank tag":          {object{"tags": []string{"a", " "}}, "tags.1"},
		"long tag":           {object{"tags": []string{strings.Repeat("é", 101)}}, "tags.0"},
		"too many tags":      {object{"tags": slices.Repeat([]string{"a"}, 101)}, "tags"},
		"null companies":     {object{"company_ids": nil}, "company_ids"},
		"no id":              {object{"company_ids": []string{"x"}}, "company_ids"},
		"unknown company":    {object{"company_ids": []string{missing()}}, "company_ids"},
		"hidden company":     {object{"company_ids": []string{hidden}}, "company_ids"},
		"too many companies": {object{"company_ids": slices.Repeat([]string{hidden}, 101)}, "company_ids"},
		"one of two wrong":   {object{"processed": true, "company_ids": []string{hidden}}, "company_ids"},
	} {
		got := s.change(path, member, tc.body)
		if got.Status != 400 {
			t.Errorf("%s: %s", name, got.Raw)
			continue
		}
		refusal{400, tc.field}.check(got, false)
	}
	if after := s.get(path, s.key); !reflect.DeepEqual(after.at("data"), before.at("data")) {
		t.Errorf("a refused change changed %s", after.Raw)
	}
}

func TestEmailsAreListed(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team")
	for _, d := range []email.Draft{
		{Subject: new("a"), Content: "Anvils and 日本語の会社", CompanyIDs: []uuid.UUID{company}},
		{Subject: new("b"), FromEmail: "Bob@Beta.example", Tags: []string{"hot", "it's \"5%\""}},
		{Subject: new("c"), FromEmail: "Bob@Beta.example", Content: "anvils", ToEmails: []string{"deals@fund.example"}},
	} {
		s.receive(d)
	}
	path := s.accountPath("emails")
	for query, tc := range map[string]struct {
		subjects         string
		page, limit      json.Number
		hasNext, hasPrev bool
	}{
		"":                                      {"cba", "1", "25", false, false},
		"?limit=2":                              {"cb", "1", "2", true, false},
		"?limit=2&page=2":                       {"a", "2", "2", false, true},
		"?page=9007199254740992&limit=100":      {"", "9007199254740992", "100", false, true},
		"?sort_by=updated_at&sort_order=asc":    {"abc", "1", "25", false, false},
		"?search=ANVILS":                        {"ca", "1", "25", false, false},
		"?search=anvils+deals":                  {"c", "1", "25", false, false},
		"?search=%E6%97%A5%E6%9C%AC%E8%AA%9E":   {"a", "1", "25", false, false},
		"?search=%27+%26+%7C+%21":               {"", "1", "25", false, false},
		"?search=" + strings.Repeat("%28", 500): {"", "1", "25", false, false},
		"?from_email=bob%40beta.EXAMPLE":        {"cb", "1", "25", false, false},
		"?from_email=bob":                       {"", "1", "25", false, false},
		"?company_id=" + company.String():       {"a", "1", "25", false, false},
		"?processed=false&tag=hot":              {"b", "1", "25", false, false},
		"?tag=it%27s+%225%25%22":                {"b", "1", "25", false, false},
		"?processed=true":                       {"", "1", "25", false, false},
	} {
		got := s.get(path+query, s.key).want(http.StatusOK)
		subjects := ""
		for _, e := range got.at("data.emails").([]any) {
			subjects += e.(object)["subject"].(string)
		}
		want := object{"page": tc.page, "limit": tc.limit, "has_next": tc.hasNext, "has_prev": tc.hasPrev}
		if subjects != tc.subjects || !reflect.DeepEqual(got.paged(), want) {
			t.Errorf("%q lists %s with %v, want %s with %v", query, subjects, got.at("data.pagination"), tc.subjects, want)
		}
	}
	got := s.get(path, s.key)
	shape := slices.Sorted(maps.Keys(got.keys("data.emails.0")))
	if want := []string{
		"account_id", "attachments_count", "content_preview", "created_at", "from_email", "id", "processed", "subject",
		"tags",
	}; !slices.Equal(shape, want) {
		t.Errorf("a listed email has %v", shape)
	}
}

package email_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/email"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestReadRow(t *testing.T) {
	t.Parallel()
	m, err := email.ReadRow([]byte(`{"message_id":"1@acme.example","from_email":"Ada <Ada@acme.example>",
		"to_emails":["Deals <deals@fund.example>, b@x.example","undisclosed"],"subject":"Hi",
		"html":"<p>We <b>forge</b></p>","date":"Mon, 2 Mar 2026 12:00:00 +0200","tags":"hot","metadata":{"n":1.50},
		"attachments":[{"filename":"C:\\a.pdf","content_type":"Application/PDF; x=y",
		"content_base64":"aGVs\nbG8="},{"content_base64":""}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if m.ExternalID != "<1@acme.example>" || m.FromEmail != "Ada@acme.example" || m.FromName != "Ada" ||
		m.Content != "We forge" || !slices.Equal(m.Tags, []string{"hot"}) ||
		!slices.Equal(m.ToEmails, []string{"deals@fund.example", "b@x.example", "undisclosed"}) ||
		string(m.Metadata) != `{"date":"2026-03-02T10:00:00Z","n":1.50}` {
		t.Errorf("read %+v, metadata %s", m.Draft, m.Metadata)
	}
	if len(m.Files) != 2 || m.Files[0].Filename != "a.pdf" || m.Files[0].ContentType != "application/pdf" ||
		string(m.Files[0].Content) != "hello" || m.Files[1].Filename != "attachment 2" {
		t.Errorf("files %+v", m.Files)
	}
}

func TestRowsAreKnownByWhatTheyAre(t *testing.T) {
	t.Parallel()
	id := func(row string) string {
		m, err := email.ReadRow([]byte(row))
		if err != nil {
			t.Errorf("%s: %v", row, err)
		}
		return m.ExternalID
	}
	content := id(`{"from_email":"a@b.example","content":"x"}`)
	for row, want := range map[string]string{
		`{"from_email":"a@b.example","external_id":" own ","message_id":"<m@x>"}`: "own",
		`{"from_email":"a@b.example","external_id":"< m@x >"}`:                    "<m@x>",
		`{"from_email":"a@b.example","external_id":null,"message_id":"<m@x>"}`:    "<m@x>",
		`{"content":"x", "from_email":"a@b.example", "tags":["new"]}`:             content,
	} {
		if got := id(row); got != want {
			t.Errorf("%s is known as %q, want %q", row, got, want)
		}
	}
	if other := id(`{"from_email":"a@b.example","content":"y"}`); other == content ||
		!strings.HasPrefix(content, "sha256:") {
		t.Errorf("contents %q and %q", content, other)
	}
}

func TestReadRowRefuses(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		`{"from_email":"a@b.example"`: "body: is not valid JSON",
		` null `:                      "body: must be a JSON object, not a JSON null",
		`"text"`: "body: must be a JSON object, not a JSON " +
			"string",
		`{"content":"x"}`:                                                     "from_email: is required",
		`{"from_email":"nobody"}`:                                             "from_email: is no email address",
		`{"from_email":"a@b.example","subject":1}`:                            "subject: must not be a JSON number",
		`{"from_email":"a@b.example","date":"yesterday"}`:                     "date: is no date",
		`{"from_email":"a@b.example","metadata":[1]}`:                         "metadata: must be a JSON object",
		`{"from_email":"a@b.example","tags":[""]}`:                            "tags.0: must have",
		"{\"from_email\":\"a@b.example\",\"content\":\"caf\xe9\"}":            "body: is not valid UTF-8",
		`{"from_email":"a@b.example","attachments":[{"content_base64":"!"}]}`: "attachments.0.content_base64: is not base64",
		`{"from_email":"a@b.example","content":"a\u0000b"}`:                   "content: holds a NUL character",
		`{"from_email":"a@b.example","external_id":"1\u0000"}`:                "external_id: holds a NUL character",
		`{"from_email":"a@b.example","subject":"\u0000"}`:                     "subject: holds a NUL character",
		`{"from_email":"a@b.example","to_emails":["x","\u0000"]}`:             "to_emails: holds a NUL character",
		`{"from_email":"a@b.example","tags":"\u0000"}`:                        "tags: holds a NUL character",
		`{"from_email":"a@b.example","attachments":[{"filename":"\u0000"}]}`:  "attachments: holds a NUL",
		`{"from_email":"a@b.example","metadata":{"a":[{"\u0000":1}]}}`:        "metadata: holds a NUL character",
		`{"from_email":"a@b.example","content":"\ud800"}`:                     "content: holds half of a surrogate pair",
		`{"from_email":"a@b.example","tags":["a","\udc00\ud800"]}`:            "tags: holds half of a surrogate pair",
		`{"from_email":"a@b.example","metadata":{"a":1e999}}`:                 "metadata: holds a number whose exponent",
	} {
		if _, err := email.ReadRow([]byte(row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
	}
}

func TestABackslashBeforeU0000IsNoNUL(t *testing.T) {
	t.Parallel()
	row := `{"from_email":"a@b.example","content":"x\\u0000y\ud83d\ude80","metadata":{"n":"\\u0000"}}`
	if m, err := email.ReadRow([]byte(row)); err != nil || m.Content != `x\u0000y🚀` {
		t.Errorf("read %q, %v", m.Content, err)
	}
}

func TestAddBatchKeepsWhatIsNew(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.receive(t, email.Draft{ExternalID: "old"})
	drafts := []*email.Draft{
		{ExternalID: "old", FromEmail: "x@b.example"},
		{ExternalID: "new", FromEmail: "a@b.example", ToEmails: []string{`odd "name", \ {x}@b.example`, ""}, Tags: []string{
			"a,b", `"`,
		}, Content: "a\x00b", Attachments: []email.Attachment{{
			Filename: "a.txt", ContentType: "text/plain", SizeBytes: 1, StoragePath: "emails/a",
		}}},
	}
	var added []uuid.UUID
	err := s.DB.As(t.Context(), s.Member, func(tx *postgres.Tx) (err error) {
		added, err = s.service.AddBatch(tx, s.ID, drafts)
		return err
	})
	if err != nil || !slices.Equal(added, []uuid.UUID{drafts[1].ID}) {
		t.Fatalf("added %v, %v", added, err)
	}
	got, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, added[0])
	if err != nil || !slices.Equal(got.ToEmails, drafts[1].ToEmails) || !slices.Equal(got.Tags, drafts[1].Tags) ||
		got.Content != "ab" || got.Subject != nil || len(got.Attachments) != 1 {
		t.Errorf("kept %+v, %v", got, err)
	}
	err = s.DB.As(t.Context(), s.Stranger, func(tx *postgres.Tx) error {
		_, err := s.service.AddBatch(tx, s.ID, []*email.Draft{{ExternalID: "strange", FromEmail: "a@b.example"}})
		return err
	})
	if err == nil || testkit.Count(t, s.URL, "emails") != 2 {
		t.Errorf("a stranger adds to the account: %v", err)
	}
}

func TestAttachmentsOfARowAreBounded(t *testing.T) {
	t.Parallel()
	row := `{"from_email":"a@x.example","attachments":[` +
		strings.TrimSuffix(strings.Repeat(`{"content_base64":""},`, 101), ",") + `]}`
	if read, err := email.ReadRow([]byte(row)); err != nil || len(read.Files) != 100 ||
		read.Files[99].Filename != "2 more attachments.zip" {
		t.Errorf("%v: %d files of a row", err, len(read.Files))
	}
}

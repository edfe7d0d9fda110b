package imports_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/company"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/email"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

// undoing is a team whose imports make companies and are undone.
type undoing struct {
	*fixture

	creations *creation.Service
	companies companykit.Services
	emails    *email.Service
}

func newUndoing(t *testing.T) *undoing {
	t.Helper()
	u := &undoing{fixture: newImports(t)}
	log, rules := slog.New(slog.DiscardHandler), rules.New(links.DefaultDeckClasses())
	u.emails = email.New(u.DB, u.blobs)
	u.companies = companykit.Wire(u.DB, u.blobs, u.work, 1<<20, log)
	u.creations = creation.New(u.DB, analyst.NewCreator(u.companies.Creations, analyst.New(analyst.Deps{
		DB: u.DB, Blobs: u.blobs, Work: u.work, Analyzer: rules, Now: time.Now, Logger: log,
	}), match.New()))
	return u
}

// person returns the context of a request that somebody sent.
func person(t *testing.T) context.Context {
	t.Helper()
	return postgres.WithOrigin(t.Context(), postgres.Origin{Address: "192.0.2.1"})
}

// doAll performs all work that waits, and the work that follows from it.
func (u *undoing) doAll(t *testing.T) {
	t.Helper()
	for {
		found := testkit.Texts(t, u.URL,
			`SELECT id::text FROM work WHERE state = 'queued' AND kind IN ('ingest.import', 'ingest.create', 'ingest.undo')
			ORDER BY created_at, id LIMIT 1`)
		if len(found) == 0 {
			return
		}
		item := u.claim(t, uuid.MustParse(found[0]))
		var err error
		var more bool
		switch item.Kind {
		case imports.WorkImport:
			_, err = u.writer.Write(t.Context(), item, func() bool { return false })
		case creation.WorkCreate:
			err = u.creations.Create(t.Context(), item)
		default:
			if more, err = u.writer.Undo(t.Context(), item, func() bool { return true }); err == nil && more {
				err = u.work.Again(t.Context(), item)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", item.Kind, err)
		}
	}
}

func (u *undoing) claim(t *testing.T, id uuid.UUID) work.Item {
	t.Helper()
	var attempt int
	for _, text := range testkit.Texts(t, u.URL, "SELECT attempt::text FROM work WHERE id = $1", id) {
		_, _ = fmt.Sscan(text, &attempt)
	}
	item, err := u.work.Claim(t.Context(), work.Ref{ID: id, Attempt: attempt}, time.Minute)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return item
}

// bring imports a text to its end, with the companies that are made of it.
func (u *undoing) bring(t *testing.T, kind, text string) imports.Import {
	t.Helper()
	begun, err := u.service.Begin(t.Context(), u.Owner, imports.Request{
		ID: uuid.New(), AccountID: u.ID, Kind: kind, Format: imports.FormatNDJSON,
		CreateCompanies: kind != imports.KindCompanies && kind != imports.KindAccount,
	})
	if err != nil {
		t.Fatal(err)
	}
	u.receive(t, begun, strings.NewReader(text))
	u.doAll(t)
	got := u.get(t, begun.ID)
	if got.Status != imports.StatusCompleted || got.Failed > 0 || got.Created == 0 {
		t.Fatalf("the import ended as %s, %v", counts(got), u.errors(t, got.ID))
	}
	return got
}

// undo undoes an import to its end.
func (u *undoing) undo(t *testing.T, id uuid.UUID) imports.Import {
	t.Helper()
	if _, err := u.service.BeginUndo(person(t), u.Owner, u.ID, id, "r"); err != nil {
		t.Fatal(err)
	}
	u.doAll(t)
	got := u.get(t, id)
	if got.UndoStatus == nil || *got.UndoStatus != imports.StatusCompleted ||
		got.UndoTotal != got.UndoRemoved+got.UndoKept || got.UndoFinishedAt == nil {
		t.Fatalf("the undo ended as %+v", got.Undo)
	}
	return got
}

// kept returns what the undo left as "kind name reason" lines.
func (u *undoing) kept(t *testing.T, user, id uuid.UUID) []string {
	t.Helper()
	found, err := u.service.ListKept(t.Context(), postgres.AsUser(user), u.ID, id, nil, 1000)
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(found))
	for i, one := range found {
		lines[i] = fmt.Sprint(one.Kind, " ", *one.Name, " ", one.Reason)
	}
	return lines
}

func mailWith(id, from, text string) string {
	file := base64.StdEncoding.EncodeToString([]byte("numbers of " + id))
	return fmt.Sprintf(`{"external_id":"%s","from_email":"%s","subject":"About %s","content":"%s","attachments":[{"filename":"%s.csv","content_type":"text/csv","content_base64":"%s"}]}`+"\n",
		id, from, id, text, id, file)
}

// before stores things to which imports are linked later: a company by whose founder an import brings emails, and an
// email whose sender is the founder of a company that an import brings.
func (u *undoing) before(t *testing.T) (acme uuid.UUID) {
	t.Helper()
	acme = testkit.Company(t, u.DB, u.ID, u.Owner, company.VisibilityTeam)
	testkit.Exec(t, u.URL, `UPDATE companies SET metadata = '{"founders": [{"name": "Ada", "email": "ada@acme.example"}]}' WHERE id = $1`, acme)
	err := u.DB.As(t.Context(), u.Owner, func(tx *postgres.Tx) error {
		_, _, err := u.emails.Add(tx, u.ID, email.Draft{
			ExternalID: "old", FromEmail: "bob@borealis.example",
			Content: "We build northern lights.",
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return acme
}

// exported returns lines of an export of everything, about a company of its own and one that is there.
func exported(acme uuid.UUID) string {
	status, made, at := uuid.NewString(), uuid.NewString(),
		`"created_at":"2024-02-29T12:00:00Z","updated_at":"2024-02-29T12:00:00Z"`
	file := `{"type":"file","data":{"id":"%s","company_id":"%s","role":"attachment","attachment_type":"link","position":10,"title":"Page","link_url":"https://a.example",` + at + `}}` + "\n"
	entry := `{"type":"activity","data":{"id":"%s","type":"company_added","description":"Company %s was added","company_id":"%s","created_at":"2024-02-29T12:00:00Z"}}` + "\n"
	merge := `{"type":"company_merge","data":{"id":"%s","company_id":"%s","merged_id":"%s","merged":{"name":"Kobalt",` +
		`"visibility":"team","source":"manual","metadata":{},"edited":"",` + at + `},"changed":{},"keys":["name:k %s"],` +
		`"merged_at":"2024-02-29T12:00:00Z","kept":[],"rows":[],"people":{},"statuses":{}}}` + "\n"
	return `{"type":"status","data":{"id":"` + status +
		`","name":"Dormant","color":"#123456","rank":77,"is_default":false,` + at + `}}` + "\n" +
		`{"type":"field","data":{"id":"` + uuid.NewString() +
		`","name":"ARR","field_type":"number","options":[],"required":false,"position":9,` + at + `}}` + "\n" +
		`{"type":"saved_view","data":{"id":"` + uuid.NewString() + `","name":"Sleepers","shared":true,"search":"",` +
		`"company_status_id":"` + status + `","company_status":"Dormant","no_status":false,"source":"","sort_by":"name",` +
		`"ascending":true,"columns":["status"],` + at + `}}` + "\n" +
		`{"type":"company","data":{"id":"` + made +
		`","name":"Cobalt","visibility":"team","source":"manual","company_status_id":"` + status +
		`","metadata":{},"edited":"",` + at + `,"assignees":[],"shares":[],"analysis":null,"corrections":[]}}` + "\n" +
		fmt.Sprintf(file, uuid.NewString(), made) + fmt.Sprintf(file, uuid.NewString(), acme) +
		`{"type":"meeting_minutes","data":{"id":"` + uuid.NewString() + `","title":"Call","company_id":"` + made +
		`","processed":false,` + at + `}}` + "\n" +
		`{"type":"form_submission","data":{"id":"` + uuid.NewString() + `","data":[{"key":"a"}],"company_id":"` + made +
		`","integration_type":"manual","external_id":"s1","processed":false,` + at + `}}` + "\n" +
		`{"type":"email","data":{"id":"` + uuid.NewString() +
		`","external_id":"m1","from_email":"c@cobalt.example","from_name":"C","to_emails":[],"content":"x",` +
		`"content_preview":"x","tags":[],"attachments_count":0,"processed":false,` + at + `,"companies":[{"company_id":"` +
		acme.String() + `","created_at":"2024-02-29T12:00:00Z"}]}}` + "\n" +
		fmt.Sprintf(entry, uuid.NewString(), "Cobalt", made) + fmt.Sprintf(entry, uuid.NewString(), "Acme", acme) +
		fmt.Sprintf(merge, uuid.NewString(), made, uuid.NewString(), uuid.NewString()) +
		fmt.Sprintf(merge, uuid.NewString(), acme, uuid.NewString(), uuid.NewString())
}

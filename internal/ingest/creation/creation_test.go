package creation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/blob"
	"dealflow/internal/company"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/email"
	"dealflow/internal/ingest/creation"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

// noQueue is a queue that nobody listens to: these tests claim the rows themselves.
type noQueue struct{}

func (noQueue) Enqueue(context.Context, work.Ref, time.Duration) error { return nil }

// creations is a team with what makes companies of its emails and submissions, by the built-in rules.
type creations struct {
	*testkit.Team

	folder string
	blobs  *blob.Store
	work   *work.Store
	maker  *creation.Service
	mails  *email.Service
}

func newCreations(t *testing.T) *creations {
	t.Helper()
	c := &creations{Team: testkit.NewTeam(t), folder: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	var err error
	if c.blobs, err = blob.Open(t.Context(), "file://"+c.folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.blobs.Close() })
	classes := links.DefaultDeckClasses()
	rules := rules.New(classes)
	c.work = work.NewStore(c.DB, noQueue{}, log)
	c.mails = email.New(c.DB, c.blobs)
	creations := companykit.Wire(c.DB, c.blobs, c.work, 1<<20, log).Creations
	analysts := analyst.New(analyst.Deps{
		DB: c.DB, Blobs: c.blobs, Work: c.work, Analyzer: rules, Now: time.Now, Logger: log,
	})
	c.maker = creation.New(c.DB, analyst.NewCreator(creations, analysts, match.New()))
	return c
}

// mail keeps an email and orders a company of it, as an import does.
func (c *creations) mail(t *testing.T, d email.Draft) (id uuid.UUID, ref work.Ref) {
	t.Helper()
	if d.ExternalID == "" {
		d.ExternalID = uuid.NewString()
	}
	err := c.DB.As(t.Context(), c.Owner, func(tx *postgres.Tx) (err error) {
		if id, _, err = c.mails.Add(tx, c.ID, d); err != nil {
			return err
		}
		ref, err = c.order(tx, id, creation.OfEmail)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id, ref
}

// submit keeps a submission and orders a company of it.
func (c *creations) submit(t *testing.T, answers string) (id uuid.UUID, ref work.Ref) {
	t.Helper()
	id = uuid.New()
	err := c.DB.As(t.Context(), c.Owner, func(tx *postgres.Tx) (err error) {
		err = tx.Exec("INSERT INTO form_submissions (id, account_id, data, integration_type) VALUES (?, ?, ?, 'manual')", id,
			c.ID, answers).Error
		if err == nil {
			ref, err = c.order(tx, id, creation.OfForm)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id, ref
}

// order adds the work that creates a company of an email or submission. It uses the interactive queue, where work does
// not wait for the turn of its account.
func (c *creations) order(tx *postgres.Tx, subject uuid.UUID, kind string) (work.Ref, error) {
	item, err := creation.Item(c.ID, kind, subject, "")
	if err != nil {
		return work.Ref{}, err
	}
	item.ID, item.Queue = uuid.New(), work.Interactive
	return work.Ref{ID: item.ID, Kind: item.Kind, Queue: item.Queue, Attempt: 1}, c.work.Add(tx, item)
}

func (c *creations) claim(t *testing.T, ref work.Ref, lease time.Duration) work.Item {
	t.Helper()
	item, err := c.work.Claim(t.Context(), ref, lease)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return item
}

func (c *creations) do(t *testing.T, ref work.Ref) {
	t.Helper()
	if err := c.maker.Create(t.Context(), c.claim(t, ref, time.Minute)); err != nil {
		t.Fatalf("create: %v", err)
	}
}

// outcome is the member company_match of an email's or submission's metadata, and the companies that it is linked to.
type outcome struct {
	CompanyID *uuid.UUID `json:"company_id"`
	Created   bool       `json:"created"`
	Reason    string     `json:"reason"`
	LeftOut   []string   `json:"files_left_out"`
	linked    []uuid.UUID
}

func (c *creations) outcome(t *testing.T, table string, id uuid.UUID) outcome {
	t.Helper()
	var told struct {
		Match outcome `json:"company_match"`
	}
	raw := testkit.Texts(t, c.URL, "SELECT metadata::text FROM "+table+" WHERE id = $1", id)[0]
	if err := json.Unmarshal([]byte(raw), &told); err != nil {
		t.Fatal(err)
	}
	query := "SELECT company_id::text FROM email_companies WHERE email_id = $1"
	if table == "form_submissions" {
		query = "SELECT company_id::text FROM form_submissions WHERE company_id IS NOT NULL AND id = $1"
	}
	for _, linked := range testkit.Texts(t, c.URL, query, id) {
		told.Match.linked = append(told.Match.linked, uuid.MustParse(linked))
	}
	return told.Match
}

// only returns the id of the one company that the email or submission is linked to. It fails the test if there are
// several or none, or if the metadata does not name that one.
func (o outcome) only(t *testing.T) uuid.UUID {
	t.Helper()
	if len(o.linked) != 1 || o.CompanyID == nil || *o.CompanyID != o.linked[0] || o.Reason == "" {
		t.Fatalf("outcome %+v, want one company and a reason", o)
	}
	return o.linked[0]
}

func (c *creations) companies(t *testing.T) int {
	t.Helper()
	return testkit.Count(t, c.URL, "companies")
}

// pitch is a founder's first mail.
func pitch(name, founder, address string) email.Draft {
	subject := name + " - seed round"
	return email.Draft{FromEmail: address, FromName: founder, Subject: &subject, Content: fmt.Sprintf(
		"Hi,\n\nI'm %s, founder and CEO of %s. We build heat pumps for old houses and raise EUR 800k.\nOur deck: "+
			"https://docsend.com/view/%s\n\nBest,\n%s\nCEO, %s\n%s\n",
		founder, name, strings.ToLower(founder[:4])+"12345abcdef", founder, name, address)}
}

func TestEmailBecomesACompany(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	id, ref := c.mail(t, pitch("Thermoly", "Ada Lindqvist", "ada@thermoly.example"))
	c.do(t, ref)
	told := c.outcome(t, "emails", id)
	made := told.only(t)
	if !told.Created || c.companies(t) != 1 {
		t.Errorf("outcome %+v, %d companies", told, c.companies(t))
	}
	facts := testkit.Texts(t, c.URL,
		`SELECT concat_ws('|', name, source, visibility, deck_link, metadata #>> '{founders,0,email}', created_by = $2,
			source_content) FROM companies WHERE id = $1`, made, c.Owner)[0]
	for _, want := range []string{
		"Thermoly|email|team|https://docsend.com/view/ada ",
		"|ada@thermoly.example|t|From: Ada Lindqvist <ada@thermoly.example>\nDate: ",
		"\nSubject: Thermoly - seed round\n\nHi,\n",
	} {
		if !strings.Contains(facts, strings.TrimSpace(want)) {
			t.Errorf("the company lacks %q: %s", want, facts)
		}
	}
	if testkit.Texts(t, c.URL, "SELECT processed::text FROM emails")[0] != "false" {
		t.Error("the email is marked as dealt with, which is for people to say")
	}
	if got := testkit.Texts(t, c.URL, "SELECT type FROM activity WHERE company_id = $1", made); len(got) != 1 ||
		got[0] != "company_added" {
		t.Errorf("activity %v", got)
	}
}

func TestSameCompanyIsLinkedWhereverItComesFrom(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	first, ref := c.mail(t, pitch("Thermoly", "Ada Lindqvist", "ada@thermoly.example"))
	c.do(t, ref)
	made := c.outcome(t, "emails", first).only(t)
	again := pitch("Thermoly", "Ada Lindqvist", "ada@thermoly.example")
	colleague := pitch("Thermoly Heating", "Bruno Keller", "bruno@mail.thermoly.example")
	reply := email.Draft{FromEmail: "ada@thermoly.example", Content: "Thanks, Tuesday at ten is fine."}
	for name, d := range map[string]email.Draft{"again": again, "a colleague": colleague, "an answer": reply} {
		id, ref := c.mail(t, d)
		c.do(t, ref)
		if told := c.outcome(t, "emails", id); told.only(t) != made || told.Created {
			t.Errorf("%s: %+v, want %v", name, told, made)
		}
	}
	id, ref := c.submit(t,
		`[{"key": "a", "label": "Company name", "type": "INPUT_TEXT", "value": "THERMOLY GmbH"}, {"key": "b", "label": `+
			`"What do you do?", "value": "Heat pumps for old houses in the north"}]`)
	c.do(t, ref)
	if told := c.outcome(t, "form_submissions", id); told.only(t) != made || told.Created {
		t.Errorf("form: %+v, want %v", told, made)
	}
	other, ref := c.mail(t, pitch("Thermoly", "Carla Rossi", "carla@thermoly-labs.example"))
	c.do(t, ref)
	if told := c.outcome(t, "emails", other); told.only(t) == made || !told.Created ||
		!strings.Contains(told.Reason, "another domain") {
		t.Errorf("another company of the name: %+v", told)
	}
	if n := c.companies(t); n != 2 {
		t.Errorf("%d companies, want 2", n)
	}
}

func TestFormBecomesACompany(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	id, ref := c.submit(t,
		`[{"key": "a", "label": "Company name", "type": "INPUT_TEXT", "value": "Brackenfield"}, {"key": "b", "label": "Your email", "type": "INPUT_EMAIL", "value": "ivy@brackenfield.example"},
		{"key": "c", "label": "Pitch deck", "type": "FILE_UPLOAD", "value": [{"id": "x", "name": "Deck.pdf", "url": "https://storage.tally.so/private/Deck.pdf?id=x&signature=y"}]}]`)
	c.do(t, ref)
	told := c.outcome(t, "form_submissions", id)
	facts := testkit.Texts(t, c.URL, "SELECT concat_ws('|', name, source, deck_link) FROM companies WHERE id = $1",
		told.only(t))[0]
	if !told.Created || facts != "Brackenfield|form|https://storage.tally.so/private/Deck.pdf?id=x&signature=y" {
		t.Errorf("%+v: %s", told, facts)
	}
}

func TestNothingIsMadeOfNothing(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	blank, subjectless := " \n", email.Draft{FromEmail: "ada@thermoly.example", Content: "\t \n"}
	subjectless.Subject = &blank
	id, ref := c.mail(t, subjectless)
	c.do(t, ref)
	if told := c.outcome(t, "emails", id); told.CompanyID != nil || len(told.linked) > 0 || told.Created ||
		!strings.Contains(told.Reason, "no text") {
		t.Errorf("blank email: %+v", told)
	}
	form, ref := c.submit(t,
		`[{"key": "a", "label": "Company name", "value": " "}, {"key": "b", "value": null}, {"key": "c", "value": []}]`)
	c.do(t, ref)
	if told := c.outcome(t, "form_submissions", form); told.CompanyID != nil || len(told.linked) > 0 ||
		!strings.Contains(told.Reason, "no text") {
		t.Errorf("blank form: %+v", told)
	}
	gone, ref := c.mail(t, pitch("Thermoly", "Ada Lindqvist", "ada@thermoly.example"))
	testkit.Exec(t, c.URL, "DELETE FROM emails WHERE id = $1", gone)
	c.do(t, ref)
	taken, ref := c.submit(t, `[{"key": "a", "value": "Thermoly"}]`)
	known := testkit.Company(t, c.DB, c.ID, c.Owner, company.VisibilityTeam)
	testkit.Exec(t, c.URL, "UPDATE form_submissions SET company_id = $1 WHERE id = $2", known, taken)
	c.do(t, ref)
	if told := c.outcome(t, "form_submissions", taken); len(told.linked) != 1 || told.linked[0] != known || told.Created {
		t.Errorf("a submission of a company: %+v", told)
	}
	if n := c.companies(t); n != 1 {
		t.Errorf("%d companies, want the one that was there", n)
	}
}

func TestAttachmentsBecomeFiles(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	d := pitch("Thermoly", "Ada Lindqvist", "ada@thermoly.example")
	for _, name := range []string{"plan.txt", "gone.txt"} {
		key := "emails/" + strings.TrimSuffix(name, ".txt")
		if name != "gone.txt" {
			if _, err := c.blobs.Write(t.Context(), key, strings.NewReader("the plan of Thermoly"), 1000); err != nil {
				t.Fatal(err)
			}
		}
		d.Attachments = append(d.Attachments,
			email.Attachment{Filename: name, ContentType: "text/plain", SizeBytes: 20, StoragePath: key})
	}
	id, ref := c.mail(t, d)
	c.do(t, ref)
	told := c.outcome(t, "emails", id)
	if len(told.LeftOut) != 1 || !strings.HasPrefix(told.LeftOut[0], "gone.txt: ") {
		t.Errorf("left out %v", told.LeftOut)
	}
	path := testkit.Texts(t, c.URL,
		"SELECT storage_path FROM company_files WHERE company_id = $1 AND original_filename = 'plan.txt'", told.only(t))
	if len(path) != 1 {
		t.Fatalf("files %v", path)
	}
	if found, err := c.blobs.Exists(t.Context(), path[0]); err != nil || !found ||
		!strings.HasPrefix(path[0], "companies/") {
		t.Errorf("%s is not in storage: %v", path[0], err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.folder, "incoming", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestLostAttemptMakesNothingTwice lets a worker lose its lease in the middle, at the moment when another has done
// the work.
func TestLostAttemptMakesNothingTwice(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	id, ref := c.mail(t, pitch("Thermoly", "Ada Lindqvist", "ada@thermoly.example"))
	lost := c.claim(t, ref, time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	found, err := c.work.Due(t.Context(), 0, 10)
	if err != nil || len(found) != 1 || found[0].Attempt != 2 {
		t.Fatalf("Due = %v, %v", found, err)
	}
	c.do(t, found[0].Ref)
	if err := c.maker.Create(t.Context(), lost); !errors.Is(err, work.ErrLost) {
		t.Errorf("the lost attempt: %v, want ErrLost", err)
	}
	made := c.outcome(t, "emails", id).only(t)
	if c.companies(t) != 1 || testkit.Count(t, c.URL, "activity") != 1 {
		t.Errorf("%d companies, %d activities", c.companies(t), testkit.Count(t, c.URL, "activity"))
	}
	testkit.DeleteCompany(t, c.DB, c.Owner, made)
	if err := c.maker.Create(t.Context(), lost); !errors.Is(err, work.ErrLost) {
		t.Errorf("the lost attempt after the company was deleted: %v, want ErrLost", err)
	}
	if c.companies(t) != 0 {
		t.Error("a deleted company was made again")
	}
}

// TestManyWorkersMakeEachCompanyOnce lets workers that die at random work off mails of a few companies, whose senders
// and names vary.
func TestManyWorkersMakeEachCompanyOnce(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	names, founders := []string{"Thermoly", "Quantiqa", "Ferrovia"},
		[]string{"Ada Lindqvist", "Bruno Keller", "Carla Rossi"}
	var refs []work.Ref
	for n := range 24 {
		name, founder := names[n%3], founders[n/3%3]
		address := strings.ToLower(founder[:4]) + "@" + strings.ToLower(name) + ".example"
		_, ref := c.mail(t, pitch(name+[]string{"", " GmbH", ", Inc."}[n/9%3], founder, strings.ReplaceAll(address, " ", "")))
		refs = append(refs, ref)
	}
	var workers sync.WaitGroup
	for n, ref := range refs {
		workers.Go(func() {
			lease := time.Minute
			if n%4 == 0 {
				lease = time.Millisecond
			}
			item, err := c.work.Claim(t.Context(), ref, lease)
			if err == nil {
				err = c.maker.Create(t.Context(), item)
			}
			if err != nil && !errors.Is(err, work.ErrLost) && !errors.Is(err, work.ErrTaken) {
				t.Errorf("work %d: %v", n, err)
			}
		})
		if n%4 == 3 {
			c.sweep(t)
		}
	}
	workers.Wait()
	for range 5 {
		c.sweep(t)
	}
	if n := c.companies(t); n != 3 {
		t.Errorf("%d companies, want 3: %v", n, testkit.Texts(t, c.URL, "SELECT name FROM companies"))
	}
	if open := testkit.Texts(t, c.URL, "SELECT id::text FROM work WHERE state <> 'done'"); len(open) > 0 {
		t.Errorf("%d pieces of work are not done", len(open))
	}
	if alone := testkit.Texts(t, c.URL,
		"SELECT e.id::text FROM emails e WHERE (SELECT count(*) FROM email_companies l WHERE l.email_id = e.id) <> 1"); len(
		alone,
	) > 0 {
		t.Errorf("%d emails have no company, or several", len(alone))
	}
}

// sweep performs the work that the queue lost.
func (c *creations) sweep(t *testing.T) {
	t.Helper()
	time.Sleep(5 * time.Millisecond)
	due, err := c.work.Due(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range due {
		item, err := c.work.Claim(t.Context(), found.Ref, time.Minute)
		if errors.Is(err, work.ErrTaken) {
			continue
		}
		if err == nil {
			err = c.maker.Create(t.Context(), item)
		}
		if err != nil && !errors.Is(err, work.ErrLost) {
			t.Errorf("swept work: %v", err)
		}
	}
}

func TestUnknownOrdersAreRefused(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	subject := uuid.New()
	for _, input := range []string{`{"kind": "fax"}`, `{}`, `[]`} {
		if err := c.maker.Create(t.Context(),
			work.Item{SubjectID: &subject, UserID: c.Owner, AccountID: c.ID, Input: json.RawMessage(input)}); err == nil {
			t.Errorf("%s was done", input)
		}
	}
	if c.companies(t) != 0 {
		t.Error("a company was made")
	}
}

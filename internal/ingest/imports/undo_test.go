package imports_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/attachment"
	"dealflow/internal/company/plain"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/meeting"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestAnUndoneImportLeavesNothing(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	acme := u.before(t)
	const companies = `{"external_id":"1","text":"Borealis paints the sky. Founder: Bob Berg <bob@borealis.example>"}` +
		"\n" + `{"external_id":"2","text":"Dunes","name":"Dunes"}` + "\n"
	forms := `{"external_id":"1","data":[{"key":"company","label":"Company","type":"INPUT_TEXT","value":"Elm Forest"}]}` +
		"\n" +
		`{"external_id":"2","company_id":"` + acme.String() + `","data":[{"key":"a"}]}` + "\n"
	mails := mailWith("1", "ada@acme.example", "More anvils of every kind") +
		mailWith("2", "fay@fjord.example", "Fjord ferries people. We raise 2m for Fjord.") +
		mailWith("3", "fay@fjord.example", "Fjord again, as I wrote before about Fjord.")
	for name, tc := range map[string]struct {
		kind, text string
		things     int64 // at least
	}{
		"companies": {imports.KindCompanies, companies, 2},
		"emails":    {imports.KindEmails, mails, 5},
		"forms":     {imports.KindForms, forms, 3},
		"account":   {imports.KindAccount, exported(acme), 13},
	} {
		was := testkit.Snapshot(t, u.URL, u.ID)
		it := u.bring(t, tc.kind, tc.text)
		if len(testkit.Snapshot(t, u.URL, u.ID)) <= len(was) {
			t.Fatalf("%s: the import brought nothing", name)
		}
		got := u.undo(t, it.ID)
		if got.UndoKept != 0 || got.UndoTotal < tc.things {
			t.Errorf("%s: %+v, kept %v", name, got.Undo, u.kept(t, u.Owner, it.ID))
		}
		testkit.CompareSnapshots(t, testkit.Snapshot(t, u.URL, u.ID), was)
		again, err := u.service.BeginUndo(person(t), u.Owner, u.ID, it.ID, "r") // whose answer was lost
		if err != nil || *again.UndoStatus != imports.StatusCompleted || again.UndoRemoved != got.UndoRemoved {
			t.Errorf("%s: again: %+v, %v", name, again.Undo, err)
		}
	}
	audited := testkit.Texts(t, u.URL,
		"SELECT target_name FROM audit_entries WHERE action = 'import.undone' AND ip = '192.0.2.1' ORDER BY 1")
	if !slices.Equal(audited, []string{"account", "companies", "emails", "form-submissions"}) {
		t.Errorf("the audit log has %v", audited)
	}
	if n := testkit.Texts(t, u.URL,
		"SELECT count(*)::text FROM changes WHERE kind = 'company' AND action = 'deleted'")[0]; n != "5" {
		t.Errorf("the feed tells of %s deleted companies, want 5", n)
	}
}

func TestAnUndoKeepsWhatPeopleChanged(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	var rows strings.Builder
	names := []string{"Edited", "Assigned", "Minuted", "Mailed", "Attached", "Shared", "Private", "Untouched"}
	for _, name := range names {
		fmt.Fprintf(&rows, `{"external_id":"%s","name":"%s","text":"%s builds things. Founder: Pat Lee <pat@%s.example>"}`+"\n", name, name, name, strings.ToLower(name))
	}
	it := u.bring(t, imports.KindCompanies, rows.String())
	id := map[string]uuid.UUID{}
	for _, name := range names {
		id[name] = uuid.MustParse(testkit.Texts(t, u.URL, "SELECT id::text FROM companies WHERE external_id = $1", name)[0])
	}
	change := func(name string, as uuid.UUID, ch company.Change) {
		t.Helper()
		if _, err := u.companies.Service.Update(person(t), postgres.AsUser(as), id[name], ch); err != nil {
			t.Fatal(err)
		}
	}
	change("Edited", u.Member, notes("call them"))
	change("Assigned", u.Owner, company.Change{Assignees: &[]uuid.UUID{u.Member}})
	change("Private", u.Owner, company.Change{Visibility: new(company.VisibilityPrivate)})
	minuted := id["Minuted"]
	if _, err := meeting.New(u.DB).Create(person(t), u.Owner, u.ID,
		meeting.Draft{Title: "Call", CompanyID: &minuted}); err != nil {
		t.Fatal(err)
	}
	if _, err := u.companies.Attachments.Attach(person(t), u.Owner, attachment.Draft{
		CompanyID: id["Attached"],
		LinkURL:   "https://a.example",
	}); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, u.URL, "INSERT INTO shared_links (id, account_id, short_code, created_by) VALUES ($1, $2, "+
		"'abcdefgh', $3)", u.ID, u.ID, u.Owner)
	testkit.Exec(t, u.URL, "INSERT INTO shared_link_companies (account_id, link_id, company_id, permissions, position) "+
		"VALUES ($1, $1, $2, 'view', 0)", u.ID, id["Shared"])
	u.bring(t, imports.KindEmails, mailWith("later", "pat@mailed.example", "Some news of Mailed")) // finds its company
	was := testkit.Snapshot(t, u.URL, u.ID)
	if _, err := u.service.BeginUndo(person(t), u.Member, u.ID, it.ID, "r"); err != nil {
		t.Fatal(err)
	}
	u.doAll(t)
	want := []string{
		"company Assigned changed", "company Attached has_files", "company Edited changed", "company Mailed has_emails",
		"company Minuted has_meeting_minutes",
		"company Private changed", "company Shared in_shared_link",
	}
	lines := u.kept(t, u.Owner, it.ID)
	slices.Sort(lines)
	if !slices.Equal(lines, want) {
		t.Errorf("kept %q, want %q", lines, want)
	}
	if lines := u.kept(t, u.Member, it.ID); len(lines) != len(want)-1 { // the private one is not theirs to see
		t.Errorf("a member reads %q", lines)
	}
	if got := u.get(t, it.ID); got.UndoRemoved != 1 || got.UndoKept != 7 {
		t.Errorf("the undo ended as %+v", got.Undo)
	}
	now := testkit.Snapshot(t, u.URL, u.ID)
	gone := slices.DeleteFunc(was, func(line string) bool {
		return strings.HasPrefix(line, "count ") || strings.Contains(line, id["Untouched"].String())
	})
	testkit.CompareSnapshots(t, slices.DeleteFunc(now, func(line string) bool {
		return strings.HasPrefix(line,
			"count ")
	}), gone)
	_, err := u.service.ListKept(t.Context(), postgres.AsUser(u.Stranger), u.ID, it.ID, nil, 10)
	if !fault.Is(err, fault.Forbidden) {
		t.Errorf("a stranger gets %v", err)
	}
}

func TestWhoEditsDuringAnUndoKeepsTheirWork(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	const many = 1300
	var rows strings.Builder
	for n := range many {
		fmt.Fprintf(&rows, `{"external_id":"%d","name":"C%d","text":"C%d"}`+"\n", n, n, n)
	}
	it := u.bring(t, imports.KindCompanies, rows.String())
	ids := testkit.Texts(t, u.URL, "SELECT id::text FROM companies ORDER BY id DESC") // against the order of the undo
	if _, err := u.service.BeginUndo(person(t), u.Owner, u.ID, it.ID, "r"); err != nil {
		t.Fatal(err)
	}
	var edited sync.Map
	var people sync.WaitGroup
	for part := range 4 {
		people.Go(func() {
			for n := part; n < many; n += 8 {
				id := uuid.MustParse(ids[n])
				_, err := u.companies.Service.Update(person(t), postgres.AsUser(u.Member), id, notes("mine"))
				switch {
				case err == nil:
					edited.Store(ids[n], true)
				case !fault.Is(err, fault.NotFound):
					t.Errorf("edit: %v", err)
				}
			}
		})
	}
	u.doAll(t)
	people.Wait()
	var want []string
	edited.Range(func(id, _ any) bool {
		want = append(want, id.(string)) //nolint:forcetypeassert // they are strings
		return true
	})
	slices.Sort(want)
	if left := testkit.Texts(t, u.URL, "SELECT id::text FROM companies ORDER BY 1"); !slices.Equal(left, want) ||
		len(want) == 0 {
		t.Errorf("%d companies are left, want the %d that were edited", len(left), len(want))
	}
	if got := u.get(t, it.ID); got.UndoKept != int64(len(want)) || got.UndoRemoved != many-int64(len(want)) {
		t.Errorf("the undo ended as %+v", got.Undo)
	}
	counted := testkit.Texts(t, u.URL,
		"SELECT COALESCE(sum(count), 0)::text FROM company_counts WHERE account_id = $1 AND kind = 'o'", u.ID)[0]
	if counted != fmt.Sprint(len(want)) {
		t.Errorf("the counts say %s companies, want %d", counted, len(want))
	}
}

func TestAnUndoGoesOnWhereItsWorkerDied(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	was := testkit.Snapshot(t, u.URL, u.ID)
	var rows strings.Builder
	for n := range 1200 {
		rows.WriteString(mailRow(fmt.Sprint(n), "a"))
	}
	it := u.run(t, imports.KindEmails, imports.FormatNDJSON, rows.String())
	begun, err := u.service.BeginUndo(person(t), u.Owner, u.ID, it.ID, "r")
	if err != nil {
		t.Fatal(err)
	}
	dead := u.claim(t, *begun.UndoWorkID)
	if more, err := u.writer.Undo(t.Context(), dead, func() bool { return true }); err != nil || !more {
		t.Fatalf("the first batch: %v, %v", more, err)
	}
	if got := u.get(t, it.ID); got.UndoRemoved != 500 || got.Quiet() {
		t.Errorf("after a batch %+v", got.Undo)
	}
	testkit.Exec(t, u.URL, "UPDATE work SET lease_until = now() - interval '1 minute' WHERE id = $1", dead.ID)
	if _, err := u.work.Due(t.Context(), 0, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := u.writer.Undo(t.Context(), dead, func() bool { return false }); err == nil {
		t.Error("the dead worker went on")
	}
	u.doAll(t)
	if got := u.get(t, it.ID); got.UndoRemoved != 1200 || *got.UndoStatus != imports.StatusCompleted {
		t.Errorf("it ended as %+v", got.Undo)
	}
	testkit.CompareSnapshots(t, testkit.Snapshot(t, u.URL, u.ID), was)
}

func TestAnUndoThatWasGivenUpIsAskedForAgain(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	it := u.bring(t, imports.KindCompanies, `{"external_id":"1","text":"Acme"}`+"\n")
	begun, err := u.service.BeginUndo(person(t), u.Owner, u.ID, it.ID, "r")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, u.URL, "UPDATE work SET state = 'failed', finished_at = now() WHERE id = $1", *begun.UndoWorkID)
	if ended, err := u.writer.EndLost(t.Context()); err != nil || ended != 1 {
		t.Fatalf("EndLost = %d, %v", ended, err)
	}
	if got := u.get(t, it.ID); *got.UndoStatus != imports.StatusFailed || got.UndoError == nil {
		t.Errorf("it failed as %+v", got.Undo)
	}
	u.undo(t, it.ID)
	if n := testkit.Count(t, u.URL, "companies"); n != 0 {
		t.Errorf("%d companies are left", n)
	}
}

func TestAnUndoIsRefused(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	done := u.bring(t, imports.KindCompanies, `{"external_id":"1","text":"Acme"}`+"\n")
	whole := u.bring(t, imports.KindAccount, exported(u.before(t)))
	open := u.begin(t, imports.KindEmails, imports.FormatNDJSON)
	old := u.bring(t, imports.KindCompanies, `{"external_id":"2","text":"Borealis"}`+"\n")
	testkit.Exec(t, u.URL, "DELETE FROM import_things WHERE import_id = $1", old.ID)
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		kind     fault.Kind
	}{
		"a whole account's":   {u.Member, whole.ID, fault.Forbidden},
		"a stranger":          {u.Stranger, done.ID, fault.Forbidden},
		"one that is written": {u.Owner, open.ID, fault.Conflict},
		"one of before":       {u.Owner, old.ID, fault.Conflict},
		"none":                {u.Owner, uuid.New(), fault.NotFound},
	} {
		if _, err := u.service.BeginUndo(person(t), tc.user, u.ID, tc.id, "r"); !fault.Is(err, tc.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoCompanyIsMadeBehindAnUndo(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	begun, err := u.service.Begin(t.Context(), u.Owner, imports.Request{
		ID: uuid.New(), AccountID: u.ID, Kind: imports.KindEmails, Format: imports.FormatNDJSON, CreateCompanies: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	u.receive(t, begun, strings.NewReader(mailWith("1", "fay@fjord.example", "Fjord ferries people.")+mailWith("2",
		"gil@glade.example", "Glade grows moss.")))
	u.write(t)
	first := uuid.MustParse(testkit.Texts(t, u.URL, "SELECT id::text FROM emails WHERE external_id = '1'")[0])
	if _, err := u.emails.Update(person(t), u.Owner, u.ID, first, email.Changes{Tags: &[]string{"mine"}}); err != nil {
		t.Fatal(err)
	}
	u.undo(t, begun.ID) // and then the companies that were ordered before
	if lines := u.kept(t, u.Owner, begun.ID); !slices.Equal(lines, []string{"email About 1 changed"}) {
		t.Errorf("kept %q", lines)
	}
	if n := testkit.Count(t, u.URL, "companies"); n != 0 {
		t.Errorf("%d companies were made", n)
	}
}

func notes(text string) company.Change {
	return company.Change{Changes: plain.Changes{Notes: patch.Nullable[string]{Set: true, Value: &text}}}
}

// TestAnUndoKeepsStatusesThatViewsSelect saves a view of a status that an import brought.
func TestAnUndoKeepsStatusesThatViewsSelect(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	status := uuid.New()
	it := u.bring(t, imports.KindAccount, `{"type":"status","data":{"id":"`+status.String()+`","name":"Dormant",`+
		`"color":"#123456","rank":77,"is_default":false,"created_at":"2024-02-29T12:00:00Z",`+
		`"updated_at":"2024-02-29T12:00:00Z"}}`+"\n")
	testkit.Exec(t, u.URL, `INSERT INTO saved_views (id, account_id, name, company_status_id, sort_by, ascending, columns,
		created_by) VALUES ($1, $1, 'Sleepers', $2, 'name', true, '{status}', $3)`, u.ID, status, u.Member)
	u.undo(t, it.ID)
	got := testkit.Texts(t, u.URL, "SELECT concat(company_status_id) FROM saved_views")
	if !slices.Equal(got, []string{status.String()}) {
		t.Errorf("the view selects the statuses %q, want %s", got, status)
	}
	if kept := u.kept(t, u.Owner, it.ID); !slices.Equal(kept, []string{"company_status Dormant in_use"}) {
		t.Errorf("the undo kept %q", kept)
	}
}

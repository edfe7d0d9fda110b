package transfer_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company/upload"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/transfer"
)

// elsewhere returns another installation, whose owner and member have the email addresses of those of from, in upper
// case.
func elsewhere(t *testing.T, from *fixture) *fixture {
	t.Helper()
	to := newFixture(t)
	to.exec(t, `UPDATE users SET email = 'old.' || email`)
	for user, was := range map[uuid.UUID]uuid.UUID{to.Owner: from.Owner, to.Member: from.Member} {
		var address string
		if err := from.admin.QueryRowContext(t.Context(), "SELECT email FROM users WHERE id = $1",
			was).Scan(&address); err != nil {
			t.Fatal(err)
		}
		to.exec(t, "UPDATE users SET email = $2 WHERE id = $1", user, strings.ToUpper(address))
	}
	return to
}

// restore restores lines, as an import and the upload of their files do, and returns how many things are new.
func (f *fixture) restore(t *testing.T, from *fixture, user, accountID uuid.UUID, lines []line) (made int) {
	t.Helper()
	var plain []transfer.Line
	for _, one := range lines {
		raw, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		read, err := transfer.ReadLine(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if read.Path == "" {
			plain = append(plain, read)
			continue
		}
		defer func() { // its turn is after the lines that it refers to
			content, err := f.transfer.Receive(t.Context(), bytes.NewReader(from.content(t, read)))
			if err != nil {
				t.Fatal(err)
			}
			created, err := f.transfer.RestoreContent(t.Context(), user, accountID, read, content)
			if err != nil {
				t.Errorf("restore %s: %v", read.Path, err)
			}
			if created {
				made++
			}
		}()
	}
	err := f.DB.Write(t.Context(), user, func(tx *postgres.Tx) error {
		added, err := transfer.Restore(tx, accountID, plain)
		made = len(added)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// content returns the content of a line's file where it was exported.
func (f *fixture) content(t *testing.T, of transfer.Line) []byte {
	t.Helper()
	var key string
	err := f.admin.QueryRowContext(t.Context(), `SELECT storage_path FROM company_files WHERE id = $1
		UNION SELECT storage_path FROM email_attachments WHERE id = $1 UNION SELECT raw_storage_path FROM emails
		WHERE id = $1`, of.Key).Scan(&key)
	if err != nil {
		t.Fatal(err)
	}
	return f.stored(t, key)
}

func (f *fixture) stored(t *testing.T, key string) []byte {
	t.Helper()
	object, err := f.blobs.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(object); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// comparable returns lines as sorted texts, without what differs between installations by design: ids of people, whose
// addresses are compared, and of statuses, whose names are; and without lines of types that no restore brings. It
// replaces each id that is a key of ids by its value.
func comparable(t *testing.T, lines []line, ids map[string]string) []string {
	t.Helper()
	var kept []string
	for _, one := range lines {
		switch one.Type {
		case transfer.TypeHeader, transfer.TypeAccount, transfer.TypeMember, transfer.TypeEnd, transfer.TypeStatus:
			continue
		}
		raw, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		numbers := json.NewDecoder(bytes.NewReader(raw))
		numbers.UseNumber()
		if err := numbers.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		forget(tree)
		if raw, err = json.Marshal(tree); err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for was, is := range ids {
			text = strings.ReplaceAll(strings.ReplaceAll(text, `"`+was+`"`, `"`+is+`"`), "/"+was+"/", "/"+is+"/")
		}
		kept = append(kept, text)
	}
	slices.Sort(kept)
	return kept
}

func forget(tree any) {
	switch node := tree.(type) {
	case map[string]any:
		for name, value := range node {
			switch {
			case slices.Contains([]string{"created_by", "updated_by", "user_id", "company_status_id"}, name):
				delete(node, name)
			case name == "email" || strings.HasSuffix(name, "_email"):
				node[name] = strings.ToLower(fmt.Sprint(value))
			}
			forget(value)
		}
	case []any:
		for _, value := range node {
			forget(value)
		}
	}
}

// TestAnAccountComesBackWithoutLoss restores an account into another installation, where each row must be the same, and
// restores it again, which must change nothing.
func TestAnAccountComesBackWithoutLoss(t *testing.T) {
	t.Parallel()
	from := newFixture(t)
	made := from.seed(t)
	to := elsewhere(t, from)
	lines := from.export(t, from.Owner, from.ID)
	if n := to.restore(t, from, to.Owner, to.ID, lines); n == 0 {
		t.Fatal("nothing was restored")
	}
	got, want := comparable(t, to.export(t, to.Owner, to.ID), nil), comparable(t, lines, nil)
	compare(t, got, want)
	if n := to.restore(t, from, to.Owner, to.ID, lines); n != 0 {
		t.Errorf("again, %d things are new", n)
	}
	compare(t, comparable(t, to.export(t, to.Owner, to.ID), nil), want)
	var deck, words string
	if err := to.admin.QueryRowContext(t.Context(), "SELECT deck_storage_path, words::text FROM companies WHERE id = $1",
		made.open).
		Scan(&deck, &words); err != nil {
		t.Fatal(err)
	}
	if string(to.stored(t, deck)) != "the deck" || !strings.Contains(words, "hammerschmiede") {
		t.Errorf("the deck is at %s, the words are %s", deck, words)
	}
	if n := testkit.Count(t, to.URL, "loose_files"); n != 2 {
		t.Errorf("%d files of emails are held until their sweep looks, want 2", n)
	}
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%d lines, want %d; the first that differs is\n%s\nwant\n%s", len(got), len(want), got[min(i, len(got)-1)],
				want[min(i, len(want)-1)])
		}
	}
}

// TestIDsOfOthersAreMapped restores into another account of the same database, where the ids are taken.
func TestIDsOfOthersAreMapped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.seed(t)
	testkit.Member(t, f.DB, f.Rival, f.Owner, account.RoleAdmin)
	testkit.Member(t, f.DB, f.Rival, f.Member, account.RoleMember)
	lines := f.export(t, f.Owner, f.ID)
	first := f.restore(t, f, f.Owner, f.Rival, lines)
	if first == 0 {
		t.Fatal("nothing was restored")
	}
	if n := f.restore(t, f, f.Owner, f.Rival, lines); n != 0 {
		t.Errorf("again, %d things are new", n)
	}
	mapped := map[string]string{}
	for _, kind := range restoredTables() {
		maps.Copy(mapped, f.mapping(t, kind))
	}
	compare(t, comparable(t, f.export(t, f.Owner, f.Rival), nil), comparable(t, lines, mapped))
	compare(t, comparable(t, f.export(t, f.Owner, f.ID), nil), comparable(t, lines, nil))
	// Where the first account goes, its ids are free, and what was mapped stays so.
	f.exec(t, "DELETE FROM form_submissions WHERE account_id = $1", f.ID)
	f.exec(t, "DELETE FROM companies WHERE account_id = $1", f.ID)
	plain := slices.DeleteFunc(lines, func(one line) bool { return one.Data["path"] != nil })
	if n := f.restore(t, f, f.Owner, f.Rival, plain); n != 0 {
		t.Errorf("with free ids, %d things are new", n)
	}
}

// restoredTables returns the tables whose restored rows keep their ids, or get others that are mapped.
func restoredTables() []string {
	return []string{
		"companies", "company_files", "meeting_minutes", "form_submissions", "emails",
		"email_attachments", "activity", "field_settings", "saved_views", "company_merges",
	}
}

// mapping returns the ids that the rows of the team have in the rival's account.
func (f *fixture) mapping(t *testing.T, table string) map[string]string {
	t.Helper()
	rows, err := f.admin.QueryContext(t.Context(),
		"SELECT id::text, app_restored_id($1, $2, id)::text FROM "+table+" WHERE account_id = $3", f.Rival, table, f.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var was, is string
		if err := rows.Scan(&was, &is); err != nil {
			t.Fatal(err)
		}
		found[was] = is
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRestoringRefuses tries content that is not what its line says, and people who are not admins.
func TestRestoringRefuses(t *testing.T) {
	t.Parallel()
	from := newFixture(t)
	made := from.seed(t)
	to := elsewhere(t, from)
	var deck transfer.Line
	for _, one := range from.export(t, from.Owner, from.ID) {
		raw, _ := json.Marshal(one)
		if strings.Contains(string(raw), `"id":"`+made.deck.String()) {
			deck, _ = transfer.ReadLine(raw)
		}
	}
	for name, tc := range map[string]struct {
		user    uuid.UUID
		content string
		want    fault.Kind
	}{
		"other content":   {to.Owner, "another deck", fault.InvalidBody},
		"no company":      {to.Owner, "the deck", fault.InvalidBody},
		"a plain member":  {to.Member, "the deck", fault.Forbidden},
		"an outside user": {to.Stranger, "the deck", fault.Forbidden},
	} {
		content, err := to.transfer.Receive(t.Context(), strings.NewReader(tc.content))
		if err != nil {
			t.Fatal(err)
		}
		if created, err := to.transfer.RestoreContent(t.Context(), tc.user, to.ID, deck, content); !fault.Is(err, tc.want) ||
			created {
			t.Errorf("%s: %v, %v", name, created, err)
		}
	}
	left, err := to.blobs.Sweep(t.Context(), "incoming/", time.Now().Add(time.Hour), nil)
	kept, err2 := to.blobs.Sweep(t.Context(), "companies/", time.Now().Add(time.Hour), nil)
	if left+kept != 0 || err != nil || err2 != nil {
		t.Errorf("%d and %d files were left behind, %v, %v", left, kept, err, err2)
	}
	for name, raw := range map[string]string{
		"a newer version":     `{"type":"header","data":{"format":"dealflow-export","version":2}}`,
		"another format":      `{"type":"header","data":{"format":"other","version":1}}`,
		"a view that is none": `{"type":"saved_view","data":{"id":"` + made.deck.String() + `","name":"v","sort_by":"age"}}`,
		"other metadata":      `{"type":"company","data":{"id":"` + made.deck.String() + `","metadata":[1]}}`,
		"nothing found":       `{"type":"company","data":{"id":"` + made.deck.String() + `","analysis":{"found":[]}}}`,
		"an analysis of none": lineOf("company", `"analysis":{"found":{},"analysis":[]}`),
		"no text of pages":    lineOf("file", `"text":{"pages":[{"text":"a"}]}`),
		"nobody attended":     `{"type":"meeting_minutes","data":{"id":"` + made.deck.String() + `","attendees":[null]}}`,
		"options of a kind":   `{"type":"field","data":{"id":"` + made.deck.String() + `","options":{"a":1}}}`,
		"answers to nothing":  `{"type":"form_submission","data":{"id":"` + made.deck.String() + `","data":[null]}}`,
		"a merge of a number": lineOf("company_merge", `"changed":{"name":{"from":5}}`),
		"a merge of nothing":  `{"type":"company_merge","data":{"id":"` + made.deck.String() + `","merged":{"source":"no"}}}`,
		"an unseen name":      lineOf("company", `"name":"\u200b"`),
		"an unseen title":     lineOf("meeting_minutes", `"title":"\u3164 "`),
		"a merge of unseen":   lineOf("company_merge", `"changed":{"name":{"from":"\u200b","to":"b"}}`),
		"a time without end":  lineOf("email", `"created_at":"infinity"`),
		"a share for ever":    lineOf("company", `"shares":[{"created_at":"-infinity"}]`),
		"a merge of old":      lineOf("company_merge", `"merged":{"updated_at":"now","source":"email"}`),
		"a time said twice":   lineOf("email", `"created_at":"infinity","CREATED_AT":null`),
		"who attended, twice": lineOf("meeting_minutes", `"attendees":[null],"Attendees":[]`),
		"a view twice":        lineOf("saved_view", `"name":"v","sort_by":"age","ſort_by":"name"`),
		"a merge twice":       lineOf("company_merge", `"merged":{"source":"no","SOURCE":"email"}`),
		"a merge changed it":  lineOf("company_merge", `"changed":{"name":{"from":5,"From":"a","to":"b"}}`),
		"unknown type":        `{"type":"thing","data":{"id":"` + made.deck.String() + `"}}`,
		"no id":               `{"type":"company","data":{}}`,
		"no JSON":             `{"type":`,
	} {
		if _, err := transfer.ReadLine([]byte(raw)); !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lineOf returns a line of an export that has these members.
func lineOf(kind, members string) string {
	return `{"type":"` + kind + `","data":{"id":"` + uuid.NewString() + `",` + members + `}}`
}

// TestALineThatCannotBeStoredIsRefused sends files with lines that the database refuses.
func TestALineThatCannotBeStoredIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.seed(t)
	for name, member := range map[string]string{
		"no id of a person": `"created_by":"x"`, "no role": `"role":"other"`, "no title": `"role":"attachment"`,
		"no number": `"role":"attachment","title":"t","position":"first"`, "a NUL": `"role":"attachment","title":"t\u0000"`,
	} {
		line, err := transfer.ReadLine([]byte(`{"type":"file","data":{"id":"` + uuid.NewString() + `","company_id":"` +
			made.open.String() + `","attachment_type":"file","path":"p","sha256":"` +
			"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" + `",` + member + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		content, err := f.transfer.Receive(t.Context(), strings.NewReader("test"))
		if err != nil {
			t.Fatal(err)
		}
		created, err := f.transfer.RestoreContent(t.Context(), f.Owner, f.ID, line, content)
		if created || !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%s: %v, %v, want InvalidBody", name, created, err)
		}
	}
}

// TestTheSweepEndsWhatARestoreBegan has processes end after they kept a file, one before the row that names it was
// committed, and one after that.
func TestTheSweepEndsWhatARestoreBegan(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.seed(t)
	lost, named := uuid.New(), uuid.New()
	f.exec(t, `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, position, title, storage_path,
		created_by) VALUES ($1, $2, $3, 'attachment', 'file', 9, 'terms', $4, $5)`, uuid.New(), f.ID, made.open,
		upload.RestoredKey(named), f.Owner)
	for _, id := range []uuid.UUID{lost, named} {
		for _, key := range []string{upload.ToRestoreKey(id), upload.RestoredKey(id)} {
			if err := f.blobs.Put(t.Context(), key, []byte("terms")); err != nil {
				t.Fatal(err)
			}
		}
	}
	uploads := upload.New(upload.Options{DB: f.DB, Blobs: f.blobs, Logger: slog.New(slog.DiscardHandler)})
	if n, err := uploads.Sweep(t.Context(), 0); err != nil || n != 2 {
		t.Errorf("%d files were swept, %v; want 2", n, err)
	}
	for key, want := range map[string]bool{
		upload.ToRestoreKey(lost): false, upload.RestoredKey(lost): false,
		upload.ToRestoreKey(named): false, upload.RestoredKey(named): true,
	} {
		if there, err := f.blobs.Exists(t.Context(), key); err != nil || there != want {
			t.Errorf("%s is there: %t, %v; want %t", key, there, err, want)
		}
	}
}

// TestTheSweepFindsACopyThatARestoreCouldNotRemove has a copy that was made although its answer was lost, in a storage
// that refuses to remove it: a link that leads out of the storage folder refuses everything below it.
func TestTheSweepFindsACopyThatARestoreCouldNotRemove(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.seed(t)
	line, err := transfer.ReadLine([]byte(`{"type":"file","data":{"id":"` + uuid.NewString() + `","company_id":"` +
		made.open.String() + `","attachment_type":"file","role":"attachment","title":"terms","path":"p","sha256":"` +
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	content, err := f.transfer.Receive(t.Context(), strings.NewReader("test"))
	if err != nil {
		t.Fatal(err)
	}
	copied := ""
	if _, err := f.blobs.Sweep(t.Context(), "incoming/", time.Now().Add(time.Hour),
		func(_ context.Context, key string) (bool, error) {
			copied = strings.Replace(key, "incoming/restored_", "companies/restored/", 1)
			return false, nil
		}); err != nil {
		t.Fatal(err)
	}
	if err := f.blobs.Put(t.Context(), copied, []byte("test")); err != nil {
		t.Fatal(err)
	}
	kept, aside := filepath.Join(f.folder, "companies/restored"), filepath.Join(f.folder, "aside")
	if err := cmp.Or(os.Rename(kept, aside), os.Symlink(t.TempDir(), kept)); err != nil {
		t.Fatal(err)
	}
	if created, err := f.transfer.RestoreContent(t.Context(), f.Owner, f.ID, line, content); created || err == nil {
		t.Fatalf("a file was restored into a storage that refuses it: %t, %v", created, err)
	}
	if err := cmp.Or(os.Remove(kept), os.Rename(aside, kept)); err != nil {
		t.Fatal(err)
	}
	uploads := upload.New(upload.Options{DB: f.DB, Blobs: f.blobs, Logger: slog.New(slog.DiscardHandler)})
	if n, err := uploads.Sweep(t.Context(), 0); err != nil || n != 1 {
		t.Errorf("%d files were swept, %v; want 1", n, err)
	}
	if there, err := f.blobs.Exists(t.Context(), copied); err != nil || there {
		t.Errorf("the copy is there: %t, %v", there, err)
	}
}

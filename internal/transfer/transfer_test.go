package transfer_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"dealflow/internal/blob"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/transfer"
)

// fixture is a team whose account can be exported and restored.
type fixture struct {
	*testkit.Team

	admin    *sql.DB // past row-level security
	blobs    *blob.Store
	folder   string // of blobs
	emails   *email.Service
	transfer *transfer.Service
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{Team: testkit.NewTeam(t), folder: t.TempDir()}
	var err error
	if f.admin, err = sql.Open("pgx", testkit.AdminURL(t, f.URL)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.admin.Close() })
	if f.blobs, err = blob.Open(t.Context(), (&url.URL{Scheme: "file", Path: f.folder}).String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.blobs.Close() })
	log := slog.New(slog.DiscardHandler)
	f.emails = email.New(f.DB, f.blobs)
	f.transfer = transfer.New(transfer.Deps{
		DB: f.DB, Blobs: f.blobs, Emails: f.emails, MaxFileSize: 1 << 20, Logger: log,
		Now: time.Now,
	})
	return f
}

func (f *fixture) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := f.admin.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// ids are the ids of what seed makes.
type ids struct{ open, lent, own, hidden, status, deck, email uuid.UUID }

const seededAt = "'2024-02-29 12:34:56.789012+05'::timestamptz"

// seed puts something of every kind into the team's account, each column with a value that is not its default.
func (f *fixture) seed(t *testing.T) ids {
	t.Helper()
	made := ids{
		open: uuid.New(), lent: uuid.New(), own: uuid.New(), hidden: uuid.New(), status: uuid.New(), deck: uuid.New(),
		email: uuid.New(),
	}
	f.exec(t, `INSERT INTO company_statuses (id, account_id, name, color, description, rank, created_at, updated_at)
		VALUES ($1, $2, 'Räumung', '#123456', 'a stage of ours', 77, `+seededAt+`, `+seededAt+`)`, made.status, f.ID)
	f.exec(t, `INSERT INTO field_settings (id, account_id, name, field_type, options, required, position, created_at,
		updated_at)
		VALUES ($1, $2, 'ARR', 'select', '["a", "b"]', true, 3, `+seededAt+`, `+seededAt+`)`, uuid.New(), f.ID)
	f.exec(t, `INSERT INTO saved_views (id, account_id, name, shared, search, company_status_id, source, sort_by,
			ascending, columns, created_by, created_at, updated_at)
		SELECT gen_random_uuid(), $1, n, n = 'Ours', '"quoted"', $2, 'referral', 'name', true, '{status,deck}', u,
			`+seededAt+`, `+seededAt+` + interval '1 day' FROM unnest('{Ours,Mine,"Of Mia"}'::text[], $3::uuid[]) AS v (n, u)`,
		f.ID, made.status, []string{f.Member.String(), f.Owner.String(), f.Member.String()})
	for _, c := range []struct {
		id, by     uuid.UUID
		visibility string
	}{
		{made.open, f.Member, "team"},
		{made.lent, f.Member, "shared"},
		{made.own, f.Owner, "private"},
		{made.hidden, f.Member, "private"},
	} {
		f.exec(t, `INSERT INTO companies (id, account_id, name, deck_link, visibility, source, source_content, notes,
			company_status_id,
				metadata, created_by, updated_by, created_at, updated_at, edited, external_id)
			VALUES ($1, $2, 'Acme "& <Söhne>'||$3::text, 'https://docsend.com/view/'||$3::text, $4, 'referral',
			E'a text\nof lines', '=notes', $5,
				'{"n": 12345678901234567890.12, "s": ["x", null]}', $6, $7, `+seededAt+`, now(), 'name notes', 'crm-'||$3::text)`,
			c.id, f.ID, c.id.String(), c.visibility, made.status, c.by, f.Owner)
	}
	f.exec(t, `INSERT INTO company_assignees (company_id, account_id, user_id, created_at) VALUES ($1, $2, $3,
		`+seededAt+`)`, made.open, f.ID, f.Member)
	f.exec(t, `INSERT INTO company_shares (company_id, account_id, user_id, created_at) VALUES ($1, $2, $3,
		`+seededAt+`)`, made.lent, f.ID, f.Owner)
	f.exec(t, `INSERT INTO detections (company_id, account_id, found, cues, created_at, written, analysis, review)
		VALUES ($1, $2, '{"a": 1}', '{"b": 2}', `+seededAt+`, 'w', '{"c": 3}', '{name,status}')`, made.open, f.ID)
	f.exec(t, `INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by,
		created_at, updated_at)
		VALUES ($1, 'name', $2, '"a"', '"b"', '{}', 'cut', $3, `+seededAt+`, now())`, made.open, f.ID, f.Member)
	f.seedFiles(t, made)
	f.exec(t, `INSERT INTO meeting_minutes (id, account_id, title, content, company_id, meeting_date, attendees,
		processed, metadata, created_by, created_at, updated_at)
		VALUES ($1, $2, 'Call', '# Notes', $3, now(), '{Ada,"Tom, B."}', true, '{"m": 1}', $4, `+seededAt+`, now())`,
		uuid.New(), f.ID, made.open, f.Member)
	f.exec(t, `INSERT INTO form_submissions (id, account_id, data, company_id, integration_type, external_id, metadata,
		processed, created_at, updated_at)
		VALUES ($1, $2, '[{"key":"b","a":1,"key":"twice"}]', $3, 'integration_a', 'ext', '{"f": 1}', true, `+seededAt+`, now())`, uuid.New(), f.ID, made.open)
	f.exec(t, `INSERT INTO activity (id, account_id, user_id, type, description, company_id, created_at)
		VALUES ($1, $2, $3, 'company_added', 'Company Acme was added', $4, `+seededAt+`)`, uuid.New(), f.ID, f.Member,
		made.open)
	return made
}

// put stores a content under the key that key returns for its SHA-256 in hexadecimal, and returns that hash.
func (f *fixture) put(t *testing.T, key func(sum string) string, content string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	text := hex.EncodeToString(sum[:])
	if err := f.blobs.Put(t.Context(), key(text), []byte(content)); err != nil {
		t.Fatal(err)
	}
	return text
}

func (f *fixture) seedFiles(t *testing.T, made ids) {
	t.Helper()
	key := "companies/" + made.open.String() + "/" + made.deck.String()
	sum := f.put(t, func(string) string { return key }, "the deck")
	f.exec(t, `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, position, title, description,
		storage_path,
			size_bytes, media_type, original_filename, sha256, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, 'deck', 'file', 2, 'Deck', 'said of it', $4, 8, 'text/plain', '../a:b.txt', $5, $6,
		`+seededAt+`, now())`,
		made.deck, f.ID, made.open, key, sum, f.Member)
	f.exec(t, `UPDATE companies SET deck_storage_path = $2 WHERE id = $1`, made.open, key)
	f.exec(t, `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, position, title, link_url,
		created_by)
		VALUES ($1, $2, $3, 'attachment', 'link', 10, 'Page', 'https://acme.example', $4)`, uuid.New(), f.ID, made.open,
		f.Owner)
	f.exec(t, `INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages, error, created_at)
		VALUES ($1, $2, $3, 'r', 'T', '["hammerschmiede", "two"]', 'e', `+seededAt+`)`, made.deck, f.ID, made.open)
	ofEmail := func(sum string) string { return email.FileKey(f.ID, sum) }
	raw, attached := f.put(t, ofEmail, "raw mail"), f.put(t, ofEmail, "attached")
	f.exec(t, `INSERT INTO emails (id, account_id, external_id, from_email, from_name, to_emails, subject, content,
		content_preview, tags,
			attachments_count, processed, metadata, created_at, updated_at, raw_storage_path)
		VALUES ($1, $2, '<1@x>', 'ada@acme.example', 'Ada', '{a@b.example,c@d.example}', 'Subject', E'zinnober\nline',
		'zinnober', '{t}', 1, true,
			'{"e": 1}', `+seededAt+`, now(), $3)`, made.email, f.ID, ofEmail(raw))
	f.exec(t, `INSERT INTO email_attachments (id, account_id, email_id, position, filename, content_type, size_bytes,
		storage_path, created_at)
		VALUES ($1, $2, $3, 1, 'a.txt', 'text/plain', 8, $4, `+seededAt+`)`, uuid.New(), f.ID, made.email, ofEmail(attached))
	f.exec(t, `INSERT INTO email_companies (email_id, company_id, account_id, created_at) VALUES ($1, $2, $3,
		`+seededAt+`)`, made.email, made.open, f.ID)
}

// line is a line of an export.
type line struct {
	Type string                     `json:"type"`
	Data map[string]json.RawMessage `json:"data"`
}

func (f *fixture) export(t *testing.T, user, accountID uuid.UUID) []line {
	t.Helper()
	var out bytes.Buffer
	if err := f.transfer.Export(t.Context(), postgres.AsUser(user), accountID, "", &out); err != nil {
		t.Fatal(err)
	}
	var lines []line
	for text := range strings.Lines(out.String()) {
		var one line
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, one)
	}
	return lines
}

// TestExportLeavesOutNoColumn compares the lines with the schema: each column is in them, or is named here.
func TestExportLeavesOutNoColumn(t *testing.T) {
	t.Parallel()
	f := newMerged(t)
	f.seed(t)
	lines := f.export(t, f.Owner, f.ID)
	parts := func(kind, member string) map[string]json.RawMessage {
		for _, one := range lines {
			var rows []map[string]json.RawMessage
			var row map[string]json.RawMessage
			switch {
			case one.Type != kind:
			case member == "":
				return one.Data
			case json.Unmarshal(one.Data[member], &rows) == nil && len(rows) > 0:
				return rows[0]
			case json.Unmarshal(one.Data[member], &row) == nil && row != nil:
				return row
			}
		}
		return nil
	}
	const made = " id account_id words storage_path"
	for table, tc := range map[string]struct{ kind, member, left string }{
		"company_statuses":  {transfer.TypeStatus, "", ""},
		"field_settings":    {transfer.TypeField, "", ""},
		"saved_views":       {transfer.TypeView, "", ""},
		"companies":         {transfer.TypeCompany, "", "deck_storage_path"}, // it is that of the deck
		"company_assignees": {transfer.TypeCompany, "assignees", "company_id"},
		"company_shares":    {transfer.TypeCompany, "shares", "company_id"},
		"detections":        {transfer.TypeCompany, "analysis", "company_id"},
		"corrections":       {transfer.TypeCompany, "corrections", "company_id"},
		"company_files":     {transfer.TypeFile, "", ""},
		"file_texts":        {transfer.TypeFile, "text", "file_id company_id"},
		"meeting_minutes":   {transfer.TypeMinutes, "", ""},
		"form_submissions":  {transfer.TypeSubmission, "", ""},
		"emails":            {transfer.TypeEmail, "", "raw_storage_path"}, // it has lines of its own
		"email_attachments": {transfer.TypeEmailFile, "", ""},
		"email_companies":   {transfer.TypeEmail, "companies", "email_id"},
		"activity":          {transfer.TypeActivity, "", ""},
		"company_merges":    {transfer.TypeMerge, "", ""},

		"company_merge_rows": {transfer.TypeMerge, "rows", "merge_id"},
	} {
		found := parts(tc.kind, tc.member)
		if found == nil {
			t.Errorf("%s: no line of the type %s has it", table, tc.kind)
			continue
		}
		rows, err := f.admin.QueryContext(t.Context(),
			"SELECT column_name FROM information_schema.columns WHERE table_name = $1", table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var column string
			if err := rows.Scan(&column); err != nil {
				t.Fatal(err)
			}
			if _, has := found[column]; !has && !slices.Contains(strings.Fields(tc.left+made), column) {
				t.Errorf("%s.%s is not exported: %v", table, column, slices.Sorted(maps.Keys(found)))
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExportedTimesAreInUTCWithSixDecimals(t *testing.T) {
	t.Parallel()
	f := newMerged(t)
	f.seed(t)
	when := regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d[-+:.\dZ]*`)
	format := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d{6}Z$`)
	found := 0
	check := func(where, text string) {
		for _, at := range when.FindAllString(text, -1) {
			found++
			if !format.MatchString(at) {
				t.Errorf("%s has the time %s", where, at)
			}
		}
	}
	for _, one := range f.export(t, f.Owner, f.ID) {
		for member, value := range one.Data {
			if one.Type != transfer.TypeMerge || member != "merged" && member != "rows" { // these are rows as they were
				check(one.Type+"."+member, string(value))
			}
		}
	}
	for _, kind := range []string{"", transfer.KindMinutes, transfer.KindSubmissions, transfer.KindEmails} {
		var out strings.Builder
		if err := f.transfer.ExportCSV(t.Context(), postgres.AsUser(f.Owner), f.ID, kind, &out); err != nil {
			t.Fatal(err)
		}
		check("the table of "+kind, out.String())
	}
	if found < 50 {
		t.Errorf("found only %d times", found)
	}
}

func TestExportIsForAdminsOfTheAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.seed(t)
	for name, tc := range map[string]struct {
		user uuid.UUID
		want fault.Kind
	}{"member": {f.Member, fault.Forbidden}, "stranger": {f.Stranger, fault.Forbidden}} {
		var out bytes.Buffer
		err := f.transfer.Export(t.Context(), postgres.AsUser(tc.user), f.ID, "", &out)
		if !fault.Is(err, tc.want) || out.Len() > 0 {
			t.Errorf("a %s gets %v and %d bytes", name, err, out.Len())
		}
	}
	var seen []string
	for _, one := range f.export(t, f.Owner, f.ID) {
		if one.Type == transfer.TypeCompany {
			seen = append(seen, strings.Trim(string(one.Data["id"]), `"`))
		}
	}
	want := []string{made.open.String(), made.lent.String(), made.own.String()}
	slices.Sort(want)
	if !slices.Equal(seen, want) {
		t.Errorf("the owner exports %v, want %v: not the private company of another", seen, want)
	}
}

var errGone = errors.New("the client has gone")

// waiting is a client that stops reading, and then hangs up.
type waiting struct{ reads, gone chan struct{} }

func (w waiting) Write(p []byte) (int, error) {
	select {
	case w.reads <- struct{}{}:
	case <-w.gone:
	}
	<-w.gone
	return 0, errGone
}

// TestExportsOfSlowClientsAreBounded takes all slots with clients that do not read, and ends these again.
func TestExportsOfSlowClientsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exec(t, `INSERT INTO companies (id, account_id, name, visibility, source, notes, created_by, updated_by)
		SELECT gen_random_uuid(), $1, 'c', 'team', 'manual', repeat('x', 10000), $2, $2 FROM generate_series(1, 300)`, f.ID,
		f.Owner)
	client, ended := waiting{make(chan struct{}), make(chan struct{})}, make(chan error)
	for range 2 {
		go func() { ended <- f.transfer.Export(t.Context(), postgres.AsUser(f.Owner), f.ID, "", client) }()
		<-client.reads
	}
	if err := f.transfer.Export(t.Context(), postgres.AsUser(f.Owner), f.ID, "", io.Discard); !fault.Is(err,
		fault.Unavailable) {
		t.Errorf("a third export gets %v", err)
	}
	close(client.gone)
	for range 2 {
		if err := <-ended; !errors.Is(err, errGone) {
			t.Errorf("an export whose client has gone ends with %v", err)
		}
	}
	if lines := f.export(t, f.Owner, f.ID); lines[len(lines)-1].Type != transfer.TypeEnd {
		t.Error("after them the export is not whole")
	}
}

// TestAnArchiveNamesEachFileThatIsMissing deletes a file with its row after the moment of the lines, and the content of
// another one.
func TestAnArchiveNamesEachFileThatIsMissing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.seed(t)
	f.transfer.Now = func() time.Time { // is called first when the snapshot has begun
		f.exec(t, "DELETE FROM company_files WHERE id = $1", made.deck)
		return time.Now()
	}
	var key, out string
	if err := f.admin.QueryRowContext(t.Context(), "SELECT raw_storage_path FROM emails WHERE id = $1", made.email).
		Scan(&key); err != nil {
		t.Fatal(err)
	}
	if err := f.blobs.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := f.transfer.ExportArchive(t.Context(), postgres.AsUser(f.Owner), f.ID, "", &archive); err != nil {
		t.Fatal(err)
	}
	got, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := fs.ReadFile(got, "missing.txt"); err == nil {
		out = string(missing)
	}
	want := "emails/" + made.email.String() + "/message.eml\nfiles/" + made.deck.String() + "/__a_b.txt\n"
	if out != want {
		t.Errorf("missing.txt is %q, want %q", out, want)
	}
}

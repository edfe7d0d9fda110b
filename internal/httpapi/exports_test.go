package httpapi_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dealflow/internal/email"
	"dealflow/internal/testkit"
)

// exportLine is a line of an export.
type exportLine struct {
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
}

// linesOf reads an export, which must be whole.
func linesOf(t *testing.T, raw []byte) []exportLine {
	t.Helper()
	var lines []exportLine
	for text := range strings.Lines(string(raw)) {
		var line exportLine
		must(t, json.Unmarshal([]byte(text), &line))
		lines = append(lines, line)
	}
	if last := lines[len(lines)-1]; last.Type != "end" || last.Data["lines"] != float64(len(lines)-1) {
		t.Fatalf("the export of %d lines ends with %v", len(lines), last)
	}
	return lines
}

func TestAnExportHasWhatItsCallerSees(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, member := s.colleague("Mia Member", "member")
	_, admin := s.colleague("Ann Admin", "admin")
	shown := s.company(s.key, part{"name", "", "Acme"}, part{"file_0", "deck.txt", "the deck"})
	s.company(member, part{"name", "", "Secret of Mia"}, part{"visibility", "", "private"})
	s.post(s.accountPath("form-submissions"), s.key,
		map[string]any{"data": answers("two\nlines")}).want(http.StatusCreated)
	s.get(s.accountPath("export"), member).want(http.StatusForbidden)
	s.get(s.accountPath("export?format=xml"), admin).want(http.StatusBadRequest)
	if head := s.send(request{
		Method: http.MethodHead, Path: s.accountPath("export"),
		Key: admin,
	}); head.Status != http.StatusOK || len(head.Raw) > 0 {
		t.Errorf("HEAD is answered with %d and %d bytes", head.Status, len(head.Raw))
	}
	got := s.get(s.accountPath("export"), admin).want(http.StatusOK)
	if strings.Contains(string(got.Raw), "Secret of Mia") {
		t.Error("the export of an admin holds the private company of another")
	}
	if got.Header.Get("Content-Encoding") != "" || got.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("the export has the header %v", got.Header)
	}
	var kinds []string
	for _, line := range linesOf(t, got.Raw) {
		kinds = append(kinds, line.Type)
		if line.Type == "company" && line.Data["id"] != shown {
			t.Errorf("the export holds the company %v", line.Data)
		}
	}
	kinds = slices.Compact(kinds)
	want := []string{"header", "account", "member", "status", "company", "file", "form_submission", "activity", "end"}
	if !slices.Equal(kinds, want) {
		t.Errorf("the lines are of the types %q, want %q", kinds, want)
	}
}

// TestOneKindIsExported exports each kind alone, in every format.
func TestOneKindIsExported(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"name", "", "Acme"}, part{"file_0", "deck.txt", "the deck"})
	s.post(s.accountPath("meeting-minutes"), s.key, map[string]any{"title": "Talk", "company_id": id}).
		want(http.StatusCreated)
	s.post(s.accountPath("form-submissions"), s.key, map[string]any{"data": answers("yes")}).want(http.StatusCreated)
	testkit.Exec(t, s.dbURL, `INSERT INTO emails (id, account_id, external_id, from_email, to_emails)
		VALUES (gen_random_uuid(), $1, '1', 'ada@acme.example', '{a@fund.example,b@fund.example}')`, s.account.ID)
	for kind, want := range map[string]struct{ lines, column, cell string }{
		"companies":        {"header company file end", "name", "Acme"},
		"meeting-minutes":  {"header meeting_minutes end", "company_id", id},
		"form-submissions": {"header form_submission end", "integration_type", "manual"},
		"emails":           {"header email end", "to_emails", "a@fund.example, b@fund.example"},
	} {
		var types []string
		for _, line := range linesOf(t, s.get(s.accountPath("export?kind="+kind), s.key).want(http.StatusOK).Raw) {
			types = append(types, line.Type)
		}
		if got := strings.Join(types, " "); got != want.lines {
			t.Errorf("%s are the lines %s, want %s", kind, got, want.lines)
		}
		table := s.get(s.accountPath("export?format=csv&kind="+kind), s.key).want(http.StatusOK)
		rows, err := csv.NewReader(bytes.NewReader(table.Raw)).ReadAll()
		must(t, err)
		if len(rows) != 2 || rows[1][slices.Index(rows[0], want.column)] != want.cell {
			t.Errorf("the table of %s is %q, want %s as %s", kind, rows, want.cell, want.column)
		}
		raw := s.get(s.accountPath("export?format=zip&kind="+kind), s.key).want(http.StatusOK).Raw
		archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		must(t, err)
		if stored := len(archive.File) - 1; (stored == 1) != (kind == "companies") {
			t.Errorf("the archive of %s has %d files", kind, stored)
		}
	}
	for _, query := range []string{"kind=deals", "kind=", "format=csv&kind=companies,emails"} {
		s.get(s.accountPath("export?"+query), s.key).want(http.StatusBadRequest)
	}
}

func TestAnArchiveHasEveryFileThatItsLinesName(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.company(s.key, part{"file_0", "deck/..\\one.txt", "the deck"}, part{"file_1", "=1+2.txt", "an attachment"})
	got := s.get(s.accountPath("export?format=zip"), s.key).want(http.StatusOK)
	archive, err := zip.NewReader(bytes.NewReader(got.Raw), int64(len(got.Raw)))
	must(t, err)
	content := func(name string) []byte {
		file, err := archive.Open(name)
		must(t, err)
		defer file.Close()
		raw, err := io.ReadAll(file)
		must(t, err)
		return raw
	}
	files := 0
	for _, line := range linesOf(t, content("export.ndjson")) {
		if path, stored := line.Data["path"].(string); stored {
			files++
			if sum := sha256.Sum256(content(path)); hex.EncodeToString(sum[:]) != line.Data["sha256"] {
				t.Errorf("%s has the hash %x, want %v", path, sum, line.Data["sha256"])
			}
		}
	}
	if files != 2 || len(archive.File) != 3 {
		t.Errorf("%d lines name files, and the archive has %d entries; want 2 and 3", files, len(archive.File))
	}
}

// TestTablesHoldNoFormulas exports what spreadsheets would calculate.
func TestTablesHoldNoFormulas(t *testing.T) {
	t.Parallel()
	s := start(t)
	notes := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "plain = text", "'quoted"}
	for _, note := range notes {
		s.post(companies, s.key, map[string]any{
			"account_id": s.account.ID, "name": "Acme",
			"notes": note,
		}).want(http.StatusCreated)
	}
	got := s.get(s.accountPath("export?format=csv"), s.key).want(http.StatusOK)
	rows, err := csv.NewReader(bytes.NewReader(got.Raw)).ReadAll()
	must(t, err)
	column := slices.Index(rows[0], "notes")
	var found []string
	for _, row := range rows[1:] {
		found = append(found, row[column])
	}
	want := []string{"'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "'\r=1", "plain = text", "'quoted"}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("the notes are %q, want %q", found, want)
	}
}

// TestAnArchiveIsTakenBack moves an account to another installation, twice.
func TestAnArchiveIsTakenBack(t *testing.T) {
	t.Parallel()
	from, to := start(t), start(t)
	id := from.company(from.key, part{"name", "", "Acme"}, part{"file_0", "deck.txt", "the deck"})
	from.post(from.accountPath("meeting-minutes"), from.key,
		map[string]any{"title": "Call", "company_id": id}).want(http.StatusCreated)
	from.receive(email.Draft{Subject: new("A mail")})
	got := from.get(from.accountPath("export?format=zip"), from.key).want(http.StatusOK)
	archive, err := zip.NewReader(bytes.NewReader(got.Raw), int64(len(got.Raw)))
	must(t, err)
	raw, err := fs.ReadFile(archive, "export.ndjson")
	must(t, err)
	var plain, stored []string
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, `"path":"`) {
			stored = append(stored, line)
		} else {
			plain = append(plain, line)
		}
	}
	if all := to.importOf("account", "application/x-ndjson",
		string(raw)).ended("completed"); all.at("data.import.failed") != json.Number(strconv.Itoa(len(stored))) {
		t.Errorf("lines whose content did not come: %s", all.counts())
	}
	for _, want := range []bool{true, false} {
		if again := to.importOf("account", "application/x-ndjson",
			strings.Join(plain, "")).ended("completed"); again.at("data.import.created") != json.Number("0") ||
			again.at("data.import.failed") != json.Number("0") {
			t.Errorf("the lines again: %s", again.counts())
		}
		for _, line := range stored {
			var one exportLine
			must(t, json.Unmarshal([]byte(line), &one))
			content, err := fs.ReadFile(archive, one.Data["path"].(string))
			must(t, err)
			body, media := encodeForm(t, part{"line", "", line}, part{"file", "content", string(content)})
			sent := to.send(request{
				Method: http.MethodPost, Path: to.accountPath("imports/account/files"), Key: to.key,
				Body: body, Type: media,
			}).want(http.StatusOK)
			if sent.at("data.file.created") != want {
				t.Errorf("the file is answered with %s, want %v", sent.Raw, want)
			}
		}
	}
	back := to.get(companies+"/"+id, to.key).want(http.StatusOK)
	if was := from.get(companies+"/"+id,
		from.key); back.text("data.company.created_at") != was.text("data.company.created_at") ||
		back.text("data.company.updated_at") != was.text("data.company.updated_at") {
		t.Errorf("the company came back as %s, want %s", back.Raw, was.Raw)
	}
	if minutes := to.get(to.accountPath("meeting-minutes"), to.key); !strings.Contains(string(minutes.Raw), id) {
		t.Errorf("the minutes are %s", minutes.Raw)
	}
	to.get(companies+"/"+id+"/download", to.key).want(http.StatusOK)
}

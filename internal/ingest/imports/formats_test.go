package imports_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/testkit"
)

const (
	broken = "its double quotes are wrong: a field that begins with one must end with one, and each one between must be " +
		`written twice, as in "a 5"" disk"`
	toPut = "2 the row has 3 fields, but the header has 2: put double quotes around each field with "
)

func TestCSVIsCutAsItIsMeant(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	long := strings.Repeat("x", 70_000) // more than a row may have
	for name, tc := range map[string]struct {
		file   string
		texts  []string
		errors []string
	}{
		"plain":               {"text\r\na1\r\na2\r\n", []string{"a1", "a2"}, nil},
		"without a last line": {"text\nb1", []string{"b1"}, nil},
		"lines in quotes":     {"text,notes\n\"c1\r\n2nd\n3rd\",\"n\"\nc2,\n", []string{"c1\r\n2nd\n3rd", "c2"}, nil},
		"line ends in quotes": {"text\r\n\"\r\nc3\r\r\n\r\"\r\nc4\r\n", []string{"\r\nc3\r\r\n\r", "c4"}, nil},
		"doubled quotes":      {"text\n\"d1 \"\"x\"\" \"\n", []string{`d1 "x" `}, nil},
		"quotes inside":       {"text\nd3 5\" disk\n", []string{`d3 5" disk`}, nil},
		"semicolons":          {"text;notes\n\"e1;,\";n,\n", []string{"e1;,"}, nil},
		"tabs":                {"notes\ttext\nn\tf1\n", []string{"f1"}, nil},
		"sep line":            {"sep=;\r\ntext;notes\r\ng1;\r\n", []string{"g1"}, nil},
		"blank lines":         {"\ufefftext\n\n \nh1\n\r\nh2\n\n", []string{"h1", "h2"}, nil},
		"open quote":          {"text\ni1\n\"i2\ni3\ni4\n", []string{"i1", "i3", "i4"}, []string{"2 " + broken}},
		"odd quote":           {"text\n\"j1\" x\n\"j2\"\n", []string{"j2"}, []string{"1 " + broken}},
		"odd quote, lines":    {"text,notes\n\"k1\nk2,\"n\"\nk3,\n", []string{"k2", "k3"}, []string{"1 " + broken}},
		"fields": {
			"text,notes\nl1\nl2,n,m\nl3,n\n",
			[]string{"l1", "l3"},
			[]string{toPut + "a comma in it"},
		},
		"fields, semicolons": {"text;notes\nl1;\nl2;n;m\n", []string{"l1"}, []string{toPut + "a semicolon in it"}},
		"fields, tabs":       {"text\tnotes\nl1\t\nl2\tn\tm\n", []string{"l1"}, []string{toPut + "a tab in it"}},
		"fields, bars":       {"text|notes\nl1|\nl2|n|m\n", []string{"l1"}, []string{toPut + "| in it"}},
		"giant":              {"text\n" + long + "\nm2\n", []string{"m2"}, []string{"1 the row is larger than 65536 bytes"}},
		"giant, quoted": {
			"text\n\"" + long + "\n" + long + "\"\nn2\n", []string{"n2"}, []string{"1 the row is larger than 65536 bytes"},
		},
		"giant of lines": {
			"text,notes\n\"" + strings.Repeat("so, \"\"they\"\" say\r\n", 5000) + "\",n\nq2,\n",
			[]string{"q2"},
			[]string{"1 the row is larger than 65536 bytes"},
		},
		"giant, odd quote": {
			"text,notes\n\"" + strings.Repeat("no rows\n", 30_000) + "\" x\nr2,\n",
			[]string{"r2"},
			[]string{"1 the row is larger than 65536 bytes"},
		},
		"giant, open": {
			"text\ns1\n\"" + strings.Repeat("s2\n", 30_000),
			[]string{"s1"},
			[]string{"2 the row is larger than 65536 bytes, or a double quote at the beginning of a field has none at its end"},
		},
		"open before rows": {
			"text,external_id\n\"t1,\n" + strings.Repeat("t2,t\n", 20_000), []string{"t2"}, []string{"1 " + broken},
		},
		"Windows-1252": {"text\no1 \x93caf\xe9\x94 Stra\xdfe\no2\n", []string{"o1 “café” Straße", "o2"}, nil},
		"Windows-1251": {
			"text\no1 \xef\xf0\xe8\xe2\xe5\xf2\no2\n",
			[]string{"o2"},
			[]string{"1 the row is not valid UTF-8: if the file has another charset, name it in Content-Type"},
		},
		"Windows-1250": {
			"text\no1 sp\xf3\xb3ka wi\xb9zka\no2\n",
			[]string{"o2"},
			[]string{"1 the row is not valid UTF-8: if the file has another charset, name it in Content-Type"},
		},
		"damaged UTF-8": {
			"text\no1 é ü \xe9\no2\n",
			[]string{"o2"},
			[]string{"1 the row is not valid UTF-8: if the file has another charset, name it in Content-Type"},
		},
		"UTF-16":           {utf16le("\ufefftext\r\nu1 é\r\nu2\r\n"), []string{"u1 é", "u2"}, nil},
		"UTF-16, no mark":  {utf16le("text,notes\r\nv1 日本,\r\nv2,n\r\n"), []string{"v1 日本", "v2"}, nil},
		"carriage returns": {"notes,text\rn,w1\rn,\"w2\r2\"\rn,w3", []string{"w1", "w2\r2", "w3"}, nil},
		"returns, sep":     {"sep=;\rtext;notes\rx1;\r\"x2\" x;\rx3", []string{"x1", "x3"}, []string{"2 " + broken}},
		"short rows":       {"text,name,notes\ny1\ny2,Acme\n", []string{"y1", "y2"}, nil},
		"NUL early": {
			"text,notes\nz1,\nz2,\x00\nz\v3,\nz4,\n",
			[]string{"z\v3", "z1", "z4"},
			[]string{"2 field 2 holds a NUL character"},
		},
		"NUL late": {
			"text\n" + strings.Repeat("p0 ", 2000) + "\np1\x00\n",
			[]string{strings.Repeat("p0 ", 2000)},
			[]string{"2 field 1 holds a NUL character"},
		},
	} {
		testkit.Exec(t, s.URL, "DELETE FROM companies")
		testkit.Exec(t, s.URL, "DELETE FROM work") // nobody here analyses, and what waits would keep its account's places
		got := s.run(t, imports.KindCompanies, imports.FormatCSV, tc.file)
		texts := testkit.Texts(t, s.URL, "SELECT source_content FROM companies")
		slices.Sort(texts)
		if got.Status != imports.StatusCompleted || !slices.Equal(texts, tc.texts) ||
			!slices.Equal(s.errors(t, got.ID), tc.errors) {
			t.Errorf("%s: %s, %.200q, errors %.300q (%s)", name, counts(got), texts, s.errors(t, got.ID), deref(got.Error))
		}
	}
}

func utf16le(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func TestTablesWithoutATextBecomeCompanies(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	file := "Record ID,Website,Company name,Founders,external_id,notes,Empty\n7,acme.example, Acme  Robotics ,\"Ada " +
		"Lovelace, CEO\",a7,Met in Oslo,\n8,beta.example,,,a8\n"
	got := s.run(t, imports.KindCompanies, imports.FormatCSV, file)
	want(t, "table", got, "completed 2/2: 2+0+0")
	found := testkit.Texts(t, s.URL,
		"SELECT concat_ws('|', name, notes, metadata->>'Website', source_content) FROM companies ORDER BY external_id")
	wanted := "Acme Robotics|Met in Oslo|acme.example|Company name: Acme  Robotics\nRecord ID: 7\nWebsite: " +
		"acme.example\nFounders: Ada Lovelace, CEO\nnotes: Met in Oslo"
	if len(found) != 2 || found[0] != wanted || !strings.HasSuffix(found[1], "Record ID: 8\nWebsite: beta.example") {
		t.Errorf("%q", found)
	}
}

func TestAnswersWithNULAreRefused(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	file := `{"external_id":"1","data":[{"key":"a","value":"x\u0000y"}]}` + "\n" +
		`{"external_id":"2","data":[{"key":"a","value":"x\\u0000y"}]}` + "\n"
	got := s.run(t, imports.KindForms, imports.FormatNDJSON, file)
	want(t, "NUL", got, "completed 2/2: 1+0+1")
	if lines := s.errors(t, got.ID); !slices.Equal(lines, []string{"1 data holds a NUL character"}) {
		t.Errorf("errors %q", lines)
	}
}

func TestNULEarlyInLinesOfJSONFailsItsRowAlone(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	file := "{\"text\":\"a\x00\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n"
	got := s.run(t, imports.KindCompanies, imports.FormatNDJSON, file)
	want(t, "NUL", got, "completed 3/3: 2+0+1")
	if lines := s.errors(t, got.ID); len(lines) != 1 || !strings.HasPrefix(lines[0], "1 ") {
		t.Errorf("errors %q, want one of row 1", lines)
	}
}

func TestFilesThatAreNoTextAreRefusedWhole(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	noise := make([]byte, 4096)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	for name, file := range map[string]string{
		"ZIP":                  "PK\x03\x04" + strings.Repeat("\x14\x00\x00\x00 text,notes\n", 9),
		"PDF":                  "%PDF-1.7\n" + strings.Repeat("text,notes\n", 9),
		"noise":                string(noise),
		"table of a program":   strings.Repeat("text\x00\x01\x00notes\n", 9),
		"HTML with a NUL":      "<!DOCTYPE html>\n<title>text\x00</title>\n",
		"UTF-16 of no ASCII":   utf16le("名前と会社と住所\r\n東京の会社\r\n")[2:],
		"UTF-16 of no ASCII 2": utf16le(strings.Repeat("株式会社,東京\r\n", 9)),
	} {
		for _, format := range []string{imports.FormatCSV, imports.FormatNDJSON} {
			got := s.run(t, imports.KindCompanies, format, file)
			if got.Status != imports.StatusFailed || got.Total != 0 ||
				!strings.Contains(deref(got.Error), "the file is no "+format) {
				t.Errorf("%s as %s: %s, %q", name, format, counts(got), deref(got.Error))
			}
		}
	}
}

func TestHeadersThatNoRowCouldBeReadBy(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	for header, want := range map[string]string{
		"website,notes\n": `no column "text"`, "text,text\n": `the column "text" twice`,
		"\"text\nnever closed":      "the header cannot be read",
		strings.Repeat("x", 70_000): "larger than 65536 bytes",
	} {
		got := s.run(t, imports.KindCompanies, imports.FormatCSV, header)
		if got.Status != imports.StatusFailed || !strings.Contains(deref(got.Error), want) {
			t.Errorf("%.20q: %s, %q", header, got.Status, deref(got.Error))
		}
	}
}

// TestAFileOfWrongQuotesIsGivenUp sends a file of which each line opens a quote that the next one closes: every row,
// read from its beginning, goes on to the end of the file.
func TestAFileOfWrongQuotesIsGivenUp(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	text := "text,notes\na1,b\n" + strings.Repeat("x\",\"y\n", 10_000)
	got := s.run(t, imports.KindCompanies, imports.FormatCSV, text)
	if got.Status != imports.StatusFailed || got.Created != 1 || !strings.Contains(deref(got.Error), "too many rows") {
		t.Errorf("%s %s, %q", got.Status, counts(got), deref(got.Error))
	}
}

func TestMailboxesAreCutAtTheirLines(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	message := func(id, body string) string {
		return fmt.Sprintf("From: a@b.example\nMessage-ID: <%s@b.example>\n\n%s\n", id, body)
	}
	const line = "From a@b.example Mon Mar  2 10:00:00 2026\n"
	file := "\n" + line + message("1", ">From the start\n>>From twice\n> From a quote") + "\n" +
		"From - Mon Mar 02 10:00:00 +0000 2026\n" + message("2",
		"From here on\n\nFrom now on we forge.\n\nFrom:3 10:00 no date") + "\n" +
		line + message("3", strings.Repeat("x", 70_000)) + "\n" + line + "\n" + line +
		strings.ReplaceAll(message("4", "last"), "\n", "\r\n")
	got := s.run(t, imports.KindEmails, imports.FormatMbox, file)
	want(t, "mailbox", got, "completed 5/5: 3+0+2")
	if found := s.errors(t, got.ID); !slices.Equal(found,
		[]string{"3 the row is larger than 65536 bytes", "4 the row is empty"}) {
		t.Errorf("errors %q", found)
	}
	contents := testkit.Texts(t, s.URL, "SELECT content FROM emails ORDER BY external_id")
	wanted := []string{
		"From the start\n>From twice\n> From a quote", "From here on\n\nFrom now on we forge.\n\nFrom:3 10:00 no date",
		"last",
	}
	if !slices.Equal(contents, wanted) {
		t.Errorf("contents %q", contents)
	}
}

func TestLinesThatLookLikeThoseOfMailboxes(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	const line, head = "From a@b.example Mon Mar  2 10:00:00 2026\n", "From: a@b.example\nMessage-ID: <%d@b.example>\n\n"
	for name, tc := range map[string]struct {
		file     string
		contents []string
	}{
		"no blank line before": {
			line + fmt.Sprintf(head, 1) + "one\n" + line + fmt.Sprintf(head, 2) + "two\n", []string{"one", "two"},
		},
		"a sentence with a date": {
			line + fmt.Sprintf(head, 1) + "one\n\nFrom Monday 10:00 to June 2026 we rest.\nSee: you\n",
			[]string{"one\n\nFrom Monday 10:00 to June 2026 we rest.\nSee: you"},
		},
		"a quoted line": {
			line + fmt.Sprintf(head, 1) + "they wrote\n" + line + "and no header\n",
			[]string{"they wrote\n" + strings.TrimSpace(line) + "\nand no header"},
		},
		"another form of the date": {
			line + fmt.Sprintf(head, 1) + "one\n\nFrom a@b.example 2 10:00:00 2026\n" + fmt.Sprintf(head, 2) + "two\n",
			[]string{"one", "two"},
		},
		"junk before the header": {
			line + fmt.Sprintf(head, 1) + "one\n\n" + line + "junk of a program\n" + fmt.Sprintf(head, 2) + "two\n",
			[]string{"one", "two"},
		},
		"a line longer than is read at once": {
			line + fmt.Sprintf(head, 1) + strings.Repeat("x", 60_000) + "\n" + line + fmt.Sprintf(head, 2) + "two\n",
			[]string{"two", strings.Repeat("x", 60_000)},
		},
	} {
		testkit.Exec(t, s.URL, "DELETE FROM emails")
		got := s.run(t, imports.KindEmails, imports.FormatMbox, tc.file)
		contents := testkit.Texts(t, s.URL, "SELECT replace(content, chr(13), '') FROM emails ORDER BY content")
		if got.Failed != 0 || !slices.Equal(contents, tc.contents) {
			t.Errorf("%s: %s, contents %.300q, errors %q", name, counts(got), contents, s.errors(t, got.ID))
		}
	}
}

func TestJSONThatIsNotInLinesIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	for file, wanted := range map[string]string{
		" \n[{\"text\":\"a\"}]":             "the file is a JSON array",
		"\ufeff{\r\n  \"text\": \"a\"\r\n}": "an object has many lines",
	} {
		got := s.run(t, imports.KindCompanies, imports.FormatNDJSON, file)
		if got.Status != imports.StatusFailed || got.Total != 0 || !strings.Contains(deref(got.Error), wanted) {
			t.Errorf("%q: %s, %q", file, counts(got), deref(got.Error))
		}
	}
}

func TestWhatOnlyTheAccountCanTell(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	hidden, seen := testkit.Company(t, s.DB, s.ID, s.Member, "private"), testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	row := func(id string) string {
		return fmt.Sprintf(`{"data":[{"key":"a","value":"%[1]s"}],"company_id":"%[1]s"}`+"\n", id)
	}
	got := s.run(t, imports.KindForms, imports.FormatNDJSON, row(hidden.String())+row(seen.String()))
	want(t, "forms", got, "completed 2/2: 1+0+1")
	if lines := s.errors(t, got.ID); len(lines) != 1 ||
		lines[0] != "1 company_id "+hidden.String()+" is no company of this account" {
		t.Errorf("errors %q", lines)
	}
	stage := testkit.Texts(t, s.URL, "SELECT id::text FROM company_statuses WHERE account_id = $1 LIMIT 1", s.ID)[0]
	foreign := testkit.Texts(t, s.URL, "SELECT id::text FROM company_statuses WHERE account_id = $1 LIMIT 1", s.Rival)[0]
	got = s.run(t, imports.KindCompanies, imports.FormatNDJSON,
		fmt.Sprintf(`{"text":"a","company_status_id":"%s"}`+"\n"+`{"text":"b","company_status_id":"%s"}`, stage, foreign))
	want(t, "companies", got, "completed 2/2: 1+0+1")
	if lines := s.errors(t, got.ID); len(lines) != 1 || lines[0] != "2 company_status_id is no status of this account" {
		t.Errorf("errors %q", lines)
	}
}

// A plain member may not change statuses, but may set them.
func TestAPlainMemberImportsCompaniesWithStatuses(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	stage := testkit.Texts(t, s.URL, "SELECT id::text FROM company_statuses WHERE account_id = $1 AND name = 'Screening'",
		s.ID)[0]
	begun, err := s.service.Begin(t.Context(), s.Member, imports.Request{
		ID: uuid.New(), AccountID: s.ID, Kind: imports.KindCompanies, Format: imports.FormatNDJSON,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.receive(t, begun, strings.NewReader(fmt.Sprintf(`{"text":"a","name":"Given","company_status_id":"%s"}`, stage)+"\n"+
		`{"text":"I am Ada Novak, founder of Tidewell. We are raising a seed round and want to pitch.","name":"Found"}`))
	s.write(t)
	want(t, "companies", s.get(t, begun.ID), "completed 2/2: 2+0+0")
	got := testkit.Texts(t, s.URL, `SELECT c.name || ': ' || COALESCE(s.name, 'no status')
		FROM companies c LEFT JOIN company_statuses s ON s.id = c.company_status_id ORDER BY c.name`)
	if !slices.Equal(got, []string{"Found: New", "Given: Screening"}) {
		t.Errorf("statuses %q, errors %q", got, s.errors(t, begun.ID))
	}
}

// model answers as the rules do, and is not known to answer at once.
type model struct{ analysis.Analyzer }

func TestNewOnesAreOrderedToBecomeCompanies(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	s.writer = s.writerWith(model{rules.New(links.DefaultDeckClasses())})
	send := func(kind, file string) {
		t.Helper()
		begun, err := s.service.Begin(t.Context(), s.Owner,
			imports.Request{ID: uuid.New(), AccountID: s.ID, Kind: kind, Format: imports.FormatNDJSON, CreateCompanies: true})
		if err != nil {
			t.Fatal(err)
		}
		s.receive(t, begun, strings.NewReader(file))
		s.write(t)
	}
	for range 2 { // what is there already is not ordered again
		send(imports.KindEmails, mailRow("1", "a")+mailRow("2", "b")+mailRow("1", "c"))
		send(imports.KindForms, `{"data":[{"key":"a","value":1}]}`)
		send(imports.KindCompanies, `{"text":"a"}`)
	}
	got := testkit.Texts(t, s.URL, `SELECT kind || ' ' || queue || ' ' || COALESCE(input ->> 'kind', '') || ' ' ||
		count(*) FROM work
		WHERE kind <> 'ingest.import' GROUP BY kind, queue, input ->> 'kind' ORDER BY 1`)
	wanted := []string{"company.analyse bulk  1", "ingest.create bulk email 2", "ingest.create bulk form 1"}
	if !slices.Equal(got, wanted) {
		t.Errorf("work %q, want %q", got, wanted)
	}
}

func TestImportedCompaniesAreStoredAnalyzed(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	file := `{"external_id":"1","text":"Hi, I am Ada Lovelace, founder of Anvilworks. We make anvils: ` +
		`https://docsend.com/view/abc..","name":"Given"}` + "\n" +
		`{"external_id":"2","text":"Hi, I'm Paulo Serra, founder of Brackenfield. We sell ferns, see ` +
		`https://docsend.com/view/def.\n\nPaulo Serra\nCEO, Brackenfield\npaulo@brackenfield.example"}`
	for _, counted := range []string{"completed 2/2: 2+0+0", "completed 2/2: 0+2+0"} {
		want(t, "companies", s.run(t, imports.KindCompanies, imports.FormatNDJSON, file), counted)
	}
	got := testkit.Texts(t, s.URL, `SELECT concat_ws(', ', c.name, c.metadata -> 'founders' -> 0 ->> 'name',
		c.metadata ? 'ai_analysis', d.written, k.value)
		FROM companies c LEFT JOIN detections d ON d.company_id = c.id LEFT JOIN company_keys k ON k.company_id = c.id
			AND k.kind = 'email' ORDER BY c.external_id`)
	for i, begins := range []string{"Given, Ada Lovelace, t, ", "Brackenfield, Paulo Serra, t, "} {
		if len(got) != 2 || !strings.HasPrefix(got[i], begins) {
			t.Errorf("companies %q, want %q", got, begins)
		}
	}
	if len(got) == 2 && !strings.HasSuffix(got[1], "paulo@brackenfield.example") {
		t.Errorf("the second is known as %q", got[1])
	}
	if left := testkit.Texts(t, s.URL, "SELECT kind FROM work WHERE kind <> 'ingest.import'"); len(left) != 0 {
		t.Errorf("work %q is left to do", left)
	}
}

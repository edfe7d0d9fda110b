package mimemail_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/fault"
	"dealflow/internal/mimemail"
)

func TestOddMessagesAreRead(t *testing.T) {
	t.Parallel()
	for _, table := range []map[string]oddity{oddHeads(), oddBodies(), oddParts()} {
		for name, want := range table {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got, err := mimemail.Read([]byte(want.raw))
				if err != nil {
					t.Fatal(err)
				}
				want.compare(t, got)
			})
		}
	}
}

func (want oddity) compare(t *testing.T, got mimemail.Message) {
	t.Helper()
	var files []string
	for _, f := range got.Files {
		files = append(files, fmt.Sprintf("%s %s %d", f.Filename, f.ContentType, len(f.Content)))
	}
	from := want.from
	if from == "" {
		from = ivy
	}
	if got.FromEmail != from || got.Content != want.content || strings.Join(files, ", ") != want.files {
		t.Errorf("from %q, content %q, files %q; want %q, %q, %q", got.FromEmail, got.Content, files, from, want.content,
			want.files)
	}
	if want.name != "" && got.FromName != want.name ||
		want.subject != "" && (got.Subject == nil || *got.Subject != want.subject) ||
		want.to != "" && strings.Join(got.ToEmails, " ") != want.to {
		t.Errorf("name %q, subject %v, to %q; want %q, %q, %q", got.FromName, got.Subject, got.ToEmails, want.name,
			want.subject, want.to)
	}
	meta := metaOf(t, got)
	for member, value := range want.meta {
		if meta[member] != value {
			t.Errorf("metadata %s is %v, want %q", member, meta[member], value)
		}
	}
	warnings := fmt.Sprint(meta["warnings"])
	if want.warned == "" && meta["warnings"] != nil || !strings.Contains(warnings, want.warned) {
		t.Errorf("warnings %s, want %q", warnings, want.warned)
	}
	if want.absent != "" && strings.Contains(got.Content+string(got.Metadata), want.absent) {
		t.Errorf("%q is there: %q, %s", want.absent, got.Content, got.Metadata)
	}
	if string(got.Raw) != want.raw || got.ID == "" {
		t.Errorf("raw %q, known as %q", got.Raw, got.ID)
	}
}

func metaOf(t *testing.T, m mimemail.Message) map[string]any {
	t.Helper()
	var meta map[string]any
	if err := json.Unmarshal(m.Metadata, &meta); err != nil {
		t.Fatalf("metadata %s: %v", m.Metadata, err)
	}
	return meta
}

func TestMessagesAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ raw, field string }{
		"nothing":       {"", "body"},
		"white space":   {" \r\n\r\n", "body"},
		"no sender":     {"To: a@x.example\r\nSubject: x\r\n\r\nHi", "from_email"},
		"blank sender":  {"From: \r\nSender:\r\n\r\nHi", "from_email"},
		"no header":     {"\r\nJust words", "from_email"},
		"not a message": {"\x00\x01\x02PNG\xff\xfe", "from_email"},
	} {
		_, err := mimemail.Read([]byte(tc.raw))
		wantKind(t, name, err, fault.InvalidBody, tc.field)
	}
}

func TestAMessageIsKnownByItsContentWhereItHasNoID(t *testing.T) {
	t.Parallel()
	raw := strings.Replace(head, "Message-ID: <1@x>\r\n", "", 1) + "\r\nHi\r\n"
	ids := map[string]bool{}
	for _, variant := range []string{raw, strings.ReplaceAll(raw, "\r", ""), "From x Thu Nov 12\n" + raw, raw + "\r\n"} {
		m, err := mimemail.Read([]byte(variant))
		if err != nil {
			t.Fatal(err)
		}
		ids[m.ID] = true
	}
	other, err := mimemail.Read([]byte(raw + "there"))
	if err != nil || len(ids) != 1 || ids[other.ID] || !strings.HasPrefix(other.ID, "sha256:") {
		t.Errorf("ids %v, another's %q, %v", ids, other.ID, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, table := range []map[string]oddity{oddHeads(), oddBodies(), oddParts()} {
		for _, odd := range table {
			f.Add([]byte(odd.raw))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := mimemail.Read(raw)
		if err != nil {
			if !fault.Is(err, fault.InvalidBody) {
				t.Fatal(err)
			}
			return
		}
		if m.FromEmail == "" || m.ID == "" || !bytes.Equal(m.Raw, raw) || !json.Valid(m.Metadata) ||
			len([]rune(m.ID)) > mimemail.MaxID {
			t.Errorf("from %q, id %q, metadata %s", m.FromEmail, m.ID, m.Metadata)
		}
		for _, file := range m.Files {
			if file.Filename == "" || strings.ContainsAny(file.Filename, "/\\\x00") || file.ContentType == "" {
				t.Errorf("file %q of type %q", file.Filename, file.ContentType)
			}
		}
		if slices.Contains(m.ToEmails, "") {
			t.Errorf("to %q", m.ToEmails)
		}
	})
}

func TestSubjectIsOneLine(t *testing.T) {
	t.Parallel()
	raw := "From: a@b.example\r\nSubject: =?utf-8?q?Pitch=0D=0AFrom:_partner=40fund.example?=\r\n\r\nHello.\r\n"
	m, err := mimemail.Read([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Pitch From: partner@fund.example"; *m.Subject != want {
		t.Errorf("the subject is %q, want %q", *m.Subject, want)
	}
}

func wantKind(t *testing.T, what string, err error, want fault.Kind, field string) {
	t.Helper()
	if !fault.Is(err, want) || field != "" && !strings.Contains(err.Error(), "; "+field+": ") {
		t.Errorf("%s: error %v, want kind %d about %q", what, err, want, field)
	}
}

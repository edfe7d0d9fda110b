package mimemail_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"dealflow/internal/mimemail"
)

// attached is a mail with so many attachments.
func attached(count int) string {
	var parts []string
	for i := range count {
		parts = append(parts, fmt.Sprintf("Content-Type: application/pdf; name=deck%d.pdf\r\n\r\n%%PDF-1.4 %d", i+1, i+1))
	}
	return head + mixed("b", parts...)
}

// Each file costs a sync of the disk, so the number of files of a mail is limited; none of them is lost.
func TestAttachmentsOverTheBoundAreOneArchive(t *testing.T) {
	t.Parallel()
	whole, err := mimemail.Read([]byte(attached(100)))
	if err != nil || len(whole.Files) != 100 || whole.Files[99].Filename != "deck100.pdf" ||
		strings.Contains(string(whole.Metadata), "warnings") {
		t.Fatalf("%v: %d files, %s", err, len(whole.Files), whole.Metadata)
	}
	raw := []byte(attached(500))
	m, err := mimemail.Read(raw)
	if err != nil || len(m.Files) != 100 ||
		!strings.Contains(string(m.Metadata), "more than 100 attachments; the last 401 of them are in one archive") {
		t.Fatalf("%v: %d files, %s", err, len(m.Files), m.Metadata)
	}
	last := m.Files[99]
	archive, err := zip.NewReader(bytes.NewReader(last.Content), int64(len(last.Content)))
	if err != nil || last.Filename != "401 more attachments.zip" || last.ContentType != "application/zip" ||
		len(archive.File) != 401 {
		t.Fatalf("%v: %s, %s", err, last.Filename, last.ContentType)
	}
	entry, err := archive.Open("0500 deck500.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(entry); err != nil || string(content) != "%PDF-1.4 500" {
		t.Errorf("%v: %q", err, content)
	}
	if again, err := mimemail.Read(raw); err != nil || !bytes.Equal(again.Files[99].Content, last.Content) {
		t.Errorf("the same mail makes another archive: %v", err)
	}
}

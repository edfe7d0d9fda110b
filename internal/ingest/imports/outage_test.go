package imports_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/testkit"
)

func mailRows(from, to int) string {
	var file strings.Builder
	for n := from; n < to; n++ {
		file.WriteString(mailRow(fmt.Sprint(n), fmt.Sprint("mail ", n)))
	}
	return file.String()
}

// await waits until a query has a row.
func (s *fixture) await(t *testing.T, what, query string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(testkit.Texts(t, s.URL,
		query)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: never", what)
		}
	}
}

// A storage that goes away midway is waited for longer than anything else, and the sweep does not take the receiver
// for lost.
func TestAnImportOutlastsItsStorage(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	const patience = 20 * time.Millisecond
	s.service = imports.New(imports.Deps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Logger: slog.New(slog.DiscardHandler), Heartbeat: 10 * time.Millisecond,
		Patience: patience,
	})
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	body, sender := io.Pipe()
	received := make(chan imports.Import, 1)
	go func() { received <- s.receive(t, begun, body) }()
	send := func(text string) {
		if _, err := io.WriteString(sender, text); err != nil {
			t.Error(err)
		}
	}
	send(mailRows(0, 1500))
	s.await(t, "the first batch", "SELECT id::text FROM imports WHERE batches > 0")
	batches, gone := filepath.Join(s.folder, "imports"), filepath.Join(t.TempDir(), "gone")
	// nothing can be stored there
	if err := errors.Join(os.Rename(batches, gone), os.WriteFile(batches, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	send(mailRows(1500, 2500))
	time.Sleep(2 * patience)
	testkit.Exec(t, s.URL, "UPDATE imports SET seen_at = now() - interval '1 minute'")
	s.await(t, "a sign of life", "SELECT id::text FROM imports WHERE seen_at > now() - interval '30 seconds'")
	if now := s.get(t, begun.ID); now.Status != imports.StatusReceiving {
		t.Errorf("while the storage is away the import is %s: %v", now.Status, deref(now.Error))
	}
	if err := errors.Join(os.Remove(batches), os.Rename(gone, batches)); err != nil {
		t.Fatal(err)
	}
	send(mailRows(2500, 4000))
	_ = sender.Close() // never fails
	<-received
	s.write(t)
	want(t, "after the outage", s.get(t, begun.ID), "completed 4000/4000: 4000+0+0")
	if n := testkit.Count(t, s.URL, "emails"); n != 4000 {
		t.Errorf("%d emails, want 4000", n)
	}
}

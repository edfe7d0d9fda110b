package email_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/email"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func (s *setup) store(t *testing.T, accountID uuid.UUID, raw string) email.Message {
	t.Helper()
	m, err := email.ReadMIME([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.service.StoreFiles(t.Context(), accountID, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (s *setup) content(t *testing.T, key string) string {
	t.Helper()
	file, err := s.blobs.Open(t.Context(), key)
	if err != nil {
		return ""
	}
	defer file.Close()
	raw, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sweep removes the files that no email refers to now, as if they were an hour old.
func (s *setup) sweep(t *testing.T) int {
	t.Helper()
	removed, err := s.service.Sweep(t.Context(), -time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return removed
}

const head = "From: Ivy Marsh <ivy@brackenfield.example>\r\nTo: deals@fund.example\r\nSubject: Deck\r\nMessage-ID: " +
	"<1@x>\r\nDate: Thu, 12 Nov 2026 10:22:31 +0000\r\n"

const withDeck = "Content-Type: application/pdf; name=deck.pdf\r\n\r\n%PDF-1.4"

// withParts is a message of these parts.
func withParts(parts ...string) string {
	raw := head + "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
	for _, part := range parts {
		raw += "--b\r\n" + part + "\r\n"
	}
	return raw + "--b--\r\n"
}

func textPart(text string) string { return "Content-Type: text/plain\r\n\r\n" + text }

func TestFilesAreKeptOnceForAnAccount(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	raw := withParts(textPart("Hi"), withDeck)
	first, again := s.store(t, s.ID, raw), s.store(t, s.ID, raw)
	other, rivals := s.store(t, s.ID, strings.Replace(raw, "<1@x>", "<2@x>", 1)), s.store(t, s.Rival, raw)
	deck := first.Attachments[0].StoragePath
	if again.Attachments[0].StoragePath != deck || other.Attachments[0].StoragePath != deck ||
		again.RawPath != first.RawPath || other.RawPath == first.RawPath {
		t.Errorf("%s and %s, %s; %s and %s", deck, again.Attachments[0].StoragePath, other.Attachments[0].StoragePath,
			first.RawPath, other.RawPath)
	}
	if rivals.Attachments[0].StoragePath == deck || !strings.Contains(deck, s.ID.String()) {
		t.Errorf("two accounts share %s", deck)
	}
	if s.content(t, deck) != "%PDF-1.4" || s.content(t, first.RawPath) != raw || first.Attachments[0].SizeBytes != 8 {
		t.Errorf("stored %q and %q", s.content(t, deck), s.content(t, first.RawPath))
	}
	id := s.receive(t, first.Draft)
	got, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, id)
	if err != nil || got.RawStoragePath == nil || *got.RawStoragePath != first.RawPath || len(got.Attachments) != 1 ||
		got.Attachments[0].StoragePath != deck || got.AttachmentsCount != 1 {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestFilesOfNobodyAreSwept(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	kept := s.store(t, s.ID, withParts(textPart("Hi"), withDeck))
	lost := s.store(t, s.ID, strings.Replace(withParts(textPart("Never kept"), withDeck), "<1@x>", "<2@x>", 1))
	id := s.receive(t, kept.Draft)
	if n, err := s.service.Sweep(t.Context(), time.Hour); n != 0 || err != nil {
		t.Errorf("%d files removed before their time, %v", n, err)
	}
	if n := s.sweep(t); n != 1 || s.content(t, lost.RawPath) != "" || s.content(t, kept.RawPath) == "" ||
		s.content(t, kept.Attachments[0].StoragePath) == "" {
		t.Errorf("%d removed, of the lost one %q is left", n, s.content(t, lost.RawPath))
	}
	if n := s.sweep(t); n != 0 {
		t.Errorf("%d removed by a second sweep", n)
	}
	testkit.Exec(t, s.URL, "DELETE FROM emails WHERE id = $1", id)
	if n := s.sweep(t); n != 2 || s.content(t, kept.RawPath) != "" || s.content(t, kept.Attachments[0].StoragePath) != "" {
		t.Errorf("%d removed with the email", n)
	}
}

func TestAFileStaysAsLongAsOneEmailHasIt(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	one, two := s.store(t, s.ID, withParts(withDeck)),
		s.store(t, s.ID, strings.Replace(withParts(withDeck), "<1@x>", "<2@x>", 1))
	deck := one.Attachments[0].StoragePath
	id := s.receive(t, one.Draft)
	s.receive(t, two.Draft)
	testkit.Exec(t, s.URL, "DELETE FROM emails WHERE id = $1", id)
	if n := s.sweep(t); n != 1 || s.content(t, deck) == "" || s.content(t, one.RawPath) != "" {
		t.Errorf("%d removed, the deck holds %q", n, s.content(t, deck))
	}
}

func TestAnAccountGoesWithItsFiles(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	m := s.store(t, s.ID, withParts(withDeck))
	s.receive(t, m.Draft)
	s.sweep(t)
	testkit.Exec(t, s.URL, "DELETE FROM accounts WHERE id = $1", s.ID)
	if n := s.sweep(t); n != 2 || s.content(t, m.RawPath) != "" {
		t.Errorf("%d removed with the account", n)
	}
	if left := testkit.Count(t, s.URL, "loose_files"); left != 0 {
		t.Errorf("%d files are remembered for nothing", left)
	}
}

func TestABatchKeepsItsFilesToo(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	m := s.store(t, s.ID, withParts(withDeck))
	ids := s.addBatch(t, &m.Draft)
	got, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, ids[0])
	if err != nil || got.RawStoragePath == nil || *got.RawStoragePath != m.RawPath || len(got.Attachments) != 1 {
		t.Errorf("%v: %+v", err, got)
	}
	if !slices.Equal(s.addBatch(t, &m.Draft), nil) {
		t.Error("it was kept twice")
	}
}

func (s *setup) addBatch(t *testing.T, drafts ...*email.Draft) []uuid.UUID {
	t.Helper()
	var added []uuid.UUID
	err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) (err error) {
		added, err = s.service.AddBatch(tx, s.ID, drafts)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return added
}

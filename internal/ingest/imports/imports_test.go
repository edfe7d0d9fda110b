package imports_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/analysis"
	"dealflow/internal/analysis/links"
	"dealflow/internal/analysis/rules"
	"dealflow/internal/blob"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/match"
	"dealflow/internal/email"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
	"dealflow/internal/work"
)

// told is a queue that keeps what was put into it until take returns it.
type told struct {
	mu   sync.Mutex
	refs []work.Ref
}

func (q *told) Enqueue(_ context.Context, ref work.Ref, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refs = append(q.refs, ref)
	return nil
}

// take returns the oldest work of an import.
func (q *told) take() (work.Ref, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, ref := range q.refs {
		if ref.Kind == imports.WorkImport {
			q.refs = slices.Delete(q.refs, i, i+1)
			return ref, true
		}
	}
	return work.Ref{}, false
}

// fixture is a team with the service that receives imports and the writer of their rows. The test does the work in the
// queue itself.
type fixture struct {
	*testkit.Team

	blobs   *blob.Store
	folder  string // of the blobs
	queue   *told
	work    *work.Store
	service *imports.Service
	writer  *imports.Writer
}

func newImports(t *testing.T) *fixture {
	t.Helper()
	s := &fixture{Team: testkit.NewTeam(t), queue: &told{}, folder: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	var err error
	if s.blobs, err = blob.Open(t.Context(), "file://"+s.folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.blobs.Close() })
	s.work = work.NewStore(s.DB, s.queue, log)
	s.service = imports.New(imports.Deps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Logger: log, MaxRowSize: 1 << 16, Heartbeat: 20 * time.Millisecond,
	})
	s.writer = s.writerWith(rules.New(links.DefaultDeckClasses()))
	return s
}

// writerWith returns a writer that analyzes companies by this analyzer.
func (s *fixture) writerWith(analyzer analysis.Analyzer) *imports.Writer {
	log := slog.New(slog.DiscardHandler)
	companies := companykit.Wire(s.DB, s.blobs, s.work, 1<<20, log)
	analysts := analyst.New(analyst.Deps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Analyzer: analyzer, Now: time.Now, Logger: log,
	})
	return imports.NewWriter(imports.WriterDeps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Emails: email.New(s.DB, s.blobs),
		Companies: analyst.NewCreator(companies.Creations, analysts, match.New()), Logger: log,
	})
}

func (s *fixture) begin(t *testing.T, kind, format string) imports.Import {
	t.Helper()
	begun, err := s.service.Begin(t.Context(), s.Owner,
		imports.Request{ID: uuid.New(), AccountID: s.ID, Kind: kind, Format: format, RequestID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	return begun
}

func (s *fixture) receive(t *testing.T, begun imports.Import, body io.Reader) imports.Import {
	t.Helper()
	received, err := s.service.Receive(t.Context(), begun, "r", nil, io.NopCloser(body))
	if err != nil {
		t.Fatal(err)
	}
	return received
}

// write works until the queue has nothing of imports, each attempt on one batch.
func (s *fixture) write(t *testing.T) {
	t.Helper()
	for {
		ref, found := s.queue.take()
		if !found {
			return
		}
		item, err := s.work.Claim(t.Context(), ref, time.Minute)
		if err != nil {
			t.Fatalf("claim: %v", err)
		}
		more, err := s.writer.Write(t.Context(), item, func() bool { return true })
		if err == nil && more {
			err = s.work.Again(t.Context(), item)
		}
		if err != nil {
			t.Fatalf("write: %v", err)
		}
	}
}

// run imports a text to its end.
func (s *fixture) run(t *testing.T, kind, format, text string) imports.Import {
	t.Helper()
	begun := s.begin(t, kind, format)
	s.receive(t, begun, strings.NewReader(text))
	s.write(t)
	return s.get(t, begun.ID)
}

func (s *fixture) get(t *testing.T, id uuid.UUID) imports.Import {
	t.Helper()
	found, err := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// errors returns the row errors as "row reason" lines.
func (s *fixture) errors(t *testing.T, id uuid.UUID) []string {
	t.Helper()
	found, err := s.service.Errors(t.Context(), s.Member, s.ID, id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range found {
		lines = append(lines, fmt.Sprint(e.Row, " ", e.Reason))
	}
	return lines
}

// counts are how an import ended: "completed 3/3: 1+1+1", which are total, processed, created, duplicates and failed.
func counts(i imports.Import) string {
	return fmt.Sprintf("%s %d/%d: %d+%d+%d", i.Status, i.Total, i.Processed, i.Created, i.Duplicates, i.Failed)
}

func want(t *testing.T, what string, got imports.Import, wanted string) {
	t.Helper()
	if counts(got) != wanted {
		t.Errorf("%s: %s, want %s (error %v)", what, counts(got), wanted, deref(got.Error))
	}
	if got.Over() != (got.FinishedAt != nil) {
		t.Errorf("%s: %s finished at %v", what, got.Status, got.FinishedAt)
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// mailRow is an email as NDJSON.
func mailRow(id, subject string) string {
	return fmt.Sprintf(`{"external_id":"%s","from_email":"ada@acme.example","subject":"%s","content":"anvils"}`+"\n", id,
		subject)
}

func TestEveryRowIsWrittenOnceAndTheFirstWins(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	var file strings.Builder
	for n := range 2500 { // three batches
		file.WriteString(mailRow(fmt.Sprint(n), fmt.Sprint("first ", n)))
	}
	file.WriteString(mailRow("7", "second") + "\n \n" + `{"external_id":"x"}` + "\n" + mailRow("2499", "second") + "[]\n")
	first := s.run(t, imports.KindEmails, imports.FormatNDJSON, file.String())
	want(t, "first", first, "completed 2504/2504: 2500+2+2")
	if got := s.errors(t, first.ID); !slices.Equal(got,
		[]string{"2502 from_email is required", "2504 the row must be a JSON object, not a JSON array"}) {
		t.Errorf("errors %q", got)
	}
	if second := testkit.Texts(t, s.URL, "SELECT subject FROM emails WHERE subject NOT LIKE 'first %'"); len(second) > 0 {
		t.Errorf("a later row won: %v", second)
	}
	want(t, "again", s.run(t, imports.KindEmails, imports.FormatNDJSON, file.String()), "completed 2504/2504: 0+2502+2")
	if n := testkit.Count(t, s.URL, "emails"); n != 2500 {
		t.Errorf("%d emails, want 2500", n)
	}
	if left := s.stored(t); len(left) > 0 {
		t.Errorf("batches are left in storage: %v", left)
	}
}

// stored returns the files of imports in storage.
func (s *fixture) stored(t *testing.T) []string {
	t.Helper()
	var keys []string
	_, err := s.blobs.Sweep(t.Context(), "imports/",
		time.Now().Add(time.Hour), func(_ context.Context, key string) (bool, error) {
			keys = append(keys, key)
			return false, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// breaking is a file whose connection breaks behind its text.
type breaking struct{ io.Reader }

func (b breaking) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestABrokenUploadKeepsWhatArrived(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	whole := mailRow("1", "a") + mailRow("2", "b")
	received := s.receive(t, begun, breaking{strings.NewReader(whole + `{"external_id":"3","from_em`)})
	want(t, "before it is written", received, "running 2/0: 0+0+0")
	s.write(t)
	got := s.get(t, begun.ID)
	want(t, "broken", got, "failed 2/2: 2+0+0")
	if !strings.Contains(deref(got.Error), "after 2 rows: send the same file again") {
		t.Errorf("error %q", deref(got.Error))
	}
	want(t, "sent again", s.run(t, imports.KindEmails, imports.FormatNDJSON, whole+mailRow("3", "c")),
		"completed 3/3: 1+2+0")
}

func TestALostReceiverIsNoticed(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	if n, err := s.writer.EndLost(t.Context()); n != 0 || err != nil {
		t.Errorf("a living receiver was ended: %d, %v", n, err)
	}
	testkit.Exec(t, s.URL, "UPDATE imports SET seen_at = now() - interval '1 minute'")
	if n, err := s.writer.EndLost(t.Context()); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	got := s.get(t, begun.ID)
	want(t, "lost", got, "failed 0/0: 0+0+0")
	if !strings.Contains(deref(got.Error), "broke off after 0 rows") {
		t.Errorf("error %q", deref(got.Error))
	}
}

func TestGivenUpWorkEndsItsImport(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	s.receive(t, begun, strings.NewReader(mailRow("1", "a")))
	ref, _ := s.queue.take()
	testkit.Exec(t, s.URL, "UPDATE work SET max_attempts = 1")
	item, err := s.work.Claim(t.Context(), ref, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.work.Fail(t.Context(), item, errors.New("no disk")); err != nil {
		t.Fatal(err)
	}
	if n, err := s.writer.EndLost(t.Context()); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	got := s.get(t, begun.ID)
	want(t, "given up", got, "failed 1/0: 0+0+0")
	if !strings.Contains(deref(got.Error), "from number 1 on") || strings.Contains(deref(got.Error), "disk") {
		t.Errorf("error %q", deref(got.Error))
	}
}

func TestADeadWorkersBatchIsWrittenOnce(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	var file strings.Builder
	for n := range 3000 {
		file.WriteString(mailRow(fmt.Sprint(n), "a"))
	}
	s.receive(t, begun, strings.NewReader(file.String()))
	ref, _ := s.queue.take()
	dead, err := s.work.Claim(t.Context(), ref, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	if _, err := s.work.Due(t.Context(), time.Minute, 10); err != nil { // its lease has run out: another attempt
		t.Fatal(err)
	}
	if err := s.work.Admit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.writer.Write(t.Context(), dead, func() bool { return false }); !errors.Is(err, work.ErrLost) {
		t.Errorf("the dead worker writes on: %v, want ErrLost", err)
	}
	if n := testkit.Count(t, s.URL, "emails"); n != 0 {
		t.Errorf("the dead worker left %d emails", n)
	}
	s.write(t)
	want(t, "after a death", s.get(t, begun.ID), "completed 3000/3000: 3000+0+0")
}

// A worker that slept through its lease finds that another one has written its batch. The other one needs the batches
// after that.
func TestAWorkerThatSleptRemovesNoBatch(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	s.receive(t, begun, strings.NewReader(mailRows(0, 4500)))
	ref, _ := s.queue.take()
	slept, err := s.work.Claim(t.Context(), ref, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var other work.Item
	sleep := func() bool { // behind the first batch, with the second one read already
		testkit.Exec(t, s.URL, "UPDATE work SET state = 'queued', attempt = attempt + 1")
		ref.Attempt++
		if other, err = s.work.Claim(t.Context(), ref, time.Minute); err != nil {
			t.Errorf("claim: %v", err)
		}
		if more, err := s.writer.Write(t.Context(), other, func() bool { return true }); err != nil || !more {
			t.Errorf("the other worker: %v, %v", more, err)
		}
		return false
	}
	if _, err := s.writer.Write(t.Context(), slept, sleep); !errors.Is(err, work.ErrLost) {
		t.Errorf("the worker that slept: %v, want ErrLost", err)
	}
	if _, err := s.writer.Write(t.Context(), other, func() bool { return false }); err != nil {
		t.Errorf("the other worker goes on: %v", err)
	}
	want(t, "at the end", s.get(t, begun.ID), "completed 4500/4500: 4500+0+0")
}

// A member is removed right after a worker has claimed the work of their import.
func TestAnOwnerWritesTheImportOfWhoLeft(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun, err := s.service.Begin(t.Context(), s.Member, imports.Request{
		ID: uuid.New(), AccountID: s.ID, Kind: imports.KindEmails, Format: imports.FormatNDJSON,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.receive(t, begun, strings.NewReader(mailRows(0, 3)))
	ref, _ := s.queue.take()
	item, err := s.work.Claim(t.Context(), ref, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, s.URL, "DELETE FROM memberships WHERE user_id = $1", s.Member)
	if _, err := s.writer.Write(t.Context(), item, func() bool { return false }); !errors.Is(err, work.ErrLost) {
		t.Errorf("as who left: %v, want ErrLost", err)
	}
	testkit.Exec(t, s.URL, "UPDATE work SET lease_until = now() - interval '1 minute'")
	if _, err := s.work.Due(t.Context(), time.Minute, 10); err != nil {
		t.Fatal(err)
	}
	if err := s.work.Admit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.write(t)
	want(t, "at the end", s.get(t, begun.ID), "completed 3/3: 3+0+0")
}

func TestACancelledImportWritesNoFurtherBatch(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	reader, writer := io.Pipe()
	received := make(chan imports.Import, 1)
	go func() {
		got, _ := s.service.Receive(context.WithoutCancel(t.Context()), begun, "r", nil, reader)
		received <- got
	}()
	for n := range 1500 {
		if _, err := io.WriteString(writer, mailRow(fmt.Sprint(n), "a")); err != nil {
			t.Fatal(err)
		}
	}
	for s.get(t, begun.ID).Written == 0 {
		time.Sleep(5 * time.Millisecond)
		s.write(t)
	}
	cancelled, err := s.service.Cancel(t.Context(), s.Member, s.ID, begun.ID)
	if err != nil {
		t.Fatal(err)
	}
	if cancelled.Status != imports.StatusCancelled || cancelled.Created < 1 || cancelled.FinishedAt == nil {
		t.Errorf("cancelled: %+v", cancelled)
	}
	for sent := 0; ; sent++ { // the receiver notices, and closes
		if _, err := io.WriteString(writer, mailRow(fmt.Sprint("x", sent), "a")); err != nil {
			break
		}
	}
	want(t, "the receiver", <-received, counts(cancelled))
	s.write(t)
	want(t, "at the end", s.get(t, begun.ID), counts(cancelled))
	if n := testkit.Count(t, s.URL, "emails"); n != int(cancelled.Created) {
		t.Errorf("%d emails, want %d", n, cancelled.Created)
	}
}

func TestAWriterStopsWhereItsImportIsCancelled(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	begun := s.begin(t, imports.KindEmails, imports.FormatNDJSON)
	var rows strings.Builder
	for n := range 2500 {
		rows.WriteString(mailRow(fmt.Sprint(n), "a"))
	}
	s.receive(t, begun, strings.NewReader(rows.String()))
	ref, _ := s.queue.take()
	item, err := s.work.Claim(t.Context(), ref, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var cancelled imports.Import
	more, err := s.writer.Write(t.Context(), item, func() bool { // behind the first batch, with the next one read already
		var err error
		if cancelled, err = s.service.Cancel(t.Context(), s.Member, s.ID, begun.ID); err != nil {
			t.Errorf("cancel: %v", err)
		}
		return false
	})
	if err != nil || more {
		t.Fatalf("Write = %v, %v", more, err)
	}
	want(t, "at the end", s.get(t, begun.ID), counts(cancelled))
	if n := testkit.Count(t, s.URL, "emails"); int64(n) != cancelled.Created || n == 0 || n == 2500 {
		t.Errorf("%d emails, want those of the first batch, %d", n, cancelled.Created)
	}
}

func TestAValueThatTheDatabaseRefusesCostsItsRowOnly(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	testkit.Exec(t, s.URL, "ALTER TABLE emails ADD CONSTRAINT no_four CHECK (external_id <> '4')")
	file := mailRow("1", "a") + `{"external_id":"2","from_email":"a@b.example","metadata":{"n":"\ud800"}}` + "\n" +
		mailRow("3", "c") + mailRow("4", "d") + mailRow("5", "e")
	got := s.run(t, imports.KindEmails, imports.FormatNDJSON, file)
	want(t, "refused", got, "completed 5/5: 3+0+2")
	wanted := []string{
		"2 metadata holds half of a surrogate pair",
		"4 the row holds something that cannot be stored (23514 no_four)",
	}
	if lines := s.errors(t, got.ID); !slices.Equal(lines, wanted) {
		t.Errorf("errors %q", lines)
	}
}

package jobs_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/ingest/imports"
	"dealflow/internal/testkit"
)

// TestImportedEmailsBecomeTheirCompanyOnce imports emails of one company, whose analyses fail now and then, while the
// queue is emptied.
func TestImportedEmailsBecomeTheirCompanyOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t, 5*time.Second)
	s.analyzer.do = func(call int32) error {
		switch call {
		case 2:
			return errors.New("out of order")
		case 3:
			panic("out of its mind")
		case 4:
			return s.redis.FlushDB(context.Background()).Err()
		default:
			return nil
		}
	}
	start(t, s.worker.Run)
	start(t, s.sweeper.Run)
	begun, err := s.imports.Begin(t.Context(), s.user,
		imports.Request{
			ID: uuid.New(), AccountID: s.team, Kind: imports.KindEmails, Format: imports.FormatNDJSON, CreateCompanies: true,
		})
	if err != nil {
		t.Fatal(err)
	}
	file := strings.Repeat(`{"external_id":"1","from_email":"ada@acme.example","content":"anvils"}`+"\n", 2)
	for _, id := range []string{"2", "3", "4", "5", "6"} {
		file += `{"external_id":"` + id + `","from_email":"ada` + id + `@acme.example","content":"anvils of every kind"}` +
			"\n"
	}
	received, err := s.imports.Receive(t.Context(), begun, "r", nil, io.NopCloser(strings.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	if it := s.ended(t, received); it.Created != 6 || it.Duplicates != 1 {
		t.Errorf("import %+v", it)
	}
	open := "SELECT concat_ws(' ', state, attempt, error) FROM work WHERE kind = 'ingest.create' AND state <> 'done'"
	for deadline := time.Now().Add(30 * time.Second); len(testkit.Texts(t, s.url,
		open)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not done: %v", testkit.Texts(t, s.url, open))
		}
	}
	if testkit.Count(t, s.url, "companies") != 1 || testkit.Count(t, s.url, "email_companies") != 6 {
		t.Errorf("%d companies with %d emails, want one with six", testkit.Count(t, s.url, "companies"),
			testkit.Count(t, s.url, "email_companies"))
	}
	if made := testkit.Texts(t, s.url,
		"SELECT id::text FROM emails WHERE metadata #>> '{company_match,created}' = 'true'"); len(made) != 1 {
		t.Errorf("%d emails say that the company was made of them", len(made))
	}
}

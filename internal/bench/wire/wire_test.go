package wire_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"dealflow/internal/bench/wire"
	"dealflow/internal/testkit"
)

func connect(t *testing.T) (*wire.Proxy, *pgx.Conn) {
	t.Helper()
	url := testkit.EmptyDatabaseURL(t)
	proxy, err := wire.Start(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	conn, err := pgx.Connect(t.Context(), proxy.URL(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	proxy.Take()
	return proxy, conn
}

func TestStatementsOfAPipelineAreOneTrip(t *testing.T) {
	t.Parallel()
	proxy, conn := connect(t)
	batch := &pgx.Batch{}
	for range 3 {
		batch.Queue("SELECT 1")
	}
	if err := conn.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
	proxy.Take() // the first time, the statement is prepared
	if err := conn.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
	if got := proxy.Take(); got.Trips != 1 || got.Statements != 3 ||
		!slices.Equal(got.Texts, []string{"SELECT 1", "SELECT 1", "SELECT 1"}) {
		t.Errorf("counted %+v", got)
	}
}

func TestEachStatementThatIsWaitedForIsATrip(t *testing.T) {
	t.Parallel()
	proxy, conn := connect(t)
	for range 2 {
		for _, statement := range []string{"BEGIN", "SELECT repeat('x', 200000)", "COMMIT"} {
			if _, err := conn.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
				t.Fatal(err)
			}
		}
		if got := proxy.Take(); got.Trips != 3 || got.Statements != 3 {
			t.Errorf("counted %+v", got)
		}
	}
	if _, err := conn.Exec(t.Context(), "SELECT 1; SELECT 2", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	if got := proxy.Take(); got.Trips != 1 || got.Statements != 2 {
		t.Errorf("two statements in one message: %+v", got)
	}
}

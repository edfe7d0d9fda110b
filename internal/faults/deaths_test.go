//go:build faults

package faults_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

const deaths = 10

// testWorkersThatDie kills ten workers, one after the other, while they do the same analysis. The analysis must then
// succeed, with ten losses and no failures.
func testWorkersThatDie(t *testing.T, in *installation, l *load) {
	t.Helper()
	for _, w := range in.workers {
		w.Kill()
	}
	books, seed := in.admin(), rand.Uint64()
	t.Logf("seed %d", seed)
	release := holdTexts(t, books)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var group sync.WaitGroup
	group.Go(func() { l.create(ctx, deaths, rand.New(rand.NewPCG(seed, 0))) }) // until the first company is acknowledged
	var id string
	for n := range deaths {
		worker := in.programs.Launch(in.t, "worker", in.environment)
		id = awaitRunning(t, books, n)
		stop()
		worker.Kill()
		loseNow(t, books, id)
	}
	release()
	for i := range in.workers {
		in.workers[i] = in.start(t, "worker")
	}
	group.Wait()
	awaitSettled(t, books)
	checkCreations(t, books, in.storage, l)
	var state string
	var losses, failures int
	err := books.QueryRowContext(t.Context(), "SELECT state, losses, failures FROM work WHERE id = $1", id).Scan(&state,
		&losses, &failures)
	if err != nil || state != "done" || losses != deaths || failures != 0 {
		t.Errorf("after %d deaths the analysis is %s with %d losses and %d failures: %v", deaths, state, losses, failures,
			err)
	}
}

// holdTexts keeps analyses from storing the text of decks until the returned function is called, so that workers can be
// killed in the middle of them.
func holdTexts(t *testing.T, books *sql.DB) (release func()) {
	t.Helper()
	tx, err := books.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE file_texts IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}

// awaitRunning waits until a worker has claimed a row of work that was lost this many times, and returns the id of the
// row.
func awaitRunning(t *testing.T, books *sql.DB, losses int) (id string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		err := books.QueryRowContext(t.Context(), "SELECT id FROM work WHERE state = 'running' AND losses = $1", losses).
			Scan(&id)
		if err == nil {
			return id
		}
	}
	t.Fatalf("no worker has claimed the analysis after %d deaths: %v", losses,
		texts(t, books, "SELECT to_jsonb(w)::text FROM work w WHERE state <> 'done'"))
	return ""
}

// loseNow ends the lease of a row of work and counts its attempt as lost, as the sweep does. The next attempt may begin
// at once.
func loseNow(t *testing.T, books *sql.DB, id string) {
	t.Helper()
	for _, statement := range []string{
		"UPDATE work SET lease_until = now() - interval '1 millisecond' WHERE id = '%s'",
		"SELECT FROM app_due_work(interval '1 hour', 100) WHERE '%s' <> ''",
		"UPDATE work SET run_after = now(), told_at = NULL WHERE id = '%s'",
	} {
		if _, err := books.ExecContext(t.Context(), fmt.Sprintf(statement, id)); err != nil {
			t.Fatal(err)
		}
	}
}

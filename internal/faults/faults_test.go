//go:build faults

package faults_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company/upload"
)

const (
	clients     = 4
	importers   = 2
	importRows  = 5000
	betweenMost = 3 * time.Second
	settleWait  = 2 * time.Minute
)

// TestFaults runs the tests one after the other, since they share an installation. The last one replaces most of its
// parts.
func TestFaults(t *testing.T) {
	in := install(t)
	direct := newLoad(t, "http://"+in.apis[0].Address, in.team)
	t.Run("Postgres is frozen", func(t *testing.T) { testFrozenPostgres(t, in, direct) })
	t.Run("Redis is frozen", func(t *testing.T) { testFrozenRedis(t, in, direct) })
	t.Run("started during an outage", func(t *testing.T) { testStartedDuringAnOutage(t, in) })
	t.Run("workers die", func(t *testing.T) {
		testWorkersThatDie(t, in, newLoad(t, "http://"+in.apis[0].Address, in.team))
	})
	t.Run("the disk is full", func(t *testing.T) { testFullStorage(t, in) })
	t.Run("rolling restart", func(t *testing.T) { testRollingRestart(t, in) })
	t.Run("nothing is lost", func(t *testing.T) { testNothingIsLost(t, in) })
}

func newServer(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func testNothingIsLost(t *testing.T, in *installation) {
	t.Helper()
	seed := number(t, "FAULTS_SEED", uint64(time.Now().UnixNano()))
	length := time.Duration(number(t, "FAULTS_SECONDS", 60)) * time.Second
	t.Logf("FAULTS_SEED=%d FAULTS_SECONDS=%d", seed, int(length.Seconds()))
	l := newLoad(t, newServer(t, in.balancer()), in.team)
	l.hopeless = in.hasLost
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() { l.create(ctx, i, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	for i := range importers {
		group.Go(func() { l.importEmails(ctx, i, importRows, rand.New(rand.NewPCG(seed, uint64(100+i)))) })
	}
	in.disturb(ctx, t, rand.New(rand.NewPCG(seed, seed)))
	group.Wait()
	if in.hasLost() {
		t.FailNow() // the load has ended early, so there are no books to check
	}
	t.Logf("%d creations and %d rows; refused: %v", len(l.creations), l.imported, l.refusals)
	books := in.admin()
	awaitSettled(t, books)
	checkCreations(t, books, in.storage, l)
	checkRows(t, books, l)
	checkOrphans(t, in, books)
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(name), strconv.FormatUint(otherwise, 10)), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// disturb makes random faults, one after the other, until the context ends or a process has died by itself.
func (in *installation) disturb(ctx context.Context, t *testing.T, r *rand.Rand) {
	t.Helper()
	faults := in.faults()
	for ctx.Err() == nil && !in.hasLost() {
		pause(r, betweenMost)
		f := faults[r.IntN(len(faults))]
		t.Logf("%s: %s", time.Now().Format("05.000"), f.name)
		f.do(t, r)
	}
}

// awaitSettled waits, for at most settleWait, until all work is done or has failed. It fails the test if work is left
// or has failed.
func awaitSettled(t *testing.T, books *sql.DB) {
	t.Helper()
	left := -1
	for deadline := time.Now().Add(settleWait); left != 0 &&
		time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if err := books.QueryRowContext(t.Context(), "SELECT count(*) FROM work WHERE state NOT IN ('done', 'failed')").
			Scan(&left); err != nil {
			t.Fatal(err)
		}
	}
	if left != 0 {
		t.Errorf("%d pieces of work are left %s after the last fault", left, settleWait)
	}
	for _, failed := range texts(t, books,
		"SELECT id || ' ' || kind || ': ' || COALESCE(error, '') FROM work WHERE state = 'failed'") {
		t.Errorf("work failed: %s", failed)
	}
}

// checkCreations fails the test unless each acknowledged creation is stored once, and each other one at most once, all
// with their decks as they were sent and their analyses.
func checkCreations(t *testing.T, books *sql.DB, storage string, l *load) {
	t.Helper()
	for _, c := range l.creations {
		found := storedAs(t, books, c.name)
		for _, s := range found {
			if c.id != "" && s.id != c.id || s.hash != c.hash || !s.analyzed || s.text < 100 ||
				hashOf(filepath.Join(storage, s.path)) != c.hash {
				t.Errorf("%s, acknowledged as %q, is stored as %+v", c.name, c.id, s)
			}
		}
		if c.id != "" && len(found) != 1 || len(found) > 1 {
			t.Errorf("%s, acknowledged as %q, is stored %d times", c.name, c.id, len(found))
		}
	}
}

// stored is a company and its deck in the database.
type stored struct {
	id, path, hash string
	analyzed       bool
	text           int // bytes of the deck's pages
}

func storedAs(t *testing.T, books *sql.DB, name string) []stored {
	t.Helper()
	rows, err := books.QueryContext(t.Context(), `SELECT c.id, COALESCE(f.storage_path, ''), COALESCE(f.sha256, ''),
		c.metadata ? 'analyzed_at',
		COALESCE(length(x.pages::text), 0) FROM companies c
		LEFT JOIN company_files f ON f.company_id = c.id LEFT JOIN file_texts x ON x.file_id = f.id WHERE c.name = $1`, name)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var found []stored
	for rows.Next() {
		var s stored
		if err := rows.Scan(&s.id, &s.path, &s.hash, &s.analyzed, &s.text); err != nil {
			t.Fatal(err)
		}
		found = append(found, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func hashOf(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func checkRows(t *testing.T, books *sql.DB, l *load) {
	t.Helper()
	var rows, ids int
	if err := books.QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT external_id) FROM emails").Scan(&rows,
		&ids); err != nil {
		t.Fatal(err)
	}
	if rows != ids {
		t.Errorf("%d rows with %d ids are stored: some are doubled", rows, ids)
	}
	if l.imported != importers*importRows {
		t.Errorf("imports of %d rows were acknowledged, want %d", l.imported, importers*importRows)
	}
	if ids != importers*importRows {
		t.Errorf("%d rows are stored, want %d", ids, importers*importRows)
	}
}

// longAgo is more than any file waits that no row names: by default an upload waits six days.
const longAgo = 30 * 24 * time.Hour

// checkOrphans adds the files of a creation that has no rows, makes all files old enough to be removed, starts another
// worker, and waits until its sweep has removed the files that no row names.
func checkOrphans(t *testing.T, in *installation, books *sql.DB) {
	t.Helper()
	company, file := uuid.New(), uuid.New()
	for _, key := range []string{upload.IncomingKey(company, file), upload.StoredKey(company, file)} {
		path := filepath.Join(in.storage, filepath.FromSlash(key))
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-longAgo)
	_ = filepath.WalkDir(in.storage, func(path string, _ fs.DirEntry, _ error) error { return os.Chtimes(path, old, old) })
	if _, err := books.ExecContext(t.Context(), "UPDATE loose_files SET since = $1", old); err != nil {
		t.Fatal(err)
	}
	in.start(t, "worker")
	var orphans []string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if orphans = unnamed(t, in.storage, books); len(orphans) == 0 {
			return
		}
	}
	t.Errorf("%d files are left that no row names: %.600s", len(orphans), strings.Join(orphans, " "))
}

func unnamed(t *testing.T, storage string, books *sql.DB) []string {
	t.Helper()
	named := map[string]bool{}
	for _, path := range texts(t, books, `SELECT storage_path FROM company_files WHERE storage_path IS NOT NULL UNION
		SELECT storage_path FROM email_attachments
		UNION SELECT raw_storage_path FROM emails WHERE raw_storage_path IS NOT NULL UNION SELECT storage_path FROM
			receipts WHERE storage_path IS NOT NULL`) {
		named[path] = true
	}
	var left []string
	err := filepath.WalkDir(storage, func(path string, entry fs.DirEntry, err error) error {
		key, _ := filepath.Rel(storage, path)
		if err == nil && !entry.IsDir() && !named[strings.TrimSuffix(key, ".attrs")] {
			left = append(left, key)
		}
		return nil // a file may be removed while we look
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func texts(t *testing.T, books *sql.DB, query string) []string {
	t.Helper()
	rows, err := books.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

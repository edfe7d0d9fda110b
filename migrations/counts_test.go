package migrations_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/testkit"
)

// keys are what a company is counted by, apart from who sees it.
const keys = `CROSS JOIN LATERAL (VALUES ('s', COALESCE(c.company_status_id::text, '')), ('o', c.source),
	('d', (c.created_at AT TIME ZONE 'UTC')::date::text)) AS k (kind, key)`

// wrongCounts returns the counts of viewers that differ from the companies by the rules of visibility, in one snapshot.
const wrongCounts = `WITH viewers AS (
	SELECT id, '00000000-0000-0000-0000-000000000000'::uuid AS viewer FROM companies WHERE visibility = 'team'
	UNION SELECT id, created_by FROM companies WHERE visibility <> 'team'
	UNION SELECT s.company_id, s.user_id FROM company_shares s JOIN companies c ON c.id = s.company_id WHERE
		visibility = 'shared'
	UNION SELECT a.company_id, a.user_id FROM company_assignees a JOIN companies c ON c.id = a.company_id WHERE
		visibility = 'shared'),
kept AS (SELECT account_id, viewer, kind::text, key, sum(count)::bigint AS n FROM company_counts GROUP BY 1, 2, 3,
	4 HAVING sum(count) <> 0),
real AS (SELECT c.account_id, v.viewer, k.kind, k.key, count(*) AS n FROM companies c JOIN viewers v USING (id)
	` + keys + ` GROUP BY 1, 2, 3, 4)
SELECT 'kept ' || k::text FROM (TABLE kept EXCEPT TABLE real) AS k UNION ALL SELECT 'real ' || r::text FROM (TABLE
	real EXCEPT TABLE kept) AS r`

// wrongSums returns what differs between the counts and the companies that the row security of the caller shows.
const wrongSums = `WITH kept AS (SELECT account_id, kind::text, key, sum(count)::bigint AS n FROM company_counts
	GROUP BY 1, 2, 3 HAVING sum(count) <> 0),
real AS (SELECT c.account_id, k.kind, k.key, count(*) AS n FROM companies c ` + keys + ` GROUP BY 1, 2, 3)
SELECT 'kept ' || k::text FROM (TABLE kept EXCEPT TABLE real) AS k UNION ALL SELECT 'real ' || r::text FROM (TABLE
	real EXCEPT TABLE kept) AS r`

// counted is a team whose companies are counted while they change.
type counted struct {
	*testkit.Team

	admin *sql.DB
}

func newCounted(t *testing.T) *counted {
	t.Helper()
	team := testkit.NewTeam(t)
	return &counted{Team: team, admin: openAsOwner(t, testkit.AdminURL(t, team.URL))}
}

// people are the members of the team; the rival team has one of its own.
func (c *counted) people() []uuid.UUID { return []uuid.UUID{c.Owner, c.Member} }

// as begins a transaction under row security as this person.
func (c *counted) as(t *testing.T, person uuid.UUID) *sql.Tx {
	t.Helper()
	tx, err := c.admin.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	become := "SELECT set_config('role', 'dealflow_app', true), set_config('app.user_id', $1, true)"
	if _, err := tx.ExecContext(t.Context(), become, person.String()); err != nil {
		t.Fatal(err)
	}
	return tx
}

// check compares the counts with all companies, read as the administrator, and with those that each person sees.
func (c *counted) check(t *testing.T, when string) {
	t.Helper()
	for _, wrong := range column(t, c.admin, wrongCounts) {
		t.Errorf("%s: %s", when, wrong)
	}
	for _, person := range append(c.people(), c.Stranger) {
		c.checkAs(t, person, when)
	}
}

func (c *counted) checkAs(t *testing.T, person uuid.UUID, when string) {
	t.Helper()
	tx := c.as(t, person)
	defer tx.Rollback() //nolint:errcheck // it only reads
	var wrong sql.NullString
	err := tx.QueryRowContext(t.Context(), "SELECT string_agg(w, E'\n') FROM ("+wrongSums+") AS wrong (w)").Scan(&wrong)
	if err != nil || wrong.Valid {
		t.Errorf("%s, as %s: %s %v", when, person, wrong.String, err)
	}
}

// changes returns statements that change a company: $1 is its id, $2 its account, $3 somebody of the team.
func changes() []string {
	var all []string
	for _, visibility := range []string{"team", "private", "shared", "shared"} {
		all = append(all, "UPDATE companies SET visibility = '"+visibility+
			"' WHERE id = $1 AND $2::uuid = account_id AND $3::uuid IS NOT NULL")
	}
	for _, table := range []string{"company_shares", "company_assignees"} {
		all = append(all,
			"INSERT INTO "+table+" (company_id, account_id, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
			"DELETE FROM "+table+" WHERE company_id = $1 AND account_id = $2 AND user_id = $3")
	}
	return append(all,
		`UPDATE companies SET company_status_id = (SELECT id FROM company_statuses s WHERE s.account_id = $2 AND $3::uuid
			IS NOT NULL ORDER BY random() LIMIT 1)
			WHERE id = $1`,
		"UPDATE companies SET company_status_id = NULL WHERE id = $1 AND account_id = $2 AND $3::uuid IS NOT NULL",
		"UPDATE companies SET source = CASE source WHEN 'manual' THEN 'email' ELSE 'manual' END WHERE id = $1 AND "+
			"account_id = $2 AND $3::uuid IS NOT NULL",
		"UPDATE companies SET created_at = created_at - interval '1 day' WHERE id = $1 AND account_id = $2 AND $3::uuid "+
			"IS NOT NULL",
		"DELETE FROM companies WHERE id = $1 AND account_id = $2 AND $3::uuid IS NOT NULL",
		`INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by)
			SELECT $1, $2, 'Again', v, 'event', app_user_id(), app_user_id() FROM unnest(ARRAY['team', 'private', 'shared']) AS v
			WHERE $3::uuid IS NOT NULL ORDER BY random() LIMIT 1 ON CONFLICT DO NOTHING`,
	)
}

// write makes random changes, a few to one company in each transaction. It rolls back a quarter of the transactions, at
// random, and those that fail. It returns how many rows changed for good.
func (c *counted) write(t *testing.T, companies []uuid.UUID, transactions int, r *rand.Rand) (changed int64) {
	t.Helper()
	all, people := changes(), c.people()
	for range transactions {
		tx, company, rows := c.as(t, people[r.IntN(len(people))]), companies[r.IntN(len(companies))], int64(0)
		var err error
		for range 1 + r.IntN(3) {
			var done sql.Result
			if done, err = tx.ExecContext(t.Context(), all[r.IntN(len(all))], company, c.ID,
				people[r.IntN(len(people))]); err != nil {
				break
			}
			n, _ := done.RowsAffected() // pgx always knows
			rows += n
		}
		if err != nil || r.IntN(4) == 0 {
			_ = tx.Rollback()
			if err != nil && !refusedByPolicy(err) && !isConflict(err) {
				t.Error(err)
			}
			continue
		}
		if err := tx.Commit(); err != nil {
			t.Error(err)
		}
		changed += rows
	}
	return changed
}

// isConflict reports whether a statement lost against another transaction: a deadlock, or a company that was deleted
// meanwhile.
func isConflict(err error) bool {
	return strings.Contains(err.Error(), "40P01") || strings.Contains(err.Error(), "23503")
}

// Whoever looks while others write sees counts that fit the companies of the same moment, and so does whoever looks
// afterwards.
func TestCountsStayExactUnderConcurrentChanges(t *testing.T) {
	t.Parallel()
	const writers, transactions = 4, 150
	c, seed := newCounted(t), rand.Uint64()
	t.Logf("seed %d", seed)
	var companies []uuid.UUID
	for range 6 {
		companies = append(companies, testkit.Company(t, c.DB, c.ID, c.Owner, "shared"))
	}
	testkit.Company(t, c.DB, c.Rival, c.Stranger, "private")
	ctx, stop := context.WithCancel(t.Context())
	var writing, looking sync.WaitGroup
	var mutex sync.Mutex
	var changed int64
	for i := range writers {
		writing.Go(func() {
			n := c.write(t, companies, transactions, rand.New(rand.NewPCG(seed, uint64(i))))
			mutex.Lock()
			defer mutex.Unlock()
			changed += n
		})
	}
	looking.Go(func() {
		for ctx.Err() == nil && !t.Failed() {
			if _, err := c.admin.ExecContext(ctx, "SELECT app_add_up_counts($1)", c.ID); err != nil &&
				!errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			c.check(t, "while companies change")
		}
	})
	writing.Wait()
	stop()
	looking.Wait()
	c.check(t, "afterwards")
	if changed < writers*transactions/4 {
		t.Errorf("only %d rows were changed", changed)
	}
	if _, err := c.admin.ExecContext(t.Context(), "SELECT app_add_up_counts($1)", c.ID); err != nil {
		t.Fatal(err)
	}
	c.check(t, "added up")
}

// Sharing a company and changing who sees it are counted whichever begins, and whichever commits first.
func TestCountsOfASharingDuringAChangeOfVisibility(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	const share, unshare = "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)",
		"DELETE FROM company_shares WHERE company_id = $1 AND account_id = $2 AND user_id = $3"
	for _, visibility := range []string{"team", "private", "shared"} {
		for _, next := range []string{"team", "private", "shared"} {
			for _, statement := range []string{share, unshare} {
				c.race(t, visibility, next, statement, statement == unshare)
			}
		}
	}
}

// race changes the visibility of a company, and before that commits runs a statement about its sharing; then the
// other way around.
func (c *counted) race(t *testing.T, visibility, next, statement string, isShared bool) {
	t.Helper()
	for _, sharesFirst := range []bool{false, true} {
		company := testkit.Company(t, c.DB, c.ID, c.Owner, visibility)
		if isShared {
			testkit.Exec(t, c.URL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", company,
				c.ID, c.Member)
		}
		steps := []func(*sql.Tx) error{
			func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), "UPDATE companies SET visibility = $2 WHERE id = $1", company, next)
				return err
			},
			func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), statement, company, c.ID, c.Member)
				return err
			},
		}
		if sharesFirst {
			steps[0], steps[1] = steps[1], steps[0]
		}
		first, second := c.as(t, c.Owner), c.as(t, c.Owner)
		if err := steps[0](first); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- errors.Join(steps[1](second), second.Commit()) }()
		select { // it may have to wait for the first
		case err := <-done:
			done <- err
		case <-time.After(50 * time.Millisecond):
		}
		if err := errors.Join(first.Commit(), <-done); err != nil {
			t.Fatal(err)
		}
		c.check(t, visibility+" to "+next+" beside "+statement)
	}
}

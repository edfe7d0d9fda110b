package testkit

import (
	"testing"

	"github.com/google/uuid"
)

// Snapshot returns the rows of an account as lines for CompareSnapshots, including the words, keys and counts that
// triggers derive. It reads, as the administrator, the tables with a column account_id, except those that record events
// or running work, such as changes, the audit log, imports and work. appURL is from DatabaseURL.
func Snapshot(tb testing.TB, appURL string, accountID uuid.UUID) []string {
	tb.Helper()
	tables := Texts(tb, appURL,
		`SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('changes',
		'forgotten_changes', 'audit_entries', 'imports',
			'import_errors', 'import_things', 'work', 'loose_files', 'company_counts', 'model_answers') ORDER BY 1`)
	var lines []string
	for _, table := range tables {
		lines = append(lines, Texts(tb, appURL,
			"SELECT '"+table+" ' || to_jsonb(t)::text FROM "+table+" t WHERE account_id = $1 ORDER BY 1", accountID)...)
	}
	return append(lines, Texts(tb, appURL,
		`SELECT concat_ws(' ', 'count', viewer, kind, key, sum(count)) FROM company_counts WHERE account_id = $1
		GROUP BY viewer, kind, key HAVING sum(count) <> 0 ORDER BY 1`, accountID)...)
}

// CompareSnapshots reports an error of the test unless got and want have the same lines, each as often, in any order.
// It shows up to ten of the lines that differ. The test continues.
func CompareSnapshots(tb testing.TB, got, want []string) {
	tb.Helper()
	counts := map[string]int{}
	for _, line := range want {
		counts[line]++
	}
	shown := 0
	differs := func(how, line string) {
		if shown++; shown <= 10 {
			tb.Errorf("%s: %.700s", how, line)
		}
	}
	for _, line := range got {
		if counts[line]--; counts[line] < 0 {
			differs("more than before", line)
		}
	}
	for line, n := range counts {
		if n > 0 {
			differs("less than before", line)
		}
	}
}

package main

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"dealflow/internal/testkit"
)

// TestSeededRowsAreWhatTriggersWrite changes every company to itself, so that the triggers write again what the seed
// wrote for them.
func TestSeededRowsAreWhatTriggersWrite(t *testing.T) {
	t.Parallel()
	url := testkit.AdminURL(t, testkit.DatabaseURL(t))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := seed(t.Context(), conn, data{companies: 300, accounts: 2}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"CREATE TEMPORARY TABLE before AS SELECT id, words FROM companies",
		"CREATE TEMPORARY TABLE keys AS SELECT company_id, kind, value FROM company_keys",
		"UPDATE companies SET name = name || ' ', metadata = metadata || '{\"x\": 1}', notes = notes || ' '",
		"UPDATE companies SET name = rtrim(name), metadata = metadata - 'x'",
		"UPDATE company_files SET sha256 = sha256",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	expectNone(t, conn, map[string]string{
		"companies seeded":  "SELECT abs(300 - count(*)) FROM companies",
		"words that differ": "SELECT count(*) FROM companies c JOIN before b USING (id) WHERE c.words <> b.words",
		"keys that were wrong": "SELECT count(*) FROM (TABLE keys EXCEPT SELECT company_id, kind, value FROM " +
			"company_keys) AS k",
		"keys that were missing": "SELECT count(*) FROM (SELECT company_id, kind, value FROM company_keys EXCEPT TABLE " +
			"keys) AS k",
		"companies without a deck": "SELECT count(*) FROM companies c WHERE NOT EXISTS (SELECT 1 FROM company_files f " +
			"WHERE f.company_id = c.id)",
		"indexes of companies gone": "SELECT greatest(0, 10 - count(*)) FROM pg_indexes WHERE tablename = 'companies'",
	})
	if _, err := conn.Exec(t.Context(), "DELETE FROM companies"); err != nil {
		t.Fatal(err)
	}
	expectNone(t, conn, map[string]string{
		"counts that were wrong": `SELECT count(*) FROM (SELECT FROM company_counts
			GROUP BY account_id, viewer, kind, key HAVING sum(count) <> 0) AS wrong`,
	})
}

// expectNone fails the test unless every query, each of which counts wrong rows, returns 0.
func expectNone(t *testing.T, conn *pgx.Conn, queries map[string]string) {
	t.Helper()
	for what, query := range queries {
		var n int
		if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
}

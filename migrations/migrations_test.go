package migrations_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm/schema"

	"dealflow/internal/account"
	"dealflow/internal/account/apikey"
	"dealflow/internal/account/signin"
	"dealflow/internal/activity"
	"dealflow/internal/company"
	"dealflow/internal/company/analyst"
	"dealflow/internal/company/findings"
	"dealflow/internal/company/match"
	"dealflow/internal/email"
	"dealflow/internal/form"
	"dealflow/internal/idempotency"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/ingest/imports"
	"dealflow/internal/meeting"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
	"dealflow/migrations"
)

func openAsOwner(t *testing.T, url string) *sql.DB {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	pool := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// column reads one column of text.
func column(t *testing.T, pool *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), query, args...)
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

const objects = `SELECT kind || ' ' || name FROM (
	SELECT 'table' AS kind, c.oid::regclass::text AS name FROM pg_class c WHERE c.relnamespace =
		'public'::regnamespace AND c.relkind IN ('r', 'i', 'S')
	UNION SELECT 'function', p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
	UNION SELECT 'policy', polrelid::regclass || '.' || polname FROM pg_policy) AS o WHERE name NOT LIKE 'goose%'
		ORDER BY 1`

func TestEveryMigrationGoesDownAndUpAgain(t *testing.T) {
	t.Parallel()
	url := testkit.EmptyDatabaseURL(t)
	if _, err := postgres.Migrate(t.Context(), postgres.MigrateOptions{URL: url, Files: migrations.Files}); err != nil {
		t.Fatal(err)
	}
	pool := openAsOwner(t, url)
	up := column(t, pool, objects)
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatalf("down: %v", err)
	}
	if left := column(t, pool, objects); len(left) > 0 {
		t.Errorf("after all the way down these are left: %v", left)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatalf("up again: %v", err)
	}
	if again := column(t, pool, objects); !slices.Equal(again, up) {
		t.Errorf("after down and up:\n%v\nbefore:\n%v", again, up)
	}
}

func TestRowsAndSchemaAgree(t *testing.T) {
	t.Parallel()
	pool := openAsOwner(t, testkit.AdminURL(t, testkit.NewDatabaseURL(t)))
	// Columns that no row carries, with the reason.
	unread := map[string]string{
		"users.password_hash":   "readable through app_users_by_email alone",
		"users.home_account_id": "readable through app_users_by_email alone",
		"companies.words":       "read by the search's functions alone",
		"sessions.hash":         "readable by nobody", "invitations.hash": "readable by nobody",
		"emails.words":               "made of the email, to search in",
		"shared_links.password_hash": "readable through app_link_by_code alone",
		"integrations.token_hash":    "compared by app_integration_by_token alone",
		"integrations.secret":        "readable through app_integration_by_token alone",
		"integrations.signing_key":   "readable through app_integration_by_token alone",
	}
	for _, row := range []any{
		account.User{},
		account.Account{},
		account.Membership{},
		apikey.Key{},
		signin.Session{},
		account.Invitation{},
		pipeline.Status{},
		pipeline.FieldSetting{},
		company.Company{},
		company.File{},
		findings.Detection{},
		findings.Correction{},
		analyst.ModelAnswer{},
		match.Key{},
		work.Item{},
		activity.Entry{},
		meeting.Minutes{},
		form.Submission{},
		email.Email{},
		email.Attachment{},
		email.Link{},
		idempotency.Key{},
		imports.Import{},
		imports.RowError{},
		hooks.Integration{},
		hooks.Receipt{},
		share.Link{},
		share.Item{},
		share.Visit{},
	} {
		parsed, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		if err != nil {
			t.Fatal(err)
		}
		inSchema := column(t, pool,
			"SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1", parsed.Table)
		if len(inSchema) == 0 {
			t.Errorf("%T: there is no table %s", row, parsed.Table)
		}
		for _, name := range inSchema {
			if !slices.Contains(parsed.DBNames, name) && unread[parsed.Table+"."+name] == "" {
				t.Errorf("%T lacks the column %s.%s", row, parsed.Table, name)
			}
		}
		for _, name := range parsed.DBNames {
			if !slices.Contains(inSchema, name) {
				t.Errorf("%T has a field for %s.%s, which is no column", row, parsed.Table, name)
			}
		}
	}
}

// TestDefinerFunctionsAreSafe checks that SECURITY DEFINER functions belong to dealflow_system and have a fixed
// search_path. app_sort_email_words may belong to the owner of the tables, who alone can sort an index.
func TestDefinerFunctionsAreSafe(t *testing.T) {
	t.Parallel()
	pool := openAsOwner(t, testkit.AdminURL(t, testkit.NewDatabaseURL(t)))
	wrong := column(t, pool, `SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
		WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef
		AND (r.rolname <> 'dealflow_system' AND p.proname <> 'app_sort_email_words' OR NOT EXISTS (SELECT 1 FROM
			unnest(p.proconfig) s WHERE s ~ '^search_path=.*, pg_temp$'))`)
	if len(wrong) > 0 {
		t.Errorf("these SECURITY DEFINER functions are not dealflow_system's or have no fixed search_path that ends with "+
			"pg_temp: %v", wrong)
	}
}

func TestPoliciesCallFunctionsOnceAQuery(t *testing.T) {
	t.Parallel()
	pool := openAsOwner(t, testkit.AdminURL(t, testkit.NewDatabaseURL(t)))
	perRow := regexp.MustCompile(`app_(\w+_ids|accounts)\(\)`)
	once := regexp.MustCompile(`\(\s*SELECT app_(\w+_ids|accounts)\(\)`)
	for _, policy := range column(t, pool, `SELECT polrelid::regclass || '.' || polname || ': ' ||
		COALESCE(pg_get_expr(polqual, polrelid), '') || ' / ' || COALESCE(pg_get_expr(polwithcheck, polrelid), '') FROM
			pg_policy`) {
		if len(perRow.FindAllString(policy, -1)) != len(once.FindAllString(policy, -1)) {
			t.Errorf("a function is called for each row: %s", policy)
		}
	}
}

func TestNumbersOfFilesGrow(t *testing.T) {
	t.Parallel()
	entries, err := migrations.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, entry := range entries {
		var number int
		if n, err := fmt.Sscanf(entry.Name(), "%05d_", &number); n != 1 || err != nil || number <= last {
			t.Errorf("%s should begin with a number greater than %05d", entry.Name(), last)
		}
		last = number
	}
}

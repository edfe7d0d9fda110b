package migrations_test

import (
	"bytes"
	"database/sql"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

const schemaFile = "schema.sql"

var update = flag.Bool("update", false, "write "+schemaFile+" anew with pg_dump")

// catalog lists everything that a schema consists of, each with its definition and who may use it.
const catalog = `
	SELECT 'column ' || format('%s.%s %s%s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
		CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END, pg_get_expr(adbin, adrelid)) AS thing
		FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND attnum > 0 AND NOT
			attisdropped
	UNION SELECT 'index ' || pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
		WHERE c.relnamespace = 'public'::regnamespace
	UNION SELECT format('constraint %s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
		WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
	UNION SELECT format('function %s by %s %s', pg_get_functiondef(p.oid), CASE WHEN rolname = 'dealflow_system' THEN
		rolname ELSE 'the owner' END,
		has_function_privilege('dealflow_app', p.oid, 'EXECUTE')) FROM pg_proc p JOIN pg_roles r ON r.oid = proowner
		WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
		AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
	UNION SELECT format('policy %s.%s %s %s %s %s %s', tablename, policyname, permissive, roles, cmd, qual,
		with_check) FROM pg_policies
	UNION SELECT format('trigger %s', pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
	UNION SELECT format('table %s %s %s app: %s', oid::regclass, relrowsecurity, relforcerowsecurity, (SELECT
		string_agg(privilege, ' ')
		FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege WHERE has_table_privilege('dealflow_app',
			oid, privilege)))
		FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
	ORDER BY 1`

// TestSchemaFileShowsTheSchema loads schema.sql into an empty database and compares what is there with what the
// migrations make.
func TestSchemaFileShowsTheSchema(t *testing.T) {
	t.Parallel()
	migrated := testkit.AdminURL(t, testkit.NewDatabaseURL(t))
	if *update {
		writeSchema(t, migrated)
	}
	written, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	empty := openAsOwner(t, testkit.EmptyDatabaseURL(t))
	if _, err := empty.ExecContext(t.Context(), string(written)); err != nil {
		t.Fatalf("load %s: %v", schemaFile, err)
	}
	made, shown := things(t, openAsOwner(t, migrated)), things(t, empty)
	for _, thing := range made {
		if !slices.Contains(shown, thing) {
			t.Errorf("%s lacks %.300s\nrun `make schema`", schemaFile, thing)
		}
	}
	for _, thing := range shown {
		if !slices.Contains(made, thing) {
			t.Errorf("%s has what the migrations do not make: %.300s\nrun `make schema`", schemaFile, thing)
		}
	}
}

var brackets = strings.NewReplacer("(", "", ")", "")

func things(t *testing.T, pool *sql.DB) []string {
	t.Helper()
	all := slices.DeleteFunc(column(t, pool, catalog),
		func(thing string) bool { return strings.Contains(thing, "goose_db_version") })
	for i, thing := range all {
		all[i] = brackets.Replace(thing) // Postgres writes some of them otherwise once it has read what it wrote
	}
	return all
}

// writeSchema writes the schema of a database, without what depends on the version of Postgres and on the login that
// made it.
func writeSchema(t *testing.T, databaseURL string) {
	t.Helper()
	owner, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	dump := exec.CommandContext(t.Context(), pgDump(t), "--schema-only", "--exclude-table=goose*", databaseURL)
	dump.Stderr = os.Stderr
	text, err := dump.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, noise := range []string{
		`(?m)^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\.*)\n`,
		`(?m)^ALTER .* OWNER TO "?` + regexp.QuoteMeta(owner.User.Username()) + `"?;\n`,
		`(?m)^CREATE SCHEMA public;\n|^COMMENT ON (SCHEMA|EXTENSION) .*\n`,
		`(?m)^ALTER DEFAULT PRIVILEGES .*\n`,
	} {
		text = regexp.MustCompile(noise).ReplaceAll(text, nil)
	}
	text = regexp.MustCompile(`\n{3,}`).ReplaceAll(text, []byte("\n\n"))
	text = append([]byte("-- The schema as the migrations make it, to read. `make schema` writes it, and a test "+
		"compares it; only migrations change a database.\n\n"+
		"SET check_function_bodies = false;\n\n"), bytes.TrimSpace(text)...)
	if err := os.WriteFile(schemaFile, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func pgDump(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("pg_dump"); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if err != nil || len(found) == 0 {
		t.Fatal("pg_dump is needed to write the schema: install the client programs of Postgres")
	}
	return found[len(found)-1]
}

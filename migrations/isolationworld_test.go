package migrations_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"dealflow/internal/testkit"
)

// world is two teams with rows in every table, and what each of their three people may see of them by the rules, not
// by the schema.
type world struct {
	admin    *sql.DB
	people   map[string]uuid.UUID
	accounts map[string][]string // by person
	sees     map[string][]string // names of companies, by person
	company  map[string]string   // names by id
	tables   []table
}

// table is a table of the schema: its columns, and which of them the role dealflow_app may read and write.
type table struct {
	name                                     string
	columns, readable, writable, updatable   []string
	selectable, insertable, changes, deletes bool
}

func (tb table) has(column string) bool { return slices.Contains(tb.columns, column) }

// isForAdmins reports whether the table has settings that a plain member may not even read.
func (tb table) isForAdmins() bool {
	return slices.Contains([]string{"integrations", "webhooks", "webhook_deliveries"}, tb.name)
}

// row is a row as JSON.
type row map[string]any

// companyRows returns for each company its name, its creator, its visibility, and whether it is shared with and
// assigned to the member, or for the stranger's the stranger. This must matter only if the visibility is shared.
func companyRows() [][4]string {
	return [][4]string{
		{"open", "owner", "team", ""},
		{"mute", "owner", "private", "share assign"},
		{"close", "owner", "shared", ""},
		{"lent", "owner", "shared", "share"},
		{"given", "owner", "shared", "assign"},
		{"mine", "member", "private", ""},
		{"far", "stranger", "team", "share assign"},
		{"farther", "stranger", "private", ""},
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	team := testkit.NewTeam(t)
	w := &world{
		admin:  openAsOwner(t, testkit.AdminURL(t, team.URL)),
		people: map[string]uuid.UUID{"owner": team.Owner, "member": team.Member, "stranger": team.Stranger},
		accounts: map[string][]string{
			"owner": {team.ID.String()}, "member": {team.ID.String()}, "stranger": {team.Rival.String()},
		},
		sees: map[string][]string{
			"owner": {"open", "mute", "close", "lent", "given"}, "member": {"open", "lent", "given", "mine"},
			"stranger": {"far", "farther"},
		},
		company: map[string]string{},
	}
	for _, c := range companyRows() {
		id, with := uuid.New(), w.people["member"]
		if c[1] == "stranger" {
			with = w.people["stranger"]
		}
		w.company[id.String()] = c[0]
		w.exec(t,
			"INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by) VALUES ($1, $2, $3, "+
				"$4, 'manual', $5, $5)",
			id, w.accounts[c[1]][0], c[0], c[2], w.people[c[1]])
		for word := range strings.FieldsSeq(c[3]) {
			w.exec(t, "INSERT INTO company_"+map[string]string{"share": "shares", "assign": "assignees"}[word]+
				" (company_id, account_id, user_id) VALUES ($1, $2, $3)",
				id, w.accounts[c[1]][0], with)
		}
	}
	for _, statement := range seeds() {
		w.exec(t, statement)
	}
	w.readCatalogue(t)
	return w
}

// seeds returns statements that put a row for every company, account or user into every other table.
func seeds() []string {
	return []string{
		`INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, created_by)
			SELECT gen_random_uuid(), account_id, id, 'deck', 'file', name, created_by FROM companies`,
		`INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages) SELECT id, account_id,
			company_id, 'test', title, '[]' FROM company_files`,
		`INSERT INTO detections (company_id, account_id, found, cues) SELECT id, account_id, '{}', '{}' FROM companies`,
		`INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by)
			SELECT id, 'name', account_id, '"a"', '"b"', '{}', name, created_by FROM companies`,
		`INSERT INTO model_answers (account_id, key, company_id, answer) SELECT account_id, name, id, '{}' FROM companies`,
		`INSERT INTO activity (id, account_id, user_id, type, description, company_id)
			SELECT gen_random_uuid(), account_id, created_by, 'company_added', name, id FROM companies`,
		`INSERT INTO company_merges (id, account_id, company_id, merged_id, merged, keys, merged_by)
			SELECT gen_random_uuid(), account_id, id, gen_random_uuid(), '{}', '{}', created_by FROM companies`,
		`INSERT INTO company_merge_rows (merge_id, account_id, part, what, was) SELECT id, account_id, 'activity', 'moved',
			'{}' FROM company_merges`,
		`INSERT INTO meeting_minutes (id, account_id, title, company_id, created_by) SELECT gen_random_uuid(),
			account_id, name, id, created_by FROM companies`,
		`INSERT INTO form_submissions (id, account_id, data, company_id, integration_type)
			SELECT gen_random_uuid(), account_id, '[]', id, 'manual' FROM companies`,
		`INSERT INTO emails (id, account_id, external_id, from_email) SELECT gen_random_uuid(), id, 'one',
			'ada@acme.example' FROM accounts`,
		`INSERT INTO email_companies (email_id, company_id, account_id) SELECT e.id, c.id, c.account_id FROM emails e
			JOIN companies c USING (account_id)`,
		`INSERT INTO email_attachments (id, account_id, email_id, filename, content_type, size_bytes, storage_path)
			SELECT gen_random_uuid(), account_id, id, 'a.txt', 'text/plain', 1, 'emails/a' FROM emails`,
		`INSERT INTO shared_links (id, account_id, short_code, created_by) SELECT gen_random_uuid(), account_id, name,
			created_by FROM companies`,
		`INSERT INTO shared_link_companies (account_id, link_id, company_id, permissions, position)
			SELECT c.account_id, l.id, c.id, 'view', 0 FROM shared_links l JOIN companies c ON c.name = l.short_code`,
		`INSERT INTO link_visits (id, account_id, link_id) SELECT gen_random_uuid(), account_id, id FROM shared_links`,
		`INSERT INTO link_page_times (account_id, visit_id, company_id, page, milliseconds)
			SELECT v.account_id, v.id, i.company_id, 1, 1 FROM link_visits v JOIN shared_link_companies i USING (account_id,
			link_id)`,
		`UPDATE shared_links SET short_code = gen_random_uuid()`, // a link says nothing of its companies by itself
		`INSERT INTO invitations (id, account_id, email, role, invited_by, hash, expires_at)
			SELECT gen_random_uuid(), account_id, 'grace@fund.example', 'member', user_id, sha256(id::text::bytea), now()
				FROM memberships WHERE role = 'owner'`,
		`INSERT INTO field_settings (id, account_id, name, field_type, position) SELECT gen_random_uuid(), id, 'ARR',
			'number', 0 FROM accounts`,
		`INSERT INTO imports (id, account_id, kind, format, created_by) SELECT gen_random_uuid(), account_id, 'emails',
			'mbox', user_id FROM memberships`,
		`INSERT INTO integrations (id, account_id, kind, name, token_hash, token, secret, created_by)
			SELECT gen_random_uuid(), account_id, 'email', 'Mail', sha256(id::text::bytea), 'sealed', 'sealed', user_id FROM
				memberships`,
		`INSERT INTO receipts (id, account_id, integration_id, content_type, size_bytes, sha256, create_companies)
			SELECT gen_random_uuid(), account_id, id, 'message/rfc822', 1, 'a', false FROM integrations`,
		`INSERT INTO mailgun_tokens (account_id, hash, brought) SELECT id, 'sealed', 'sealed' FROM accounts`,
		`INSERT INTO webhooks (id, account_id, url, secret, created_by, place_transaction, place_thing, place_database)
			SELECT gen_random_uuid(), account_id, 'https://a.example', 'sealed', user_id, '1', user_id, '' FROM memberships
			WHERE role = 'owner'`,
		`INSERT INTO webhook_deliveries (id, account_id, webhook_id, event_type, body) SELECT gen_random_uuid(), account_id,
			id, 'a', '{}' FROM webhooks`,
		`INSERT INTO saved_views (id, account_id, name, shared, sort_by, ascending, columns, created_by)
			SELECT gen_random_uuid(), account_id, 'Mine', s, 'name', true, '{}', user_id FROM memberships, unnest(ARRAY[true,
			false]) s`,
		`INSERT INTO column_choices (account_id, user_id, columns) SELECT account_id, user_id, '{}' FROM memberships`,
		`INSERT INTO forgotten_changes (account_id, xid) SELECT id, '1' FROM accounts`,
		`INSERT INTO loose_files (storage_path, account_id) SELECT 'emails/' || id || '/a', id FROM accounts`,
		`INSERT INTO import_errors (import_id, row, account_id, reason) SELECT id, 1, account_id, 'is no email' FROM imports`,
		`INSERT INTO import_things (import_id, account_id, kind, thing) SELECT id, account_id, 'email', id FROM imports`,
		`INSERT INTO work (id, kind, queue, account_id, user_id, max_attempts) SELECT gen_random_uuid(), 'test', 'test',
			account_id, user_id, 1 FROM memberships`,
		`INSERT INTO api_keys (id, user_id, name, hash, hint) SELECT gen_random_uuid(), id, 'test',
			sha256(id::text::bytea), 'mk_' FROM users`,
		`INSERT INTO sessions (id, user_id, hash, expires_at) SELECT gen_random_uuid(), id, sha256(id::text::bytea),
			now() FROM users`,
		`INSERT INTO second_factors (user_id, secret) SELECT id, 'sealed' FROM users`,
		`INSERT INTO recovery_codes (user_id, hash) SELECT id, sha256(id::text::bytea) FROM users`,
		`INSERT INTO mails (id, kind, email, user_id, base_url) SELECT gen_random_uuid(), 'verification', email, id, ''
			FROM users`,
		`INSERT INTO address_proofs (hash, kind, user_id, expires_at) SELECT sha256(id::text::bytea), 'verification', id,
			now() FROM users`,
		`INSERT INTO idempotency_keys (user_id, key, attempt, lease_until) SELECT id, 'test', gen_random_uuid(), now()
			FROM users`,
	}
}

func (w *world) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := w.admin.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// readCatalogue asks the schema itself, so that a new table is looked at without being named here.
func (w *world) readCatalogue(t *testing.T) {
	t.Helper()
	for _, name := range column(t, w.admin, `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
		AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname <> 'goose_db_version' ORDER BY relname`) {
		columns := func(condition string) []string {
			return column(t, w.admin,
				`SELECT attname FROM pg_attribute a WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND `+
					condition+` ORDER BY attnum`, name)
		}
		may := func(privilege string) bool {
			return column(t, w.admin, `SELECT has_table_privilege('dealflow_app', $1, $2)::text`, name, privilege)[0] == "true"
		}
		tb := table{
			name: name, columns: columns("true"),
			readable: columns("has_column_privilege('dealflow_app', attrelid, attnum, 'SELECT')"),
			writable: columns("has_column_privilege('dealflow_app', attrelid, attnum, 'INSERT') AND attgenerated = ''"),
			updatable: columns(
				"has_column_privilege('dealflow_app', attrelid, attnum, 'UPDATE') AND has_column_privilege('dealflow_app', " +
					"attrelid, attnum, 'SELECT') AND attgenerated = ''",
			),
			deletes: may("DELETE"),
		}
		tb.selectable, tb.insertable, tb.changes = len(tb.readable) > 0, len(tb.writable) > 0, len(tb.updatable) > 0
		w.tables = append(w.tables, tb)
	}
}

// strange returns why a row is not this person's; "" if it is. A row of users belongs to all of the user's team if
// toRead is true, and else to the user alone.
func (w *world) strange(person string, tb table, r row, toRead bool) string {
	me, mine := w.people[person].String(), w.accounts[person]
	text := func(name string) string { value, _ := r[name].(string); return value }
	switch {
	case tb.name == "users" && toRead:
		peers := map[string][]string{
			"owner": {"owner", "member"}, "member": {"owner", "member"}, "stranger": {"stranger"},
		}[person]
		if !slices.ContainsFunc(peers, func(p string) bool { return w.people[p].String() == text("id") }) {
			return "is nobody of his team"
		}
	case tb.name == "users" && text("id") != me:
		return "is not himself"
	case tb.name == "accounts" && !slices.Contains(mine, text("id")),
		tb.has("account_id") && !slices.Contains(mine, text("account_id")):
		return "is another team's"
	case tb.name == "saved_views" && r["shared"] == false && text("created_by") != me:
		return "is another's own view"
	case (tb.name == "work" || tb.name == "column_choices" || !tb.has("account_id")) && tb.has("user_id") &&
		text("user_id") != me:
		return "is another user's"
	}
	if tb.isForAdmins() && person == "member" {
		return "is for owners and admins"
	}
	company := text("company_id")
	switch tb.name {
	case "companies":
		company = text("id")
	case "changes":
		company = text("thing")
	}
	if name, known := w.company[company]; known && !slices.Contains(w.sees[person], name) {
		return "belongs to the company " + name + ", which he does not see"
	}
	return ""
}

// try runs a statement as a person in a transaction that is rolled back. Foreign keys and triggers are off, so that
// only the policies decide. If the statement succeeds, look is called as the administrator.
func (w *world) try(t *testing.T, person, statement string, look func(*sql.Tx), args ...any) error {
	t.Helper()
	tx, err := w.admin.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // that is what it is for
	prepare := `SELECT set_config('session_replication_role', 'replica', true), set_config('role', 'dealflow_app',
		true), set_config('app.user_id', $1, true)`
	if _, err := tx.ExecContext(t.Context(), prepare, w.people[person].String()); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), statement, args...); err != nil {
		return err
	}
	if look != nil {
		if _, err := tx.ExecContext(t.Context(), "RESET ROLE"); err != nil {
			t.Fatal(err)
		}
		look(tx)
	}
	return nil
}

// rows reads rows as JSON.
func rows(t *testing.T, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string,
) []row {
	t.Helper()
	found, err := from.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer found.Close()
	var all []row
	for found.Next() {
		var raw []byte
		var one row
		if err := errors.Join(found.Scan(&raw), json.Unmarshal(raw, &one)); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// refusedByPolicy reports whether a statement was refused for lack of a right, not for something else.
func refusedByPolicy(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "42501"
}

package migrations_test

import (
	"testing"

	"dealflow/internal/testkit"
)

// Whatever is written to a company or its files, and whichever trigger handles it, the company's search vector is the
// same as one that is made anew of all its texts.
func TestWordsFollowEveryWrite(t *testing.T) {
	t.Parallel()
	pool := openAsOwner(t, testkit.AdminURL(t, testkit.NewDatabaseURL(t)))
	pool.SetMaxOpenConns(1)
	const account, user, company = "'11111111-1111-1111-1111-111111111111'", "'22222222-2222-2222-2222-222222222222'",
		"'33333333-3333-3333-3333-333333333333'"
	text := func(file, pages string) string {
		return "INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages) VALUES ('" + file + "', " +
			account + ", " + company + ", 'x', 'Title', " + pages + ")"
	}
	with := func(words string) string {
		return "INSERT INTO companies (id, account_id, name, visibility, source, notes, created_by, updated_by, words) " +
			"VALUES " +
			"(gen_random_uuid(), " + account + ", 'Plain', 'team', 'manual', 'notes', " + user + ", " + user + ", " + words + ")"
	}
	for _, statement := range []string{
		"INSERT INTO users (id, email, name, proven_at) VALUES (" + user + ", 'u@x.io', 'U', now())",
		"INSERT INTO accounts (id, name) VALUES (" + account + ", 'A')",
		"INSERT INTO memberships (id, account_id, user_id, role) VALUES (gen_random_uuid(), " + account + ", " + user +
			", 'owner')",
		"INSERT INTO companies (id, account_id, name, visibility, source, source_content, created_by, updated_by) VALUES (" +
			company + ", " + account +
			", 'Acme', 'shared', 'manual', 'We build Größe 検索 things', " + user + ", " + user + ")",
		with("'notes plain'"),
		with("'''#v:private'' stands nowhere'"), // is not believed
		"UPDATE companies SET name = 'Told', words = 'notes told' WHERE name = 'Plain'",
		// Words with a facet, or none, are not believed.
		"UPDATE companies SET name = 'Retold', words = '''#v:private'' stands nowhere' WHERE name = 'Told'",
		"UPDATE companies SET name = 'Short', words = '' WHERE name = 'Retold'",
		"INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, created_by) SELECT " +
			"('44444444-4444-4444-4444-44444444444' || n)::uuid, " + account +
			", " + company + ", 'attachment', 'file', 't', " + user + " FROM generate_series(1, 3) AS n",
		text("44444444-4444-4444-4444-444444444441", `'["first page", "second page"]'`),
		"INSERT INTO company_assignees (company_id, account_id, user_id) VALUES (" + company + ", " + account + ", " + user +
			")",
		"UPDATE companies SET name = 'Filed', words = 'filed' WHERE name = 'Acme'", // lacks those of the file
		`UPDATE companies SET name = 'Other', metadata = '{"ai_analysis": "They build."}'`,
		`UPDATE companies SET metadata = '{"ai_analysis": "They build. Größe and more."}', source = 'form'`, // adds
		`UPDATE companies SET name = 'Other 検索', metadata = '{"ai_analysis": "They build much."}'`,          // takes away
		`UPDATE companies SET name = 'Others'`,
		"UPDATE companies SET source = 'email', updated_at = now()",
		"UPDATE companies SET visibility = 'team'",
		"SELECT set_config('app.texts_first', 'on', false)",
		text("44444444-4444-4444-4444-444444444442", `'["a deck"]'`) + "; UPDATE companies SET metadata = metadata",
		"SELECT set_config('app.texts_first', '', false)",
		text("44444444-4444-4444-4444-444444444443",
			"(SELECT jsonb_build_array(string_agg(md5(n::text), ' ')) FROM generate_series(1, 25000) AS n)"),
		"UPDATE companies SET notes = 'a note'",
		"UPDATE file_texts SET title = 'Renamed' WHERE title = 'Title'",
		"DELETE FROM company_files WHERE id = '44444444-4444-4444-4444-444444444443'",
		"UPDATE companies SET notes = NULL, source_content = NULL",
	} {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		wrong := column(t, pool, `SELECT ts_delete(words, tsvector_to_array(app_company_vector(c)))::text || ' / ' ||
			ts_delete(app_company_vector(c), tsvector_to_array(words))::text
			FROM companies c WHERE words IS DISTINCT FROM app_company_vector(c)`)
		if len(wrong) > 0 {
			t.Errorf("after %.100q: too many / too few words: %.300s", statement, wrong[0])
		}
	}
}

package merge_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"dealflow/internal/company"
	"dealflow/internal/company/merge"
	"dealflow/internal/fault"
	"dealflow/internal/testkit"
)

// fixture is a team with two companies that are one deal, to which something of every kind belongs.
type fixture struct {
	*testkit.Team

	admin      *sql.DB // past row-level security
	merges     *merge.Service
	one, other uuid.UUID
}

func newFixture(t *testing.T, visibility string) *fixture {
	t.Helper()
	f := &fixture{Team: testkit.NewTeam(t), one: uuid.New(), other: uuid.New()}
	var err error
	if f.admin, err = sql.Open("pgx", testkit.AdminURL(t, f.URL)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.admin.Close() })
	f.merges = merge.New(f.DB)
	f.exec(t, `INSERT INTO company_statuses (id, account_id, name, color, rank) VALUES (gen_random_uuid(), $1, 'First',
		'#111111', 1), (gen_random_uuid(), $1, 'Second', '#222222', 2)`, f.ID)
	f.exec(t, `INSERT INTO emails (id, account_id, external_id, from_email, metadata, created_at) SELECT gen_random_uuid(),
		$1, n::text, CASE n WHEN 1 THEN 'ada@acme.example' ELSE 'partner' || n || '@fund.example' END,
		jsonb_build_object('company_match', jsonb_build_object('created', n = 2, 'company_id', $2::uuid)),
		now() - interval '1 day' FROM generate_series(1, 4) AS n`, f.ID, f.other)
	for i, id := range []uuid.UUID{f.one, f.other} {
		f.company(t, id, i, visibility)
	}
	return f
}

// company makes one of the two companies. Its texts have the word "alpha" or "beta", which shows whose they were.
func (f *fixture) company(t *testing.T, id uuid.UUID, i int, visibility string) {
	t.Helper()
	word := []string{"alpha", "beta"}[i]
	f.exec(t, `INSERT INTO companies (id, account_id, name, deck_link, visibility, source, source_content, notes,
			company_status_id, metadata, created_by, updated_by, edited, external_id, created_at, updated_at)
		VALUES ($1, $2, 'Acme '||$3::text, 'https://decks.example/'||$3::text, $4, CASE $5::int WHEN 0 THEN 'email'
		ELSE 'form' END,
			'sent by '||$3::text, 'note of '||$3::text, (SELECT id FROM company_statuses WHERE rank = $5::int + 1 AND
		NOT is_default
			AND account_id = $2 AND name IN ('First', 'Second')),
			jsonb_build_object('founders', jsonb_build_array(jsonb_build_object('name', 'Ada', 'email', 'ada@acme.example'),
				jsonb_build_object('name', $3::text, 'email', $3::text||'@acme.example')), 'n', 12345678901234567890.5,
				$3::text, $5::int), $6, $6, 'notes', 'crm-'||$3::text, now() - interval '3 days', now() - interval '2 days')`,
		id, f.ID, word, visibility, i, f.Owner)
	f.exec(t, `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, position, title, storage_path,
			media_type, sha256, created_by)
		SELECT gen_random_uuid(), $2, $1::uuid, r, 'file', n, $3::text||' '||r, 'companies/'||$1::uuid||'/'||r,
		'application/pdf',
			$3::text||r, $4 FROM unnest('{deck,attachment}'::text[]) WITH ORDINALITY AS x (r, n)`, id, f.ID, word, f.Owner)
	f.exec(t, `UPDATE companies SET deck_storage_path = 'companies/'||id||'/deck' WHERE id = $1`, id)
	f.exec(t, `INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages) SELECT id, account_id,
		company_id, 'test', title, jsonb_build_array('deck words of '||$2::text) FROM company_files WHERE company_id
		= $1`, id, word)
	f.exec(t, `INSERT INTO meeting_minutes (id, account_id, title, company_id, created_by) VALUES (gen_random_uuid(), $1,
		$2, $3, $4)`, f.ID, "call about "+word, id, f.Owner)
	f.exec(t, `INSERT INTO form_submissions (id, account_id, data, company_id, integration_type) VALUES
		(gen_random_uuid(), $1, '[]', $2, 'manual')`, f.ID, id)
	f.exec(t, `INSERT INTO activity (id, account_id, user_id, type, description, company_id) VALUES (gen_random_uuid(),
		$1, $2, 'company_added', $3, $4)`, f.ID, f.Owner, "Company "+word+" was added", id)
	f.exec(t, `INSERT INTO company_assignees (company_id, account_id, user_id, created_at) SELECT $1, $2, u, now() -
		interval '2 days' FROM unnest($3::uuid[]) AS u`, id, f.ID,
		[]string{f.Owner.String(), f.Member.String()}[i:])
	f.exec(t, `INSERT INTO company_shares (company_id, account_id, user_id, created_at) VALUES ($1, $2, $3, now() -
		interval '2 days')`, id, f.ID, f.Member)
	f.exec(t, `DELETE FROM email_companies WHERE company_id = $1`, id)
	f.exec(t, `INSERT INTO email_companies (email_id, company_id, account_id, created_at) SELECT id, $1,
		account_id, created_at
		FROM emails WHERE external_id = ANY ($2::text[])`, id, [][]string{{"1", "3"}, {"2", "3"}}[i])
	f.exec(t, `INSERT INTO detections (company_id, account_id, found, cues) VALUES ($1, $2, '{}', '{}')`, id, f.ID)
	f.exec(t, `INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by)
		SELECT $1, x, $2, '"a"', to_jsonb($3::text), '{}', 'cut', $4 FROM unnest($5::text[]) AS x`, id, f.ID, word, f.Owner,
		[][]string{{"name"}, {"name", "source"}}[i])
	link := uuid.New()
	f.exec(t, `INSERT INTO shared_links (id, account_id, short_code, created_by) VALUES ($1, $2, $3, $4)`,
		link, f.ID, word, f.Owner)
	f.exec(t, `INSERT INTO shared_link_companies (account_id, link_id, company_id, permissions, position) VALUES ($1, $2,
		$3, 'view', 0)`, f.ID, link, id)
	f.exec(t, `WITH v AS (INSERT INTO link_visits (id, account_id, link_id) VALUES (gen_random_uuid(), $1, $2)
		RETURNING id)
		INSERT INTO link_page_times (account_id, visit_id, company_id, page, milliseconds) SELECT $1, id, $3, 1, 5 FROM v`,
		f.ID, link, id)
}

func (f *fixture) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := f.admin.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (f *fixture) query(t *testing.T, query string, args ...any) string {
	t.Helper()
	var found sql.NullString
	if err := f.admin.QueryRowContext(t.Context(), query, args...).Scan(&found); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found.String
}

func (f *fixture) merge(t *testing.T, keep map[string]string) merge.Done {
	t.Helper()
	done, err := f.merges.Merge(t.Context(), f.Owner, f.other, merge.Request{IntoID: f.one, Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// undo undoes the merge, asked for by either of the two companies.
func (f *fixture) undo(t *testing.T, id uuid.UUID) []merge.Kept {
	t.Helper()
	done, err := f.merges.Undo(t.Context(), f.Owner, id)
	if err != nil {
		t.Fatal(err)
	}
	var kept []merge.Kept
	if err := json.Unmarshal(done.Merge.Kept, &kept); err != nil {
		t.Fatal(err)
	}
	return kept
}

// state returns the rows of the tables that refer to companies, without the columns that each change sets. It finds the
// tables in the schema.
func (f *fixture) state(t *testing.T) []string {
	t.Helper()
	rows, err := f.admin.QueryContext(t.Context(), `SELECT table_name FROM information_schema.columns WHERE column_name =
		'company_id' AND table_schema = 'public' UNION SELECT unnest('{companies,emails,shared_links}'::text[]) ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if table == "company_merges" {
			continue
		}
		all = append(all, table+": "+f.query(t, `SELECT COALESCE(jsonb_agg(to_jsonb(x) - 'updated_at' - 'updated_by' ORDER BY
			(to_jsonb(x) - 'updated_at')::text), '[]')::text FROM `+table+` x WHERE COALESCE(to_jsonb(x) ->> 'type', '') NOT IN
			('company_merged', 'merge_undone')`))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func (f *fixture) same(t *testing.T, before []string) {
	t.Helper()
	for i, now := range f.state(t) {
		if now != before[i] {
			t.Errorf("after the undo\n%s\nbefore the merge\n%s", now, before[i])
		}
	}
}

// TestAMemberThatTheMergedCompanyLacksIsRemoved keeps the merged company's value of a member that it does not have.
func TestAMemberThatTheMergedCompanyLacksIsRemoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	before := f.state(t)
	f.merge(t, map[string]string{"metadata.alpha": merge.Merged})
	if got := f.query(t, "SELECT metadata ? 'alpha' FROM companies WHERE id = $1", f.one); got != "false" {
		t.Errorf("the remaining company still has the member: %s",
			f.query(t, "SELECT metadata ->> 'alpha' FROM companies WHERE id = $1", f.one))
	}
	if kept := f.undo(t, f.one); len(kept) > 0 {
		t.Errorf("nobody changed anything, and the undo kept %v", kept)
	}
	f.same(t, before)
}

// TestMergeMovesWhatHangsOnTheOther looks at each kind of thing, and that nothing names the merged company any more.
func TestMergeMovesWhatHangsOnTheOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	f.merge(t, nil)
	for query, want := range map[string]string{
		"SELECT count(*) FROM companies":                                   "1",
		"SELECT name || ' ' || source FROM companies":                      "Acme alpha email",
		"SELECT notes FROM companies":                                      "note of alpha\n\n---\n\nnote of beta",
		"SELECT source_content FROM companies":                             "sent by alpha\n\n---\n\nsent by beta",
		"SELECT deck_storage_path FROM companies":                          "companies/" + f.one.String() + "/deck",
		"SELECT count(*) FROM company_files WHERE company_id = $1":         "4",
		"SELECT count(*) FROM company_files WHERE role = 'deck'":           "1",
		"SELECT count(*) FROM file_texts WHERE company_id = $1":            "4",
		"SELECT count(*) FROM meeting_minutes WHERE company_id = $1":       "2",
		"SELECT count(*) FROM form_submissions WHERE company_id = $1":      "2",
		"SELECT count(*) FROM email_companies WHERE company_id = $1":       "3",
		"SELECT count(*) FROM company_assignees WHERE company_id = $1":     "2",
		"SELECT count(*) FROM shared_link_companies WHERE company_id = $1": "2",
		"SELECT count(*) FROM activity WHERE company_id = $1":              "3",
		"SELECT string_agg(field || corrected::text, ' ' ORDER BY field) FROM " +
			"corrections WHERE company_id = $1": `name"alpha" source"beta"`,
		"SELECT string_agg(f ->> 'name', ' ') FROM companies, " +
			"jsonb_array_elements(metadata -> 'founders') f": "Ada alpha beta",
		"SELECT count(*) FROM companies WHERE words @@ to_tsquery('simple', 'beta & alpha')": "1",
		"SELECT count(*) FROM company_keys WHERE kind = 'deck' AND value = 'betadeck'":       "1",
		"SELECT string_agg(action, ' ' ORDER BY action) FROM audit_entries WHERE " +
			"target_id = $1 AND action = 'company.merged'": "company.merged",
	} {
		args := []any{f.one}
		if !strings.Contains(query, "$1") {
			args = nil
		}
		if got := f.query(t, query, args...); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestNothingPrivateBecomesVisible(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityShared)
	for name, statement := range map[string]string{
		"visibility": "UPDATE companies SET visibility = 'team' WHERE id = $1",
		"people": `WITH gone AS (DELETE FROM company_assignees WHERE company_id = $1 AND user_id <> (SELECT created_by FROM
			companies WHERE id = $1)) DELETE FROM company_shares WHERE company_id = $1`,
	} {
		f.exec(t, statement, f.other)
		_, err := f.merges.Merge(t.Context(), f.Owner, f.other, merge.Request{IntoID: f.one})
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "visibility_differs") {
			t.Errorf("companies of different %s are merged: %v", name, err)
		}
		f.exec(t, "UPDATE companies SET visibility = 'shared' WHERE id = $1", f.other)
	}
	private := testkit.Company(t, f.DB, f.ID, f.Owner, company.VisibilityPrivate)
	foreign := testkit.Company(t, f.DB, f.Rival, f.Stranger, company.VisibilityTeam)
	for name, tc := range map[string]struct {
		user, id, into uuid.UUID
		want           fault.Kind
	}{
		"of one that is not seen":       {f.Member, private, f.one, fault.NotFound},
		"into one that is not seen":     {f.Member, f.one, private, fault.InvalidBody},
		"into another account":          {f.Owner, f.one, foreign, fault.InvalidBody},
		"by a stranger":                 {f.Stranger, f.one, foreign, fault.Forbidden},
		"of a company and itself":       {f.Owner, f.one, f.one, fault.InvalidBody},
		"into one that never was":       {f.Owner, f.one, uuid.New(), fault.InvalidBody},
		"of the other visibility again": {f.Owner, f.one, private, fault.Conflict},
	} {
		_, err := f.merges.Merge(t.Context(), tc.user, tc.id, merge.Request{IntoID: tc.into})
		if !fault.Is(err, tc.want) {
			t.Errorf("a merge %s: %v", name, err)
		}
	}
}

func TestNoMergeWhileAnAnalysisRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	for _, subject := range []uuid.UUID{f.one, f.other} {
		f.exec(t, `INSERT INTO work (id, kind, queue, account_id, user_id, subject_id, max_attempts) VALUES
			($1, 'company.analyse', 'test', $2, $3, $1, 1)`, subject, f.ID, f.Member)
		_, err := f.merges.Merge(t.Context(), f.Owner, f.other, merge.Request{IntoID: f.one})
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "analysis_running") {
			t.Errorf("merged while an analysis runs: %v", err)
		}
		f.exec(t, "UPDATE work SET state = 'done'")
	}
	f.merge(t, nil)
}

// TestMergesAtOnceHaveOneWinner merges each of two into the other at once, and edits one meanwhile.
func TestMergesAtOnceHaveOneWinner(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	var all sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		all.Go(func() {
			ids := []uuid.UUID{f.one, f.other}
			_, errs[i] = f.merges.Merge(t.Context(), f.Owner, ids[i%2], merge.Request{IntoID: ids[1-i%2]})
		})
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "company_merged"):
			t.Errorf("a merge that came too late: %v", err)
		}
	}
	if left := f.query(t, "SELECT count(*) FROM companies"); won != 1 || left != "1" {
		t.Errorf("%d merges won, and %s companies are left", won, left)
	}
}

func TestWishesAreChecked(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	for _, keep := range []map[string]string{
		{"name": "both"},
		{"notes": "neither"},
		{"id": "into"},
		{"metadata.x": "into"},
	} {
		_, err := f.merges.Preview(t.Context(), f.Owner, f.other, merge.Request{IntoID: f.one, Keep: keep})
		if !fault.Is(err, fault.InvalidBody) {
			t.Errorf("%v: %v", keep, err)
		}
	}
	found, err := f.merges.Preview(t.Context(), f.Owner, f.other, merge.Request{IntoID: f.one})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range found.Conflicts {
		got = append(got, c.Field+" "+c.Keep)
	}
	want := "[name into company_status_id into source into deck into deck_link into metadata.founders both notes both " +
		"source_content both metadata.alpha into metadata.beta merged]"
	if fmt.Sprint(got) != want {
		t.Errorf("the preview says\n%v, want\n%v", got, want)
	}
	if (found.Moves != merge.Moves{Files: 2, Minutes: 1, Submissions: 1, Emails: 2, Links: 1}) {
		t.Errorf("the preview counts %+v", found.Moves)
	}
}

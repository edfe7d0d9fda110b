package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/merge"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

func TestUndoPutsEveryRowBack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		visibility string
		keep       map[string]string
	}{
		"defaults": {company.VisibilityTeam, nil},
		"all of the other's": {company.VisibilityTeam, map[string]string{
			"name": merge.Merged, "source": merge.Merged, "company_status_id": merge.Merged, "deck": merge.Merged,
			"deck_link": merge.Merged, "notes": merge.Merged, "source_content": merge.Merged, "metadata.founders": merge.Merged,
		}},
		"shared":  {company.VisibilityShared, nil},
		"private": {company.VisibilityPrivate, map[string]string{"deck": merge.Merged}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, tc.visibility)
			before := f.state(t)
			for _, named := range []uuid.UUID{f.other, f.one} {
				f.merge(t, tc.keep)
				if kept := f.undo(t, named); len(kept) > 0 {
					t.Errorf("nobody changed anything, and the undo kept %v", kept)
				}
				f.same(t, before)
			}
		})
	}
}

// TestUndoInAnotherTimeZone undoes a merge with a database that writes times in another zone than at the merge, as one
// does to which the account was moved.
func TestUndoInAnotherTimeZone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	before := f.state(t)
	f.merge(t, nil)
	db, err := postgres.Open(t.Context(), f.URL+"&timezone=Asia/Tokyo", postgres.Options{MaxConnections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := merge.New(db).Undo(t.Context(), f.Owner, f.one); err != nil {
		t.Fatal(err)
	}
	f.same(t, before)
}

func TestUndoKeepsWhatPeopleChanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	f.merge(t, map[string]string{"source": merge.Merged})
	elsewhere := testkit.Company(t, f.DB, f.ID, f.Owner, company.VisibilityTeam)
	as := func(statement string, args ...any) {
		t.Helper()
		err := f.DB.As(t.Context(), f.Owner, func(tx *postgres.Tx) error { return tx.Exec(statement, args...).Error })
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	as("UPDATE companies SET notes = 'rewritten' WHERE id = ?", f.one)
	as("UPDATE meeting_minutes SET company_id = ? WHERE title = 'call about beta'", elsewhere)
	as("DELETE FROM company_files WHERE title = 'beta attachment'")
	as("DELETE FROM company_assignees WHERE company_id = ? AND user_id <> ?", f.one, f.Owner)
	as("UPDATE form_submissions SET processed = true")
	var got []string
	for _, k := range f.undo(t, f.other) {
		got = append(got, strings.TrimSpace(k.Kind+" "+k.Field+" "+k.Reason))
	}
	slices.Sort(got)
	want := []string{"company notes changed", "company_files  deleted", "meeting_minutes  moved"}
	if !slices.Equal(got, want) {
		t.Errorf("the undo kept %q, want %q", got, want)
	}
	for query, want := range map[string]string{
		"SELECT notes || source FROM companies WHERE id = $1":                            "rewrittenemail",
		"SELECT count(*) FROM form_submissions WHERE company_id = $2 AND processed":      "1",
		"SELECT count(*) FROM company_files WHERE company_id = $2":                       "1",
		"SELECT count(*) FROM meeting_minutes WHERE company_id IN ($1, $2)":              "1",
		"SELECT count(*) FROM company_assignees WHERE company_id = $2 AND user_id <> $3": "1",
	} {
		args := []any{f.one, f.other, f.Owner}
		if got := f.query(t, strings.NewReplacer("$1", "'"+args[0].(uuid.UUID).String()+"'", "$2", "'"+f.other.String()+"'",
			"$3", "'"+f.Owner.String()+"'").Replace(query)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestMergesAreUndoneInReverse merges a company into one that is then merged itself, and undoes both merges.
func TestMergesAreUndoneInReverse(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	third := testkit.Company(t, f.DB, f.ID, f.Owner, company.VisibilityTeam)
	before := f.state(t)
	f.merge(t, nil)
	if _, err := f.merges.Merge(t.Context(), f.Owner, f.one, merge.Request{IntoID: third}); err != nil {
		t.Fatal(err)
	}
	_, err := f.merges.Undo(t.Context(), f.Owner, f.other)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "merge_not_last; id: "+f.one.String()) {
		t.Errorf("the first merge is undone before the last: %v", err)
	}
	if got := f.query(t, `SELECT string_agg(value, ' ' ORDER BY value) FROM company_keys WHERE company_id = $1 AND kind =
		'deck'`, third); got != "alphadeck betadeck" {
		t.Errorf("the last company is known by the decks %q", got)
	}
	for _, named := range []uuid.UUID{third, f.other} {
		done, err := f.merges.Undo(t.Context(), f.Owner, named)
		if err != nil {
			t.Fatal(err)
		}
		if done.Company.ID != named {
			t.Errorf("the undo by %s answers with %s", named, done.Company.ID)
		}
	}
	f.same(t, before)
	for _, named := range []uuid.UUID{third, f.one, f.other} {
		_, err := f.merges.Undo(t.Context(), f.Owner, named)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "not_merged") {
			t.Errorf("an undo without a merge: %v", err)
		}
	}
}

// TestUndoShowsNothingThatIsHiddenSince makes the surviving company private, with what was the other's in it.
func TestUndoShowsNothingThatIsHiddenSince(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	f.merge(t, nil)
	f.exec(t, "UPDATE companies SET visibility = 'private' WHERE id = $1", f.one)
	for user, want := range map[uuid.UUID]fault.Kind{f.Owner: fault.Conflict, f.Member: fault.NotFound} {
		for _, named := range []uuid.UUID{f.one, f.other} {
			if _, err := f.merges.Undo(t.Context(), user, named); !fault.Is(err, want) {
				t.Errorf("the undo shows it to the team: %v", err)
			}
		}
	}
}

// TestUndoWhileTheCompanyIsShared has an undo wait for a change that shares the company with the user: the row as it
// was locked is not seen with the shares as they were.
func TestUndoWhileTheCompanyIsShared(t *testing.T) {
	t.Parallel()
	f := newFixture(t, company.VisibilityTeam)
	f.merge(t, nil)
	f.exec(t, "DELETE FROM company_shares WHERE company_id = $1", f.one)
	f.exec(t, "DELETE FROM company_assignees WHERE company_id = $1", f.one)
	change, err := f.admin.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = change.Rollback() }()
	for statement, args := range map[string][]any{
		"UPDATE companies SET visibility = 'shared' WHERE id = $1":                               {f.one},
		"INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3::uuid)": {f.one, f.ID, f.Member},
	} {
		if _, err := change.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	undone := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
			undone <- err
		}()
		_, err = f.merges.Undo(t.Context(), f.Member, f.one)
	}()
	const waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
	for deadline := time.Now().Add(time.Minute); f.query(t, waits) == "0"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the undo does not wait for the change")
		}
	}
	if err := change.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-undone; !fault.Is(err, fault.NotFound) {
		t.Errorf("undone with %v, want that the company is not found", err)
	}
}

package migrations_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestEveryTableHasAnOwner keeps the other tests honest: a new table must say whose its rows are, and have some here.
func TestEveryTableHasAnOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tb := range w.tables {
		if !tb.has("account_id") && !tb.has("user_id") && tb.name != "users" && tb.name != "accounts" {
			t.Errorf("%s has neither account_id nor user_id: whose are its rows?", tb.name)
		}
		all := rows(t, w.admin, "SELECT to_jsonb(t) FROM "+tb.name+" t")
		for person := range w.people {
			if tb.isForAdmins() && person == "member" {
				continue
			}
			if !slices.ContainsFunc(all, func(r row) bool { return w.strange(person, tb, r, true) == "" }) {
				t.Errorf("%s has no row of the %s: seed it", tb.name, person)
			}
		}
	}
}

func TestNobodyReadsRowsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tb := range w.tables {
		if !tb.selectable {
			continue
		}
		for person := range w.people {
			var seen []row
			statement := "CREATE TEMP TABLE seen ON COMMIT DROP AS SELECT " + strings.Join(tb.readable,
				", ") + " FROM " + tb.name
			if err := w.try(t, person, statement,
				func(tx *sql.Tx) { seen = rows(t, tx, "SELECT to_jsonb(s) FROM seen s") }); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			if len(seen) == 0 && (!tb.isForAdmins() || person != "member") {
				t.Errorf("the %s sees nothing of %s", person, tb.name)
			}
			for _, r := range seen {
				if why := w.strange(person, tb, r, true); why != "" {
					t.Errorf("the %s reads a row of %s that %s: %v", person, tb.name, why, r)
				}
			}
		}
	}
}

func TestNobodyChangesRowsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tb := range w.tables {
		for person := range w.people {
			for _, name := range tb.updatable {
				w.update(t, tb, person, name)
			}
			if tb.deletes {
				w.deleteAll(t, tb, person)
			}
		}
	}
}

func (w *world) update(t *testing.T, tb table, person, name string) {
	t.Helper()
	statement := fmt.Sprintf("UPDATE %s SET %s = %s", tb.name, name, name)
	err := w.try(t, person, statement, func(tx *sql.Tx) {
		for _, r := range rows(t, tx,
			"SELECT to_jsonb(t) FROM "+tb.name+" t WHERE xmin::text = pg_current_xact_id()::xid::text") {
			if why := w.strange(person, tb, r, false); why != "" {
				t.Errorf("the %s changes %s of a row of %s that %s: %v", person, name, tb.name, why, r)
			}
		}
	})
	if err != nil && !refusedByPolicy(err) {
		t.Errorf("%s: %v", statement, err)
	}
}

func (w *world) deleteAll(t *testing.T, tb table, person string) {
	t.Helper()
	query := "SELECT to_jsonb(t) FROM " + tb.name + " t"
	strangers := func(all []row) (count int) {
		for _, r := range all {
			if w.strange(person, tb, r, false) != "" {
				count++
			}
		}
		return count
	}
	before := strangers(rows(t, w.admin, query))
	err := w.try(t, person, "DELETE FROM "+tb.name, func(tx *sql.Tx) {
		if after := strangers(rows(t, tx, query)); after != before {
			t.Errorf("the %s deletes %d rows of %s that are not his", person, before-after, tb.name)
		}
	})
	if err != nil {
		t.Errorf("DELETE FROM %s: %v", tb.name, err)
	}
}

// TestNobodyWritesRowsForOthers writes the very rows of others again, and their own as if they were theirs: a policy
// refuses them before any key could.
func TestNobodyWritesRowsForOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tb := range w.tables {
		if !tb.insertable {
			continue
		}
		statement := fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM json_populate_record(NULL::%[1]s, $1)",
			tb.name, strings.Join(tb.writable, ", "))
		all := rows(t, w.admin, "SELECT to_jsonb(t) FROM "+tb.name+" t")
		for person := range w.people {
			for _, r := range slices.Concat(all, w.displaced(person, tb, all)) {
				why := w.strange(person, tb, r, false)
				if why == "" {
					continue
				}
				raw, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.try(t, person, statement, nil, raw); !refusedByPolicy(err) {
					t.Errorf("the %s writes a row into %s that %s: %v", person, tb.name, why, err)
				}
			}
		}
	}
}

// displaced returns copies of a person's rows in which one column refers to something that is not theirs. It leaves out
// activity.company_id: people may record what they did to a company that they no longer see, and a foreign key keeps
// the company in the team.
func (w *world) displaced(person string, tb table, all []row) []row {
	var moved []row
	for _, r := range all {
		if w.strange(person, tb, r, false) != "" {
			continue
		}
		for name, target := range w.foreign(person) {
			if tb.has(name) && tb.name+"."+name != "activity.company_id" {
				other := maps.Clone(r)
				other[name] = target
				moved = append(moved, other)
			}
		}
	}
	return moved
}

// foreign returns, by column, what is not a person's: another team, another user, a company of their team that they do
// not see.
func (w *world) foreign(person string) map[string]string {
	other := map[string]string{"owner": "stranger", "member": "stranger", "stranger": "owner"}[person]
	hidden := map[string]string{"owner": "mine", "member": "close", "stranger": "open"}[person]
	targets := map[string]string{"account_id": w.accounts[other][0], "user_id": w.people[other].String()}
	for id, name := range w.company {
		if name == hidden {
			targets["company_id"] = id
		}
	}
	return targets
}

// TestNobodyMovesRowsToOthers tries to move every row that a person may change to another team, another user, or a
// company that they do not see.
func TestNobodyMovesRowsToOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tb := range w.tables {
		for person := range w.people {
			for name, target := range w.foreign(person) {
				if !slices.Contains(tb.updatable, name) {
					continue
				}
				err := w.try(t, person, fmt.Sprintf("UPDATE %s SET %s = $1", tb.name, name), func(tx *sql.Tx) {
					for _, r := range rows(t, tx,
						"SELECT to_jsonb(t) FROM "+tb.name+" t WHERE xmin::text = pg_current_xact_id()::xid::text") {
						if why := w.strange(person, tb, r, false); why != "" {
							t.Errorf("the %s moves a row of %s by its %s, so that it %s", person, tb.name, name, why)
						}
					}
				}, target)
				if err != nil && !refusedByPolicy(err) {
					t.Errorf("%s of %s: %v", name, tb.name, err)
				}
			}
		}
	}
}

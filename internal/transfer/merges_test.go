package transfer_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/company/merge"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/transfer"
)

// merged is an account in which one company was merged into another, and then a third one into the same.
type merged struct {
	*fixture

	one, other, third uuid.UUID
}

// newMerged creates three companies with records of every kind, and merges other and then third into one. The first
// merge takes some fields of other.
func newMerged(t *testing.T) merged {
	t.Helper()
	f := merged{newFixture(t), uuid.New(), uuid.New(), uuid.New()}
	f.exec(t, `INSERT INTO company_statuses (id, account_id, name, color, rank) VALUES (gen_random_uuid(), $1, 'First',
		'#111111', 71), (gen_random_uuid(), $1, 'Second', '#222222', 72), (gen_random_uuid(), $1, 'Third', '#333333', 73)`,
		f.ID)
	f.exec(t, `INSERT INTO emails (id, account_id, external_id, from_email, created_at) SELECT gen_random_uuid(), $1, n,
		n || '@fund.example', `+seededAt+` FROM unnest('{both,one,two,three}'::text[]) AS n`, f.ID)
	for i, id := range []uuid.UUID{f.one, f.other, f.third} {
		f.deal(t, id, []string{"one", "two", "three"}[i], []string{"First", "Second", "Third"}[i])
		f.exec(t, `UPDATE email_companies SET created_at = created_at + $2 * interval '1 minute'
			WHERE company_id = $1`, id, i)
	}
	keep := map[string]string{"name": merge.Merged, "company_status_id": merge.Merged, "deck": merge.Merged}
	f.mergeInto(t, f.other, f.one, keep)
	f.mergeInto(t, f.third, f.one, nil)
	return f
}

func (f merged) mergeInto(t *testing.T, id, into uuid.UUID, keep map[string]string) {
	t.Helper()
	wanted := merge.Request{IntoID: into, Keep: keep}
	if _, err := merge.New(f.DB).Merge(t.Context(), f.Owner, id, wanted); err != nil {
		t.Fatal(err)
	}
}

// deal creates a company with records of every kind, whose texts contain word.
func (f merged) deal(t *testing.T, id uuid.UUID, word, status string) {
	t.Helper()
	f.exec(t, `INSERT INTO companies (id, account_id, name, visibility, source, source_content, notes, company_status_id,
			metadata, created_by, updated_by, edited, external_id, created_at, updated_at)
		SELECT $1, $2, $3, 'team', 'email', 'sent by '||$3, 'note of '||$3, s.id, jsonb_build_object('founders',
			jsonb_build_array(jsonb_build_object('name', $3::text, 'email', $3||'@fund.example')), 'n', 12345678901234567890.5),
			$4, $4, 'notes', 'crm-'||$3, `+seededAt+`, `+seededAt+` FROM company_statuses s WHERE s.account_id = $2 AND s.name
			= $5`, id, f.ID, word, f.Member, status)
	key := func(string) string { return "companies/" + id.String() + "/deck" }
	sum := f.put(t, key, "the deck of "+word)
	f.exec(t, `INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, storage_path,
			size_bytes, media_type, sha256, created_by) SELECT gen_random_uuid(), $2, $1, 'deck', 'file', $3, $4, 1,
			'application/pdf', $5, $6`, id, f.ID, word, key(""), sum, f.Member)
	f.exec(t, `UPDATE companies SET deck_storage_path = $2 WHERE id = $1`, id, key(""))
	f.exec(t, `INSERT INTO file_texts (file_id, account_id, company_id, reader, title, pages) SELECT id, account_id,
		company_id, 'r', title, jsonb_build_array('deck words of '||title) FROM company_files WHERE company_id = $1`, id)
	f.exec(t, `INSERT INTO meeting_minutes (id, account_id, title, company_id, created_by) VALUES (gen_random_uuid(), $1,
		$2, $3, $4)`, f.ID, "call about "+word, id, f.Member)
	f.exec(t, `INSERT INTO form_submissions (id, account_id, data, company_id, integration_type) VALUES
		(gen_random_uuid(), $1, '[]', $2, 'manual')`, f.ID, id)
	f.exec(t, `INSERT INTO activity (id, account_id, user_id, type, description, company_id) VALUES (gen_random_uuid(),
		$1, $2, 'company_added', $3, $4)`, f.ID, f.Member, "Company "+word+" was added", id)
	f.exec(t, `INSERT INTO company_assignees (company_id, account_id, user_id, created_at) VALUES ($1, $2, $3,
		`+seededAt+`)`, id, f.ID, map[bool]uuid.UUID{true: f.Owner, false: f.Member}[word == "one"])
	f.exec(t, `INSERT INTO email_companies (email_id, company_id, account_id, created_at) SELECT id, $1, account_id,
		`+seededAt+` FROM emails WHERE account_id = $2 AND external_id IN ('both', $3)
		ON CONFLICT DO NOTHING`, id, f.ID, word)
	f.exec(t, `INSERT INTO detections (company_id, account_id, found, cues, review) VALUES ($1, $2, '{"f": 1}', '{}',
		'{name}')`, id, f.ID)
	f.exec(t, `INSERT INTO corrections (company_id, field, account_id, detected, corrected, cues, excerpt, created_by)
		VALUES ($1, 'source', $2, 'null', to_jsonb($3::text), '{}', 'cut', $4)`, id, f.ID, word, f.Member)
}

// unmerge undoes the two merges into the company one, and returns an export of the account.
func (f merged) unmerge(t *testing.T, user, accountID, one uuid.UUID) []line {
	t.Helper()
	for range 2 {
		done, err := merge.New(f.DB).Undo(t.Context(), user, one)
		if err != nil {
			t.Fatal(err)
		}
		if kept := string(done.Merge.Kept); kept != "[]" {
			t.Errorf("nobody changed anything, and the undo kept %s", kept)
		}
	}
	return f.export(t, user, accountID)
}

// settled returns lines without what differs between any two undos: times, the activity about the undo, and the names
// of ids in merges. The rows of a merge become lines of their own, since they are in the order of their ids.
func settled(t *testing.T, lines []line) []line {
	t.Helper()
	var kept []line
	for _, one := range lines {
		if one.Type == transfer.TypeActivity && string(one.Data["type"]) == `"merge_undone"` {
			continue
		}
		if one.Type == transfer.TypeMerge {
			var rows []map[string]json.RawMessage
			if err := json.Unmarshal(one.Data["rows"], &rows); err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				kept = append(kept, line{Type: "row", Data: row})
			}
		}
		for _, member := range []string{"updated_at", "undone_at", "rows", "people", "statuses"} {
			delete(one.Data, member)
		}
		kept = append(kept, one)
	}
	return kept
}

// statuses returns, by the id of each status in the lines from, the id of the status of the same name in the lines to.
func statuses(from, to []line) map[string]string {
	ids, byName := map[string]string{}, map[string]string{}
	for _, one := range to {
		if one.Type == transfer.TypeStatus {
			byName[string(one.Data["name"])] = string(one.Data["id"])
		}
	}
	for _, one := range from {
		if is := byName[string(one.Data["name"])]; one.Type == transfer.TypeStatus && is != "" {
			ids[strings.Trim(string(one.Data["id"]), `"`)] = strings.Trim(is, `"`)
		}
	}
	return ids
}

// TestMergesAreUndoneElsewhere restores an account with merges into another installation and into another account of
// the same one, where ids are taken, undoes them at both, and compares the accounts row by row.
func TestMergesAreUndoneElsewhere(t *testing.T) {
	t.Parallel()
	for name, here := range map[string]bool{"another installation": false, "another account": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := newMerged(t)
			to, accountID, user := from, from.Rival, from.Owner
			if here {
				testkit.Member(t, from.DB, from.Rival, from.Owner, account.RoleAdmin)
				testkit.Member(t, from.DB, from.Rival, from.Member, account.RoleMember)
			} else {
				to.fixture = elsewhere(t, from.fixture)
				accountID, user = to.ID, to.Owner
			}
			lines := from.export(t, from.Owner, from.ID)
			to.restore(t, from.fixture, user, accountID, lines)
			if n := to.restore(t, from.fixture, user, accountID, lines); n != 0 {
				t.Errorf("again, %d things are new", n)
			}
			one := to.restored(t, accountID, from.one)
			if got := to.successor(t, user, to.restored(t, accountID, from.other)); got != one.String() {
				t.Errorf("the merged company leads to %q, want %s", got, one)
			}
			got, want := to.unmerge(t, user, accountID, one), from.unmerge(t, from.Owner, from.ID, from.one)
			ids := statuses(want, got)
			maps.Copy(ids, map[string]string{
				from.ID.String(): accountID.String(), from.Owner.String(): user.String(), from.Member.String(): to.Member.String(),
			})
			if here {
				for _, kind := range restoredTables() {
					maps.Copy(ids, from.mapping(t, kind))
				}
			}
			compare(t, comparable(t, settled(t, got), nil), comparable(t, settled(t, want), ids))
		})
	}
}

// restored returns the id in an account of the company that had the id was where it was exported.
func (f merged) restored(t *testing.T, accountID, was uuid.UUID) (is uuid.UUID) {
	t.Helper()
	query := "SELECT app_restored_id($1, 'companies', $2)"
	if err := f.admin.QueryRowContext(t.Context(), query, accountID, was).Scan(&is); err != nil {
		t.Fatal(err)
	}
	return is
}

// successor returns the company that one was merged into.
func (f merged) successor(t *testing.T, user, id uuid.UUID) (into string) {
	t.Helper()
	err := f.DB.As(t.Context(), user, func(tx *postgres.Tx) error {
		_, err := company.Load(tx, id)
		into = fault.SuccessorOf(err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return into
}

// TestMergesDoNotComeBackBehindTheirCompanies restores lines from before a merge after it, and a merge where the
// merged company is by itself.
func TestMergesDoNotComeBackBehindTheirCompanies(t *testing.T) {
	t.Parallel()
	from := newMerged(t)
	after := from.export(t, from.Owner, from.ID)
	before := slices.Clone(from.unmerge(t, from.Owner, from.ID, from.one))
	only := func(lines []line, kind string) []line {
		return slices.DeleteFunc(slices.Clone(lines), func(one line) bool { return one.Type != kind })
	}
	for name, tc := range map[string]struct{ first, then []line }{
		"a merged company":             {after, only(before, transfer.TypeCompany)},
		"a merge of what is by itself": {before, only(after, transfer.TypeMerge)},
	} {
		to := elsewhere(t, from.fixture)
		to.restore(t, from.fixture, to.Owner, to.ID, tc.first)
		if n := to.restore(t, from.fixture, to.Owner, to.ID, tc.then); n != 0 {
			t.Errorf("%s: %d things are new", name, n)
		}
	}
}

// TestARestoredMergeSetsOnlyWhatMergesSet undoes a merge whose line names SQL and other columns as fields that the
// merge changed.
func TestARestoredMergeSetsOnlyWhatMergesSet(t *testing.T) {
	t.Parallel()
	from := newMerged(t)
	to := merged{fixture: elsewhere(t, from.fixture)}
	lines := from.export(t, from.Owner, from.ID)
	for _, one := range lines {
		if one.Type != transfer.TypeMerge {
			continue
		}
		var changed map[string]json.RawMessage
		if err := json.Unmarshal(one.Data["changed"], &changed); err != nil {
			t.Fatal(err)
		}
		changed["created_by"] = json.RawMessage(`{"from": "` + to.Owner.String() + `"}`)
		changed["deck_link = 'https://' || current_user || '.example', deck_storage_path"] = json.RawMessage("{}")
		var err error
		if one.Data["changed"], err = json.Marshal(changed); err != nil {
			t.Fatal(err)
		}
	}
	to.restore(t, from.fixture, to.Owner, to.ID, lines)
	state := func() (state string) {
		t.Helper()
		query := "SELECT concat_ws(' ', deck_link, created_by) FROM companies WHERE id = $1"
		if err := to.admin.QueryRowContext(t.Context(), query, from.one).Scan(&state); err != nil {
			t.Fatal(err)
		}
		return state
	}
	before := state()
	to.unmerge(t, to.Owner, to.ID, from.one)
	if after := state(); after != before {
		t.Errorf("the undo made %q of %q", after, before)
	}
}

// Package journal records the things that imports bring, so that an import can be undone: see package imports. Triggers
// of the database mark the things that people change later.
package journal

import (
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/postgres"
)

// Kinds of things that an import brings.
const (
	Email      = "email"
	Submission = "form_submission"
	Minutes    = "meeting_minutes"
	Company    = "company"
	File       = "file" // of a company
	Activity   = "activity"
	Field      = "field"
	Status     = "company_status"
	View       = "saved_view"
	Merge      = "company_merge"
)

// Thing is something that an import brought.
type Thing struct {
	Kind string
	ID   uuid.UUID
}

// Things returns a Thing of this kind for each of the ids.
func Things(kind string, ids []uuid.UUID) []Thing {
	all := make([]Thing, len(ids))
	for i, id := range ids {
		all[i] = Thing{kind, id}
	}
	return all
}

func columns(things []Thing) (kinds, ids []string) {
	for _, thing := range things {
		kinds, ids = append(kinds, thing.Kind), append(ids, thing.ID.String())
	}
	return kinds, ids
}

// Note records the things that an import of the account brought, in the transaction that writes them. Things that are
// recorded already are left unchanged.
func Note(tx *postgres.Tx, importID, accountID uuid.UUID, things []Thing) error {
	if len(things) == 0 {
		return nil
	}
	kinds, ids := columns(things)
	err := tx.Run(postgres.Do(`INSERT INTO import_things (import_id, account_id, kind, thing)
		SELECT $1::uuid, $2::uuid, t.kind, t.id FROM unnest($3::text[], $4::uuid[]) AS t (kind, id) ON CONFLICT DO NOTHING`,
		importID, accountID, kinds, ids))
	if err != nil {
		return fmt.Errorf("note what import %s brought: %w", importID, err)
	}
	return nil
}

// Follow records, in the transaction that creates them, that the things in made were created from another thing, of. If
// an import brought that thing, the undo of the import removes the things in made too; otherwise Follow does nothing.
func Follow(tx *postgres.Tx, of Thing, made []Thing) error {
	kinds, ids := columns(made)
	err := tx.Run(postgres.Do(`INSERT INTO import_things (import_id, account_id, kind, thing)
		SELECT i.import_id, i.account_id, t.kind, t.id FROM import_things i, unnest($3::text[], $4::uuid[]) AS t (kind, id)
		WHERE i.kind = $1 AND i.thing = $2::uuid ON CONFLICT DO NOTHING`, of.Kind, of.ID, kinds, ids))
	if err != nil {
		return fmt.Errorf("note what was made of %s %s: %w", of.Kind, of.ID, err)
	}
	return nil
}

// IsUndone reports whether an undo of the import that brought a thing was begun, even if the undo has failed. It
// reports false for a thing that no import brought. It locks the import: an undo cannot begin before the transaction
// ends.
func IsUndone(tx *postgres.Tx, of Thing) (undone bool, err error) {
	var statuses []string
	err = tx.Run(postgres.Rows(&statuses, func(s *string) []any { return []any{s} }, `SELECT COALESCE(m.undo_status, '')
		FROM imports m JOIN import_things i ON i.import_id = m.id WHERE i.kind = $1 AND i.thing = $2::uuid FOR SHARE OF m`,
		of.Kind, of.ID))
	if err != nil {
		return false, fmt.Errorf("look whether the import of %s %s is undone: %w", of.Kind, of.ID, err)
	}
	for _, status := range statuses {
		undone = undone || status != ""
	}
	return undone, nil
}

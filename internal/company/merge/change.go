package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// step is the value of a field before and after a merge, as JSON. A value of nil means that a member of the metadata
// does not exist.
type step struct {
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// change is what a merge does to the company that remains, by field.
type change map[string]step

// changeOf returns what a merge changes of the company that remains, except its deck: see takesDeck. If only the merged
// company has an external id, it is among the changes. Changed fields that analyses write are added to Edited, so that
// a later analysis leaves them alone, as it does with what people set.
func changeOf(into, merged company.Company, conflicts []Conflict) change {
	steps := change{}
	edited := into.EditedFields()
	before, other := membersOf(into.Metadata), membersOf(merged.Metadata)
	for _, d := range conflicts {
		if d.Field == fieldDeck || findings.SameJSON(d.Into, d.Value) {
			continue
		}
		one := step{From: d.Into, To: d.Value}
		if name, is := strings.CutPrefix(d.Field, ofMetadata); is {
			one.From = before[name]
			if d.Keep == Merged {
				one.To = other[name]
			}
		}
		steps[d.Field] = one
		if slices.Contains([]string{
			"name", "source", fieldStatus, "metadata.founders", "metadata.ai_analysis", "metadata.analyzed_at",
		}, d.Field) {
			edited[d.Field] = true
		}
	}
	maps.DeleteFunc(edited, func(_ string, set bool) bool { return !set })
	if now := strings.Join(slices.Sorted(maps.Keys(edited)), " "); now != into.Edited {
		steps["edited"] = step{From: encode(into.Edited), To: encode(now)}
	}
	if into.ExternalID == nil && merged.ExternalID != nil {
		steps["external_id"] = step{From: encode(nil), To: encode(merged.ExternalID)}
	}
	return steps
}

// write sets the fields of the company's row to their values after the merge, or, if back is true, to those before it.
// If back is false, it leaves out the external id, since the merged company has it until it is deleted. The error is
// NotFound if the user may not change the company, and InvalidBody if the metadata would be too large.
func (ch change) write(tx *postgres.Tx, c company.Company, back bool) error {
	sets, args := []string{"updated_by = app_user_id()", "updated_at = clock_timestamp()"}, []any{}
	members := membersOf(c.Metadata)
	touched := false
	for _, name := range slices.Sorted(maps.Keys(ch)) {
		to := ch[name].To
		if back {
			to = ch[name].From
		}
		if member, is := strings.CutPrefix(name, ofMetadata); is {
			touched = true
			if members[member] = to; to == nil {
				delete(members, member)
			}
			continue
		}
		if name == "external_id" && !back {
			continue
		}
		var value *string
		if err := json.Unmarshal(orNull(to), &value); err != nil {
			return fmt.Errorf("read the value of %s: %w", name, err)
		}
		sets, args = append(sets, name+" = ?"), append(args, value)
	}
	if touched {
		metadata, err := company.EncodeMetadata(members)
		if err == nil {
			err = tooLarge(metadata)
		}
		if err != nil {
			return err
		}
		sets, args = append(sets, "metadata = ?::jsonb"), append(args, string(metadata))
	}
	done := tx.Exec("UPDATE companies SET "+strings.Join(sets, ", ")+" WHERE id = ?", append(args, c.ID)...)
	if done.Error == nil && done.RowsAffected == 0 {
		return fault.NewNotFound()
	}
	return done.Error
}

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

// step is what a merge does to one field. Of the metadata, a nil is a member that is not there.
type step struct {
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// change is what a merge does to the surviving company, by fields.
type change map[string]step

// changeOf returns what becomes of the fields of the surviving company. An analysis that comes later leaves what a
// merge set alone, as it does with what people set.
func changeOf(into, merged company.Company, conflicts []Conflict) change {
	steps := change{}
	edited := into.EditedFields()
	before := membersOf(into.Metadata)
	for _, d := range conflicts {
		if d.Field == fieldDeck || findings.SameJSON(d.Into, d.Value) {
			continue
		}
		from := d.Into
		if name, is := strings.CutPrefix(d.Field, ofMetadata); is {
			from = before[name]
		}
		steps[d.Field] = step{From: from, To: d.Value}
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

// write does the steps to the company's row, or the other way round where they are undone. The external id of a merge
// waits until the merged company has given it up.
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
		metadata := encode(members)
		if err := tooLarge(metadata); err != nil {
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

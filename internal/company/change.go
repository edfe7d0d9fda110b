package company

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/blank"
	"dealflow/internal/company/plain"
	"dealflow/internal/fault"
	"dealflow/internal/patch"
)

// Change is a change of a company. A member that is nil, or not Set, changes nothing. Members of the metadata that are
// not named stay.
type Change struct {
	plain.Changes

	Name       *string
	Visibility *string
	Source     *string
	StatusID   patch.Nullable[uuid.UUID]
	Metadata   json.RawMessage // an object
	Assignees  *[]uuid.UUID    // the users who replace the present assignees

	// Demand, if not nil, is called with the company, which is locked, before it changes. Update returns its error.
	Demand func(current Company) error
}

// Check trims the name, sorts the assignees and removes repeated ones, and returns InvalidBody with every invalid
// member, by its name in the body. It does not look up the status and the assignees.
func (ch *Change) Check() error {
	var wrong []fault.Detail
	refuse := func(field, message string) { wrong = append(wrong, fault.Detail{Field: field, Message: message}) }
	if ch.Name != nil {
		*ch.Name = blank.Trim(*ch.Name)
		checkName(*ch.Name, refuse)
	}
	if ch.Visibility != nil && !IsVisibility(*ch.Visibility) {
		refuse("visibility", "must be private, shared or team")
	}
	if ch.Source != nil && !IsSource(*ch.Source) {
		refuse("source", "must be manual, email, form, referral, website, event or other")
	}
	if ch.DeckLink.Value != nil && !IsLink(*ch.DeckLink.Value) {
		refuse("deck_link", fmt.Sprintf("must be an http or https URL of at most %d characters", MaxLink))
	}
	if len(ch.Metadata) > 0 && !IsObject(ch.Metadata) {
		refuse("metadata", "must be a JSON object")
	}
	if ch.Assignees != nil {
		slices.SortFunc(*ch.Assignees, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		*ch.Assignees = slices.Compact(*ch.Assignees)
		if len(*ch.Assignees) > maximumAssignees {
			refuse("assignees", fmt.Sprintf("has more than %d users", maximumAssignees))
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

// IsObject reports whether a text is a JSON object.
func IsObject(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(raw, &members) == nil && members != nil
}

func checkName(name string, refuse func(field, message string)) {
	if name == "" {
		refuse("name", "is empty")
	}
	if utf8.RuneCountInString(name) > MaxName {
		refuse("name", fmt.Sprintf("has more than %d characters", MaxName))
	}
}

// IsLink reports whether a text may be stored as a link: an http or https URL of at most MaxLink characters.
func IsLink(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "" &&
		utf8.RuneCountInString(text) <= MaxLink
}

// columns returns the values that the change writes to the company's row, by the names of the columns; empty if it
// changes none. The error is InvalidBody if the metadata gets too large.
func (ch *Change) columns(c Company) (map[string]any, error) {
	columns := map[string]any{}
	for name, value := range map[string]*string{"name": ch.Name, "visibility": ch.Visibility, "source": ch.Source} {
		if value != nil {
			columns[name] = *value
		}
	}
	for _, field := range ch.Plain() {
		if field.Value.Set {
			columns[field.Name] = field.Value.Value
		}
	}
	if ch.StatusID.Set {
		columns["company_status_id"] = ch.StatusID.Value
	}
	if len(ch.Metadata) > 0 {
		merged, err := replaceMembers(c.Metadata, ch.Metadata)
		if err != nil {
			return nil, err
		}
		columns["metadata"] = string(merged)
	}
	if edited := ch.edits(c); edited != c.Edited {
		columns["edited"] = edited
	}
	return columns, nil
}

// edits returns the company's Edited after the change: it adds the names of those fields that the change sets and that
// an analysis would otherwise write.
func (ch *Change) edits(c Company) string {
	edited := c.EditedFields()
	edited["name"] = edited["name"] || ch.Name != nil
	edited["source"] = edited["source"] || ch.Source != nil
	edited["company_status_id"] = edited["company_status_id"] || ch.StatusID.Set
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(ch.Metadata, &members) // no members if it is empty
	for _, name := range []string{"founders", "ai_analysis", "analyzed_at"} {
		if _, named := members[name]; named {
			edited["metadata."+name] = true
		}
	}
	maps.DeleteFunc(edited, func(_ string, set bool) bool { return !set })
	return strings.Join(slices.Sorted(maps.Keys(edited)), " ")
}

// EditedFields returns the set of the names of the fields that people have edited, such as "metadata.founders".
func (c Company) EditedFields() map[string]bool {
	edited := map[string]bool{}
	for name := range strings.FieldsSeq(c.Edited) {
		edited[name] = true
	}
	return edited
}

// bringWords adds to the columns the words by which the search finds the company, if the change alters them and
// PlainWords can compute them. Otherwise the database computes them, which takes ten times as long.
func (ch *Change) bringWords(columns map[string]any, c locked) {
	if !c.worded || ch.Name == nil && !ch.Notes.Set && len(ch.Metadata) == 0 {
		return
	}
	if ch.Name != nil {
		c.Name = *ch.Name
	}
	if ch.Notes.Set {
		c.Notes = ch.Notes.Value
	}
	if merged, changed := columns["metadata"].(string); changed {
		c.Metadata = json.RawMessage(merged)
	}
	if words := c.PlainWords(); words != "" {
		columns["words"] = words
	}
}

// replaceMembers returns a JSON object with the given members added to it or replaced; the error is InvalidBody if it
// gets too large.
func replaceMembers(object, members json.RawMessage) (json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	for _, part := range []json.RawMessage{object, members} {
		if err := json.Unmarshal(part, &merged); err != nil {
			return nil, fmt.Errorf("read the metadata: %w", err)
		}
	}
	encoded, err := EncodeMetadata(merged)
	if err != nil {
		return nil, err
	}
	if len(encoded) > maximumMetadata {
		return nil, fault.Field("metadata", fmt.Sprintf("would be larger than %d bytes with what is there", maximumMetadata))
	}
	return encoded, nil
}

// EncodeMetadata returns the members as a JSON object. It does not escape characters for HTML: each "<" would become
// six bytes, which count against the limit of the metadata.
func EncodeMetadata[V any](members map[string]V) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return nil, fmt.Errorf("encode the metadata: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

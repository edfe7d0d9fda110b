package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dealflow/internal/analysis/naming"
	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
)

// Whose value a field gets in a merge.
const (
	Into   = "into" // the value of the company that remains
	Merged = "merged"
	Both   = "both" // both values: of texts, first that of Into; of arrays, each element once
)

// Names of fields in a merge, other than the columns with texts.
const (
	fieldDeck   = "deck" // its value is the file's title
	fieldStatus = "company_status_id"
	ofMetadata  = "metadata."
)

// separator is written between the two texts where both are kept.
const separator = "\n\n---\n\n"

// Bounds in bytes of a merged text, and of all merged metadata together. They are those for creating a company.
const (
	maximumText     = 1 << 20
	maximumMetadata = 1 << 20
)

// Conflict is a field of which the two companies have different values. The values are JSON; null means none.
type Conflict struct {
	Field   string
	Keep    string   // Into, Merged or Both
	Choices []string // the possible values of Keep
	Into    json.RawMessage
	Merged  json.RawMessage
	Value   json.RawMessage // after the merge
}

// compare returns the fields in which two companies differ, the most important first, with their values after the
// merge; the list is empty but not nil if there are none. Two empty values do not differ. keep has, for some fields by
// name, whose value stays: Into, Merged or Both; for the others, decide chooses. The error is InvalidBody and names
// each entry of keep whose field neither company has, or whose choice is not possible. Entries of fields that do not
// differ are ignored.
func compare(into, merged company.View, keep map[string]string) ([]Conflict, error) {
	one, two := valuesOf(into), valuesOf(merged)
	found := []Conflict{}
	var wrong []fault.Detail
	names := slices.Sorted(maps.Keys(one))
	for name := range two {
		if _, has := one[name]; !has {
			names = append(names, name)
		}
	}
	for _, name := range names {
		d := Conflict{Field: name, Into: orNull(one[name]), Merged: orNull(two[name])}
		if findings.SameJSON(d.Into, d.Merged) || isEmpty(d.Into) && isEmpty(d.Merged) {
			continue
		}
		if reason := d.decide(keep[name]); reason != "" {
			wrong = append(wrong, fault.Detail{Field: "keep." + name, Message: reason})
		}
		found = append(found, d)
	}
	for _, name := range slices.Sorted(maps.Keys(keep)) {
		_, ofInto := one[name]
		if _, ofMerged := two[name]; !ofInto && !ofMerged {
			wrong = append(wrong, fault.Detail{Field: "keep." + name, Message: "is no field of the companies"})
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	slices.SortStableFunc(found, func(a, b Conflict) int { return rankOf(a.Field) - rankOf(b.Field) })
	return found, nil
}

// rankOf returns the position of a field in the order in which the merge shows fields, the most important first.
func rankOf(field string) int {
	order := []string{
		"name", fieldStatus, "source", fieldDeck, "deck_link", "metadata.founders", "notes",
		"source_content",
	}
	if at := slices.Index(order, field); at >= 0 {
		return at
	}
	return len(order)
}

// valuesOf returns the values of the fields that a merge decides about, as JSON, by the names of the fields.
func valuesOf(v company.View) map[string]json.RawMessage {
	values := rowValues(v.Company)
	values[fieldDeck] = nil
	if v.Deck != nil {
		values[fieldDeck] = encode(v.Deck.Title)
	}
	return values
}

// rowValues returns, by name, the values of the fields that are in the company's row, which are all but the deck.
func rowValues(c company.Company) map[string]json.RawMessage {
	values := map[string]json.RawMessage{
		"name": encode(c.Name), "source": encode(c.Source), "source_content": encode(c.SourceContent),
		fieldStatus: encode(c.CompanyStatusID),
	}
	for _, field := range c.Plain() {
		values[field.Name] = encode(*field.Value)
	}
	for name, value := range membersOf(c.Metadata) {
		values[ofMetadata+name] = value
	}
	return values
}

func membersOf(metadata json.RawMessage) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(metadata, &members) // the database holds an object
	return members
}

// encode returns a value as JSON; null if the value has no JSON form.
func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null")
	}
	return encoded
}

func orNull(value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return json.RawMessage("null")
	}
	return value
}

func isEmpty(value json.RawMessage) bool {
	return slices.Contains([]string{"null", `""`, "[]", "{}"}, string(bytes.TrimSpace(value)))
}

// decide sets Choices, Keep and Value. asked is the Keep that the client wants, or "". For "", decide chooses Merged if
// Into is empty or the name naming.Unnamed, Both if the values can be joined, and otherwise Into. It returns why the
// choice asked is not possible, or "".
func (d *Conflict) decide(asked string) string {
	joined := d.joined()
	d.Choices = []string{Into, Merged}
	if joined != nil {
		d.Choices = append(d.Choices, Both)
	}
	switch {
	case asked != "":
		d.Keep = asked
	case isEmpty(d.Into), d.Field == "name" && findings.SameJSON(d.Into, encode(naming.Unnamed)):
		d.Keep = Merged
	case joined != nil && !isEmpty(d.Merged):
		d.Keep = Both
	default:
		d.Keep = Into
	}
	switch d.Keep {
	case Into:
		d.Value = d.Into
	case Merged:
		d.Value = d.Merged
	case Both:
		d.Value = joined
	}
	if !slices.Contains(d.Choices, d.Keep) {
		return "must be " + strings.Join(d.Choices, " or ")
	}
	if d.Field == "name" && isEmpty(d.Value) {
		return "would be empty"
	}
	return ""
}

// joined returns both values as one. It returns nil if one is empty, if the field is neither a text that can be joined
// nor a member of the metadata with two arrays, or if the text would be longer than maximumText.
func (d *Conflict) joined() json.RawMessage {
	switch {
	case isEmpty(d.Into) || isEmpty(d.Merged):
		return nil
	case d.Field == "notes", d.Field == "source_content":
		var one, two string
		if json.Unmarshal(d.Into, &one) != nil || json.Unmarshal(d.Merged, &two) != nil ||
			len(one)+len(separator)+len(two) > maximumText {
			return nil
		}
		return encode(one + separator + two)
	case strings.HasPrefix(d.Field, ofMetadata):
		var one, two []json.RawMessage
		if json.Unmarshal(d.Into, &one) != nil || json.Unmarshal(d.Merged, &two) != nil {
			return nil
		}
		known := map[string]bool{}
		for _, element := range one {
			known[identity(element)] = true
		}
		for _, element := range two {
			if !known[identity(element)] {
				one = append(one, element)
			}
		}
		return encode(one)
	}
	return nil
}

// identity returns the text by which two elements of a list count as the same: the name of a custom field, or the
// address of a founder, else their name, in lower case. For any other element it is the element as compact JSON.
func identity(element json.RawMessage) string {
	var known struct{ Field, Email, Name string }
	if json.Unmarshal(element, &known) == nil {
		for _, by := range []string{known.Field, known.Email, known.Name} {
			if by != "" {
				return strings.ToLower(strings.TrimSpace(by))
			}
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, element) != nil {
		return string(element)
	}
	return compact.String()
}

// takesDeck reports whether the company that remains gets the deck of the merged one.
func takesDeck(conflicts []Conflict) bool {
	at := slices.IndexFunc(conflicts, func(d Conflict) bool { return d.Field == fieldDeck })
	return at >= 0 && conflicts[at].Keep == Merged
}

// tooLarge returns InvalidBody for metadata that is too large for a company, otherwise nil.
func tooLarge(metadata []byte) error {
	if len(metadata) > maximumMetadata {
		return fault.Field("keep", fmt.Sprintf("the metadata would be larger than %d bytes", maximumMetadata))
	}
	return nil
}

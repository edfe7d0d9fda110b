package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dealflow/internal/company"
	"dealflow/internal/company/findings"
	"dealflow/internal/fault"
)

// Whose value a member has after the merge.
const (
	This  = "this"
	Other = "other"
	Both  = "both" // one after the other; of arrays, each element once
)

// Members that are no columns of text.
const (
	memberDeck   = "deck" // the file, by its name
	memberStatus = "company_status_id"
	ofMetadata   = "metadata."
)

// separator is between two texts that are both kept.
const separator = "\n\n---\n\n"

// Bounds of what is written, in bytes: of a text, and of all members of the metadata together. They are those of
// creating and changing a company.
const (
	maximumText     = 1 << 20
	maximumMetadata = 1 << 20
)

// Difference is a member that the two companies have different values of. Values are JSON; null is none.
type Difference struct {
	Member  string
	Keep    string
	Choices []string // what Keep may be
	This    json.RawMessage
	Other   json.RawMessage
	Value   json.RawMessage // after the merge
}

// compare returns the members that differ, and whose value each has after the merge: this one's where it has one, of
// texts and lists both.
func compare(this, other company.View, keep map[string]string) ([]Difference, error) {
	one, two := valuesOf(this), valuesOf(other)
	found := []Difference{}
	var wrong []fault.Detail
	names := slices.Sorted(maps.Keys(one))
	for name := range two {
		if _, has := one[name]; !has {
			names = append(names, name)
		}
	}
	for _, name := range names {
		d := Difference{Member: name, This: orNull(one[name]), Other: orNull(two[name])}
		if findings.SameJSON(d.This, d.Other) || isEmpty(d.This) && isEmpty(d.Other) {
			continue
		}
		if reason := d.decide(keep[name]); reason != "" {
			wrong = append(wrong, fault.Detail{Field: "keep." + name, Message: reason})
		}
		found = append(found, d)
	}
	for _, name := range slices.Sorted(maps.Keys(keep)) {
		if !slices.Contains(names, name) {
			wrong = append(wrong, fault.Detail{Field: "keep." + name, Message: "is no member of the companies"})
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	slices.SortStableFunc(found, func(a, b Difference) int { return rankOf(a.Member) - rankOf(b.Member) })
	return found, nil
}

// rankOf puts members into the order in which people look at them.
func rankOf(member string) int {
	order := []string{
		"name", memberStatus, "source", memberDeck, "deck_link", "metadata.founders", "notes",
		"source_content",
	}
	if at := slices.Index(order, member); at >= 0 {
		return at
	}
	return len(order)
}

// valuesOf returns the members that a merge decides about.
func valuesOf(v company.View) map[string]json.RawMessage {
	values := map[string]json.RawMessage{
		"name": encode(v.Name), "source": encode(v.Source), "notes": encode(v.Notes),
		"source_content": encode(v.SourceContent), "deck_link": encode(v.DeckLink),
		memberStatus: encode(v.CompanyStatusID), memberDeck: nil,
	}
	if v.Deck != nil {
		values[memberDeck] = encode(v.Deck.Title)
	}
	for name, value := range membersOf(v.Metadata) {
		values[ofMetadata+name] = value
	}
	return values
}

func membersOf(metadata json.RawMessage) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(metadata, &members) // the database holds an object
	return members
}

// encode returns the JSON of what always has one.
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

// decide sets the value after the merge, and returns why it may not be as it was asked for.
func (d *Difference) decide(asked string) string {
	joined := d.joined()
	d.Choices = []string{This, Other}
	if joined != nil {
		d.Choices = append(d.Choices, Both)
	}
	switch {
	case asked != "":
		d.Keep = asked
	case isEmpty(d.This), d.Member == "name" && findings.SameJSON(d.This, encode(company.Untitled)):
		d.Keep = Other
	case joined != nil && !isEmpty(d.Other):
		d.Keep = Both
	default:
		d.Keep = This
	}
	switch d.Keep {
	case This:
		d.Value = d.This
	case Other:
		d.Value = d.Other
	case Both:
		d.Value = joined
	}
	if !slices.Contains(d.Choices, d.Keep) {
		return "must be " + strings.Join(d.Choices, " or ")
	}
	if d.Member == "name" && isEmpty(d.Value) {
		return "would be empty"
	}
	return ""
}

// joined returns the values of both; nil where they cannot be joined.
func (d *Difference) joined() json.RawMessage {
	switch {
	case isEmpty(d.This) || isEmpty(d.Other):
		return nil
	case d.Member == "notes", d.Member == "source_content":
		var one, two string
		if json.Unmarshal(d.This, &one) != nil || json.Unmarshal(d.Other, &two) != nil ||
			len(one)+len(separator)+len(two) > maximumText {
			return nil
		}
		return encode(one + separator + two)
	case strings.HasPrefix(d.Member, ofMetadata):
		var one, two []json.RawMessage
		if json.Unmarshal(d.This, &one) != nil || json.Unmarshal(d.Other, &two) != nil {
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

// identity returns what an element of a list is known by: a founder by address or name, a custom field by its name.
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

// takesDeck reports whether the other company's deck is the deck after the merge.
func takesDeck(differences []Difference) bool {
	at := slices.IndexFunc(differences, func(d Difference) bool { return d.Member == memberDeck })
	return at >= 0 && differences[at].Keep == Other
}

// tooLarge refuses metadata that package company would refuse.
func tooLarge(metadata []byte) error {
	if len(metadata) > maximumMetadata {
		return fault.Field("keep", fmt.Sprintf("the metadata would be larger than %d bytes", maximumMetadata))
	}
	return nil
}

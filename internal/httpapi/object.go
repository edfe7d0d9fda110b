package httpapi

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

// object is a JSON body whose members are read one by one, so that a refusal names every wrong one. Members that
// nobody reads are ignored, null is the same as absent.
type object struct {
	members map[string]json.RawMessage
	wrong   []fault.Detail
}

// readObject reads the body as a JSON object. TooLarge, UnsupportedType, or InvalidBody for one that is none or holds
// what cannot be kept.
func (a *API) readObject(r *http.Request) (*object, error) {
	raw, err := a.readJSON(r)
	if err != nil {
		return nil, err
	}
	o := &object{}
	problem := checkJSON(raw)
	if problem == nil && (json.Unmarshal(raw, &o.members) != nil || o.members == nil) {
		problem = errors.New("must be a JSON object")
	}
	if problem != nil {
		return nil, fault.New(fault.InvalidBody, "invalid_json", fault.Detail{Field: blame(raw), Message: problem.Error()})
	}
	return o, nil
}

// blame returns the member that is wrong, or "body" where it is not one alone.
func blame(raw []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) == nil {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if checkJSON(members[name]) != nil {
				return name
			}
		}
	}
	return "body"
}

// refuse notes what is wrong with a member; of several things, the first.
func (o *object) refuse(name, message string) { o.wrong = fault.Note(o.wrong, name, message) }

// err refuses all members that were found wrong. Where there are some, it names those too that the domain's check
// refuses, which the domain itself does otherwise.
func (o *object) err(check func() error) error { return refuseAll(o.wrong, check) }

// refuseAll returns one refusal of what is wrong by its form and by the domain's check, which may be nil; nil where
// nothing is wrong by its form.
func refuseAll(wrong []fault.Detail, check func() error) error {
	if len(wrong) == 0 {
		return nil
	}
	if check != nil {
		if also, found := errors.AsType[*fault.Error](check()); found {
			for _, detail := range also.Details {
				wrong = fault.Note(wrong, detail.Field, detail.Message)
			}
		}
	}
	return fault.New(fault.InvalidBody, "invalid_field", wrong...)
}

// value returns a member that was sent and is not null.
func (o *object) value(name string) (json.RawMessage, bool) {
	raw, sent := o.members[name]
	return raw, sent && string(raw) != "null"
}

// text returns a string; nil where it was not sent.
func (o *object) text(name string) *string {
	raw, sent := o.value(name)
	if !sent {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		o.refuse(name, "must be a string")
		return nil
	}
	return &text
}

// requiredText returns a string that must be sent; what it may hold is for the domain to say.
func (o *object) requiredText(name string) string {
	if _, sent := o.value(name); !sent {
		o.refuse(name, "is required")
		return ""
	}
	if text := o.text(name); text != nil {
		return *text
	}
	return ""
}

// integer returns a whole number, however it is written; nil where it was not sent.
func (o *object) integer(name string) *int {
	raw, sent := o.value(name)
	if !sent {
		return nil
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != math.Trunc(number) {
		o.refuse(name, "must be an integer")
		return nil
	}
	if math.Abs(number) > math.MaxInt32 {
		o.refuse(name, "is out of range")
		return nil
	}
	whole := int(number)
	return &whole
}

// isNull reports whether a member was sent as null: in a change that is not the same as absent.
func (o *object) isNull(name string) bool {
	raw, sent := o.members[name]
	return sent && string(raw) == "null"
}

// notNull refuses those of the members that were sent as null: a change can leave them out, but not clear them.
func (o *object) notNull(names ...string) {
	for _, name := range names {
		if o.isNull(name) {
			o.refuse(name, "must not be null: leave it out to keep it")
		}
	}
}

// clearableText gives a string to change to, or a pointer to nil where it is to be cleared; nil where it was not sent.
func (o *object) clearableText(name string) **string {
	text := o.text(name)
	if text == nil && !o.isNull(name) {
		return nil
	}
	return &text
}

// optionalText returns a string; "" where it was not sent.
func (o *object) optionalText(name string) string {
	if text := o.text(name); text != nil {
		return *text
	}
	return ""
}

// boolean returns true or false; nil where it was not sent.
func (o *object) boolean(name string) *bool {
	raw, sent := o.value(name)
	if !sent {
		return nil
	}
	var value bool
	if json.Unmarshal(raw, &value) != nil {
		o.refuse(name, "must be true or false")
		return nil
	}
	return &value
}

// texts returns an array of strings; nil where it was not sent.
func (o *object) texts(name string) []string {
	raw, sent := o.value(name)
	if !sent {
		return nil
	}
	var items []*string
	if json.Unmarshal(raw, &items) != nil || slices.Contains(items, nil) {
		o.refuse(name, "must be an array of strings")
		return nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = *item
	}
	return texts
}

// id returns a UUID; nil where it was not sent.
func (o *object) id(name string) *uuid.UUID {
	text := o.text(name)
	if text == nil {
		return nil
	}
	id, ok := parseID(*text)
	if !ok {
		o.refuse(name, "must be a UUID")
		return nil
	}
	return &id
}

// ids returns an array of UUIDs; nil where it was not sent.
func (o *object) ids(name string) *[]uuid.UUID {
	texts := o.texts(name)
	if texts == nil {
		return nil
	}
	ids := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		id, ok := parseID(text)
		if !ok {
			o.refuse(name, "must be an array of UUIDs")
			return nil
		}
		ids[i] = id
	}
	return &ids
}

// sent reports whether a member was sent, be it as null.
func (o *object) sent(name string) bool {
	_, sent := o.members[name]
	return sent
}

package request

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/jsontext"
	"dealflow/internal/patch"
)

// Object is a JSON body whose members are read one by one, so that one error can name all invalid members. A method
// that finds a member invalid records that for Err, and returns the zero value. Members that are not read are ignored.
// null is the same as absent, except for IsNull, NotNull, Sent, ClearableText and Nullable. The errors of a body are
// those of ReadObject and Err.
type Object struct {
	members map[string]json.RawMessage
	wrong   []fault.Detail
}

// NewObject returns an object with these members.
func NewObject(members map[string]json.RawMessage) *Object { return &Object{members: members} }

// ReadObject reads a body of at most limit bytes as a JSON object. The error is UnsupportedType for a Content-Type that
// is not JSON or for a compressed body, TooLarge for a longer body, and InvalidBody if the body is cut off, is not an
// object, or cannot be stored (see jsontext.Check).
func ReadObject(r *http.Request, limit int64) (*Object, error) {
	raw, err := readJSON(r, limit)
	if err != nil {
		return nil, err
	}
	o := &Object{}
	problem := jsontext.Check(raw)
	if problem == nil && (json.Unmarshal(raw, &o.members) != nil || o.members == nil) {
		problem = errors.New("must be a JSON object")
	}
	if problem != nil {
		return nil, fault.New(fault.InvalidBody, "invalid_json",
			fault.Detail{Field: jsontext.Blame(raw), Message: problem.Error()})
	}
	return o, nil
}

// Refuse records what is wrong with a member. Only the first message about a member is kept.
func (o *Object) Refuse(name, message string) { o.wrong = fault.Note(o.wrong, name, message) }

// Err returns nil if no member was found invalid; it then does not call check, since the domain checks the values
// itself. Otherwise it returns InvalidBody, which names the invalid members, and those that check refuses unless check
// is nil.
func (o *Object) Err(check func() error) error { return refuseAll(o.wrong, check) }

// refuseAll returns nil if wrong is empty, without calling check. Otherwise it returns InvalidBody with the details in
// wrong and those of the error of check, at most one for each name. check may be nil. An error of check that is not a
// fault is dropped.
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

// Wrong returns the details that Refuse and the methods that read members have recorded so far.
func (o *Object) Wrong() []fault.Detail { return o.wrong }

// Value returns a member as it was sent, and reports whether it was sent and is not null. For null it returns "null"
// and false.
func (o *Object) Value(name string) (json.RawMessage, bool) {
	raw, sent := o.members[name]
	return raw, sent && string(raw) != "null"
}

// Text returns the string of a member; nil if it was not sent.
func (o *Object) Text(name string) *string {
	raw, sent := o.Value(name)
	if !sent {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		o.Refuse(name, "must be a string")
		return nil
	}
	return &text
}

// RequiredText returns the string of a member that must be sent. If it is absent or not a string, it records that for
// Err and returns "". The domain checks the value.
func (o *Object) RequiredText(name string) string {
	if _, sent := o.Value(name); !sent {
		o.Refuse(name, "is required")
		return ""
	}
	if text := o.Text(name); text != nil {
		return *text
	}
	return ""
}

// Integer returns the whole number of a member, which may also be written as 1e2 or 1.0. It is nil if the member was
// not sent. Numbers that do not fit into 32 bits are refused.
func (o *Object) Integer(name string) *int {
	raw, sent := o.Value(name)
	if !sent {
		return nil
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != math.Trunc(number) {
		o.Refuse(name, "must be an integer")
		return nil
	}
	if math.Abs(number) > math.MaxInt32 {
		o.Refuse(name, "is out of range")
		return nil
	}
	whole := int(number)
	return &whole
}

// IsNull reports whether a member was sent as null. In a change, null and an absent member have different meanings.
func (o *Object) IsNull(name string) bool {
	raw, sent := o.members[name]
	return sent && string(raw) == "null"
}

// NotNull refuses each of the named members that was sent as null. It is for members that a change may leave out but
// not clear.
func (o *Object) NotNull(names ...string) {
	for _, name := range names {
		if o.IsNull(name) {
			o.Refuse(name, "must not be null: leave it out to keep it")
		}
	}
}

// ClearableText returns the string of a member that null clears. It returns nil if the member was not sent, and a
// pointer to nil if it was sent as null.
func (o *Object) ClearableText(name string) **string {
	text := o.Text(name)
	if text == nil && !o.IsNull(name) {
		return nil
	}
	return &text
}

// OptionalText returns the string of a member; "" if it was not sent.
func (o *Object) OptionalText(name string) string {
	if text := o.Text(name); text != nil {
		return *text
	}
	return ""
}

// Boolean returns the value of a member that is true or false; nil if it was not sent.
func (o *Object) Boolean(name string) *bool {
	raw, sent := o.Value(name)
	if !sent {
		return nil
	}
	var value bool
	if json.Unmarshal(raw, &value) != nil {
		o.Refuse(name, "must be true or false")
		return nil
	}
	return &value
}

// Flag returns the value of a member that is true or false; false if it was not sent.
func (o *Object) Flag(name string) bool {
	value := o.Boolean(name)
	return value != nil && *value
}

// Texts returns the strings of a member that is an array; nil if it was not sent.
func (o *Object) Texts(name string) []string {
	raw, sent := o.Value(name)
	if !sent {
		return nil
	}
	var items []*string
	if json.Unmarshal(raw, &items) != nil || slices.Contains(items, nil) {
		o.Refuse(name, "must be an array of strings")
		return nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = *item
	}
	return texts
}

// ID returns the UUID of a member; nil if it was not sent.
func (o *Object) ID(name string) *uuid.UUID {
	text := o.Text(name)
	if text == nil {
		return nil
	}
	id, ok := ParseID(*text)
	if !ok {
		o.Refuse(name, "must be a UUID")
		return nil
	}
	return &id
}

// IDs returns the UUIDs of a member that is an array; nil if it was not sent.
func (o *Object) IDs(name string) *[]uuid.UUID {
	texts := o.Texts(name)
	if texts == nil {
		return nil
	}
	ids := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		id, ok := ParseID(text)
		if !ok {
			o.Refuse(name, "must be an array of UUIDs")
			return nil
		}
		ids[i] = id
	}
	return &ids
}

// Sent reports whether a member was sent, even as null.
func (o *Object) Sent(name string) bool {
	_, sent := o.members[name]
	return sent
}

// Timestamp returns the time of a member, in UTC; nil if it was not sent. It refuses texts that are not of RFC 3339,
// and times outside the years 1 to 9999.
func (o *Object) Timestamp(name string) *time.Time {
	text := o.Text(name)
	if text == nil {
		return nil
	}
	at, ok := parseTimestamp(*text)
	if !ok {
		o.Refuse(name, notTimestamp)
	}
	return at
}

// Metadata returns the member "metadata", a JSON object, as it was sent; nil if it was not sent.
func (o *Object) Metadata() json.RawMessage {
	raw, sent := o.Value("metadata")
	if !sent {
		return nil
	}
	if raw[0] != '{' {
		o.Refuse("metadata", "must be a JSON object")
		return nil
	}
	return raw
}

// Nullable returns the change of a member that null clears: not Set if the member was not sent, and Set with nil if it
// was sent as null. read reads the value. Nullable(o, "notes", o.Text) is an example.
func Nullable[T any](o *Object, name string, read func(string) *T) patch.Nullable[T] {
	return patch.Nullable[T]{Value: read(name), Set: o.Sent(name)}
}

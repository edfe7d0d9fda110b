package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/blank"
	"dealflow/internal/fault"
)

// checks collects the details of members that are wrong. Each method that checks a value returns it in the form in
// which it is stored.
type checks struct{ wrong []fault.Detail }

func (c *checks) refuse(field, format string, args ...any) {
	c.wrong = append(c.wrong, fault.Detail{Field: field, Message: fmt.Sprintf(format, args...)})
}

// err returns InvalidBody with all problems that were collected, or nil if there are none.
func (c *checks) err() error {
	if len(c.wrong) == 0 {
		return nil
	}
	return fault.New(fault.InvalidBody, "invalid_field", c.wrong...)
}

func (c *checks) name(name string) string {
	name = blank.Trim(name)
	switch {
	case name == "":
		c.refuse("name", "is empty")
	case utf8.RuneCountInString(name) > maximumName:
		c.refuse("name", "has more than %d characters", maximumName)
	}
	return name
}

func (c *checks) description(description *string) *string {
	if description != nil && utf8.RuneCountInString(*description) > maximumDescription {
		c.refuse("description", "has more than %d characters", maximumDescription)
	}
	return description
}

func (c *checks) color(form *regexp.Regexp, color string) string {
	if !form.MatchString(color) {
		c.refuse("color", "must be of the form #RRGGBB")
	}
	return color
}

func (c *checks) order(field string, order int) int {
	if order < -maximumOrder || order > maximumOrder {
		c.refuse(field, "must lie between -%d and %d", maximumOrder, maximumOrder)
	}
	return order
}

func (c *checks) fieldType(fieldType string) string {
	if !slices.Contains(FieldTypes(), fieldType) {
		c.refuse("field_type", "must be one of %s", strings.Join(FieldTypes(), ", "))
	}
	return fieldType
}

// options returns the options without the white space around them. It records only the first problem: more than
// maximumOptions options, or an option that is empty, too long or repeated. Then the result must not be stored. It does
// not check whether fields of the type have options: see fitOptions.
func (c *checks) options(options []string) []string {
	if len(options) > maximumOptions { // before they are compared with each other
		c.refuse("options", "has more than %d options", maximumOptions)
		return options
	}
	trimmed, before := make([]string, len(options)), len(c.wrong)
	for i, option := range options {
		trimmed[i] = blank.Trim(option)
		switch {
		case trimmed[i] == "":
			c.refuse("options", "has an empty option")
		case utf8.RuneCountInString(trimmed[i]) > maximumName:
			c.refuse("options", "has an option of more than %d characters", maximumName)
		case slices.Contains(trimmed[:i], trimmed[i]):
			c.refuse("options", "has the option %q twice", trimmed[i])
		}
		if len(c.wrong) > before {
			return trimmed
		}
	}
	return trimmed
}

// fitOptions records a problem if a type that has no options has some, and if a type that needs options has none.
func (c *checks) fitOptions(fieldType string, options []string) {
	switch selects := hasOptions(fieldType); {
	case selects && len(options) == 0:
		c.refuse("options", "are needed by a field of the type %s", fieldType)
	case !selects && len(options) > 0:
		c.refuse("options", "are only for fields of the types %s and %s", FieldSelect, FieldMultiSelect)
	}
}

package webhook

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Draft is a webhook that a client creates. Without EventTypes it gets events of all types.
type Draft struct {
	URL         string
	Description string
	EventTypes  []string
	Enabled     *bool // nil: true
}

// Change is a change of a webhook. A nil member changes nothing.
type Change struct {
	URL         *string
	Description *string
	EventTypes  *[]string
	Enabled     *bool
}

// Check returns InvalidBody, which names every invalid member, or nil. It accepts a URL whose host is private.
func (d Draft) Check() error { return d.change().Check() }

func (d Draft) change() Change {
	return Change{URL: &d.URL, Description: &d.Description, EventTypes: &d.EventTypes}
}

// Check returns InvalidBody, which names every invalid member that is set, or nil. It accepts a URL whose host is
// private.
func (c Change) Check() error {
	var wrong []fault.Detail
	if c.URL != nil && !isURL(*c.URL) {
		wrong = fault.Note(wrong, "url",
			fmt.Sprintf("must be an http or https URL of at most %d characters, without a password", maxURL))
	}
	if c.Description != nil && utf8.RuneCountInString(*c.Description) > maxDescription {
		wrong = fault.Note(wrong, "description", fmt.Sprintf("has more than %d characters", maxDescription))
	}
	if c.EventTypes != nil {
		for _, chosen := range *c.EventTypes {
			if !slices.Contains(Types(), chosen) {
				wrong = fault.Note(wrong, "events", fmt.Sprintf("%q is no type of event, such as company.created", chosen))
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	return nil
}

func isURL(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && utf8.RuneCountInString(text) <= maxURL && (parsed.Scheme == "https" || parsed.Scheme == "http") &&
		parsed.Hostname() != "" && parsed.User == nil && isPort(parsed.Port())
}

func isPort(text string) bool {
	number, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && number > 0
}

// check returns the error of Check. If there is none, it returns InvalidBody for a URL whose host is private, unless
// AllowPrivate permits such hosts.
func (s *Service) check(c Change) error {
	if err := c.Check(); err != nil || c.URL == nil || s.AllowPrivate {
		return err
	}
	if target, err := url.Parse(*c.URL); err == nil && isPublicHost(target.Hostname()) {
		return nil
	}
	return fault.New(fault.InvalidBody, "invalid_field",
		fault.Detail{Field: "url", Message: "must be on the public internet: its address is private, local or reserved"})
}

// once returns the types in their order without repetitions; an empty slice, not nil, if there are none.
func once(types []string) postgres.Strings {
	kept := postgres.Strings{}
	for _, one := range types {
		if !slices.Contains(kept, one) {
			kept = append(kept, one)
		}
	}
	return kept
}

func (c Change) columns() map[string]any {
	columns := map[string]any{}
	if c.URL != nil {
		columns["url"] = *c.URL
	}
	if c.Description != nil {
		columns["description"] = *c.Description
	}
	if c.EventTypes != nil {
		columns["event_types"] = once(*c.EventTypes)
	}
	if c.Enabled != nil {
		columns["enabled"] = *c.Enabled
	}
	if c.URL != nil || c.Enabled != nil && *c.Enabled { // it may work now
		for _, name := range []string{"disabled_reason", "failing_since", "retry_at"} {
			columns[name] = gorm.Expr("NULL")
		}
		columns["failures"] = 0
	}
	return columns
}

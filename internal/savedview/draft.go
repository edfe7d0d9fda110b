package savedview

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/blank"
	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
)

// Draft is a saved view as a client sends it.
type Draft struct {
	Name            string
	Shared          bool // all members of the account see it
	Search          string
	CompanyStatusID *uuid.UUID
	NoStatus        bool   // companies without a status only
	Source          string // "" for any
	SortBy          string // as the Sort of company.ListQuery
	Ascending       bool
	Columns         postgres.Strings
}

// Change is a change of a view. A nil member changes nothing.
type Change struct {
	Name      *string
	Shared    *bool
	Search    *string
	Status    *Status
	Source    *string
	SortBy    *string
	Ascending *bool
	Columns   *[]string
}

// Status is a filter by status: companies with the status ID, companies without a status if None is true, or all
// companies if neither is set.
type Status struct {
	ID   *uuid.UUID
	None bool // companies without a status only
}

// Sorts returns the possible values of SortBy.
func Sorts() []string { return []string{company.SortCreated, company.SortUpdated, company.SortName} }

// Check removes the white space around the name, and returns InvalidBody, which names every invalid member, or nil. It
// does not check that the account has the status. If all members are valid, it also removes repeated columns and sorts
// the columns by AllColumns.
func (d *Draft) Check() error {
	var wrong []fault.Detail
	d.Name = blank.Trim(d.Name)
	switch {
	case d.Name == "":
		wrong = fault.Note(wrong, "name", "is empty")
	case utf8.RuneCountInString(d.Name) > maxName:
		wrong = fault.Note(wrong, "name", fmt.Sprintf("has more than %d characters", maxName))
	}
	if utf8.RuneCountInString(d.Search) > maxSearch {
		wrong = fault.Note(wrong, "search", fmt.Sprintf("has more than %d characters", maxSearch))
	}
	if d.Source != "" && !slices.Contains(company.Sources(), d.Source) {
		wrong = fault.Note(wrong, "source", "must be one of "+strings.Join(company.Sources(), ", "))
	}
	if !slices.Contains(Sorts(), d.SortBy) {
		wrong = fault.Note(wrong, "sort_by", "must be one of "+strings.Join(Sorts(), ", "))
	}
	if err := checkColumns(d.Columns); err != nil {
		wrong = append(wrong, err.Details...)
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidBody, "invalid_field", wrong...)
	}
	d.Columns = InOrder(d.Columns)
	return nil
}

func checkColumns(columns []string) *fault.Error {
	for _, name := range columns {
		if !slices.Contains(AllColumns(), name) {
			return fault.Field("columns", "must be some of "+strings.Join(AllColumns(), ", "))
		}
	}
	return nil
}

// InOrder returns the columns in the order of AllColumns, without repeated and unknown ones.
func InOrder(columns []string) []string {
	return slices.DeleteFunc(AllColumns(), func(name string) bool { return !slices.Contains(columns, name) })
}

// Check returns nil, or InvalidBody with every invalid member that is set. It does not check that the account has the
// status, and leaves c unchanged.
func (c Change) Check() error {
	checked := c.of(Draft{Name: "a name", SortBy: Sorts()[0]})
	return checked.Check()
}

// of returns the draft with the change applied.
func (c Change) of(d Draft) Draft {
	for from, to := range map[*string]*string{
		c.Name: &d.Name, c.Search: &d.Search, c.Source: &d.Source, c.SortBy: &d.SortBy,
	} {
		if from != nil {
			*to = *from
		}
	}
	for from, to := range map[*bool]*bool{c.Shared: &d.Shared, c.Ascending: &d.Ascending} {
		if from != nil {
			*to = *from
		}
	}
	if c.Status != nil {
		d.CompanyStatusID, d.NoStatus = c.Status.ID, c.Status.None
	}
	if c.Columns != nil {
		d.Columns = *c.Columns
	}
	return d
}

func (d Draft) columns() map[string]any {
	return map[string]any{
		"name": d.Name, "shared": d.Shared, "search": d.Search, "company_status_id": d.CompanyStatusID,
		"no_status": d.NoStatus, "source": d.Source, "sort_by": d.SortBy, "ascending": d.Ascending,
		"columns": d.Columns, "updated_at": gorm.Expr("now()"),
	}
}

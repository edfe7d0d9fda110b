package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/pipeline"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
)

func (s setup) field(t *testing.T, in pipeline.NewField) pipeline.FieldSetting {
	t.Helper()
	made, err := s.pipelines.CreateField(t.Context(), s.owner, s.accountID, in)
	if err != nil {
		t.Fatalf("make field %q: %v", in.Name, err)
	}
	return made
}

func TestFieldsOfEveryType(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for i, fieldType := range []string{"text", "number", "date", "url", "email", "select", "multi_select", "boolean"} {
		in := pipeline.NewField{Name: " A " + fieldType, FieldType: fieldType, Required: i%2 == 0}
		if strings.Contains(fieldType, "select") {
			in.Options = []string{" yes ", "no", "No"}
		}
		made := s.field(t, in)
		if made.Name != "A "+fieldType || made.FieldType != fieldType || made.Position != i+1 ||
			made.Required != in.Required {
			t.Errorf("made %+v", made)
		}
	}
	fields, _, err := s.pipelines.Fields(t.Context(), postgres.AsUser(s.member), s.accountID, paging.First(100))
	if err != nil || len(fields) != 8 {
		t.Fatalf("%d fields, %v", len(fields), err)
	}
	if options := fields[5].Options; !slices.Equal(options, []string{"yes", "no", "No"}) {
		t.Errorf("the options are %q", options)
	}
	if options := fields[0].Options; options == nil || len(options) > 0 {
		t.Errorf("a field without options has %#v", options)
	}
}

func TestFieldsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.field(t, pipeline.NewField{Name: "Région", FieldType: "text"})
	many := make([]string, 201)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	text := pipeline.NewField{Name: "New", FieldType: "text"}
	for name, tc := range map[string]struct {
		user, account uuid.UUID
		in            pipeline.NewField
		want          fault.Kind
	}{
		"blank name": {s.owner, s.accountID, pipeline.NewField{Name: " ", FieldType: "text"}, fault.InvalidBody},
		"long name": {
			s.owner, s.accountID, pipeline.NewField{Name: strings.Repeat("é", 256), FieldType: "text"}, fault.InvalidBody,
		},
		"unknown type":   {s.owner, s.accountID, pipeline.NewField{Name: "x", FieldType: "colour"}, fault.InvalidBody},
		"no type":        {s.owner, s.accountID, pipeline.NewField{Name: "x"}, fault.InvalidBody},
		"select without": {s.owner, s.accountID, pipeline.NewField{Name: "x", FieldType: "select"}, fault.InvalidBody},
		"text with": {
			s.owner, s.accountID, pipeline.NewField{Name: "x", FieldType: "text", Options: []string{"a"}}, fault.InvalidBody,
		},
		"blank option": {
			s.owner, s.accountID,
			pipeline.NewField{Name: "x", FieldType: "select", Options: []string{"a", " "}},
			fault.InvalidBody,
		},
		"twice": {
			s.owner, s.accountID,
			pipeline.NewField{Name: "x", FieldType: "select", Options: []string{"a", "b", "a "}},
			fault.InvalidBody,
		},
		"long option": {
			s.owner, s.accountID, pipeline.NewField{
				Name: "x", FieldType: "select", Options: []string{strings.Repeat("o", 256)},
			}, fault.InvalidBody,
		},
		"many options": {
			s.owner, s.accountID, pipeline.NewField{Name: "x", FieldType: "select", Options: many}, fault.InvalidBody,
		},
		"fields first":       {s.eve, uuid.New(), pipeline.NewField{}, fault.InvalidBody},
		"taken":              {s.owner, s.accountID, pipeline.NewField{Name: "Région", FieldType: "text"}, fault.Conflict},
		"taken, other case":  {s.owner, s.accountID, pipeline.NewField{Name: "RÉGION", FieldType: "text"}, fault.Conflict},
		"by a member":        {s.member, s.accountID, text, fault.Forbidden},
		"by a stranger":      {s.eve, s.accountID, text, fault.Forbidden},
		"in no account":      {s.owner, uuid.New(), text, fault.NotFound},
		"in another account": {s.owner, s.otherTeams, text, fault.Forbidden},
	} {
		if _, err := s.pipelines.CreateField(t.Context(), tc.user, tc.account, tc.in); !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	if fields, _, err := s.pipelines.Fields(t.Context(), postgres.AsUser(s.owner), s.accountID,
		paging.First(100)); err != nil || len(fields) != 1 {
		t.Errorf("after refusals there are %d fields, %v", len(fields), err)
	}
	if _, err := s.pipelines.CreateField(t.Context(), s.eve, s.otherTeams,
		pipeline.NewField{Name: "Région", FieldType: "text"}); err != nil {
		t.Errorf("the name in another account: %v", err)
	}
	for name, user := range map[string]uuid.UUID{"stranger": s.eve} {
		if _, _, err := s.pipelines.Fields(t.Context(), postgres.AsUser(user), s.accountID,
			paging.First(100)); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s lists: %v", name, err)
		}
	}
}

// Too many options are refused before they are compared with each other, which takes time that grows with the square of
// their number.
func TestTooManyOptionsAreNotCompared(t *testing.T) {
	t.Parallel()
	in := pipeline.NewField{Name: "x", FieldType: "select", Options: make([]string, 201)}
	for i := range in.Options {
		in.Options[i] = fmt.Sprint(i / 2)
	}
	if err := in.Check(); err == nil || !strings.Contains(fmt.Sprint(detailsOf(t, err)), "more than 200 options") {
		t.Errorf("too many options are refused by %v", detailsOf(t, err))
	}
}

func detailsOf(t *testing.T, err error) []fault.Detail {
	t.Helper()
	refusal, found := errors.AsType[*fault.Error](err)
	if !found {
		t.Fatalf("%v is no refusal", err)
	}
	return refusal.Details
}

func TestFieldsAreChanged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	first := s.field(t, pipeline.NewField{Name: "First", FieldType: "text"})
	second := s.field(t, pipeline.NewField{Name: "Second", FieldType: "select", Options: []string{"a"}})
	for _, tc := range []struct {
		name   string
		id     uuid.UUID
		in     pipeline.FieldChange
		want   fault.Kind // Internal: allowed
		stored string     // name type options required order of the field afterwards
	}{
		{"nothing", second.ID, pipeline.FieldChange{}, fault.Internal, "Second select [a] false 2"},
		{"all", second.ID, pipeline.FieldChange{
			Name: new(" Third "), FieldType: new("multi_select"), Options: new([]string{"b", "c"}), Required: new(true),
			Position: new(0),
		}, fault.Internal, "Third multi_select [b c] true 0"},
		{"its own name in another case", second.ID, pipeline.FieldChange{
			Name: new("THIRD"),
		}, fault.Internal, "THIRD multi_select [b c] true 0"},
		{"another's name", second.ID, pipeline.FieldChange{Name: new("FIRST")}, fault.Conflict, ""},
		{"no options left", second.ID, pipeline.FieldChange{Options: new([]string{})}, fault.InvalidBody, ""},
		{"options and a type without", second.ID, pipeline.FieldChange{
			FieldType: new("text"), Options: new([]string{"a"}),
		}, fault.InvalidBody, ""},
		{"options of a text", first.ID, pipeline.FieldChange{
			Options: new([]string{"a"}),
		}, fault.InvalidBody, "First text [] false 1"},
		{"select without options", first.ID, pipeline.FieldChange{FieldType: new("select")}, fault.InvalidBody, ""},
		{"select with options", first.ID, pipeline.FieldChange{
			FieldType: new("select"), Options: new([]string{"x"}),
		}, fault.Internal, "First select [x] false 1"},
		{"to a type without options", first.ID, pipeline.FieldChange{
			FieldType: new("number"),
		}, fault.Internal, "First number [] false 1"},
		{"to not required", second.ID, pipeline.FieldChange{
			Required: new(false),
		}, fault.Internal, "THIRD multi_select [b c] false 0"},
		{"blank name", first.ID, pipeline.FieldChange{Name: new("")}, fault.InvalidBody, ""},
		{"unknown type", first.ID, pipeline.FieldChange{FieldType: new("")}, fault.InvalidBody, ""},
		{"order too far", first.ID, pipeline.FieldChange{
			Position: new(1_000_001),
		}, fault.InvalidBody, "First number [] false 1"},
		{"unknown", uuid.New(), pipeline.FieldChange{Name: new("x")}, fault.NotFound, ""},
	} {
		changed, err := s.pipelines.ChangeField(t.Context(), s.owner, s.accountID, tc.id, tc.in)
		if (tc.want == fault.Internal && err != nil) || (tc.want != fault.Internal && !fault.Is(err, tc.want)) {
			t.Errorf("%s: %v, want kind %d", tc.name, err, tc.want)
		}
		for _, f := range s.list(t) {
			stored := fmt.Sprintf("%s %s %v %v %d", f.Name, f.FieldType, f.Options, f.Required, f.Position)
			if f.ID == tc.id && tc.stored != "" && stored != tc.stored {
				t.Errorf("%s: stored %s, want %s", tc.name, stored, tc.stored)
			}
			if f.ID == tc.id && err == nil && (f.Name != changed.Name || !slices.Equal(f.Options, changed.Options) ||
				!f.CreatedAt.Equal(changed.CreatedAt)) {
				t.Errorf("%s: answered %+v, stored %+v", tc.name, changed, f)
			}
		}
	}
	if fields := s.list(t); fields[0].ID != second.ID {
		t.Errorf("the order is not heeded: %+v", fields)
	}
}

func (s setup) list(t *testing.T) []pipeline.FieldSetting {
	t.Helper()
	fields, _, err := s.pipelines.Fields(t.Context(), postgres.AsUser(s.member), s.accountID, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestFieldsAreChangedAndDeletedByAdminsOfTheAccount(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.field(t, pipeline.NewField{Name: "First", FieldType: "text"}).ID
	for name, tc := range map[string]struct {
		user, account uuid.UUID
		want          fault.Kind
	}{
		"member":          {s.member, s.accountID, fault.Forbidden},
		"stranger":        {s.eve, s.accountID, fault.Forbidden},
		"unknown account": {s.owner, uuid.New(), fault.NotFound},
		"other account":   {s.eve, s.otherTeams, fault.NotFound},
	} {
		if _, err := s.pipelines.ChangeField(t.Context(), tc.user, tc.account, id,
			pipeline.FieldChange{Name: new("Changed")}); !fault.Is(err, tc.want) {
			t.Errorf("%s changes: %v, want kind %d", name, err, tc.want)
		}
		if err := s.pipelines.DeleteField(t.Context(), tc.user, tc.account, id); !fault.Is(err, tc.want) {
			t.Errorf("%s deletes: %v, want kind %d", name, err, tc.want)
		}
	}
	if fields := s.list(t); len(fields) != 1 || fields[0].Name != "First" {
		t.Errorf("after refusals: %+v", fields)
	}
	if err := s.pipelines.DeleteField(t.Context(), s.owner, s.accountID, id); err != nil {
		t.Fatal(err)
	}
	if err := s.pipelines.DeleteField(t.Context(), s.owner, s.accountID, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("a second time: %v", err)
	}
	if fields := s.list(t); len(fields) != 0 {
		t.Errorf("left are %+v", fields)
	}
}

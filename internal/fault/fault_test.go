package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"dealflow/internal/fault"
)

func TestKindOfLooksThroughWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	tests := map[string]struct {
		err  error
		want fault.Kind
	}{
		"plain error is internal": {cause, fault.Internal},
		"field":                   {fault.Field("name", "is empty"), fault.InvalidBody},
		"query":                   {fault.Query("page", "must be at least 1"), fault.InvalidQuery},
		"wrapped":                 {fmt.Errorf("load company: %w", fault.NewNotFound()), fault.NotFound},
		"with a cause":            {fault.NewForbidden().Because(cause), fault.Forbidden},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fault.KindOf(tc.err); got != tc.want {
				t.Errorf("KindOf(%v) = %v, want %v", tc.err, got, tc.want)
			}
		})
	}
	if fault.Is(nil, fault.Internal) {
		t.Error("Is(nil, Internal) = true: no error is of no kind")
	}
}

func TestErrorTellsTheLogEverything(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	err := fault.Field("file_0", "could not be stored").Because(cause)
	if got, want := err.Error(), "invalid_field; file_0: could not be stored: disk full"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, cause) {
		t.Error("errors.Is does not find the cause")
	}
}

func TestJSONNamesTheField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"a":{"b":1}}`: "invalid_field; a.b: must not be a JSON number",
		`[]`:            "invalid_field; body: must be a JSON object, not a JSON array",
		`{`:             "invalid_field; body: is not valid JSON: unexpected end of JSON input",
	} {
		var row struct {
			A struct {
				B string `json:"b"`
			} `json:"a"`
		}
		if err := fault.JSON(json.Unmarshal([]byte(body), &row)); err.Error() != want {
			t.Errorf("the error of %s is %q, want %q", body, err, want)
		}
	}
}

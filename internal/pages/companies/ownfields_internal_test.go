package companies

import (
	"encoding/json"
	"net/url"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/pipeline"
)

func TestFieldsOfTheTeamChangeAsTheyAreFilledIn(t *testing.T) {
	t.Parallel()
	options := []string{"Bio", "Climate"}
	for name, test := range map[string]struct {
		kind, held string
		sent       []string
		want       any // nil: nothing changes
	}{
		"a text":                    {"text", ``, []string{" seed "}, "seed"},
		"the same text":             {"text", `"seed"`, []string{"seed"}, nil},
		"a text that was a number":  {"text", `3`, []string{"3"}, nil},
		"a number":                  {"number", `1`, []string{"2.5"}, 2.5},
		"a choice":                  {"select", ``, []string{"Bio"}, "Bio"},
		"a choice that is gone":     {"select", `"Old"`, []string{"Old"}, nil},
		"two choices":               {"multi_select", `["Bio"]`, []string{"Bio", "Climate"}, []string{"Bio", "Climate"}},
		"a tick":                    {"boolean", ``, []string{"yes"}, true},
		"no tick where none was":    {"boolean", ``, nil, nil},
		"a tick that is taken away": {"boolean", `true`, nil, false},
		"a value of another shape":  {"text", `{"a": 1}`, []string{""}, nil},
	} {
		setting := pipeline.FieldSetting{ID: uuid.New(), Name: "Field", FieldType: test.kind, Options: options}
		field := ownFieldOf(setting, json.RawMessage(test.held))
		form := url.Values{"seen." + field.Key: {field.Seen()}}
		if test.sent != nil {
			form[field.Key] = test.sent
		}
		members, err := changed([]ownField{field}, form)
		if got := members["Field"]; err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v changes %v (%v), want %v", name, field, got, err, test.want)
		}
	}
	text := ownFieldOf(pipeline.FieldSetting{Name: "Field", FieldType: "date"}, json.RawMessage(`"soon"`))
	if text.Input != "text" {
		t.Errorf("an input of the type %s loses what is no date", text.Input)
	}
	number := ownFieldOf(pipeline.FieldSetting{Name: "Field", FieldType: "number"}, nil)
	for _, word := range []string{"many", "NaN", "-Inf"} {
		if _, err := changed([]ownField{number}, url.Values{number.Key: {word}}); err == nil {
			t.Errorf("%s is a number", word)
		}
	}
	cleared, err := changed([]ownField{text}, url.Values{text.Key: {""}})
	if value, found := cleared["Field"]; err != nil || !found || value != nil {
		t.Errorf("an empty input changes %v (%v)", cleared, err)
	}
}

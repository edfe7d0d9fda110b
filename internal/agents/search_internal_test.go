package agents

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestMetadataOfAnyType(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string][]founder{
		`{"founders": [{"name": "Ada", "phone": "1"}, "Bo", null, 5, {}, {"name": 7}, {"name": "Cy", "email": ["c@x.io"]}]}`: {
			{Name: "Ada", Phone: "1"}, {Name: "Cy"},
		},
		`{"founders": ["Ada"]}`:         nil,
		`{"founders": {"name": "Ada"}}`: nil,
		`{}`:                            nil,
	} {
		var given map[string]any
		if err := json.Unmarshal([]byte(metadata), &given); err != nil {
			t.Fatal(err)
		}
		if got := metadataOf(given); !slices.Equal(got.Founders, want) {
			t.Errorf("%s has the founders %+v, want %+v", metadata, got.Founders, want)
		}
	}
	if got := metadataOf(map[string]any{"ai_analysis": []any{"no text"}, "founders": "Ada"}); got.Summary != "" {
		t.Errorf("the summary is %q", got.Summary)
	}
}

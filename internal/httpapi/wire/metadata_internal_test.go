package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// What lists show of metadata is, byte for byte, what the standard library would make of it.
func FuzzMetadataWithoutContacts(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `{"a": 1}`, `{"founders": []}`, `{"founders": null}`, `{"founders": {"phone": 1}, "a": 2}`,
		`{"z": [1, {"b": "}"}], "founders": [{"name": "A \"[{,", "phone": "1", "background": null, "extra": 1.5}, "odd", ` +
			`1, []]}`,
		`{"founders": [{}, null, {"background": ""}]}`,
		`{"founders": [{"phone": 1}], "b\u2028 \n\u0001": {"phone": 2}, "b!": "\\", "b": "é\u2029", "<é>": "\b\f"}`,
		`{"founders": [ { "founders": [ { "phone": 1 } ], "b" : { "phone": 2, "a": 1 } } ] , "a" : { "z": 1, "b": 2 } }`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, metadata string) {
		if !json.Valid([]byte(metadata)) || hasTwins(metadata) {
			return
		}
		got := encode(WithoutContacts(json.RawMessage(metadata)))
		want := encode(plainWithoutContacts(json.RawMessage(metadata)))
		if !bytes.Equal(got, want) {
			t.Errorf("%s\n got %s\nwant %s", metadata, got, want)
		}
	})
}

// TestContactsAreLeftOutHoweverTheyAreWritten has JSON that Postgres does not write.
func TestContactsAreLeftOutHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{
		" \n{\"founders\": [{\"name\": \"A\", \"phone\": \"1\"}]}": `{"founders":[{"name":"A"}]}`,
		`{"founders": [], "a": 1, "founders": [{"background": "b"}], "founders": [{"phone": 1, "phone": 2}]}`: `{"a":1,"founders":[],` +
			`"founders":[{}],"founders":[{}]}`,
		` {"a": 1}`: ` {"a": 1}`,
	} {
		if got := string(WithoutContacts(json.RawMessage(metadata))); got != want {
			t.Errorf("%s\n got %s\nwant %s", metadata, got, want)
		}
	}
}

// The text of metadata is what a walk through the decoded value finds.
func FuzzMetadataText(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `"alone"`, `{"b": " two ", "a": ["one", {"z": "x", "y": 1}, null, " "], "c": {}, "d": ""}`,
		`{"a\"b": "q\"uote \\ \u00e9", "a!": "\u0009tab", "ab": "é,]}", "n": 1.5e3, "t": true}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, metadata string) {
		if !json.Valid([]byte(metadata)) || hasTwins(metadata) {
			return // jsonb stores no such text
		}
		var value any
		if err := json.Unmarshal([]byte(metadata), &value); err != nil {
			t.Fatal(err)
		}
		if got, want := SearchText(json.RawMessage(metadata)), strings.Join(textsOf(value), " "); got != want {
			t.Errorf("%s\n got %q\nwant %q", metadata, got, want)
		}
	})
}

func textsOf(value any) []string {
	var texts []string
	switch v := value.(type) {
	case string:
		if text := strings.TrimSpace(v); text != "" {
			texts = append(texts, text)
		}
	case []any:
		for _, element := range v {
			texts = append(texts, textsOf(element)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, textsOf(v[name])...)
		}
	}
	return texts
}

// hasTwins reports whether an object has two members of one name, or a text is no UTF-8.
func hasTwins(text string) bool {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return true
	}
	again := encode(value)
	return bytes.Count(again, []byte(":")) != bytes.Count([]byte(text), []byte(":")) ||
		bytes.Contains(again, []byte("\ufffd"))
}

func plainWithoutContacts(metadata json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var founders []json.RawMessage
	err := json.Unmarshal(metadata, &members)
	if err != nil || json.Unmarshal(members["founders"], &founders) != nil || len(founders) == 0 {
		return metadata
	}
	for i, founder := range founders {
		var object map[string]json.RawMessage
		if json.Unmarshal(founder, &object) == nil && object != nil {
			delete(object, "phone")
			delete(object, "background")
			founders[i] = encode(object)
		}
	}
	members["founders"] = encode(founders)
	return encode(members)
}

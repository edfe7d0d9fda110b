package form

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"dealflow/internal/fault"
)

// decodeHook decodes the JSON that a form tool sent. The error is InvalidBody for text that is not UTF-8 or not JSON of
// this form, and for a NUL character, which Postgres cannot store.
func decodeHook(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return fault.Field("body", "is not valid UTF-8")
	}
	if holdsNUL(raw) {
		return fault.Field("body", "holds a NUL character")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fault.JSON(err)
	}
	return nil
}

// plain returns a value as a string for people, or nil if nothing was answered: for null, an empty list or invalid
// JSON. It replaces ids of choices by their texts; texts has these by the ids.
func plain(raw json.RawMessage, texts map[string]string) any {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	if list, isList := value.([]any); isList && len(list) == 0 {
		return nil
	}
	return plainText(value, texts)
}

func plainText(value any, texts map[string]string) string {
	switch v := value.(type) {
	case string:
		if text, known := texts[v]; known {
			return text
		}
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, plainText(one, texts))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] != nil {
				parts = append(parts, name+": "+plainText(v[name], texts))
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// withoutContacts leaves out what lists do not show of founders: phone and background. Whatever is no such object stays as it is.
func withoutContacts(metadata json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	var founders []json.RawMessage
	if json.Unmarshal(metadata, &members) != nil || json.Unmarshal(members["founders"], &founders) != nil || len(founders) == 0 {
		return metadata
	}
	for i, founder := range founders {
		founders[i] = without(founder, "phone", "background")
	}
	members["founders"] = encode(founders)
	return encode(members)
}

func without(object json.RawMessage, names ...string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return object
	}
	for _, name := range names {
		delete(members, name)
	}
	return encode(members)
}

// encode writes back what was JSON before, so it cannot fail.
func encode(parts any) json.RawMessage {
	encoded, _ := encodeJSON(parts)
	return encoded
}

// searchText joins the texts of a company's metadata, member by member in the order of their names.
func searchText(metadata json.RawMessage) string {
	var value any
	if json.Unmarshal(metadata, &value) != nil {
		return ""
	}
	return strings.Join(textsOf(value), " ")
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

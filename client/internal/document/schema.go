package document

import (
	"slices"
	"strings"
)

// asForm sets the Go types of the fields of a form, such as File and io.Reader, and replaces its numbered files by one
// list.
func asForm(form object) {
	properties := at(form, "properties")
	required, _ := form["required"].([]any)
	for name, property := range properties {
		field := at(property)
		switch {
		case field["format"] == "binary" && name == "file":
			properties[name] = object{"type": "string", "x-go-type": "File", "description": field["description"]}
		case field["format"] == "binary":
			delete(properties, name)
			properties["file"] = object{
				"x-go-name": "Files",
				"type":      "array", "items": object{"type": "string"}, "x-go-type": "[]File",
				"x-go-type-skip-optional-pointer": true,
				"description":                     "At most 10. " + field["description"].(string),
			}
		case field["contentMediaType"] == "application/json":
			field["x-go-type"], field["x-go-type-skip-optional-pointer"] = "map[string]any", true
		// a text that may be long is streamed
		case field["maxLength"] == nil && slices.Contains(required, any(name)) && field["format"] == nil:
			properties[name] = object{"type": "string", "x-go-type": "io.Reader", "description": field["description"]}
		case field["enum"] != nil && slices.Contains(field["enum"].([]any), any("true")):
			properties[name] = object{"type": "boolean", "description": field["description"]}
		}
	}
}

// nullable sets the Go types of those members of a body that may be null. In the body of a PATCH (change is true), null
// clears a member, and leaving it out does not; so the type is Change. In other bodies null and leaving out mean the
// same, and null is removed from the schema. An array in a PATCH is sent even if it is empty.
func nullable(body object, change bool) {
	for name, property := range at(body, "properties") {
		field, optional := withoutNull(at(property))
		if optional && change {
			field["x-go-type"], field["x-go-type-skip-optional-pointer"], field["x-omitzero"] = "Change["+plainType(field)+"]",
				true, true
			field["x-omitempty"] = false
		}
		if change && field["type"] == "array" { // an empty array is sent too
			field["x-omitempty"], field["x-omitzero"] = false, true
		}
		at(body, "properties")[name] = field
	}
}

// withoutNull returns a schema that does not allow null, and reports whether the given one did. It may modify schema.
func withoutNull(schema object) (object, bool) {
	choices, _ := schema["anyOf"].([]any)
	if len(choices) == 2 && at(choices[1])["type"] == "null" {
		plain := at(choices[0])
		if schema["description"] == nil {
			return plain, true
		}
		return object{"allOf": []any{plain}, "description": schema["description"]}, true
	}
	types, _ := schema["type"].([]any)
	if len(types) != 2 || types[1] != "null" {
		return schema, false
	}
	schema["type"] = types[0]
	if values, isEnum := schema["enum"].([]any); isEnum {
		schema["enum"] = slices.DeleteFunc(values, func(value any) bool { return value == nil })
	}
	return schema, true
}

// plainType returns the Go type of a member that can be cleared, such as "string"; "any" if it has no simple type.
func plainType(schema object) string {
	switch {
	case schema["format"] == "uuid":
		return "uuid.UUID"
	case schema["format"] == "date-time":
		return "Time"
	case schema["type"] == "string":
		return "string"
	case schema["type"] == "integer":
		return "int"
	case schema["type"] == "boolean":
		return "bool"
	case schema["type"] == "object":
		return "map[string]any"
	}
	return "any"
}

// tidy applies simple to every schema within a value, which it changes.
func tidy(value any) {
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			v[i] = simple(element)
			tidy(v[i])
		}
	case object:
		for name, member := range v {
			v[name] = simple(member)
			tidy(v[name])
		}
	}
}

// simple removes from a schema the keywords that a client does not need, such as examples and limits, and returns it.
// For a timestamp or a choice of constants it returns another schema. It returns a value that is not a mapping
// unchanged.
func simple(value any) any {
	schema, isObject := value.(object)
	if !isObject {
		return value
	}
	if schema["$ref"] == reference+"Timestamp" {
		return timestamp(schema["description"])
	}
	if choices, isChoice := schema["anyOf"].([]any); isChoice &&
		slices.ContainsFunc(choices, func(c any) bool { return at(c)["const"] != nil }) {
		return object{"type": "string", "description": schema["description"]}
	}
	// The value of a property with such a name is a mapping; that of the keyword is not.
	for _, keyword := range []string{
		"example", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "default",
		"additionalProperties",
		"contentMediaType", "contentSchema", "headers",
	} {
		if _, isProperty := schema[keyword].(object); !isProperty || keyword == "example" || keyword == "contentSchema" ||
			keyword == "headers" {
			delete(schema, keyword)
		}
	}
	if said, isText := schema["description"].(string); isText {
		schema["description"] = strings.TrimSpace(said)
	}
	return schema
}

func timestamp(description any) object {
	made := object{"type": "string", "format": "date-time"}
	if description != nil {
		made["description"] = description
	}
	return made
}

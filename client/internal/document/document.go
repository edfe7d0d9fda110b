// Package document prepares the OpenAPI document of the service for the generator of the client. It keeps the
// operations that respond with JSON, removes their envelopes, examples and limits, and names the schemas of bodies and
// responses.
package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// object is a mapping in the OpenAPI document.
type object = map[string]any

// preparation has the parts of a document that is being prepared. Its methods change them.
type preparation struct {
	paths   object
	schemas object
}

// Prepare reads an OpenAPI document in YAML and returns, as JSON, the part from which the client is generated. The same
// document always results in the same bytes. Prepare leaves out pages, files, streams, and operations whose body is
// neither JSON nor a form. It returns an error for YAML that cannot be parsed, a document without paths or schemas, and
// an operation without an operationId.
func Prepare(written []byte) ([]byte, error) {
	whole, err := read(written)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	paths, schemas := at(whole, "paths"), at(whole, "components", "schemas")
	if paths == nil || schemas == nil {
		return nil, fmt.Errorf("the OpenAPI document has no paths or no schemas")
	}
	p := preparation{paths: paths, schemas: schemas}
	for path, item := range paths {
		if err := p.path(path, item.(object)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		p.nameParts(name, at(schemas, name))
	}
	schemas["Metadata"] = object{"type": "object", "description": at(schemas, "Metadata")["description"]}
	tidy(schemas)
	parameters := at(whole, "components", "parameters")
	tidy(parameters)
	tidy(paths)
	return json.MarshalIndent(object{
		"openapi": "3.1.0", "info": object{"title": "client", "version": at(whole, "info")["version"]},
		"paths": paths, "components": object{"schemas": schemas, "parameters": parameters},
	}, "", " ")
}

// read parses the document. Parts that YAML aliases share are copied, so that one may be changed and the other not.
func read(written []byte) (object, error) {
	plain, err := yaml.YAMLToJSON(written)
	if err != nil {
		return nil, err
	}
	var whole object
	return whole, json.Unmarshal(plain, &whole)
}

// at returns the mapping that is found by following keys; nil if there is none.
func at(value any, keys ...string) object {
	for _, key := range keys {
		within, _ := value.(object)
		value = within[key]
	}
	found, _ := value.(object)
	return found
}

// path prepares the operations of one path. It removes those whose response or body the client cannot handle, and the
// path if none is left. It returns an error for an operation without an operationId.
func (p preparation) path(path string, item object) error {
	_, outside := item["servers"] // whether the path is below the root of the server, not below /api/v1
	delete(item, "servers")
	for _, method := range []string{"get", "post", "patch", "put", "delete"} {
		operation := at(item, method)
		if operation == nil {
			continue
		}
		id, _ := operation["operationId"].(string)
		if id == "" {
			return fmt.Errorf("%s has no operationId", method)
		}
		if !p.response(id, operation) || !p.body(method, id, operation) {
			delete(item, method)
			continue
		}
		operation["x-root"] = outside
		delete(operation, "security")
		withoutHeaders(operation)
	}
	if len(item) == 0 || len(item) == 1 && item["parameters"] != nil {
		delete(p.paths, path)
	}
	return nil
}

// response replaces the responses of an operation by its first one with a 2xx status whose JSON has the member "data".
// It keeps only the schema of the data, or no content if the data is only a message. It reports whether there is such a
// response; if not, the operation is unchanged.
func (p preparation) response(id string, operation object) bool {
	responses := at(operation, "responses")
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		data := p.dataOf(id, at(responses, status, "content", "application/json", "schema"))
		if !strings.HasPrefix(status, "2") || data == nil {
			continue
		}
		content := object{}
		if properties := at(data, "properties"); len(properties) != 1 || properties["message"] == nil {
			content = p.answer(id, operation, data)
		}
		operation["responses"] = object{status: object{"description": "ok", "content": content}}
		return true
	}
	return false
}

// dataOf returns the schema of the member "data" of an envelope, which may be a reference, or nil if there is none. If
// the data is a reference to a schema that is named for this operation, such as "ListCompaniesPage", it returns that
// schema.
func (p preparation) dataOf(id string, envelope object) object {
	data := at(p.named(envelope), "properties", "data")
	if name := typeOf(data); name == title(id)+"Data" || name == title(id)+"Page" {
		return p.named(data)
	}
	return data
}

// named returns the schema to which a reference refers, nil if there is no such schema. It returns any other schema
// unchanged, but nil for an array of references.
func (p preparation) named(schema object) object {
	if name := typeOf(schema); name != "" {
		return at(p.schemas, name)
	}
	return schema
}

// answer returns the content of a response with this data, and sets "x-data" of the operation to the Go type of that
// content. If the only member of the data has a named type, the content is that member, and "x-member" is set to its
// name. If the data has the schema Message, the content is empty and neither is set.
func (p preparation) answer(id string, operation, data object) object {
	if data["$ref"] == "#/components/schemas/Message" {
		return object{}
	}
	if properties := at(data, "properties"); len(properties) == 1 {
		for name, member := range properties {
			if goType := typeOf(at(member)); goType != "" {
				operation["x-member"], data = name, at(member)
			}
		}
	}
	goType := typeOf(data)
	if goType == "" {
		goType = title(id) + "Data"
		p.schemas[goType] = described(data, "what "+title(id)+" answers.", goType)
		data = object{"$ref": reference + goType}
	}
	operation["x-data"] = goType
	return object{"application/json": object{"schema": data}}
}

const reference = "#/components/schemas/"

// typeOf returns the Go type of a reference, such as "Company", or of an array of references, such as "[]Company". It
// returns "" for any other schema.
func typeOf(schema object) string {
	if items := at(schema, "items"); schema["type"] == "array" && items != nil {
		if named := typeOf(items); named != "" {
			return "[]" + named
		}
	}
	named, _ := schema["$ref"].(string)
	return strings.TrimPrefix(named, reference)
}

// body replaces the schema of an operation's JSON body by a reference to a named schema. It sets "x-body", or "x-form"
// for a form, to the name of the schema. It reports whether the client can send the operation: whether its body is JSON
// or a form with a named schema, or it has none.
func (p preparation) body(method, id string, operation object) bool {
	if operation["requestBody"] == nil {
		return true
	}
	content := at(operation, "requestBody", "content")
	form := at(content, "multipart/form-data", "schema")
	if form != nil && len(content) == 1 {
		named := typeOf(form)
		operation["x-form"] = named
		asForm(at(p.schemas, named))
		return named != ""
	}
	body := at(content, "application/json", "schema")
	if body == nil {
		return false
	}
	named := typeOf(body)
	if named == "" {
		named = title(id) + "Body"
		p.schemas[named] = body
	}
	if named == title(id)+"Body" {
		described(at(p.schemas, named), "what "+title(id)+" sends.", named)
	}
	nullable(at(p.schemas, named), method == "patch")
	operation["x-body"] = named
	operation["requestBody"] = object{
		"required": true, "content": object{"application/json": object{"schema": object{"$ref": reference + named}}},
	}
	return true
}

// nameParts replaces the objects within a schema by references to new schemas, which are named after the schema and the
// member: the object in the member "status" of the schema "Body" becomes the schema "BodyStatus".
func (p preparation) nameParts(name string, schema object) {
	properties := at(schema, "properties")
	for _, member := range slices.Sorted(maps.Keys(properties)) {
		holder, key, part := properties, member, at(properties, member)
		if items := at(part, "items"); items != nil {
			holder, key, part = part, "items", items
		}
		if at(part, "properties") == nil {
			continue
		}
		words := []string{name}
		for word := range strings.SplitSeq(member, "_") {
			words = append(words, title(word))
		}
		named := strings.Join(words, "")
		p.schemas[named], holder[key] = part, object{"$ref": reference + named}
		p.nameParts(named, part)
	}
}

func described(schema object, about, name string) object {
	if schema["description"] == nil {
		schema["description"] = strings.TrimPrefix("is "+about, name)
	}
	return schema
}

func title(id string) string { return strings.ToUpper(id[:1]) + id[1:] }

// headerParameters returns the names of the shared parameters that are sent in headers.
func headerParameters() []string { return []string{"idempotency_key", "if_match", "if_none_match"} }

// withoutHeaders removes the parameters of an operation that are sent in headers, which callers set by an Option.
func withoutHeaders(operation object) {
	parameters, _ := operation["parameters"].([]any)
	operation["parameters"] = slices.DeleteFunc(parameters, func(parameter any) bool {
		p := at(parameter)
		name, _ := p["$ref"].(string)
		return p["in"] == "header" || slices.Contains(headerParameters(),
			strings.TrimPrefix(name, "#/components/parameters/"))
	})
}

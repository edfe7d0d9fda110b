package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// manual is the OpenAPI document in the order and the words of the page /docs.
type manual struct {
	Title   string
	Version string
	Intro   []paragraph
	Groups  []manualGroup
	Schemas []manualSchema
}

type manualGroup struct {
	ID          string
	Name        string
	Description []span
	Operations  []manualOperation
}

type manualOperation struct {
	ID          string
	Method      string
	Path        string // as it is called, from the root on
	Summary     string
	Description []paragraph
	Access      string
	Parameters  []manualField
	Body        *manualBody
	Responses   []manualResponse
}

type manualBody struct {
	MediaType string
	Fields    []manualField
	Example   string
}

type manualResponse struct {
	Status      string
	Good        bool
	Description []span
	Fields      []manualField
	Example     string
}

type manualSchema struct {
	Name        string
	Description []span
	Fields      []manualField
}

// manualField is a parameter, or a member of an object; Link is the name of the schema that says more.
type manualField struct {
	Name        string
	Type        string
	Link        string
	Where       string // of a parameter: path, query or header
	Required    bool
	Bounds      string // in words, such as "1 to 100, 25 if left out"
	Description []span
}

// newManual reads the document.
func newManual(document node) manual {
	r := manualReader{document: document}
	m := manual{
		Title: document.get("info", "title").text(), Version: document.get("info", "version").text(),
		Intro: paragraphs(document.get("info", "description").text()),
	}
	for _, tag := range document.get("tags").list() {
		name := tag.get("name").text()
		m.Groups = append(m.Groups, manualGroup{
			ID: slug(name), Name: name, Description: spans(tag.get("description").text()), Operations: r.operations(name),
		})
	}
	for _, schema := range document.get("components", "schemas").members() {
		if fields := r.fields(schema.node, ""); len(fields) > 0 {
			m.Schemas = append(m.Schemas, manualSchema{Name: schema.name, Description: spans(schema.get("description").text()), Fields: fields})
		}
	}
	return m
}

// manualReader looks references up in the whole document.
type manualReader struct{ document node }

// resolve follows a $ref, and gives the name of what it refers to.
func (r manualReader) resolve(n node) (resolved node, name string) {
	reference := n.get("$ref").text()
	if reference == "" {
		return n, ""
	}
	parts := strings.Split(strings.TrimPrefix(reference, "#/"), "/")
	return r.document.get(parts...), parts[len(parts)-1]
}

func (r manualReader) operations(tag string) []manualOperation {
	var found []manualOperation
	for _, path := range r.document.get("paths").members() {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			operation := path.get(method)
			tags := operation.get("tags").list()
			if slices.ContainsFunc(tags, func(n node) bool { return n.text() == tag }) {
				found = append(found, r.operation(path, method, operation))
			}
		}
	}
	return found
}

func (r manualReader) operation(path member, method string, n node) manualOperation {
	root := base
	if path.get("servers").exists() {
		root = ""
	}
	o := manualOperation{
		ID: n.get("operationId").text(), Method: strings.ToUpper(method), Path: root + path.name, Summary: n.get("summary").text(),
		Description: paragraphs(n.get("description").text()), Access: access(n),
	}
	for _, parameter := range append(path.get("parameters").list(), n.get("parameters").list()...) {
		p, _ := r.resolve(parameter)
		field := r.field(p.get("name").text(), p.get("schema"))
		field.Where, field.Required, field.Description = p.get("in").text(), p.get("required").text() == "true", spans(p.get("description").text())
		o.Parameters = append(o.Parameters, field)
	}
	for _, media := range n.get("requestBody", "content").members() {
		o.Body = &manualBody{MediaType: media.name, Fields: r.fields(media.get("schema"), ""), Example: indent(media.get("example"))}
	}
	for _, response := range n.get("responses").members() {
		o.Responses = append(o.Responses, r.response(response))
	}
	return o
}

// access says who may call an operation.
func access(operation node) string {
	security := operation.get("security")
	switch {
	case !security.exists():
		return "API key"
	case len(security.list()) == 0:
		return "open"
	}
	return "operator"
}

func (r manualReader) response(n member) manualResponse {
	resolved, _ := r.resolve(n.node)
	told := manualResponse{Status: n.name, Good: strings.HasPrefix(n.name, "2"), Description: spans(resolved.get("description").text())}
	for _, media := range resolved.get("content").members() {
		told.Example = indent(media.get("example"))
		if told.Good {
			told.Fields = r.fields(media.get("schema", "properties", "data"), "data.")
		}
	}
	return told
}

// fields lists the members of an object, those of objects without a name of their own included, with dotted names.
func (r manualReader) fields(schema node, prefix string) []manualField {
	resolved, _ := r.resolve(schema)
	required := resolved.get("required").list()
	var fields []manualField
	for _, property := range resolved.get("properties").members() {
		if first, found := seriesOf(fields, property.name); found {
			first.Name, _, _ = strings.Cut(first.Name, " ")
			first.Name += " … " + property.name
			continue
		}
		field := r.field(prefix+property.name, property.node)
		field.Required = slices.ContainsFunc(required, func(n node) bool { return n.text() == property.name })
		fields = append(fields, field)
		if field.Link == "" {
			fields = append(fields, r.fields(property.node, prefix+property.name+".")...)
		}
	}
	return fields
}

// seriesOf gives the field that a numbered one such as file_3 goes on from: the one before it, file_0.
func seriesOf(fields []manualField, name string) (*manualField, bool) {
	stem := strings.TrimRight(name, "0123456789")
	if len(fields) == 0 || stem == name {
		return nil, false
	}
	last := &fields[len(fields)-1]
	return last, strings.HasPrefix(last.Name, stem+"0")
}

func (r manualReader) field(name string, schema node) manualField {
	resolved, link := r.resolve(schema)
	described := schema.get("description").text()
	if described == "" {
		described = resolved.get("description").text()
	}
	field := manualField{Name: name, Link: link, Type: r.typeOf(schema), Bounds: bounds(schema, resolved), Description: spans(described)}
	if items := resolved.get("items"); items.exists() {
		_, field.Link = r.resolve(items)
	}
	for _, choice := range resolved.get("anyOf").list() {
		if _, one := r.resolve(choice); one != "" {
			field.Link = one
		}
	}
	if !r.document.get("components", "schemas", field.Link, "properties").exists() {
		field.Link = "" // it has no section of its own
	}
	return field
}

// bounds says what limits a value, and what holds without it; a default may stand beside a $ref.
func bounds(schema, resolved node) string {
	var said []string
	least, most := resolved.get("minimum").text(), resolved.get("maximum").text()
	switch {
	case least != "" && most != "":
		said = append(said, least+" to "+most)
	case least != "":
		said = append(said, "at least "+least)
	}
	if longest := resolved.get("maxLength").text(); longest != "" {
		said = append(said, "at most "+longest+" characters")
	}
	for _, n := range []node{schema, resolved} {
		if fallback := n.get("default"); fallback.exists() {
			said = append(said, fallback.text()+" if left out")
			break
		}
	}
	return strings.Join(said, ", ")
}

// typeOf says in a few words what a value is.
func (r manualReader) typeOf(schema node) string {
	n, name := r.resolve(schema)
	if choices := n.get("anyOf").list(); len(choices) > 0 {
		return r.joinTypes(choices)
	}
	if values := n.get("enum").list(); len(values) > 0 {
		return quoted(values)
	}
	if constant := n.get("const"); constant.exists() {
		return constant.text()
	}
	if items := n.get("items"); items.exists() {
		return "array of " + r.typeOf(items)
	}
	kind := n.get("type").text()
	if kinds := n.get("type").list(); len(kinds) > 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.text())
		}
		kind = strings.Join(names, " or ")
	}
	if format := n.get("format").text(); format != "" {
		kind = strings.Replace(kind, "string", format, 1)
	}
	if kind == "object" && name != "" && n.get("properties").exists() {
		return name
	}
	return kind
}

func (r manualReader) joinTypes(choices []node) string {
	var names []string
	for _, choice := range choices {
		names = append(names, r.typeOf(choice))
	}
	return strings.Join(names, " or ")
}

func quoted(values []node) string {
	var texts []string
	for _, value := range values {
		texts = append(texts, value.text())
	}
	return strings.Join(texts, " | ")
}

// indent writes an example as JSON.
func indent(example node) string {
	if !example.exists() {
		return ""
	}
	encoded, err := encodeJSON(example)
	if err != nil {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, encoded, "", "  ") != nil {
		return ""
	}
	return out.String()
}

func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

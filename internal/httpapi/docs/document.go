package docs

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"

	"dealflow/internal/httpapi/wire"
)

// JSON returns a YAML document as JSON, with the members of its mappings in the same order. The error is about YAML
// that cannot be parsed.
func JSON(document []byte) ([]byte, error) {
	var value any
	if err := yaml.UnmarshalWithOptions(document, &value, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read the YAML: %w", err)
	}
	encoded, err := wire.Encode(node{value})
	if err != nil {
		return nil, fmt.Errorf("encode the document: %w", err)
	}
	return encoded, nil
}

// node is a value of a YAML document. It is encoded as JSON.
type node struct{ value any }

type member struct {
	node

	name string
}

// members returns the members of a mapping in their order; none for any other value. A member that a YAML merge brings
// in and that the mapping sets again is returned once, with the value that was set last.
func (n node) members() []member {
	items, _ := n.value.(yaml.MapSlice)
	members := make([]member, 0, len(items))
	at := make(map[string]int, len(items))
	for _, item := range items {
		name := fmt.Sprint(item.Key)
		if i, found := at[name]; found {
			members[i].value = item.Value
			continue
		}
		at[name] = len(members)
		members = append(members, member{node{item.Value}, name})
	}
	return members
}

// list returns the elements of a sequence; none for any other value.
func (n node) list() []node {
	elements, _ := n.value.([]any)
	nodes := make([]node, len(elements))
	for i, element := range elements {
		nodes[i] = node{element}
	}
	return nodes
}

// MarshalJSON writes mappings in their order.
func (n node) MarshalJSON() ([]byte, error) {
	switch n.value.(type) {
	case yaml.MapSlice:
		return n.marshalMapping()
	case []any:
		return wire.Encode(n.list())
	}
	return wire.Encode(n.value)
}

func (n node) marshalMapping() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, member := range n.members() {
		if i > 0 {
			out.WriteByte(',')
		}
		value, err := json.Marshal(member.node)
		if err != nil {
			return nil, err
		}
		name, err := wire.Encode(member.name)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

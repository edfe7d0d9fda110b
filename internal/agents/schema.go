package agents

import (
	"math"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"

	"dealflow/client"
)

// schemaOf returns the JSON schema of a tool's arguments or answer. In it, ids must be UUIDs, numbers must fit in 32
// bits, and kinds, sources and visibilities must be one of the known values. The error is about a type that has
// no JSON schema.
func schemaOf[T any]() (*jsonschema.Schema, error) {
	return jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[uuid.UUID](): {
			Type: "string", Format: "uuid", Pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
		},
		reflect.TypeFor[int](): {Type: "integer", Minimum: new(float64(math.MinInt32)), Maximum: new(float64(math.MaxInt32))},
		reflect.TypeFor[client.Source](): oneOf(
			client.SourceManual, client.SourceEmail, client.SourceForm, client.SourceReferral, client.SourceWebsite,
			client.SourceEvent,
			client.SourceOther,
		),
		reflect.TypeFor[client.Visibility](): oneOf(client.VisibilityTeam, client.VisibilityShared, client.VisibilityPrivate),
		reflect.TypeFor[client.MergeCompanyBodyKeep](): oneOf(
			client.MergeCompanyBodyKeepInto, client.MergeCompanyBodyKeepMerged, client.MergeCompanyBodyKeepBoth,
		),
		reflect.TypeFor[recordKind](): oneOf(kindMinutes, kindEmail, kindSubmission),
		reflect.TypeFor[textKind]():   oneOf(textPitch, textNotes, textMinutes, textEmail, textSubmission),
	}})
}

func oneOf[T ~string](values ...T) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, value := range values {
		schema.Enum = append(schema.Enum, string(value))
	}
	return schema
}

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// documentURL is where the checker has the document, for the references in it.
const documentURL = "https://deals.example/openapi.json"

// bodyChecker checks JSON bodies against the schemas of the document. It compiles each schema once: kin-openapi does so
// for each body, which would take longer than answering.
type bodyChecker struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[*openapi3.SchemaRef]*jsonschema.Schema
}

func newBodyChecker(document *openapi3.T) (*bodyChecker, error) {
	whole, err := jsonValue(document)
	if err != nil {
		return nil, err
	}
	k := &bodyChecker{compiler: jsonschema.NewCompiler(), compiled: map[*openapi3.SchemaRef]*jsonschema.Schema{}}
	k.compiler.DefaultDraft(jsonschema.Draft2020)
	k.compiler.AssertFormat()
	return k, k.compiler.AddResource(documentURL, whole)
}

// jsonValue returns what JSON says of a part of the document, its references being to documentURL.
func jsonValue(part any) (any, error) {
	text, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`"$ref":"#/`), []byte(`"$ref":"`+documentURL+`#/`))
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// schema returns a schema of the document, compiled.
func (k *bodyChecker) schema(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if made, found := k.compiled[ref]; found {
		return made, nil
	}
	value, err := jsonValue(ref)
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("https://deals.example/body%d.json", len(k.compiled))
	if err := k.compiler.AddResource(at, value); err != nil {
		return nil, err
	}
	made, err := k.compiler.Compile(at)
	if err == nil {
		k.compiled[ref] = made
	}
	return made, err
}

// check checks a body against the document's schema for its media type.
func (k *bodyChecker) check(content openapi3.Content, body []byte) error {
	documented := content.Get("application/json")
	if documented == nil || documented.Schema == nil {
		return fmt.Errorf("no JSON body is documented, and it has %.300s", body)
	}
	schema, err := k.schema(documented.Schema)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func isJSON(contentType string) bool { return strings.HasPrefix(contentType, "application/json") }

// checkRequest checks a request against the document.
func (k *checker) checkRequest(ctx context.Context, input *openapi3filter.RequestValidationInput, body []byte) error {
	documented := input.Route.Operation.RequestBody
	if documented != nil && isJSON(input.Request.Header.Get("Content-Type")) {
		if len(body) == 0 && !documented.Value.Required {
			return openapi3filter.ValidateRequest(ctx, input)
		}
		if err := k.bodies.check(documented.Value.Content, body); err != nil {
			return err
		}
		without := *input
		without.Options = k.withoutBodies()
		input = &without
	}
	return openapi3filter.ValidateRequest(ctx, input)
}

// checkAnswer checks an answer against the document.
func (k *checker) checkAnswer(ctx context.Context, input *openapi3filter.RequestValidationInput, got reply) error {
	options := k.options
	if isJSON(got.Header.Get("Content-Type")) && len(got.Raw) > 0 {
		documented := input.Route.Operation.Responses.Status(got.Status)
		if documented == nil {
			documented = input.Route.Operation.Responses.Default()
		}
		if documented == nil {
			return fmt.Errorf("the status %d is not documented", got.Status)
		}
		if err := k.bodies.check(documented.Value.Content, got.Raw); err != nil {
			return err
		}
		options = k.withoutBodies()
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: got.Status, Header: got.Header,
		Body: io.NopCloser(bytes.NewReader(got.Raw)), Options: options,
	})
}

// withoutBodies returns the options for checking everything of a request and a response but their bodies.
func (k *checker) withoutBodies() *openapi3filter.Options {
	without := *k.options
	without.ExcludeRequestBody, without.ExcludeResponseBody = true, true
	return &without
}

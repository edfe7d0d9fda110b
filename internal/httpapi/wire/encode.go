// Package wire has the functions that the JSON of all resources shares: how it is encoded, how times and ids are
// written, and which part of a company's metadata is shown.
package wire

import (
	"bytes"
	"encoding/json"
	"io"
)

// Encode is json.Marshal without the escapes that only HTML would need, so that texts are sent as people wrote them.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	err := NewEncoder(&out).Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// NewEncoder returns an encoder that encodes as Encode does, and ends each value with a line feed.
func NewEncoder(out io.Writer) *json.Encoder {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder
}

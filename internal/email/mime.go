package email

import (
	"bytes"
	"fmt"

	"github.com/jhillyerd/enmime/v2"

	"dealflow/internal/fault"
)

// ReadMIME reads a MIME message (RFC 5322), however broken: InvalidBody only where nobody can be told as its sender.
func ReadMIME(raw []byte) (Message, error) {
	envelope, err := enmime.ReadEnvelope(bytes.NewReader(raw))
	if err != nil {
		return Message{}, fault.Field("body", fmt.Sprintf("is no MIME message: %v", err))
	}
	m := Message{Raw: raw}
	m.FromEmail, m.Content = envelope.GetHeader("From"), envelope.Text
	return m, nil
}

package mimemail

import (
	"encoding/json"

	"dealflow/internal/fault"
)

func (f formFields) sendGrid() (Message, error) {
	h := &hooked{text: f.text("text"), html: f.text("html"), via: "sendgrid", files: f.files}
	if head, err := tree(append(fromHeader(f.values["headers"]), "\r\n\r\n"...), (&part{}).mediaType); err == nil {
		h.header = head.Header
	}
	var envelope struct {
		To   []string `json:"to"`
		From string   `json:"from"`
	}
	if f.has("envelope") && json.Unmarshal(f.values["envelope"], &envelope) != nil {
		return Message{}, fault.Field("envelope", "must be a JSON object")
	}
	for _, name := range []string{"from", "to", "cc", "subject"} {
		h.set(name, f.text(name))
	}
	h.set("Sender", envelope.From)
	h.to = envelope.To
	return h.message()
}

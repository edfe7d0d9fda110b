package form_test

import (
	"encoding/json"
	"testing"

	"dealflow/internal/fault"
	"dealflow/internal/form"
)

// FuzzHooks looks for a submission of a form tool that is neither read nor refused.
func FuzzHooks(f *testing.F) {
	f.Add([]byte(`{"eventId":"e","eventType":"FORM_RESPONSE","createdAt":"2026-11-12T10:22:31.412Z",
		"data":{"submissionId":"s",
		"fields":[{"key":"q","label":"Stage","type":"MULTIPLE_CHOICE","value":["c"],"options":[{"id":"c","text":"Seed"}]}]}}`))
	f.Add([]byte(`{"event_id":"e","event_type":"form_response","form_response":{"form_id":"f","token":"t",
		"submitted_at":"2026-11-12T10:22:31Z","definition":{"fields":[{"id":"1","title":"Name","type":"short_text"}]},
		"answers":[{"type":"text","text":"Acme","field":{"id":"1","type":"short_text"}}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, read := range map[string]func([]byte) (form.Incoming, error){
			"Tally": form.ReadTally, "Typeform": form.ReadTypeform, "row": form.ReadRow,
		} {
			in, err := read(raw)
			if err != nil {
				if fault.KindOf(err) == fault.Internal {
					t.Fatalf("%s: %v", name, err)
				}
				continue
			}
			if in.ExternalID == "" || !json.Valid(in.Data) {
				t.Errorf("%s: id %q, data %s", name, in.ExternalID, in.Data)
			}
		}
	})
}

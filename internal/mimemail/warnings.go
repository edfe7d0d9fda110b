package mimemail

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// warnings has a text for each thing in a message that could not be read as intended, without repetitions. It keeps the
// first maxWarnings texts and counts the others.
type warnings struct {
	texts []string
	more  int
}

func (w *warnings) add(text string) {
	switch {
	case slices.Contains(w.texts, text):
	case len(w.texts) < maxWarnings:
		w.texts = append(w.texts, text)
	default:
		w.more++
	}
}

func (w *warnings) list() []string {
	if w.more == 0 {
		return w.texts
	}
	return append(slices.Clip(w.texts), fmt.Sprintf("and %d more", w.more))
}

func (r *reader) warn(format string, args ...any) { r.warnings.add(fmt.Sprintf(format, args...)) }

// metadata returns the metadata of the message, with the warnings, as a JSON object.
func (r *reader) metadata() json.RawMessage {
	if found := r.warnings.list(); len(found) > 0 {
		r.put("warnings", found)
	}
	encoded, err := json.Marshal(r.meta) // strings and lists of strings
	if err != nil || r.meta == nil {
		return json.RawMessage(`{}`)
	}
	return encoded
}

func (r *reader) put(name string, value any) {
	if r.meta == nil {
		r.meta = map[string]any{}
	}
	if text, isText := value.(string); isText && text == "" {
		return
	}
	if texts, areTexts := value.([]string); areTexts && len(texts) == 0 {
		return
	}
	r.meta[name] = value
}

// brief returns a text from outside as one line of at most maxWarning characters.
func brief(text string) string {
	runes := []rune(strings.Join(strings.Fields(firstOf(storable(text), 4*maxWarning)), " "))
	return string(runes[:min(len(runes), maxWarning)])
}

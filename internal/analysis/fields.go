package analysis

import (
	"encoding/json"
	"sort"
	"strings"
	"unicode/utf8"
)

// field is one answer of a questionnaire: what was asked, which kind of question that is, and the answer.
type field struct {
	label, kind, value string
	start              int // of the answer in the text; 0 for JSON
}

// findFields reads the answers that a text holds that is no JSON: "Label: answer" lines, a label above its answer,
// "Q:" and "A:" lines, and label=answer lists.
func (r *Rules) findFields(rd *reading) {
	for i := 0; i < len(rd.lines); i++ {
		label, value := labelled(rd.line(i))
		if kind := r.labelKind(label); kind != "" && value != "" {
			rd.fields = append(rd.fields, field{
				label: label, kind: kind, value: value, start: rd.lines[i].start + strings.Index(rd.line(i), value),
			})
			continue
		}
		if kind := r.labelKind(bareLabel(rd.line(i))); kind != "" {
			if next := rd.nextLine(i); next > 0 && (kind == "role" || r.labelKind(bareLabel(rd.line(next))) == "") &&
				!looksLikeLabel(rd.line(next)) {
				rd.fields = append(rd.fields, field{
					label: bareLabel(rd.line(i)), kind: kind, value: answer(rd.line(next)), start: rd.lines[next].start,
				})
				i = next
			}
		}
	}
	r.assignments(rd)
}

// nextLine returns the next line that is not blank, at most two further; 0 where there is none.
func (rd *reading) nextLine(i int) int {
	for n := i + 1; n < len(rd.lines) && n <= i+2; n++ {
		if rd.line(n) != "" {
			return n
		}
	}
	return 0
}

func answer(s string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "A:"), "A."))
}

func looksLikeLabel(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), "?") }

// labelled splits "1. **Company name**: Acme" into the label and the answer.
func labelled(s string) (label, value string) {
	s = strings.TrimLeft(s, " -*•·#0123456789.)▪▫◦●\ufe0e\ufe0f")
	for _, sep := range []string{" → ", " -> ", " => ", ":", "：", " – ", " — ", " = ", "?"} {
		label, value, ok := strings.Cut(s, sep)
		if ok && utf8.RuneCountInString(label) <= 60 && strings.TrimSpace(label) != "" {
			return strings.Trim(label, " *_"), strings.Trim(value, " *_")
		}
	}
	return "", ""
}

func bareLabel(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "Q:")
	if utf8.RuneCountInString(s) > 60 {
		return ""
	}
	return strings.Trim(s, " *_:：?#-•0123456789.)")
}

// labelKind gives what a label asks for, "" where it is none. A label in brackets or with a remark behind it counts
// too.
func (r *Rules) labelKind(label string) string {
	if label == "" {
		return ""
	}
	if kind := r.form.exact(label); kind != "" {
		return kind
	}
	short := label
	if i := strings.IndexAny(short, "(（/"); i > 0 {
		short = short[:i]
	}
	short = strings.TrimSuffix(strings.TrimSpace(short), "*")
	if kind := r.form.exact(short); kind != "" && short != label {
		return kind
	}
	return ""
}

// assignments reads "name=Erik Dahl, email=erik@stoker.se".
func (r *Rules) assignments(rd *reading) {
	if !strings.Contains(rd.text, "=") {
		return
	}
	for _, m := range r.assignment.FindAllStringSubmatchIndex(rd.text, 200) {
		label := rd.text[m[2]:m[3]]
		kind := r.labelKind(strings.ReplaceAll(label, "_", " "))
		if kind != "" {
			rd.fields = append(rd.fields, field{
				label: label, kind: kind, value: strings.Trim(rd.text[m[4]:m[5]], " \"'"), start: m[4],
			})
		}
	}
}

// jsonFields reads a text that is JSON.
func (r *Rules) jsonFields(rd *reading) bool {
	text := strings.TrimSpace(rd.body) // without the head of the mail that it came in
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return false
	}
	r.flatten(rd, "", value, 0)
	return len(rd.fields) > 0
}

func (r *Rules) flatten(rd *reading, label string, value any, depth int) {
	const deepest = 8
	if depth > deepest {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		if label, answer, ok := questionAndAnswer(v); ok {
			r.flatten(rd, label, answer, depth+1)
			return
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			r.flatten(rd, k, v[k], depth+1)
		}
	case []any:
		for _, item := range v {
			r.flatten(rd, label, item, depth+1)
		}
	case string:
		if kind := r.labelKind(strings.NewReplacer("_", " ", "-", " ").Replace(splitCamel(label))); kind != "" && v != "" {
			rd.fields = append(rd.fields, field{label: label, kind: kind, value: v, start: max(0, strings.Index(rd.text, v))})
		}
	}
}

// questionAndAnswer reads an object of the form {"label": …, "value": …}, as form builders send them.
func questionAndAnswer(v map[string]any) (string, any, bool) {
	for _, question := range []string{"label", "question", "title"} {
		q, ok := v[question].(string)
		if !ok {
			continue
		}
		for _, key := range []string{"value", "answer"} {
			if a, ok := v[key]; ok {
				return q, a, true
			}
		}
	}
	return "", nil, false
}

// splitCamel turns "companyName" into "company Name".
func splitCamel(s string) string {
	var out strings.Builder
	for i, r := range s {
		if i > 0 && r >= 'A' && r <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// answerTo returns the first answer of the kind, "" for none.
func (rd *reading) answerTo(kind string) string {
	for _, f := range rd.fields {
		if f.kind == kind && !strings.ContainsRune(f.value, mask) {
			return strings.TrimSpace(f.value)
		}
	}
	return ""
}

// isForm reports whether the text is answers to a questionnaire: at least three, one of them a name, and none of the
// labels that only an investor's own notes have.
func (rd *reading) isForm() bool {
	if rd.json {
		return true
	}
	kinds := map[string]bool{}
	for _, f := range rd.fields {
		kinds[f.kind] = true
	}
	core := kinds["company"] || kinds["name"] || kinds["founder"] || kinds["first"]
	return core && len(kinds) >= 3 && !kinds["internal"]
}

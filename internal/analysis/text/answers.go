package text

import (
	"encoding/json"
	"sort"
	"strings"
	"unicode/utf8"

	"dealflow/internal/analysis/lexicon"
)

// Field is one answer of a questionnaire: the label of the question, the kind of the question, such as "company" or
// "email", which is a section of form.txt, and the answer.
type Field struct {
	Label, Kind, Value string
	Start              int // the byte of Text.Plain at which the answer begins; 0 if it is not found there
}

// findFields adds to rd.Fields the answers in a text other than JSON whose labels are known (see labelKind): "Label:
// answer" lines, a label above its answer, "Q:" and "A:" lines, and label=answer lists.
func (r *Reader) findFields(rd *Text) {
	for i := 0; i < len(rd.Lines); i++ {
		label, value := labelled(rd.line(i))
		if kind := r.labelKind(label); kind != "" && value != "" {
			rd.Fields = append(rd.Fields, Field{
				Label: label, Kind: kind, Value: value, Start: rd.Lines[i].Start + strings.Index(rd.line(i), value),
			})
			continue
		}
		if kind := r.labelKind(bareLabel(rd.line(i))); kind != "" {
			if next := rd.nextLine(i); next > 0 && (kind == "role" || r.labelKind(bareLabel(rd.line(next))) == "") &&
				!looksLikeLabel(rd.line(next)) {
				rd.Fields = append(rd.Fields, Field{
					Label: bareLabel(rd.line(i)), Kind: kind, Value: answer(rd.line(next)), Start: rd.Lines[next].Start,
				})
				i = next
			}
		}
	}
	r.assignments(rd)
}

// nextLine returns the index of the first of the two lines after line i that is not blank; 0 if there is none.
func (rd *Text) nextLine(i int) int {
	for n := i + 1; n < len(rd.Lines) && n <= i+2; n++ {
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

// labelled splits a line such as "1. **Company name**: Acme" into the label and the answer. Both are "" if the line has
// no label of at most 60 characters.
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

// labelKind returns the kind of answer that a label requests, such as "company"; "" for a text that is not a label. It
// also recognizes a label that is followed by an asterisk, a remark in brackets, or a slash and more.
func (r *Reader) labelKind(label string) string {
	if label == "" {
		return ""
	}
	if kind := r.words.Form.Exact(label); kind != "" {
		return kind
	}
	short := label
	if i := strings.IndexAny(short, "(（/"); i > 0 {
		short = short[:i]
	}
	short = strings.TrimSuffix(strings.TrimSpace(short), "*")
	if kind := r.words.Form.Exact(short); kind != "" && short != label {
		return kind
	}
	return ""
}

// assignmentPattern matches name=value.
const assignmentPattern = `\b([A-Za-z_]{3,20}(?: name)?)\s?=\s?("[^"\n]{1,900}"|(?: & |[^,;&\n"]){1,200})`

// assignments adds to rd.Fields the answers in "name=Erik Dahl, email=erik@stoker.se". It reads the first 200
// assignments of the text.
func (r *Reader) assignments(rd *Text) {
	if !strings.Contains(rd.Plain, "=") {
		return
	}
	for _, m := range r.assignment.FindAllStringSubmatchIndex(rd.Plain, 200) {
		label := rd.Plain[m[2]:m[3]]
		kind := r.labelKind(strings.ReplaceAll(label, "_", " "))
		if kind != "" {
			rd.Fields = append(rd.Fields, Field{
				Label: label, Kind: kind, Value: strings.Trim(rd.Plain[m[4]:m[5]], " \"'"), Start: m[4],
			})
		}
	}
}

// jsonFields adds to rd.Fields, which must be empty, the answers of a text that is JSON, and reports whether there are
// any. It skips values other than strings, and what is nested more than eight levels deep.
func (r *Reader) jsonFields(rd *Text) bool {
	text := strings.TrimSpace(rd.Body) // without the header of the mail that it came in
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return false
	}
	r.flatten(rd, "", value, 0)
	return len(rd.Fields) > 0
}

func (r *Reader) flatten(rd *Text, label string, value any, depth int) {
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
		if kind := r.labelKind(strings.NewReplacer("_", " ", "-", " ").Replace(lexicon.SplitCamel(label))); kind != "" &&
			v != "" {
			rd.Fields = append(rd.Fields, Field{Label: label, Kind: kind, Value: v, Start: max(0, strings.Index(rd.Plain, v))})
		}
	}
}

// questionAndAnswer returns the question and the answer of an object such as {"label": …, "value": …}, as form builders
// send them, and whether the object has both.
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

// AnswerTo returns the answer to the first question of this kind whose answer contains no link, without spaces around
// it; "" for none.
func (rd *Text) AnswerTo(kind string) string {
	for _, f := range rd.Fields {
		if f.Kind == kind && !strings.ContainsRune(f.Value, Mask) {
			return strings.TrimSpace(f.Value)
		}
	}
	return ""
}

// IsForm reports whether the text is answers to a questionnaire: it is JSON, or it has at least three kinds of answers,
// one of them a name, and none of the labels that only an investor's own notes have.
func (rd *Text) IsForm() bool {
	if rd.JSON {
		return true
	}
	kinds := map[string]bool{}
	for _, f := range rd.Fields {
		kinds[f.Kind] = true
	}
	core := kinds["company"] || kinds["name"] || kinds["founder"] || kinds["first"]
	return core && len(kinds) >= 3 && !kinds["internal"]
}

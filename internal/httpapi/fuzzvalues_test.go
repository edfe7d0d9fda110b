package httpapi_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
)

// rawObject is a JSON object whose members have an order, and may occur twice.
type rawObject []pair

type pair struct {
	name  string
	value any
}

// fragment is JSON, or what looks like it, as it is sent.
type fragment string

// encoded writes a value. What is a fragment is there as it is, be it JSON or not.
func encoded(value any) string {
	var parts []string
	switch v := value.(type) {
	case fragment:
		return string(v)
	case rawObject:
		for _, m := range v {
			name, _ := json.Marshal(m.name)
			parts = append(parts, string(name)+":"+encoded(m.value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, element := range v {
			parts = append(parts, encoded(element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	plain, _ := json.Marshal(value)
	return string(plain)
}

func hashOf(text string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))
	return hash.Sum64()
}

func decoded(t *testing.T, response *http.Response, raw []byte) reply {
	t.Helper()
	got := reply{t: t, Status: response.StatusCode, Header: response.Header, Raw: raw}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(raw, &got.Body); err != nil && response.Request.Method != http.MethodHead {
			t.Errorf("%s %s: the answer is no JSON: %v", response.Request.Method, response.Request.URL, err)
		}
	}
	return got
}

// draw returns one of the values at random.
func draw[T any](f *fuzz, from ...T) T { return from[f.rand.IntN(len(from))] }

// right is a value of a parameter that fits, as text.
func (f *fuzz) right(name string, schema *openapi3.Schema, o operation) string {
	return strings.Trim(encoded(f.value(name, schema, o, 0)), `"`)
}

// nouns has, by the name of a member or parameter, the kind of thing whose id it is, where the path does not say it.
var nouns = map[string]string{
	"company_id": "companies", "company_ids": "companies", "company_status_id": "company-statuses",
	"move_to": "company-statuses", "account_id": "account_id",
	"user_id": "user_id", "assignees": "user_id", "into_company_id": "companies",
}

// nounOf returns the kind of thing whose id the parameter or member name has; see nouns.
func nounOf(name string, o operation) string {
	if noun, known := nouns[name]; known {
		return noun
	}
	if strings.HasSuffix(o.path, "/merge") {
		return "spares" // the others are needed
	}
	before, _, _ := strings.Cut(o.path, "/{"+name+"}")
	return before[strings.LastIndex(before, "/")+1:]
}

// id returns the id of a thing that the caller may use, or a random id if there is none.
func (f *fuzz) id(name string, o operation) string {
	noun := nounOf(name, o)
	ids := f.ids[noun]
	switch {
	case len(ids) == 0 || len(ids) == 1 && noun == "companies" && o.method == http.MethodDelete &&
		strings.HasSuffix(o.path, "/companies/{id}"):
		return uuid.NewString()
	case strings.Contains(o.path, "/attachments/"), strings.Contains(o.path, "/shares"),
		strings.HasSuffix(o.path, "/download"), name == "company_status_id", name == "move_to":
		return ids[0] // the first company has a deck and the first attachment, and the last status is used by none
	}
	return ids[len(ids)-1]
}

// value returns a valid value for a schema.
func (f *fuzz) value(name string, schema *openapi3.Schema, o operation, depth int) any {
	for _, choices := range []openapi3.SchemaRefs{schema.AnyOf, schema.OneOf, schema.AllOf} {
		if len(choices) > 0 {
			return f.value(name, choices[0].Value, o, depth)
		}
	}
	switch {
	case name == "field_type":
		return "select" // the one that the options fit
	case len(schema.Enum) > 0:
		return draw(f, schema.Enum...)
	case schema.Format == "uuid":
		return f.id(name, o)
	case schema.Format == "date-time":
		return "2030-03-02T10:00:00Z"
	case schema.Type.Includes("string"):
		return f.word(name, schema)
	case schema.Type.Includes("integer"):
		return 7 + f.rand.IntN(20)
	case schema.Type.Includes("boolean"):
		return f.rand.IntN(2) == 0
	case schema.Type.Includes("array"):
		return []any{f.value(name, schema.Items.Value, o, depth+1)}
	case schema.Type.Includes("object") && depth < 5:
		return f.members(schema, o, depth)
	}
	return "anything"
}

func (f *fuzz) members(schema *openapi3.Schema, o operation, depth int) rawObject {
	made := rawObject{}
	for _, name := range sortedNames(schema.Properties) {
		if slices.Contains(schema.Required, name) || f.rand.IntN(2) == 0 {
			made = append(made, pair{name, f.value(name, schema.Properties[name].Value, o, depth+1)})
		}
	}
	return made
}

func sortedNames(properties openapi3.Schemas) []string {
	var names []string
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// word returns a valid text for a schema.
func (f *fuzz) word(name string, schema *openapi3.Schema) string {
	switch {
	case name == "email":
		return "user" + strconv.Itoa(f.rand.IntN(1e6)) + "@fund.example"
	case name == "metadata":
		return `{}`
	case strings.Contains(schema.Pattern, "#"):
		return "#0EA5E9"
	case strings.Contains(schema.Pattern, "[Hh]"):
		return "https://docsend.com/view/x"
	}
	return "Word " + strconv.Itoa(f.rand.IntN(1e6))
}

// spoil returns a value with one random mistake in it.
func (f *fuzz) spoil(value any) any {
	members, isObject := value.(rawObject)
	elements, isArray := value.([]any)
	switch {
	case f.rand.IntN(6) == 0:
	case isObject && len(members) > 0:
		return f.spoilMember(members)
	case isArray && len(elements) > 0:
		i := f.rand.IntN(len(elements))
		elements[i] = f.spoil(elements[i])
		return elements
	}
	return fragment(f.fragment())
}

func (f *fuzz) spoilMember(members rawObject) rawObject {
	i := f.rand.IntN(len(members))
	switch f.rand.IntN(8) {
	case 0:
		return slices.Delete(members, i, i+1) // missing
	case 1:
		return append(members, pair{members[i].name, fragment(f.fragment())}) // twice
	case 2:
		members[i].name = draw(f, strings.ToUpper(members[i].name), "", "__proto__", members[i].name+"\x00",
			strings.Repeat("k", 5000))
		return members
	}
	members[i].value = f.spoil(members[i].value)
	return members
}

// worst returns the values that most often break programs.
func (f *fuzz) worst() []string {
	return []string{
		"null", "{}", "[]", "-1", "1e400", "9223372036854775808", `""`, `"a\u0000b"`, `"\ud800"`, "\"\xff\"",
		`"` + strings.Repeat("ä", 20000) + `"`, `"` + draw(f, f.others...) + `"`,
		`["a\u0000b"]`, `[{"key":"a\u0000b","value":"\udc00"}]`, `{"a\u0000b":1}`,
		`[{"company_id":"` + draw(f, f.others...) + `","permissions":"full"}]`, `["` + draw(f, f.others...) + `"]`,
	}
}

// worstTexts returns the values like those of worst for parameters.
func (f *fuzz) worstTexts() []string {
	return []string{
		"", "a\x00b", "\xff", "-1", "9223372036854775807", "99999999999999999999", strings.Repeat("ä ", 400), "null",
		draw(f, f.others...),
	}
}

// fragment is a JSON value that fits nowhere, or nearly nowhere, or is none.
func (f *fuzz) fragment() string {
	switch f.rand.IntN(4) {
	case 0: // what breaks most that breaks
		return draw(f, f.worst()...)
	case 1:
		text, _ := json.Marshal(f.text())
		return string(text)
	}
	return draw(f,
		"null", "true", "false", "0", "-1", "1.5", "-0", "1e400", "-1e400", "1e-400", "9223372036854775808",
		"-9223372036854775809", "2147483648", "1000001",
		strings.Repeat("9", 5000), "NaN", "Infinity", "-Infinity", "01", "0x10", ".5", "{}", "[]", "[null]", "[[]]", `[""]`,
		`{"":0}`, `{"a":1,"a":2}`, `{"a":{"b":[{}]}}`,
		`"\u0000"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\"\x00\"", "\"\n\"",
		`"\x"`, `"unterminated`, "undefined", "'a'", "",
		strings.Repeat("[", 200)+strings.Repeat("]", 200), strings.Repeat(`{"a":`, 99)+"1"+strings.Repeat("}", 99),
		strings.Repeat(`{"a":`, 101)+"1"+strings.Repeat("}", 101),
		"["+strings.TrimSuffix(strings.Repeat("1,", 20000), ",")+"]", `["`+strings.Join(f.others, `","`)+`"]`,
		`[{"company_id":"`+draw(f, f.others...)+`","permissions":"full"}]`,
		`[{"key":"a","value":"\u0000"}]`, `{"founders":"none","analyzed_at":7,"user_preferences":{"a":1}}`,
		`{"founders":[null,1,[],{"name":{}}]}`,
	)
}

// text is a text that fits nowhere, or nearly nowhere.
func (f *fuzz) text() string {
	if f.rand.IntN(4) == 0 {
		return draw(f, f.others...)
	}
	return draw(f,
		"", " ", "\t\n", "\u00a0\u2003", "\x00", "a\x00b", "\x01\x02\x1b[2J", "\x7f", "\xff\xfe", "\xed\xa0\x80",
		"\u202etxt.exe", "\ufeff", "😀", "e\u0301", strings.Repeat("\u0301", 300),
		strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("ä", 256), strings.Repeat("x", 501),
		strings.Repeat("ß ", 30000), strings.Repeat("a ", 250),
		"true", "TRUE", "1", "0", "-1", "1.0", "1e3", "+1", "１", "99999999999999999999", "9223372036854775807",
		"-9223372036854775808", "4611686018427387904", "NaN", "no_status", "null", "undefined",
		"created_at", "created_at; DROP TABLE companies", "' OR 1=1 --", `"`, `\`, "%", "_", "%s%n%d", "${jndi:ldap://a}",
		"<script>alert(1)</script>", "../../../etc/passwd", "a&b|c!d:*<->(e)", ":*", "&", "!", "(", "''", "{}", "[]",
		"0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999+23:59", "10000-01-01T00:00:00Z",
		"-0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-03-02", "2026-03-02T10:00:00", "2016-12-31T23:59:60Z",
		"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
		strings.ToUpper(f.account.ID.String()), "{"+f.account.ID.String()+"}", "urn:uuid:"+f.account.ID.String(),
		strings.ReplaceAll(f.account.ID.String(), "-", ""), f.account.ID.String()+" ", "a@b", "a@"+strings.Repeat("b",
			300)+".example", "Name <a@b.example>", "a@b.example\r\nBcc: c@d.example",
		"https://", "https://a b", "https://[::1", "javascript:alert(1)", "https://"+strings.Repeat("a", 3000)+".example",
		"#GGGGGG", "#fff", "integration_c",
	)
}

// segment returns a random wrong segment of a path, escaped.
func (f *fuzz) segment() string {
	if f.rand.IntN(3) == 0 {
		return draw(f, "%00", "%ff%fe", "%2e%2e%2f", "..", ".", "", "%", "%zz", "%2f%2f", "a%0d%0aX:%20y",
			strings.Repeat("a", 20000), "%F0%9F%98%80", "*", ":id", "{id}", "~", ";", "@")
	}
	return url.PathEscape(f.text())
}

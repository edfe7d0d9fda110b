package form_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/form"
)

type answered struct {
	Key, Label, Type string
	Value            any
	Options          []struct{ ID, Text string }
}

func answersOf(t *testing.T, in form.Incoming) map[string]answered {
	t.Helper()
	var all []answered
	if err := json.Unmarshal(in.Data, &all); err != nil {
		t.Fatalf("%s: %v", in.Data, err)
	}
	byKey := map[string]answered{}
	for _, a := range all {
		byKey[a.Key] = a
	}
	if len(byKey) != len(all) {
		t.Errorf("two answers have the same key: %s", in.Data)
	}
	return byKey
}

func sample(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/webhooks/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTallysSampleIsRead(t *testing.T) {
	t.Parallel()
	in, err := form.ReadTally(sample(t, "tally_form_response.raw.json"))
	if err != nil {
		t.Fatal(err)
	}
	if in.IntegrationType != form.IntegrationA || in.ExternalID != "7Kx2Qz" ||
		!in.CreatedAt.Equal(time.Date(2026, 11, 12, 10, 22, 31, 0, time.UTC)) {
		t.Errorf("%+v", in)
	}
	got := answersOf(t, in)
	for key, want := range map[string]any{
		"question_1rL8Kz": "Brackenfield", "question_3nY7Rt": "ivy@brackenfield.example", "question_5qA3Wx": "900",
		"question_6rB1Yz": "Pre-seed",
		"question_7sC9Ab": "Climate", "question_9uE5Ef_ref": "newsletter", "question_0vF3Gh": nil,
	} {
		if got[key].Value != want || got[key].Label == "" || got[key].Type == "" {
			t.Errorf("%s: %+v, want %v", key, got[key], want)
		}
	}
	if len(got) != 10 || len(got["question_6rB1Yz"].Options) != 2 || got["question_6rB1Yz"].Options[1].Text != "Seed" {
		t.Errorf("%d answers: %s", len(got), in.Data)
	}
	files, _ := got["question_8tD7Cd"].Value.([]any)
	file, _ := files[0].(map[string]any)
	if len(files) != 1 || file["name"] != "Brackenfield-Deck.pdf" || file["size"] != 1843201.0 ||
		!strings.HasPrefix(file["url"].(string), "https://storage.tally.so/private/") {
		t.Errorf("files %v", files)
	}
	if meta := string(in.Metadata); !strings.Contains(meta, `"form_name":"Founder intake"`) ||
		!strings.Contains(meta, `"event_id":"5c0e4b7a-91f2-4d3e-a6b8-2f7d1c9e0a34"`) ||
		!strings.Contains(meta, `"respondent_id":"dW3nLp"`) {
		t.Errorf("metadata %s", meta)
	}
}

func TestTypeformsSampleIsRead(t *testing.T) {
	t.Parallel()
	in, err := form.ReadTypeform(sample(t, "typeform_form_response.raw.json"))
	if err != nil {
		t.Fatal(err)
	}
	if in.IntegrationType != form.IntegrationB || in.ExternalID != "9xk2q7zw8tn5v3mbcd1efgh0jklpr6ya" ||
		!in.CreatedAt.Equal(time.Date(2026, 11, 12, 10, 22, 31, 0, time.UTC)) {
		t.Errorf("%+v", in)
	}
	got := answersOf(t, in)
	for key, want := range map[string][3]string{
		"company": {"Company name", "INPUT_TEXT", "Brackenfield"},
		"email":   {"Email", "INPUT_EMAIL", "ivy@brackenfield.example"},
		"site":    {"Website", "INPUT_LINK", "https://brackenfield.example"},
		"stage":   {"Stage", "MULTIPLE_CHOICE", "Pre-seed"},
		"raising": {"Raise (kEUR)", "INPUT_NUMBER", "900"}, "nda": {"Already incorporated?", "CHECKBOX", "true"},
		"utm_source": {"utm_source", "HIDDEN_FIELDS", "newsletter"}, "score": {"score", "CALCULATED_FIELDS", "0"},
	} {
		if a := got[key]; a.Label != want[0] || a.Type != want[1] || a.Value != want[2] {
			t.Errorf("%s: %+v, want %v", key, a, want)
		}
	}
	files, _ := got["deck"].Value.([]any)
	if file, _ := files[0].(map[string]any); file["name"] != "Brackenfield-Deck.pdf" || file["id"] != "8c1f0e2d3b4a" ||
		!strings.HasPrefix(file["url"].(string), "https://api.typeform.com/forms/") {
		t.Errorf("files %v", files)
	}
	if meta := string(in.Metadata); !strings.Contains(meta, `"form_name":"Founder intake"`) ||
		!strings.Contains(meta, `"form_id":"hT9kQ2Lm"`) {
		t.Errorf("metadata %s", meta)
	}
}

// tallied returns an event of Tally with one field, which has these members besides its key and label.
func tallied(field string) string {
	return `{"eventType":"FORM_RESPONSE","data":{"responseId":"1","fields":[{"key":"q","label":"Q",` + field + `}]}}`
}

func TestEveryTypeOfAnswerIsATextOrFiles(t *testing.T) {
	t.Parallel()
	const options = `"options":[{"id":"a","text":"One"},{"id":"b","text":"Two"}]`
	for name, tc := range map[string]struct{ field, want string }{
		"text":             {`"type":"INPUT_TEXT","value":"x"`, `"x"`},
		"lines":            {`"type":"TEXTAREA","value":"x\ny"`, `"x\ny"`},
		"number":           {`"type":"INPUT_NUMBER","value":1e3`, `"1e3"`},
		"long number":      {`"type":"INPUT_NUMBER","value":12345678901234567890`, `"12345678901234567890"`},
		"box":              {`"type":"CHECKBOXES","value":true`, `"true"`},
		"nothing":          {`"type":"INPUT_DATE","value":null`, `null`},
		"left out":         {`"type":"INPUT_DATE"`, `null`},
		"no choice":        {`"type":"DROPDOWN","value":[],` + options, `null`},
		"choices":          {`"type":"MULTI_SELECT","value":["b","a"],` + options, `"Two, One"`},
		"choice by itself": {`"type":"DROPDOWN","value":"b",` + options, `"Two"`},
		"unknown choice":   {`"type":"MULTIPLE_CHOICE","value":["z"],` + options, `"z"`},
		"ranking":          {`"type":"RANKING","value":["b","a"],` + options, `"Two, One"`},
		"matrix": {
			`"type":"MATRIX","value":{"r1":["c2"],"r2":["c1","c2"]},"rows":[{"id":"r1","text":"Team"},{"id":"r2",` +
				`"text":"Market"},{"id":"r3","text":"None"}],"columns":[{"id":"c1","text":"Low"},{"id":"c2","text":"High"}]`,
			`"Team: High\nMarket: Low, High"`,
		},
		"rating":  {`"type":"RATING","value":4`, `"4"`},
		"payment": {`"type":"PAYMENT","value":{"amount":10,"currency":"EUR"}`, `"amount: 10, currency: EUR"`},
		"signature": {
			`"type":"SIGNATURE","value":[{"id":"s","name":"s.png","url":"https://x","size":1}]`,
			`[{"id":"s","name":"s.png","size":1,"url":"https://x"}]`,
		},
		"no files":        {`"type":"FILE_UPLOAD","value":null`, `null`},
		"an unknown type": {`"type":"HOLOGRAM","value":{"deep":[{"x":1}]}`, `"deep: x: 1"`},
	} {
		in, err := form.ReadTally([]byte(tallied(tc.field)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, _ := json.Marshal(answersOf(t, in)["q"].Value); string(got) != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestEveryTypeformAnswerIsRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ answer, kind, want string }{
		"choices": {
			`"type":"choices","choices":{"labels":["A","B"],"other":"C"},"field":{"ref":"q","type":"multiple_choice"}`,
			"CHECKBOXES", `"A, B, C"`,
		},
		"other": {
			`"type":"choice","choice":{"other":"mine"},"field":{"ref":"q","type":"dropdown"}`, "DROPDOWN", `"mine"`,
		},
		"no choice": {`"type":"choice","choice":{},"field":{"ref":"q","type":"picture_choice"}`, "MULTIPLE_CHOICE", `null`},
		"date":      {`"type":"date","date":"2026-01-02","field":{"ref":"q","type":"date"}`, "INPUT_DATE", `"2026-01-02"`},
		"phone": {
			`"type":"phone_number","phone_number":"+44","field":{"ref":"q","type":"phone_number"}`, "INPUT_PHONE_NUMBER",
			`"+44"`,
		},
		"scale": {`"type":"number","number":7,"field":{"ref":"q","type":"nps"}`, "LINEAR_SCALE", `"7"`},
		"legal": {`"type":"boolean","boolean":false,"field":{"ref":"q","type":"legal"}`, "CHECKBOX", `"false"`},
		"payment": {
			`"type":"payment","payment":{"amount":"10","last4":"4242","success":true},"field":{"ref":"q","type":"payment"}`,
			"PAYMENT", `"amount: 10, last4: 4242, success: true"`,
		},
		"long text":  {`"type":"text","text":"x","field":{"ref":"q","type":"long_text"}`, "TEXTAREA", `"x"`},
		"in a group": {`"type":"text","text":"x","field":{"id":"g1","ref":"q","type":"short_text"}`, "INPUT_TEXT", `"x"`},
	} {
		in, err := form.ReadTypeform([]byte(`{"event_type":"form_response","form_response":{"token":"1","definition":{"fields":[
			{"id":"g","title":"Group","type":"group","properties":{"fields":[{"id":"g1","title":"Inner"}]}}]},
			"variables":[{"key":"price","type":"number","number":5}],
			"answers":[{` + tc.answer + `}]}}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		answers := answersOf(t, in)
		if got, _ := json.Marshal(answers["q"].Value); string(got) != tc.want || answers["q"].Type != tc.kind ||
			answers["price"].Value != "5" {
			t.Errorf("%s: %s %+v, want %s", name, got, answers["q"], tc.want)
		}
		if name == "in a group" && answers["q"].Label != "Group: Inner" {
			t.Errorf("in a group it is called %q", answers["q"].Label)
		}
	}
}

func TestHooksOfFormsAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ tally, typeform, field string }{
		"bad JSON":    {`{`, `{`, "body"},
		"a list":      {`[]`, `[]`, "body"},
		"not UTF-8":   {"\"\xff\"", "\"\xff\"", "body"},
		"NUL":         {tallied(`"type":"X","value":"\u0000"`), `{"event_type":"\u0000"}`, "body"},
		"wrong type":  {`{"eventType":1}`, `{"event_type":1}`, ""},
		"wrong event": {`{"eventType":"OTHER"}`, `{"event_type":"other"}`, ""},
		"no id": {
			`{"eventType":"FORM_RESPONSE","data":{"fields":[{"key":"a"}]}}`,
			`{"event_type":"form_response","form_response":{}}`, "",
		},
		"no answers": {
			`{"eventType":"FORM_RESPONSE","data":{"responseId":"1"}}`,
			`{"event_type":"form_response","form_response":{"token":"1"}}`, "data",
		},
		"no key": {
			`{"eventType":"FORM_RESPONSE","data":{"responseId":"1","fields":[{}]}}`,
			`{"event_type":"form_response","form_response":{"token":"1","answers":[{}]}}`, "data.0.key",
		},
		"bad time": {
			`{"eventType":"FORM_RESPONSE","createdAt":"now","data":{"responseId":"1"}}`,
			`{"event_type":"form_response","form_response":{"token":"1","submitted_at":"now"}}`, "",
		},
	} {
		_, err := form.ReadTally([]byte(tc.tally))
		wantKind(t, name+", Tally", err, fault.InvalidBody, tc.field)
		_, err = form.ReadTypeform([]byte(tc.typeform))
		wantKind(t, name+", Typeform", err, fault.InvalidBody, tc.field)
	}
}

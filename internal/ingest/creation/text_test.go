package creation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dealflow/internal/email"
	"dealflow/internal/testkit"
)

func TestTextOfAnEmail(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	folded, body := "Thermoly -\r\n\tseed\u2028round", "Line one\n\nFrom: somebody else\n  indented"
	for name, tc := range map[string]struct {
		draft email.Draft
		want  string
	}{
		"whole": {
			email.Draft{
				FromEmail: "ada@x.example", FromName: "Ada \"A\"\nLindqvist", Subject: &folded, Content: body,
				Metadata: json.RawMessage(`{"date": "2026-03-02T10:00:00+01:00"}`),
			},
			"From: Ada \"A\" Lindqvist <ada@x.example>\nDate: Mon, 02 Mar 2026 10:00:00 +0100\nSubject: Thermoly - seed " +
				"round\n\n" + body,
		},
		"no name, no subject, an odd date": {
			email.Draft{FromEmail: "ada@x.example", Content: body, Metadata: json.RawMessage(`{"date": "last\nTuesday"}`)},
			"From: ada@x.example\nDate: last Tuesday\nSubject: \n\n" + body,
		},
		"a date that is none": {
			email.Draft{FromEmail: "ada@x.example", Content: body, Metadata: json.RawMessage(`{"date": 5}`)},
			"Subject: \n\n" + body,
		},
	} {
		id, ref := c.mail(t, tc.draft)
		c.do(t, ref)
		got := testkit.Texts(t, c.URL,
			"SELECT c.source_content FROM companies c JOIN email_companies l ON l.company_id = c.id WHERE l.email_id = $1", id)
		if len(got) != 1 || !strings.HasSuffix(got[0], tc.want) || strings.Count(got[0], "\nDate: ") != 1 ||
			strings.Contains(got[0], "Date: \n") {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
		testkit.Exec(t, c.URL, "DELETE FROM companies")
	}
}

func TestTextOfAForm(t *testing.T) {
	t.Parallel()
	c := newCreations(t)
	for answers, want := range map[string]string{
		`[{"key": "name", "label": "Company name:", "type": "INPUT_TEXT", "value": " Acme ` +
			`"}]`: "Company name: Acme",
		`[{"key": "name", "value": "Acme"}, {"key": "b", "label": "Why\nyou?", "value": ` +
			`"one\ntwo"}]`: "name: Acme\nWhy you?: one\ntwo",
		`[{"key": "n", "value": 900000000000000001}, {"key": "f", "value": 1.50}, {"key": "t", "value": true}, {"key": ` +
			`"no", "value": false}]`: "n: 900000000000000001\nf: 1.50\nt: yes\nno: no",
		`[{"key": "c", "label": "Stage", "value": ["i1", "i2"], "options": [{"id": "i1", "text": "Pre-seed"}, {"id": "i2",` +
			` "label": "Seed"}]}]`: "Stage: Pre-seed, Seed",
		`[{"key": "c", "label": "Stage", "value": "i1", "options": [{"id": "i1", "text": "Pre-seed"}, {"id": 5}, ` +
			`null]}]`: "Stage: Pre-seed",
		`[{"key": "c", "label": "Stage", "value": "Seed", "options": ` +
			`"none"}]`: "Stage: Seed",
		`[{"key": "s", "label": "Sectors", "type": "CHECKBOXES", "value": ["x"]}, {"key": "s_x", "label": "Sectors (x)", ` +
			`"type": "CHECKBOXES", "value": true}]`: "Sectors: x",
		`[{"key": "d", "label": "Deck", "value": [{"name": "a.pdf", "url": "https://a.example/a.pdf"}, {"url": ` +
			`"https://a.example/b"}]}]`: "Deck: https://a.example/a.pdf, https://a.example/b",
		`[{"key": "m", "label": "Rate", "value": {"r2": ["c1"], "r1": ["c2"]}, "options": [{"id": "r1", "text": "Team"}, ` +
			`{"id": "c2", "text": "good"}]}]`: "Rate: Team: good; r2: c1",
		`[{"key": "u", "label": "Skipped", "value": null}, {"key": "e", "value": []}, {"key": "x", "value": {}}, {"key": ` +
			`"a", "value": "Acme"}]`: "a: Acme",
	} {
		_, ref := c.submit(t, answers)
		c.do(t, ref)
		if got := testkit.Texts(t, c.URL, "SELECT source_content FROM companies"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", answers, got, want)
		}
		testkit.Exec(t, c.URL, "DELETE FROM companies")
	}
}

package httpapi_test

import (
	"net/http"
	"strconv"
	"testing"
)

// oddFounders are values of metadata.founders that are not what analyses write there. Metadata is free, so clients may
// write them.
func oddFounders() []string {
	return []string{`"x"`, `{}`, `5`, `null`, `true`, `[1]`, `["x"]`, `[null]`, `[[]]`, `[{"name":5}]`, `[{"email":{}}]`}
}

// oddMembers returns metadata in which the members that the service reads are not of the types that it writes.
func oddMembers() []string {
	odd := []string{
		`{"ai_analysis":{},"analyzed_at":7,"user_preferences":{"a":1},"pass_reason":[1]}`,
		`{"company_match":{"created":"true","company_id":"none"}}`,
	}
	for _, founders := range oddFounders() {
		odd = append(odd, `{"founders":`+founders+`}`)
	}
	return odd
}

func TestMetadataOfAnyTypeIsRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, a := s.signIn(s.withPassword()), s.agent(s.key)
	var last string
	for i, metadata := range oddMembers() {
		nth := strconv.Itoa(i)
		id := s.company(s.key, part{"name", "", "Acme " + nth}, part{"metadata", "", `{"n":` + nth + `}`})
		s.change(companies+"/"+id, s.key, `{"metadata":`+metadata+`}`).want(http.StatusOK)
		s.get(companies+"/"+id, s.key).want(http.StatusOK)
		for _, path := range []string{"/analysis", "/sources", "/attachments"} {
			if got := s.get(companies+"/"+id+path, s.key); got.Status >= http.StatusInternalServerError {
				t.Errorf("%s with %s: %d %s", path, metadata, got.Status, got.Raw)
			}
		}
		b.page(s.consoleBase()+"/companies/"+id, "Acme")
		if found, _ := a.ask("get_company", map[string]any{"company_id": id}); found.text("untrusted.name") == "" {
			t.Errorf("the tool reads %s of %s", found.Raw, metadata)
		}
		_, code := s.share(s.key, "full", nil, id)
		s.open(code).want(http.StatusOK)
		s.post(companies+"/"+id+"/analysis", s.key, nil).want(http.StatusOK)
		if last != "" {
			s.post(companies+"/"+last+"/merge", s.key, map[string]any{"into_company_id": id}).want(http.StatusOK)
			s.post(companies+"/"+last+"/unmerge", s.key, nil).want(http.StatusOK)
		}
		last = id
		s.change(companies+"/"+id, s.key, `{"name":"Acme again","metadata":`+metadata+`}`).want(http.StatusOK)
	}
	s.get(companies+"?search=Acme", s.key).want(http.StatusOK)
	b.page(s.consoleBase()+"/companies", "Acme")
	b.page(s.consoleBase()+"/board", "Acme")
	for _, format := range []string{"ndjson", "csv", "zip"} {
		s.get(s.accountPath("export?kind=companies&format="+format), s.key).want(http.StatusOK)
	}
}

// Metadata of submissions is free, too, and creations by import note in it which company was made.
func TestSourcesOfACompanyWithstandAnyMetadata(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"name", "", "Acme"})
	made := s.post(s.accountPath("form-submissions"), s.key, map[string]any{
		"data": []any{map[string]any{"key": "a", "label": "A", "type": "INPUT_TEXT", "value": "x"}},
	}).want(http.StatusCreated).text("data.submission.id")
	for _, match := range []string{
		`"x"`, `[]`, `5`, `{"created":true,"company_id":"none"}`, `{"created":"true","company_id":{}}`,
		`{"created":true,"company_id":7}`,
	} {
		s.change(s.accountPath("form-submissions/"+made), s.key,
			`{"company_id":"`+id+`","metadata":{"company_match":`+match+`}}`).want(http.StatusOK)
		if got := s.get(companies+"/"+id+"/sources", s.key); got.Status != http.StatusOK {
			t.Errorf("sources with %s: %d %s", match, got.Status, got.Raw)
		}
	}
}

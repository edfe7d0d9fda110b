package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

func TestASubmissionComesBackMemberForMember(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, data := range map[string]string{
		"the specification's": `[{"key":"q1","label":"Company","type":"INPUT_TEXT","value":"Acme"},{"key":"q2",` +
			`"label":"Site","type":"INPUT_LINK","value":"https://acme.example?a=1&b=<2>"},` +
			`{"key":"q3","label":"Stage","type":"MULTIPLE_CHOICE","value":"s1","options":[{"id":"s1","text":"Seed"},` +
			`{"id":"s2","text":"A"}]},` +
			`{"key":"q4","label":"Deck","type":"FILE_UPLOAD","value":[{"id":"f1","name":"deck.pdf",` +
			`"url":"https://files.example/f1","size":1234}]}]`,
		"key alone":   `[{"key":"k"}]`,
		"odd members": `[{"zz":1,"key":"k","value":1.50,"type":null,"":"e","a":{"b":[true,null]}},{"key":"k","value":1e-7}]`,
	} {
		made := s.post(s.accountPath("form-submissions"), s.key, `{"data":`+data+`}`).want(http.StatusCreated)
		read := s.get(s.accountPath("form-submissions/"+made.text("data.submission.id")), s.key).want(http.StatusOK)
		listed := s.get(s.accountPath("form-submissions?limit=1"), s.key).want(http.StatusOK)
		for _, got := range []reply{made, read, listed} {
			if !strings.Contains(string(got.Raw), `"data":`+data) {
				t.Errorf("%s: %s came back as %s", name, data, got.Raw)
			}
		}
		if made.at("data.submission.integration_type") != "manual" || made.at("data.submission.processed") != false ||
			made.at("data.submission.company_id") != nil {
			t.Errorf("%s: made %s", name, made.Raw)
		}
		shape := slices.Sorted(maps.Keys(read.keys("data.submission")))
		if want := []string{
			"account_id", "company_id", "created_at", "data", "id", "integration_type", "metadata", "processed", "updated_at",
		}; !slices.Equal(shape, want) {
			t.Errorf("a submission has %v", shape)
		}
	}
}

func TestSubmissionsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, _ := s.stranger()
	hidden := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private").String()
	_, member := s.colleague("Mia Member", "member")
	path, answers := s.accountPath("form-submissions"), []object{{"key": "k"}}
	for name, tc := range map[string]struct {
		path string
		body object
		want refusal
	}{
		"no data":          {path, object{}, refusal{400, "data"}},
		"null data":        {path, object{"data": nil}, refusal{400, "data"}},
		"no answers":       {path, object{"data": []object{}}, refusal{400, "data"}},
		"one answer":       {path, object{"data": object{"key": "k"}}, refusal{400, "data"}},
		"text":             {path, object{"data": "k"}, refusal{400, "data"}},
		"null answer":      {path, object{"data": []any{nil}}, refusal{400, "data.0"}},
		"no key":           {path, object{"data": []object{{"label": "L"}}}, refusal{400, "data.0.key"}},
		"text as options":  {path, object{"data": []object{{"key": "k", "options": "o"}}}, refusal{400, "data.0.options"}},
		"hidden company":   {path, object{"data": answers, "company_id": hidden}, refusal{400, "company_id"}},
		"text as metadata": {path, object{"data": answers, "metadata": "m"}, refusal{400, "metadata"}},
		"another's account": {
			"/api/v1/accounts/" + elsewhere.ID.String() + "/form-submissions", object{"data": answers}, refusal{403, ""},
		},
		"unknown account": {"/api/v1/accounts/" + missing() + "/form-submissions", object{"data": answers}, refusal{404, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.post(tc.path, member, tc.body)
			got.t = t
			tc.want.check(got, false)
		})
	}
	s.post(path, member, `{"data":[{"key":"a\u0000"}]}`).refused(400, "Invalid request body", "invalid_json", "data")
	if s.count("form_submissions") != 0 {
		t.Error("refused submissions were kept")
	}
}

func TestASubmissionIsChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team").String()
	made := s.post(s.accountPath("form-submissions"), s.key,
		object{"data": []object{{"key": "k"}}, "metadata": object{"a": "1", "b": "2"}}).want(http.StatusCreated)
	path := s.accountPath("form-submissions/" + made.text("data.submission.id"))
	want := made.at("data.submission").(object)
	for _, step := range []struct{ change, want object }{
		{object{"company_id": company}, object{"company_id": company}},
		{object{"processed": true, "data": "ignored"}, object{"processed": true}},
		{object{"metadata": object{"b": nil, "c": []any{}}}, object{"metadata": object{"a": "1", "b": nil, "c": []any{}}}},
		{object{"company_id": nil, "processed": false}, object{"company_id": nil, "processed": false}},
		{object{}, object{}},
	} {
		got := s.change(path, s.key, step.change).want(http.StatusOK)
		maps.Copy(want, step.want)
		if got.text("data.submission.updated_at") <= want["updated_at"].(string) {
			t.Errorf("%v: updated_at stayed", step.change)
		}
		want["updated_at"] = got.at("data.submission.updated_at")
		if !reflect.DeepEqual(got.at("data.submission"), want) {
			t.Errorf("%v: %s, want %v", step.change, got.Raw, want)
		}
	}
	hidden := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private").String()
	_, member := s.colleague("Mia Member", "member")
	for name, tc := range map[string]struct {
		body  object
		field string
	}{
		"null processed": {object{"processed": nil}, "processed"}, "number processed": {object{"processed": 1}, "processed"},
		"null metadata":     {object{"metadata": nil}, "metadata"},
		"hidden company":    {object{"company_id": hidden}, "company_id"},
		"number as company": {object{"company_id": 1}, "company_id"},
	} {
		got := s.change(path, member, tc.body)
		if got.Status != 400 {
			t.Errorf("%s: %s", name, got.Raw)
			continue
		}
		refusal{400, tc.field}.check(got, false)
	}
	refusal{status: 404}.check(s.change(s.accountPath("form-submissions/"+missing()), s.key, object{}), false)
}

func TestSubmissionsAreListedAndCounted(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team").String()
	path := s.accountPath("form-submissions")
	empty := s.get(path, s.key).want(http.StatusOK)
	if want := (object{
		"page": json.Number("1"), "limit": json.Number("25"), "total": json.Number("0"), "total_pages": json.Number("0"),
	}); !reflect.DeepEqual(empty.paged(), want) || len(empty.at("data.submissions").([]any)) != 0 {
		t.Errorf("an empty list is %s", empty.Raw)
	}
	ids := map[string]string{}
	for _, key := range []string{"a", "b", "c"} {
		ids[key] = s.post(path, s.key, object{"data": []object{{"key": key}}}).want(http.StatusCreated).
			text("data.submission.id")
	}
	s.change(path+"/"+ids["a"], s.key, object{"processed": true, "company_id": company}).want(http.StatusOK)
	for integration, key := range map[string]string{"integration_a": "b", "integration_b": "c"} {
		testkit.Exec(t, s.dbURL, "UPDATE form_submissions SET integration_type = $1 WHERE id = $2", integration, ids[key])
	}
	for query, tc := range map[string]struct {
		keys                     string
		page, limit, total, last json.Number
	}{
		"":                                {"cba", "1", "25", "3", "1"},
		"?limit=2":                        {"cb", "1", "2", "3", "2"},
		"?limit=2&page=2":                 {"a", "2", "2", "3", "2"},
		"?limit=2&page=3":                 {"", "3", "2", "3", "2"},
		"?limit=3":                        {"cba", "1", "3", "3", "1"},
		"?sort_order=asc":                 {"abc", "1", "25", "3", "1"},
		"?sort_by=updated_at":             {"acb", "1", "25", "3", "1"},
		"?processed=true":                 {"a", "1", "25", "1", "1"},
		"?processed=false":                {"cb", "1", "25", "2", "1"},
		"?company_id=" + company:          {"a", "1", "25", "1", "1"},
		"?integration_type=manual":        {"a", "1", "25", "1", "1"},
		"?integration_type=tally":         {"b", "1", "25", "1", "1"},
		"?integration_type=integration_a": {"b", "1", "25", "1", "1"},
		"?integration_type=typeform":      {"c", "1", "25", "1", "1"},
		"?integration_type=integration_b": {"c", "1", "25", "1", "1"},
	} {
		got := s.get(path+query, s.key).want(http.StatusOK)
		keys := ""
		for i := range got.at("data.submissions").([]any) {
			keys += got.text("data.submissions." + string(rune('0'+i)) + ".data.0.key")
		}
		want := object{"page": tc.page, "limit": tc.limit, "total": tc.total, "total_pages": tc.last}
		if keys != tc.keys || !reflect.DeepEqual(got.paged(), want) {
			t.Errorf("%q lists %s with %v, want %s with %v", query, keys, got.at("data.pagination"), tc.keys, want)
		}
	}
}

package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestFieldsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, member := s.colleague("Mia Member", "member")
	path := s.accountPath("company-settings")
	if empty, ok := s.get(path, member).want(http.StatusOK).at("data.fields").([]any); !ok || len(empty) != 0 {
		t.Errorf("at first there are %v", empty)
	}
	sector := s.post(path, s.key,
		`{"name":" Sector ","field_type":"select","options":[" Climate","Health"],"required":true}`).want(http.StatusCreated)
	s.post(path, s.key, `{"name":"Ticket","field_type":"number","options":[]}`).want(http.StatusCreated)
	shape := slices.Sorted(maps.Keys(sector.keys("data.field")))
	if !slices.Equal(shape, []string{"field_type", "id", "name", "options", "order", "required"}) ||
		sector.text("data.field.name") != "Sector" || sector.text("data.field.options.0") != "Climate" {
		t.Errorf("made %s", sector.Raw)
	}
	one := path + "/" + sector.text("data.field.id")
	changed := s.change(one, s.key,
		`{"name":"Sectors","field_type":"multi_select","options":["A","B","C"],"required":false,"order":9}`).want(
		http.StatusOK,
	)
	if changed.text("data.field.options.2") != "C" || changed.at("data.field.required") != false ||
		changed.text("data.field.field_type") != "multi_select" {
		t.Errorf("changed %s", changed.Raw)
	}
	s.change(one, s.key, `{}`).want(http.StatusOK)
	listed := s.get(path, member).want(http.StatusOK)
	if listed.text("data.fields.0.name") != "Ticket" || listed.text("data.fields.1.name") != "Sectors" ||
		listed.at("data.fields.2") != nil {
		t.Errorf("listed %s", listed.Raw)
	}
	if options, ok := listed.at("data.fields.0.options").([]any); !ok || len(options) != 0 {
		t.Errorf("listed %s", listed.Raw)
	}
	if gone := s.erase(one, s.key).want(http.StatusOK); gone.text("data.message") == "" {
		t.Errorf("deleted with %s", gone.Raw)
	}
	s.erase(one, s.key).want(http.StatusNotFound)
}

func TestFieldsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, member := s.colleague("Mia Member", "member")
	elsewhere, stranger := s.stranger()
	path, foreign := s.accountPath("company-settings"), "/api/v1/accounts/"+elsewhere.ID.String()+"/company-settings"
	id := s.post(path, s.key, `{"name":"Sector","field_type":"select","options":["a"]}`).want(http.StatusCreated).
		text("data.field.id")
	s.post(path, s.key, `{"name":"Other","field_type":"text"}`).want(http.StatusCreated)
	good := `{"name":"x","field_type":"text"}`
	for name, tc := range map[string]struct {
		method, path, key, body string
		status                  int
		code, field             string
	}{
		"nothing": {"POST", path, s.key, `{}`, 400, "invalid_field", "field_type"},
		"unknown type": {
			"POST", path, s.key, `{"name":"x","field_type":"Text"}`, 400, "invalid_field", "field_type",
		},
		"options of numbers": {
			"POST", path, s.key, `{"name":"x","field_type":"select","options":[1]}`, 400, "invalid_field", "options",
		},
		"options with null": {
			"POST", path, s.key, `{"name":"x","field_type":"select","options":[null]}`, 400, "invalid_field", "options",
		},
		"options as a text": {
			"POST", path, s.key, `{"name":"x","field_type":"select","options":"a"}`, 400, "invalid_field", "options",
		},
		"select without": {
			"POST", path, s.key, `{"name":"x","field_type":"select"}`, 400, "invalid_field", "options",
		},
		"text with": {
			"POST", path, s.key, `{"name":"x","field_type":"text","options":["a"]}`, 400, "invalid_field", "options",
		},
		"the same twice": {
			"POST", path, s.key, `{"name":"x","field_type":"select","options":["a","a"]}`, 400, "invalid_field", "options",
		},
		"required as a text": {
			"POST", path, s.key, `{"name":"x","field_type":"text","required":"yes"}`, 400, "invalid_field", "required",
		},
		"taken":              {"POST", path, s.key, `{"name":"SECTOR","field_type":"text"}`, 409, "name_taken", "name"},
		"by a member":        {"POST", path, member, good, 403, "access_denied", ""},
		"in another account": {"POST", foreign, s.key, good, 403, "access_denied", ""},
		"in no account": {
			"POST", "/api/v1/accounts/" + missing() + "/company-settings", s.key, good, 404, "not_found", "",
		},
		"fields before all":      {"POST", foreign, s.key, `{"name":" ","field_type":"text"}`, 400, "invalid_field", "name"},
		"change to null":         {"PATCH", path + "/" + id, s.key, `{"options":null}`, 400, "invalid_field", "options"},
		"change to half":         {"PATCH", path + "/" + id, s.key, `{"order":1.5}`, 400, "invalid_field", "order"},
		"change to no options":   {"PATCH", path + "/" + id, s.key, `{"options":[]}`, 400, "invalid_field", "options"},
		"change to a taken name": {"PATCH", path + "/" + id, s.key, `{"name":"other"}`, 409, "name_taken", "name"},
		"change by a member":     {"PATCH", path + "/" + id, member, `{}`, 403, "access_denied", ""},
		"change elsewhere":       {"PATCH", foreign + "/" + id, stranger, `{}`, 404, "not_found", ""},
		"change nothing":         {"PATCH", path + "/" + missing(), s.key, `{}`, 404, "not_found", ""},
		"change malformed":       {"PATCH", path + "/42", s.key, `{}`, 404, "not_found", ""},
		"delete by a member":     {"DELETE", path + "/" + id, member, "", 403, "access_denied", ""},
		"delete by a stranger":   {"DELETE", path + "/" + id, stranger, "", 403, "access_denied", ""},
		"delete elsewhere":       {"DELETE", foreign + "/" + id, stranger, "", 404, "not_found", ""},
		"list of a stranger":     {"GET", path, stranger, "", 403, "access_denied", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := request{Method: tc.method, Path: tc.path, Key: tc.key}
			if tc.body != "" {
				r.Body = tc.body
			}
			messages := map[int]string{
				400: "Invalid request body", 403: "Access denied to this resource", 404: "Resource not found", 409: "Conflict",
			}
			got := s.send(r)
			got.t = t
			got.refused(tc.status, messages[tc.status], tc.code, tc.field)
		})
	}
	if n := s.count("field_settings"); n != 2 {
		t.Errorf("%d fields are stored after refusals", n)
	}
}

func TestAStatusIsChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.get(s.statusesPath(), s.key).text("data.1.id")
	one := s.statusesPath() + "/" + id
	changed := s.change(one, s.key,
		`{"name":" Sifting ","color":"#abCDef","description":"x","rank":99,"is_default":true}`).want(http.StatusOK)
	shape := slices.Sorted(maps.Keys(changed.keys("data")))
	if !slices.Equal(shape, []string{"color", "id", "rank", "status_text"}) ||
		changed.text("data.status_text") != "Sifting" {
		t.Errorf("changed to %s", changed.Raw)
	}
	listed := s.get(s.statusesPath(), s.key)
	if listed.text("data.6.name") != "Sifting" || listed.text("data.6.description") != "x" ||
		listed.at("data.6.is_default") != true || listed.at("data.0.is_default") != false {
		t.Errorf("listed %s", listed.Raw)
	}
	s.change(one, s.key, `{"description":null}`).want(http.StatusOK)
	if listed = s.get(s.statusesPath(), s.key); listed.at("data.6.description") != nil ||
		listed.text("data.6.name") != "Sifting" {
		t.Errorf("cleared to %s", listed.Raw)
	}
	for _, field := range []string{"name", "color", "rank", "is_default"} {
		s.change(one, s.key, `{"`+field+`":null}`).refused(http.StatusBadRequest, "Invalid request body", "invalid_field",
			field)
		s.change(one, s.key, `{"`+field+`":[]}`).refused(http.StatusBadRequest, "Invalid request body", "invalid_field",
			field)
	}
	_, member := s.colleague("Mia Member", "member")
	s.change(one, member, `{}`).refused(http.StatusForbidden, "Access denied to this resource", "access_denied", "")
	s.change(s.statusesPath()+"/"+missing(), s.key, `{}`).refused(http.StatusNotFound, "Resource not found", "not_found",
		"")
}

func TestAUsedStatusIsDeletedOnceItsCompaniesMove(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, member := s.colleague("Mia Member", "member")
	listed := s.get(s.statusesPath(), s.key)
	used, other := listed.text("data.2.id"), listed.text("data.3.id")
	company := s.company(member, part{Name: "company_status_id", Value: used}, part{Name: "visibility", Value: "private"})
	one := s.statusesPath() + "/" + used
	s.erase(one, s.key).refused(http.StatusConflict, "Conflict", "status_in_use", "move_to")
	for name, to := range map[string]string{"itself": used, "nothing": missing(), "malformed": "42", "empty": ""} {
		got := s.erase(one+"?move_to="+to, s.key)
		got.refused(http.StatusBadRequest, "Invalid request parameters", "invalid_parameter", "move_to")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	s.erase(one+"?move_to="+other, member).refused(http.StatusForbidden, "Access denied to this resource",
		"access_denied", "")
	if gone := s.erase(one+"?move_to="+other, s.key).want(http.StatusOK); gone.text("data.message") == "" {
		t.Errorf("deleted with %s", gone.Raw)
	}
	if moved := s.get("/api/v1/companies/"+company, member); moved.text("data.company.company_status_id") != other {
		t.Errorf("the company is %s", moved.Raw)
	}
	if left := s.get(s.statusesPath(), s.key); strings.Contains(string(left.Raw), used) {
		t.Errorf("left are %s", left.Raw)
	}
	s.erase(one, s.key).want(http.StatusNotFound)
}

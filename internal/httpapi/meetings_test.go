package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"dealflow/internal/testkit"
)

// object is a JSON object as a test writes or expects it.
type object = map[string]any

// refusal is what a request that is refused gets: its status and, for 400, the field.
type refusal struct {
	status int
	field  string
}

// check fails the test unless the answer is this refusal, in the words of the specification.
func (want refusal) check(got reply, badQuery bool) {
	got.t.Helper()
	switch want.status {
	case http.StatusBadRequest:
		if badQuery {
			got.refused(want.status, "Invalid request parameters", "invalid_parameter", want.field)
			return
		}
		got.refused(want.status, "Invalid request body", "invalid_field", want.field)
	case http.StatusForbidden:
		got.refused(want.status, "Access denied to this resource", "access_denied", "")
	default:
		got.refused(want.status, "Resource not found", "not_found", "")
	}
}

func TestMinutesAreWritten(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team").String()
	tests := map[string]struct{ sent, want object }{
		"all": {
			object{
				"title": " Partner meeting ", "content": "# Notes <b>", "company_id": company,
				"meeting_date": "2026-03-02T12:00:00.1234567+02:00",
				"attendees":    []string{"Ada", "Grace"}, "metadata": object{"a": nil, "b": []any{"<&>"}}, "processed": true,
				"unknown": 1,
			},
			object{
				"title": "Partner meeting", "content": "# Notes <b>", "company_id": company,
				"meeting_date": "2026-03-02T10:00:00.123456Z",
				"attendees":    []any{"Ada", "Grace"}, "metadata": object{"a": nil, "b": []any{"<&>"}},
			},
		},
		"title alone": {object{"title": "T"}, object{"title": "T"}},
		"the zero time of Go": {
			object{"title": "T", "meeting_date": "0001-01-01T00:00:00Z"},
			object{"title": "T", "meeting_date": "0001-01-01T00:00:00.000000Z"},
		},
		"nulls": {
			object{"title": "T", "content": nil, "company_id": nil, "meeting_date": nil, "attendees": nil, "metadata": nil},
			object{"title": "T"},
		},
		"empty": {
			object{"title": "T", "content": "", "attendees": []string{}, "metadata": object{}},
			object{"title": "T", "content": ""},
		},
	}
	for name, tc := range tests {
		made := s.post(s.accountPath("meeting-minutes"), s.key, tc.sent).want(http.StatusCreated)
		want := object{
			"account_id": s.account.ID.String(), "content": nil, "company_id": nil, "meeting_date": nil, "attendees": []any{},
			"processed": false, "metadata": object{},
			"id": made.at("data.meeting_minutes.id"), "created_at": made.at("data.meeting_minutes.created_at"),
			"updated_at": made.at("data.meeting_minutes.updated_at"),
		}
		maps.Copy(want, tc.want)
		read := s.get(s.accountPath("meeting-minutes/"+made.text("data.meeting_minutes.id")), s.key).want(http.StatusOK)
		for which, got := range map[string]any{
			"made": made.at("data.meeting_minutes"), "read": read.at("data.meeting_minutes"),
		} {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s\n%v, want\n%v", name, which, got, want)
			}
		}
	}
}

func TestMinutesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, _ := s.stranger()
	hidden := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private").String()
	_, member := s.colleague("Mia Member", "member")
	path := s.accountPath("meeting-minutes")
	for name, tc := range map[string]struct {
		path string
		body any
		want refusal
	}{
		"no title":         {path, object{}, refusal{400, "title"}},
		"null title":       {path, object{"title": nil}, refusal{400, "title"}},
		"blank title":      {path, object{"title": " \t"}, refusal{400, "title"}},
		"long title":       {path, object{"title": strings.Repeat("é", 256)}, refusal{400, "title"}},
		"number as title":  {path, object{"title": 1}, refusal{400, "title"}},
		"array as content": {path, object{"title": "T", "content": []int{}}, refusal{400, "content"}},
		"no company's id":  {path, object{"title": "T", "company_id": "x"}, refusal{400, "company_id"}},
		"unknown company":  {path, object{"title": "T", "company_id": missing()}, refusal{400, "company_id"}},
		"hidden company":   {path, object{"title": "T", "company_id": hidden}, refusal{400, "company_id"}},
		"a day":            {path, object{"title": "T", "meeting_date": "2026-03-02"}, refusal{400, "meeting_date"}},
		"no offset": {
			path, object{"title": "T", "meeting_date": "2026-03-02T10:00:00"}, refusal{400, "meeting_date"},
		},
		"no such day": {
			path, object{"title": "T", "meeting_date": "2026-02-30T10:00:00Z"}, refusal{400, "meeting_date"},
		},
		"a late year": {
			path, object{"title": "T", "meeting_date": "9999-12-31T23:59:59-01:00"}, refusal{400, "meeting_date"},
		},
		"an early year": {
			path, object{"title": "T", "meeting_date": "0000-12-31T23:59:59Z"}, refusal{400, "meeting_date"},
		},
		"number as date":    {path, object{"title": "T", "meeting_date": 1772445600}, refusal{400, "meeting_date"}},
		"text as attendees": {path, object{"title": "T", "attendees": "Ada"}, refusal{400, "attendees"}},
		"null as attendee":  {path, object{"title": "T", "attendees": []any{nil}}, refusal{400, "attendees"}},
		"long attendee": {
			path, object{"title": "T", "attendees": []string{strings.Repeat("é", 256)}}, refusal{400, "attendees.0"},
		},
		"array as metadata": {path, object{"title": "T", "metadata": []int{}}, refusal{400, "metadata"}},
		"all at once":       {path, object{"content": 1, "attendees": 1}, refusal{400, "attendees"}},
		"unknown account":   {"/api/v1/accounts/" + missing() + "/meeting-minutes", object{"title": "T"}, refusal{404, ""}},
		"another's account": {
			"/api/v1/accounts/" + elsewhere.ID.String() + "/meeting-minutes", object{"title": "T"}, refusal{403, ""},
		},
		"no account's id":   {"/api/v1/accounts/42/meeting-minutes", object{"title": "T"}, refusal{404, ""}},
		"fields come first": {"/api/v1/accounts/42/meeting-minutes", object{}, refusal{400, "title"}},
		"numbers that burst": {
			path,
			object{"title": "T", "metadata": object{"a": json.RawMessage("[" + strings.Repeat("1e308,", 9000) + "1]")}},
			refusal{400, "metadata"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.post(tc.path, member, tc.body)
			got.t = t
			tc.want.check(got, false)
		})
	}
	if s.count("meeting_minutes") != 0 {
		t.Error("refused minutes were kept")
	}
}

func TestMinutesAreChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team").String()
	full := object{
		"title": "Old", "content": "text", "company_id": company, "meeting_date": "2026-03-02T10:00:00Z",
		"attendees": []string{"Ada"}, "metadata": object{"a": "1", "b": object{"c": "1"}},
	}
	for name, tc := range map[string]struct {
		change object
		want   object
	}{
		"nothing":   {object{}, object{}},
		"title":     {object{"title": " New "}, object{"title": "New"}},
		"processed": {object{"processed": true}, object{"processed": true}},
		"cleared": {
			object{"content": nil, "company_id": nil, "meeting_date": nil},
			object{"content": nil, "company_id": nil, "meeting_date": nil},
		},
		"no attendees": {object{"attendees": []string{}}, object{"attendees": []any{}}},
		"metadata": {
			object{"metadata": object{"b": nil, "d": "2"}}, object{"metadata": object{"a": "1", "b": nil, "d": "2"}},
		},
	} {
		made := s.post(s.accountPath("meeting-minutes"), s.key, full).want(http.StatusCreated)
		path := s.accountPath("meeting-minutes/" + made.text("data.meeting_minutes.id"))
		changed := s.change(path, s.key, tc.change).want(http.StatusOK)
		if changed.text("data.meeting_minutes.updated_at") <= made.text("data.meeting_minutes.updated_at") {
			t.Errorf("%s: updated_at stayed", name)
		}
		want := made.at("data.meeting_minutes").(object)
		want["updated_at"] = changed.at("data.meeting_minutes.updated_at")
		maps.Copy(want, tc.want)
		read := s.get(path, s.key).want(http.StatusOK)
		for _, got := range []reply{changed, read} {
			if !reflect.DeepEqual(got.at("data.meeting_minutes"), want) {
				t.Errorf("%s: %s, want %v", name, got.Raw, want)
			}
		}
	}
}

func TestChangesOfMinutesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	hidden := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private").String()
	made := s.post(s.accountPath("meeting-minutes"), s.key, object{"title": "T"}).want(http.StatusCreated)
	_, member := s.colleague("Mia Member", "member")
	path := s.accountPath("meeting-minutes/" + made.text("data.meeting_minutes.id"))
	for name, tc := range map[string]struct {
		path string
		body object
		want refusal
	}{
		"null title":      {path, object{"title": nil}, refusal{400, "title"}},
		"blank title":     {path, object{"title": ""}, refusal{400, "title"}},
		"null processed":  {path, object{"processed": nil}, refusal{400, "processed"}},
		"text processed":  {path, object{"processed": "true"}, refusal{400, "processed"}},
		"null metadata":   {path, object{"metadata": nil}, refusal{400, "metadata"}},
		"null attendees":  {path, object{"attendees": nil}, refusal{400, "attendees"}},
		"hidden company":  {path, object{"company_id": hidden}, refusal{400, "company_id"}},
		"no company's id": {path, object{"company_id": ""}, refusal{400, "company_id"}},
		"unknown":         {s.accountPath("meeting-minutes/" + missing()), object{}, refusal{404, ""}},
		"malformed":       {s.accountPath("meeting-minutes/42"), object{}, refusal{404, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.change(tc.path, member, tc.body)
			got.t = t
			tc.want.check(got, false)
		})
	}
	if now := s.get(path, s.key); !reflect.DeepEqual(now.at("data"), made.at("data")) {
		t.Errorf("a refused change changed %s", now.Raw)
	}
}

func TestMinutesAreDeleted(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := s.accountPath("meeting-minutes/" +
		s.post(s.accountPath("meeting-minutes"), s.key, object{"title": "T"}).text("data.meeting_minutes.id"))
	if got := s.erase(path, s.key).want(http.StatusOK); got.at("data.message") != "Meeting minutes deleted" {
		t.Errorf("deleted with %s", got.Raw)
	}
	refusal{status: 404}.check(s.get(path, s.key), false)
	refusal{status: 404}.check(s.erase(path, s.key), false)
}

// Who may read, change and delete which records.
func TestWhoSeesWhichRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, stranger := s.stranger()
	_, member := s.colleague("Mia Member", "member")
	private := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "private").String()
	ids := map[string]string{}
	for kind, body := range map[string]object{
		"meeting-minutes": {"title": "T"}, "form-submissions": {"data": []object{{"key": "k"}}},
	} {
		for which, company := range map[string]any{"open": nil, "hidden": private} {
			body["company_id"] = company
			member := map[string]string{"meeting-minutes": "meeting_minutes", "form-submissions": "submission"}[kind]
			ids[kind+" "+which] = s.post(s.accountPath(kind), s.key, body).want(http.StatusCreated).
				text("data." + member + ".id")
		}
	}
	for which, id := range ids {
		kind, visibility, _ := strings.Cut(which, " ")
		path := s.accountPath(kind + "/" + id)
		for name, caller := range map[string]struct {
			key  string
			want int
		}{"owner": {s.key, 200}, "member": {member, map[string]int{"open": 200, "hidden": 404}[visibility]}, "stranger": {
			stranger, 403,
		}, "nobody": {"", 401}} {
			read, changed := s.get(path, caller.key), s.change(path, caller.key, object{"processed": true})
			if read.Status != caller.want || changed.Status != caller.want {
				t.Errorf("%s %s: read %d, changed %d, want %d", name, which, read.Status, changed.Status, caller.want)
			}
			listed := s.get(s.accountPath(kind), caller.key)
			if sees := strings.Contains(string(listed.Raw), id); sees != (caller.want == 200) {
				t.Errorf("%s %s: in the list %v", name, which, sees)
			}
		}
	}
}

func TestMinutesAreListed(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := testkit.Company(t, s.db, s.account.ID, s.owner.ID, "team").String()
	path := s.accountPath("meeting-minutes")
	for i, title := range []string{"a", "b", "c"} {
		body := object{"title": title}
		if i > 0 {
			body["company_id"] = company
		}
		made := s.post(path, s.key, body).want(http.StatusCreated)
		if i == 2 {
			s.change(path+"/"+made.text("data.meeting_minutes.id"), s.key, object{"processed": true}).want(http.StatusOK)
		}
	}
	for query, tc := range map[string]struct {
		titles           string
		page, limit      json.Number
		hasNext, hasPrev bool
	}{
		"":                              {"cba", "1", "25", false, false},
		"?limit=2":                      {"cb", "1", "2", true, false},
		"?limit=2&page=2":               {"a", "2", "2", false, true},
		"?company_id=" + company:        {"cb", "1", "25", false, false},
		"?company_id=" + missing():      {"", "1", "25", false, false},
		"?processed=true":               {"c", "1", "25", false, false},
		"?processed=false&unknown=true": {"ba", "1", "25", false, false},
	} {
		got := s.get(path+query, s.key).want(http.StatusOK)
		titles := ""
		for _, m := range got.at("data.meeting_minutes").([]any) {
			titles += m.(object)["title"].(string)
		}
		want := object{"page": tc.page, "limit": tc.limit, "has_next": tc.hasNext, "has_prev": tc.hasPrev}
		if titles != tc.titles || !reflect.DeepEqual(got.paged(), want) {
			t.Errorf("%q lists %s with %v, want %s with %v", query, titles, got.at("data.pagination"), tc.titles, want)
		}
	}
}

// The parameters that the lists of records share, and those of each.
func TestListsOfRecordsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, _ := s.stranger()
	for kind, queries := range map[string]map[string]string{
		"meeting-minutes": {},
		"form-submissions": {
			"integration_type=manuel": "integration_type", "integration_type=": "integration_type",
			"integration_type=integration_c": "integration_type",
		},
		"emails": {
			"search=": "search", "search=" + strings.Repeat("%C3%A9", 501): "search", "search=a%00": "search",
			"search=%FF": "search", "search=a&search=b": "search",
			"from_email=": "from_email", "from_email=" + strings.Repeat("a", 321): "from_email", "from_email=a%00": "from_email",
			"tag=": "tag", "tag=" + strings.Repeat("a", 101): "tag", "tag=%00": "tag",
		},
	} {
		all := map[string]string{
			"page=0": "page", "limit=101": "limit", "limit=x": "limit", "company_id=42": "company_id",
			"company_id=": "company_id", "processed=1": "processed", "processed=": "processed",
			"processed=true&processed=true": "processed",
		}
		if kind != "meeting-minutes" {
			all["sort_by=name"], all["sort_by="], all["sort_order=down"], all["sort_order=ASC"] = "sort_by", "sort_by",
				"sort_order", "sort_order"
		}
		maps.Copy(all, queries)
		for query, field := range all {
			refusal{400, field}.check(s.get(s.accountPath(kind+"?"+query), s.key), true)
			refusal{400, field}.check(s.get("/api/v1/accounts/"+missing()+"/"+kind+"?"+query, s.key), true)
		}
		refusal{status: 404}.check(s.get("/api/v1/accounts/"+missing()+"/"+kind, s.key), true)
		refusal{status: 403}.check(s.get("/api/v1/accounts/"+elsewhere.ID.String()+"/"+kind, s.key), true)
	}
}

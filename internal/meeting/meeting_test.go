package meeting_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/meeting"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

type setup struct {
	*testkit.Team

	service *meeting.Service
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	team := testkit.NewTeam(t)
	return &setup{Team: team, service: meeting.New(team.DB)}
}

// write makes minutes as the owner.
func (s *setup) write(t *testing.T, d meeting.Draft) meeting.Minutes {
	t.Helper()
	if d.Title == "" {
		d.Title = "Partner meeting"
	}
	made, err := s.service.Create(t.Context(), s.Owner, s.ID, d)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return made
}

func wantKind(t *testing.T, what string, err error, want fault.Kind, field string) {
	t.Helper()
	if !fault.Is(err, want) || field != "" && !strings.Contains(err.Error(), "; "+field+": ") {
		t.Errorf("%s: error %v, want kind %d about %q", what, err, want, field)
	}
}

func TestMinutesComeBackAsWritten(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	content, date := "# Notes\n\n* 日本語 <b>", time.Date(2026, 3, 2, 10, 0, 0, 123456000, time.UTC)
	made := s.write(t, meeting.Draft{
		Title: " Weekly ", Content: &content, CompanyID: &company, MeetingDate: &date,
		Attendees: []string{"Ada", "Ada", `"{,}"`, ""},
		Metadata:  json.RawMessage(`{"a": 1.50}`),
	})
	read, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if read.Title != "Weekly" || *read.Content != content || *read.CompanyID != company || !read.MeetingDate.Equal(date) ||
		!slices.Equal(read.Attendees, []string{"Ada", "Ada", `"{,}"`, ""}) || read.Processed ||
		string(read.Metadata) != `{"a": 1.50}` ||
		read.CreatedBy != s.Owner || read.CreatedAt.IsZero() || !read.CreatedAt.Equal(read.UpdatedAt) {
		t.Errorf("read %+v", read)
	}
	bare := s.write(t, meeting.Draft{})
	if bare.Content != nil || bare.CompanyID != nil || bare.MeetingDate != nil || bare.Attendees == nil ||
		len(bare.Attendees) > 0 || string(bare.Metadata) != "{}" {
		t.Errorf("bare minutes are %+v", bare)
	}
	if made, bare := testkit.Count(t, s.URL, "activity WHERE type = 'meeting_added' AND company_id IS NOT NULL"),
		testkit.Count(t, s.URL, "activity WHERE type = 'meeting_added'"); made != 1 || bare != 2 {
		t.Errorf("%d of %d activities are about the company", made, bare)
	}
}

func TestCreateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	theirs := testkit.Company(t, s.DB, s.Rival, s.Stranger, "team")
	unknown := uuid.New()
	tests := map[string]struct {
		user, account uuid.UUID
		draft         meeting.Draft
		want          fault.Kind
		field         string
	}{
		"no title":    {s.Member, s.ID, meeting.Draft{}, fault.InvalidBody, "title"},
		"blank title": {s.Member, s.ID, meeting.Draft{Title: " \t\u00a0"}, fault.InvalidBody, "title"},
		"long title":  {s.Member, s.ID, meeting.Draft{Title: strings.Repeat("é", 256)}, fault.InvalidBody, "title"},
		"long attendee": {
			s.Member, s.ID,
			meeting.Draft{Title: "T", Attendees: []string{"a", strings.Repeat("é", 256)}},
			fault.InvalidBody,
			"attendees.1",
		},
		"too many attendees": {
			s.Member, s.ID, meeting.Draft{Title: "T", Attendees: make([]string, 1001)}, fault.InvalidBody, "attendees",
		},
		"unknown company": {
			s.Member, s.ID, meeting.Draft{Title: "T", CompanyID: &unknown}, fault.InvalidBody, "company_id",
		},
		"hidden company":    {s.Member, s.ID, meeting.Draft{Title: "T", CompanyID: &hidden}, fault.InvalidBody, "company_id"},
		"another's company": {s.Member, s.ID, meeting.Draft{Title: "T", CompanyID: &theirs}, fault.InvalidBody, "company_id"},
		"stranger":          {s.Stranger, s.ID, meeting.Draft{Title: "T"}, fault.Forbidden, ""},
		"unknown account":   {s.Member, unknown, meeting.Draft{Title: "T"}, fault.NotFound, ""},
	}
	for name, tc := range tests {
		_, err := s.service.Create(t.Context(), tc.user, tc.account, tc.draft)
		wantKind(t, name, err, tc.want, tc.field)
	}
	if left := testkit.Count(t, s.URL, "meeting_minutes"); left != 0 {
		t.Errorf("refused minutes were kept: %d", left)
	}
	if _, err := s.service.Create(t.Context(), s.Member, s.ID,
		meeting.Draft{
			Title: strings.Repeat("é", 255), Attendees: slices.Repeat([]string{strings.Repeat("é", 255)}, 1000),
		}); err != nil {
		t.Errorf("at the limits: %v", err)
	}
}

func TestUpdateChangesWhatWasSent(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	content, date, title, yes := "text", time.Now(), "New title", true
	full := meeting.Draft{
		Title: "Old", Content: &content, CompanyID: &company, MeetingDate: &date, Attendees: []string{"Ada"},
		Metadata: json.RawMessage(`{"a": 1, "b": {"c": 1}}`),
	}
	later := date.Add(time.Hour).Truncate(time.Microsecond)
	tests := map[string]struct {
		changes meeting.Changes
		want    func(m *meeting.Minutes)
	}{
		"nothing":   {meeting.Changes{}, func(*meeting.Minutes) {}},
		"title":     {meeting.Changes{Title: &title}, func(m *meeting.Minutes) { m.Title = title }},
		"processed": {meeting.Changes{Processed: &yes}, func(m *meeting.Minutes) { m.Processed = true }},
		"date": {
			meeting.Changes{MeetingDate: patch.Nullable[time.Time]{Set: true, Value: &later}}, func(m *meeting.Minutes) {
				m.MeetingDate = &later
			},
		},
		"attendees": {
			meeting.Changes{Attendees: &[]string{"Bob", "Eve"}}, func(m *meeting.Minutes) {
				m.Attendees = []string{"Bob", "Eve"}
			},
		},
		"metadata": {
			meeting.Changes{Metadata: json.RawMessage(`{"b": null, "d": []}`)}, func(m *meeting.Minutes) {
				m.Metadata = json.RawMessage(`{"a": 1, "b": null, "d": []}`)
			},
		},
		"cleared": {meeting.Changes{
			Content: patch.Nullable[string]{Set: true}, CompanyID: patch.Nullable[uuid.UUID]{Set: true},
			MeetingDate: patch.Nullable[time.Time]{Set: true}, Attendees: &[]string{},
		}, func(m *meeting.Minutes) { m.Content, m.CompanyID, m.MeetingDate, m.Attendees = nil, nil, nil, nil }},
	}
	for name, tc := range tests {
		before := s.write(t, full)
		after, err := s.service.Update(t.Context(), s.Member, s.ID, before.ID, tc.changes)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !after.UpdatedAt.After(before.UpdatedAt) {
			t.Errorf("%s: updated_at stayed at %v", name, after.UpdatedAt)
		}
		tc.want(&before)
		before.UpdatedAt = after.UpdatedAt
		if got, want := asText(t, after), asText(t, before); got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
}

// asText makes minutes comparable: times as instants, no attendees as none.
func asText(t *testing.T, m meeting.Minutes) string {
	t.Helper()
	for _, at := range []*time.Time{m.MeetingDate, &m.CreatedAt, &m.UpdatedAt} {
		if at != nil {
			*at = at.UTC()
		}
	}
	if len(m.Attendees) == 0 {
		m.Attendees = nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUpdateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	made := s.write(t, meeting.Draft{})
	hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	blank := " "
	tests := map[string]struct {
		user, account, id uuid.UUID
		changes           meeting.Changes
		want              fault.Kind
		field             string
	}{
		"blank title": {s.Member, s.ID, made.ID, meeting.Changes{Title: &blank}, fault.InvalidBody, "title"},
		"long attendee": {
			s.Member, s.ID, made.ID,
			meeting.Changes{Attendees: &[]string{strings.Repeat("a", 256)}},
			fault.InvalidBody,
			"attendees.0",
		},
		"hidden company": {
			s.Member, s.ID, made.ID,
			meeting.Changes{CompanyID: patch.Nullable[uuid.UUID]{Set: true, Value: &hidden}},
			fault.InvalidBody, "company_id",
		},
		"unknown":         {s.Member, s.ID, uuid.New(), meeting.Changes{}, fault.NotFound, ""},
		"stranger":        {s.Stranger, s.ID, made.ID, meeting.Changes{}, fault.Forbidden, ""},
		"another account": {s.Stranger, s.Rival, made.ID, meeting.Changes{}, fault.NotFound, ""},
	}
	for name, tc := range tests {
		_, err := s.service.Update(t.Context(), tc.user, tc.account, tc.id, tc.changes)
		wantKind(t, name, err, tc.want, tc.field)
	}
	if read, _ := s.service.Get(t.Context(), postgres.AsUser(s.Owner), s.ID,
		made.ID); !read.UpdatedAt.Equal(made.UpdatedAt) {
		t.Error("a refused change changed something")
	}
}

func TestMinutesFollowTheirCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	private := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	made := s.write(t, meeting.Draft{Title: "Secret talk", CompanyID: &private})
	title := "Overwritten"
	refusals := map[string]error{}
	_, refusals["get"] = s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
	_, refusals["update"] = s.service.Update(t.Context(), s.Member, s.ID, made.ID, meeting.Changes{Title: &title})
	refusals["delete"] = s.service.Delete(t.Context(), s.Member, s.ID, made.ID)
	for name, err := range refusals {
		wantKind(t, name+" by a member without sight of the company", err, fault.NotFound, "")
	}
	for name, q := range map[string]meeting.ListQuery{
		"all": {Page: paging.First(10)}, "of the company": {Page: paging.First(10), CompanyID: &private},
	} {
		if rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, q); err != nil || len(rows) != 0 {
			t.Errorf("%s: a member without sight of the company lists %v, %v", name, rows, err)
		}
		if rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Owner), s.ID, q); err != nil || len(rows) != 1 {
			t.Errorf("%s: the creator lists %v, %v", name, rows, err)
		}
	}
	testkit.DeleteCompany(t, s.DB, s.Owner, private)
	if left := testkit.Count(t, s.URL, "meeting_minutes"); left != 0 {
		t.Error("the minutes outlive their company")
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	made, other := s.write(t, meeting.Draft{}), s.write(t, meeting.Draft{})
	wantKind(t, "stranger", s.service.Delete(t.Context(), s.Stranger, s.ID, made.ID), fault.Forbidden, "")
	wantKind(t, "another account", s.service.Delete(t.Context(), s.Stranger, s.Rival, made.ID), fault.NotFound, "")
	if err := s.service.Delete(t.Context(), s.Member, s.ID, made.ID); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "again", s.service.Delete(t.Context(), s.Member, s.ID, made.ID), fault.NotFound, "")
	if _, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, other.ID); err != nil {
		t.Errorf("other minutes went too: %v", err)
	}
	if told := testkit.Count(t, s.URL, "activity WHERE type = 'meeting_deleted'"); told != 1 {
		t.Errorf("%d activities tell of it", told)
	}
}

func TestListPagesAndFilters(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company, yes, no := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), true, false
	for i, title := range []string{"a", "b", "c", "d", "e"} {
		d := meeting.Draft{Title: title}
		if i%2 == 0 {
			d.CompanyID = &company
		}
		made := s.write(t, d)
		if i > 2 {
			if _, err := s.service.Update(t.Context(), s.Owner, s.ID, made.ID, meeting.Changes{Processed: &yes}); err != nil {
				t.Fatal(err)
			}
		}
	}
	unknown := uuid.New()
	tests := map[string]struct {
		query meeting.ListQuery
		want  string
		next  bool
	}{
		"first":             {meeting.ListQuery{Page: paging.First(2)}, "ed", true},
		"last":              {meeting.ListQuery{Page: paging.Page{Number: 3, Limit: 2}}, "a", false},
		"beyond":            {meeting.ListQuery{Page: paging.Page{Number: 4, Limit: 2}}, "", false},
		"just full":         {meeting.ListQuery{Page: paging.First(5)}, "edcba", false},
		"of a company":      {meeting.ListQuery{Page: paging.First(2), CompanyID: &company}, "ec", true},
		"of an unknown one": {meeting.ListQuery{Page: paging.First(2), CompanyID: &unknown}, "", false},
		"processed":         {meeting.ListQuery{Page: paging.First(9), Processed: &yes}, "ed", false},
		"not processed":     {meeting.ListQuery{Page: paging.First(9), Processed: &no}, "cba", false},
		"not, of the company": {
			meeting.ListQuery{Page: paging.First(9), Processed: &no, CompanyID: &company}, "ca", false,
		},
	}
	for name, tc := range tests {
		rows, next, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, tc.query)
		got := ""
		for _, row := range rows {
			got += row.Title
		}
		if err != nil || got != tc.want || (next != nil) != tc.next || rows == nil {
			t.Errorf("%s: %q, next %v, %v; want %q, %v", name, got, next, err, tc.want, tc.next)
		}
	}
	_, _, err := s.service.List(t.Context(), postgres.AsUser(s.Stranger), s.ID,
		meeting.ListQuery{Page: paging.First(1)})
	wantKind(t, "stranger", err, fault.Forbidden, "")
	if rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Stranger), s.Rival,
		meeting.ListQuery{Page: paging.First(9), CompanyID: &company}); err != nil || len(rows) > 0 {
		t.Errorf("the rival lists %v, %v", rows, err)
	}
}

package form_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

type setup struct {
	*testkit.Team

	service *form.Service
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	team := testkit.NewTeam(t)
	return &setup{Team: team, service: form.New(team.DB)}
}

const answers = `[{"key":"q1","label":"Name","type":"INPUT_TEXT","value":"Acme"}]`

// submit keeps a submission as the owner.
func (s *setup) submit(t *testing.T, d form.Draft) form.Submission {
	t.Helper()
	if d.Data == nil {
		d.Data = json.RawMessage(answers)
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

func TestAnswersComeBackToTheLetter(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for name, data := range map[string]string{
		"text":      answers,
		"key alone": `[{"key":"k"}]`,
		"nulls":     `[{"key":"k","label":null,"type":null,"value":null,"options":null}]`,
		"choice": `[{"key":"k","type":"MULTIPLE_CHOICE","value":["1"],"options":[{"id":"1","text":"Seed"},` +
			`{"id":"2","text":"A"}]}]`,
		"files": `[{"key":"k","type":"FILE_UPLOAD","value":[{"id":"f","name":"d.pdf",` +
			`"url":"https://x.example/?a=1&b=2","size":12}]}]`,
		"other values": `[{"key":"a","value":1.50},{"key":"b","value":true},{"key":"c","value":{"z":1,"a":2}},{"key":"d",` +
			`"value":1e-7}]`,
		"order, spaces": `[ {"value": "v",  "key" : "k", "zz":1, "aa":2 } ]`,
		"doubled":       `[{"key":"k","value":1,"value":2},{"key":"k"}]`,
		"letters":       `[{"key":"ключ","label":"日本語 \u00e9 \ud83d\ude00","value":"<b>&"}]`,
	} {
		made := s.submit(t, form.Draft{Data: json.RawMessage(data)})
		read, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
		if err != nil || string(read.Data) != data || string(made.Data) != data {
			t.Errorf("%s: %s came back as %s, %v", name, data, read.Data, err)
		}
	}
}

func TestWhatASubmissionIsAtFirst(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	made := s.submit(t, form.Draft{CompanyID: &company, Metadata: json.RawMessage(`{"a": 1}`)})
	if made.AccountID != s.ID || *made.CompanyID != company || made.IntegrationType != "manual" ||
		made.ExternalID != nil || made.Processed ||
		string(made.Metadata) != `{"a": 1}` || made.CreatedAt.IsZero() || !made.CreatedAt.Equal(made.UpdatedAt) {
		t.Errorf("made %+v", made)
	}
	if bare := s.submit(t, form.Draft{}); bare.CompanyID != nil || string(bare.Metadata) != "{}" {
		t.Errorf("a bare one is %+v", bare)
	}
	if told := testkit.Count(t, s.URL, "activity WHERE type = 'form_submitted' AND company_id IS NOT NULL"); told != 1 {
		t.Errorf("%d activities are about the company", told)
	}
}

func TestCreateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	theirs := testkit.Company(t, s.DB, s.Rival, s.Stranger, "team")
	tests := map[string]struct {
		user, account uuid.UUID
		data          string
		company       *uuid.UUID
		want          fault.Kind
		field         string
	}{
		"no answers":    {s.Member, s.ID, `[]`, nil, fault.InvalidBody, "data"},
		"null":          {s.Member, s.ID, `null`, nil, fault.InvalidBody, "data"},
		"an object":     {s.Member, s.ID, `{"key":"k"}`, nil, fault.InvalidBody, "data"},
		"texts":         {s.Member, s.ID, `["k"]`, nil, fault.InvalidBody, "data"},
		"a null answer": {s.Member, s.ID, `[null]`, nil, fault.InvalidBody, "data.0"},
		"no key":        {s.Member, s.ID, `[{"key":"k"},{"label":"L"}]`, nil, fault.InvalidBody, "data.1.key"},
		"blank key":     {s.Member, s.ID, `[{"key":" "}]`, nil, fault.InvalidBody, "data.0.key"},
		"null key":      {s.Member, s.ID, `[{"key":null}]`, nil, fault.InvalidBody, "data.0.key"},
		"number as key": {s.Member, s.ID, `[{"key":1}]`, nil, fault.InvalidBody, "data.0.key"},
		"long key": {
			s.Member, s.ID, `[{"key":"` + strings.Repeat("é", 256) + `"}]`, nil, fault.InvalidBody, "data.0.key",
		},
		"number as label": {s.Member, s.ID, `[{"key":"k","label":1}]`, nil, fault.InvalidBody, "data.0.label"},
		"array as type":   {s.Member, s.ID, `[{"key":"k","type":[]}]`, nil, fault.InvalidBody, "data.0.type"},
		"text as options": {s.Member, s.ID, `[{"key":"k","options":"a"}]`, nil, fault.InvalidBody, "data.0.options"},
		"too many": {
			s.Member, s.ID, "[" + strings.Repeat(`{"key":"k"},`, 1000) + `{"key":"k"}]`, nil, fault.InvalidBody, "data",
		},
		"hidden company":    {s.Member, s.ID, answers, &hidden, fault.InvalidBody, "company_id"},
		"another's company": {s.Member, s.ID, answers, &theirs, fault.InvalidBody, "company_id"},
		"stranger":          {s.Stranger, s.ID, answers, nil, fault.Forbidden, ""},
		"unknown account":   {s.Member, uuid.New(), answers, nil, fault.NotFound, ""},
	}
	for name, tc := range tests {
		_, err := s.service.Create(t.Context(), tc.user, tc.account,
			form.Draft{Data: json.RawMessage(tc.data), CompanyID: tc.company})
		wantKind(t, name, err, tc.want, tc.field)
	}
	if left := testkit.Count(t, s.URL, "form_submissions"); left != 0 {
		t.Errorf("refused submissions were kept: %d", left)
	}
}

func TestEveryWrongAnswerIsNamed(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, err := s.service.Create(t.Context(), s.Owner, s.ID,
		form.Draft{Data: json.RawMessage(`[{"label":2},{"key":"fine"},{"key":"k","type":1}]`)})
	for _, field := range []string{"data.0.key", "data.0.label", "data.2.type"} {
		wantKind(t, "all at once", err, fault.InvalidBody, field)
	}
	if strings.Contains(err.Error(), "data.1") {
		t.Errorf("a right answer is named: %v", err)
	}
}

func TestUpdateChangesWhatWasSent(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company, yes := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), true
	tests := map[string]struct {
		changes   form.Changes
		processed bool
		company   *uuid.UUID
		metadata  string
	}{
		"nothing":    {form.Changes{}, false, &company, `{"a": 1, "b": 2}`},
		"processed":  {form.Changes{Processed: &yes}, true, &company, `{"a": 1, "b": 2}`},
		"no company": {form.Changes{CompanyID: patch.Nullable[uuid.UUID]{Set: true}}, false, nil, `{"a": 1, "b": 2}`},
		"the same company": {
			form.Changes{CompanyID: patch.Nullable[uuid.UUID]{Set: true, Value: &company}}, false, &company, `{"a": 1, "b": 2}`,
		},
		"metadata": {
			form.Changes{Metadata: json.RawMessage(`{"b":{"x":[]},"c":null}`)},
			false, &company,
			`{"a": 1, "b": {"x": []}, "c": null}`,
		},
		"no metadata": {form.Changes{Metadata: json.RawMessage(`{}`)}, false, &company, `{"a": 1, "b": 2}`},
	}
	for name, tc := range tests {
		before := s.submit(t, form.Draft{CompanyID: &company, Metadata: json.RawMessage(`{"a":1,"b":2}`)})
		after, err := s.service.Update(t.Context(), s.Member, s.ID, before.ID, tc.changes)
		if err != nil || after.Processed != tc.processed || string(after.Metadata) != tc.metadata ||
			(after.CompanyID == nil) != (tc.company == nil) ||
			string(after.Data) != answers || !after.UpdatedAt.After(before.UpdatedAt) ||
			!after.CreatedAt.Equal(before.CreatedAt) {
			t.Errorf("%s: %+v, %v", name, after, err)
		}
	}
}

func TestUpdateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	made := s.submit(t, form.Draft{})
	hidden := testkit.Company(t, s.DB, s.ID, s.Owner, "private")
	tests := map[string]struct {
		user, account, id uuid.UUID
		changes           form.Changes
		want              fault.Kind
		field             string
	}{
		"hidden company": {
			s.Member, s.ID, made.ID,
			form.Changes{CompanyID: patch.Nullable[uuid.UUID]{Set: true, Value: &hidden}},
			fault.InvalidBody, "company_id",
		},
		"unknown":         {s.Member, s.ID, uuid.New(), form.Changes{}, fault.NotFound, ""},
		"stranger":        {s.Stranger, s.ID, made.ID, form.Changes{}, fault.Forbidden, ""},
		"another account": {s.Stranger, s.Rival, made.ID, form.Changes{}, fault.NotFound, ""},
	}
	for name, tc := range tests {
		_, err := s.service.Update(t.Context(), tc.user, tc.account, tc.id, tc.changes)
		wantKind(t, name, err, tc.want, tc.field)
	}
}

func TestSubmissionsFollowTheirCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for visibility, left := range map[string]bool{"private": false, "shared": false, "team": true} {
		company := testkit.Company(t, s.DB, s.ID, s.Owner, visibility)
		made := s.submit(t, form.Draft{CompanyID: &company})
		query := form.ListQuery{Page: paging.First(10), CompanyID: &company}
		_, getErr := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
		yes := true
		_, updateErr := s.service.Update(t.Context(), s.Member, s.ID, made.ID, form.Changes{Processed: &yes})
		rows, _, total, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, query)
		if seen := visibility == "team"; (getErr == nil) != seen || (updateErr == nil) != seen || (len(rows) == 1) != seen ||
			(total == 1) != seen || err != nil {
			t.Errorf("%s: a member gets %v, changes %v, lists %d of %d, %v", visibility, getErr, updateErr, len(rows), total,
				err)
		}
		if _, _, total, err := s.service.List(t.Context(), postgres.AsUser(s.Owner), s.ID, query); err != nil || total != 1 {
			t.Errorf("%s: the creator lists %d, %v", visibility, total, err)
		}
		testkit.DeleteCompany(t, s.DB, s.Owner, company)
		kept, err := s.service.Get(t.Context(), postgres.AsUser(s.Member), s.ID, made.ID)
		if (err == nil) != left || left && kept.CompanyID != nil {
			t.Errorf("%s: once the company is deleted, the submission is %+v, %v", visibility, kept, err)
		}
	}
}

func TestAnAccountGoesWithItsSubmissions(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	s.submit(t, form.Draft{CompanyID: &company})
	testkit.Exec(t, s.URL, "DELETE FROM accounts WHERE id = $1", s.ID)
	if left := testkit.Count(t, s.URL, "form_submissions"); left != 0 {
		t.Errorf("%d are left", left)
	}
}

func TestAnIntegrationSubmitsOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	insert := func(integration, external string) error {
		return s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
			return tx.Create(&form.Submission{
				ID: uuid.New(), AccountID: s.ID, Data: json.RawMessage(answers), IntegrationType: integration,
				ExternalID: &external, Metadata: json.RawMessage(`{}`),
			}).Error
		})
	}
	for i, fine := range []error{
		insert(form.IntegrationA, "1"), insert(form.IntegrationB, "1"), insert(form.IntegrationA, "2"),
	} {
		if fine != nil {
			t.Errorf("%d: %v", i, fine)
		}
	}
	if insert(form.IntegrationA, "1") == nil {
		t.Error("the same submission was kept twice")
	}
	if insert("tally", "3") == nil {
		t.Error("an unknown integration was kept")
	}
}

func TestListPagesSortsAndFilters(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company, yes, no := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), true, false
	names := map[uuid.UUID]string{}
	var made []form.Submission
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		d := form.Draft{}
		if i%2 == 0 {
			d.CompanyID = &company
		}
		made = append(made, s.submit(t, d))
		names[made[i].ID] = name
	}
	testkit.Exec(t, s.URL, "UPDATE form_submissions SET integration_type = 'integration_a' WHERE id = $1", made[1].ID)
	if _, err := s.service.Update(t.Context(), s.Owner, s.ID, made[0].ID, form.Changes{Processed: &yes}); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		query form.ListQuery
		want  string
		total int64
	}{
		"first":           {form.ListQuery{Page: paging.First(2)}, "ed", 5},
		"last":            {form.ListQuery{Page: paging.Page{Number: 3, Limit: 2}}, "a", 5},
		"beyond":          {form.ListQuery{Page: paging.Page{Number: 4, Limit: 2}}, "", 5},
		"oldest":          {form.ListQuery{Page: paging.First(9), Ascending: true}, "abcde", 5},
		"changed":         {form.ListQuery{Page: paging.First(9), SortBy: form.ByChange}, "aedcb", 5},
		"changed, oldest": {form.ListQuery{Page: paging.First(9), SortBy: form.ByChange, Ascending: true}, "bcdea", 5},
		"of a company":    {form.ListQuery{Page: paging.First(2), CompanyID: &company}, "ec", 3},
		"processed":       {form.ListQuery{Page: paging.First(9), Processed: &yes}, "a", 1},
		"not processed":   {form.ListQuery{Page: paging.First(9), Processed: &no}, "edcb", 4},
		"from tally":      {form.ListQuery{Page: paging.First(9), IntegrationType: form.IntegrationA}, "b", 1},
		"by hand":         {form.ListQuery{Page: paging.First(9), IntegrationType: form.Manual}, "edca", 4},
		"nothing of these": {
			form.ListQuery{
				Page: paging.First(9), IntegrationType: form.IntegrationB, Processed: &yes, CompanyID: &company,
			}, "", 0,
		},
	}
	for name, tc := range tests {
		rows, _, total, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, tc.query)
		got := ""
		for _, row := range rows {
			got += names[row.ID]
		}
		if err != nil || got != tc.want || total != tc.total || rows == nil {
			t.Errorf("%s: %q of %d, %v; want %q of %d", name, got, total, err, tc.want, tc.total)
		}
	}
	_, _, _, err := s.service.List(t.Context(), postgres.AsUser(s.Stranger), s.ID,
		form.ListQuery{Page: paging.First(1)})
	wantKind(t, "stranger", err, fault.Forbidden, "")
}

// List counts submissions by a query of its own, without row security, so the test compares the count with the rows.
func TestTheCountIsWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	shared := testkit.Company(t, s.DB, s.ID, s.Owner, "shared")
	assigned := testkit.Company(t, s.DB, s.ID, s.Owner, "shared")
	testkit.Exec(t, s.URL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", shared,
		s.ID, s.Member)
	testkit.Exec(t, s.URL, "INSERT INTO company_assignees (company_id, account_id, user_id) VALUES ($1, $2, $3)",
		assigned, s.ID, s.Member)
	mine := testkit.Company(t, s.DB, s.ID, s.Member, "private")
	for _, company := range []uuid.UUID{
		shared, assigned, testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "shared"),
		testkit.Company(t, s.DB, s.ID, s.Owner, "private"),
	} {
		s.submit(t, form.Draft{CompanyID: &company})
	}
	s.submit(t, form.Draft{})
	if _, err := s.service.Create(t.Context(), s.Member, s.ID,
		form.Draft{Data: json.RawMessage(answers), CompanyID: &mine}); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		user, account uuid.UUID
		want          int
	}{"owner": {s.Owner, s.ID, 6}, "member": {s.Member, s.ID, 5}, "rival": {s.Stranger, s.Rival, 0}} {
		rows, _, total, err := s.service.List(t.Context(), postgres.AsUser(tc.user), tc.account,
			form.ListQuery{Page: paging.First(100)})
		if err != nil || len(rows) != tc.want || int(total) != tc.want {
			t.Errorf("%s: %d rows, total %d, %v; want %d", name, len(rows), total, err, tc.want)
		}
	}
	var told int64
	err := s.DB.As(t.Context(), s.Stranger, func(tx *postgres.Tx) error {
		return tx.Raw("SELECT app_count_submissions(?, NULL, NULL, NULL, NULL)", s.ID).Scan(&told).Error
	})
	if err != nil || told != 0 {
		t.Errorf("a stranger counts %d, %v", told, err)
	}
}

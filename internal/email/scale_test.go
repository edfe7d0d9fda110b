package email_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dealflow/internal/email"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

// many fills the team's account with count emails. The oldest ones, one in a thousand but at least three, are rare:
// they have a sender, a word and a tag that no other has.
func (s *setup) many(t *testing.T, count int) {
	t.Helper()
	testkit.Exec(t, s.URL, `INSERT INTO emails (id, account_id, external_id, from_email, subject, content, tags,
		processed, created_at, updated_at)
		SELECT gen_random_uuid(), $1, n::text, CASE WHEN rare THEN 'Rare@x.example' ELSE 'bulk' || n % 50 || '@x.example'
			END, n::text,
			CASE WHEN rare THEN 'common seldom' ELSE 'common word' || n % 700 END, CASE WHEN rare THEN ARRAY['all', 'rare']
				ELSE ARRAY['all'] END, rare,
			now() - n * interval '1 minute', now() + n * interval '1 minute'
		FROM (SELECT n, n > $2 - GREATEST($2 / 1000, 3) AS rare FROM generate_series(1, $2::integer) AS n) AS
			numbers`, s.ID, count)
	testkit.Exec(t, s.URL, "ANALYZE emails")
}

func TestRareOnesAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.many(t, 3000)
	yes, no := true, false
	for name, tc := range map[string]struct {
		query email.ListQuery
		want  string
	}{
		"word":                 {email.ListQuery{Search: new("seldom")}, "2998 2999 3000"},
		"words":                {email.ListQuery{Search: new("SELDOM common")}, "2998 2999 3000"},
		"tag":                  {email.ListQuery{Tag: "rare"}, "2998 2999 3000"},
		"tag, oldest":          {email.ListQuery{Tag: "rare", Ascending: true}, "3000 2999 2998"},
		"tag, changed":         {email.ListQuery{Tag: "rare", SortBy: email.ByChange}, "3000 2999 2998"},
		"tag, changed, oldest": {email.ListQuery{Tag: "rare", SortBy: email.ByChange, Ascending: true}, "2998 2999 3000"},
		"sender":               {email.ListQuery{FromEmail: "rare@X.example"}, "2998 2999 3000"},
		"sender, word":         {email.ListQuery{FromEmail: "rare@X.example", Search: new("common")}, "2998 2999 3000"},
		"processed":            {email.ListQuery{Processed: &yes}, "2998 2999 3000"},
		"processed, word, tag": {email.ListQuery{Processed: &yes, Search: new("common"), Tag: "all"}, "2998 2999 3000"},
		"one of a sender": {
			email.ListQuery{FromEmail: "bulk7@x.example", Search: new("word607")}, "607 1307 2007 2707",
		},
		"not processed, rare": {email.ListQuery{Processed: &no, Tag: "rare"}, ""},
		"no such tag":         {email.ListQuery{Tag: "none' | 'all"}, ""},
		"no such word":        {email.ListQuery{Search: new("common none")}, ""},
		"a page of common ones": {
			email.ListQuery{Search: new("common"), Page: paging.Page{Number: 1000, Limit: 3}}, "2998 2999 3000",
		},
		"a page of tagged ones": {
			email.ListQuery{Tag: "all", Page: paging.Page{Number: 31, Limit: 2}, Ascending: true}, "2940 2939",
		},
		"beyond": {email.ListQuery{Search: new("common"), Page: paging.Page{Number: 1001, Limit: 3}}, ""},
	} {
		if tc.query.Number == 0 {
			tc.query.Page = paging.First(10)
		}
		rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, tc.query)
		var got []string
		for _, row := range rows {
			got = append(got, *row.Subject)
		}
		if err != nil || strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %v, %v; want %s", name, got, err, tc.want)
		}
	}
}

// TestListsUseTheirIndexes looks at the plans of what the list's function runs as a member.
func TestListsUseTheirIndexes(t *testing.T) {
	t.Parallel()
	s := newSetupOf(t, testkit.NewTeamAt(t, testkit.NewDatabaseURL(t))) // plans depend on nothing but its rows
	s.many(t, 3000)
	company := testkit.Company(t, s.DB, s.ID, s.Owner, "team")
	for name, tc := range map[string]struct {
		args []any // search, sender, company, processed, tag, sort
		want []string
	}{
		"all":               {[]any{nil, nil, nil, nil, nil, "created_at"}, []string{"emails_created"}},
		"all, changed":      {[]any{nil, nil, nil, nil, nil, "updated_at"}, []string{"emails_updated"}},
		"processed":         {[]any{nil, nil, nil, true, nil, "created_at"}, []string{"emails_processed_created"}},
		"processed, change": {[]any{nil, nil, nil, true, nil, "updated_at"}, []string{"emails_processed_updated"}},
		"sender":            {[]any{nil, "a@x.example", nil, nil, nil, "created_at"}, []string{"emails_sender"}},
		"company":           {[]any{nil, nil, company, nil, nil, "created_at"}, []string{"email_companies_company"}},
		"rare word":         {[]any{"seldom", nil, nil, nil, nil, "created_at"}, []string{"emails_created", "emails_words"}},
		"rare tag":          {[]any{nil, nil, nil, nil, "rare", "created_at"}, []string{"emails_created", "emails_words"}},
		"common word":       {[]any{"common", nil, nil, nil, nil, "created_at"}, []string{"emails_created"}},
	} {
		plans := s.explain(t, tc.args...)
		var used []string
		for _, index := range []string{
			"email_companies_company", "emails_created", "emails_processed_created", "emails_processed_updated",
			"emails_sender", "emails_updated", "emails_words",
		} {
			if strings.Contains(plans, " "+index+" ") {
				used = append(used, index)
			}
		}
		if !slices.Equal(used, tc.want) || strings.Contains(plans, "Seq Scan on emails") {
			t.Errorf("%s: used %v, want %v:\n%s", name, used, tc.want, plans)
		}
	}
}

// explain calls the list's function as a plain member and returns the plans of every statement in it.
func (s *setup) explain(t *testing.T, args ...any) string {
	t.Helper()
	config, err := pgx.ParseConfig(testkit.AdminURL(t, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	var plans strings.Builder
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) { plans.WriteString(notice.Message + "\n") }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, statement := range []string{
		"LOAD 'auto_explain'", "SET auto_explain.log_min_duration = 0", "SET auto_explain.log_nested_statements = on",
		"SET auto_explain.log_level = notice",
		fmt.Sprintf("SET app.user_id = '%s'", s.Member), "SET ROLE dealflow_app",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	var ids []uuid.UUID
	call := "SELECT app_email_page($1, $2, $3, $4, $5, $6, NULL, $7, true, NULL, NULL, 0, 26)"
	if err := conn.QueryRow(t.Context(), call, append([]any{s.ID}, args...)...).Scan(&ids); err != nil {
		t.Fatal(err)
	}
	return plans.String()
}

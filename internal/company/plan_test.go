package company_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// crowd makes companies without the triggers, fast: half of them hold the word even, the others odd, every 1000th seldom. Every tenth is
// private, every tenth shared; sources, statuses and creators take turns.
func (s *setup) crowd(t *testing.T, count int) {
	t.Helper()
	testkit.Exec(t, s.url, `INSERT INTO companies (id, account_id, name, visibility, source, notes, company_status_id, created_by, updated_by, created_at, updated_at)
		SELECT gen_random_uuid(), $1, md5(n::text), CASE n % 10 WHEN 0 THEN 'private' WHEN 1 THEN 'shared' ELSE 'team' END,
			(ARRAY['manual', 'email', 'form', 'referral', 'website', 'event', 'other'])[1 + n % 7],
			CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END || CASE WHEN n % 1000 = 7 THEN ' seldom' ELSE '' END, CASE WHEN n % 4 > 0 THEN (ARRAY[$2, $3, $4])[n % 4]::uuid END,
			CASE WHEN n % 3 = 0 THEN $5::uuid ELSE $6::uuid END, $5, now() - n * interval '1 minute', now() - (n * 7919 % 20011) * interval '1 minute'
		FROM generate_series(1, `+fmt.Sprint(count)+`) AS n`, s.team, s.statuses["New"], s.statuses["Screening"], s.statuses["Passed"], s.owner, s.member)
	testkit.Exec(t, s.url, "ANALYZE")
}

func TestListsUseAnIndexWhateverTheirOrderAndFilter(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 20_000)
	for filter, index := range map[string]string{
		"NULL, NULL, NULL, false": "companies_%s", "NULL, NULL, '" + s.statuses["New"].String() + "', false": "companies_status_%s", "NULL, NULL, NULL, true": "companies_status_%s",
		"NULL, 'event', NULL, false": "companies_source_%s", "'private', NULL, NULL, false": "companies_visibility_%s",
	} {
		for sort, name := range map[string]string{"created_at": "created", "updated_at": "updated", "name": "name"} {
			want := strings.Replace(fmt.Sprintf(index, name), "companies_created", "companies_newest", 1)
			for _, descending := range []string{"true", "false"} {
				plan := s.systemPlan(t, fmt.Sprintf("SELECT app_company_walk_sql('%s', '%s', NULL, %s, '%s', %s, 100)", s.team, s.member, filter, sort, descending))
				// The plain index holds what is filtered by too, and is as good.
				plain := strings.Replace("companies_"+name, "companies_created", "companies_newest", 1)
				used := strings.Contains(plan, "using "+want+" on companies") || strings.Contains(plan, "using "+plain+" on companies")
				if !used || strings.Contains(plan, "Seq Scan on companies ") || strings.Contains(plan, "Sort") {
					t.Errorf("filter %s, sort %s, descending %s: want %s in\n%s", filter, sort, descending, want, plan)
				}
			}
		}
	}
}

// A list without a filter is one static statement, which reads an index alone however many rows it skips.
func TestPlainListsReadTheIndexAlone(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 20_000)
	testkit.Exec(t, s.url, "VACUUM companies")
	settings := s.texts(t, "SELECT unnest(proconfig) FROM pg_proc WHERE proname = 'app_company_plain'")
	arguments := strings.NewReplacer(
		"$1", "'"+s.team.String()+"'", "$2", "'"+s.member.String()+"'", "$3", "20000", "$4", "19000", "$5", "26",
	)
	body := s.texts(t, "SELECT prosrc FROM pg_proc WHERE proname = 'app_company_plain'")[0]
	for sort, name := range map[string]string{"created_at": "newest", "updated_at": "updated", "name": "name"} {
		for _, descending := range []string{"true", "false"} {
			query := fmt.Sprintf("SELECT app_company_plain_sql('%s', %s)", sort, descending)
			statement := s.texts(t, query)[0]
			if !strings.Contains(body, statement) {
				t.Errorf("%s is not in the function", statement)
			}
			plan := s.systemPlan(t, "SELECT $sql$"+arguments.Replace(statement)+"$sql$", settings...)
			scan := regexp.MustCompile(`Index Only Scan.* using companies_` + name + ` `)
			if !scan.MatchString(plan) || strings.Contains(plan, "Sort") {
				t.Errorf("sort %s, descending %s:\n%s", sort, descending, plan)
			}
		}
	}
}

// A walk for a word that few companies hold gives up long before it has looked at all of them.
func TestAWalkGivesUpWhereLookingUpIsCheaper(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 3000)
	for words, gaveUp := range map[string]string{"even": "false", "seldom": "true", "even odd": "true"} {
		walk := fmt.Sprintf(`SELECT ((app_company_walk('%s', app_query('%s'), NULL, NULL, NULL, false,
			'created_at', true, 0, 26)).page IS NULL)::text`, s.team, words)
		if got := s.ids(t, s.owner, walk); got[0] != gaveUp {
			t.Errorf("%s: the walk gave up: %s, want %s", words, got[0], gaveUp)
		}
	}
}

func TestLookingUpUsesTheIndexOfWords(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 20_000)
	// Where the planner takes words for frequent that are never together, the function's own setting keeps it to the index.
	settings := s.texts(t, "SELECT unnest(proconfig) FROM pg_proc WHERE proname = 'app_company_match'")
	for what, with := range map[string][]string{
		"false, app_query('seldom'), NULL, NULL, NULL, false": nil, "false, app_query('nonsense'), 'team', 'event', NULL, true": nil,
		"false, app_query('even odd'), NULL, NULL, NULL, false": settings, "true, NULL, 'private', NULL, NULL, false": settings,
	} {
		plan := s.systemPlan(t, fmt.Sprintf("SELECT app_company_match_sql('%s', '%s', %s, 'created_at', true, 0, 26)", s.team, s.member, what), with...)
		if !strings.Contains(plan, "Bitmap Index Scan on companies_words") || strings.Contains(plan, "Seq Scan on companies ") {
			t.Errorf("%s:\n%s", what, plan)
		}
	}
}

// What is read under the caller's own role stays on indexes too: the policies do not cost them.
func TestReadingUnderRowSecurityUsesIndexes(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 20_000)
	ids := "'{" + strings.Join(s.texts(t, "SELECT id FROM companies LIMIT 26"), ",") + "}'::uuid[]"
	for name, tc := range map[string]struct{ query, index string }{
		"a page's rows":       {"SELECT name FROM companies WHERE id = ANY (" + ids + ") ORDER BY created_at DESC, id DESC LIMIT 26", "companies_pkey"},
		"a page of one's own": {"SELECT id FROM companies WHERE account_id = '" + s.team.String() + "' ORDER BY created_at DESC, id DESC LIMIT 26", "companies_newest"},
		"its decks":           {"SELECT id FROM company_files WHERE company_id = ANY (" + ids + ") AND role = 'deck'", "company_files"},
	} {
		var plan string
		err := s.db.As(t.Context(), s.member, func(tx *postgres.Tx) error {
			var lines []string
			err := tx.Raw("EXPLAIN " + tc.query).Scan(&lines).Error
			plan = strings.Join(lines, "\n")
			return err
		})
		if err != nil || !strings.Contains(plan, tc.index) || strings.Contains(plan, "Seq Scan on companies ") {
			t.Errorf("%s: %v\n%s", name, err, plan)
		}
	}
}

// systemPlan explains the query that a query gives, as the role that runs it, with these settings.
func (s *setup) systemPlan(t *testing.T, query string, settings ...string) string {
	t.Helper()
	built := s.texts(t, query)[0]
	pool, err := sql.Open("pgx", testkit.AdminURL(t, s.url))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	tx, err := pool.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, setting := range append(settings, "role=dealflow_system") {
		name, value, _ := strings.Cut(setting, "=")
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config($1, $2, true)", name, value); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.QueryContext(t.Context(), "EXPLAIN "+built)
	if err != nil {
		t.Fatalf("explain %s: %v", built, err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// A list is the same whether it is walked or looked up, and whoever asks.
func TestWalkingAndLookingUpAgree(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 300)
	testkit.Exec(t, s.url, "INSERT INTO company_shares (company_id, account_id, user_id) SELECT id, account_id, $1 FROM companies WHERE visibility = 'shared' AND source = 'event'", s.member)
	testkit.Exec(t, s.url, "INSERT INTO company_assignees (company_id, account_id, user_id) SELECT id, account_id, $1 FROM companies WHERE visibility <> 'team' AND source = 'form'", s.member)
	seen := 0
	for _, user := range []uuid.UUID{s.owner, s.member} {
		for _, words := range []string{"NULL", "app_query('even')", "app_query('seldom')", "app_query('even odd')"} {
			for _, filter := range []string{
				"NULL, NULL, NULL, false", "'private', NULL, NULL, false", "'shared', 'event', NULL, false", "NULL, 'form', NULL, true", "'team', NULL, '" + s.statuses["New"].String() + "', false",
			} {
				for _, order := range []string{"'created_at', true", "'updated_at', false", "'name', true"} {
					rest := fmt.Sprintf("%s, %s, %s, 2, 1000", words, filter, order)
					walked := s.ids(t, user, fmt.Sprintf("SELECT unnest((app_company_walk('%s', %s)).page)", s.team, rest))
					seen += len(walked)
					for _, narrow := range []string{"true", "false"} {
						if found := s.ids(t, user, fmt.Sprintf("SELECT unnest(app_company_match('%s', %s, %s))", s.team, narrow, rest)); !slices.Equal(found, walked) {
							t.Errorf("%s, narrow %s: looked up %d, walked %d", rest, narrow, len(found), len(walked))
						}
					}
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d rows were compared", seen)
	}
}

func (s *setup) ids(t *testing.T, user uuid.UUID, query string) []string {
	t.Helper()
	found := []string{}
	err := s.db.As(t.Context(), user, func(tx *postgres.Tx) error { return tx.Raw(query).Scan(&found).Error })
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// A list without a filter is the same whether it is read by a static statement or walked.
func TestPlainListsAgreeWithWalks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 300)
	testkit.Exec(t, s.url, `INSERT INTO company_shares (company_id, account_id, user_id)
		SELECT id, account_id, $1 FROM companies WHERE visibility = 'shared' AND source = 'event'`, s.member)
	for _, user := range []uuid.UUID{s.owner, s.member} {
		for _, order := range []string{"created_at", "updated_at", "name"} {
			for _, rest := range []string{"true, 0, 26", "false, 250, 26", "true, 3, 1000", "false, 1000, 26"} {
				given := fmt.Sprintf("'%s', NULL, NULL, NULL, NULL, false, '%s', %s", s.team, order, rest)
				page := s.ids(t, user, "SELECT unnest(app_company_page("+given+"))")
				walked := s.ids(t, user, "SELECT unnest((app_company_walk("+given+")).page)")
				if !slices.Equal(page, walked) {
					t.Errorf("%s: %d in the page, walked %d", given, len(page), len(walked))
				}
			}
		}
	}
}

// A page that the walk does not reach is found all the same.
func TestRareRowsOfALargeAccount(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.crowd(t, 9000)
	words, none := "seldom", "even odd"
	if got := s.names(t, s.owner, company.ListQuery{Search: &words}); len(got) < 5 || len(got) > 9 {
		t.Errorf("%d rows hold the rare word", len(got))
	}
	if got := s.names(t, s.owner, company.ListQuery{Search: &none}); len(got) != 0 {
		t.Errorf("%d rows hold words that are never together", len(got))
	}
	if got := s.names(t, s.stranger, company.ListQuery{Search: &words}); len(got) != 0 {
		t.Errorf("a stranger finds %d rows", len(got))
	}
	private := s.names(t, s.owner, company.ListQuery{Visibility: company.VisibilityPrivate, Source: "event", NoStatus: true, Sort: company.SortName})
	hexadecimal := regexp.MustCompile(`^[0-9a-f]{32}$`)
	if len(private) == 0 || !slices.IsSortedFunc(private, func(a, b string) int { return strings.Compare(b, a) }) || !hexadecimal.MatchString(private[0]) {
		t.Errorf("rare combination: %d rows, %v", len(private), private)
	}
}

package company_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

// newPlanner returns a setup whose database is new, so that plans depend on nothing but the test's rows.
func newPlanner(t *testing.T) *setup {
	t.Helper()
	url := testkit.NewDatabaseURL(t)
	return &setup{companykit.NewAt(t, url, url)}
}

// crowd inserts companies of a planner, without the keys by which emails find them: lists do not read these, and they
// would take a third of the time. Half of the companies have the word "even", the others "odd", and
// every 1000th "seldom". Every tenth is private, every tenth shared; sources, statuses and creators take turns.
func (s *setup) crowd(t *testing.T, count int) {
	t.Helper()
	testkit.Exec(t, s.URL, "ALTER TABLE companies DISABLE TRIGGER know_company")
	defer testkit.Exec(t, s.URL, "ALTER TABLE companies ENABLE TRIGGER know_company")
	testkit.Exec(t, s.URL, `INSERT INTO companies (id, account_id, name, visibility, source, notes, company_status_id,
		created_by, updated_by, created_at, updated_at)
		SELECT gen_random_uuid(), $1, md5(n::text), CASE n % 10 WHEN 0 THEN 'private' WHEN 1 THEN 'shared' ELSE 'team' END,
			(ARRAY['manual', 'email', 'form', 'referral', 'website', 'event', 'other'])[1 + n % 7],
			CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END || CASE WHEN n % 1000 = 7 THEN ' seldom' ELSE '' END, CASE WHEN n %
				4 > 0 THEN (ARRAY[$2, $3, $4])[n % 4]::uuid END,
			CASE WHEN n % 3 = 0 THEN $5::uuid ELSE $6::uuid END, $5, now() - n * interval '1 minute', now() - (n * 7919 %
				20011) * interval '1 minute'
		FROM generate_series(1, `+fmt.Sprint(count)+`) AS n`, s.Team, s.Statuses["New"], s.Statuses["Screening"],
		s.Statuses["Passed"], s.Owner, s.Member)
	testkit.Exec(t, s.URL, "ANALYZE")
}

// TestLargeAccount has tests that only read share one account, since to fill it takes seconds.
func TestLargeAccount(t *testing.T) {
	t.Parallel()
	s := newPlanner(t)
	s.crowd(t, 21_000)
	t.Run("looking up uses the index of words", s.testLookingUpUsesTheIndexOfWords)
	t.Run("reading under row security uses indexes", s.testReadingUnderRowSecurityUsesIndexes)
	testkit.Exec(t, s.URL, "VACUUM companies")
	t.Run("lists use an index whatever their order and filter", s.testListsUseAnIndex)
	t.Run("plain lists read the index alone", s.testPlainListsReadTheIndexAlone)
	t.Run("late pages are read from the end", s.testLatePagesAreReadFromTheEnd)
}

func (s *setup) testListsUseAnIndex(t *testing.T) {
	t.Helper()
	for filter, index := range map[string]string{
		"NULL, NULL, NULL, false":                                      "companies_%s",
		"NULL, NULL, '" + s.Statuses["New"].String() + "', false":      "companies_status_%s",
		"NULL, NULL, NULL, true":                                       "companies_status_%s",
		"'team', 'event', '" + s.Statuses["New"].String() + "', false": "companies_status_%s",
		"'team', 'event', NULL, false":                                 "companies_source_%s",
		"NULL, 'event', NULL, false":                                   "companies_source_%s",
		"'private', NULL, NULL, false":                                 "companies_visibility_%s",
		"'team', NULL, NULL, false":                                    "companies_%s",
	} {
		for sort, name := range map[string]string{"created_at": "created", "updated_at": "updated", "name": "name"} {
			want := strings.Replace(fmt.Sprintf(index, name), "companies_created", "companies_newest", 1)
			for _, descending := range []string{"true", "false"} {
				plan := s.systemPlan(t,
					fmt.Sprintf(
						"SELECT app_company_walk_sql(ROW('%s', '%s', NULL, %s, NULL, '%s', %s, NULL, NULL, 0, 26)::company_list, 100)",
						s.Team, s.Member, filter, sort, descending,
					))
				// The plain index has the columns of the filter too, and is as good.
				plain := strings.Replace("companies_"+name, "companies_created", "companies_newest", 1)
				used := strings.Contains(plan, "Index Only Scan Backward using "+want+" on companies") ||
					strings.Contains(plan, "Index Only Scan using "+want+" on companies") ||
					strings.Contains(plan, "using "+plain+" on companies")
				if !used || strings.Contains(plan, "Seq Scan on companies ") || strings.Contains(plan, "Sort") {
					t.Errorf("filter %s, sort %s, descending %s: want %s in\n%s", filter, sort, descending, want, plan)
				}
			}
		}
	}
}

// A list without a filter is one static statement, which reads an index alone however many rows it skips.
func (s *setup) testPlainListsReadTheIndexAlone(t *testing.T) {
	t.Helper()
	settings := testkit.Texts(t, s.URL, "SELECT unnest(proconfig) FROM pg_proc WHERE proname = 'app_company_plain'")
	arguments := strings.NewReplacer(
		"$1", "'"+s.Team.String()+"'", "$2", "'"+s.Member.String()+"'", "$3", "20000", "$4", "19000", "$5", "26",
		"$6", "'2020-01-01'", "$7", "'"+s.Member.String()+"'",
	)
	body := testkit.Texts(t, s.URL, "SELECT prosrc FROM pg_proc WHERE proname = 'app_company_plain'")[0]
	for sort, name := range map[string]string{"created_at": "newest", "updated_at": "updated", "name": "name"} {
		for _, descending := range []string{"true", "false"} {
			for _, placed := range []string{"false", "true"} {
				query := fmt.Sprintf("SELECT app_company_plain_sql('%s', %s, %s)", sort, descending, placed)
				statement := testkit.Texts(t, s.URL, query)[0]
				if !strings.Contains(body, statement) {
					t.Errorf("%s is not in the function", statement)
				}
				plan := s.systemPlan(t, "SELECT $sql$"+arguments.Replace(statement)+"$sql$", settings...)
				scan := regexp.MustCompile(`Index Only Scan.* using companies_` + name + ` `)
				behind := regexp.MustCompile(`Index Cond: .*ROW\(`)
				if !scan.MatchString(plan) || strings.Contains(plan, "Sort") || (placed == "true") != behind.MatchString(plan) {
					t.Errorf("sort %s, descending %s, behind a place %s:\n%s", sort, descending, placed, plan)
				}
			}
		}
	}
}

// A page that is nearer to the end is read from there, and is the same as one that is read from the beginning.
func (s *setup) testLatePagesAreReadFromTheEnd(t *testing.T) {
	t.Helper()
	for _, user := range []uuid.UUID{s.Owner, s.Member} {
		seen := len(s.ids(t, user, "SELECT id FROM companies WHERE account_id = '"+s.Team.String()+"'"))
		for _, order := range []string{"'created_at', true", "'updated_at', false", "'name', true"} {
			for _, skip := range []int{9_990, 12_000, seen - 30, seen - 26, seen - 3, seen, seen + 100} {
				sort, descending, _ := strings.Cut(order, ", ")
				plain := fmt.Sprintf("SELECT unnest(app_company_plain('%s', '%s', 50000, %d, 26, NULL, NULL, %s, %s))", s.Team,
					user, skip, sort, descending)
				page := fmt.Sprintf("SELECT unnest(app_company_page(ROW('%s', NULL, NULL, NULL, NULL, NULL, false, NULL, %s, "+
					"NULL, NULL, %d, 26)::company_list))",
					s.Team, order, skip)
				if got, want := s.ids(t, user, page), s.ids(t, user, plain); !slices.Equal(got, want) ||
					len(want) != max(0, min(26, seen-skip)) {
					t.Errorf("by %s, behind %d of %d: %d rows, want %d", order, skip, seen, len(got), len(want))
				}
			}
		}
	}
	if near, far := s.buffers(t, 20_900), s.buffers(t, 10_400); near > 60 || near >= far {
		t.Errorf("a page at the end reads %d blocks, one in the middle %d", near, far)
	}
}

// buffers returns how many blocks the database reads for a page of the owner's list without filters, after skip rows.
func (s *setup) buffers(t *testing.T, skip int) int {
	t.Helper()
	query := fmt.Sprintf(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) SELECT app_company_page(
		ROW('%s', NULL, NULL, NULL, NULL, NULL, false, NULL, 'created_at', true, NULL, NULL, %d,
			26)::company_list)`, s.Team, skip)
	s.ids(t, s.Owner, query) // plans are made, and what they need is read
	for _, line := range s.ids(t, s.Owner, query) {
		if found := regexp.MustCompile(`Buffers: shared hit=(\d+)`).FindStringSubmatch(line); found != nil {
			n, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no buffers in the plan")
	return 0
}

// TestWalks has tests that only read share one account.
func TestWalks(t *testing.T) {
	t.Parallel()
	s := newPlanner(t)
	s.crowd(t, 3000)
	t.Run("a walk gives up where looking up is cheaper", s.testAWalkGivesUpWhereLookingUpIsCheaper)
	t.Run("a walk for what changed goes on", s.testAWalkForWhatChangedGoesOn)
}

// A walk for a word that few companies hold gives up long before it has looked at all companies.
func (s *setup) testAWalkGivesUpWhereLookingUpIsCheaper(t *testing.T) {
	t.Helper()
	for words, gaveUp := range map[string]string{"even": "false", "seldom": "true", "even odd": "true"} {
		walk := fmt.Sprintf(`SELECT ((app_company_walk(ROW('%s', NULL, app_query('%s'), NULL, NULL, NULL, false, NULL,
			'created_at', true, NULL, NULL, 0, 26)::company_list)).page IS NULL)::text`, s.Team, words)
		if got := s.ids(t, s.Owner, walk); got[0] != gaveUp {
			t.Errorf("%s: the walk gave up: %s, want %s", words, got[0], gaveUp)
		}
	}
}

// Looking up the words would also find companies that did not change, so a walk for words and a time does not give up
// in favor of that.
func (s *setup) testAWalkForWhatChangedGoesOn(t *testing.T) {
	t.Helper()
	walk := fmt.Sprintf(`SELECT cardinality((app_company_walk(ROW('%s', NULL, app_query('even'), NULL, NULL, NULL,
		false, now() - interval '2000 minutes',
		'created_at', true, NULL, NULL, 0, 26)::company_list)).page)::text`, s.Team)
	if got := s.ids(t, s.Owner, walk); got[0] != "26" {
		t.Errorf("the walk found %s of 26", got[0])
	}
}

func (s *setup) testLookingUpUsesTheIndexOfWords(t *testing.T) {
	t.Helper()
	// Where the planner expects words together that never are, the setting of the function makes it use the index.
	settings := testkit.Texts(t, s.URL, "SELECT unnest(proconfig) FROM pg_proc WHERE proname = 'app_company_match'")
	for what, with := range map[string][]string{
		"app_query('seldom'), NULL, NULL, NULL, false": nil, "app_query('nonsense'), 'team', 'event', NULL, true": nil,
		"app_query('even odd'), NULL, NULL, NULL, false": settings, "NULL, 'private', NULL, NULL, false": settings,
	} {
		narrow := strings.HasPrefix(what, "NULL")
		plan := s.systemPlan(t, fmt.Sprintf(
			"SELECT app_company_match_sql(ROW('%s', '%s', %s, NULL, 'created_at', true, NULL, NULL, 0, 26)::company_list, %s)",
			s.Team, s.Member, what, strconv.FormatBool(narrow)), with...)
		if !strings.Contains(plan, "Bitmap Index Scan on companies_words") ||
			strings.Contains(plan, "Seq Scan on companies ") {
			t.Errorf("%s:\n%s", what, plan)
		}
	}
}

// What is read under the caller's own role stays on indexes too: the policies do not cost them.
func (s *setup) testReadingUnderRowSecurityUsesIndexes(t *testing.T) {
	t.Helper()
	ids := "'{" + strings.Join(testkit.Texts(t, s.URL, "SELECT id FROM companies LIMIT 26"), ",") + "}'::uuid[]"
	for name, tc := range map[string]struct{ query, index string }{
		"a page's rows": {
			"SELECT name FROM companies WHERE id = ANY (" + ids + ") ORDER BY created_at DESC, id DESC LIMIT 26",
			"companies_pkey",
		},
		"a page of one's own": {
			"SELECT id FROM companies WHERE account_id = '" + s.Team.String() + "' ORDER BY created_at DESC, id DESC LIMIT 26",
			"companies_newest",
		},
		"its decks": {"SELECT id FROM company_files WHERE company_id = ANY (" + ids + ") AND role = 'deck'", "company_files"},
	} {
		var plan string
		err := s.DB.As(t.Context(), s.Member, func(tx *postgres.Tx) error {
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

// systemPlan explains the statement that a query makes, as the role that runs it, with these settings.
func (s *setup) systemPlan(t *testing.T, query string, settings ...string) string {
	t.Helper()
	built := testkit.Texts(t, s.URL, query)[0]
	tx, err := testkit.Administrator(t, s.URL).BeginTx(t.Context(), nil)
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
	s := newPlanner(t)
	s.crowd(t, 300)
	testkit.Exec(t, s.URL,
		"INSERT INTO company_shares (company_id, account_id, user_id) SELECT id, account_id, $1 FROM companies WHERE "+
			"visibility = 'shared' AND source = 'event'", s.Member)
	testkit.Exec(t, s.URL,
		"INSERT INTO company_assignees (company_id, account_id, user_id) SELECT id, account_id, $1 FROM companies WHERE "+
			"visibility <> 'team' AND source = 'form'", s.Member)
	seen := 0
	for _, user := range []uuid.UUID{s.Owner, s.Member} {
		for _, words := range []string{"NULL", "app_query('even')", "app_query('seldom')", "app_query('even odd')"} {
			for _, filter := range []string{
				"NULL, NULL, NULL, false", "'private', NULL, NULL, false", "'shared', 'event', NULL, false",
				"NULL, 'form', NULL, true", "'team', NULL, '" + s.Statuses["New"].String() + "', false",
			} {
				for _, order := range []string{"'created_at', true", "'updated_at', false", "'name', true"} {
					list := fmt.Sprintf("ROW('%s', NULL, %s, %s, %s, NULL, NULL, 2, 1000)::company_list", s.Team, words,
						filter+", NULL", order)
					walked := s.ids(t, user, fmt.Sprintf("SELECT unnest((app_company_walk(%s)).page)", list))
					seen += len(walked)
					looked := map[string]string{
						"filtered": "(app_company_filtered(%s, 1000)).page", "looked up": "app_company_match(%s, false)",
						"narrowly": "app_company_match(%s, true)",
					}
					if words != "NULL" {
						delete(looked, "filtered")
					}
					for how, call := range looked {
						if found := s.ids(t, user, "SELECT unnest("+fmt.Sprintf(call, list)+")"); !slices.Equal(found, walked) {
							t.Errorf("%s: %s %d, walked %d", list, how, len(found), len(walked))
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
	err := s.DB.As(t.Context(), user, func(tx *postgres.Tx) error { return tx.Raw(query).Scan(&found).Error })
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// A list without a filter is the same whether it is read by a static statement or walked.
func TestPlainListsAgreeWithWalks(t *testing.T) {
	t.Parallel()
	s := newPlanner(t)
	s.crowd(t, 300)
	testkit.Exec(t, s.URL, `INSERT INTO company_shares (company_id, account_id, user_id)
		SELECT id, account_id, $1 FROM companies WHERE visibility = 'shared' AND source = 'event'`, s.Member)
	for _, user := range []uuid.UUID{s.Owner, s.Member} {
		for _, order := range []string{"created_at", "updated_at", "name"} {
			for _, rest := range []string{
				"true, NULL, NULL, 0, 26", "false, NULL, NULL, 250, 26", "true, NULL, NULL, 3, 1000", "false, NULL, NULL, 1000, 26",
			} {
				list := fmt.Sprintf("ROW('%s', NULL, NULL, NULL, NULL, NULL, false, NULL, '%s', %s)::company_list", s.Team, order,
					rest)
				page := s.ids(t, user, "SELECT unnest(app_company_page("+list+"))")
				walked := s.ids(t, user, "SELECT unnest((app_company_walk("+list+")).page)")
				if !slices.Equal(page, walked) {
					t.Errorf("%s: %d in the page, walked %d", list, len(page), len(walked))
				}
			}
		}
	}
}

// A page that the walk does not reach is found all the same.
func TestRareRowsOfALargeAccount(t *testing.T) {
	t.Parallel()
	s := newPlanner(t)
	s.crowd(t, 9000)
	words, none := "seldom", "even odd"
	if got := s.names(t, s.Owner, company.ListQuery{Search: &words}); len(got) < 5 || len(got) > 9 {
		t.Errorf("%d rows hold the rare word", len(got))
	}
	if got := s.names(t, s.Owner, company.ListQuery{Search: &none}); len(got) != 0 {
		t.Errorf("%d rows hold words that are never together", len(got))
	}
	if got := s.names(t, s.Stranger, company.ListQuery{Search: &words}); len(got) != 0 {
		t.Errorf("a stranger finds %d rows", len(got))
	}
	private := s.names(t, s.Owner, company.ListQuery{
		Visibility: company.VisibilityPrivate, Source: "event", NoStatus: true, Sort: company.SortName,
	})
	hexadecimal := regexp.MustCompile(`^[0-9a-f]{32}$`)
	if len(private) == 0 || !slices.IsSortedFunc(private, func(a, b string) int { return strings.Compare(b, a) }) ||
		!hexadecimal.MatchString(private[0]) {
		t.Errorf("rare combination: %d rows, %v", len(private), private)
	}
}

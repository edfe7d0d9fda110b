package email_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
)

// subjects returns the subjects of a page, joined.
func subjects(rows []email.Email) string {
	var all strings.Builder
	for _, row := range rows {
		if row.Subject != nil {
			all.WriteString(*row.Subject)
		}
	}
	return all.String()
}

func TestListPagesSortsAndFilters(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company, yes, no := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), true, false
	ids := map[string]uuid.UUID{}
	for i, subject := range []string{"a", "b", "c", "d", "e"} {
		d := email.Draft{Subject: &subject, Content: "secret content", FromEmail: "ada@acme.example"}
		if i%2 == 0 {
			d.CompanyIDs, d.Tags = []uuid.UUID{company}, []string{"hot", subject}
		}
		if i > 2 {
			d.FromEmail = "Bob@Beta.Example"
		}
		ids[subject] = s.receive(t, d)
	}
	if _, err := s.service.Update(t.Context(), s.Owner, s.ID, ids["a"], email.Changes{Processed: &yes}); err != nil {
		t.Fatal(err)
	}
	unknown := uuid.New()
	tests := map[string]struct {
		query email.ListQuery
		want  string
		next  bool
	}{
		"first":            {email.ListQuery{Page: paging.First(2)}, "ed", true},
		"second":           {email.ListQuery{Page: paging.Page{Number: 2, Limit: 2}}, "cb", true},
		"last":             {email.ListQuery{Page: paging.Page{Number: 3, Limit: 2}}, "a", false},
		"beyond":           {email.ListQuery{Page: paging.Page{Number: 4, Limit: 2}}, "", false},
		"far beyond":       {email.ListQuery{Page: paging.Page{Number: 1 << 53, Limit: 100}}, "", false},
		"just full":        {email.ListQuery{Page: paging.First(5)}, "edcba", false},
		"oldest":           {email.ListQuery{Page: paging.First(3), Ascending: true}, "abc", true},
		"changed":          {email.ListQuery{SortBy: email.ByChange}, "aedcb", false},
		"changed, oldest":  {email.ListQuery{SortBy: email.ByChange, Ascending: true}, "bcdea", false},
		"of a company":     {email.ListQuery{Page: paging.First(2), CompanyID: &company}, "ec", true},
		"of an unknown":    {email.ListQuery{CompanyID: &unknown}, "", false},
		"processed":        {email.ListQuery{Processed: &yes}, "a", false},
		"not processed":    {email.ListQuery{Processed: &no}, "edcb", false},
		"from":             {email.ListQuery{FromEmail: "bob@beta.EXAMPLE"}, "ed", false},
		"from a part":      {email.ListQuery{FromEmail: "bob"}, "", false},
		"tagged":           {email.ListQuery{Tag: "hot"}, "eca", false},
		"tagged otherwise": {email.ListQuery{Tag: "c"}, "c", false},
		"other case":       {email.ListQuery{Tag: "Hot"}, "", false},
		"everything": {
			email.ListQuery{
				Tag: "hot", FromEmail: "ADA@acme.example", CompanyID: &company, Processed: &no, Search: new("secret c"),
				Ascending: true,
			}, "c", false,
		},
	}
	for name, tc := range tests {
		if tc.query.Number == 0 {
			tc.query.Number = 1
		}
		if tc.query.Limit == 0 {
			tc.query.Limit = 10
		}
		rows, next, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID, tc.query)
		if err != nil || subjects(rows) != tc.want || (next != nil) != tc.next || rows == nil {
			t.Errorf("%s: %q, next %v, %v; want %q, %v", name, subjects(rows), next, err, tc.want, tc.next)
		}
		for _, row := range rows {
			if row.Content != "" || row.ContentPreview != "secret content" {
				t.Errorf("%s: a row with content %q and preview %q", name, row.Content, row.ContentPreview)
			}
		}
	}
}

func TestListRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.receive(t, email.Draft{})
	q := email.ListQuery{Page: paging.First(10), Search: new("ada")}
	_, _, err := s.service.List(t.Context(), postgres.AsUser(s.Stranger), s.ID, q)
	wantKind(t, "stranger", err, fault.Forbidden, "")
	_, _, err = s.service.List(t.Context(), postgres.AsUser(s.Owner), uuid.New(), q)
	wantKind(t, "unknown account", err, fault.NotFound, "")
	if rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Stranger), s.Rival, q); err != nil || len(rows) != 0 {
		t.Errorf("the rival finds %v, %v", rows, err)
	}
	var told int
	err = s.DB.As(t.Context(), s.Stranger, func(tx *postgres.Tx) error {
		return tx.Raw(
			"SELECT cardinality(app_email_page(?, NULL, NULL, NULL, NULL, NULL, NULL, 'created_at', true, NULL, NULL, 0, 10))",
			s.ID,
		).Scan(&told).Error
	})
	if err != nil || told != 0 {
		t.Errorf("the function tells a stranger of %d emails, %v", told, err)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for subject, d := range map[string]email.Draft{
		"1": {Content: "We make ANVILS for blacksmiths, at 3.5% cost. Café Zürich."},
		"2": {Content: "アクメは日本語の会社です", FromName: "Grace Hopper"},
		"3": {Content: "see https://acme.example/deck?id=42", FromEmail: "sales@well-known.example", ToEmails: []string{
			"deals@fund.example",
		}},
		"4": {Content: strings.Repeat("filler ", 40_000) + "tail"},
		"5": {Content: "anvil"},
	} {
		d.Subject = new(subject + " ")
		s.receive(t, d)
	}
	for query, want := range map[string]string{
		"anvils": "1", "Anvils BLACKSMITHS": "1", "anvils missing": "", "anvil": "5", "anvi": "", "blacksmiths anvils": "1",
		"ZÜRICH café": "1", "zurich": "", "日本語": "2", "会社": "2", "本会": "", "日本 会社": "2", "grace": "2", "hopper grace": "2",
		"sales@well-known.example": "3", "SALES": "3", "fund.example": "3", "deals fund": "3", "acme.example/deck": "3",
		"42":     "3",
		"filler": "4", "1": "1", "1 anvils": "1", "3.5": "1", "3.5%": "1",
		"'": "", "!!!": "", " ": "", "anvils & | ! ( ) : * ' \\ <-> \"": "1", "anvils:*": "1", "anvi:*": "", "!anvil": "5",
		"%": "", "a|b": "", "\u200b": "", "\U0010ffff": "",
		strings.Repeat("anvils ", 71): "1", strings.Repeat("日", 500): "", strings.Repeat("(", 500): "",
	} {
		rows, _, err := s.service.List(t.Context(), postgres.AsUser(s.Member), s.ID,
			email.ListQuery{Page: paging.First(10), Search: &query})
		if got := strings.ReplaceAll(subjects(rows), " ", ""); err != nil || got != want {
			t.Errorf("%.40q finds %q, %v; want %q", query, got, err, want)
		}
	}
}

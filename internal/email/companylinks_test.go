package email_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company/match"
	"dealflow/internal/email"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// known makes a company with founders of these addresses.
func (s *setup) known(t *testing.T, accountID, creator uuid.UUID, visibility string, addresses ...string) uuid.UUID {
	t.Helper()
	var founders []map[string]string
	for _, address := range addresses {
		founders = append(founders, map[string]string{"email": address})
	}
	metadata, err := json.Marshal(map[string]any{"founders": founders})
	if err != nil {
		t.Fatal(err)
	}
	id := testkit.Company(t, s.DB, accountID, creator, visibility)
	testkit.Exec(t, s.URL, "UPDATE companies SET metadata = $1 WHERE id = $2", string(metadata), id)
	return id
}

// companiesOf are all companies that an email is linked to, whoever sees them, by these names.
func (s *setup) companiesOf(t *testing.T, id uuid.UUID, names map[uuid.UUID]string) string {
	t.Helper()
	var found []string
	for _, linked := range testkit.Texts(t, s.URL, "SELECT company_id::text FROM email_companies WHERE email_id = $1",
		id) {
		found = append(found, names[uuid.MustParse(linked)])
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

func TestNewEmailsAreLinkedToCompaniesThatTheirAddressesBelongTo(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	names := map[uuid.UUID]string{
		s.known(t, s.ID, s.Owner, "team", "ada@acme.example"):                "acme",
		s.known(t, s.ID, s.Owner, "team", "bob@gmail.com", "carl@b.example"): "b",
		s.known(t, s.ID, s.Member, "private", "zoe@secret.example"):          "secret",
		s.known(t, s.Rival, s.Stranger, "team", "eve@rival.example"):         "rival",
		s.known(t, s.ID, s.Owner, "team", "olivia@fund.example"):             "own",
	}
	given := s.known(t, s.ID, s.Owner, "team")
	names[given] = "given"
	for name, tc := range map[string]struct {
		draft email.Draft
		want  string
	}{
		"from a founder":     {email.Draft{FromEmail: "ADA@acme.example"}, "acme"},
		"from his colleague": {email.Draft{FromEmail: "cto@eu.Acme.example"}, "acme"},
		"to a founder": {
			email.Draft{FromEmail: "x@else.example", ToEmails: []string{"Ada <ada@acme.example>", "bob@gmail.com"}}, "acme b",
		},
		"copied to a founder": {
			email.Draft{FromEmail: "x@else.example", Metadata: json.RawMessage(`{"cc": ["y@else.example", "carl@b.example"]}`)},
			"b",
		},
		"with a company given": {
			email.Draft{FromEmail: "ada@acme.example", CompanyIDs: []uuid.UUID{given}}, "acme given",
		},
		"to a private company": {email.Draft{FromEmail: "zoe@secret.example"}, "secret"},
		"another team's":       {email.Draft{FromEmail: "eve@rival.example"}, ""},
		"the same provider":    {email.Draft{FromEmail: "someone.else@gmail.com"}, ""},
		"the team's own domain": {
			email.Draft{FromEmail: "olivia@fund.example", ToEmails: []string{"new@fund.example"}}, "own",
		},
		"the team's own people":     {email.Draft{FromEmail: "new@fund.example"}, ""},
		"a domain within another":   {email.Draft{FromEmail: "ada@acme.example.org"}, ""},
		"a copy that is no address": {email.Draft{FromEmail: "x@else.example", Metadata: json.RawMessage(`{"cc": 5}`)}, ""},
		"an address that is none": {
			email.Draft{FromEmail: "acme.example", ToEmails: []string{"@acme.example", "ada@", "", "a b@acme.example"}}, "",
		},
		"addresses with odd bytes": {
			email.Draft{FromEmail: "x@else.example", ToEmails: []string{"\x00carl@b.example", "\xffada@acme.example"}}, "acme",
		},
	} {
		if got := s.companiesOf(t, s.receive(t, tc.draft), names); got != tc.want {
			t.Errorf("%s: linked to %q, want %q", name, got, tc.want)
		}
	}
}

func TestADomainOfManyIsNobodysOwn(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	names := map[uuid.UUID]string{}
	for n := range 21 {
		names[s.known(t, s.ID, s.Owner, "team", fmt.Sprintf("founder%d@accelerator.example", n))] = fmt.Sprint(n)
	}
	if got := s.companiesOf(t, s.receive(t, email.Draft{FromEmail: "office@accelerator.example"}), names); got != "" {
		t.Errorf("linked to %s", got)
	}
	if got := s.companiesOf(t, s.receive(t, email.Draft{FromEmail: "founder3@accelerator.example"}), names); got != "3" {
		t.Errorf("a founder's mail is linked to %q, want his company", got)
	}
}

func TestStrangersLinkNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.known(t, s.ID, s.Owner, "team", "ada@acme.example")
	id := s.receive(t, email.Draft{FromEmail: "x@else.example"})
	letters := []match.Correspondence{
		{EmailID: id, Addresses: []string{"ada@acme.example"}},
		{EmailID: uuid.New(), Addresses: []string{"ada@acme.example"}},
	}
	err := s.DB.As(t.Context(), s.Stranger,
		func(tx *postgres.Tx) error { return match.New().LinkEmails(tx, s.ID, letters) })
	if err != nil || testkit.Count(t, s.URL, "email_companies") != 0 {
		t.Errorf("a stranger's links: %d, %v", testkit.Count(t, s.URL, "email_companies"), err)
	}
	err = s.DB.As(t.Context(), s.Member, func(tx *postgres.Tx) error { return match.New().LinkEmails(tx, s.ID, letters) })
	if err != nil || testkit.Count(t, s.URL, "email_companies") != 1 {
		t.Errorf("a member's links: %d, want that of the email which is there; %v",
			testkit.Count(t, s.URL, "email_companies"), err)
	}
}

func TestThousandsAreLinkedAtOnce(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	testkit.Exec(t, s.URL, `INSERT INTO companies (id, account_id, name, visibility, source, created_by, updated_by,
		metadata)
		SELECT gen_random_uuid(), $1, 'C' || n, 'team', 'manual', $2, $2, jsonb_build_object('founders',
			jsonb_build_array(jsonb_build_object('email', 'ada@c' || n || '.example')))
		FROM generate_series(1, 2000) AS n`, s.ID, s.Owner)
	s.many(t, 4000)
	ids := testkit.Texts(t, s.URL, "SELECT id::text FROM emails ORDER BY external_id::integer")
	letters := make([]match.Correspondence, len(ids))
	for i, id := range ids {
		letters[i] = match.Correspondence{
			EmailID: uuid.MustParse(id), Addresses: []string{fmt.Sprintf("cto@c%d.example", i%4000+1), "x@else.example"},
		}
	}
	began := time.Now()
	err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error { return match.New().LinkEmails(tx, s.ID, letters) })
	if err != nil || testkit.Count(t, s.URL, "email_companies") != 2000 {
		t.Errorf("%d links, want 2000; %v", testkit.Count(t, s.URL, "email_companies"), err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("4000 emails took %v", took)
	} else {
		t.Logf("4000 emails took %v", took)
	}
}

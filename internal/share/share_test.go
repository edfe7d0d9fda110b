package share_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/password"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
	"dealflow/internal/testkit"
)

type setup struct {
	*testkit.Team

	service *share.Service
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	team := testkit.NewTeam(t)
	return &setup{Team: team, service: share.New(share.Deps{DB: team.DB, Now: time.Now, Passwords: password.New(0)})}
}

// link makes a link of somebody to companies at full permissions, with a password unless secret is "".
func (s *setup) link(t *testing.T, by uuid.UUID, secret string, companies ...uuid.UUID) share.Link {
	t.Helper()
	draft := share.Draft{}
	if secret != "" {
		draft.Password = &secret
	}
	for _, id := range companies {
		draft.Companies = append(draft.Companies, share.Wanted{CompanyID: id, Permissions: share.Full})
	}
	made, err := s.service.Create(t.Context(), by, s.ID, draft)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return made
}

func TestCodesAreLongAndDiffer(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	company, seen := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), map[string]bool{}
	for range 20 {
		made := s.link(t, s.Owner, "", company)
		if len(made.ShortCode) < 10 || seen[made.ShortCode] || made.CreatedAt.IsZero() {
			t.Errorf("made %+v", made)
		}
		seen[made.ShortCode] = true
	}
	if told := testkit.Count(t, s.URL, "activity WHERE type = 'link_created' AND company_id IS NULL"); told != 20 {
		t.Errorf("%d activities tell of the links", told)
	}
}

func TestPasswordsAreKeptAsHashes(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	made := s.link(t, s.Owner, "correct horse", testkit.Company(t, s.DB, s.ID, s.Owner, "team"))
	if hashed := testkit.Count(t, s.URL,
		"shared_links WHERE password_hash LIKE '$argon2id$v=19$m=65536,%' AND password_protected"); hashed != 1 {
		t.Error("the password is not kept as an argon2id hash")
	}
	if !made.PasswordProtected {
		t.Error("the link is open")
	}
	err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
		return tx.Exec("SELECT password_hash FROM shared_links").Error
	})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("hashes can be read: %v", err)
	}
}

// What the database itself refuses, whatever the application asks for.
func TestLinksAreGuardedByTheDatabase(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	team, shared := testkit.Company(t, s.DB, s.ID, s.Owner, "team"), testkit.Company(t, s.DB, s.ID, s.Owner, "shared")
	open := s.link(t, s.Owner, "", team)
	hidden := s.link(t, s.Owner, "", team, shared)
	for name, tc := range map[string]struct {
		user         uuid.UUID
		links, items int
	}{"owner": {s.Owner, 2, 3}, "member": {s.Member, 1, 1}, "stranger": {s.Stranger, 0, 0}, "nobody": {uuid.Nil, 0, 0}} {
		var links, items int
		err := s.DB.As(t.Context(), tc.user, func(tx *postgres.Tx) error {
			if err := tx.Raw("SELECT count(*) FROM shared_links").Scan(&links).Error; err != nil {
				return err
			}
			return tx.Raw("SELECT count(*) FROM shared_link_companies").Scan(&items).Error
		})
		if err != nil || links != tc.links || items != tc.items {
			t.Errorf("%s sees %d links and %d companies of links, %v; want %d and %d", name, links, items, err, tc.links,
				tc.items)
		}
	}
	for name, statement := range map[string]string{
		"a link as another": "INSERT INTO shared_links (id, account_id, short_code, created_by) VALUES " +
			"(gen_random_uuid(), '" + s.ID.String() + "', 'x', '" + s.Owner.String() + "')",
		"more on another's link": "INSERT INTO shared_link_companies VALUES ('" + s.ID.String() + "', '" +
			open.ID.String() + "', '" + shared.String() + "', 'full', 1)",
		"other permissions":        "UPDATE shared_link_companies SET permissions = 'full'",
		"another password":         "UPDATE shared_links SET password_hash = NULL",
		"another maker of a link":  "UPDATE shared_links SET created_by = '" + s.Member.String() + "'",
		"a company off a link":     "DELETE FROM shared_link_companies",
		"hashes through the table": "SELECT * FROM shared_links",
	} {
		if err := s.DB.As(t.Context(), s.Member,
			func(tx *postgres.Tx) error { return tx.Exec(statement).Error }); err == nil {
			t.Errorf("the database allows %s", name)
		}
	}
	var deleted, counted int64
	err := s.DB.As(t.Context(), s.Member, func(tx *postgres.Tx) error {
		counted = tx.Exec("UPDATE shared_links SET view_count = 99").RowsAffected
		deleted = tx.Exec("DELETE FROM shared_links WHERE id = ?", hidden.ID).RowsAffected
		return nil
	})
	if err != nil || deleted+counted != 0 {
		t.Errorf("a member deletes %d and counts %d links, %v", deleted, counted, err)
	}
}

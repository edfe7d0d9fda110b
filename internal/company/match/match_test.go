package match_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/match"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// team is a team that companies are known to.
type team struct{ *testkit.Team }

func newTeam(t *testing.T) *team {
	t.Helper()
	return &team{testkit.NewTeam(t)}
}

// companies is the service, for what needs no storage.
func (s *team) companies() *company.Service {
	log := slog.New(slog.DiscardHandler)
	return company.New(company.Deps{DB: s.DB, Work: work.NewStore(s.DB, nil, log)})
}

// known is a stored company, or a candidate, as the tests write it: "Name | founders' addresses | deck link | deck's
// hash".
type known string

func (k known) candidate(t *testing.T) match.Candidate {
	t.Helper()
	parts := strings.Split(string(k)+"|||", "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	founders := []map[string]string{}
	for address := range strings.FieldsSeq(parts[1]) {
		founders = append(founders, map[string]string{"name": "Ada", "email": address})
	}
	metadata, err := json.Marshal(map[string]any{"founders": founders})
	if err != nil {
		t.Fatal(err)
	}
	c := match.Candidate{Name: parts[0], Metadata: metadata, Decks: strings.Fields(parts[3])}
	if parts[2] != "" {
		c.DeckLink = &parts[2]
	}
	return c
}

// add stores a company as a member of its account.
func (s *team) add(t *testing.T, k known, user, account uuid.UUID, visibility string) uuid.UUID {
	t.Helper()
	c, id := k.candidate(t), uuid.New()
	err := s.DB.As(t.Context(), user, func(tx *postgres.Tx) error {
		err := tx.Exec("INSERT INTO companies (id, account_id, name, deck_link, metadata, visibility, source, created_by, "+
			"updated_by) VALUES (?, ?, ?, ?, ?::jsonb, ?, 'manual', ?, ?)",
			id, account, c.Name, c.DeckLink, string(c.Metadata), visibility, user, user).Error
		for _, deck := range c.Decks {
			if err == nil {
				err = s.addFile(tx, account, id, user, "deck", company.PDF, deck)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("add %s: %v", k, err)
	}
	return id
}

func (s *team) addFile(tx *postgres.Tx, account, id, user uuid.UUID, role, media, hash string) error {
	return tx.Exec(`INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, media_type,
		sha256, created_by)
		VALUES (gen_random_uuid(), ?, ?, ?, 'file', 'f', ?, ?, ?)`, account, id, role, media, hash, user).Error
}

func (s *team) match(t *testing.T, user uuid.UUID, k known) match.Result {
	t.Helper()
	var found match.Result
	err := s.DB.As(t.Context(), user, func(tx *postgres.Tx) (err error) {
		found, err = match.New().Match(tx, s.ID, k.candidate(t))
		return err
	})
	if err != nil {
		t.Fatalf("match %s: %v", k, err)
	}
	return found
}

func TestSameCompanyIsFound(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	member := testkit.Texts(t, s.URL, "SELECT email FROM users WHERE id = $1", s.Member)[0]
	for name, tc := range map[string]struct {
		there, comes known
		reason       string // a part of it; "" must not match
	}{
		"same deck": {"Aa One | | | d01", "Quite Another | bob@gmail.com | | d01", "the very file"},
		"founder's address in capitals": {
			"Ab One | ab.one@gmail.com", "Ab Two | zoe@x.example AB.one@Gmail.com ", "ab.one@gmail.com",
		},
		"own domain": {"Ac One | ada@acone.example", "Other Words | bob@acone.example", "acone.example"},
		"domain below, of a country": {
			"Ad One | ada@mail.adone.co.uk", "Other Words | bob@eu.adone.co.uk", "adone.co.uk",
		},
		"site called like the company": {
			"Ae One | | https://www.ae-one.example/deck", "Words | bob@ae-one.example", "ae-one.example",
		},
		"name in capitals":             {"Afone | ada@gmail.com", "AFONE | bob@gmail.com", "name"},
		"name with a legal form":       {"Agone GmbH", "Agone", "name"},
		"names with two legal forms":   {"Ahone GmbH & Co. KG", "Ahone, Inc.", "name"},
		"name, punctuation, spaces":    {"Ai-One  Labs", "ai one labs S.r.l.", "name"},
		"name in Japanese":             {"株式会社アジョネ", "アジョネ", "name"},
		"name in Russian":              {"ООО «Аконе»", "Аконе", "name"},
		"name, one with a domain":      {"Alone | ada@alone.example", "Alone AG | bob@web.de", "name"},
		"name, a domain in common":     {"Amone | ada@amone.example ada@amone.io", "Amone | bob@amone.io", "amone.io"},
		"name, other domains":          {"Anone | ada@anone.example", "Anone | bob@anone.dev", ""},
		"name, site of another domain": {"Aoone | ada@aoone.example", "Aoone | | https://aoone.dev/deck", ""},
		"gmail.com":                    {"Ap One | ada@gmail.com", "Ap Two | bob@gmail.com", ""},
		"googlemail.com":               {"Ap Three | ada@googlemail.com", "Ap Four | bob@googlemail.com", ""},
		"web.de":                       {"Aq One | ada@web.de", "Aq Two | bob@web.de", ""},
		"qq.com":                       {"Ar One | ada@qq.com", "Ar Two | bob@vip.qq.com", ""},
		"yahoo.co.jp":                  {"As One | ada@yahoo.co.jp", "As Two | bob@yahoo.co.jp", ""},
		"hotmail.fr":                   {"At One | ada@hotmail.fr", "At Two | bob@hotmail.fr", ""},
		"a university":                 {"Au One | ada@stanford.edu", "Au Two | bob@cs.stanford.edu", ""},
		"a British university":         {"Av One | ada@cam.ac.uk", "Av Two | bob@cam.ac.uk", ""},
		"a public suffix alone":        {"Aw One | ada@awone.co.uk", "Aw Two | bob@awtwo.co.uk", ""},
		"a shared host":                {"Ax One | ada@axone.github.io", "Ax Two | bob@axtwo.github.io", ""},
		"decks on one platform": {
			"Ay One | | https://docsend.com/view/a", "Ay Two | | https://docsend.com/view/b", "",
		},
		"the platform's own name": {
			"Docsend | | https://docsend.com/view/c", "Az Two | | https://docsend.com/view/d", "",
		},
		"the team's own domain":           {"Ba One | ada@fund.example", "Ba Two | bob@fund.example", ""},
		"a member's address":              {"Bb One | MEMBER", "Bb Two | MEMBER", ""},
		"an address within another":       {"Bc One | ada@bcone.example", "Bc Two | ada@bcone.example.org", ""},
		"a name that begins like another": {"Bdone", "Bdone Robotics", ""},
		"names that nobody gave":          {"Untitled company", "Untitled company", ""},
		"names that are kept secret":      {"Stealth Startup, Inc.", "stealth startup", ""},
		"nothing but legal forms":         {"SAS", "GmbH", ""},
		"nothing at all":                  {"Be One", "", ""},
	} {
		for _, k := range []*known{&tc.there, &tc.comes} {
			*k = known(strings.ReplaceAll(string(*k), "MEMBER", member))
		}
		there := s.add(t, tc.there, s.Owner, s.ID, "team")
		found := s.match(t, s.Owner, tc.comes)
		switch {
		case tc.reason == "" && found.CompanyID != uuid.Nil:
			t.Errorf("%s: matched %q, must not: %s", name, tc.there, found.Reason)
		case tc.reason != "" && (found.CompanyID != there || !strings.Contains(found.Reason, tc.reason)):
			t.Errorf("%s: found %+v, want %v because of %q", name, found, there, tc.reason)
		case found.Reason == "":
			t.Errorf("%s: no reason is given", name)
		}
	}
}

func TestFoundersThatAreNoFounders(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	for _, metadata := range []string{
		`{}`, `{"founders": null}`, `{"founders": "ada@x.example"}`, `{"founders": {"email": 5}}`,
		`{"founders": [1, null, {"email": ["a@b.c"]}, {"email": "none"}, {"email": "@x.y"}]}`,
	} {
		var found match.Result
		err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) (err error) {
			found, err = match.New().Match(tx, s.ID, match.Candidate{Metadata: json.RawMessage(metadata)})
			return err
		})
		if err != nil || found.CompanyID != uuid.Nil {
			t.Errorf("%s: %+v, %v", metadata, found, err)
		}
	}
}

func TestOnlyWhatTheUserSeesIsFound(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	s.add(t, "Elsewhere | eve@elsewhere.example | | e1", s.Stranger, s.Rival, "team")
	s.add(t, "Secret | ada@secret.example | | e2", s.Owner, s.ID, "private")
	s.add(t, "Shared | ada@shared.example | | e3", s.Owner, s.ID, "shared")
	mine := s.add(t, "Mine | ada@mine.example | | e4", s.Member, s.ID, "private")
	for _, k := range []known{
		"Elsewhere | eve@elsewhere.example | | e1", "Secret | ada@secret.example | | e2",
		"Shared | ada@shared.example | | e3",
	} {
		if found := s.match(t, s.Member, k); found.CompanyID != uuid.Nil {
			t.Errorf("a member is told of %s: %+v", k, found)
		}
	}
	if found := s.match(t, s.Member, "Mine"); found.CompanyID != mine {
		t.Errorf("his own private company is not found: %+v", found)
	}
}

func TestTheFirmestReasonAndTheOldestCompanyWin(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	name := s.add(t, "Acme", s.Owner, s.ID, "team")
	domain := s.add(t, "Roadrunner | wile@acme.example", s.Owner, s.ID, "team")
	founder := s.add(t, "Coyote | ada@gmail.com", s.Owner, s.ID, "team")
	deck := s.add(t, "Canyon | | | d1", s.Owner, s.ID, "team")
	s.add(t, "Acme | ada@gmail.com bob@acme.example | | d1", s.Owner, s.ID, "team")
	for k, want := range map[known]uuid.UUID{
		"Acme | ada@gmail.com bob@acme.example | | d1": deck, "Acme | ada@gmail.com carl@acme.example": founder,
		"Acme | carl@acme.example": domain, "Acme": name,
	} {
		if found := s.match(t, s.Owner, k); found.CompanyID != want {
			t.Errorf("%s: %+v, want %v", k, found, want)
		}
	}
}

func TestADomainOfManyTellsNothing(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	first := s.add(t, "Pupil | a@accelerator.example", s.Owner, s.ID, "team")
	for n := range 19 {
		s.add(t, known(fmt.Sprintf("Pupil %d | a%d@accelerator.example", n, n)), s.Owner, s.ID, "team")
	}
	if found := s.match(t, s.Owner, "Other | b@accelerator.example"); found.CompanyID != first {
		t.Errorf("20 companies of a domain: %+v, want the oldest", found)
	}
	s.add(t, "Pupil 20 | a20@accelerator.example", s.Owner, s.ID, "team")
	if found := s.match(t, s.Owner, "Other | b@accelerator.example"); found.CompanyID != uuid.Nil {
		t.Errorf("21 companies of a domain: %+v, want none", found)
	}
	if found := s.match(t, s.Owner, "Other | a@accelerator.example"); found.CompanyID != first {
		t.Errorf("a founder's address there: %+v, want his company", found)
	}
}

func TestKeysFollowTheCompany(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	id := s.add(t, "Before | ada@before.example | | d1", s.Owner, s.ID, "team")
	change := company.Change{
		Name: new("After"), Metadata: json.RawMessage(`{"founders": [{"email": "ada@after.example"}]}`),
	}
	if _, err := s.companies().Update(t.Context(), postgres.AsUser(s.Owner), id, change); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[known]bool{
		"After": true, "X | ada@after.example": true, "X | | | d1": true, "Before": false, "X | ada@before.example": false,
		"X | bob@before.example": false,
	} {
		if found := s.match(t, s.Owner, k); (found.CompanyID == id) != want {
			t.Errorf("after the change %s: %+v", k, found)
		}
	}
	testkit.Exec(t, s.URL, "UPDATE company_files SET role = 'attachment'")
	if found := s.match(t, s.Owner, "X | | | d1"); found.CompanyID != uuid.Nil {
		t.Errorf("what is no deck any more counts: %+v", found)
	}
	if err := s.companies().Delete(t.Context(), s.Owner, id); err != nil {
		t.Fatal(err)
	}
	if n := testkit.Count(t, s.URL, "company_keys"); n != 0 {
		t.Errorf("%d keys are left of a deleted company", n)
	}
}

func TestOnlyPresentationsTellCompaniesApart(t *testing.T) {
	t.Parallel()
	s := newTeam(t)
	for media, want := range map[string]bool{
		company.PDF: true, "application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
		"image/png": false, "text/plain": false,
	} {
		id := s.add(t, known("C "+uuid.NewString()), s.Owner, s.ID, "team")
		err := s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
			return s.addFile(tx, s.ID, id, s.Owner, "deck", media, media)
		})
		if err != nil {
			t.Fatal(err)
		}
		if found := s.match(t, s.Owner, known("X | | | "+media)); (found.CompanyID == id) != want {
			t.Errorf("%s: %+v", media, found)
		}
	}
}

func TestOwnDomain(t *testing.T) {
	t.Parallel()
	m := match.New()
	for host, want := range map[string]string{
		"acme.com": "acme.com", "Mail.EU.Acme.co.uk.": "acme.co.uk", "acme.example": "acme.example",
		"acme.vercel.app": "acme.vercel.app", "me.acme.ac": "acme.ac",
		"gmail.com": "", "yahoo.com.br": "", "privaterelay.appleid.com": "", "smtp.web.de": "", "co.uk": "", "com": "",
		"": "", "localhost": "", "tokyo.ac.jp": "", "..": "",
		"liveacme.com": "liveacme.com", "notgmx.de": "notgmx.de",
	} {
		if got := m.OwnDomain(host); got != want {
			t.Errorf("OwnDomain(%q) = %q, want %q", host, got, want)
		}
	}
}

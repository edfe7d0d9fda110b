package company_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
	"dealflow/internal/testkit"
)

// known is a company that is there, or a candidate, as the tests write it: "Name | founders' addresses | deck link |
// deck's hash".
type known string

func (k known) candidate(t *testing.T) company.Candidate {
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
	c := company.Candidate{Name: parts[0], Metadata: metadata, Decks: strings.Fields(parts[3])}
	if parts[2] != "" {
		c.DeckLink = &parts[2]
	}
	return c
}

// add makes a company that is there, as one of its account.
func (s *setup) add(t *testing.T, k known, user, team uuid.UUID, visibility string) uuid.UUID {
	t.Helper()
	c, id := k.candidate(t), uuid.New()
	err := s.db.As(t.Context(), user, func(tx *postgres.Tx) error {
		err := tx.Exec("INSERT INTO companies (id, account_id, name, deck_link, metadata, visibility, source, created_by, updated_by) VALUES (?, ?, ?, ?, ?::jsonb, ?, 'manual', ?, ?)",
			id, team, c.Name, c.DeckLink, string(c.Metadata), visibility, user, user).Error
		for _, deck := range c.Decks {
			if err == nil {
				err = s.addFile(tx, team, id, user, "deck", company.PDF, deck)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("add %s: %v", k, err)
	}
	return id
}

func (s *setup) addFile(tx *postgres.Tx, team, id, user uuid.UUID, role, media, hash string) error {
	return tx.Exec(`INSERT INTO company_files (id, account_id, company_id, role, attachment_type, title, media_type, sha256, created_by)
		VALUES (gen_random_uuid(), ?, ?, ?, 'file', 'f', ?, ?, ?)`, team, id, role, media, hash, user).Error
}

func (s *setup) match(t *testing.T, user uuid.UUID, k known) company.Match {
	t.Helper()
	var found company.Match
	err := s.db.As(t.Context(), user, func(tx *postgres.Tx) (err error) {
		found, err = company.NewMatcher().Match(tx, s.team, k.candidate(t))
		return err
	})
	if err != nil {
		t.Fatalf("match %s: %v", k, err)
	}
	return found
}

func TestSameCompanyIsFound(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for name, tc := range map[string]struct {
		there, comes known
		reason       string // a part of it; "" must not match
	}{
		"same deck":                       {"Aa One | | | d01", "Quite Another | bob@gmail.com | | d01", "the very file"},
		"founder's address in capitals":   {"Ab One | ab.one@gmail.com", "Ab Two | zoe@x.example AB.one@Gmail.com ", "ab.one@gmail.com"},
		"own domain":                      {"Ac One | ada@acone.example", "Other Words | bob@acone.example", "acone.example"},
		"domain below, of a country":      {"Ad One | ada@mail.adone.co.uk", "Other Words | bob@eu.adone.co.uk", "adone.co.uk"},
		"site called like the company":    {"Ae One | | https://www.ae-one.example/deck", "Words | bob@ae-one.example", "ae-one.example"},
		"name in capitals":                {"Afone | ada@gmail.com", "AFONE | bob@gmail.com", "name"},
		"name with a legal form":          {"Agone GmbH", "Agone", "name"},
		"names with two legal forms":      {"Ahone GmbH & Co. KG", "Ahone, Inc.", "name"},
		"name, punctuation, spaces":       {"Ai-One  Labs", "ai one labs S.r.l.", "name"},
		"name in Japanese":                {"株式会社アジョネ", "アジョネ", "name"},
		"name in Russian":                 {"ООО «Аконе»", "Аконе", "name"},
		"name, one with a domain":         {"Alone | ada@alone.example", "Alone AG | bob@web.de", "name"},
		"name, a domain in common":        {"Amone | ada@amone.example ada@amone.io", "Amone | bob@amone.io", "amone.io"},
		"name, other domains":             {"Anone | ada@anone.example", "Anone | bob@anone.dev", ""},
		"name, site of another domain":    {"Aoone | ada@aoone.example", "Aoone | | https://aoone.dev/deck", ""},
		"gmail.com":                       {"Ap One | ada@gmail.com", "Ap Two | bob@gmail.com", ""},
		"googlemail.com":                  {"Ap Three | ada@googlemail.com", "Ap Four | bob@googlemail.com", ""},
		"web.de":                          {"Aq One | ada@web.de", "Aq Two | bob@web.de", ""},
		"qq.com":                          {"Ar One | ada@qq.com", "Ar Two | bob@vip.qq.com", ""},
		"yahoo.co.jp":                     {"As One | ada@yahoo.co.jp", "As Two | bob@yahoo.co.jp", ""},
		"hotmail.fr":                      {"At One | ada@hotmail.fr", "At Two | bob@hotmail.fr", ""},
		"a university":                    {"Au One | ada@stanford.edu", "Au Two | bob@cs.stanford.edu", ""},
		"a British university":            {"Av One | ada@cam.ac.uk", "Av Two | bob@cam.ac.uk", ""},
		"a public suffix alone":           {"Aw One | ada@awone.co.uk", "Aw Two | bob@awtwo.co.uk", ""},
		"a shared host":                   {"Ax One | ada@axone.github.io", "Ax Two | bob@axtwo.github.io", ""},
		"decks on one platform":           {"Ay One | | https://docsend.com/view/a", "Ay Two | | https://docsend.com/view/b", ""},
		"the platform's own name":         {"Docsend | | https://docsend.com/view/c", "Az Two | | https://docsend.com/view/d", ""},
		"the team's own domain":           {"Ba One | ada@fund.example", "Ba Two | bob@fund.example", ""},
		"a member's address":              {"Bb One | member@fund.example", "Bb Two | member@fund.example", ""},
		"an address within another":       {"Bc One | ada@bcone.example", "Bc Two | ada@bcone.example.org", ""},
		"a name that begins like another": {"Bdone", "Bdone Robotics", ""},
		"names that nobody gave":          {"Untitled company", "Untitled company", ""},
		"names that are kept secret":      {"Stealth Startup, Inc.", "stealth startup", ""},
		"nothing but legal forms":         {"SAS", "GmbH", ""},
		"nothing at all":                  {"Be One", "", ""},
	} {
		there := s.add(t, tc.there, s.owner, s.team, "team")
		found := s.match(t, s.owner, tc.comes)
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
	s := newSetup(t)
	for _, metadata := range []string{`{}`, `{"founders": null}`, `{"founders": "ada@x.example"}`, `{"founders": {"email": 5}}`, `{"founders": [1, null, {"email": ["a@b.c"]}, {"email": "none"}, {"email": "@x.y"}]}`} {
		var found company.Match
		err := s.db.As(t.Context(), s.owner, func(tx *postgres.Tx) (err error) {
			found, err = company.NewMatcher().Match(tx, s.team, company.Candidate{Metadata: json.RawMessage(metadata)})
			return err
		})
		if err != nil || found.CompanyID != uuid.Nil {
			t.Errorf("%s: %+v, %v", metadata, found, err)
		}
	}
}

func TestOnlyWhatTheUserSeesIsFound(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.add(t, "Elsewhere | eve@elsewhere.example | | e1", s.stranger, s.rival, "team")
	s.add(t, "Secret | ada@secret.example | | e2", s.owner, s.team, "private")
	s.add(t, "Shared | ada@shared.example | | e3", s.owner, s.team, "shared")
	mine := s.add(t, "Mine | ada@mine.example | | e4", s.member, s.team, "private")
	for _, k := range []known{"Elsewhere | eve@elsewhere.example | | e1", "Secret | ada@secret.example | | e2", "Shared | ada@shared.example | | e3"} {
		if found := s.match(t, s.member, k); found.CompanyID != uuid.Nil {
			t.Errorf("a member is told of %s: %+v", k, found)
		}
	}
	if found := s.match(t, s.member, "Mine"); found.CompanyID != mine {
		t.Errorf("his own private company is not found: %+v", found)
	}
}

func TestTheFirmestReasonAndTheOldestCompanyWin(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	name := s.add(t, "Acme", s.owner, s.team, "team")
	domain := s.add(t, "Roadrunner | wile@acme.example", s.owner, s.team, "team")
	founder := s.add(t, "Coyote | ada@gmail.com", s.owner, s.team, "team")
	deck := s.add(t, "Canyon | | | d1", s.owner, s.team, "team")
	s.add(t, "Acme | ada@gmail.com bob@acme.example | | d1", s.owner, s.team, "team")
	for k, want := range map[known]uuid.UUID{
		"Acme | ada@gmail.com bob@acme.example | | d1": deck, "Acme | ada@gmail.com carl@acme.example": founder, "Acme | carl@acme.example": domain, "Acme": name,
	} {
		if found := s.match(t, s.owner, k); found.CompanyID != want {
			t.Errorf("%s: %+v, want %v", k, found, want)
		}
	}
}

func TestADomainOfManyTellsNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	first := s.add(t, "Pupil | a@accelerator.example", s.owner, s.team, "team")
	for n := range 19 {
		s.add(t, known(fmt.Sprintf("Pupil %d | a%d@accelerator.example", n, n)), s.owner, s.team, "team")
	}
	if found := s.match(t, s.owner, "Other | b@accelerator.example"); found.CompanyID != first {
		t.Errorf("20 companies of a domain: %+v, want the oldest", found)
	}
	s.add(t, "Pupil 20 | a20@accelerator.example", s.owner, s.team, "team")
	if found := s.match(t, s.owner, "Other | b@accelerator.example"); found.CompanyID != uuid.Nil {
		t.Errorf("21 companies of a domain: %+v, want none", found)
	}
	if found := s.match(t, s.owner, "Other | a@accelerator.example"); found.CompanyID != first {
		t.Errorf("a founder's address there: %+v, want his company", found)
	}
}

func TestKeysFollowTheCompany(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.add(t, "Before | ada@before.example | | d1", s.owner, s.team, "team")
	change := company.Change{Name: new("After"), Metadata: json.RawMessage(`{"founders": [{"email": "ada@after.example"}]}`)}
	if _, err := s.service.Update(t.Context(), postgres.AsUser(s.owner), id, change); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[known]bool{"After": true, "X | ada@after.example": true, "X | | | d1": true, "Before": false, "X | ada@before.example": false, "X | bob@before.example": false} {
		if found := s.match(t, s.owner, k); (found.CompanyID == id) != want {
			t.Errorf("after the change %s: %+v", k, found)
		}
	}
	testkit.Exec(t, s.url, "UPDATE company_files SET role = 'attachment'")
	if found := s.match(t, s.owner, "X | | | d1"); found.CompanyID != uuid.Nil {
		t.Errorf("what is no deck any more counts: %+v", found)
	}
	if err := s.service.Delete(t.Context(), s.owner, id); err != nil {
		t.Fatal(err)
	}
	if n := s.count(t, "company_keys"); n != 0 {
		t.Errorf("%d keys are left of a deleted company", n)
	}
}

func TestOnlyPresentationsTellCompaniesApart(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for media, want := range map[string]bool{
		company.PDF: true, "application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
		"image/png": false, "text/plain": false,
	} {
		id := s.add(t, known("C "+uuid.NewString()), s.owner, s.team, "team")
		err := s.db.As(t.Context(), s.owner, func(tx *postgres.Tx) error { return s.addFile(tx, s.team, id, s.owner, "deck", media, media) })
		if err != nil {
			t.Fatal(err)
		}
		if found := s.match(t, s.owner, known("X | | | "+media)); (found.CompanyID == id) != want {
			t.Errorf("%s: %+v", media, found)
		}
	}
}

func TestOwnDomain(t *testing.T) {
	t.Parallel()
	m := company.NewMatcher()
	for host, want := range map[string]string{
		"acme.com": "acme.com", "Mail.EU.Acme.co.uk.": "acme.co.uk", "acme.example": "acme.example", "acme.vercel.app": "acme.vercel.app", "me.acme.ac": "acme.ac",
		"gmail.com": "", "yahoo.com.br": "", "privaterelay.appleid.com": "", "smtp.web.de": "", "co.uk": "", "com": "", "": "", "localhost": "", "tokyo.ac.jp": "", "..": "",
		"liveacme.com": "liveacme.com", "notgmx.de": "notgmx.de",
	} {
		if got := m.OwnDomain(host); got != want {
			t.Errorf("OwnDomain(%q) = %q, want %q", host, got, want)
		}
	}
}

package company_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/company"
	"dealflow/internal/company/merge"
	"dealflow/internal/company/plain"
	"dealflow/internal/fault"
	"dealflow/internal/patch"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit"
	"dealflow/internal/testkit/companykit"
)

func set[T any](value T) patch.Nullable[T] { return patch.Nullable[T]{Set: true, Value: &value} }

func deckLink(link string) company.Change {
	return company.Change{Changes: plain.Changes{DeckLink: set(link)}}
}

func notes(text string) company.Change {
	return company.Change{Changes: plain.Changes{Notes: set(text)}}
}

func TestUpdateChangesOnlyWhatItNames(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) {
		in.Notes, in.DeckLink, in.Source = set("old notes"), set("https://a.example/deck"), new("event")
		in.Metadata = json.RawMessage(`{"kept": 1.50, "changed": {"a": 1}, "nulled": "x"}`)
		in.StatusID, in.Assignees = set(s.Statuses["New"]), &[]uuid.UUID{s.Member}
	})
	before, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), id)
	if err != nil {
		t.Fatal(err)
	}
	same, err := s.Service.Update(t.Context(), postgres.AsUser(s.Member), id, company.Change{})
	if err != nil || !same.UpdatedAt.Equal(before.UpdatedAt) || same.UpdatedBy != s.Owner {
		t.Errorf("an empty change made %+v, %v", same.Company, err)
	}
	after, err := s.Service.Update(t.Context(), postgres.AsUser(s.Member), id, company.Change{
		Changes:  plain.Changes{Notes: patch.Nullable[string]{Set: true}},
		Metadata: json.RawMessage(`{"changed": {"b": 2}, "nulled": null, "new": []}`),
		StatusID: patch.Nullable[uuid.UUID]{Set: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if after.Name != "Kestrel" || after.Source != "event" || after.Notes != nil || after.Status != nil ||
		*after.DeckLink != "https://a.example/deck" || len(after.Assignees) != 1 {
		t.Errorf("changed %+v", after)
	}
	if text := string(after.Metadata); !strings.Contains(text, `"kept": 1.50`) ||
		!strings.Contains(text, `"changed": {"b": 2}`) || !strings.Contains(text, `"nulled": null`) ||
		strings.Contains(text, `"a": 1`) {
		t.Errorf("metadata %s", text)
	}
	if !after.UpdatedAt.After(before.UpdatedAt) || after.UpdatedBy != s.Member ||
		!after.CreatedAt.Equal(before.CreatedAt) || after.CreatedBy != s.Owner {
		t.Errorf("times and people %+v, before %+v", after.Company, before.Company)
	}
}

func TestUpdateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) {
		in.Metadata = json.RawMessage(`{"a":"` + strings.Repeat("x", 600_000) + `"}`)
	})
	hidden := s.Create(t, "Hidden", func(in *company.NewCompany) { in.Visibility = new(company.VisibilityPrivate) })
	foreign := uuid.New()
	testkit.Exec(t, s.URL,
		"INSERT INTO company_statuses (id, account_id, name, color, rank) VALUES ($1, $2, 'Theirs', '#000000', 1)", foreign,
		s.Rival)
	many := make([]uuid.UUID, 101)
	for i := range many {
		many[i] = uuid.New()
	}
	for name, tc := range map[string]struct {
		user   uuid.UUID
		id     uuid.UUID
		change company.Change
		want   fault.Kind
		field  string
	}{
		"empty name": {s.Owner, id, company.Change{Name: new("")}, fault.InvalidBody, "name"},
		"blank name": {s.Owner, id, company.Change{Name: new(" \t\u00a0")}, fault.InvalidBody, "name"},
		"long name":  {s.Owner, id, company.Change{Name: new(strings.Repeat("é", 256))}, fault.InvalidBody, "name"},
		"visibility": {s.Owner, id, company.Change{Visibility: new("public")}, fault.InvalidBody, "visibility"},
		"source":     {s.Owner, id, company.Change{Source: new("")}, fault.InvalidBody, "source"},
		"javascript link": {
			s.Owner, id, deckLink("javascript:alert(1)"), fault.InvalidBody, "deck_link",
		},
		"no link": {s.Owner, id, deckLink("deck"), fault.InvalidBody, "deck_link"},
		"long link": {
			s.Owner, id,
			deckLink("https://a.example/" + strings.Repeat("x", 2048)),
			fault.InvalidBody,
			"deck_link",
		},
		"metadata array": {s.Owner, id, company.Change{Metadata: json.RawMessage(`[]`)}, fault.InvalidBody, "metadata"},
		"metadata too large": {
			s.Owner, id,
			company.Change{Metadata: json.RawMessage(`{"b":"` + strings.Repeat("x", 600_000) + `"}`)},
			fault.InvalidBody, "metadata",
		},
		"no such status": {
			s.Owner, id, company.Change{StatusID: set(uuid.New())}, fault.InvalidBody, "company_status_id",
		},
		"another's status": {s.Owner, id, company.Change{StatusID: set(foreign)}, fault.InvalidBody, "company_status_id"},
		"assignee outside": {
			s.Owner, id, company.Change{Assignees: &[]uuid.UUID{s.Member, s.Stranger}}, fault.InvalidBody, "assignees",
		},
		"nobody as assignee": {
			s.Owner, id, company.Change{Assignees: &[]uuid.UUID{uuid.New()}}, fault.InvalidBody, "assignees",
		},
		"many assignees":      {s.Owner, id, company.Change{Assignees: &many}, fault.InvalidBody, "assignees"},
		"private by another":  {s.Member, id, company.Change{Visibility: new("private")}, fault.Forbidden, "visibility"},
		"hidden":              {s.Member, hidden, company.Change{Name: new("Mine")}, fault.NotFound, ""},
		"stranger":            {s.Stranger, id, company.Change{Name: new("Mine")}, fault.Forbidden, ""},
		"no such company":     {s.Owner, uuid.New(), company.Change{Name: new("Mine")}, fault.NotFound, ""},
		"fields before thing": {s.Stranger, id, company.Change{Name: new("")}, fault.InvalidBody, "name"},
	} {
		_, err := s.Service.Update(t.Context(), postgres.AsUser(tc.user), tc.id, tc.change)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != tc.want ||
			tc.field != "" && (len(refusal.Details) == 0 || refusal.Details[0].Field != tc.field) {
			t.Errorf("%s: %v, want kind %d for %q", name, err, tc.want, tc.field)
		}
	}
	view, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), id)
	if err != nil || view.Name != "Kestrel" || view.Visibility != company.VisibilityTeam || len(view.Assignees) != 0 ||
		view.UpdatedBy != s.Owner {
		t.Errorf("the refused changes left %+v, %v", view.Company, err)
	}
}

// TestMetadataOfHTMLIsCountedAsSent changes and merges metadata of 400 KB, which would have 2 MB if it were escaped.
func TestMetadataOfHTMLIsCountedAsSent(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	html := func(name string) json.RawMessage {
		return json.RawMessage(`{"` + name + `":"` + strings.Repeat("<b&>", 50_000) + `"}`)
	}
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) { in.Metadata = html("a") })
	other := s.Create(t, "Merlin", func(in *company.NewCompany) { in.Metadata = html("b") })
	change := company.Change{Metadata: html("c")}
	if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), id, change); err != nil {
		t.Errorf("changing it: %v", err)
	}
	change.Metadata = json.RawMessage(`{"c":null}`)
	if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), id, change); err != nil {
		t.Errorf("clearing it: %v", err)
	}
	merges := merge.New(s.DB)
	if _, err := merges.Merge(t.Context(), s.Owner, other, merge.Request{IntoID: id}); err != nil {
		t.Errorf("merging it: %v", err)
	}
	if _, err := merges.Undo(t.Context(), s.Owner, other); err != nil {
		t.Errorf("undoing the merge: %v", err)
	}
}

func TestCreateRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for name, tc := range map[string]struct {
		in   company.NewCompany
		want fault.Kind
	}{
		"no name": {company.NewCompany{AccountID: s.Team}, fault.InvalidBody},
		"blank name": {
			company.NewCompany{AccountID: s.Team, Change: company.Change{Name: new(" ")}}, fault.InvalidBody,
		},
		"another's team": {company.NewCompany{AccountID: s.Rival, Change: company.Change{Name: new("A")}}, fault.Forbidden},
		"no such team": {
			company.NewCompany{AccountID: uuid.New(), Change: company.Change{Name: new("A")}}, fault.NotFound,
		},
		"no such status": {
			company.NewCompany{AccountID: s.Team, Change: company.Change{Name: new("A"), StatusID: set(uuid.New())}},
			fault.InvalidBody,
		},
		"assignee outside": {
			company.NewCompany{AccountID: s.Team, Change: company.Change{Name: new("A"), Assignees: &[]uuid.UUID{s.Stranger}}},
			fault.InvalidBody,
		},
	} {
		if _, err := s.Service.Create(t.Context(), postgres.AsUser(s.Owner), tc.in); !fault.Is(err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, err, tc.want)
		}
	}
	if n := s.Count(t, "companies") + s.Count(t, "activity"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestWhoSetsSharedKeepsSight(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, with bool // they are an assignee before, becomes one with it
		shares       int
	}{
		"neither creator nor assignee": {false, false, 1}, "assignee": {true, false, 0},
		"becomes assignee": {false, true, 0}, "ceases to be assignee": {true, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			id := s.Create(t, "Kestrel", func(in *company.NewCompany) {
				if tc.before {
					in.Assignees = &[]uuid.UUID{s.Member}
				}
			})
			change := company.Change{Visibility: new("shared")}
			if tc.with {
				change.Assignees = &[]uuid.UUID{s.Member}
			}
			if tc.before && tc.shares > 0 {
				change.Assignees = &[]uuid.UUID{}
			}
			if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Member), id, change); err != nil {
				t.Fatal(err)
			}
			if n := s.Count(t, "company_shares"); n != tc.shares {
				t.Errorf("%d shares, want %d", n, tc.shares)
			}
			if _, err := s.Service.Get(t.Context(), postgres.AsUser(s.Member), id); err != nil {
				t.Errorf("afterwards he gets %v", err)
			}
		})
	}
}

// Assignees who remove themselves from a shared company still get it as the answer, and see it no more after that.
func TestAnAssigneeTakesHimselfOff(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) {
		in.Visibility, in.Assignees = new("shared"), &[]uuid.UUID{s.Member}
	})
	view, err := s.Service.Update(t.Context(), postgres.AsUser(s.Member), id,
		company.Change{Assignees: &[]uuid.UUID{s.Owner}})
	if err != nil || len(view.Assignees) != 1 || view.Assignees[0].ID != s.Owner {
		t.Fatalf("answered %+v, %v", view.Assignees, err)
	}
	if _, err := s.Service.Get(t.Context(), postgres.AsUser(s.Member), id); !fault.Is(err, fault.NotFound) {
		t.Errorf("afterwards he gets %v", err)
	}
	if names := s.names(t, s.Member, company.ListQuery{}); len(names) != 0 {
		t.Errorf("afterwards he lists %v", names)
	}
}

func TestMovesAreRecorded(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", nil)
	for _, status := range []patch.Nullable[uuid.UUID]{
		set(s.Statuses["New"]), set(s.Statuses["New"]), set(s.Statuses["Passed"]), {Set: true},
	} {
		if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Member), id,
			company.Change{StatusID: status}); err != nil {
			t.Fatal(err)
		}
	}
	got := testkit.Texts(t, s.URL, "SELECT type || ': ' || description FROM activity ORDER BY created_at")
	want := []string{
		"company_added: Company Kestrel was added", "status_changed: Company Kestrel moved from no status to New",
		"status_changed: Company Kestrel moved from New to Passed",
		"status_changed: Company Kestrel moved from Passed to no status",
	}
	if !slices.Equal(got, want) {
		t.Errorf("activity %q, want %q", got, want)
	}
}

// A value that somebody sets while the analysis runs, even the old value or none, is kept over what the analysis finds.
func TestAChangeWinsOverTheAnalysis(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change company.Change
		check  func(company.View) bool
	}{
		"name": {
			company.Change{Name: new("Renamed")}, func(v company.View) bool {
				return v.Name == "Renamed" && v.Source == "email" && v.Status != nil
			},
		},
		"source as was": {
			company.Change{Source: new("manual")}, func(v company.View) bool {
				return v.Source == "manual" && v.Name == "Acme Robotics" && v.Status != nil
			},
		},
		"status cleared": {
			company.Change{StatusID: patch.Nullable[uuid.UUID]{Set: true}}, func(v company.View) bool {
				return v.Status == nil && v.Name == "Acme Robotics"
			},
		},
		"no founders": {
			company.Change{Metadata: json.RawMessage(`{"founders":null,"ai_analysis":""}`)}, func(v company.View) bool {
				return strings.Contains(string(v.Metadata), `"founders": null`) &&
					strings.Contains(string(v.Metadata), `"ai_analysis": ""`) &&
					strings.Contains(string(v.Metadata), `"analyzed_at": "2`)
			},
		},
		"notes": {notes("call them"), func(v company.View) bool {
			return *v.Notes == "call them" && v.Name == "Acme Robotics" && v.Source == "email"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			d := s.Pitch(t, s.Draft(companykit.Long))
			s.Analyzer.Findings = s.Found()
			s.Analyzer.During = func() {
				if _, err := s.Service.Update(t.Context(), postgres.AsUser(s.Owner), d.CompanyID, tc.change); err != nil {
					t.Error(err)
				}
			}
			if err := s.Analyse(t); err != nil {
				t.Fatal(err)
			}
			if view := s.Created(t, d).Company; !tc.check(view) {
				t.Errorf("after the analysis %+v, metadata %s", view, view.Metadata)
			}
		})
	}
}

func TestSharesDecideWhoSees(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) { in.Visibility = new("shared") })
	words := "kestrel"
	sees := func() bool {
		t.Helper()
		_, err := s.Service.Get(t.Context(), postgres.AsUser(s.Member), id)
		found := len(s.names(t, s.Member, company.ListQuery{Search: &words})) == 1
		if found != (err == nil) {
			t.Errorf("he reads it: %v, and finds it: %v", err, found)
		}
		return found
	}
	if sees() {
		t.Error("seen before it is shared")
	}
	for range 2 {
		if person, err := s.Service.Share(t.Context(), s.Owner, id, s.Member); err != nil || person.ID != s.Member ||
			person.Email == "" {
			t.Fatalf("share: %+v, %v", person, err)
		}
	}
	if people, _, err := s.Service.Shares(t.Context(), postgres.AsUser(s.Member), id,
		paging.First(100)); err != nil || len(people) != 1 || people[0].ID != s.Member || !sees() {
		t.Errorf("shares %v, %v; seen %v", people, err, sees())
	}
	if err := s.Service.Unshare(t.Context(), s.Owner, id, s.Member); err != nil || sees() {
		t.Errorf("unshare: %v; seen %v", err, sees())
	}
	for name, tc := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"share with a stranger": {second(s.Service.Share(t.Context(), s.Owner, id, s.Stranger)), fault.InvalidBody},
		"share what is hidden":  {second(s.Service.Share(t.Context(), s.Member, id, s.Member)), fault.NotFound},
		"share another's":       {second(s.Service.Share(t.Context(), s.Stranger, id, s.Stranger)), fault.Forbidden},
		"unshare twice":         {s.Service.Unshare(t.Context(), s.Owner, id, s.Member), fault.NotFound},
		"unshare another's":     {s.Service.Unshare(t.Context(), s.Stranger, id, s.Member), fault.Forbidden},
		"shares of what is not": {
			third(s.Service.Shares(t.Context(), postgres.AsUser(s.Owner), uuid.New(), paging.First(100))), fault.NotFound,
		},
	} {
		if !fault.Is(tc.err, tc.want) {
			t.Errorf("%s: %v, want kind %d", name, tc.err, tc.want)
		}
	}
}

// TestACompanyIsNeverOutOfSight removes the last who sees a shared company whose maker has left the account.
func TestACompanyIsNeverOutOfSight(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s *setup, id uuid.UUID) error{
		"unshare": func(s *setup, id uuid.UUID) error {
			testkit.Exec(t, s.URL, "DELETE FROM company_assignees")
			return s.Service.Unshare(t.Context(), s.Member, id, s.Member)
		},
		"unassign": func(s *setup, id uuid.UUID) error {
			testkit.Exec(t, s.URL, "DELETE FROM company_shares")
			_, err := s.Service.Update(t.Context(), postgres.AsUser(s.Member), id, company.Change{Assignees: &[]uuid.UUID{}})
			return err
		},
		"unassign of many": func(s *setup, id uuid.UUID) error {
			testkit.Exec(t, s.URL, "DELETE FROM company_shares")
			_, err := s.Service.ChangeMany(t.Context(), postgres.AsUser(s.Member), s.Team, []uuid.UUID{id},
				company.ManyChange{Assignees: &[]uuid.UUID{}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			id := s.Create(t, "Kestrel", func(in *company.NewCompany) {
				in.Visibility, in.Assignees = new("shared"), &[]uuid.UUID{s.Member}
			})
			_, err := s.Service.Share(t.Context(), s.Owner, id, s.Member)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Exec(t, s.URL, "UPDATE companies SET created_by = $1", s.Stranger) // who has left the account
			if err := remove(s, id); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), id); err != nil || got.CreatedBy != s.Owner {
				t.Errorf("the owner gets a company of %s, %v", got.CreatedBy, err)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

// A user who leaves the account is no assignee any more, also not in the search.
func TestLeavingTheAccountEndsSight(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) {
		in.Visibility, in.Assignees = new("shared"), &[]uuid.UUID{s.Member}
	})
	testkit.Exec(t, s.URL, "DELETE FROM memberships WHERE user_id = $1", s.Member)
	if got := testkit.Texts(t, s.URL,
		"SELECT array_to_string(tsvector_to_array(words), ' ') FROM companies"); strings.Contains(got[0], s.Member.String()) {
		t.Errorf("the facets are %s", got[0])
	}
	if _, err := s.Accounts.AddMember(t.Context(), s.Team, s.Member, account.RoleMember); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Service.Get(t.Context(), postgres.AsUser(s.Member), id); !fault.Is(err, fault.NotFound) {
		t.Errorf("back again he gets %v", err)
	}
}

// The sharing of a company ends while a change of many companies waits for its row.
func TestOfManyCompaniesThoseOutOfSightAreNotCounted(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	id := s.Create(t, "Kestrel", func(in *company.NewCompany) { in.Visibility = new("shared") })
	for name, change := range map[string]company.ManyChange{
		"status":    {StatusID: set(s.Statuses["Screening"])},
		"assignees": {Assignees: &[]uuid.UUID{s.Owner}},
	} {
		if _, err := s.Service.Share(t.Context(), s.Owner, id, s.Member); err != nil {
			t.Fatal(err)
		}
		locked, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- s.DB.As(t.Context(), s.Owner, func(tx *postgres.Tx) error {
				err := tx.Exec("SELECT FROM companies WHERE id = ? FOR UPDATE", id).Error
				close(locked)
				return cmp.Or(err, tx.Exec("DELETE FROM company_shares").Error, tx.Exec("SELECT pg_sleep(1)").Error)
			})
		}()
		<-locked
		done, err := s.Service.ChangeMany(t.Context(), postgres.AsUser(s.Member), s.Team, []uuid.UUID{id}, change)
		if err := cmp.Or(err, <-ended); err != nil || done != (company.Many{Unseen: 1}) {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	if got := testkit.Texts(t, s.URL, "SELECT description FROM activity WHERE type = 'status_changed'"); len(got) > 0 {
		t.Errorf("the activity says %q", got)
	}
}

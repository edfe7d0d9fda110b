package savedview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/savedview"
	"dealflow/internal/testkit"
)

func draft(name string, shared bool) savedview.Draft {
	return savedview.Draft{
		Name: name, Shared: shared, SortBy: "name", Ascending: true,
		Columns: []string{"source", "status"},
	}
}

type scene struct {
	*testkit.Team

	views *savedview.Service
}

func newScene(t *testing.T) *scene {
	t.Helper()
	team := testkit.NewTeam(t)
	return &scene{team, savedview.New(team.DB)}
}

func (s *scene) make(t *testing.T, user uuid.UUID, in savedview.Draft) savedview.View {
	t.Helper()
	made, err := s.views.Create(t.Context(), user, s.ID, in)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// names returns the names of the views that somebody sees.
func (s *scene) names(t *testing.T, user uuid.UUID) (names []string) {
	t.Helper()
	found, _, err := s.views.List(t.Context(), postgres.AsUser(user), s.ID, paging.First(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range found {
		names = append(names, view.Name)
	}
	return names
}

func want(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%s: %v", what, err)
	}
}

func TestAViewIsItsMakersUntilItIsShared(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	own, all := s.make(t, s.Member, draft(" Own ", false)), s.make(t, s.Member, draft("All", true))
	if !slices.Equal(own.Columns, []string{"status", "source"}) || own.Name != "Own" || own.CreatedAt.IsZero() {
		t.Errorf("made %+v", own)
	}
	if got := s.names(t, s.Member); !slices.Equal(got, []string{"Own", "All"}) {
		t.Errorf("the maker sees %v", got)
	}
	if got := s.names(t, s.Owner); !slices.Equal(got, []string{"All"}) {
		t.Errorf("the owner sees %v", got)
	}
	_, _, err := s.views.List(t.Context(), postgres.AsUser(s.Stranger), s.ID, paging.First(1))
	want(t, "a stranger's list", err, fault.Forbidden)
	_, err = s.views.Create(t.Context(), s.Stranger, s.ID, draft("Mine", true))
	want(t, "a stranger's view", err, fault.Forbidden)

	theirs := s.make(t, s.Owner, draft("Theirs", true))
	for name, tc := range map[string]struct {
		user, view uuid.UUID
		change     savedview.Change
		want       fault.Kind
	}{
		"a stranger":                 {s.Stranger, all.ID, savedview.Change{}, fault.Forbidden},
		"another's own":              {s.Owner, own.ID, savedview.Change{}, fault.NotFound},
		"a member on the owner's":    {s.Member, theirs.ID, savedview.Change{Name: new("Taken")}, fault.Forbidden},
		"an admin who takes it away": {s.Owner, all.ID, savedview.Change{Shared: new(false)}, fault.Forbidden},
	} {
		_, err := s.views.Change(t.Context(), tc.user, s.ID, tc.view, tc.change)
		want(t, name, err, tc.want)
		if tc.change.Shared == nil {
			want(t, name+" deletes", s.views.Delete(t.Context(), tc.user, s.ID, tc.view), tc.want)
		}
	}
	changed, err := s.views.Change(t.Context(), s.Owner, s.ID, all.ID, savedview.Change{Name: new("Ours")})
	if err != nil || changed.Name != "Ours" || !changed.Ascending || changed.CreatedBy != s.Member {
		t.Errorf("an owner changes it to %+v, %v", changed, err)
	}
	if err := s.views.Delete(t.Context(), s.Owner, s.ID, all.ID); err != nil {
		t.Error(err)
	}
	want(t, "what is gone", s.views.Delete(t.Context(), s.Owner, s.ID, all.ID), fault.NotFound)
}

func TestWhatIsWrongWithAViewIsNamed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for field, in := range map[string]savedview.Draft{
		"name":              {Name: " ", SortBy: "name"},
		"search":            {Name: "a", SortBy: "name", Search: strings.Repeat("a", 501)},
		"source":            {Name: "a", SortBy: "name", Source: "fax"},
		"sort_by":           {Name: "a", SortBy: "color"},
		"columns":           {Name: "a", SortBy: "name", Columns: []string{"name; DROP"}},
		"company_status_id": {Name: "a", SortBy: "name", CompanyStatusID: new(uuid.New())},
	} {
		_, err := s.views.Create(t.Context(), s.Owner, s.ID, in)
		want(t, field, err, fault.InvalidBody)
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	kept := s.make(t, s.Owner, draft("a", false))
	_, err := s.views.Change(t.Context(), s.Owner, s.ID, kept.ID, savedview.Change{Name: new("")})
	want(t, "a change", err, fault.InvalidBody)
}

func TestAViewOutlivesItsStatus(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	status := uuid.New()
	testkit.Exec(t, s.URL, `INSERT INTO company_statuses (id, account_id, name, color, rank)
		VALUES ($1, $2, 'Odd', '#000000', 99)`, status, s.ID)
	in := draft("Odd ones", false)
	in.CompanyStatusID = &status
	kept := s.make(t, s.Member, in)
	if kept.CompanyStatusID == nil {
		t.Error("the status is not kept")
	}
	testkit.Exec(t, s.URL, "DELETE FROM company_statuses WHERE id = $1", status)
	changed, err := s.views.Change(t.Context(), s.Member, s.ID, kept.ID,
		savedview.Change{Status: &savedview.Status{None: true}})
	if err != nil || changed.CompanyStatusID != nil || !changed.NoStatus {
		t.Errorf("it is %+v, %v", changed, err)
	}
}

func TestColumnsAreRememberedForEachMember(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, columns := range [][]string{{"status"}, {}, {"summary", "deck"}} {
		if err := s.views.ChooseColumns(t.Context(), s.Member, s.ID, columns); err != nil {
			t.Fatal(err)
		}
		if got, err := s.views.Columns(t.Context(), postgres.AsUser(s.Member), s.ID); err != nil ||
			!slices.Equal(got, columns) {
			t.Errorf("remembered %v, %v; want %v", got, err, columns)
		}
	}
	if got, err := s.views.Columns(t.Context(), postgres.AsUser(s.Owner), s.ID); err != nil ||
		!slices.Equal(got, savedview.UsualColumns()) {
		t.Errorf("another member has %v, %v", got, err)
	}
	want(t, "a column that is none", s.views.ChooseColumns(t.Context(), s.Member, s.ID, []string{"x"}), fault.InvalidBody)
	want(t, "a stranger", s.views.ChooseColumns(t.Context(), s.Stranger, s.ID, nil), fault.Forbidden)
}

func TestAMemberHasSoManyViewsAtMost(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	testkit.Exec(t, s.URL, `INSERT INTO saved_views (id, account_id, name, sort_by, ascending, columns, created_by)
		SELECT gen_random_uuid(), $1, 'a', 'name', true, '{}', $2 FROM generate_series(1, $3)`, s.ID, s.Member,
		savedview.Most-1)
	if made := testkit.AtOnce(t, s.URL, "saved_views", func() error {
		_, err := s.views.Create(t.Context(), s.Member, s.ID, draft("the last", false))
		return err
	}); made != 1 {
		t.Errorf("%d were made where there is room for one", made)
	}
	_, err := s.views.Create(t.Context(), s.Member, s.ID, draft("one more", false))
	want(t, "one more", err, fault.Conflict)
	s.make(t, s.Owner, draft("of another", false))
}

package company_test

import (
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/fault"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/testkit/companykit"
)

func TestListPages(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for range 5 {
		s.Pitch(t, s.Draft(companykit.Long))
	}
	seen := map[uuid.UUID]bool{}
	for page, want := range map[int]struct {
		rows int
		next bool
	}{1: {2, true}, 2: {2, true}, 3: {1, false}, 4: {0, false}} {
		views, next, err := s.Service.List(t.Context(), postgres.AsUser(s.Member),
			company.ListQuery{AccountID: &s.Team, Page: paging.Page{Number: page, Limit: 2}})
		if err != nil || len(views) != want.rows || (next != nil) != want.next {
			t.Errorf("page %d: %d rows, next %v, %v", page, len(views), next, err)
		}
		for _, view := range views {
			seen[view.ID] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("the pages show %d companies, want 5", len(seen))
	}
}

func TestListOfAnAccount(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Pitch(t, s.Draft(companykit.Long))
	unknown := uuid.New()
	for name, tc := range map[string]struct {
		account *uuid.UUID
		want    fault.Kind
	}{"another's": {&s.Rival, fault.Forbidden}, "unknown": {&unknown, fault.NotFound}} {
		if _, _, err := s.Service.List(t.Context(), postgres.AsUser(s.Owner),
			company.ListQuery{AccountID: tc.account, Page: paging.First(10)}); !fault.Is(err, tc.want) {
			t.Errorf("%s: error %v, want kind %d", name, err, tc.want)
		}
	}
}

func TestGetRefusals(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	d := s.Draft(companykit.Long)
	d.Visibility = company.VisibilityPrivate
	s.Pitch(t, d)
	if view, err := s.Service.Get(t.Context(), postgres.AsUser(s.Owner), d.CompanyID); err != nil ||
		view.ID != d.CompanyID {
		t.Errorf("creator: %v, %v", view.ID, err)
	}
	for name, tc := range map[string]struct {
		user, id uuid.UUID
		want     fault.Kind
	}{
		"member without sight of it": {s.Member, d.CompanyID, fault.NotFound},
		"stranger":                   {s.Stranger, d.CompanyID, fault.Forbidden},
		"no such company":            {s.Owner, uuid.New(), fault.NotFound},
	} {
		if _, err := s.Service.Get(t.Context(), postgres.AsUser(tc.user), tc.id); !fault.Is(err, tc.want) {
			t.Errorf("%s: error %v, want kind %d", name, err, tc.want)
		}
	}
}

package httpapi_test

import (
	"net/http"
	"testing"

	"dealflow/internal/account"
)

func TestASavedViewIsMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s := start(t)
	stage := s.get(s.statusesPath(), s.key).text("data.1.id")
	made := s.post(s.accountPath("saved-views"), s.key, map[string]any{
		"name": "Referred", "search": "anvil", "company_status_id": stage, "source": "referral", "sort_order": "asc",
		"columns": []string{"summary", "status"},
	}).want(http.StatusCreated)
	for member, want := range map[string]any{
		"name": "Referred", "shared": false, "search": "anvil", "company_status_id": stage, "source": "referral",
		"sort_by": "created_at", "sort_order": "asc", "columns.0": "status", "columns.1": "summary",
		"created_by": s.owner.ID.String(),
	} {
		if got := made.at("data.saved_view." + member); got != want {
			t.Errorf("%s is %v, want %v", member, got, want)
		}
	}
	one := s.accountPath("saved-views/" + made.text("data.saved_view.id"))
	changed := s.change(one, s.key,
		`{"company_status_id":"no_status","source":null,"columns":[],"sort_by":"name"}`).want(http.StatusOK)
	if changed.at("data.saved_view.company_status_id") != "no_status" || changed.at("data.saved_view.source") != nil ||
		changed.at("data.saved_view.search") != "anvil" || changed.at("data.saved_view.sort_by") != "name" {
		t.Errorf("changed to %s", changed.Raw)
	}
	if got := s.change(one, s.key, `{"company_status_id":null}`); got.at("data.saved_view.company_status_id") != nil {
		t.Errorf("any status is %s", got.Raw)
	}
	_, key := s.colleague("Carla Colleague", account.RoleAdmin)
	s.change(one, key, `{"name":"Taken"}`).want(http.StatusNotFound)
	s.change(one, s.key, `{"shared":true}`).want(http.StatusOK)
	s.change(one, key, `{"name":"Of all"}`).want(http.StatusOK)
	s.change(one, key, `{"shared":false}`).want(http.StatusForbidden)
	s.remove(one, key).want(http.StatusOK)
	s.remove(one, s.key).want(http.StatusNotFound)
}

package httpapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTheDashboardCountsWhatHappened(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, member := s.colleague("Mia Member", "member")
	stages := s.get(s.accountPath("company-statuses"), s.key).want(http.StatusOK)
	first := s.company(s.key, part{Name: "name", Value: "Acme"},
		part{Name: "company_status_id", Value: stages.text("data.0.id")}, part{Name: "source", Value: "email"})
	s.company(s.key, part{Name: "name", Value: "Hidden"}, part{Name: "visibility", Value: "private"},
		part{Name: "source", Value: "event"})
	s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Plain"}).want(http.StatusCreated)
	s.change(companies+"/"+first, s.key, map[string]any{
		"company_status_id": stages.text("data.6.id"), "name": "Acme Anvils",
	}).want(http.StatusOK)
	s.post(s.accountPath("meeting-minutes"), s.key,
		map[string]any{"title": "Talk", "meeting_date": time.Now().UTC().Format(time.RFC3339)}).want(http.StatusCreated)
	s.share(s.key, "view", nil, first)
	got := s.get(s.accountPath("dashboard"), member).want(http.StatusOK)
	number := func(n string) any { return json.Number(n) }
	want := map[string]any{
		"total_companies": number("2"), "companies_this_month": number("2"), "active_deals": number("1"),
		"meetings_this_week": number("1"),
	}
	if !reflect.DeepEqual(got.at("data.stats"), want) {
		t.Errorf("stats %v, want %v", got.at("data.stats"), want)
	}
	if got.at("data.pipeline_summary.6.count") != number("1") ||
		got.text("data.pipeline_summary.6.status_name") != "Passed" ||
		got.text("data.pipeline_summary.0.color") != "#3B82F6" ||
		!reflect.DeepEqual(got.at("data.pipeline_summary.7"),
			map[string]any{"status_id": nil, "status_name": nil, "color": nil, "count": number("1")}) ||
		got.at("data.pipeline_summary.8") != nil {
		t.Errorf("pipeline %v", got.at("data.pipeline_summary"))
	}
	var types []string
	for _, event := range got.at("data.recent_activity").([]any) {
		types = append(types, event.(map[string]any)["type"].(string))
	}
	if told := strings.Join(types, " "); told != "link_created meeting_added status_changed company_added company_added" {
		t.Errorf("activity %s", told)
	}
	if got.text("data.recent_activity.2.company_name") != "Acme Anvils" ||
		got.text("data.recent_activity.2.company_id") != first || got.at("data.recent_activity.0.company_id") != nil {
		t.Errorf("activity %v", got.at("data.recent_activity"))
	}
	if strings.Contains(string(got.Raw), "Hidden") || strings.Contains(string(got.Raw), "event\"") {
		t.Errorf("a member is told %s", got.Raw)
	}
	days := got.at("data.charts.companies_over_time").([]any)
	last := days[len(days)-1].(map[string]any)
	if len(days) != 30 || last["date"] != time.Now().UTC().Format(time.DateOnly) || last["count"] != number("2") {
		t.Errorf("%d days, the last is %v", len(days), last)
	}
	if sources := got.at("data.charts.source_breakdown"); !reflect.DeepEqual(sources,
		[]any{map[string]any{"source": "email", "count": number("1")}, map[string]any{
			"source": "manual", "count": number("1"),
		}}) {
		t.Errorf("sources %v", sources)
	}
}

func TestDashboardsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true })
	_, stranger := s.stranger()
	for query, want := range map[string]int{
		"": 200, "?days=7": 200, "?days=365": 200, "?days=6": 400, "?days=366": 400, "?days=": 400, "?days=x": 400,
		"?days=30.0": 400, "?days=7&days=8": 400,
	} {
		got := s.get(s.accountPath("dashboard")+query, s.key).want(want)
		if want == 400 {
			got.refused(400, "Invalid request parameters", "invalid_parameter", "days")
		}
	}
	s.get(s.accountPath("dashboard?days=1"), stranger).want(http.StatusBadRequest)
	s.get(s.accountPath("dashboard"), stranger).refused(http.StatusForbidden, "Access denied to this resource",
		"access_denied", "")
	s.get("/api/v1/accounts/"+missing()+"/dashboard", s.key).refused(http.StatusNotFound, "Resource not found",
		"not_found", "")
	s.get("/api/v1/accounts/42/dashboard", s.key).refused(http.StatusNotFound, "Resource not found", "not_found", "")
	s.get(s.accountPath("dashboard"), "").refused(http.StatusUnauthorized, "Invalid or expired API key",
		"missing_api_key", "")
}

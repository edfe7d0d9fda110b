package httpapi_test

import (
	"net/http"
	"testing"
)

func TestFindingsAreKeptAndReviewed(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"text", "", "Anvils, made by hand."}) // names no company
	at := companies + "/" + id + "/analysis"
	kept := s.get(at, s.key).want(http.StatusOK)
	if got := kept.at("data.analysis.needs_review.0"); got != "name" || kept.at("data.analysis.processedAt") == nil {
		t.Errorf("the findings are %s", kept.Raw)
	}
	patch := func(path string, body any) reply {
		return s.send(request{Method: http.MethodPatch, Path: path, Key: s.key, Body: body})
	}
	if got := patch(at, map[string]any{"reviewed": []string{"summary", "name"}}).want(http.StatusOK).
		at("data.analysis.needs_review"); len(got.([]any)) != 0 {
		t.Errorf("after it was reviewed, there is %v", got)
	}
	s.send(request{Method: http.MethodPatch, Path: at, Key: s.key, Body: map[string]any{"reviewed": nil}}).
		want(http.StatusBadRequest)

	other := s.company(s.key, part{"text", "", "Hammers, made by hand."})
	patch(companies+"/"+other, map[string]any{"name": "Hammer"}).want(http.StatusOK)
	if got := s.get(companies+"/"+other+"/analysis", s.key).at("data.analysis.needs_review"); len(got.([]any)) != 0 {
		t.Errorf("after a correction, there is %v", got)
	}
}

func TestFindingsQuoteTheTextAndAreHiddenFromOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.company(s.key, part{"text", "", "We are Acme, and make anvils."})
	at := companies + "/" + id + "/analysis"
	if got := s.get(at, s.key).want(http.StatusOK).at("data.analysis.evidence.0.quote"); got != "Acme" {
		t.Errorf("the quote is %v", got)
	}
	_, stranger := s.stranger()
	s.get(at, stranger).want(http.StatusForbidden)
	s.send(request{Method: http.MethodPatch, Path: at, Key: stranger, Body: map[string]any{"reviewed": []string{"name"}}}).
		want(http.StatusForbidden)
	s.get(companies+"/"+missing()+"/analysis", s.key).want(http.StatusNotFound)
	made := s.post(companies, s.key, map[string]any{"account_id": s.account.ID, "name": "Never analyzed"}).
		text("data.company.id")
	if got := s.get(companies+"/"+made+"/analysis", s.key).want(http.StatusOK).at("data.analysis"); got != nil {
		t.Errorf("of a company that was never analyzed: %v", got)
	}
}

package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// undone waits until the undo of an import has ended.
func (s *server) undone(path string) reply {
	s.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got := s.get(path, s.key).want(http.StatusOK)
		if got.at("data.import.undo.finished_at") != nil {
			return got
		}
		if time.Now().After(deadline) {
			s.Fatalf("the undo has not ended: %s", got.Raw)
		}
	}
}

func TestAnImportIsUndoneButForWhatPeopleChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	it := s.importOf("companies", "application/x-ndjson",
		`{"name":"Acme","text":"Acme makes anvils"}`+"\n"+`{"name":"Beta","text":"Beta makes bolts"}`)
	id := it.ended("completed").text("data.import.id")
	path, page := s.accountPath("imports/"+id), s.consoleBase()+"/imports/"+id
	b.page(page, ">Undo<")
	beta := s.get(companies+"?account_id="+s.account.ID.String()+"&search=Beta",
		s.key).want(http.StatusOK).text("data.companies.0.id")
	s.send(request{
		Method: http.MethodPatch, Path: companies + "/" + beta, Key: s.key,
		Body: `{"notes":"call them"}`,
	}).want(http.StatusOK)
	started := s.post(path+"/undo", s.key, nil).want(http.StatusAccepted)
	if status := started.text("data.import.undo.status"); status != "running" {
		t.Errorf("the undo is %s at first", status)
	}
	ended := s.undone(path)
	if got := fmt.Sprintf("%v %v %v %v", ended.at("data.import.status"), ended.at("data.import.undo.status"),
		ended.at("data.import.undo.removed"), ended.at("data.import.kept")); got != "undone completed 1 1" {
		t.Errorf("it ended as %s", ended.Raw)
	}
	kept := string(s.get(path+"/kept", s.key).want(http.StatusOK).Raw)
	if want := `{"kind":"company","id":"` + beta + `","name":"Beta","reason":"changed"}` + "\n"; kept != want {
		t.Errorf("kept %s, want %s", kept, want)
	}
	if again := s.post(path+"/undo", s.key,
		nil).want(http.StatusAccepted); again.text("data.import.status") != "undone" {
		t.Errorf("again: %s", again.Raw)
	}
	b.page(page, "What was kept", ">Beta</a>", "changed", "!>Undo</button>")
	if n := s.count("companies"); n != 1 {
		t.Errorf("%d companies are left", n)
	}
	second := s.importOf("companies", "application/x-ndjson",
		`{"name":"Gamma","text":"Gamma"}`).ended("completed").text("data.import.id")
	b.submit(s.consoleBase()+"/imports/"+second+"/undo", url.Values{}).want(http.StatusSeeOther)
	s.undone(s.accountPath("imports/" + second))
	if n := s.count("companies"); n != 1 {
		t.Errorf("%d companies are left", n)
	}
}

package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/email"
)

// An email about a company is read whole on a page of its own, by who sees the company.
func TestAnEmailIsReadOnThePagesOfItsCompany(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	about, other := s.company(s.key), s.company(s.key)
	_, err := s.deps.Blobs.Write(t.Context(), "emails/1/2", strings.NewReader("attached text"), 1000)
	must(t, err)
	id := s.receive(email.Draft{
		FromName: "Ada <b>", ToEmails: []string{"deals@fund.example"}, Subject: new("Anvils <now>"),
		Content:    strings.Repeat("We make anvils. ", 40) + "\n<script>alert(1)</script>\nAda",
		CompanyIDs: []uuid.UUID{uuid.MustParse(about)},
		Attachments: []email.Attachment{
			{Filename: "notes é.txt", ContentType: "text/plain", SizeBytes: 13, StoragePath: "emails/1/2"},
		},
	})
	page := s.consoleBase() + "/companies/" + about
	b.page(page, "Anvils &lt;now&gt;", page+"/emails/"+id, "!&lt;script&gt;alert")
	shown := b.page(page+"/emails/"+id,
		"<h1 dir=\"auto\">Anvils &lt;now&gt;</h1>", "Ada &lt;b&gt; &lt;ada@acme.example&gt;",
		"deals@fund.example", "&lt;script&gt;alert(1)&lt;/script&gt;\nAda", "notes é.txt", "!<script>alert")
	_, rest, _ := strings.Cut(string(shown.Raw), page+"/emails/"+id+"/files/")
	file, _, _ := strings.Cut(rest, `"`)
	link := b.open(page + "/emails/" + id + "/files/" + file).want(http.StatusSeeOther).Header.Get("Location")
	if got := s.do(s.request(http.MethodGet, s.local(link), nil)); string(got.Raw) != "attached text" {
		t.Errorf("the file is %q", got.Raw)
	}
	for _, path := range []string{
		s.consoleBase() + "/companies/" + other + "/emails/" + id, page + "/emails/" + missing(), page + "/emails/42",
		page + "/emails/" + id + "/files/" + missing(),
	} {
		b.open(path).want(http.StatusNotFound)
	}
}

// The answers of a submission are read on the page of its company.
func TestSubmissionsShowTheirAnswers(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	about := s.company(s.key)
	made := s.post(s.accountPath("form-submissions"), s.key, object{"data": []object{
		{"key": "q1", "label": "Why <now>?", "type": "INPUT_TEXT", "value": "Because <b>"},
		{"key": "q2", "label": "Markets", "type": "CHECKBOXES", "value": []string{"Energy", "Steel"}},
		{"key": "q3", "label": "Raising", "type": "INPUT_NUMBER", "value": 1500000},
		{"key": "q4", "label": "Nothing", "type": "INPUT_TEXT", "value": nil},
	}}).want(http.StatusCreated)
	s.change(s.accountPath("form-submissions/"+made.text("data.submission.id")), s.key,
		object{"company_id": about}).want(http.StatusOK)
	b.page(s.consoleBase()+"/companies/"+about, "Why &lt;now&gt;?", "Because &lt;b&gt;", "Energy, Steel", "1500000",
		"!>Nothing<", "!Because <b>")
}

// Minutes are written on the page of the company that a meeting was about.
func TestMinutesAreWrittenOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	about := s.company(s.key)
	page := s.consoleBase() + "/companies/" + about
	b.submit(page+"/minutes", url.Values{
		"title": {"First call"}, "date": {"2026-11-20"}, "content": {"They **sell** anvils."}, "place": {"minutes"},
	}).want(http.StatusSeeOther)
	b.page(page, "First call", "<strong>sell</strong>", "20")
	kept := s.get(s.accountPath("meeting-minutes?company_id="+about), s.key).want(http.StatusOK)
	if got := fmt.Sprint(kept.at("data.meeting_minutes.0.meeting_date")); !strings.HasPrefix(got, "2026-11-20") {
		t.Errorf("the day is %s: %s", got, kept.Raw)
	}
	b.submit(page+"/minutes", url.Values{"title": {" "}}).want(http.StatusBadRequest)
	b.submit(page+"/minutes", url.Values{"title": {"Call"}, "date": {"soon"}}).want(http.StatusBadRequest)
}

package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/account"
)

// A founder's profile is a link where it is an address of the web, and words where it is not.
func TestThePageOfACompanyLinksProfiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"name", "", "Acme"}, part{"metadata", "", `{"founders": [
		{"name": "Ada", "linkedin_profile": "https://www.linkedin.com/in/ada"},
		{"name": "Bob", "linkedin_profile": "javascript:alert(1)"}]}`})
	b.page(s.consoleBase()+"/companies/"+id, `<a href="https://www.linkedin.com/in/ada" rel="noopener noreferrer"`,
		"<span>javascript:alert(1)</span>", `!href="javascript`)
}

// A company with thousands of founders has a page that a browser can show, which drops none of them.
func TestThePageOfACompanyShowsTheFirstFounders(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"name", "", "Acme"})
	page := s.consoleBase() + "/companies/" + id
	give := func(count int) {
		founders := make([]map[string]string, count)
		for i := range founders {
			founders[i] = map[string]string{"name": fmt.Sprintf("Founder %d.", i+1)}
		}
		s.change(companies+"/"+id, s.key, map[string]any{"metadata": map[string]any{"founders": founders}}).
			want(http.StatusOK)
	}
	give(50)
	b.page(page, "Founder 50.", `name="founder_name"`, "!more founders")
	give(2_050)
	shown := b.page(page, "Founder 50.", "!Founder 51.", "2,000 more founders", `!name="founder_name"`)
	if len(shown.Raw) > 200_000 {
		t.Errorf("the page has %d bytes", len(shown.Raw))
	}
	got, _ := s.get(companies+"/"+id, s.key).at("data.company.metadata.founders").([]any)
	if len(got) != 2_050 {
		t.Errorf("the API has %d founders", len(got))
	}
}

func TestACompanyIsDeletedOnItsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key)
	page := s.consoleBase() + "/companies/" + id
	stranger, _ := s.stranger()
	b.submit(strings.Replace(page, s.account.ID.String(), stranger.ID.String(), 1)+"/delete", url.Values{}).
		want(http.StatusNotFound)
	if done := b.submit(page+"/delete", url.Values{}); done.Header.Get("Location") != s.consoleBase()+"/board" {
		t.Errorf("a deletion leads to %d %s", done.Status, done.Header.Get("Location"))
	}
	b.open(page).want(http.StatusNotFound)
}

// page opens a page that must be there and have these words, and not those that begin with an exclamation mark.
func (b *browser) page(path string, words ...string) reply {
	b.Helper()
	got := b.open(path).want(http.StatusOK)
	for _, word := range words {
		if not, forbidden := strings.CutPrefix(word, "!"); strings.Contains(string(got.Raw), not) == forbidden {
			b.Errorf("%s: %q is there: %t; it shows %.6000s", path, not, forbidden, got.Raw)
		}
	}
	return got
}

func (b *browser) upload(path string, fields map[string]string, files ...string) reply {
	b.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		must(b.T, form.WriteField(name, value))
	}
	for _, content := range append(files, "") { // browsers send an empty part for a field without a file
		name := ""
		if content != "" {
			name = fmt.Sprintf("file %d.txt", len(content))
		}
		part, err := form.CreateFormFile("file", name)
		must(b.T, err)
		_, err = part.Write([]byte(content))
		must(b.T, err)
	}
	must(b.T, form.Close())
	return b.send(request{
		Method: http.MethodPost, Path: path, Body: body.Bytes(), Type: form.FormDataContentType(), Header: b.header(),
	})
}

func (s *server) consoleBase() string { return "/app/" + s.account.ID.String() }

func TestThePageOfACompanyQuotesItsFindings(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"text", "", "Hello <i>you</i>, we are Acme and make anvils."},
		part{"notes", "", "# Call\n<script>alert(1)</script>"})
	at := s.consoleBase() + "/companies/" + id
	b.page(at, `we are <mark id="quote-0">Acme</mark> and make`, "Hello &lt;i&gt;you", "<h3>Call</h3>", "&lt;script&gt;",
		"!<script>alert", "90 %", "Ada", "was added")
	other, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), other.ID, consolePassword))
	b.submit(at+"/edit", url.Values{"visibility": {"private"}}).want(http.StatusSeeOther)
	colleague := s.signIn(other.Email)
	for _, path := range []string{"", "/events", "/deck", "/deck/1", "/attachments/" + missing()} {
		colleague.open(at + path).want(http.StatusNotFound)
	}
	for _, path := range []string{"/edit", "/review", "/analysis", "/shares"} {
		colleague.submit(at+path, url.Values{"name": {"Taken"}, "user": {missing()}}).want(http.StatusNotFound)
	}
}

// TestALongMessageIsShownWholeOnDemand has a message whose middle only the page of the whole message has.
func TestALongMessageIsShownWholeOnDemand(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	filler := strings.Repeat("<&> ", 10_000)
	text := "Acme makes anvils. " + filler + "In the middle. " + filler + "The last words."
	id := s.company(s.key, part{"text", "", text})
	at := s.consoleBase() + "/companies/" + id
	first := b.page(at, "makes anvils.", "!In the middle.", "The last words.", `href="?text=whole#source"`)
	whole := b.page(at+"?text=whole", "In the middle.", "The last words.", "!?text=whole")
	if len(first.Raw) > len(whole.Raw)/2 {
		t.Errorf("the page has %d bytes, that with the whole message %d", len(first.Raw), len(whole.Raw))
	}
}

func TestFilesOfACompanyAreAddedDownloadedAndRemoved(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	at := s.consoleBase() + "/companies/" + s.company(s.key)
	b.upload(at+"/attachments", nil, "the plan").want(http.StatusSeeOther)
	b.page(at, "file 8.txt")
	id := s.get(companies+"/"+at[strings.LastIndex(at, "/")+1:]+"/attachments", s.key).text("data.attachments.0.id")
	to := b.open(at + "/attachments/" + id).want(http.StatusSeeOther).Header.Get("Location")
	if got := s.get(s.local(to), "").want(http.StatusOK); string(got.Raw) != "the plan" {
		t.Errorf("the file is %q", got.Raw)
	}
	b.submit(at+"/attachments/"+id+"/remove", url.Values{}).want(http.StatusSeeOther)
	b.page(at, "!file 8.txt")
}

func TestTheDeckIsShownPageByPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key, part{"file_0", "deck.pdf", deckPDF})
	at := s.consoleBase() + "/companies/" + id
	b.page(at, at+"/deck/1", "!"+at+"/deck/2")
	first := b.open(at + "/deck/1").want(http.StatusOK)
	if first.Header.Get("Content-Type") != "image/png" || !bytes.HasPrefix(first.Raw, []byte("\x89PNG")) {
		t.Errorf("the page is %s: %.20q", first.Header.Get("Content-Type"), first.Raw)
	}
	drawn := func() (n int) {
		for _, key := range s.stored() {
			if strings.HasPrefix(key, "drawn/") {
				n++
			}
		}
		return n
	}
	if n := drawn(); n != 1 {
		t.Errorf("%d pictures are stored", n)
	}
	b.open(at + "/deck/2").want(http.StatusNotFound)
	b.open(at + "/deck/x").want(http.StatusNotFound)
	s.send(request{Method: http.MethodDelete, Path: companies + "/" + id, Key: s.key}).want(http.StatusOK)
	for deadline := time.Now().Add(20 * time.Second); drawn() > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the pictures outlive their company")
		}
	}
}

// hears returns a function that reads the stream of a page up to the next change, and returns the version that the
// event names.
func (b *browser) hears(path string, more http.Header) func() string {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute) // a stream without a change ends the test
	b.Cleanup(cancel)
	asked := b.request(http.MethodGet, path, nil).WithContext(ctx)
	asked.Header = b.header()
	maps.Copy(asked.Header, more)
	got, err := http.DefaultTransport.RoundTrip(asked)
	must(b.T, err)
	b.Cleanup(func() { _ = got.Body.Close() })
	lines, version := bufio.NewScanner(got.Body), ""
	return func() string {
		b.Helper()
		for lines.Scan() {
			if id, is := strings.CutPrefix(lines.Text(), "id: "); is {
				version = id
			}
			if lines.Text() == "event: changed" {
				return version
			}
		}
		b.Fatalf("the stream ended without a change: %v", lines.Err())
		return ""
	}
}

// A change between the making of the page and the beginning of its stream is sent too.
func TestThePageHearsOfChanges(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key)
	name := func(name string) {
		s.send(request{
			Method: http.MethodPatch, Path: companies + "/" + id, Key: s.key, Body: map[string]any{"name": name},
		}).want(http.StatusOK)
	}
	events := func() string {
		page := string(b.page(s.consoleBase() + "/companies/" + id).Raw)
		_, rest, _ := strings.Cut(page, `data-events="`)
		path, _, _ := strings.Cut(rest, `"`)
		return html.UnescapeString(path)
	}
	before := events()
	name("Changed before anybody listened")
	first := b.hears(before, nil)
	version := first()
	second := b.hears(events(), nil)
	again := b.hears(before, http.Header{"Last-Event-Id": {version}})
	name("Changed while three listened")
	if got := []string{first(), second(), again()}; got[0] == version || got[1] != got[0] || got[2] != got[0] {
		t.Errorf("the streams name %q after %q", got, version)
	}
}

func TestThePageOfACompanyShowsWhatHangsOnIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	id := s.company(s.key)
	at := s.consoleBase() + "/companies/" + id
	b.page(at, "!Second call", "!Submissions</h2>")
	team := "/api/v1/accounts/" + s.account.ID.String()
	s.post(team+"/meeting-minutes", s.key,
		map[string]any{"title": "Second call", "content": "They *sell*.", "company_id": id}).want(http.StatusCreated)
	s.post(team+"/form-submissions", s.key, map[string]any{
		"company_id": id, "data": []map[string]any{{"key": "who", "label": "Who?", "value": "Us"}},
	}).want(http.StatusCreated)
	b.page(at, "Second call", "They <em>sell</em>.", "Submissions</h2>")
}

func TestTheQueueIsReviewed(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	first := s.company(s.key, part{"text", "", "Anvils, made by hand."})
	second := s.company(s.key, part{"text", "", "Hammers, made by hand."})
	queue := s.consoleBase() + "/review"
	page := string(b.page(queue, first, second).Raw)
	if strings.Index(page, first) > strings.Index(page, second) {
		t.Error("the newest is the first")
	}
	at := func(id string) string { return s.consoleBase() + "/companies/" + id }
	got := b.submit(at(first)+"/review", url.Values{"reviewed": {"name"}, "back": {"review"}}).want(http.StatusSeeOther)
	if got.Header.Get("Location") != queue {
		t.Errorf("it leads to %s", got.Header.Get("Location"))
	}
	b.page(queue, "!"+first, second)
	b.submit(at(second)+"/edit", url.Values{"name": {"Hammer"}, "back": {"review"}}).want(http.StatusSeeOther)
	b.page(queue, "There is nothing to review")
	_, key := s.stranger()
	theirs := s.company(key, part{"account_id", "", s.get("/api/v1/accounts", key).text("data.accounts.0.id")},
		part{"text", "", "Chisels."})
	b.page(queue, "!"+theirs)
}

func TestACompanyIsAddedOnThePage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	add := s.consoleBase() + "/add"
	b.page(add, `name="text"`, `name="dry_run"`)
	pitch := "We are Acme, and we make anvils for everybody who has a hammer at home."
	found := b.upload(add, map[string]string{"text": pitch, "dry_run": "true"}, "plan").want(http.StatusOK)
	for _, want := range []string{
		"What was found", `<mark id="quote-0">Acme</mark>`, `name="was_name" value="Acme"`, "90 %",
		`name="founder_name" value="Ada"`,
	} {
		if !strings.Contains(string(found.Raw), want) {
			t.Errorf("a look does not show %q: %.5000s", want, found.Raw)
		}
	}
	if n := s.count("companies"); n != 0 {
		t.Fatalf("a look made %d companies", n)
	}
	made := b.upload(add, map[string]string{
		"text": pitch, "name": "Anvil Works", "was_name": "Acme", "source": "email", "was_source": "email",
		"company_status_id": "no_status", "visibility": "team",
		"founder_name": "Ada Smith", "founder_title": "CEO", "was_founders": `[{"name": "Ada", "title": "CEO"}]`,
		"summary": "Anvils.", "was_summary": "Anvils.", "notes": "",
	}, "the plan", "the second plan").want(http.StatusSeeOther)
	to := made.Header.Get("Location")
	id := to[strings.LastIndex(to, "/")+1:]
	b.page(to, "Anvil Works", "Ada Smith", "file 8.txt", "file 15.txt")
	got := s.get(companies+"/"+id, s.key)
	if got.at("data.company.metadata.founders.0.name") != "Ada Smith" ||
		got.at("data.company.metadata.ai_analysis") != "Anvils for everybody." {
		t.Errorf("the company is %s", got.Raw)
	}
	b.upload(add, map[string]string{"text": " "}).want(http.StatusBadRequest)
	b.upload("/app/"+missing()+"/add", map[string]string{"text": pitch}).want(http.StatusNotFound)
}

// deckPDF is a deck of one page.
var deckPDF = onePage("Acme makes anvils for everybody who has a hammer at home and likes them")

func onePage(words string) string {
	content := "BT /F1 24 Tf 40 200 Td (" + words + ") Tj ET"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	out, offsets := "%PDF-1.4\n", ""
	for i, object := range objects {
		offsets += fmt.Sprintf("%010d 00000 n \n", len(out))
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	return out +
		fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
			len(objects)+1, offsets, len(objects)+1, len(out))
}

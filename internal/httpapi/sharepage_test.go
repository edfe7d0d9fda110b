package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/testkit"
)

// open gets the page of a link, with cookies where there are some.
func (s *server) open(code string, cookies ...*http.Cookie) reply {
	s.Helper()
	header := http.Header{}
	for _, cookie := range cookies {
		header.Add("Cookie", cookie.Name+"="+cookie.Value)
	}
	return s.send(request{Path: "/s/" + code, Header: header})
}

// unlock sends the form of a link's page.
func (s *server) unlock(code, password string) reply {
	s.Helper()
	return s.send(request{
		Method: http.MethodPost, Path: "/s/" + code, Body: url.Values{"password": {password}}.Encode(),
		Type: "application/x-www-form-urlencoded",
	})
}

// notice fails the test unless this is a page that says why there is nothing to see.
func (r reply) notice(status int, title string) {
	r.t.Helper()
	r.want(status)
	if !strings.Contains(string(r.Raw), "<h1>"+title+"</h1>") || strings.Contains(string(r.Raw), `class="card"`) ||
		!strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		r.t.Errorf("status %d with %s, want the notice %q", r.Status, r.Raw, title)
	}
}

// views returns how often a link was looked at.
func (s *server) views(id string) string {
	s.Helper()
	return s.get(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK).
		at("data.link.view_count").(json.Number).String()
}

// full creates a company with a status, a deck, an attachment, notes, founders and metadata, and returns its id. Some
// values have characters that HTML must escape.
func (s *server) full(more ...part) string {
	s.Helper()
	stage := s.get(s.accountPath("company-statuses"), s.key).want(http.StatusOK).text("data.1.id")
	return s.company(s.key, append(more, part{Name: "company_status_id", Value: stage},
		part{Name: "name", Value: "Acme <b>& Söhne</b>"}, part{
			Name: "text", Value: "The secret pitch text, which is long enough to be analysed by somebody.",
		},
		part{Name: "notes", Value: "Our secret notes"}, part{Name: "source", Value: "referral"},
		part{Name: "file_0", File: "deck.pdf", Value: "%PDF-1.4 no pages"}, part{
			Name: "file_1", File: "model.txt", Value: "numbers",
		},
		part{Name: "metadata", Value: `{"ai_analysis":"Anvils for <everybody>.","founders":[{"name":"Ada Lovelace","title":"CEO","background":"Forged.","email":"ada@acme.example",
			"phone":"+1 555 0100","linkedin_profile":"javascript:alert(1)"},{"name":"Bob","linkedin_profile":"linkedin.com/in/bob"},"odd",{}],"user_preferences":[{"field":"Secret score","value":"9"}]}`})...)
}

func TestPermissionsDecideWhatIsOnThePage(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	company := s.full()
	s.change(companies+"/"+company, s.key, `{"deck_link":"https://www.docsend.example/view/abc?a=1&b=2"}`).
		want(http.StatusOK)
	deck := []string{
		"Acme &lt;b&gt;&amp; Söhne&lt;/b&gt;",
		`href="https://www.docsend.example/view/abc?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"`, ">deck.pdf<",
		"Olivia Owner", "Northwind Ventures",
	}
	fields := []string{
		"Anvils for &lt;everybody&gt;.", "Ada Lovelace", "CEO", "Forged.", `href="mailto:ada@acme.example"`,
		`href="tel:&#43;15550100"`, `href="https://linkedin.com/in/bob"`, "Source: referral", ">Screening<",
	}
	more := []string{"Our secret notes", ">model.txt<"}
	never := []string{"secret pitch", "Secret score", `href="javascript`, "<b>&", "ZgotmplZ", "team</", "<script"}
	deck = append(deck[:2], deck[3:]...)
	tests := map[string]struct {
		shown, hidden []string
		files         int
	}{
		"view_deck": {deck, append(append(never, fields...), more...), 1},
		"view":      {append(deck, fields...), append(never, more...), 1},
		"full":      {append(append(deck, fields...), more...), never, 2},
	}
	for permissions, tc := range tests {
		_, code := s.share(s.key, permissions, nil, company)
		got := s.open(code).want(http.StatusOK)
		page := string(got.Raw)
		for _, text := range tc.shown {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page lacks %q", permissions, text)
			}
		}
		for _, text := range tc.hidden {
			if strings.Contains(strings.TrimPrefix(page, "<!DOCTYPE html>"), text) {
				t.Errorf("%s: the page tells %q", permissions, text)
			}
		}
		links := regexp.MustCompile(`href="http://deals\.example(/files/[^"]+)"`).FindAllStringSubmatch(page, -1)
		if len(links) != tc.files {
			t.Errorf("%s: %d files on the page, want %d", permissions, len(links), tc.files)
		}
		for _, link := range links {
			s.get(strings.ReplaceAll(link[1], "&amp;", "&"), "").want(http.StatusOK)
		}
	}
}

func TestThePageIsHardened(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	_, code := s.share(s.key, "full", map[string]any{"name": "</title><script>alert(1)</script>"}, s.company(s.key))
	for _, path := range []string{code, "unknown"} {
		got := s.open(path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'sha256-", "X-Robots-Tag": "noindex, nofollow",
			"Referrer-Policy": "no-referrer",
			"Cache-Control":   "no-store", "X-Content-Type-Options": "nosniff", "Content-Type": "text/html; charset=utf-8",
		} {
			if !strings.HasPrefix(got.Header.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, got.Header.Get(name))
			}
		}
		for _, part := range []string{"<script", " style=", " onclick", "unsafe", "https://fonts"} {
			if strings.Contains(string(got.Raw), part) || strings.Contains(got.Header.Get("Content-Security-Policy"), part) {
				t.Errorf("%s: the page holds %q", path, part)
			}
		}
	}
}

func TestWhatThePageReadsAsItsMaker(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	mia, member := s.colleague("Mia Member", "member")
	company := func(name, visibility string) string {
		return s.company(s.key, part{Name: "name", Value: name}, part{Name: "visibility", Value: visibility})
	}
	lost, deleted, turned, stays := company("Lost to her", "shared"), company("Deleted", "team"),
		company("Turned private", "team"), company("Stays", "team")
	testkit.Exec(t, s.dbURL, "INSERT INTO company_shares (company_id, account_id, user_id) VALUES ($1, $2, $3)", lost,
		s.account.ID, mia.ID)
	own := s.company(member, part{Name: "name", Value: "Her private one"}, part{Name: "visibility", Value: "private"})
	_, code := s.share(member, "full", nil, lost, deleted, turned, own, stays)
	names := func() string {
		var found []string
		for _, match := range regexp.MustCompile(`<h2[^>]*>([^<]*)</h2>`).
			FindAllStringSubmatch(string(s.open(code).want(http.StatusOK).Raw), -1) {
			found = append(found, match[1])
		}
		return strings.Join(found, ", ")
	}
	if got := names(); got != "Lost to her, Deleted, Turned private, Stays" {
		t.Errorf("at first the page shows %s", got)
	}
	testkit.Exec(t, s.dbURL, "DELETE FROM company_shares")
	s.erase(companies+"/"+deleted, s.key).want(http.StatusOK)
	s.change(companies+"/"+turned, s.key, `{"visibility":"private"}`).want(http.StatusOK)
	if got := names(); got != "Stays" {
		t.Errorf("then the page shows %s", got)
	}
	s.erase(companies+"/"+stays, s.key).want(http.StatusOK)
	if page := string(s.open(code).want(http.StatusOK).Raw); !strings.Contains(page, "Nothing is shared here any more.") {
		t.Errorf("an empty page is %s", page)
	}
}

func TestViewsAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	company := s.company(s.key)
	id, code := s.share(s.key, "view", nil, company)
	locked, lockedCode := s.share(s.key, "view", map[string]any{"password": "pw"}, company)
	s.send(request{Method: http.MethodHead, Path: "/s/" + code}).want(http.StatusOK)
	if got := s.views(id); got != "0" {
		t.Errorf("HEAD counts: %s views", got)
	}
	s.open(code).want(http.StatusOK)
	s.open(code).want(http.StatusOK)
	s.open(lockedCode).want(http.StatusOK)
	s.unlock(lockedCode, "wrong").want(http.StatusUnauthorized)
	if got := s.views(id) + s.views(locked); got != "20" {
		t.Errorf("views %s, want 2 and 0", got)
	}
	s.open(lockedCode, s.unlock(lockedCode, "pw").pass()).want(http.StatusOK)
	if got := s.views(locked); got != "1" {
		t.Errorf("after the password %s views, want 1", got)
	}
	s.erase(companies+"/"+company, s.key).want(http.StatusOK)
	s.open(code).want(http.StatusOK)
	if got := s.views(id); got != "2" {
		t.Errorf("an empty page counts: %s views", got)
	}
}

// pass returns the one cookie that an answer sets.
func (r reply) pass() *http.Cookie {
	r.t.Helper()
	set := (&http.Response{Header: r.Header}).Cookies()
	if len(set) != 1 {
		r.t.Fatalf("status %d sets the cookies %v, want one", r.Status, set)
	}
	return set[0]
}

func TestPasswordsOpenLinks(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	company := s.company(s.key, part{Name: "name", Value: "Behind the door"})
	name := map[string]any{"name": "Told to nobody", "description": "Nor this", "password": "Pässwort ☃"}
	_, code := s.share(s.key, "full", name, company)
	_, other := s.share(s.key, "full", name, company)
	closed := func(what string, got reply, status int) {
		got.want(status)
		for _, secret := range []string{"Behind", "Told", "Nor this", "Olivia", "Northwind"} {
			if strings.Contains(string(got.Raw), secret) {
				t.Errorf("%s: the page tells %q", what, secret)
			}
		}
		if !strings.Contains(string(got.Raw), `type="password"`) || len(got.Header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: %v %s", what, got.Header, got.Raw)
		}
	}
	closed("without one", s.open(code), http.StatusOK)
	closed("wrong", s.unlock(code, "Pässwort"), http.StatusUnauthorized)
	closed("empty", s.unlock(code, ""), http.StatusUnauthorized)
	closed("long", s.unlock(code, strings.Repeat("x", 5000)), http.StatusUnauthorized)
	right := s.unlock(code, "Pässwort ☃").want(http.StatusSeeOther)
	pass := right.pass()
	if right.Header.Get("Location") != code || !pass.HttpOnly || !pass.Secure || pass.SameSite != http.SameSiteLaxMode ||
		pass.Path != "/s/"+code || pass.MaxAge != 3600 {
		t.Errorf("opened to %q with %+v", right.Header.Get("Location"), pass)
	}
	if page := string(s.open(code, pass).want(http.StatusOK).Raw); !strings.Contains(page, "Behind the door") ||
		!strings.Contains(page, "Told to nobody") {
		t.Errorf("opened %s", page)
	}
	closed("another link's pass", s.open(other, pass), http.StatusOK)
	for what, value := range map[string]string{
		"changed": pass.Value[:len(pass.Value)-1] + "x", "later": "9" + pass.Value, "none": "", "odd": "9999999999.",
		"no number": "x.y",
	} {
		closed(what, s.open(code, &http.Cookie{Name: pass.Name, Value: value}), http.StatusOK)
	}
	if strings.Contains(s.log.String(), "Pässwort") || strings.Contains(s.log.String(), code) {
		t.Error("the log tells a password or a code")
	}
}

func TestPassesEnd(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	s := start(t, func(chosen *setup) {
		chosen.NoWorker, chosen.AnalysisWait = true, time.Millisecond
		chosen.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	_, code := s.share(s.key, "full", map[string]any{"password": "pw"},
		s.company(s.key, part{Name: "name", Value: "Behind"}))
	pass := s.unlock(code, "pw").pass()
	later.Store(int64(59 * time.Minute))
	if !strings.Contains(string(s.open(code, pass).Raw), "Behind") {
		t.Error("after 59 minutes the pass has ended")
	}
	later.Store(int64(61 * time.Minute))
	if strings.Contains(string(s.open(code, pass).Raw), "Behind") {
		t.Error("after 61 minutes the pass still opens the link")
	}
}

func TestGuessesAreSlowedDown(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	company := s.company(s.key)
	password := map[string]any{"password": "pw"}
	_, code := s.share(s.key, "full", password, company)
	_, other := s.share(s.key, "full", password, company)
	var last reply
	for range 12 { // five in a minute of the clock are let through, which may change once meanwhile
		if last = s.unlock(code, "wrong"); last.Status != http.StatusUnauthorized {
			break
		}
	}
	last.notice(http.StatusTooManyRequests, "Too many attempts")
	if wait := last.Header.Get("Retry-After"); !regexp.MustCompile(`^[1-9][0-9]?$`).MatchString(wait) {
		t.Errorf("Retry-After is %q", wait)
	}
	s.unlock(code, "pw").want(http.StatusTooManyRequests)
	s.unlock(other, "pw").want(http.StatusSeeOther)
	s.open(code).want(http.StatusOK)
}

func TestExpiredAndUnknownLinksSaySo(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	s := start(t, func(chosen *setup) {
		chosen.NoWorker, chosen.AnalysisWait = true, time.Millisecond
		chosen.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	until := time.Now().Add(10 * time.Minute)
	company := s.company(s.key, part{Name: "name", Value: "Acme"}, part{Name: "file_0", File: "deck.txt", Value: "deck"})
	id, code := s.share(s.key, "full", map[string]any{"expires_at": until.Format(time.RFC3339), "password": "pw"}, company)
	page := string(s.open(code, s.unlock(code, "pw").pass()).want(http.StatusOK).Raw)
	expires := regexp.MustCompile(`expires=(\d+)`).FindStringSubmatch(page)
	if len(expires) != 2 || expires[1] != strconv.FormatInt(until.Unix(), 10) {
		t.Errorf("the deck's URL ends at %v, want the end of the link, %d", expires, until.Unix())
	}
	later.Store(int64(11 * time.Minute))
	s.open(code).notice(http.StatusGone, "This link has expired")
	s.unlock(code, "pw").notice(http.StatusGone, "This link has expired")
	if got := s.get(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK); got.at("data.link.is_active") != false {
		t.Errorf("an expired link is %s", got.Raw)
	}
	revoked, gone := s.share(s.key, "view", nil, company)
	s.erase(s.accountPath("shared-links/"+revoked), s.key).want(http.StatusOK)
	for _, path := range []string{
		gone, "000000000000", "x", "%00aaaaaaaaaaa", "%ff0000000000", strings.ToLower(code) + "x", "../healthz", code + "/",
		strings.Repeat("a", 3000),
	} {
		s.do(s.request(http.MethodGet, "/s/"+path, nil)).notice(http.StatusNotFound, "There is nothing here")
	}
	s.unlock(gone, "pw").notice(http.StatusNotFound, "There is nothing here")
}

func TestOddRequestsGetAPage(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	_, code := s.share(s.key, "view", map[string]any{"password": "pw"}, s.company(s.key))
	for name, tc := range map[string]struct {
		method, media, body string
		want                int
	}{
		"PUT":         {http.MethodPut, "", "", 405},
		"DELETE":      {http.MethodDelete, "", "", 405},
		"JSON":        {http.MethodPost, "application/json", `{"password":"pw"}`, 415},
		"no type":     {http.MethodPost, "", "password=pw", 415},
		"broken form": {http.MethodPost, "application/x-www-form-urlencoded", "password=%zz", 400},
		"a large form": {
			http.MethodPost, "application/x-www-form-urlencoded", "password=" + strings.Repeat("x", 20<<10), 413,
		},
	} {
		sent := s.request(tc.method, "/s/"+code, strings.NewReader(tc.body))
		sent.Header.Set("Content-Type", tc.media)
		got := s.do(sent)
		if got.Status != tc.want || !strings.Contains(string(got.Raw), "<h1>This did not work</h1>") {
			t.Errorf("%s: %d %s", name, got.Status, got.Raw)
		}
	}
	_, open := s.share(s.key, "view", nil, s.company(s.key))
	if got := s.unlock(open, "whatever").want(http.StatusSeeOther); got.Header.Get("Location") != open ||
		len(got.Header.Values("Set-Cookie")) > 0 {
		t.Errorf("a link without a password answers its form with %v", got.Header)
	}
}

func TestABrokenPageIsAPage(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	_, code := s.share(s.key, "view", nil, s.company(s.key))
	testkit.Exec(t, s.dbURL, "DROP FUNCTION app_link_by_code(text)")
	got := s.open(code)
	got.notice(http.StatusInternalServerError, "Something went wrong")
	if strings.Contains(string(got.Raw), "app_link_by_code") {
		t.Errorf("the page tells %s", got.Raw)
	}
}

func TestProgramsThatLookAtLinksAreNotCounted(t *testing.T) {
	t.Parallel()
	s := start(t, func(chosen *setup) { chosen.NoWorker = true; chosen.AnalysisWait = time.Millisecond })
	id, code := s.share(s.key, "view", nil, s.company(s.key))
	visit := func(method, agent string) {
		s.send(request{Method: method, Path: "/s/" + code, Header: http.Header{"User-Agent": {agent}}}).want(http.StatusOK)
	}
	for _, agent := range []string{
		"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
		"Twitterbot/1.0",
		"facebookexternalhit/1.1",
		"LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient)",
		"WhatsApp/2.23.20.0",
		"TelegramBot (like TwitterBot)",
		"Mozilla/5.0 (compatible; Discordbot/2.0)",
		"Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1) Chrome/129.0.0.0 Safari/537.36",
		"Mozilla/5.0 (compatible; bingbot/2.0)",
		"Mozilla/5.0 (compatible; UnheardOf/1.0; +https://unheardof.example/about)",
	} {
		if visit(http.MethodGet, agent); s.views(id) != "0" {
			t.Fatalf("a visit of %q counts", agent)
		}
	}
	people := []string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"Mozilla/5.0 (Linux; Android 9; CUBOT_NOTE_7) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Snapchat/13",
	}
	for i, agent := range people {
		visit(http.MethodHead, agent)
		if visit(http.MethodGet, agent); s.views(id) != strconv.Itoa(i+1) {
			t.Errorf("after a visit of %q %s views, want %d", agent, s.views(id), i+1)
		}
	}
}

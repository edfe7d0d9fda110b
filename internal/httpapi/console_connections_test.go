package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/testkit"
)

// once follows a form to its page, and returns what shown finds there. It fails the test if the page shows it again
// when it is opened again.
func (b *browser) once(got reply, page string, shown *regexp.Regexp) string {
	b.Helper()
	at := b.follow(got)
	found := shown.FindStringSubmatch(string(at.Raw))
	if found == nil {
		b.Fatalf("the page does not show %s: %.3000s", shown, at.Raw)
	}
	b.page(page, "!"+found[1])
	return found[1]
}

// follow returns the page that a form leads to, as a browser with the answer's cookies is shown it.
func (b *browser) follow(got reply) reply {
	b.Helper()
	to := got.want(http.StatusSeeOther).Header.Get("Location")
	with := *b
	with.cookies = slices.Concat(b.cookies, (&http.Response{Header: got.Header}).Cookies())
	return with.open(to).want(http.StatusOK)
}

// What is shown once is in a cookie for one page and one session; reloading the page posts nothing again.
func TestASecretIsShownOnceToOneSessionOnOnePage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	const at = "/app/me/keys"
	made := b.submit(at+"/add", url.Values{"name": {"robot"}, "scope": {"read"}})
	cookies := (&http.Response{Header: made.Header}).Cookies()
	if len(cookies) != 1 || cookies[0].Path != at || !cookies[0].HttpOnly || !cookies[0].Secure ||
		cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].MaxAge > 300 {
		t.Fatalf("the cookies are %v", cookies)
	}
	if strings.Contains(string(made.Raw)+made.Header.Get("Location"), "mk_") {
		t.Error("the answer to the form has the key")
	}
	again := s.signIn(s.owner.Email)
	again.cookies = append(again.cookies, cookies...)
	again.page(at, "robot", `!value="mk_`)
	other := *b
	other.cookies = slices.Concat(b.cookies, cookies)
	other.page("/app/me", "!mk_")
	for range 2 { // the first answer was lost, so that the browser still has the cookie
		shown := b.follow(made)
		if !strings.Contains(string(shown.Raw), `value="mk_`) {
			t.Errorf("the key is not shown: %.2000s", shown.Raw)
		}
		if gone := (&http.Response{Header: shown.Header}).Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
			t.Errorf("the page leaves the cookies %v", gone)
		}
	}
	b.page(at, `!value="mk_`)
	if n := s.count("api_keys"); n != 2 {
		t.Errorf("there are %d keys, want that of the test and the one that was made", n)
	}
	cookies[0].Value = cookies[0].Value[1:]
	other.page(at, "robot", `!value="mk_`)
}

func TestAnIntegrationIsTriedAndKeepsNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	member, _ := s.visits("Mia Member", account.RoleMember)
	at := s.consoleBase() + "/team/integrations"
	for kind, want := range map[string][]string{
		"email":    {"Ada Novak &lt;ada@tidewell.example&gt;", "Subject: Tidewell: seed round", "A company would be made"},
		"tally":    {"Company name: Tidewell", "A company would be made"},
		"typeform": {"Company name: Tidewell", "A company would be made"},
	} {
		owner.submit(at+"/add", url.Values{"kind": {kind}, "name": {"<i>" + kind}, "create_companies": {"on"}}).
			want(http.StatusSeeOther)
		id := testkit.Texts(t, s.dbURL, "SELECT id::text FROM integrations WHERE kind = '"+kind+"'")[0]
		one := at + "/" + id
		for range 2 {
			page := string(owner.follow(owner.submit(one+"/try", nil)).Raw)
			for _, words := range append(want, "&lt;i&gt;"+kind+" works", "Nothing of it was kept") {
				if !strings.Contains(page, words) {
					t.Errorf("%s: %q is not shown: %.4000s", kind, words, page)
				}
			}
		}
		member.submit(one+"/try", nil).want(http.StatusForbidden)
		owner.elsewhere(one+"/try", nil).want(http.StatusForbidden)
		owner.submit(one+"/switch", url.Values{"enabled": {"false"}}).want(http.StatusSeeOther)
		owner.submit(one+"/try", nil).says(http.StatusConflict, "is switched off")
	}
	owner.submit(at+"/"+missing()+"/try", nil).want(http.StatusNotFound)
	for _, table := range []string{"emails", "form_submissions", "receipts", "work"} {
		if n := s.count(table); n != 0 {
			t.Errorf("trials left %d %s", n, table)
		}
	}
}

func TestKeysAreMadeAndRevokedOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	const at = "/app/me/keys"
	add := func(form url.Values) reply { return b.submit(at+"/add", form) }
	add(url.Values{"name": {" "}, "scope": {"read"}}).says(http.StatusBadRequest, "Name is empty")
	add(url.Values{"name": {"robot"}}).says(http.StatusBadRequest, "at least one scope")
	add(url.Values{"name": {"robot"}, "scope": {"everything"}}).says(http.StatusBadRequest, "must be some of")
	add(url.Values{"name": {"robot"}, "scope": {"read"}, "until": {"2020-01-01"}}).says(http.StatusBadRequest,
		"in the future")
	add(url.Values{"name": {"robot"}, "scope": {"read"}, "until": {"soon"}}).says(http.StatusBadRequest, "must be a day")
	b.elsewhere(at+"/add", url.Values{"name": {"robot"}, "scope": {"admin"}}).want(http.StatusForbidden)
	if n := s.count("api_keys"); n != 1 {
		t.Fatalf("after refusals there are %d keys", n)
	}
	made := add(url.Values{"name": {"<b>robot</b>"}, "scope": {"read"}, "until": {"2999-12-31"}})
	key := b.once(made, at, regexp.MustCompile(`value="(mk_[a-z2-7]+)"`))
	b.page(at, "&lt;b&gt;robot", "!<b>robot", "!last used", "31 Dec 2999", key[:7])
	s.get("/api/v1/accounts", key).want(http.StatusOK)
	s.post("/api/v1/api-keys", key, map[string]any{"name": "x"}).want(http.StatusForbidden)
	b.page(at, "last used")

	revoke := at + "/" + s.keyID(key).String() + "/revoke"
	eve, _ := s.visits("Eve Elsewhere", account.RoleAdmin)
	eve.page(at, "!robot")
	eve.submit(revoke, nil)
	b.elsewhere(revoke, nil).want(http.StatusForbidden)
	s.get("/api/v1/accounts", key).want(http.StatusOK)
	for range 2 { // the second time it is gone already
		b.done(b.submit(revoke, nil), "The key is revoked", "!robot")
	}
	s.get("/api/v1/accounts", key).want(http.StatusUnauthorized)
}

func TestIntegrationsAreKeptOnTheirPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	member, _ := s.visits("Mia Member", account.RoleMember)
	at := s.consoleBase() + "/team/integrations"
	add := url.Values{"kind": {"email"}, "name": {"<i>Inbox</i>"}, "create_companies": {"on"}}
	owner.submit(at+"/add", url.Values{"kind": {"fax"}, "name": {""}}).says(http.StatusBadRequest,
		"tally, typeform or email")
	member.submit(at+"/add", add).want(http.StatusForbidden)
	owner.elsewhere(at+"/add", add).want(http.StatusForbidden)
	secret := regexp.MustCompile(`value="(whsec_[A-Z2-7]+)"`)
	first := owner.once(owner.submit(at+"/add", add), at, secret)
	hook := regexp.MustCompile(`value="https://deals\.example(/hooks/[a-z2-7]+)"`).FindStringSubmatch(
		string(owner.page(at, "&lt;i&gt;Inbox", "!<i>Inbox", "makes companies", "Emails").Raw))
	id := s.get(s.accountPath("integrations"), s.key).text("data.integrations.0.id")
	one := at + "/" + id
	if second := owner.once(owner.submit(one+"/rotate", nil), at, secret); second == first {
		t.Error("the new secret is the old one")
	}
	owner.done(owner.submit(one+"/change", url.Values{"name": {"Post"}, "signing_key": {"key-1234"}}), "Post",
		"!makes companies", "!key-1234")
	owner.done(owner.submit(one+"/change", url.Values{"name": {"Post"}, "no_signing_key": {"on"}}), "Post")
	owner.done(owner.submit(one+"/switch", url.Values{"enabled": {"false"}}), `<span class="badge off">off`)
	owner.done(owner.submit(one+"/switch", url.Values{"enabled": {"true"}}), `!<span class="badge off">off`)
	testkit.Exec(t, s.dbURL, `INSERT INTO receipts (id, account_id, integration_id, content_type, size_bytes, sha256,
		create_companies, status, error)
		VALUES ($1, $2, $3, 'message/rfc822', 12, repeat('a', 64), false, 'failed', 'it is <b>no</b> mail')`, uuid.New(),
		s.account.ID, id)
	owner.page(one, "it is &lt;b&gt;no", "!<b>no")
	for _, deed := range []string{"change", "switch", "rotate", "delete"} {
		member.submit(one+"/"+deed, url.Values{"name": {"Mine"}}).want(http.StatusForbidden)
		owner.elsewhere(one+"/"+deed, url.Values{"name": {"Mine"}}).want(http.StatusForbidden)
	}
	owner.open(at + "/" + missing()).want(http.StatusNotFound)
	for range 2 {
		owner.done(owner.submit(one+"/delete", nil), "The integration is deleted", "!Post")
	}
	s.post(hook[1], "", "{}").want(http.StatusNotFound)
}

func TestWebhooksAreKeptOnTheirPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	member, _ := s.visits("Mia Member", account.RoleMember)
	at := s.consoleBase() + "/team/webhooks"
	add := url.Values{
		"url": {"https://receiver.example/in?<script>"}, "description": {"<b>CRM</b>"},
		"event": {"company.created"},
	}
	owner.submit(at+"/add", url.Values{"url": {"ftp://x"}, "event": {"x"}}).says(http.StatusBadRequest,
		"http or https URL")
	member.submit(at+"/add", add).want(http.StatusForbidden)
	owner.elsewhere(at+"/add", add).want(http.StatusForbidden)
	if n := s.count("webhooks"); n != 0 {
		t.Fatalf("refusals made %d webhooks", n)
	}
	secret := regexp.MustCompile(`value="(whsec_[^"]+)"`)
	first := owner.once(owner.submit(at+"/add", add), at, secret)
	id := s.get(s.accountPath("webhooks"), s.key).text("data.webhooks.0.id")
	one := at + "/" + id
	owner.page(at, one, "&lt;b&gt;CRM", "!<b>CRM", "!<script>")
	owner.page(one, "Nothing was sent yet", `value="company.created" checked`)
	if second := owner.once(owner.submit(one+"/rotate", nil), one, secret); second == first {
		t.Error("the new secret is the old one")
	}
	owner.done(owner.submit(one+"/test", nil), "A test is on its way", "webhook.test", "pending", "!Send again<span")
	owner.page(one+"?state=failed", "Nothing was sent yet")
	testkit.Exec(t, s.dbURL, `UPDATE webhook_deliveries SET state = 'failed', attempted_at = now(),
		error = '<script>no</script>', status_code = 500`)
	delivery := s.get(s.accountPath("webhooks/"+id+"/deliveries"), s.key).text("data.deliveries.0.id")
	owner.page(one, "&lt;script&gt;no", "!<script>no", "500", "/deliveries/"+delivery+"/again")
	owner.done(owner.submit(one+"/deliveries/"+delivery+"/again", nil), "It is sent again", "pending")
	owner.submit(one+"/deliveries/"+delivery+"/again", nil).says(http.StatusConflict, "wait until it is delivered")
	testkit.Exec(t, s.dbURL, `UPDATE webhook_deliveries SET state = 'failed'`)
	owner.done(owner.submit(one+"/replay", nil), "What failed in the last day", "pending")
	owner.done(owner.submit(one+"/change", url.Values{
		"url": {"https://receiver.example/other"}, "was_url": {"https://receiver.example/in?<script>"},
		"description": {"CRM"},
	}), "The webhook is changed", "https://receiver.example/other")
	owner.page(at, "all events")
	owner.done(owner.submit(one+"/switch", url.Values{"enabled": {"false"}}), `<span class="badge off">off`)
	owner.submit(one+"/test", nil).says(http.StatusConflict, "enable the webhook first")
	for _, deed := range []string{
		"test", "change", "switch", "rotate", "replay", "deliveries/" + delivery + "/again",
		"delete",
	} {
		member.submit(one+"/"+deed, add).want(http.StatusForbidden)
		owner.elsewhere(one+"/"+deed, add).want(http.StatusForbidden)
	}
	owner.open(at + "/" + missing()).want(http.StatusNotFound)
	owner.done(owner.submit(one+"/delete", nil), "The webhook is deleted", "!"+id)
	if n := s.count("webhooks"); n != 0 {
		t.Errorf("%d webhooks are left", n)
	}
}

func TestTheAuditLogIsPagedOnItsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	at := s.consoleBase() + "/team/audit"
	for i := range 60 {
		s.post(s.statusesPath(), s.key, map[string]any{"name": fmt.Sprintf("<b>Stage %02d</b>", i)}).want(http.StatusCreated)
	}
	seen := map[string]int{}
	next := at + "?action=company_status.created"
	for pages := 0; next != ""; pages++ {
		page := string(owner.page(next, "Olivia Owner", "!<b>Stage").Raw)
		for _, found := range regexp.MustCompile(`&lt;b&gt;Stage (\d\d)&lt;/b&gt;<br>`).FindAllStringSubmatch(page, -1) {
			seen[found[1]]++
		}
		older := regexp.MustCompile(`href="([^"]+)" rel="next"`).FindStringSubmatch(page)
		next = ""
		if older != nil {
			next = strings.ReplaceAll(older[1], "&amp;", "&")
		}
		if pages == 0 && older == nil || pages > 3 {
			t.Fatalf("page %d leads to %q: %.4000s", pages+1, next, page)
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d entries are on the pages, want 60", len(seen))
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("Stage %s is there %d times", name, times)
		}
	}
	owner.page(at+"?action=nothing.done", "There is nothing")
	owner.page(at, `href="`+at+`?actor=`+s.owner.ID.String()+`"`)
	owner.page(at+"?actor="+s.owner.ID.String(), "Olivia Owner", "of everybody")
	owner.page(at+"?actor="+missing(), "There is nothing")
	for _, query := range []string{"?action=%27%3B", "?at=x&behind=y", "?at=2026-01-01T00:00:00Z&behind=x", "?page=-1"} {
		owner.page(at+query, "Olivia Owner")
	}
}

func TestOnlyAdminsSeeWhatConnectsATeam(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner := s.signIn(s.withPassword())
	member, _ := s.visits("Mia Member", account.RoleMember)
	stranger, _ := s.stranger()
	owner.page(s.consoleBase()+"/team", "/team/audit", "/team/webhooks", "/team/integrations")
	member.page(s.consoleBase()+"/team", "!/team/audit", "!/team/webhooks", "!/team/integrations")
	for _, page := range []string{
		"/integrations", "/integrations/" + missing(), "/webhooks", "/webhooks/" + missing(),
		"/audit",
	} {
		got := member.open(s.consoleBase() + "/team" + page).want(http.StatusForbidden)
		if !strings.Contains(string(got.Raw), "There is nothing here") {
			t.Errorf("%s shows a member %s", page, got.Raw)
		}
		owner.open("/app/" + stranger.ID.String() + "/team" + page).want(http.StatusNotFound)
		(&browser{server: s}).open(s.consoleBase() + "/team" + page).want(http.StatusSeeOther)
	}
}

package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dealflow/internal/account/signin"
	"dealflow/internal/testkit"
)

// linkFor returns the path of a new link that signs the owner in.
func (s *server) linkFor() string {
	s.Helper()
	token, err := s.deps.SignIn.NewLink(s.Context(), s.owner.ID)
	must(s.T, err)
	return signin.LinkPath + token
}

// pageSecret opens the page of a link and returns what its form sends.
func (b *browser) pageSecret(link string) url.Values {
	b.Helper()
	page := b.page(link, b.owner.Email)
	found := regexp.MustCompile(`name="page" value="(\w+)"`).FindSubmatch(page.Raw)
	if found == nil {
		b.Fatalf("the form has no secret: %s", page.Raw)
	}
	return url.Values{"page": {string(found[1])}}
}

func TestALinkSignsInOnePage(t *testing.T) {
	t.Parallel()
	s := start(t)
	link, first, second := s.linkFor(), &browser{server: s}, &browser{server: s}
	one, other := first.pageSecret(link), second.pageSecret(link)
	if one.Get("page") == other.Get("page") {
		t.Fatal("two pages have one secret")
	}
	for range 2 { // the answer was lost: the page sends its form once more
		got := first.submit(link, one).want(http.StatusSeeOther)
		first.cookies = (&http.Response{Header: got.Header}).Cookies()
		first.page(s.consoleBase()+"/board", "Board")
	}
	for _, secret := range []url.Values{other, {}, {"page": {""}}} {
		if got := second.submit(link, secret).want(http.StatusGone); got.Header.Get("Set-Cookie") != "" {
			t.Errorf("a used link sets %s", got.Header.Get("Set-Cookie"))
		}
	}
	across := http.Header{"Sec-Fetch-Site": {"cross-site"}}
	s.send(request{
		Method: http.MethodPost, Path: s.linkFor(), Body: one.Encode(), Type: "application/x-www-form-urlencoded",
		Header: across,
	}).want(http.StatusForbidden)
}

func TestALinkSignsInNobodyElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	nobody, late := &browser{server: s}, s.linkFor()
	secret := nobody.pageSecret(late)
	testkit.Exec(t, s.dbURL, "UPDATE address_proofs SET expires_at = now() - interval '1 second'")
	nobody.open(late).want(http.StatusGone)
	nobody.submit(late, secret).want(http.StatusGone)
	nobody.open(signin.LinkPath + "unknown").want(http.StatusGone)
	if kept := s.count("address_proofs WHERE hash = decode('" + strings.TrimPrefix(late, signin.LinkPath) +
		"', 'escape')"); kept != 0 {
		t.Errorf("%d tokens are kept as they are", kept)
	}

	guarded := s.linkFor()
	secret = nobody.pageSecret(guarded)
	testkit.Exec(t, s.dbURL, "INSERT INTO second_factors (user_id, secret, confirmed_at) VALUES ($1, '\\x00', now())",
		s.owner.ID)
	if got := nobody.submit(guarded, secret).want(http.StatusGone); !strings.Contains(string(got.Raw), "second factor") {
		t.Errorf("a user with a second factor is shown %s", got.Raw)
	}
}

func TestAnEmptyBoardShowsHowToBegin(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	b.page(s.consoleBase()+"/board", "Add your first company", `data-add`)
	b.page(s.consoleBase()+"/add?example", "Tidal Batteries", "Look first")
	b.upload(s.consoleBase()+"/add", map[string]string{"text": "We are Acme."}, "the deck").want(http.StatusSeeOther)
	b.page(s.consoleBase()+"/board", "!Add your first company")
}

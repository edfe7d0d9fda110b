package httpapi_test

import (
	"bytes"
	"image"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dealflow/internal/account"
)

// enter sends the form before a link's page.
func (s *server) enter(code string, form url.Values) reply {
	s.Helper()
	return s.send(request{
		Method: http.MethodPost, Path: "/s/" + code, Body: form.Encode(), Type: "application/x-www-form-urlencoded",
	})
}

// spend reports times as the script of a shared page does.
func (s *server) spend(code, visit string, times []string, cookies ...*http.Cookie) reply {
	s.Helper()
	header := http.Header{}
	for _, cookie := range cookies {
		header.Add("Cookie", cookie.Name+"="+cookie.Value)
	}
	body := url.Values{"visit": {visit}, "time": times}.Encode()
	return s.send(request{
		Method: http.MethodPost, Path: "/s/" + code + "/time", Body: body,
		Type: "application/x-www-form-urlencoded;charset=UTF-8", Header: header,
	})
}

// visitOn returns the visit that a page counts time for.
func (r reply) visitOn() string {
	r.t.Helper()
	found := regexp.MustCompile(`data-visit="([^"]+)"`).FindSubmatch(r.Raw)
	if found == nil {
		r.t.Fatalf("there is no visit on %.3000s", r.Raw)
	}
	return string(found[1])
}

const deckElsewhere = "Acme makes anvils. Our deck: https://docsend.com/view/acme"

func TestASharedDeckIsShownPageByPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := s.company(s.key, part{"file_0", "deck.pdf", deckPDF}, part{"notes", "", "**Good** <script>x</script>"})
	_, code := s.share(s.key, "full", nil, company)
	page := string(s.open(code).want(http.StatusOK).Raw)
	slide := code + "/deck/" + company + "/1"
	for _, want := range []string{
		`src="` + slide, `src="../assets/share.js?`, "<strong>Good</strong> &lt;script&gt;", "Download the deck",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	if got := s.open(slide).want(http.StatusOK); got.Header.Get("Content-Type") != "image/png" ||
		!strings.Contains(got.Header.Get("Cache-Control"), "private") {
		t.Errorf("the picture has %v", got.Header)
	}
	_, only := s.share(s.key, "full", map[string]any{"view_only": true}, company)
	if page := string(s.open(only).want(http.StatusOK).Raw); strings.Contains(page, "/files/") ||
		!strings.Contains(page, only+"/deck/"+company+"/1") {
		t.Errorf("a link without downloads shows %s", page)
	}
	online := s.company(s.key, part{"text", "", deckElsewhere})
	both := s.company(s.key, part{"text", "", deckElsewhere}, part{"file_0", "deck.pdf", deckPDF})
	for id, links := range map[string]int{online: 1, both: 0} {
		_, only := s.share(s.key, "full", map[string]any{"view_only": true}, id)
		if page := string(s.open(only).want(http.StatusOK).Raw); strings.Count(page, "docsend.com/view") != links {
			t.Errorf("a link without downloads leads %d times elsewhere, want %d: %s",
				strings.Count(page, "docsend.com/view"), links, page)
		}
	}
	hidden := s.company(s.key, part{"file_0", "deck.pdf", deckPDF})
	_, locked := s.share(s.key, "view_deck", map[string]any{"password": "pw"}, company)
	for _, path := range []string{
		code + "/deck/" + hidden + "/1", code + "/deck/" + company + "/2", code + "/deck/x/1",
		locked + "/deck/" + company + "/1",
	} {
		s.open(path).want(http.StatusNotFound)
	}
	s.open(locked+"/deck/"+company+"/1", s.unlock(locked, "pw").pass()).want(http.StatusOK)
	s.change(companies+"/"+company, s.key, `{"visibility":"private"}`).want(http.StatusOK)
	s.open(slide).want(http.StatusNotFound)
}

func TestALinkAsksWhoReads(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := s.company(s.key, part{"file_0", "deck.pdf", deckPDF}, part{"name", "", "Behind the gate"})
	id, code := s.share(s.key, "view", map[string]any{
		"ask_email": true, "view_only": true, "watermark": true, "password": "pw",
	}, company)
	closed := func(what string, got reply, status int) {
		t.Helper()
		if got.want(status); strings.Contains(string(got.Raw), "Behind") ||
			!strings.Contains(string(got.Raw), `type="email"`) {
			t.Errorf("%s: %s", what, got.Raw)
		}
	}
	closed("at first", s.open(code), http.StatusOK)
	closed("a wrong password", s.enter(code, url.Values{"email": {"grace@navy.example"}, "password": {"no"}}),
		http.StatusUnauthorized)
	half := s.enter(code, url.Values{"email": {"no address"}, "password": {"pw"}})
	closed("no address", half, http.StatusBadRequest)
	pass := half.pass()
	closed("with the password alone", s.open(code, pass), http.StatusOK)
	greeted := s.send(request{
		Method: http.MethodPost, Path: "/s/" + code, Body: "email=grace@navy.example",
		Type:   "application/x-www-form-urlencoded",
		Header: http.Header{"Cookie": {pass.Name + "=" + pass.Value}},
	}).want(http.StatusSeeOther).pass()
	if !greeted.HttpOnly || greeted.Path != "/s/"+code {
		t.Errorf("the cookie is %+v", greeted)
	}
	forged := &http.Cookie{Name: greeted.Name, Value: "x" + greeted.Value}
	closed("a forged address", s.open(code, pass, forged), http.StatusOK)
	visit := s.open(code, pass, greeted).want(http.StatusOK).visitOn()
	slide := s.open(code+"/deck/"+company+"/1", pass, greeted).want(http.StatusOK)
	if slide.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the marked picture is %s", slide.Header.Get("Content-Type"))
	}
	marked, _, err := image.Decode(bytes.NewReader(slide.Raw))
	must(t, err)
	b := s.signIn(s.withPassword())
	plain, _, err := image.Decode(
		bytes.NewReader(b.open(s.consoleBase() + "/companies/" + company + "/deck/1").want(http.StatusOK).Raw),
	)
	must(t, err)
	if gray(marked) >= gray(plain) {
		t.Error("the mark leaves the page as it was")
	}
	s.open(code+"/deck/"+company+"/1", pass).want(http.StatusNotFound)
	s.spend(code, visit, []string{
		company + ".1.4200", company + ".0.5000", missing() + ".1.5000", "x", company + ".1.-5",
	}, pass, greeted).want(http.StatusNoContent)
	s.spend(code, visit, []string{company + ".1.800"}, pass, greeted).want(http.StatusNoContent)
	s.spend(code, missing(), []string{company + ".1.800"}, pass, greeted).want(http.StatusNoContent)
	s.spend(code, visit, []string{company + ".1.800"}, pass).want(http.StatusNotFound)
	b.page(s.consoleBase()+"/links/"+id, "grace@navy.example", "<td>5 s</td>", "Page 1", "watermark", "!0 views", code)
	link := s.get(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK)
	if link.at("data.link.ask_email") != true || link.at("data.link.view_only") != true ||
		link.at("data.link.watermark") != true || link.at("data.link.last_opened_at") == nil {
		t.Errorf("the link is %s", link.Raw)
	}
}

// gray returns the mean brightness of the pixels of a picture, as the sum of red, green and blue.
func gray(picture image.Image) float64 {
	sum, bounds := 0.0, picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			sum += float64(r + g + b)
		}
	}
	return sum / float64(bounds.Dx()*bounds.Dy())
}

func TestTimeOnPagesIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t)
	company := s.company(s.key)
	id, code := s.share(s.key, "view", nil, company)
	_, other := s.share(s.key, "view", nil, company)
	visit := s.open(code).want(http.StatusOK).visitOn()
	spent := func() int { return s.count("link_page_times WHERE milliseconds = 600000") }
	s.spend(code, visit, []string{company + ".7.2000000000", company + ".7.2000000000"}).want(http.StatusNoContent)
	if spent() != 1 {
		t.Error("a report of weeks is not cut")
	}
	s.spend(other, visit, []string{company + ".8.1000"}).want(http.StatusNoContent)
	s.spend(code, visit, []string{company + ".1001.1000"}).want(http.StatusNoContent)
	var many []string
	for range 101 {
		many = append(many, company+".9.1000")
	}
	s.spend(code, visit, many).want(http.StatusNoContent)
	if n := s.count("link_page_times"); n != 1 {
		t.Errorf("%d pages have a time, want 1", n)
	}
	s.spend(code, "x", nil).want(http.StatusNotFound)
	s.erase(s.accountPath("shared-links/"+id), s.key).want(http.StatusOK)
	s.spend(code, visit, []string{company + ".7.1000"}).want(http.StatusNotFound)
	if n := s.count("link_visits") + s.count("link_page_times"); n != 0 {
		t.Errorf("%d rows outlive their link", n)
	}
}

func TestWatermarksNeedAnAddress(t *testing.T) {
	t.Parallel()
	s := start(t)
	item := `"companies":[{"company_id":"` + s.company(s.key) + `","permissions":"view"}]`
	for body, field := range map[string]string{
		`{"watermark":true,"view_only":true,` + item + `}`:            "ask_email",
		`{"watermark":true,"ask_email":true,` + item + `}`:            "view_only",
		`{"ask_email":"yes",` + item + `}`:                            "ask_email",
		`{"view_only":1,"ask_email":null,"watermark":0,` + item + `}`: "view_only",
	} {
		got := s.send(request{Method: http.MethodPost, Path: s.accountPath("shared-links"), Key: s.key, Body: body}).
			want(http.StatusBadRequest)
		if !strings.Contains(string(got.Raw), `"`+field+`"`) {
			t.Errorf("%s is answered with %s", body, got.Raw)
		}
	}
}

func TestLinksAreMadeAndRevokedOnPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signIn(s.withPassword())
	company := s.company(s.key, part{"name", "", "Acme <&>"})
	links := s.consoleBase() + "/links"
	b.page(links, "Nothing is shared yet", "Acme &lt;&amp;&gt;")
	made := b.submit(links, url.Values{
		"company": {company}, "permissions": {"view"}, "name": {"Spring"}, "until": {"2099-12-31"}, "watermark": {"on"},
		"download": {"on"},
	}).want(http.StatusSeeOther).Header.Get("Location")
	b.page(made, "Spring", "https://deals.example/s/", "asks who reads", "no download", "Nobody has opened it yet",
		"until 31 Dec 2099")
	b.page(links, "Spring")
	b.page(s.consoleBase()+"/companies/"+company, "Spring")
	b.submit(links, url.Values{"company": {company}, "permissions": {"view"}, "until": {"tomorrow"}}).
		want(http.StatusBadRequest)
	b.submit(links, url.Values{"company": {"x"}}).want(http.StatusNotFound)
	b.submit(links, url.Values{}).want(http.StatusBadRequest)
	other, _ := s.colleague("Carla Colleague", account.RoleMember)
	must(t, s.deps.SignIn.SetPassword(t.Context(), other.ID, consolePassword))
	s.change(companies+"/"+company, s.key, `{"visibility":"shared"}`).want(http.StatusOK)
	colleague := s.signIn(other.Email)
	colleague.page(links, "!Spring")
	colleague.open(made).want(http.StatusNotFound)
	colleague.submit(made+"/revoke", url.Values{}).want(http.StatusNotFound)
	b.submit(made+"/revoke", url.Values{"company": {company}}).want(http.StatusSeeOther)
	b.open(made).want(http.StatusNotFound)
}

package browser_test

import (
	"net/url"
	"strings"

	"github.com/chromedp/chromedp"

	"dealflow/client"
)

// showOutside judges, in three sizes, the pages for visitors who are not signed in, those of shared links, and the page
// of operators.
func showOutside(b *tab, m *team) {
	id := m.add(pitch, deck)
	for _, path := range []string{"/signin", "/forgot", "/reset/atoken", "/verify/atoken"} {
		b.judgeAt(m.base+path, "h1")
	}
	b.visit(m.base + "/app/nowhere")
	b.judgeAt(m.base+"/app/me/nowhere", "h1")
	b.forgive("404")
	b.judgeAt(b.invited(m), "form")
	b.showShared(m, client.CreateSharedLinkBody{
		Companies: []client.CreateSharedLinkBodyCompanies{{CompanyID: id, Permissions: "view"}},
	})
	b.showShared(m, client.CreateSharedLinkBody{
		Companies: []client.CreateSharedLinkBodyCompanies{{CompanyID: id, Permissions: "view_deck"}},
		Password:  new("tide and time"), AskEmail: new(true), ViewOnly: new(true), Watermark: new(true),
	})
	operators, err := url.Parse(m.base)
	must(b.T, err)
	operators.User = url.UserPassword("operator", password)
	b.judgeAt(operators.String()+"/admin/system", ".system")
}

// judgeAt opens a page, waits until it has an element that the selector finds, and judges it in three sizes.
func (b *tab) judgeAt(address, selector string) {
	b.Helper()
	b.visit(address)
	b.await("document.querySelector(" + quote(selector) + ")")
	b.judgeSizes(strings.TrimPrefix(address, b.base))
}

// invited invites somebody as the owner, and returns the address of the invitation. It checks that the address is shown
// only once.
func (b *tab) invited(m *team) string {
	b.Helper()
	owner := open(b.ctx, b.T, m.base)
	owner.signIn(m)
	owner.visit(m.page("/team"))
	owner.fill("form[action$='/invite'].editor [name=email]", "grace.of."+m.email)
	owner.click("form[action$='/invite'].editor button.button")
	owner.await("document.querySelector('.once .copy input')")
	link := eval[string](owner, "document.querySelector('.once .copy input').value")
	shown := eval[string](owner, "location.pathname")
	owner.visit(m.base + shown) // a reload makes no other invitation, and shows nothing again
	if eval[bool](owner, "document.querySelector('.once') !== null") {
		b.Error("the link is shown again")
	}
	return link
}

// showShared makes a shared link and judges its pages: first, if the link asks for an email address, the form for that
// and the password, then the page with the companies.
func (b *tab) showShared(m *team, body client.CreateSharedLinkBody) {
	b.Helper()
	made, err := m.CreateSharedLink(m.Context(), m.accountID, body)
	must(b.T, err)
	address := made.ShortURL
	if body.AskEmail != nil {
		b.judgeAt(address, "form [name=email]")
		b.forgive("401")
		b.fill("[name=email]", "grace@reader.example")
		b.fill("[name=password]", *body.Password)
		b.click("form button")
		b.await("document.querySelector('article.card')")
	}
	b.judgeAt(address, "article.card")
	b.do(chromedp.ScrollIntoView(chromedp.CSS(".slides img")))
	b.await("document.querySelector('.slides img').naturalWidth > 200")
	if body.ViewOnly != nil && eval[int](b, "document.querySelectorAll('a[download]').length") != 0 {
		b.Error("a file of a link without downloads may be downloaded")
	}
}

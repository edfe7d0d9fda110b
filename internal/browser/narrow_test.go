package browser_test

import (
	"strings"

	"github.com/chromedp/chromedp"

	"dealflow/client"
)

// showLongNames judges the pages of a company where stages, fields and views have names as long as they may be, and
// its notes a wide table.
func showLongNames(b *tab, m *team) {
	long := strings.Repeat("Partnership", 23)
	ctx := m.Context()
	stage, err := m.CreateCompanyStatus(ctx, m.accountID, client.CreateCompanyStatusBody{Name: long})
	must(b.T, err)
	_, err = m.CreateCompanySetting(ctx, m.accountID, client.CreateCompanySettingBody{Name: long[:100], FieldType: "text"})
	must(b.T, err)
	_, err = m.CreateSavedView(ctx, m.accountID, client.CreateSavedViewBody{Name: long[:100]})
	must(b.T, err)
	id := m.add(pitch, deck)
	row := strings.Repeat("|harbour authority", 12) + "|\n"
	_, err = m.ChangeCompany(ctx, id, client.ChangeCompanyParams{}, client.ChangeCompanyBody{
		CompanyStatusID: client.Set(stage.ID), Notes: client.Set(row + strings.Repeat("|-", 12) + "|\n" + row),
	})
	must(b.T, err)
	b.showShared(m, client.CreateSharedLinkBody{
		Companies: []client.CreateSharedLinkBodyCompanies{{CompanyID: id, Permissions: "full"}},
	})
	b.signIn(m)
	b.judgeAt(m.page("/board"), "[data-company]")
	b.judgeAt(m.page("/companies"), "td.stage")
	if wide := eval[int](b, "document.querySelector('td.stage').offsetWidth"); wide > 400 {
		b.Errorf("a stage takes %d pixels of the table", wide)
	}
	b.click("td.tick input")
	b.judgeSizes("a company that is marked")
	b.judgeAt(m.page("/companies/"+id.String()), "dl")
	if wide := eval[int](b, "Math.min(...[...document.querySelectorAll('dd')].map((one) => one.offsetWidth))"); wide < 80 {
		b.Errorf("a value has %d pixels beside the name of its field", wide)
	}
}

// showWhereOneIs checks that the navigation of a phone, which is wider than the window, shows the page that is open.
func showWhereOneIs(b *tab, m *team) {
	b.signIn(m)
	b.do(chromedp.EmulateViewport(360, 740))
	for _, path := range []string{"/board", "/team", "/dashboard"} {
		b.visit(m.page(path))
		b.await("document.documentElement.classList.contains('scripted')")
		if !eval[bool](b, `{
			const place = document.querySelector(".bar nav [aria-current]").getBoundingClientRect();
			place.left >= 0 && place.right <= innerWidth && scrollY === 0
		}`) {
			b.Errorf("%s is not in the navigation that is seen", path)
		}
	}
}

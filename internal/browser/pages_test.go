package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dealflow/client"
)

const (
	pitch = "Hi,\n\nI'm Ada Novak, co-founder and CEO of Tidewell. We help harbours plan dredging with tide sensors, " +
		"and " +
		"raise 2m. You met us at the Blue Ocean summit last week.\n\nAda Novak\nada@tidewell.io"
	deck = "../httpapi/testdata/deck.pdf"
)

// TestPages runs the tests of this package at the same time. They share the programs and the browser, but each has an
// account and cookies of its own.
func TestPages(t *testing.T) {
	t.Parallel()
	chromium := startChromium(t)
	s := startService(t)
	for name, use := range map[string]func(b *tab, m *team){
		"sign-in":    signInAndOut,
		"begin":      beginWithNothing,
		"add":        addWhatIsSent,
		"drag":       dragACard,
		"keys":       moveByKeys,
		"deck":       readTheDeck,
		"live":       seeWhatOthersChange,
		"review":     reviewByKeys,
		"share":      shareWithAnOutsider,
		"import":     importAFile,
		"walk":       walkByKeys,
		"outside":    showOutside,
		"every page": showEveryPage,
		"long names": showLongNames,
		"navigation": showWhereOneIs,
		"merge":      mergeTwo,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := s.newTeam(t)
			use(open(chromium, t, s.base), m)
		})
	}
}

func signInAndOut(b *tab, m *team) {
	b.visit(m.base + "/")
	b.fill("[name=email]", m.email)
	b.fill("[name=password]", "not the password")
	b.press(kb.Enter)
	b.awaitText("[role=alert]", "not the password")
	b.forgive("401") // Chromium reports each refused page as an error
	b.signIn(m)
	b.click("details.menu summary")
	b.click("form[action='/signout'] button")
	b.awaitText("h1", "Sign in")
	b.visit(m.page("/board"))
	b.awaitText("h1", "Sign in")
}

// beginWithNothing judges the board of an account without companies, and drops eleven files on it. The first ten must
// be kept; then it removes one.
func beginWithNothing(b *tab, m *team) {
	b.signIn(m)
	b.judgeAt(m.page("/board"), ".welcome")
	eval[bool](b, `{
		const all = new DataTransfer();
		for (let i = 1; i <= 11; i++) all.items.add(new File(["a"], "deck " + i + ".pdf", {type: "application/pdf"}));
		const drop = (kind) => new DragEvent(kind, {dataTransfer: all, bubbles: true, cancelable: true});
		const at = document.querySelector("h1");
		!at.dispatchEvent(drop("dragover")) && !at.dispatchEvent(drop("drop"))
	}`)
	b.awaitText(".toast", "deck 11.pdf")
	b.await("document.querySelectorAll('[data-files] li').length === 10")
	b.judge("ten files")
	b.click("[data-files] li:first-child button")
	b.await("document.querySelectorAll('[data-files] li').length === 9")
	b.await("document.activeElement.closest('[data-files]')")
	text := eval[string](b, "document.querySelector('[name=text]').value")
	if !strings.HasPrefix(text, "See deck 2.pdf,") {
		b.Errorf("the text is %q", text)
	}
}

// addWhatIsSent makes a dry run with a pitch and a deck, corrects the name that was found, and adds the company.
func addWhatIsSent(b *tab, m *team) {
	b.signIn(m)
	b.visit(m.page("/add"))
	b.set("[name=text]", pitch)
	b.choose("[data-add] input[type=file]", deck)
	b.click("[name=dry_run]")
	b.awaitText("h1", "What was found")
	if got := eval[string](b, "document.querySelector('[name=name]').value"); got != "Tidewell" {
		b.Errorf("the name is %q", got)
	}
	if quoted := b.text("mark"); !strings.Contains(pitch, quoted) || quoted == "" {
		b.Errorf("the quote %q is not of the text", quoted)
	}
	b.fill("[name=name]", "Tidewell Sensors")
	b.click("[data-add] .acts button.button")
	b.awaitText("article.company h1", "Tidewell Sensors")
	page, err := m.ListCompanies(m.Context(), client.ListCompaniesParams{AccountID: &m.accountID})
	must(b.T, err)
	if len(page.Companies) != 1 {
		b.Fatalf("there are %d companies", len(page.Companies))
	}
	if m.company(page.Companies[0].ID).DeckStoragePath == nil {
		b.Error("the deck was not kept")
	}
}

func dragACard(b *tab, m *team) {
	id := m.add(pitch)
	b.signIn(m)
	target := m.stages()[2]
	card, column := fmt.Sprintf("[data-company='%s']", id), fmt.Sprintf("[data-status='%s']", target.ID)
	b.do(chromedp.DragAndDrop(chromedp.CSS(card), chromedp.CSS(column+" h2")))
	b.await("document.querySelector(" + quote(column+" "+card) + ")")
	b.awaitText(".toast", target.Name)
	if got := m.company(id).CompanyStatusID; got == nil || *got != target.ID {
		b.Errorf("the status is %v, want %s", got, target.ID)
	}
}

// moveByKeys moves a card with the keyboard: by Alt and an arrow key, and by its menu.
func moveByKeys(b *tab, m *team) {
	id := m.add(pitch)
	stages := m.stages()
	last := stages[len(stages)-1]
	_, err := m.ChangeCompany(m.Context(), id, client.ChangeCompanyParams{},
		client.ChangeCompanyBody{CompanyStatusID: client.Set(stages[0].ID)})
	must(b.T, err)
	b.signIn(m)
	card := fmt.Sprintf("[data-company='%s']", id)
	b.do(chromedp.Focus(chromedp.CSS(card + " a")))
	b.press(kb.ArrowRight, chromedp.ModifierAlt)
	b.await("document.querySelector(" + quote(fmt.Sprintf("[data-status='%s'] %s", stages[1].ID, card)) + ")")
	b.awaitText(".toast", stages[1].Name)
	b.await("document.activeElement.closest('.card')")
	b.do(chromedp.Focus(chromedp.CSS(card + " .to")))
	b.press(" ")
	b.await("document.activeElement.closest('[role=menu]')")
	b.press(kb.End)
	b.press(kb.Enter)
	b.awaitText(".toast", last.Name)
	if got := m.company(id).CompanyStatusID; got == nil || *got != last.ID {
		b.Errorf("the status is %v, want %s", got, last.ID)
	}
}

func readTheDeck(b *tab, m *team) {
	id := m.add(pitch, deck)
	b.signIn(m)
	b.visit(m.page("/companies/" + id.String()))
	b.do(chromedp.ScrollIntoView(chromedp.CSS("#slide-1")))
	b.await("document.querySelector('#slide-1 img').naturalWidth > 200")
	if label := eval[string](b, "document.querySelector('#slide-1 img').alt"); !strings.HasPrefix(label, "Page 1 of ") {
		b.Errorf("the first page is called %q", label)
	}
}

func seeWhatOthersChange(b *tab, m *team) {
	id := m.add(pitch)
	b.signIn(m)
	b.visit(m.page("/companies/" + id.String()))
	b.awaitText("h1", "Tidewell")
	_, err := m.ChangeCompany(m.Context(), id, client.ChangeCompanyParams{},
		client.ChangeCompanyBody{Name: new("Tidewell Oceans")})
	must(b.T, err)
	b.awaitText("h1", "Tidewell Oceans")
}

// mergeTwo searches for another company, compares the two, merges them, and undoes the merge.
func mergeTwo(b *tab, m *team) {
	id, other := m.add(pitch), m.add(strings.Replace(pitch, "raise 2m", "raise 3m", 1))
	b.signIn(m)
	for _, width := range []int64{390, 1440} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.visit(m.page("/companies/" + id.String() + "/merge"))
		b.click("a[href$='" + other.String() + "']")
		b.awaitText("form.panel", "Original message")
		b.judge(fmt.Sprintf("comparing at %d", width))
		b.click("form.panel button.button")
		b.awaitText("[role=status]", "is part of this company now")
		b.judge(fmt.Sprintf("merged at %d", width))
		b.click("[role=status] button")
		b.awaitText("[role=status]", "is a company of its own again")
	}
	if *m.company(other).ID != other {
		b.Error("the other company is not back")
	}
}

// reviewByKeys confirms a finding in the queue of reviews by the keys j and y.
func reviewByKeys(b *tab, m *team) {
	m.add(unsure)
	b.signIn(m)
	b.visit(m.page("/review"))
	b.await("document.querySelector('[data-finding]')")
	before := eval[int](b, "document.querySelectorAll('[data-finding]').length")
	b.press("j")
	b.press("y")
	b.await(fmt.Sprintf("document.querySelectorAll('[data-finding]').length === %d", before-1))
}

// shareWithAnOutsider makes a shared link, opens it in a browser that is not signed in, and checks that the visit is
// counted.
func shareWithAnOutsider(b *tab, m *team) {
	id := m.add(pitch, deck)
	b.signIn(m)
	b.visit(m.page("/companies/" + id.String()))
	b.click("#links details.edit summary")
	b.set("#links [name=permissions]", "view_deck")
	b.click("#links form.editor button.button")
	b.await("document.querySelector('.copy input')")
	address := eval[string](b, "document.querySelector('.copy input').value")
	outsider := open(b.ctx, b.T, m.base)
	outsider.visit(address)
	outsider.await("document.querySelector('.slides img').naturalWidth > 200")
	if strings.Contains(outsider.text("body"), "Sign out") {
		b.Error("the outsider is signed in")
	}
	time.Sleep(time.Second) // a page that was in sight for less is not counted
	outsider.visit("about:blank")
	b.visit(m.page("/links"))
	b.awaitText(".facts", "1 view")
}

func importAFile(b *tab, m *team) {
	b.signIn(m)
	b.visit(m.page("/imports"))
	b.set("[name=kind]", "companies")
	b.choose("[data-import] input[type=file]", "testdata/companies.csv")
	b.click("[data-import] button.button")
	b.awaitText("main", "completed")
	page, err := m.ListCompanies(m.Context(), client.ListCompaniesParams{AccountID: &m.accountID})
	must(b.T, err)
	if len(page.Companies) != 2 {
		b.Errorf("there are %d companies, want the 2 of the file", len(page.Companies))
	}
}

package browser_test

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// unsure is a text about which an analysis is unsure, so that its company is to be reviewed.
const unsure = "great call with the two of them yesterday, they might pass us the numbers; maybe also a term sheet " +
	"some day, or not?"

// mostTabs is how many times Tab is pressed at most to reach an element.
const mostTabs = 150

// walkByKeys adds, moves, corrects, shares and reviews a company with the keyboard alone.
func walkByKeys(b *tab, m *team) {
	m.add(unsure)
	b.visit(m.base + "/signin")
	b.write(m.email)
	b.tabTo("[name=password]")
	b.write(password)
	b.press(kb.Enter)
	b.await("document.querySelector('[data-board]')")
	b.skipToTheContent()
	company := b.addByKeys()
	b.moveByMenu(company)
	b.correctByKeys(m)
	b.shareByKeys()
	b.confirmByKeys()
}

// skipToTheContent follows the first link of a page, which leads past its header to its content.
func (b *tab) skipToTheContent() {
	b.Helper()
	b.press(kb.Tab)
	b.await("document.activeElement.matches('.skip') && document.activeElement.getBoundingClientRect().left >= 0")
	b.press(kb.Enter)
	b.await("document.activeElement.id === 'main'")
	b.press(kb.Tab)
	b.await("document.activeElement.closest('main')")
}

// addByKeys adds a company from a pitch, and returns the path of its page.
func (b *tab) addByKeys() string {
	b.Helper()
	b.tabBackTo(".bar .add")
	b.press(kb.Enter)
	b.await("document.querySelector('[data-add]')")
	b.tabTo("[data-add] textarea")
	b.write(strings.ReplaceAll(pitch, "\n", " "))
	b.tabTo("[data-add] .acts button:not([name])")
	b.press(kb.Enter)
	b.awaitText("article.company h1", "Tidewell")
	return eval[string](b, "location.pathname")
}

// moveByMenu moves a card to another column by its menu, checks that the card has the focus again, and opens its
// company.
func (b *tab) moveByMenu(company string) {
	b.Helper()
	b.tabTo(".bar a[href$='/board']")
	b.press(kb.Enter)
	b.await("document.querySelector('[data-board]')")
	card := fmt.Sprintf(".card:has(a.title[href='%s'])", company)
	from := eval[string](b, "document.querySelector("+quote(card)+").closest('.column').dataset.status")
	b.tabTo(card + " .to")
	b.press(" ")
	b.await("document.activeElement.closest('[role=menu]')")
	b.press(kb.Escape)
	b.await("document.activeElement.matches('.to')")
	b.press(" ")
	b.await("document.activeElement.closest('[role=menu]')")
	b.press(kb.ArrowDown)
	b.press(kb.Enter)
	b.awaitText(".toast", "Tidewell is in ")
	b.await("document.activeElement.matches(" + quote(card+" a.title") + ")")
	if to := eval[string](b, "document.activeElement.closest('.column').dataset.status"); to == from {
		b.Errorf("the card is still in %s", to)
	}
	b.press(kb.Enter)
	b.awaitText("article.company h1", "Tidewell")
}

// correctByKeys corrects the name that was found, and checks that the focus stays in the findings.
func (b *tab) correctByKeys(m *team) {
	b.Helper()
	correct := "#findings li:has(input[name=name]) details.edit summary"
	b.tabTo(correct)
	b.press(kb.Enter)
	b.tabTo("#findings input[name=name]")
	b.press(kb.Escape)
	b.await("document.activeElement.matches(" + quote(correct) + ")")
	b.press(kb.Enter)
	b.tabTo("#findings input[name=name]")
	b.press(kb.End)
	b.write(" Oceans")
	b.press(kb.Enter)
	b.awaitText("article.company h1", "Tidewell Oceans")
	b.await("document.activeElement.closest('#findings')")
	if company := m.company(m.newest()); company.Name != "Tidewell Oceans" {
		b.Errorf("the name is %q", company.Name)
	}
}

// shareByKeys makes a shared link of the company.
func (b *tab) shareByKeys() {
	b.Helper()
	b.tabTo("#links details.edit summary")
	b.press(kb.Enter)
	b.tabTo("#links form.editor button.button")
	b.press(kb.Enter)
	b.await("document.querySelector('.copy input')") // on the page of the link
}

// confirmByKeys confirms a finding in the queue of reviews by its button.
func (b *tab) confirmByKeys() {
	b.Helper()
	b.tabTo(".bar a[href$='/review']")
	b.press(kb.Enter)
	b.await("document.querySelector('[data-queue] [data-finding]')")
	before := eval[int](b, "document.querySelectorAll('[data-finding]').length")
	b.tabTo("[data-finding] [data-confirm] button")
	b.press(kb.Enter)
	b.await(fmt.Sprintf("document.querySelectorAll('[data-finding]').length === %d", before-1))
	b.await("document.activeElement !== document.body")
}

// write types a text into the element that has the focus.
func (b *tab) write(text string) {
	b.Helper()
	b.do(chromedp.KeyEvent(text))
}

// tabTo presses Tab until the element that the selector finds has the focus. It fails the test if the focus is not
// visible on the way; see unseenFocus.
func (b *tab) tabTo(selector string) {
	b.Helper()
	b.tabUntil(selector)
}

// tabBackTo is like tabTo, with Shift and Tab.
func (b *tab) tabBackTo(selector string) {
	b.Helper()
	b.tabUntil(selector, chromedp.ModifierShift)
}

func (b *tab) tabUntil(selector string, modifiers ...chromedp.Modifier) {
	b.Helper()
	for range mostTabs {
		b.press(kb.Tab, modifiers...)
		if hidden := eval[string](b, unseenFocus); hidden != "" {
			b.Errorf("on the way to %s, the focus is at %s and cannot be seen", selector, hidden)
		}
		if eval[bool](b, "document.activeElement.matches("+quote(selector)+")") {
			return
		}
	}
	b.Fatalf("%s is out of reach of the keyboard; the focus is at %s", selector,
		eval[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
}

// unseenFocus is JavaScript that returns the beginning of the HTML of the element with the focus if it has no outline
// or is outside the window, and the empty string if the focus is visible or no element has it.
const unseenFocus = `(() => {
	const at = document.activeElement;
	if (at === document.body || at === document.documentElement) return "";
	const box = at.getBoundingClientRect(), style = getComputedStyle(at);
	const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
	const inside = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 &&
		box.left < innerWidth;
	return outlined && inside ? "" : at.outerHTML.slice(0, 200);
})()`

package browser_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// judgeSizes judges the open page at three widths. It does not load the page again for each, since only the style
// depends on the width.
func (b *tab) judgeSizes(where string) {
	b.Helper()
	for _, width := range []int64{390, 820, 1440} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.await(fmt.Sprintf("innerWidth === %d", width))
		b.judge(fmt.Sprintf("%s at %d", where, width))
	}
}

// judge checks that the open page has exactly one h1 and a name for each control, and calls judgeLooks in dark and in
// light colors. where describes the page in errors.
func (b *tab) judge(where string) {
	b.Helper()
	if count := eval[int](b, "document.querySelectorAll('h1').length"); count != 1 {
		b.Errorf("%s has %d first headings", where, count)
	}
	for _, control := range b.nameless() {
		b.Errorf("%s has a %s without a name", where, control)
	}
	for _, colors := range []string{"dark", "light"} {
		b.prefer(colors)
		b.judgeLooks(where + ", " + colors)
	}
}

// judgeLooks checks that the page is not wider than the window, that no word of up to twelve letters in a control,
// badge or cell is broken, and that parts that scroll can be scrolled by the keyboard. If the variable AXE is the path
// of axe's script, it also checks that axe finds nothing serious or critical.
func (b *tab) judgeLooks(where string) {
	b.Helper()
	if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		b.Errorf("%s is %d pixels wider than the window", where, over)
	}
	for _, broken := range eval[[]string](b, brokenWords) {
		b.Errorf("%s breaks the word %q", where, broken)
	}
	for _, region := range eval[[]string](b, stuckRegions) {
		b.Errorf("%s has a part that scrolls, but not by the keyboard: %s", where, region)
	}
	if script := os.Getenv("AXE"); script != "" {
		b.askAxe(where, script)
	}
}

// brokenWords is JavaScript that returns the words of 2 to 12 letters, in controls, badges and cells of tables, that
// are broken over two lines. Longer words count as several of up to 12 letters each.
const brokenWords = `[...document.querySelectorAll("button, .button, .plain, summary, .badge, th, td")].filter((part) =>
	part.checkVisibility()).flatMap((part) => {
	const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), broken = [];
	while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/\p{L}{2,12}/gu)) {
		const place = document.createRange();
		place.setStart(texts.currentNode, word.index);
		place.setEnd(texts.currentNode, word.index + word[0].length);
		if (new Set([...place.getClientRects()].map((line) => Math.round(line.top))).size > 1) broken.push(word[0]);
	}
	return broken;
})`

// stuckRegions is JavaScript that returns the beginning of the HTML of each element that scrolls sideways, but can
// neither have the focus nor has anything in it that can.
const stuckRegions = `[...document.querySelectorAll("main, main *")].filter((part) =>
	part.scrollWidth > part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX) && part.tabIndex < 0 &&
	![...part.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].some((one) =>
		one.tabIndex >= 0)).map((part) => part.outerHTML.slice(0, 100))`

// nameless returns the roles of the controls and images of the page that have no name for screen readers.
func (b *tab) nameless() (roles []string) {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	must(b.T, err)
	controls := map[string]bool{
		"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "checkbox": true, "radio": true,
		"img": true, "image": true, "DisclosureTriangle": true,
	}
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		if role := plain(node.Role); controls[role] && plain(node.Name) == "" {
			roles = append(roles, role)
		}
	}
	return roles
}

// plain returns the text of a value of the accessibility tree, or "" if it is not a text.
func plain(value *accessibility.Value) (text string) {
	if value != nil {
		_ = json.Unmarshal(value.Value, &text) // what is no text has none
	}
	return text
}

func (b *tab) askAxe(where, path string) {
	b.Helper()
	script, err := os.ReadFile(path)
	must(b.T, err)
	eval[bool](b, string(script)+";true")
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML string }
	}
	raw, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](
		`axe.run().then((all) => JSON.stringify(all.violations.filter((one) => /serious|critical/.test(one.impact))))`,
		chromedp.EvalAwaitPromise))
	must(b.T, err)
	must(b.T, json.Unmarshal([]byte(raw), &found))
	for _, violation := range found {
		b.Errorf("%s: axe says %s, %s: %s %s", where, violation.Impact, violation.ID, violation.Help,
			fmt.Sprint(violation.Nodes))
	}
}

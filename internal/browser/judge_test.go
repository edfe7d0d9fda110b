package browser_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// judge checks the page that is open: nothing is wider than the window, there is one first heading, each control has a
// name, and axe has nothing serious to say where AXE is the path of its script.
func (b *tab) judge(where string) {
	b.Helper()
	if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		b.Errorf("%s is %d pixels wider than the window", where, over)
	}
	if count := eval[int](b, "document.querySelectorAll('h1').length"); count != 1 {
		b.Errorf("%s has %d first headings", where, count)
	}
	for _, control := range b.nameless() {
		b.Errorf("%s has a %s without a name", where, control)
	}
	if script := os.Getenv("AXE"); script != "" {
		b.askAxe(where, script)
	}
}

// nameless returns the roles of the controls that a screen reader would only call by what they are.
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

// plain returns the text of a value of the accessibility tree.
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

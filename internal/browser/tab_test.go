package browser_test

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// slow is how long the tests wait for something at most, and interval how often they look. A busy machine may need much
// of slow.
const (
	slow     = 3 * time.Minute
	interval = 50 * time.Millisecond
)

// startChromium starts one browser for all tests, and returns its context. If Chromium is not installed, it skips the
// test; with the variable CI set, it fails the test.
func startChromium(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" && os.Getenv("CI") != "" {
		t.Fatal("there is no Chromium: apt-get install --no-install-recommends chromium")
	}
	if program == "" {
		t.Skip("there is no Chromium to use the pages with")
	}
	options := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(program)},
		chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.Flag("disable-features", strings.Join(unusedFeatures(), ",")),
		chromedp.Flag("force-prefers-reduced-motion", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses root with one
	}
	allocator, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() { // a browser that is killed leaves a folder
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close Chromium: %v", err)
		}
	})
	must(t, chromedp.Do(ctx)) // opens the window that the tabs of the tests share
	return ctx
}

// unusedFeatures returns the features of Chromium to switch off: two that chromedp switches off, and those that start a
// process that draws a part of the window, or waits for the next page, for each tab.
func unusedFeatures() []string {
	return []string{
		"Translate", "BlinkGenPropertyTrees", "SpareRendererForSitePerProcess", "WebUIOmniboxPopup",
		"WebUIOmniboxAimPopup",
	}
}

// tab is a tab of the browser with cookies of its own. The test fails if a page in the tab writes an error to the
// console, or sends a request to another host.
type tab struct {
	*testing.T

	ctx   context.Context
	base  string
	mutex sync.Mutex
	wrong []string // errors of the console, and requests to other hosts
}

func open(browser context.Context, t *testing.T, base string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{T: t, ctx: ctx, base: base}
	must(t, chromedp.Do(ctx, chromedp.EmulateViewport(1440, 900)))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	host, err := url.Parse(base)
	must(t, err)
	var done sync.WaitGroup
	done.Go(func() { b.watchConsole() })
	done.Go(func() { b.watchRequests(host.Host) })
	t.Cleanup(func() {
		cancel()
		done.Wait()
		for _, complaint := range b.wrong {
			t.Errorf("the browser complains: %s", complaint)
		}
	})
	return b
}

func (b *tab) watchConsole() {
	for message, err := range chromedp.Console(b.ctx) {
		if err != nil {
			return // the tab is closed
		}
		if message.Type == chromedp.ConsoleError || message.IsException() {
			b.complain(message.String())
		}
	}
}

func (b *tab) watchRequests(host string) {
	for sent, err := range chromedp.Events(b.ctx, network.RequestWillBeSent) {
		if err != nil {
			return // the tab is closed
		}
		address, err := url.Parse(sent.Request.URL)
		if err != nil || (address.Host != host && address.Scheme != "data" && address.Scheme != "blob") {
			b.complain("asks " + sent.Request.URL)
		}
	}
}

func (b *tab) complain(of string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.wrong = append(b.wrong, of)
}

// forgive removes the recorded errors that contain text, which the test caused on purpose.
func (b *tab) forgive(text string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.wrong = slices.DeleteFunc(b.wrong, func(complaint string) bool { return strings.Contains(complaint, text) })
}

// do runs steps in the tab. It ends the test if one fails, or if they take longer than slow.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, slow)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatalf("%v\non %s", err, b.text("body"))
	}
}

func (b *tab) visit(address string) {
	b.Helper()
	b.do(chromedp.Navigate(address))
}

func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) fill(selector, value string) {
	b.Helper()
	b.set(selector, "")
	b.do(chromedp.SendKeys(chromedp.CSS(selector), value))
}

// set sets the value of an input or a menu at once, as a paste does.
func (b *tab) set(selector, value string) {
	b.Helper()
	b.do(chromedp.WaitReady(chromedp.CSS(selector)))
	eval[bool](b, "{const field = document.querySelector("+quote(selector)+"); field.value = "+quote(value)+
		"; field.dispatchEvent(new Event('change', {bubbles: true}))}")
}

// choose sets the file of a file input.
func (b *tab) choose(selector, file string) {
	b.Helper()
	path, err := filepath.Abs(file)
	must(b.T, err)
	b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
}

// press presses a key on the element that has the focus.
func (b *tab) press(key string, modifiers ...chromedp.Modifier) {
	b.Helper()
	b.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// eval returns the value of a JavaScript expression in the open page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, slow)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// text returns the visible text of the first element that the selector finds, or "" if there is none.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, "document.querySelector("+quote(selector)+")?.innerText ?? ''")
}

// await waits until the page is loaded and a JavaScript expression is true: before that, its scripts may not listen to
// what the test does next. The tab may load another page meanwhile.
func (b *tab) await(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, slow)
	defer cancel()
	for {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](
			"document.readyState === 'complete' && Boolean("+expression+")"))
		if err == nil && holds {
			return
		}
		select {
		case <-ctx.Done():
			b.Fatalf("%s never holds (%v) on %s", expression, err, b.text("body"))
		case <-time.After(interval):
		}
	}
}

// awaitText waits until the first element that the selector finds shows a text.
func (b *tab) awaitText(selector, want string) {
	b.Helper()
	b.await("document.querySelector(" + quote(selector) + ")?.innerText.includes(" + quote(want) + ")")
}

// prefer emulates a person who prefers these colors, "light" or "dark", and reduced motion. Otherwise a color that is
// still changing might be judged.
func (b *tab) prefer(colors string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: colors}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	must(b.T, err)
}

// signIn signs in as the owner of the team by the form.
func (b *tab) signIn(m *team) {
	b.Helper()
	b.visit(m.base + "/")
	b.set("[name=email]", m.email)
	b.set("[name=password]", password)
	b.do(chromedp.Focus(chromedp.CSS("[name=password]")))
	b.press("\r")
	b.await("document.querySelector('[data-board]')")
}

// quote returns text as a JavaScript string literal.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(text) + "'"
}

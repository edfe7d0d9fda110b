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

// slow is the last resort of a wait: a busy machine may need much of it.
const (
	slow     = time.Minute
	interval = 50 * time.Millisecond
)

// startChromium starts one browser for all tests, and returns its context. If there is none the test is skipped, except
// by CI, which installs it.
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
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses root with one
	}
	allocator, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, cancelFirst := chromedp.NewContext(allocator)
	t.Cleanup(cancelFirst)
	must(t, chromedp.Do(ctx)) // opens the window that the tabs of the tests share
	return ctx
}

// tab is a tab with cookies of its own. What its pages write to the console as an error, and what they ask of other
// hosts, fails the test.
type tab struct {
	*testing.T

	ctx   context.Context
	base  string
	mutex sync.Mutex
	wrong []string // what the browser complained of
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

// forgive drops the complaints that hold a text: of what the test did wrong on purpose.
func (b *tab) forgive(text string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.wrong = slices.DeleteFunc(b.wrong, func(complaint string) bool { return strings.Contains(complaint, text) })
}

// do runs steps in the tab.
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

// set writes a value into a field at once, as a paste does, or a choice in a list.
func (b *tab) set(selector, value string) {
	b.Helper()
	b.do(chromedp.WaitReady(chromedp.CSS(selector)))
	eval[bool](b, "{const field = document.querySelector("+quote(selector)+"); field.value = "+quote(value)+
		"; field.dispatchEvent(new Event('change', {bubbles: true}))}")
}

// choose puts a file into an input for files.
func (b *tab) choose(selector, file string) {
	b.Helper()
	path, err := filepath.Abs(file)
	must(b.T, err)
	b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
}

// press presses a key on whatever has the focus.
func (b *tab) press(key string, modifiers ...chromedp.Modifier) {
	b.Helper()
	b.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// eval returns the value of an expression of JavaScript.
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

// text returns what a reader sees of the first element that the selector finds; "" if there is none.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, "document.querySelector("+quote(selector)+")?.innerText ?? ''")
}

// await waits until an expression of JavaScript is true. It survives that a page leads to another.
func (b *tab) await(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, slow)
	defer cancel()
	for {
		holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
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

// prefer makes the tab that of a person who likes light or dark pages, in which nothing moves: what still changes its
// color would be judged by the one before.
func (b *tab) prefer(colors string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: colors}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	must(b.T, err)
}

// signIn signs in the team's owner by the form.
func (b *tab) signIn(m *team) {
	b.Helper()
	b.visit(m.base + "/")
	b.fill("[name=email]", m.email)
	b.fill("[name=password]", password)
	b.press("\r")
	b.await("document.querySelector('[data-board]')")
}

// quote returns a literal of JavaScript.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(text) + "'"
}

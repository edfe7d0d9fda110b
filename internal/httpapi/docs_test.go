package httpapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestThePageOfTheDocumentNeedsNothingFromOutside(t *testing.T) {
	t.Parallel()
	got := start(t).get("/docs", "").want(http.StatusOK)
	page := string(got.Raw)
	if got.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(page, "<!DOCTYPE html>") {
		t.Errorf("%s: %.80s", got.Header.Get("Content-Type"), page)
	}
	for _, outside := range []string{"<script", "<link", "<img", "<iframe", "@import", "url(", "src=", " on"} {
		if regexp.MustCompile(`<[^>]*`+regexp.QuoteMeta(outside)+`|^`+regexp.QuoteMeta(outside)).MatchString(page) && outside != " on" {
			t.Errorf("the page holds %s", outside)
		}
	}
	for _, reference := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		target := reference[1]
		if id, inside := strings.CutPrefix(target, "#"); inside && strings.Contains(page, `id="`+id+`"`) || target == "/api/v1/openapi.json" {
			continue
		}
		t.Errorf("a link leads to %s", target)
	}
}

// The policy allows the page's own style and nothing else; it must be the style that is on the page.
func TestThePolicyOfThePage(t *testing.T) {
	t.Parallel()
	got := start(t).get("/docs", "").want(http.StatusOK)
	_, rest, _ := strings.Cut(string(got.Raw), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	hash := sha256.Sum256([]byte(style))
	policy := got.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'") {
		t.Errorf("the policy %q does not allow the page's style", policy)
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("the policy is %q", policy)
	}
}

func TestThePageTellsEveryOperationAndObject(t *testing.T) {
	t.Parallel()
	page := string(start(t).get("/docs", "").want(http.StatusOK).Raw)
	document, err := loadDocument()
	must(t, err)
	for path, item := range document.Paths.Map() {
		prefix := "/api/v1"
		if len(item.Servers) > 0 {
			prefix = ""
		}
		for method, operation := range item.Operations() {
			for _, want := range []string{
				`<article id="` + operation.OperationID + `">`, ">" + operation.Summary + "</h3>", `<span class="method ` + method + `">` + method + `</span><code>` + prefix + path + "</code>",
			} {
				if !strings.Contains(page, strings.ReplaceAll(want, "'", "&#39;")) {
					t.Errorf("the page lacks %s", want)
				}
			}
			for status := range operation.Responses.Map() {
				if !strings.Contains(page, ">"+status+"</span>") {
					t.Errorf("%s: the page lacks status %s", operation.OperationID, status)
				}
			}
		}
	}
	for _, want := range []string{
		`<a href="#schema-EmbeddedStatus">EmbeddedStatus or null</a>`, `<code>data.company</code>`, `<code>contextAnalysis.statusDetected</code>`,
		`private | shared | team`, `array of Account`, `<code>file_0 … file_9</code>`, `<code>account_id</code>`, `&#34;Invalid request body&#34;`, `<small class="required">required</small>`,
		`<small>1 to 100, 25 if left out</small>`, `<small>team if left out</small>`, `With <code>dry_run</code> it is`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "$ref") || strings.Contains(page, "&lt;nil&gt;") || strings.Contains(page, "map[") ||
		strings.Contains(regexp.MustCompile(`(?s)<pre.*?</pre>`).ReplaceAllString(page, ""), "`") {
		t.Error("the page tells how it was made")
	}
}

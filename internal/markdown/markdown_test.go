package markdown_test

import (
	"strings"
	"testing"

	"dealflow/internal/markdown"
)

func TestMarkdownIsRendered(t *testing.T) {
	t.Parallel()
	r := markdown.New()
	for text, want := range map[string]string{
		"# Call\n\nGood **team**": "<h3>Call</h3>\n<p>Good <strong>team</strong></p>",
		"- one\n- two":            "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
		"|a|b|\n|-|-|\n|1|2|":     "<td>2</td>",
		"see https://acme.example/deck": `<a href="https://acme.example/deck" rel="noopener noreferrer nofollow" ` +
			`target="_blank">https://acme.example/deck</a>`,
		"[deck](https://acme.example)": `<a href="https://acme.example" rel="noopener noreferrer nofollow" ` +
			`target="_blank">deck</a>`,
		"write to ada@acme.example": `<a href="mailto:ada@acme.example"`,
	} {
		if got := string(r.HTML(text)); !strings.Contains(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestMarkdownOfAnEnemyIsHarmless(t *testing.T) {
	t.Parallel()
	r := markdown.New()
	for _, text := range []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b onclick=alert(1)>b</b>",
		"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))",
		"[x](data:text/html;base64,PHNjcmlwdD4=)", "![x](https://spy.example/pixel.png)", "<javascript:alert(1)>",
		"![x](x\"onerror=\"alert(1))",
		"[x](https://a.example/\"onmouseover=\"alert(1))", "<iframe src=https://evil.example>\n</iframe>",
		"[x]: javascript:alert(1)\n\n[x]", "<style>*{}</style>",
		"[x](//evil.example)", "&lt;script&gt;", "`<script>`", "<!-- <script> -->", "<?php ?>",
		"<a href=\"javascript:alert(1)\">x</a>",
	} {
		got := strings.ToLower(string(r.HTML(text)))
		for _, bad := range []string{
			"<script", "<img", "<iframe", "<style", "<!--", "<?", "href=\"javascript", "href=\"data", "href=\"//",
			"\"onmouseover", "<b ", "\"onerror",
		} {
			if strings.Contains(got, bad) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	r := markdown.New()
	f.Add("# a\n<script>\n[x](javascript:y)")
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.ToLower(string(r.HTML(text))); strings.Contains(got, "<script") || strings.Contains(got, "<img") {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

// What renders to a multiple of itself, or takes time that grows with the square of its length, is shown as it is
// written.
func TestCostlyMarkdownIsShownAsItIsWritten(t *testing.T) {
	t.Parallel()
	r := markdown.New()
	for name, text := range map[string]string{
		"rows of few cells in a wide table": "|" + strings.Repeat("a|", 1000) + "\n|" + strings.Repeat("-|", 1000) + "\n" +
			strings.Repeat("x\n", 40_000),
		"marks that open":  strings.Repeat("*a_", 33_000),
		"links that open":  strings.Repeat("[a](", 25_000),
		"quotes in quotes": strings.Repeat(">", 100_000),
		"lists in lists":   strings.Repeat("1. ", 33_000),
		"code with no end": strings.Repeat("\\``\n", 10_000),
		"code of all lengths": func() (all string) {
			for i := range 1500 {
				all += strings.Repeat("`", i) + "\n"
			}
			return all
		}(),
		"empty lines in a deep list": strings.Repeat("> ", 200) + "- a\n" +
			strings.Repeat("\n", 50_000),
	} {
		if got := string(r.HTML(text)); len(got) > 5*len(text) || !strings.HasPrefix(got, "<pre>") {
			t.Errorf("%s: %d characters become %d", name, len(text), len(got))
		}
	}
	for name, text := range map[string]string{
		"a long list": strings.Repeat("- **Team**: [Ada](https://a.example), _CTO_\n", 1000),
		"a table":     "|a|b|c|d|e|f|g|h|\n|-|-|-|-|-|-|-|-|\n" + strings.Repeat("|1|2|3|4|5|6|7|8|\n", 3000),
		"code": strings.Repeat("Our `client` is ``a`b``.\n", 5000) + "\n```\n" +
			strings.Repeat("a := `b`\n", 20_000) + "```\n",
		"paragraphs": strings.Repeat("We *met* the [team](https://a.example), again.\n\n", 20_000),
	} {
		if got := string(r.HTML(text)); strings.HasPrefix(got, "<pre>") {
			t.Errorf("%s is not rendered", name)
		}
	}
}

// Package markdown converts texts in Markdown to HTML that a page may show, whoever wrote them.
package markdown

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// headingsBelow is the number of levels by which headings in a text are lowered, but not below level 6. So the highest
// heading of a text has level 3; the pages around it use levels 1 and 2, and a shared page also level 3.
const headingsBelow = 2

// Renderer renders Markdown with tables, strikethrough and bare links. It is safe for concurrent use.
type Renderer struct{ inner goldmark.Markdown }

// New returns a renderer.
func New() *Renderer {
	own := renderer.WithNodeRenderers(util.Prioritized(safely{}, 1))
	return &Renderer{
		goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
			goldmark.WithRendererOptions(own)),
	}
}

// HTML returns the text as HTML. HTML in the text is shown unchanged, as text. A picture becomes a link, since loading
// the picture would show its server who reads. Only links to http and https URLs and to email addresses remain links. A
// text that would cost too much to render is shown unchanged.
func (r *Renderer) HTML(text string) template.HTML {
	if isCostly(text) {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") //nolint:gosec // G203: it is escaped
	}
	var out bytes.Buffer
	if err := r.inner.Convert([]byte(text), &out); err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(text) + "</p>") //nolint:gosec // G203: it is escaped
	}
	return template.HTML(out.String()) //nolint:gosec // G203: goldmark escapes texts, and safely everything else
}

// safely renders the elements that could load something, run something or be an unsafe link.
type safely struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (safely) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindHTMLBlock, htmlBlock)
	to.Register(ast.KindRawHTML, rawHTML)
	to.Register(ast.KindHeading, heading)
	to.Register(ast.KindLink, link)
	to.Register(ast.KindImage, picture)
	to.Register(ast.KindAutoLink, autoLink)
	to.Register(tables.KindTable, table)
}

func htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.HTMLBlock) //nolint:forcetypeassert // registered for it
	_, _ = w.WriteString("<p>")
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		template.HTMLEscape(w, line.Value(source))
	}
	if block.HasClosure() {
		template.HTMLEscape(w, block.ClosureLine.Value(source))
	}
	_, err := w.WriteString("</p>\n")
	return ast.WalkSkipChildren, err
}

func rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		raw := n.(*ast.RawHTML) //nolint:forcetypeassert // registered for it
		for i := range raw.Segments.Len() {
			segment := raw.Segments.At(i)
			template.HTMLEscape(w, segment.Value(source))
		}
	}
	return ast.WalkSkipChildren, nil
}

func heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := min(n.(*ast.Heading).Level+headingsBelow, 6) //nolint:forcetypeassert // registered for it
	format := "</h%d>\n"
	if entering {
		format = "<h%d>"
	}
	_, err := fmt.Fprintf(w, format, level)
	return ast.WalkContinue, err
}

// table begins or ends a table, inside of an element that scrolls if the table is wider than the page.
func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	tags := "</table>\n</div>\n"
	if entering {
		tags = `<div class="scroller" role="group" aria-label="Table" tabindex="0">` + "\n<table>\n"
	}
	_, err := w.WriteString(tags)
	return ast.WalkContinue, err
}

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	return anchor(w, string(n.(*ast.Link).Destination), entering) //nolint:forcetypeassert // registered for it
}

func picture(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	return anchor(w, string(n.(*ast.Image).Destination), entering) //nolint:forcetypeassert // registered for it
}

func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	found := n.(*ast.AutoLink) //nolint:forcetypeassert // registered for it
	to := string(found.URL(source))
	if found.AutoLinkType == ast.AutoLinkEmail {
		to = "mailto:" + to
	}
	if _, err := anchor(w, to, true); err != nil {
		return ast.WalkStop, err
	}
	template.HTMLEscape(w, found.Label(source))
	return anchor(w, to, false)
}

// anchor begins or ends a link to an address. If the address is neither of the web nor of email, it writes nothing, so
// that the link becomes plain text.
func anchor(w util.BufWriter, to string, begin bool) (ast.WalkStatus, error) {
	if !isSafe(to) {
		return ast.WalkContinue, nil
	}
	text := "</a>"
	if begin {
		text = `<a href="` + template.HTMLEscapeString(to) + `" rel="noopener noreferrer nofollow" target="_blank">`
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

func isSafe(to string) bool {
	parsed, err := url.Parse(to)
	if err != nil {
		return false
	}
	return parsed.Scheme == "mailto" || parsed.Host != "" && (parsed.Scheme == "http" || parsed.Scheme == "https")
}

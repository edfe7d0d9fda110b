package clean

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"dealflow/internal/analysis/lexicon"
)

// LooksLikeHTML reports whether a text has one of the usual tags of HTML, in upper or lower case.
func LooksLikeHTML(text string) bool {
	lower := strings.ToLower(text)
	for _, tag := range []string{"<html", "<body", "<div", "<p>", "<p ", "<br", "<a href", "<table", "<span", "</p>"} {
		if strings.Contains(lower, tag) {
			return true
		}
	}
	return false
}

// HtmlText returns the text of HTML, without comments and the content of head, title, script and style elements; text
// that a style hides is included. Blocks and table rows begin new lines. The text of a link to http or https is
// followed by its target in angle brackets. Addresses in angle brackets, such as "<ann@acme.io>", are kept.
func HtmlText(source string) string {
	var r htmlReader
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return r.out.String()
		case html.TextToken:
			if r.hidden == 0 {
				r.out.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if raw := z.Raw(); isNoTag(raw) {
				r.out.Write(raw)
				continue
			}
			r.start(z.Token())
		case html.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		case html.CommentToken, html.DoctypeToken: // they are not visible
		}
	}
}

// htmlReader is the state of HtmlText.
type htmlReader struct {
	out    strings.Builder
	hidden int    // how many open elements have no visible text, as <style>
	href   string // the target of the open link
}

func (r *htmlReader) start(t html.Token) {
	if isHidden(t.Data) && t.Type == html.StartTagToken {
		r.hidden++
	}
	if t.Data == "a" {
		r.href = attribute(t, "href")
	}
	r.out.WriteString(separator(t.Data))
}

func (r *htmlReader) end(name string) {
	if isHidden(name) {
		r.hidden = max(0, r.hidden-1)
	}
	if name == "a" && HasScheme(r.href) {
		r.out.WriteString(" <" + r.href + "> ")
		r.href = ""
	}
	r.out.WriteString(separator(name))
}

// isNoTag reports whether raw only looks like a tag, as "<ann@acme.io>" and "<https://acme.io>" do.
func isNoTag(raw []byte) bool {
	name, _, _ := bytes.Cut(raw, []byte(" "))
	return bytes.ContainsAny(name, "@:") && !bytes.Contains(raw, []byte("="))
}

func isHidden(tag string) bool {
	return tag == "style" || tag == "script" || tag == "title" || tag == "head"
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func separator(tag string) string {
	switch tag {
	case "p", "div", "br", "tr", "li", "h1", "h2", "h3", "h4", "table", "ul", "ol", "blockquote", "hr":
		return "\n"
	case "td", "th":
		return " "
	}
	return ""
}

// HasScheme reports whether a link begins with "http://" or "https://", in upper or lower case.
func HasScheme(link string) bool {
	return lexicon.HasPrefixFold(link, "http://") || lexicon.HasPrefixFold(link, "https://")
}

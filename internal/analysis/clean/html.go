package clean

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"dealflow/internal/analysis/lexicon"
)

// LooksLikeHTML reports whether a text is HTML, or has enough of it to be read so.
func LooksLikeHTML(text string) bool {
	lower := strings.ToLower(text)
	for _, tag := range []string{"<html", "<body", "<div", "<p>", "<p ", "<br", "<a href", "<table", "<span", "</p>"} {
		if strings.Contains(lower, tag) {
			return true
		}
	}
	return false
}

// HtmlText returns what a reader of the HTML sees, line by line, with each link behind the words that carry it.
func HtmlText(source string) string {
	z := html.NewTokenizer(strings.NewReader(source))
	var out strings.Builder
	hidden, href := 0, ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			if hidden == 0 {
				out.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if raw := z.Raw(); isNoTag(raw) {
				out.Write(raw)
				continue
			}
			t := z.Token()
			if isHidden(t.Data) && t.Type == html.StartTagToken {
				hidden++
			}
			if t.Data == "a" {
				href = attribute(t, "href")
			}
			out.WriteString(separator(t.Data))
		case html.EndTagToken:
			name, _ := z.TagName()
			if isHidden(string(name)) {
				hidden = max(0, hidden-1)
			}
			if string(name) == "a" && HasScheme(href) {
				out.WriteString(" <" + href + "> ")
				href = ""
			}
			out.WriteString(separator(string(name)))
		case html.CommentToken, html.DoctypeToken: // nobody reads them
		}
	}
}

// isNoTag recognizes "<ann@acme.io>" and "<https://acme.io>", which only look like tags.
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

// HasScheme reports whether a link begins with http or https.
func HasScheme(link string) bool {
	return lexicon.HasPrefixFold(link, "http://") || lexicon.HasPrefixFold(link, "https://")
}

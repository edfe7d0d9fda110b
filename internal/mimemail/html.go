package mimemail

import (
	"strings"

	"golang.org/x/net/html"
)

// HTMLText returns the text that a reader of the HTML sees, in lines, with the alternative text of pictures. It writes
// the target of each http and https link after the text of the link, unless the text contains the target. It takes time
// linear in its length, whatever the nesting.
func HTMLText(source string) string {
	z := html.NewTokenizer(strings.NewReader(source))
	var p page
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(p.out.String())
		case html.TextToken:
			p.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			p.open(z.Token())
		case html.EndTagToken:
			name, _ := z.TagName()
			p.close(string(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// page is the text that was read from HTML so far.
type page struct {
	out    strings.Builder
	breaks int    // line ends to write before the next text
	space  bool   // whether white space was read since the last word
	hidden int    // open elements that are not shown, without the head
	head   bool   // whether the head is open, which is not shown
	pre    int    // open elements that keep their line ends
	href   string // of the open link
	linked int    // index in out where the text of the link begins
}

func (p *page) text(raw string) {
	if p.hidden > 0 || p.head {
		return
	}
	if p.pre > 0 {
		p.flush()
		p.out.WriteString(raw)
		return
	}
	words := strings.FieldsFunc(raw, isSpace)
	if len(words) == 0 {
		p.space = p.space || raw != ""
		return
	}
	p.space = p.space || isSpace(rune(raw[0]))
	for _, word := range words {
		p.flush()
		p.out.WriteString(word)
		p.space = true
	}
	p.space = isSpace(rune(raw[len(raw)-1]))
}

// isSpace reports whether a character is white space that HTML collapses; a no-break space is not.
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' }

// flush writes the white space that was collected, unless nothing was written before.
func (p *page) flush() {
	switch {
	case p.out.Len() == 0:
	case p.breaks > 0:
		p.out.WriteString(strings.Repeat("\n", p.breaks))
	case p.space:
		p.out.WriteByte(' ')
	}
	p.breaks, p.space = 0, false
}

func (p *page) open(t html.Token) {
	p.head = t.Data == "head" || p.head && isOfHead(t.Data) // its end may be left out
	if isHidden(t.Data) {
		if t.Type == html.StartTagToken {
			p.hidden++
		}
		return
	}
	p.breaks = max(p.breaks, breaksOf(t.Data))
	switch t.Data {
	case "body":
		p.hidden = 0 // an element before it was never closed
	case "br":
		p.breaks = min(2, p.breaks+1)
	case "td", "th":
		p.space = true
	case "li":
		p.text("* ")
	case "pre":
		p.pre++
	case "a":
		p.href, p.linked = attribute(t, "href"), p.out.Len()
	case "img":
		p.text(" " + attribute(t, "alt") + " ")
	}
}

func (p *page) close(name string) {
	switch {
	case name == "head":
		p.head = false
	case isHidden(name):
		p.hidden = max(0, p.hidden-1)
		return
	case name == "pre":
		p.pre = max(0, p.pre-1)
	case name == "a":
		p.link()
	}
	p.breaks = max(p.breaks, breaksOf(name))
}

// link writes the target of the link that ends, if it is visible and http or https, unless the text of the link
// contains the target.
func (p *page) link() {
	target := strings.TrimSpace(p.href)
	p.href = ""
	scheme, _, _ := strings.Cut(strings.ToLower(target), ":")
	if p.hidden > 0 || p.head || (scheme != "http" && scheme != "https") {
		return
	}
	if words := p.out.String()[p.linked:]; strings.Contains(words, strings.TrimSuffix(target, "/")) {
		return
	}
	p.space = true
	p.flush()
	p.out.WriteString("<" + target + ">")
	p.space = true
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func isHidden(tag string) bool {
	switch tag {
	case "style", "script", "title", "template", "noscript":
		return true
	}
	return false
}

// isOfHead reports whether an element may be in the head. Any other element ends the head.
func isOfHead(tag string) bool {
	switch tag {
	case "meta", "link", "base", "basefont", "bgsound", "xml":
		return true
	}
	return isHidden(tag) || strings.Contains(tag, ":") // of Outlook
}

// breaksOf returns how many line ends the text has before and after an element: 2 for a paragraph, 1 for a block, and 0
// for other elements.
func breaksOf(tag string) int {
	switch tag {
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "pre":
		return 2
	case "div", "tr", "li", "table", "hr", "section", "article", "header", "footer", "dt", "dd", "address", "center":
		return 1
	}
	return 0
}

package pdftext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ledongthuc/pdf"
)

// firstReader reads with ledongthuc/pdf, page by page.
type firstReader struct{}

func (firstReader) read(doc []byte, to *sink) (done event) {
	defer func() {
		if r := recover(); r != nil { // the library's way to say that a file is malformed
			done = failure(event{}, faultDamaged, fmt.Errorf("%v", r))
		}
	}()
	file, err := pdf.NewReader(bytes.NewReader(doc), int64(len(doc)))
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return failure(event{}, faultEncrypted, err)
	}
	if err != nil {
		return failure(event{}, faultDamaged, err)
	}
	root := file.Trailer().Key("Root").Key("Pages")
	t := &tree{max: to.pages}
	t.walk(root, pdf.Value{})
	done = event{
		Count: max(len(t.leaves), int(root.Key("Count").Int64())), Cut: t.cut, Doubt: t.doubt,
		Title: title(file),
	}
	return readLeaves(t.leaves, to, done)
}

func title(file *pdf.Reader) string {
	defer func() { _ = recover() }() // a file may be without it
	return file.Trailer().Key("Info").Key("Title").Text()
}

func readLeaves(leaves []leaf, to *sink, done event) event {
	if done.Count > len(leaves) && !done.Cut && done.Doubt == "" {
		done.Doubt = fmt.Sprintf("%d of %d pages found", len(leaves), done.Count)
	}
	for i, l := range leaves {
		if !to.room() {
			done.Cut = true
			break
		}
		text, err := l.text()
		if err != nil && done.Doubt == "" {
			done.Doubt = fmt.Sprintf("page %d: %v", i+1, err)
		}
		if done.Doubt == "" {
			done.Doubt = l.doubt()
		}
		done.Cut = !to.page(i, text) || done.Cut
	}
	return done
}

// leaf is a page with the resources that hold for it. The library finds inherited resources by climbing up, which never
// ends where a parent is its own ancestor; here they come down with the walk.
type leaf struct {
	page      pdf.Page
	resources pdf.Value
}

func (l leaf) text() (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	fonts := map[string]*pdf.Font{}
	dict := l.resources.Key("Font")
	for _, name := range dict.Keys() {
		fonts[name] = &pdf.Font{V: dict.Key(name)}
	}
	return l.page.GetPlainText(fonts)
}

// tree collects the pages from the root down. The library's own Page(n) starts at the root for every page.
type tree struct {
	leaves []leaf
	max    int // pages to collect
	nodes  int // visited so far
	cut    bool
	doubt  string
}

func (t *tree) walk(node, resources pdf.Value) {
	defer func() {
		if r := recover(); r != nil {
			t.doubt = fmt.Sprint("page tree: ", r)
		}
	}()
	t.nodes++
	if t.nodes > 10*t.max+1000 { // far more than the pages need, and soon reached where the tree is none
		t.doubt = "page tree without end"
		return
	}
	if len(t.leaves) == t.max {
		t.cut = true
		return
	}
	if own := node.Key("Resources"); !own.IsNull() {
		resources = own
	}
	kids := node.Key("Kids")
	if node.Key("Type").Name() == "Page" || kids.IsNull() {
		t.leaves = append(t.leaves, leaf{pdf.Page{V: node}, resources})
		return
	}
	for i := 0; i < kids.Len() && !t.cut && t.doubt == ""; i++ {
		t.walk(kids.Index(i), resources)
	}
}

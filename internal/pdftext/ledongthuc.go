package pdftext

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/ledongthuc/pdf"

	"dealflow/internal/pdftext/pagetext"
)

// firstReader reads with ledongthuc/pdf, page by page.
type firstReader struct{}

func (firstReader) read(doc []byte, to *sink) (done event) {
	defer func() {
		if r := recover(); r != nil { // the library panics where a file is malformed
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
	t.walk(root, inherited{})
	width, height := t.size()
	done = event{
		Width: width, Height: height,
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
		text, glued, err := l.text()
		if err != nil && done.Doubt == "" {
			done.Doubt = fmt.Sprintf("page %d: %v", i+1, err)
		}
		if done.Doubt == "" && glued {
			done.Doubt = "words without a gap"
		}
		if done.Doubt == "" {
			done.Doubt = l.doubt()
		}
		done.Cut = !to.page(i, text) || done.Cut
	}
	return done
}

// leaf is a page with the entries that it inherits. The library finds these by walking up, which never ends where a
// node is its own ancestor; here they are passed down.
type leaf struct {
	page pdf.Page
	inherited
}

// inherited are the entries that a page has from the nodes above it unless it has its own.
type inherited struct {
	resources, box, crop, rotate pdf.Value
}

// under returns the entries that the pages below a node inherit.
func (h inherited) under(node pdf.Value) inherited {
	for key, value := range map[string]*pdf.Value{
		"Resources": &h.resources, "MediaBox": &h.box, "CropBox": &h.crop, "Rotate": &h.rotate,
	} {
		if own := node.Key(key); !own.IsNull() {
			*value = own
		}
	}
	return h
}

// size returns the width and height of the first page as it is shown, in points; 0 if the file has no usable size.
func (t *tree) size() (width, height float64) {
	defer func() {
		if recover() != nil { // the library panics where an object is malformed
			width, height = 0, 0
		}
	}()
	if len(t.leaves) == 0 {
		return 0, 0
	}
	first := t.leaves[0]
	box := first.crop
	if box.Len() != 4 {
		box = first.box
	}
	if box.Len() != 4 {
		return 0, 0
	}
	width, height = math.Abs(box.Index(2).Float64()-box.Index(0).Float64()),
		math.Abs(box.Index(3).Float64()-box.Index(1).Float64())
	if quarter := first.rotate.Int64() % 180; quarter != 0 {
		width, height = height, width
	}
	const widest = 1e6
	if width <= 0 || height <= 0 || width > widest || height > widest {
		return 0, 0
	}
	return width, height
}

// text returns the text of the page, and reports whether the library joined words in it.
func (l leaf) text() (text string, glued bool, err error) {
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
	text, err = l.page.GetPlainText(fonts)
	if err != nil || !gluesLines(l.page.V.Key("Contents")) && !pagetext.GluesWords(text) {
		return text, false, err
	}
	if apart := l.apart(fonts); apart != "" {
		text = apart
	}
	return text, true, nil
}

// tree collects the pages from the root down. The library's own Page(n) starts at the root for every page.
type tree struct {
	leaves []leaf
	max    int // pages to collect
	nodes  int // visited so far
	cut    bool
	doubt  string
}

func (t *tree) walk(node pdf.Value, above inherited) {
	defer func() {
		if r := recover(); r != nil {
			t.doubt = fmt.Sprint("page tree: ", r)
		}
	}()
	t.nodes++
	if t.nodes > 10*t.max+1000 { // far more than the pages need: the tree has a cycle
		t.doubt = "page tree without end"
		return
	}
	if len(t.leaves) == t.max {
		t.cut = true
		return
	}
	above = above.under(node)
	kids := node.Key("Kids")
	if node.Key("Type").Name() == "Page" || kids.IsNull() {
		t.leaves = append(t.leaves, leaf{pdf.Page{V: node}, above})
		return
	}
	for i := 0; i < kids.Len() && !t.cut && t.doubt == ""; i++ {
		t.walk(kids.Index(i), above)
	}
}

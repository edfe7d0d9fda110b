package pdftext

import (
	"fmt"
	"math"

	"github.com/ledongthuc/pdf"
)

// leaf is a page with the entries that it inherits. The library finds these entries by walking up the tree, which never
// ends if a node is its own ancestor; here they are passed down.
type leaf struct {
	page pdf.Page
	inherited
}

// inherited has the entries that a page gets from the nodes above it unless it has its own.
type inherited struct {
	resources, box, crop, rotate pdf.Value
}

// under returns the entries that the pages below a node inherit: those of the node and, where it has none, those of h.
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

// size returns the width and height of the first page as it is displayed, in points; 0 if the file has no usable size.
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

// tree collects the pages from the root down. The library's own Page(n) begins at the root for every page.
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

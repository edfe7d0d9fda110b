package pdftext

import (
	"slices"
	"testing"
)

func TestPagesThatBothReadersLeftOutAreNoScans(t *testing.T) {
	t.Parallel()
	first, second := harvest{room: 1000}, harvest{room: 1000}
	first.addPage(0, "")
	second.addPage(0, "a")
	second.addPage(1, "")
	second.addPage(3, "d")
	first.fill(second)
	doc := first.document()
	if !slices.Equal(doc.Pages, []string{"a", "", "", "d"}) || !slices.Equal(doc.Scans, []int{2}) {
		t.Errorf("pages %q, scans %v, want page 2 to be one", doc.Pages, doc.Scans)
	}
}

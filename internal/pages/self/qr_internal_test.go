package self

import (
	"strings"
	"testing"
)

// TestQRCodesHaveTheirThreeEyes looks for the squares by which a camera finds a code: dark, light within, and dark in
// the middle.
func TestQRCodesHaveTheirThreeEyes(t *testing.T) {
	t.Parallel()
	drawn, err := qrOf("otpauth://totp/dealflow:ada@fund.example?secret=" + strings.Repeat("A", 32))
	if err != nil {
		t.Fatal(err)
	}
	dark := map[string]bool{}
	for module := range strings.SplitSeq(strings.TrimSuffix(drawn.Path, "h1v1h-1z"), "h1v1h-1z") {
		dark[module] = true
	}
	last := drawn.Size - quietZone - 7
	for _, eye := range [][2]int{{quietZone, quietZone}, {last, quietZone}, {quietZone, last}} {
		for y := range 7 {
			for x := range 7 {
				ring := max(x-3, 3-x, y-3, 3-y)
				if at := moduleAt(eye[0]+x, eye[1]+y); dark[at] != (ring != 2) {
					t.Errorf("%s is dark: %t", at, dark[at])
				}
			}
		}
	}
	if _, err := qrOf(strings.Repeat("x", 5000)); err == nil {
		t.Error("a text that is too long has a code")
	}
}

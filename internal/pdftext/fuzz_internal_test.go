package pdftext

import (
	"bytes"
	"io"
	"testing"
)

// FuzzLink looks for answers of a broken child by which the parent takes more memory than a frame may have, or does
// not come to an end.
func FuzzLink(f *testing.F) {
	const most = 4 << 10
	var sent bytes.Buffer
	out := newLink(nil, &sent, most)
	for _, e := range []event{
		{Kind: kindReady}, {Kind: kindPage, Page: 3, Text: "Deck"}, {Kind: kindDone, Fault: faultDamaged},
	} {
		if err := out.send(e); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(sent.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '{'})
	f.Fuzz(func(t *testing.T, answers []byte) {
		in := newLink(bytes.NewReader(answers), io.Discard, most)
		for range len(answers)/4 + 2 {
			var e event
			if err := in.receive(&e); err != nil {
				return
			}
			if len(e.Text) > most {
				t.Fatalf("a text of %d bytes", len(e.Text))
			}
		}
		t.Fatal("more answers than bytes")
	})
}

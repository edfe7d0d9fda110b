package self

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quietZone is the width in modules of the light border of a QR code, without which a camera cannot find it.
const quietZone = 4

// qrCode is a QR code to be drawn as SVG.
type qrCode struct {
	Size int    // of the picture, in modules
	Path string // the SVG path of the dark modules
}

// qrOf returns the QR code of a text, with a quiet zone around it. The error is that of the encoder, such as for a text
// that is too long.
func qrOf(text string) (*qrCode, error) {
	drawn, err := qr.Encode(text, qr.M, qr.Unicode)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	width := drawn.Bounds().Dx()
	var path strings.Builder
	for y := range width {
		for x := range width {
			if drawn.At(x, y) == color.Black {
				_, _ = path.WriteString(moduleAt(x+quietZone, y+quietZone) + "h1v1h-1z")
			}
		}
	}
	return &qrCode{Size: width + 2*quietZone, Path: path.String()}, nil
}

// moduleAt returns the command of an SVG path that moves to the top left corner of the module in column x and row y.
func moduleAt(x, y int) string { return fmt.Sprintf("M%d %d", x, y) }

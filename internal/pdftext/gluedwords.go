package pdftext

import (
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// pieceGap is the limit for the number between two pieces of text in a TJ operator: if the number is below it, the
// pieces are two words. The numbers are thousandths of the font's size; a negative one moves to the right.
const pieceGap = -180

// apart returns the text of a page with a line break where the text position moves to another line, and a space where
// it moves within the line. The library adds neither, so that words are joined in its text. apart is used only for
// pages with joined words, since a move may also be between two letters of a word. fonts are those of the page, by
// name. apart returns "" if an object is malformed.
func (l leaf) apart(fonts map[string]*pdf.Font) (text string) {
	defer func() {
		if recover() != nil { // the library panics where an object is malformed
			text = ""
		}
	}()
	a := apartText{fonts: fonts}
	pdf.Interpret(l.page.V.Key("Contents"), func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		a.step(op, args)
	})
	return a.out.String()
}

// apartText is the text of a page while it is assembled.
type apartText struct {
	fonts map[string]*pdf.Font
	font  pdf.TextEncoding
	out   strings.Builder
	last  int // characters shown since the position changed
	y     float64
}

func (a *apartText) step(op string, args []pdf.Value) {
	switch {
	case op == "BT" || op == "T*":
		a.breakLine()
	case op == "Tf" && len(args) == 2:
		if a.font = nil; a.fonts[args[0].Name()] != nil {
			a.font = a.fonts[args[0].Name()].Encoder()
		}
	case (op == "Td" || op == "TD") && len(args) == 2:
		a.move(args[1].Float64() != 0)
	case op == "Tm" && len(args) == 6:
		a.move(args[5].Float64() != a.y)
		a.y = args[5].Float64()
	default:
		a.showText(op, args)
	}
}

// showText adds the text that an operator shows: ', ", Tj or TJ. It writes a line break before the text of ' and ", and
// a space for each number below pieceGap in the array of TJ. It ignores all other operators, a ' or " without operands,
// and a Tj or TJ that does not have exactly one.
func (a *apartText) showText(op string, args []pdf.Value) {
	switch {
	case (op == "'" || op == "\"") && len(args) > 0:
		a.breakLine()
		a.show(args[len(args)-1].RawString())
	case op == "Tj" && len(args) == 1:
		a.show(args[0].RawString())
	case op == "TJ" && len(args) == 1:
		a.showPieces(args[0])
	}
}

func (a *apartText) showPieces(pieces pdf.Value) {
	for i := range pieces.Len() {
		switch piece := pieces.Index(i); piece.Kind() { //nolint:exhaustive // the others draw nothing
		case pdf.String:
			a.show(piece.RawString())
		case pdf.Integer, pdf.Real:
			if piece.Float64() < pieceGap {
				a.space()
			}
		}
	}
}

// move records that the position changed: to another line if vertically is true, else within the line. It writes a line
// break, or a space if more than one letter was shown since the last move.
func (a *apartText) move(vertically bool) {
	switch {
	case vertically:
		a.breakLine()
	case a.last > 1:
		a.space()
	}
	a.last = 0
}

func (a *apartText) breakLine() { a.out.WriteByte('\n'); a.last = 0 }

func (a *apartText) space() { a.out.WriteByte(' ') }

func (a *apartText) show(raw string) {
	if a.font != nil {
		raw = a.font.Decode(raw)
	}
	a.last += utf8.RuneCountInString(raw)
	a.out.WriteString(raw)
}

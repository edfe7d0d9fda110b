// Package pdftext reads the words of PDF files that nobody has checked. A file can make a parser run forever or crash
// the whole process, so every file is read in a child process, which is killed and replaced when it misbehaves.
//
// A child is the same executable, started again, so a program that uses a Pool must begin its main like this:
//
//	if pdftext.IsChild() {
//		os.Exit(pdftext.RunChild())
//	}
package pdftext

import (
	"errors"
	"fmt"
	"time"
)

// The names of the readers in Document.Reader.
const (
	Ledongthuc = "ledongthuc" // tried first: pure Go and quick
	PDFium     = "pdfium"     // WebAssembly; where the first one failed or its text looks bad
)

// The faults of a file. Read wraps one of these, for errors.Is; the texts may be shown to people.
var (
	ErrEncrypted = errors.New("the PDF is protected by a password: remove the password and send it again")
	ErrDamaged   = errors.New("the file is no readable PDF: export it again and send the new file")
	ErrTimeout   = errors.New("the PDF needs too much processor time to read: export it again or split it")
	ErrTooLarge  = errors.New("the PDF is too large to read: send a smaller one")
	ErrMemory    = errors.New("the PDF needs more memory than a document may have: export it again or split it")
	ErrCrashed   = errors.New("the PDF made its reader crash: export it again and send the new file")
)

// Errors that are not about the file.
var (
	ErrClosed      = errors.New("pdftext: the pool is closed")
	ErrNoChild     = errors.New("no reader could be started")
	ErrInterrupted = errors.New("the reader was stopped before it was done")
)

// IsTemporary reports whether a document could not be read for a reason outside of it, so that it should be read again
// later: the readers were killed, had no time because of other load, or could not be started.
func IsTemporary(err error) bool { return errors.Is(err, ErrInterrupted) || errors.Is(err, ErrNoChild) }

// tooMuch is ErrTimeout with the limit in its text.
type tooMuch struct{ limit time.Duration }

func (e tooMuch) Error() string {
	return fmt.Sprintf("the file needs more than %g s of processor time to read: export it again or split it",
		e.limit.Seconds())
}

// Is reports whether target is ErrTimeout.
func (tooMuch) Is(target error) bool { return target == ErrTimeout } // for errors.Is

// Document has the text and the data that were read from one file.
type Document struct {
	Pages     []string // text by page in NFKC, lines by \n, no other control characters; "" for a page without text
	Reader    string   // Ledongthuc or PDFium: who read the pages, or most of them
	Title     string   // from the document information, as its maker left it; often empty or a tool's default
	Width     float64  // of the first page as it is shown, in points of 1/72 inch; 0 if the file does not say
	Height    float64
	PageCount int   // pages of the file; more than len(Pages) where Cut or Problem says so
	Scans     []int // numbers, from 1, of the pages without any text: pictures, as far as can be seen
	Cut       bool  // MaxPages or MaxTextBytes left some of the text out
	Problem   error // why some pages are missing or only the weaker reader's; nil when all went well
}

// Word is a word of a page with its position on the page's picture. Positions are from 0 to 1, as fractions of the
// picture's width and height from the top left.
type Word struct {
	Text                     string
	Left, Top, Right, Bottom float64
}

package pdftext

import (
	"bytes"

	"github.com/ledongthuc/pdf"
)

// Seal is seal, for a test that tries to break out of it.
func Seal(cacheDir string) (cache string, missing []string) { return seal(cacheDir) }

// FirstText returns what the first reader reads of the first page, and whether words of it were glued.
func FirstText(doc []byte) (text string, glued bool, err error) {
	file, err := pdf.NewReader(bytes.NewReader(doc), int64(len(doc)))
	if err != nil {
		return "", false, err
	}
	page := file.Page(1)
	return leaf{page: page, inherited: inherited{resources: page.Resources()}}.text()
}

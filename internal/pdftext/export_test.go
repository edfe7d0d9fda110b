package pdftext

import (
	"bytes"
	"io"

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

// AnswerUnconfined does what a child does after its greeting, which it reads, in this process and without confinement.
func AnswerUnconfined(input io.Reader, answers io.Writer) error {
	c := &child{link: newLink(input, answers, 1<<20)}
	if err := c.receive(&c.config); err != nil {
		return err
	}
	return c.answerAll()
}

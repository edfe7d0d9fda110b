package pdftext

import (
	"context"
	"io"
)

// Words returns the words of a page in the order of the file; pages count from 1. Of a page with more than maxMended
// characters, it returns only the first words. It returns none if the file has no such page. count is the number of
// pages of the file. Words waits, reads r and fails as Read does.
func (p *Pool) Words(ctx context.Context, r io.Reader, page int) (words []Word, count int, err error) {
	count, err = p.pages(ctx, r, request{Op: opWords, First: page - 1, Most: 1}, func(e event) { words = e.Words })
	return words, count, err
}

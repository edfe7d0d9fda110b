package pdftext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ledongthuc/pdf"

	"dealflow/internal/pdftext/pagetext"
)

// firstReader reads with ledongthuc/pdf, page by page.
type firstReader struct{}

func (firstReader) read(doc []byte, to *sink) (done event) {
	defer func() {
		if r := recover(); r != nil { // the library panics where a file is malformed
			done = failure(event{}, faultDamaged, fmt.Errorf("%v", r))
		}
	}()
	file, err := pdf.NewReader(bytes.NewReader(doc), int64(len(doc)))
	if errors.Is(err, pdf.ErrInvalidPassword) {
		return failure(event{}, faultEncrypted, err)
	}
	if err != nil {
		return failure(event{}, faultDamaged, err)
	}
	root := file.Trailer().Key("Root").Key("Pages")
	t := &tree{max: to.pages}
	t.walk(root, inherited{})
	width, height := t.size()
	done = event{
		Width: width, Height: height,
		Count: max(len(t.leaves), int(root.Key("Count").Int64())), Cut: t.cut, Doubt: t.doubt,
		Title: title(file),
	}
	return readLeaves(t.leaves, to, done)
}

func title(file *pdf.Reader) string {
	defer func() { _ = recover() }() // a file may be without it
	return file.Trailer().Key("Info").Key("Title").Text()
}

func readLeaves(leaves []leaf, to *sink, done event) event {
	if done.Count > len(leaves) && !done.Cut && done.Doubt == "" {
		done.Doubt = fmt.Sprintf("%d of %d pages found", len(leaves), done.Count)
	}
	for i, l := range leaves {
		if !to.room() {
			done.Cut = true
			break
		}
		text, glued, err := l.text()
		if err != nil && done.Doubt == "" {
			done.Doubt = fmt.Sprintf("page %d: %v", i+1, err)
		}
		if done.Doubt == "" && glued {
			done.Doubt = "words without a gap"
		}
		if done.Doubt == "" {
			done.Doubt = l.doubt()
		}
		done.Cut = !to.page(i, text) || done.Cut
	}
	return done
}

// text returns the text of the page. glued reports whether the library joined words in it; the text is then that of
// apart unless apart fails. A panic of the library, as for a malformed object, becomes an error.
func (l leaf) text() (text string, glued bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	fonts := map[string]*pdf.Font{}
	dict := l.resources.Key("Font")
	for _, name := range dict.Keys() {
		fonts[name] = &pdf.Font{V: dict.Key(name)}
	}
	text, err = l.page.GetPlainText(fonts)
	if err != nil || !gluesLines(l.page.V.Key("Contents")) && !pagetext.GluesWords(text) {
		return text, false, err
	}
	if apart := l.apart(fonts); apart != "" {
		text = apart
	}
	return text, true, nil
}

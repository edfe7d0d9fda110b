package pdftext

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// wasmPage is the unit of WebAssembly memory.
const wasmPage = 64 << 10

// pdfiumReader reads with PDFium, which is compiled once and instantiated again for every document, so that a hostile
// document can damage only the memory of its own instance.
type pdfiumReader struct {
	pool  pdfium.Pool
	now   pdfium.Pdfium // the instance for the next document, or the one in use
	dirty bool          // it has seen a document
}

// newPDFium starts PDFium without any file system. memory is the limit of the memory of an instance, in bytes. If
// cacheDir is "" or cannot be used, PDFium is compiled anew.
func newPDFium(cacheDir string, memory int64) (*pdfiumReader, error) {
	defer lockCache(cacheDir)()
	pool, err := compile(cacheDir, memory)
	if err != nil && cacheDir != "" {
		pool, err = compile("", memory) // without the folder it only takes longer
	}
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	p := &pdfiumReader{pool: pool}
	return p, p.renew()
}

func compile(cacheDir string, memory int64) (pdfium.Pool, error) {
	//nolint:gosec // a few thousand pages
	runtime := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(memory / wasmPage))
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, err
		}
		runtime = runtime.WithCompilationCache(cache)
	}
	return webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1, RuntimeConfig: runtime,
		FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
	})
}

// renew replaces an instance that has opened a document by a new one. If there is no instance, it starts one.
func (p *pdfiumReader) renew() error {
	if p.now != nil && !p.dirty {
		return nil
	}
	if p.now != nil {
		if err := p.now.Close(); err != nil {
			return fmt.Errorf("close an instance of PDFium: %w", err)
		}
	}
	next, err := p.pool.GetInstance(time.Second)
	if err != nil {
		return fmt.Errorf("make an instance of PDFium: %w", err)
	}
	p.now, p.dirty = next, false
	return nil
}

func (p *pdfiumReader) read(doc []byte, to *sink) (done event) {
	defer recoverTo(&done)
	if err := p.renew(); err != nil {
		return failure(event{Spent: true}, faultCrashed, err)
	}
	p.dirty = true
	file, err := p.now.OpenDocument(&requests.OpenDocument{File: &doc})
	if errors.Is(err, pdfiumerrors.ErrFormat) {
		return p.readMended(doc, err, to)
	}
	if err != nil {
		return refusal(err)
	}
	return p.readPages(file, to)
}

// readMended repairs a file whose end is missing and reads the rest of it. damage is the error of opening the file
// itself. The event always has a fault, even if pages could be read.
func (p *pdfiumReader) readMended(doc []byte, damage error, to *sink) event {
	mended, ok := mend(doc)
	if !ok {
		return refusal(damage)
	}
	file, err := p.now.OpenDocument(&requests.OpenDocument{File: &mended})
	if err != nil {
		return refusal(err)
	}
	done := p.readPages(file, to)
	if done.Fault == "" {
		done.Fault, done.Detail = faultDamaged, "the file breaks off"
	}
	return done
}

func (p *pdfiumReader) readPages(file *responses.OpenDocument, to *sink) (done event) {
	count, err := p.now.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: file.Document})
	if err != nil {
		return refusal(err)
	}
	done = event{Count: count.PageCount, Title: p.title(file.Document)}
	done.Width, done.Height = p.size(file.Document)
	for i := range count.PageCount {
		if !to.room() {
			done.Cut = true
			break
		}
		text, err := p.page(file.Document, i, to.bytes)
		if broken(err) {
			return failure(event{Count: done.Count, Title: done.Title, Spent: true}, faultCrashed, err)
		}
		if err != nil {
			done = failure(done, faultDamaged, fmt.Errorf("page %d: %w", i+1, err))
			to.skip()
			continue
		}
		done.Cut = !to.page(i, text) || done.Cut
	}
	return done
}

// refusal returns the event that says why a document cannot be opened.
func refusal(err error) event {
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return failure(event{}, faultEncrypted, err)
	case broken(err):
		return failure(event{Spent: true}, faultCrashed, err)
	}
	return failure(event{}, faultDamaged, err)
}

func (p *pdfiumReader) title(doc references.FPDF_DOCUMENT) string {
	title, err := p.now.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc, Tag: "Title"})
	if err != nil {
		return ""
	}
	return title.Value
}

// size returns the width and height of the first page as it is displayed, in points; 0 if it has none.
func (p *pdfiumReader) size(doc references.FPDF_DOCUMENT) (width, height float64) {
	size, err := p.now.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: doc})
	if err != nil || size.Width <= 0 || size.Height <= 0 {
		return 0, 0
	}
	return size.Width, size.Height
}

// page returns the text of page i, at most limit characters of it, followed by the notes of the page that are not in
// the text.
func (p *pdfiumReader) page(doc references.FPDF_DOCUMENT, i, limit int) (string, error) {
	loaded, err := p.now.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: i})
	if err != nil {
		return "", err
	}
	page, notes, err := p.drawn(doc, i, loaded.Page)
	if err != nil {
		return "", err
	}
	text, err := p.pageText(requests.Page{ByReference: &page}, limit)
	if broken(err) {
		return "", err
	}
	_, err = p.now.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page})
	return withNotes(text, notes), err
}

func (p *pdfiumReader) pageText(page requests.Page, limit int) (string, error) {
	loaded, err := p.now.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return "", err
	}
	count, err := p.now.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err != nil {
		return "", err
	}
	t := textPage{pdfium: p.now, page: page, text: loaded.TextPage, chars: min(count.Count, limit)}
	text, err := t.read()
	if broken(err) {
		return "", err
	}
	_, err = p.now.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	return text, err
}

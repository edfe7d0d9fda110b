package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dealflow/internal/pdftext/pagetext"
)

// reading is one document while it is read.
type reading struct {
	pool     *Pool
	seat     *seat
	doc      []byte
	left     time.Duration // processor time
	deadline time.Time     // by the clock
	held     *process      // the child that holds the document
}

// looksLikePDF reports whether a document has the header of a PDF at an offset at which PDFium still finds it.
func looksLikePDF(doc []byte) bool {
	return bytes.Contains(doc[:min(len(doc), 1024+5)], []byte("%PDF-"))
}

// run reads with the first reader, and also with the second one if the first one's text is in doubt.
func (r *reading) run(ctx context.Context) (Document, error) {
	first := r.try(ctx, Ledongthuc)
	if err := r.stopped(ctx); err != nil {
		return Document{}, err
	}
	doubt := first.doubt()
	if doubt == "" {
		return first.document(), nil
	}
	r.pool.opt.Logger.DebugContext(ctx, "PDFium reads the document as well", "because", doubt)
	second := r.try(ctx, PDFium)
	if err := r.stopped(ctx); err != nil {
		return Document{}, err
	}
	return combine(first, second)
}

// stopped returns ErrClosed if the pool is closed, the cause of the end of ctx if it has ended, and nil otherwise. It
// checks the pool first: after Close, starting a child may fail a moment before ctx ends.
func (r *reading) stopped(ctx context.Context) error {
	if r.pool.ctx.Err() != nil {
		return ErrClosed
	}
	return context.Cause(ctx)
}

// try reads the document with one reader, and once more if the child was interrupted (ErrInterrupted). The harvest has
// the error, if any, and the pages that came before it.
func (r *reading) try(ctx context.Context, reader string) harvest {
	h := r.once(ctx, reader)
	if errors.Is(h.err, ErrInterrupted) && time.Now().Before(r.deadline) && ctx.Err() == nil {
		h = r.once(ctx, reader)
	}
	return h
}

func (r *reading) once(ctx context.Context, reader string) harvest {
	h := harvest{reader: reader, room: r.pool.opt.MaxTextBytes}
	req := request{Op: opRead, Read: reader, Cached: reader == PDFium && r.pool.useCache(ctx)}
	if r.seat.child == nil {
		child, err := r.pool.start(time.Until(r.deadline), r.pool.config())
		if err != nil {
			h.err = err
			return h
		}
		r.seat.child = child
	}
	child := r.seat.child
	if r.held != child {
		req.Size = len(r.doc)
		r.held = child
		child.served++
	}
	m := newMeter(child, r.allowance(reader))
	err := child.ask(ctx, req, r.doc, m, r.deadline, h.add)
	child.spent = child.spent || h.spent
	if err == nil {
		r.left -= m.spent()
		return h
	}
	h.err = child.why(err)
	r.seat.child = nil
	if reader == Ledongthuc && errors.Is(h.err, ErrTimeout) {
		r.left -= m.whole
	}
	if ctx.Err() == nil {
		r.pool.opt.Logger.WarnContext(ctx, "a process that reads PDFs ended", "reader", reader, "error", h.err)
	}
	return h
}

// allowance divides the processor time. The first reader gets a tenth, since it may never end. The second reader gets
// the rest, with extra time to be loaded, but no more than a fifth of the limit for one page.
func (r *reading) allowance(reader string) allowance {
	limit := r.pool.opt.Timeout
	share := limit / 10
	if reader == Ledongthuc {
		return allowance{load: share, whole: share, limit: limit}
	}
	return allowance{load: max(limit, time.Minute), page: 2 * share, whole: max(r.left, share), limit: limit}
}

// harvest is what one reader read of a document.
type harvest struct {
	reader  string
	pages   []string // cleaned
	gaps    []int    // numbers, from 1, of the pages that the reader left out
	room    int      // bytes of text that still fit
	quality pagetext.Quality
	count   int
	title   string
	width   float64
	height  float64
	cut     bool
	unsure  string // what the reader itself doubts
	spent   bool
	err     error
}

// add adds one answer of the child to the harvest.
func (h *harvest) add(e event) {
	switch e.Kind {
	case kindPage:
		h.addPage(e.Page, e.Text)
	case kindDone:
		h.count, h.title, h.cut, h.unsure, h.spent = e.Count, e.Title, e.Cut || h.cut, e.Doubt, e.Spent
		h.width, h.height = e.Width, e.Height
		h.err = faultError(e.Fault, e.Detail)
	}
}

func (h *harvest) addPage(n int, raw string) {
	if h.room <= 0 {
		h.cut = true
		return
	}
	h.quality.Add(raw)
	text := pagetext.Clean(raw)
	h.room -= len(text)
	if h.room < 0 { // NFKC can make it longer
		text, h.cut = strings.TrimSpace(strings.ToValidUTF8(text[:len(text)+h.room], "")), true
	}
	for len(h.pages) < n {
		h.pages = append(h.pages, "")
		h.gaps = append(h.gaps, len(h.pages))
	}
	h.pages = append(h.pages, text)
}

func faultError(fault, detail string) error {
	var kind error
	switch fault {
	case "":
		return nil
	case faultEncrypted:
		return ErrEncrypted
	case faultDamaged:
		kind = ErrDamaged
	default:
		kind = ErrCrashed
	}
	return fmt.Errorf("%w (%s)", kind, firstLine(detail))
}

// doubt returns why the second reader must read the document too; "" if it need not. h is of the first reader.
func (h *harvest) doubt() string {
	switch {
	case h.err != nil:
		return h.err.Error()
	case h.unsure != "":
		return h.unsure
	}
	return h.quality.Doubt()
}

func (h *harvest) document() Document {
	d := Document{
		Pages: pagetext.Join(h.pages), Reader: h.reader, Title: pagetext.CleanLine(h.title), Width: h.width, Height: h.height,
		PageCount: max(h.count, len(h.pages)),
		Cut:       h.cut, Problem: h.err,
	}
	for i, page := range d.Pages {
		if page == "" && !slices.Contains(h.gaps, i+1) {
			d.Scans = append(d.Scans, i+1)
		}
	}
	return d
}

// combine returns one document from what both readers found, for a document for which the first one's text was in
// doubt. The error is that of worse if neither found a page, and that of the better reader if it failed and found no
// letter.
func combine(first, second harvest) (Document, error) {
	if len(first.pages) == 0 && len(second.pages) == 0 {
		return Document{}, worse(first.err, second.err)
	}
	best, other := second, first
	if len(second.pages) == 0 || second.quality.Rubbish() != "" && !first.quality.Unreadable() &&
		first.quality.Score() > second.quality.Score() {
		best, other = first, second
	}
	if best.err != nil && !best.quality.HasLetters() {
		return Document{}, best.err
	}
	best.fill(other)
	doc := best.document()
	if doc.Problem == nil && best.reader == Ledongthuc {
		doc.Problem = second.err
	}
	return doc, nil
}

// fill adds the title, the size and the pages that another reader found and this one did not. For pages after the last
// one of this reader, it also adds the gaps of the other reader.
func (h *harvest) fill(other harvest) {
	if h.title == "" {
		h.title = other.title
	}
	if h.width == 0 {
		h.width, h.height = other.width, other.height
	}
	for i, page := range other.pages {
		if i >= len(h.pages) {
			h.pages = append(h.pages, page)
			if slices.Contains(other.gaps, i+1) {
				h.gaps = append(h.gaps, i+1)
			}
		} else if h.pages[i] == "" {
			h.pages[i] = page
		}
	}
}

// worse returns the error that says most about the file: the error of the second reader or, if there is none or no
// second reader could be started, that of the first. If both are nil, it returns ErrDamaged, since the file has no
// pages.
func worse(first, second error) error {
	switch {
	case second == nil && first == nil:
		return fmt.Errorf("%w (it has no pages)", ErrDamaged)
	case second == nil, errors.Is(second, ErrNoChild) && first != nil:
		return first
	}
	return second
}

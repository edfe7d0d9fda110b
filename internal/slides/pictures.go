// Package slides shows the pages of stored PDFs as pictures. They are drawn at the first request for them, a few at a
// time, in the sandboxed child processes of pdftext, and stored. The package identifies files by their keys: callers
// decide who may see one.
package slides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
	"dealflow/internal/pdftext"
)

// Prefix begins the keys under which pictures, and the words of pages, are stored. Any of them may be deleted at any
// time: the next request creates them again.
const Prefix = "drawn/"

const (
	width   = 1280 // of a picture, in pixels
	atOnce  = 4    // pages that are drawn together, since to load the file costs as much as a page
	maximum = 1000 // pages of one file that are shown

	markAtOnce = 2 // pages that are marked at the same time

	// drawTimeout bounds a drawing that waits, for example for the storage. The children themselves limit the processor
	// time of a page. It is long, since on a busy machine a child may take minutes to begin.
	drawTimeout = 10 * time.Minute
)

// Slides draws pages. It is safe for concurrent use.
type Slides struct {
	blobs   *blob.Store
	options pdftext.Options
	drawing singleflight.Group
	marking chan struct{} // holds one for each page that is marked now

	mu     sync.Mutex
	pool   *pdftext.Pool // nil before the first page is drawn
	closed bool
}

// New returns slides of the files in a store. The children that draw are started at the first request for a page. The
// caller must call Close at the end.
func New(blobs *blob.Store, options pdftext.Options) *Slides {
	return &Slides{blobs: blobs, options: options, marking: make(chan struct{}, markAtOnce)}
}

// Close ends the child processes, including those that are drawing. Pages that are not drawn then fail with
// Unavailable, as all later ones do. Close always returns nil.
func (s *Slides) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.pool == nil {
		return nil
	}
	return s.pool.Close()
}

// open returns the children, which it starts at the first call. The error is pdftext.ErrClosed after Close.
func (s *Slides) open() (*pdftext.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, pdftext.ErrClosed
	}
	if s.pool == nil {
		s.pool = pdftext.NewPool(s.options)
	}
	return s.pool, nil
}

// Page returns the picture of a page, counted from 1, of the PDF under a key; the caller must close it. It waits until
// the page is drawn; if ctx ends first, the drawing continues. The error is NotFound if there is no such file or page,
// the page can never be drawn, or it comes after the first 1000; Unavailable if the page may be drawn later.
func (s *Slides) Page(ctx context.Context, key string, page int) (*blob.Object, error) {
	if page < 1 || page > maximum {
		return nil, fault.NewNotFound()
	}
	found, err := s.blobs.Open(ctx, pictureKey(key, page))
	if !fault.Is(err, fault.NotFound) {
		return found, err
	}
	first := (page-1)/atOnce*atOnce + 1
	waiting := s.drawing.DoChan(pictureKey(key, first), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTimeout)
		defer cancel()
		return nil, s.draw(ctx, key, first)
	})
	select {
	case done := <-waiting:
		if found, missing := s.blobs.Open(ctx, pictureKey(key, page)); missing == nil || done.Err == nil {
			return found, missing
		}
		return nil, refusal(done.Err)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// refusal returns the error of Page for an error of drawing: NotFound if the page can never be drawn, Unavailable if it
// may be drawn later, else err.
func refusal(err error) error {
	for _, never := range []error{
		pdftext.ErrEncrypted, pdftext.ErrDamaged, pdftext.ErrTimeout, pdftext.ErrTooLarge, pdftext.ErrMemory,
		pdftext.ErrCrashed,
	} {
		if errors.Is(err, never) {
			return fault.New(fault.NotFound, "not_drawn").Because(err)
		}
	}
	if pdftext.IsTemporary(err) || errors.Is(err, pdftext.ErrClosed) || errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, "overloaded").Because(err)
	}
	return err
}

// draw stores the pictures of up to atOnce pages from first on. After an error some of them may be stored. If the file
// was deleted meanwhile, draw deletes them again and returns NotFound.
func (s *Slides) draw(ctx context.Context, key string, first int) error {
	file, err := s.blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer file.Close()
	pool, err := s.open()
	if err != nil {
		return err
	}
	var storing error
	_, err = pool.Draw(ctx, io.Reader(file), first, atOnce, width, func(page int, picture []byte) {
		if storing == nil {
			_, storing = s.blobs.Write(ctx, pictureKey(key, page), bytes.NewReader(picture), int64(len(picture)))
		}
	})
	if err = errors.Join(err, storing); err != nil {
		err = fmt.Errorf("draw the pages of %s from %d: %w", key, first, err)
	}
	if there, failed := s.blobs.Exists(ctx, key); failed == nil && !there {
		return errors.Join(fault.NewNotFound(), Forget(ctx, s.blobs, key))
	}
	return err
}

// Forget deletes the pictures and the words of the files that were stored under these keys. It stops at the first
// error.
func Forget(ctx context.Context, blobs *blob.Store, keys ...string) error {
	for _, key := range keys {
		if _, err := blobs.Sweep(ctx, folder(key), time.Now().Add(time.Hour), nil); err != nil {
			return fmt.Errorf("forget the pictures of %s: %w", key, err)
		}
	}
	return nil
}

// folder returns the beginning of the keys of a file's pictures. Keys of files end with an id that no other key has.
func folder(key string) string { return Prefix + path.Base(key) + "/" }

func pictureKey(key string, page int) string { return folder(key) + strconv.Itoa(page) }

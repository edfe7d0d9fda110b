package pdftext

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// childArgument is the one argument of a child. No command of the programs may have this name.
const childArgument = "pdftext-child"

// maxStack ends a runaway recursion long before it reaches the memory limit.
const maxStack = 64 << 20

// IsChild reports whether this process was started to read documents for a Pool. main must call it first.
func IsChild() bool {
	return len(os.Args) == 2 && os.Args[1] == childArgument
}

// RunChild reads documents for the parent until the parent has ended. It returns the status for os.Exit: 0, or 1 after
// an error, which it prints to stderr. It must be called only where IsChild is true.
func RunChild() int {
	answers := os.Stdout
	os.Stdout = os.Stderr // a library that prints must not garble the answers
	c := &child{link: newLink(os.Stdin, answers, 1<<20)}
	err := c.serve()
	if errors.Is(err, io.EOF) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "pdftext:", err)
	return 1
}

// reader is one of the two ways to read a document. read hands each page to the sink and returns the closing event.
type reader interface {
	read(doc []byte, to *sink) event
}

type child struct {
	link
	config
	doc    []byte
	pdfium *pdfiumReader
}

// serve answers the requests of the parent. It returns io.EOF when the parent has ended.
func (c *child) serve() error {
	if err := c.receive(&c.config); err != nil {
		return err
	}
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(c.MemoryLimit / 5 * 4)
	if err := confine(c.MemoryLimit); err != nil {
		return err
	}
	ready := event{Kind: kindReady}
	if !c.Trusted {
		var missing []string
		c.CacheDir, missing = seal(c.CacheDir)
		ready.Detail = strings.Join(missing, ", ")
	}
	if err := c.send(ready); err != nil {
		return err
	}
	for {
		var ask request
		if err := c.receive(&ask); err != nil {
			return err
		}
		if err := c.answer(ask); err != nil {
			return err
		}
	}
}

func (c *child) answer(ask request) error {
	switch ask.Op {
	case opRead, opDraw, opWords:
		if ask.Size > 0 {
			c.doc = make([]byte, ask.Size)
			if _, err := io.ReadFull(c.r, c.doc); err != nil {
				return err
			}
		}
		if ask.Op != opRead {
			return c.send(c.draw(ask))
		}
		return c.send(c.read(ask))
	case opWarm:
		return c.send(failure(event{Kind: kindDone}, faultCrashed, c.warm()))
	default:
		c.doc = nil
		if c.pdfium != nil {
			return c.pdfium.renew()
		}
		return nil
	}
}

// warm compiles PDFium into CacheDir. If that cannot be used, nothing is compiled: it would be lost with this process.
func (c *child) warm() error {
	defer lockCache(c.CacheDir)()
	if _, err := compile(c.CacheDir, c.MemoryLimit/3); err != nil {
		return err
	}
	return openCache(c.CacheDir)
}

// read reads the document and returns an answer whatever happens.
func (c *child) read(ask request) (done event) {
	defer recoverTo(&done)
	r, err := c.reader(ask)
	if err != nil {
		return failure(event{Kind: kindDone, Spent: true}, faultCrashed, err)
	}
	if err := c.send(event{Kind: kindStarted}); err != nil {
		return event{Kind: kindDone, Spent: true}
	}
	done = r.read(c.doc, &sink{link: c.link, pages: c.MaxPages, bytes: c.MaxTextBytes})
	done.Kind, done.Title, done.Detail = kindDone, head(done.Title), head(done.Detail)
	return done
}

func (c *child) reader(ask request) (reader, error) {
	if ask.Read == PDFium {
		return c.second(ask.Cached)
	}
	return firstReader{}, nil
}

// second returns the reader that uses PDFium, and starts it on first use, since most files never need it. If cached is
// true, it uses the compiled WebAssembly in CacheDir.
func (c *child) second(cached bool) (*pdfiumReader, error) {
	if c.pdfium == nil {
		dir := ""
		if cached {
			dir = c.CacheDir
		}
		p, err := newPDFium(dir, c.MemoryLimit/3)
		if err != nil {
			return nil, err
		}
		c.pdfium = p
	}
	return c.pdfium, nil
}

// sink passes pages on to the parent as they come, so that the parent has the first ones even if a later one crashes
// this process.
type sink struct {
	link
	pages int // pages that may still be sent
	bytes int // bytes of text that may still be sent
}

// room reports whether another page may be sent.
func (s *sink) room() bool { return s.pages > 0 && s.bytes > 0 }

// skip counts a page that cannot be sent.
func (s *sink) skip() { s.pages-- }

// page sends the text of page n, as much of it as there is room for, and reports whether all of it was sent.
func (s *sink) page(n int, text string) bool {
	whole := len(text) <= s.bytes
	if !whole {
		text = text[:s.bytes]
	}
	s.pages--
	s.bytes -= len(text)
	return s.send(event{Kind: kindPage, Page: n, Text: text}) == nil && whole
}

// head returns the first 1000 bytes of a text whose length a file chooses.
func head(text string) string { return text[:min(len(text), 1000)] }

// recoverTo turns a panic into the event that reports it. The child must not be used after that, since the state of its
// readers is unknown.
func recoverTo(done *event) {
	if r := recover(); r != nil {
		*done = event{Kind: kindDone, Fault: faultCrashed, Detail: fmt.Sprint(r), Spent: true}
	}
}

// failure adds the fault and its cause to an event, unless err is nil.
func failure(e event, fault string, err error) event {
	if err != nil {
		e.Fault, e.Detail = fault, err.Error()
	}
	return e
}

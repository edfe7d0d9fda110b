package pdftext

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// maxStack is how many bytes the stack of a goroutine may have: it ends an endless recursion long before that reaches
// the memory limit.
const maxStack = 64 << 20

// IsChild reports whether this process was started to read documents for a Pool. main must call it first.
func IsChild() bool {
	return len(os.Args) == 2 && os.Args[1] == childArgument
}

// RunChild reads documents for the parent until the parent has ended. It returns the status for os.Exit: 0, or 1 after
// an error, which it prints to stderr. It must be called only if IsChild reports true.
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
	return c.answerAll()
}

// answerAll answers requests until there are no more, and then returns io.EOF.
func (c *child) answerAll() error {
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

// warm compiles PDFium into CacheDir. If that folder cannot be used, it compiles nothing and returns an error, since
// the result would be lost with this process.
func (c *child) warm() error {
	defer lockCache(c.CacheDir)()
	if _, err := compile(c.CacheDir, c.MemoryLimit/3); err != nil {
		return err
	}
	return openCache(c.CacheDir)
}

// read reads the document and always returns an answer, even after a panic.
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

// second returns the reader that uses PDFium. It starts PDFium on first use, since most files never need it. If cached
// is true in that first call, PDFium uses the compiled WebAssembly in CacheDir.
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

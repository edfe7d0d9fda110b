package pdftext

import (
	"sync"
	"time"
)

// The shortest and the longest time between two looks at the processor time of a child.
const (
	oftenest = 10 * time.Millisecond
	rarest   = 500 * time.Millisecond
)

// allowance is the processor time that a child may use for a request. Only the time in which the child computes counts,
// and not the time in which it waits on a busy machine.
type allowance struct {
	load  time.Duration // until the reader begins with the document: PDFium may have to be compiled
	page  time.Duration // for each page; 0: no limit but whole
	whole time.Duration // for all pages
	limit time.Duration // the limit that the error names
}

// meter kills a child that uses more processor time than it is allowed.
type meter struct {
	child *process
	allowance

	mu       sync.Mutex
	started  bool // the reader has begun with the document
	pages    int
	seen     int           // pages at the last look
	begun    time.Duration // processor time of the child when it began to load or, if started, to read
	pageFrom time.Duration // processor time of the child when it began with the page
}

func newMeter(child *process, a allowance) *meter { return &meter{child: child, allowance: a} }

// note records an answer of the child. From kindStarted on, the processor time counts for the document. After kindPage,
// the time of the next page begins when look is called next.
func (m *meter) note(kind string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch kind {
	case kindStarted:
		m.started = true
		m.begun = m.child.used()
		m.pageFrom = m.begun
	case kindPage:
		m.pages++
	}
}

// watch begins to check the child's processor time, and kills the child when none is left. The caller must call end
// once.
func (m *meter) watch() (end func()) {
	m.begun = m.child.used()
	stop := make(chan struct{})
	go func() {
		for next := m.look(); next > 0; next = m.look() {
			timer := time.NewTimer(min(max(next/2, oftenest), rarest))
			select {
			case <-stop:
				timer.Stop()
				return
			case <-timer.C:
			}
		}
		m.child.stop(tooMuch{m.limit})
	}()
	return func() { close(stop) }
}

// look returns how much processor time is left; 0 or less if none is.
func (m *meter) look() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.child.used()
	if !m.started {
		return m.load - (now - m.begun)
	}
	if m.pages != m.seen {
		m.seen, m.pageFrom = m.pages, now
	}
	left := m.whole - (now - m.begun)
	if m.page > 0 {
		left = min(left, m.page-(now-m.pageFrom))
	}
	return left
}

// spent returns the processor time that the child has used for the document itself.
func (m *meter) spent() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.started {
		return 0
	}
	return m.child.used() - m.begun
}

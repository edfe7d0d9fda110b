package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"dealflow/client"
)

// How often progress is shown: a bar on a terminal, else lines, which end up in logs.
const (
	barInterval  = 200 * time.Millisecond
	lineInterval = 5 * time.Second
)

// progress shows how far something has come.
type progress struct {
	out      io.Writer
	bar      bool // a line that is written over
	interval time.Duration

	mu     sync.Mutex
	shown  time.Time
	began  time.Time // of what is shown now
	from   int64     // where that was then
	what   string
	length int // of the bar that is there
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, interval: lineInterval}
	if file, isFile := out.(*os.File); isFile && term.IsTerminal(descriptor(file)) {
		p.bar, p.interval = true, barInterval
	}
	return p
}

// every shows again and again until stop is called.
func (p *progress) every(show func()) (stop func()) {
	ticker, end, ended := time.NewTicker(p.interval), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				show()
			case <-end:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(end); <-ended }
}

// start says that something begins now, so that its rate is right however soon it ends.
func (p *progress) start(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what, p.began, p.from = what, time.Now(), 0
}

// bytes shows how much of a file has gone; a size under 0 is not known.
func (p *progress) bytes(what string, now, size int64) {
	p.line(what, now, size, func(rate float64) string {
		text := fmt.Sprintf("%.1f MB %s, %.1f MB/s", float64(now)/1e6, what, rate/1e6)
		if size > 0 {
			text = fmt.Sprintf("%.1f of %.1f MB %s, %.1f MB/s", float64(now)/1e6, float64(size)/1e6, what, rate/1e6)
		}
		return text
	})
}

// rows shows how many rows are written, at most as often as lines are.
func (p *progress) rows(i client.Import) {
	if !p.bar && i.FinishedAt == nil && time.Since(p.shown) < p.interval {
		return
	}
	p.line("rows", int64(i.Processed), int64(i.Total), func(rate float64) string {
		return fmt.Sprintf("%d of %d rows written, %.0f/s, %d duplicates, %d bad", i.Processed, i.Total, rate, i.Duplicates,
			i.Failed)
	})
}

// files shows how many files have gone, at most as often as lines are.
func (p *progress) files(now, total int) {
	if !p.bar && now < total && time.Since(p.shown) < p.interval {
		return
	}
	p.line("files", int64(now), int64(total), func(rate float64) string {
		return fmt.Sprintf("%d of %d files sent, %.0f/s", now, total, rate)
	})
}

// line shows what text makes of the rate since the first line about this.
func (p *progress) line(what string, now, total int64, text func(rate float64) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.what != what {
		p.what, p.began, p.from = what, time.Now(), now
	}
	rate := 0.0
	if took := time.Since(p.began).Seconds(); took > 0 {
		rate = float64(now-p.from) / took
	}
	line := text(rate)
	if left := total - now; left > 0 && rate > 0 {
		line += fmt.Sprintf(", %s left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	p.shown = time.Now()
	if !p.bar {
		_, _ = fmt.Fprintln(p.out, line)
		return
	}
	line = bar(now, total) + line
	_, _ = fmt.Fprintf(p.out, "\r%s%s", line, strings.Repeat(" ", max(0, p.length-len(line))))
	p.length = len(line)
}

// barWidth is how many characters a bar has.
const barWidth = 24

func bar(now, total int64) string {
	if total <= 0 {
		return ""
	}
	full := int(min(now, total) * barWidth / total)
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", barWidth-full) + "] "
}

// done lets what is written next begin on a line of its own.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar && p.length > 0 {
		_, _ = fmt.Fprintln(p.out)
		p.length = 0
	}
}

// counter counts what is read.
type counter struct {
	io.Reader

	read atomic.Int64
}

// Read is part of io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *counter) count() int64 { return c.read.Load() }

// countingWriter counts what is written.
type countingWriter struct {
	to      io.Writer
	written atomic.Int64
}

// Write is part of io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.written.Add(int64(n))
	return n, err
}

func (c *countingWriter) count() int64 { return c.written.Load() }

// Package progress shows the progress of an operation on a terminal, or in lines of a log.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// How often progress is shown: as a bar on a terminal, else as lines, which may become part of a log.
const (
	barInterval  = 200 * time.Millisecond
	lineInterval = 5 * time.Second
)

// Display shows the progress of one operation after the other. It is safe for concurrent use.
type Display struct {
	out      io.Writer
	bar      bool // progress is shown in one line, each time over the last
	interval time.Duration

	mu     sync.Mutex
	shown  time.Time
	began  time.Time // when what is shown now began
	from   int64     // the count at that time
	what   string
	length int // of the line that the bar has on the terminal
}

// New returns a Display that shows a bar if out is a terminal, and else writes lines.
func New(out io.Writer) *Display {
	d := &Display{out: out, interval: lineInterval}
	if file, isFile := out.(*os.File); isFile && term.IsTerminal(int(file.Fd())) {
		d.bar, d.interval = true, barInterval
	}
	return d
}

// Every begins to call show in a goroutine, at the interval in which the display shows progress, and returns at once.
// The caller must call stop once; stop waits for a call of show that is running.
func (d *Display) Every(show func()) (stop func()) {
	ticker, end, ended := time.NewTicker(d.interval), make(chan struct{}), make(chan struct{})
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

// Start begins the operation what: Show computes its rate from this moment and a count of 0.
func (d *Display) Start(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what, d.began, d.from = what, time.Now(), 0
}

// Bytes shows, as Show does, how many bytes were transferred and how fast, in MB and MB/s; what is a participle such as
// "sent". A size of 0 or less means that the total is not known.
func (d *Display) Bytes(what string, now, size int64) {
	d.Show(what, now, size, func(rate float64) string {
		text := fmt.Sprintf("%.1f MB %s, %.1f MB/s", float64(now)/1e6, what, rate/1e6)
		if size > 0 {
			text = fmt.Sprintf("%.1f of %.1f MB %s, %.1f MB/s", float64(now)/1e6, float64(size)/1e6, what, rate/1e6)
		}
		return text
	})
}

// Due reports whether the caller should call Show with a new count: always if there is a bar or ended is true, else if
// an interval has passed since the last line.
func (d *Display) Due(ended bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bar || ended || time.Since(d.shown) >= d.interval
}

// Show prints the line that text returns for a rate: by how much now has grown per second on average. The time counts
// from Start with the same what or, without that, from the first call with this what, in which the rate is 0. If total
// is more than now and the rate more than 0, Show adds the time that is left. On a terminal, a line with a total begins
// with a bar. Show prints in any case; see Due. text must not call the Display.
func (d *Display) Show(what string, now, total int64, text func(rate float64) string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.what != what {
		d.what, d.began, d.from = what, time.Now(), now
	}
	rate := 0.0
	if took := time.Since(d.began).Seconds(); took > 0 {
		rate = float64(now-d.from) / took
	}
	line := text(rate)
	if left := total - now; left > 0 && rate > 0 {
		line += fmt.Sprintf(", %s left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	d.shown = time.Now()
	if !d.bar {
		_, _ = fmt.Fprintln(d.out, line)
		return
	}
	line = bar(now, total) + line
	_, _ = fmt.Fprintf(d.out, "\r%s%s", line, strings.Repeat(" ", max(0, d.length-len(line))))
	d.length = len(line)
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

// Done ends the line of the bar, so that later output begins on a new line. Without a bar it does nothing.
func (d *Display) Done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bar && d.length > 0 {
		_, _ = fmt.Fprintln(d.out)
		d.length = 0
	}
}

// Reader counts the bytes that are read from another reader. Count may be called while another goroutine reads.
type Reader struct {
	io.Reader

	read atomic.Int64
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read.Add(int64(n))
	return n, err
}

// Count returns how many bytes were read.
func (r *Reader) Count() int64 { return r.read.Load() }

// Writer counts the bytes that are written to another writer. Count may be called while another goroutine writes.
type Writer struct {
	io.Writer

	written atomic.Int64
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.written.Add(int64(n))
	return n, err
}

// Count returns how many bytes were written.
func (w *Writer) Count() int64 { return w.written.Load() }

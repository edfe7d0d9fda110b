package pdftext

import (
	"log/slog"
	"time"
)

// Options configure a Pool. The zero value of a field means its default, which is the last value in its comment.
type Options struct {
	Children int // child processes, each reading one document at a time; 2
	// processor time of one document; it may take ten times that, at least 2 minutes, by the clock; 10 s, as PDF_TIMEOUT
	Timeout       time.Duration
	MemoryLimit   int64 // bytes that a child may use beyond what it starts with; 768 MiB
	MaxPages      int   // pages read of one document; 1000
	MaxTextBytes  int   // bytes of text kept of one document; 8 MiB
	MaxInputBytes int64 // bytes of a file; 64 MiB
	RecycleAfter  int   // documents after which a child is replaced; 300
	// folder of the compiled PDFium, which processes may share; "" compiles it in every child (3 s)
	CacheDir string
	Logger   *slog.Logger // of killed children; slog.DiscardHandler
}

func (o Options) withDefaults() Options {
	o.Children = or(o.Children, 2)
	o.Timeout = or(o.Timeout, 10*time.Second)
	o.MemoryLimit = or(o.MemoryLimit, 768<<20)
	o.MaxPages = or(o.MaxPages, 1000)
	o.MaxTextBytes = or(o.MaxTextBytes, 8<<20)
	o.MaxInputBytes = or(o.MaxInputBytes, 64<<20)
	o.RecycleAfter = or(o.RecycleAfter, 300)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// wall returns how long a document may take in wall-clock time. It is a last resort, long enough for a busy machine.
func (o Options) wall() time.Duration { return max(10*o.Timeout, 2*time.Minute) }

func or[T int | int64 | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}

package blob_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

func TestWriteSaysWhatItStored(t *testing.T) {
	t.Parallel()
	pptx := zipHead("ppt/presentation.xml")
	large := strings.Repeat("0123456789abcdef", 6<<20/16+1) // more than one part of S3
	for name, c := range map[string]struct{ content, media string }{
		"pdf":             {pdf, "application/pdf"},
		"text, no params": {"Dear Ana,\nwe raise 2 million.\n", "text/plain"},
		"png":             {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		"slides":          {pptx, "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		"html":            {"<!DOCTYPE html><html><script>alert(1)</script>", "text/html"},
		"binary":          {"\x00\x01\x02\x03", "application/octet-stream"},
		"several parts":   {large, "text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(p place) {
				t := p.t
				got := put(t, p.Store, "incoming/a", c.content)
				sum := sha256.Sum256([]byte(c.content))
				want := blob.Written{Size: int64(len(c.content)), SHA256: hex.EncodeToString(sum[:]), MediaType: c.media}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				if read(t, p.Store, "incoming/a") != c.content {
					t.Error("another content came back")
				}
				wantKeys(t, p, "incoming/a")
			})
		})
	}
}

// zipHead is the beginning of an archive whose first entry has this name.
func zipHead(entry string) string {
	local := func(name string) string {
		return "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00",
			12) + string(rune(len(name))) + "\x00\x00\x00" + name
	}
	return local("[Content_Types].xml") + local("_rels/.rels") + local(entry) + strings.Repeat("\x00", 200)
}

func TestWriteReplaces(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a/b", "old")
		put(t, p.Store, "a/b", "new")
		if got := read(t, p.Store, "a/b"); got != "new" {
			t.Errorf("got %q", got)
		}
		wantKeys(t, p, "a/b")
	})
}

// TestFailedWriteLeavesNothing also covers a failure after the first part went out to S3.
func TestFailedWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for name, c := range map[string]struct {
		size  int64
		limit int64
		fail  error // after size bytes
		kind  fault.Kind
	}{
		"one byte over":          {size: 1001, limit: 1000, kind: fault.TooLarge},
		"no room at all":         {size: 1, limit: 0, kind: fault.TooLarge},
		"megabytes over":         {size: 16 << 20, limit: 12 << 20, kind: fault.TooLarge},
		"fails at once":          {limit: 1000, fail: broken},
		"fails in the beginning": {size: 100, limit: 1000, fail: broken},
		"fails after 64 kB":      {size: 100 << 10, limit: 1 << 20, fail: broken},
		"fails after megabytes":  {size: 12 << 20, limit: 20 << 20, fail: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(p place) {
				t := p.t
				r := io.LimitReader(zeros{}, c.size)
				if c.fail != nil {
					r = io.MultiReader(r, iotest.ErrReader(c.fail))
				}
				written, err := p.Write(t.Context(), "incoming/a", r, c.limit)
				wantKind(t, err, c.kind)
				if !errors.Is(err, c.fail) && c.fail != nil {
					t.Errorf("the reader's own error is lost in %v", err)
				}
				if written != (blob.Written{}) {
					t.Errorf("a failure said that it wrote %+v", written)
				}
				wantKeys(t, p)
			})
		})
	}
}

func TestFailedWriteKeepsWhatStoodThere(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a", "old")
		_, err := p.Write(t.Context(), "a", strings.NewReader(strings.Repeat("n", 9000)), 8999)
		wantKind(t, err, fault.TooLarge)
		if got := read(t, p.Store, "a"); got != "old" {
			t.Errorf("got %q", got)
		}
		wantKeys(t, p, "a")
	})
}

func TestExactlyTheLimitFits(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		for _, size := range []int64{0, 1, 4095, 4096, 4097, 100_000} {
			written, err := p.Write(t.Context(), "a", io.LimitReader(zeros{}, size), size)
			if err != nil || written.Size != size {
				t.Errorf("%d bytes: wrote %d, %v", size, written.Size, err)
			}
		}
	})
}

func TestCanceledWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]int64{"before it began": 0, "soon": 10_000, "after megabytes": 11 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(p place) {
				t := p.t
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				readOn := errors.New("was read after the end")
				r := io.MultiReader(io.LimitReader(zeros{}, after), canceler(cancel), io.LimitReader(zeros{}, 1<<20),
					iotest.ErrReader(readOn))
				_, err := p.Write(ctx, "incoming/a", r, 1<<30)
				if !errors.Is(err, context.Canceled) || errors.Is(err, readOn) {
					t.Errorf("got %v", err)
				}
				wantKeys(t, p)
			})
		})
	}
}

// TestWriteMemory proves that a file in a folder costs the same memory whatever its size.
func TestWriteMemory(t *testing.T) { // not parallel: it measures the whole process
	p := openFolder(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const size = 64 << 20
	if _, err := p.Write(t.Context(), "a", io.LimitReader(zeros{}, size), size); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("writing %d bytes took %d bytes of memory", size, used)
	}
}

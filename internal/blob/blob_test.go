package blob_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"dealflow/internal/blob"
	"dealflow/internal/fault"
)

func TestObjectServesRanges(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		content := pdf + random(100_000)
		put(t, p.Store, "a.pdf", content)
		for name, c := range map[string]struct {
			ranges string
			status int
			want   string
		}{
			"all":          {"", http.StatusOK, content},
			"the first":    {"bytes=0-9", http.StatusPartialContent, content[:10]},
			"the middle":   {"bytes=50000-50099", http.StatusPartialContent, content[50000:50100]},
			"the last":     {"bytes=-20", http.StatusPartialContent, content[len(content)-20:]},
			"the rest":     {"bytes=90000-", http.StatusPartialContent, content[90000:]},
			"past its end": {"bytes=200000-", http.StatusRequestedRangeNotSatisfiable, "invalid range: failed to overlap\n"},
		} {
			got := serve(t, p.Store, "a.pdf", c.ranges)
			if got.Code != c.status || got.Body.String() != c.want {
				t.Errorf("%s: status %d with %d bytes, want %d with %d", name, got.Code, got.Body.Len(), c.status, len(c.want))
			}
			if c.status < 400 && (got.Header().Get("Content-Type") != "application/pdf" ||
				got.Header().Get("Last-Modified") == "") {
				t.Errorf("%s: headers %v", name, got.Header())
			}
		}
	})
}

func serve(t *testing.T, s *blob.Store, key, ranges string) *httptest.ResponseRecorder {
	t.Helper()
	object, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if ranges != "" {
		r.Header.Set("Range", ranges)
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", object.MediaType)
	http.ServeContent(w, r, "", object.ModTime, object)
	return w
}

func TestObjectTellsSizeAndTime(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a", pdf)
		object, err := p.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		if object.Size != int64(len(pdf)) || object.MediaType != "application/pdf" ||
			time.Since(object.ModTime).Abs() > time.Minute {
			t.Errorf("got %d bytes, %s, %v", object.Size, object.MediaType, object.ModTime)
		}
	})
}

func TestMissingIsNotFound(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a/b", "x")
		for _, key := range []string{"a", "a/c", "nothing"} { // "a" is a folder, and no file
			_, err := p.Open(t.Context(), key)
			wantKind(t, err, fault.NotFound)
			wantKind(t, p.Keep(t.Context(), blob.Pair{From: key, To: "to"}), fault.NotFound)
			wantExists(t, p.Store, key, false)
		}
		wantExists(t, p.Store, "a/b", true)
		wantKeys(t, p, "a/b")
	})
}

func TestKeepAndDelete(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "incoming/a", pdf)
		put(t, p.Store, "incoming/b", "b")
		p.age("incoming/a", 2*time.Hour)
		files := []blob.Pair{{From: "incoming/a", To: "b/c"}, {From: "incoming/b", To: "b/d/e"}}
		for range 2 { // the second time it is done already
			if err := p.Keep(t.Context(), files...); err != nil {
				t.Fatal(err)
			}
		}
		wantKeys(t, p, "b/c", "b/d/e", "incoming/a", "incoming/b")
		if at, err := p.Written(t.Context(), "b/c"); err != nil || time.Since(at) > time.Minute {
			t.Errorf("what was kept is of %v, %v: a sweep would take it", at, err)
		}
		if err := p.Delete(t.Context(), "nothing", "incoming/a", "incoming/a", "incoming/b"); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, p, "b/c", "b/d/e")
		if got := read(t, p.Store, "b/c"); got != pdf {
			t.Errorf("got %q", got)
		}
		if err := errors.Join(p.Delete(t.Context()), p.Keep(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestPutOnceLeavesWhatIsThere(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "a/1", "first")
		contents := map[string][]byte{"a/1": []byte("second")}
		var want []string
		for i := range 40 {
			key := fmt.Sprintf("a/b%02d", i)
			contents[key], want = []byte(key), append(want, key)
		}
		if err := p.PutOnce(t.Context(), contents); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, p, append([]string{"a/1"}, want...)...)
		if first, last := read(t, p.Store, "a/1"), read(t, p.Store, "a/b39"); first != "first" || last != "a/b39" {
			t.Errorf("got %q and %q", first, last)
		}
		if err := p.PutOnce(t.Context(), map[string][]byte{"../a": nil}); err == nil {
			t.Error("a path out of the folder is taken")
		}
	})
}

func TestSweep(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		for _, key := range []string{
			"incoming/new", "incoming/old", "incoming/deep/old", "incoming/kept", "kept/old", "incoming2/old",
		} {
			put(t, p.Store, key, "x")
		}
		for _, key := range []string{"incoming/old", "incoming/deep/old", "incoming/kept", "kept/old", "incoming2/old"} {
			p.age(key, 2*time.Hour)
		}
		var asked []string
		n, err := p.Sweep(t.Context(), "incoming/",
			time.Now().Add(-time.Hour), func(_ context.Context, key string) (bool, error) {
				asked = append(asked, key)
				return key != "incoming/kept", nil
			})
		slices.Sort(asked)
		if err != nil || n != 2 || !slices.Equal(asked, []string{"incoming/deep/old", "incoming/kept", "incoming/old"}) {
			t.Errorf("swept %d and asked for %q, %v", n, asked, err)
		}
		wantKeys(t, p, "incoming/kept", "incoming/new", "incoming2/old", "kept/old")
		if n, err := p.Sweep(t.Context(), "incoming/", time.Now().Add(-time.Hour), nil); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

// TestSweepSkipsNamesThatAreNotKeys has files of others, such as the marker that a console makes for a folder.
func TestSweepSkipsNamesThatAreNotKeys(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		for _, name := range []string{"incoming/", "incoming/Read me", "incoming/z"} {
			p.add(name)
		}
		n, err := p.Sweep(t.Context(), "incoming/", time.Now().Add(time.Hour), nil)
		if err != nil || n != 1 {
			t.Errorf("swept %d, want 1: %v", n, err)
		}
		if left := p.keys(); !slices.Contains(left, "incoming/Read me") || slices.Contains(left, "incoming/z") {
			t.Errorf("left are %q", left)
		}
	})
}

func TestSweepStops(t *testing.T) {
	t.Parallel()
	everywhere(t, func(p place) {
		t := p.t
		put(t, p.Store, "incoming/a", "x")
		unknown := errors.New("database is away")
		_, err := p.Sweep(t.Context(), "incoming/", time.Now().Add(time.Hour), func(context.Context, string) (bool, error) {
			return true, unknown
		})
		if !errors.Is(err, unknown) {
			t.Errorf("got %v", err)
		}
		wantKeys(t, p, "incoming/a")
		for _, prefix := range []string{"", "/", "incoming", "../", "Incoming/"} {
			if _, err := p.Sweep(t.Context(), prefix, time.Now().Add(time.Hour), nil); err == nil {
				t.Errorf("%q was swept", prefix)
			}
		}
		if n, err := p.Sweep(t.Context(), "nowhere/", time.Now(), nil); n != 0 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

var followedChanges = flag.Int("followed-changes", 320, "how many changes followers have to see")

const (
	writersBeside = 16
	patienceOfAll = 10 * time.Minute
)

// changed is what is sent of a company: what happened to it, and its id.
type changed struct{ action, id string }

// following is a race of writers and followers over the real API.
type following struct {
	*server

	from  string // the cursor that everybody begins at
	count int    // of changes

	mu      sync.Mutex
	written map[changed]int
	total   atomic.Int64 // of what was written, once all is; before that 0
}

// TestFollowersSeeEveryChangeOnce has 16 writers make, change and delete companies while some follow by cursor and
// some by streams, unbroken and broken again and again.
func TestFollowersSeeEveryChangeOnce(t *testing.T) {
	t.Parallel()
	f := &following{
		server: start(t, func(chosen *setup) { chosen.NoWorker = true }), written: map[changed]int{}, count: *followedChanges,
	}
	_, member := f.colleague("Mia Member", "member")
	f.from = f.get(f.accountPath("changes?after=now"), f.key).want(http.StatusOK).text("data.next_cursor")
	ctx, stop := context.WithTimeout(t.Context(), patienceOfAll)
	defer stop()
	followers := map[string]func(told map[changed]int) error{
		"by pages of 100":     func(told map[changed]int) error { return f.page(ctx, member, 100, told) },
		"by pages of 7":       func(told map[changed]int) error { return f.page(ctx, f.key, 7, told) },
		"by a stream":         func(told map[changed]int) error { return f.stream(ctx, f.key, 0, told) },
		"by a broken stream":  func(told map[changed]int) error { return f.stream(ctx, member, 40, told) },
		"by a bursting break": func(told map[changed]int) error { return f.stream(ctx, f.key, 3, told) },
	}
	told := map[string]map[changed]int{}
	var group errgroup.Group
	for name, follow := range followers {
		seen := map[changed]int{}
		told[name] = seen
		group.Go(func() error {
			if err := follow(seen); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	must(t, f.writeAll(ctx))
	must(t, group.Wait())
	for name, seen := range told {
		if !maps.Equal(seen, f.written) {
			t.Errorf("%s: %d things were told, %d were written, or not as often", name, len(seen), len(f.written))
		}
	}
}

// writeAll writes the changes, and says then how many there are.
func (f *following) writeAll(ctx context.Context) error {
	var group errgroup.Group
	for w := range writersBeside {
		group.Go(func() error { return f.write(ctx, rand.New(rand.NewPCG(uint64(w), 1)), f.count/writersBeside) })
	}
	err := group.Wait()
	f.total.Store(int64(f.count / writersBeside * writersBeside))
	return err
}

// write makes companies, and changes and deletes those that it made.
func (f *following) write(ctx context.Context, random *rand.Rand, count int) error {
	var made []string
	for range count {
		dice := random.IntN(10)
		if dice < 5 || len(made) == 0 {
			var answer struct {
				Data struct{ Company struct{ ID string } }
			}
			body := map[string]any{"account_id": f.account.ID, "name": "Acme"}
			if err := f.call(ctx, http.MethodPost, companies, body, &answer); err != nil {
				return err
			}
			made = append(made, answer.Data.Company.ID)
			f.note("created", answer.Data.Company.ID)
			continue
		}
		at := random.IntN(len(made))
		id := made[at]
		if dice < 9 {
			notes := map[string]any{"notes": strconv.Itoa(random.Int())}
			if err := f.call(ctx, http.MethodPatch, companies+"/"+id, notes, nil); err != nil {
				return err
			}
			f.note("updated", id)
			continue
		}
		if err := f.call(ctx, http.MethodDelete, companies+"/"+id, nil, nil); err != nil {
			return err
		}
		made = append(made[:at], made[at+1:]...)
		f.note("deleted", id)
	}
	return nil
}

func (f *following) note(action, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written[changed{action, id}]++
}

// call sends a request without checking it against the document, which takes longer than answering it.
func (f *following) call(ctx context.Context, method, path string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	got, err := f.ask(ctx, method, path, f.key, "", encoded)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s is answered %s", method, path, got.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(got.Body).Decode(answer)
}

func (f *following) ask(ctx context.Context, method, path, key, last string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, f.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	return http.DefaultTransport.RoundTrip(request)
}

// isAll reports whether a follower was sent as many changes as were written. A follower that is sent one twice ends too
// early, and one that misses a change never ends.
func (f *following) isAll(told int) bool {
	total := f.total.Load()
	return total > 0 && int64(told) >= total
}

// page follows by cursors until all is sent, and then nothing more may come.
func (f *following) page(ctx context.Context, key string, limit int, told map[changed]int) error {
	after, count := f.from, 0
	for {
		all := f.isAll(count)
		var answer struct {
			Data struct {
				Changes    []toldChange
				NextCursor string `json:"next_cursor"`
			}
		}
		path := f.accountPath(fmt.Sprintf("changes?kinds=company&limit=%d&after=%s", limit, after))
		got, err := f.ask(ctx, http.MethodGet, path, key, "", nil)
		if err != nil {
			return err
		}
		err = json.NewDecoder(got.Body).Decode(&answer)
		_ = got.Body.Close()
		if err != nil || got.StatusCode != http.StatusOK {
			return fmt.Errorf("a page is %s: %w", got.Status, err)
		}
		for _, change := range answer.Data.Changes {
			change.count(told)
			count++
		}
		after = answer.Data.NextCursor
		if all {
			return nil
		}
		if len(answer.Data.Changes) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// toldChange is what is read of a change.
type toldChange struct {
	Action, ID string
}

func (c toldChange) count(told map[changed]int) {
	told[changed{c.Action, c.ID}]++
}

// stream follows by server-sent events until all is sent. After so many events it hangs up, in the midst of what comes,
// and goes on with the last id; with 0 it never does.
func (f *following) stream(ctx context.Context, key string, breaks int, told map[changed]int) error {
	last, count := "", 0
	for !f.isAll(count) {
		more, err := f.listen(ctx, key, &last, func(seen int) bool {
			return f.isAll(count+seen) || breaks > 0 && seen == breaks
		}, told)
		if err != nil {
			return err
		}
		count += more
	}
	return nil
}

// listen reads one stream until it is to end, and returns how many changes of companies it was sent.
func (f *following) listen(ctx context.Context, key string, last *string, ends func(int) bool,
	told map[changed]int,
) (int, error) {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	got, err := f.ask(ctx, http.MethodGet, f.accountPath("changes/stream?kinds=company&after="+f.from), key, *last, nil)
	if err != nil {
		return 0, err
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the stream is %s", got.Status)
	}
	// The last event may arrive before total is set.
	woken := make(chan struct{})
	defer close(woken)
	count := atomic.Int64{}
	go f.hangUpAtTheEnd(woken, &count, hangUp)
	lines := bufio.NewScanner(got.Body)
	id, data := "", ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "data":
			data = value
		case "": // A blank line ends an event: whoever hangs up may have read a part of the next one.
			if data == "" {
				continue
			}
			var change toldChange
			if err := json.Unmarshal([]byte(data), &change); err != nil {
				return int(count.Load()), err
			}
			change.count(told)
			count.Add(1)
			*last, data = id, ""
			if ends(int(count.Load())) {
				return int(count.Load()), nil
			}
		}
	}
	return int(count.Load()), nil // ended, by the server too: whoever follows asks again
}

// hangUpAtTheEnd ends a stream when all is written and nothing has come for a tenth of a second. The follower asks
// again for what it was not sent.
func (f *following) hangUpAtTheEnd(ended <-chan struct{}, count *atomic.Int64, hangUp func()) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for seen := int64(-1); ; {
		select {
		case <-ended:
			return
		case <-ticker.C:
			now := count.Load()
			if f.total.Load() > 0 && now == seen {
				hangUp()
				return
			}
			seen = now
		}
	}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// snapshot has the counters that are read before and after each turn: the CPU time by kind of process, and how many
// objects and bytes the API has allocated.
type snapshot struct {
	cpu            [processKinds]time.Duration
	objects, bytes float64
}

// turn measures a row for one slice of time with the service, and then for another with the limit program if the row
// has an operation for it. It adds the results to s.figures. round is the seed of the requests.
func (s *stack) turn(ctx context.Context, r *row, round int) error {
	if s.figures == nil {
		s.figures = map[*row]*measured{}
	}
	if s.figures[r] == nil {
		s.figures[r] = &measured{}
	}
	if err := s.measure(ctx, r, r.ours, &s.figures[r].ours, uint64(round)); err != nil { //nolint:gosec // G115: small
		return err
	}
	if r.limit == nil {
		return nil
	}
	return s.measure(ctx, r, r.limit, &s.figures[r].limit, uint64(round)) //nolint:gosec // G115: small
}

// measure runs op for one slice of time, or once if the row is single, and adds the results to the given side. seed is
// the seed of the requests.
func (s *stack) measure(
	ctx context.Context,
	r *row,
	op func(context.Context, *asker) error,
	to *side,
	seed uint64,
) error {
	resetPeak(s.ours.api.child.PID())
	resetPeak(s.ours.worker.child.PID())
	before, err := s.look(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	latencies, refused, err := s.load(ctx, r, op, seed)
	if err != nil {
		return err
	}
	took := time.Since(began)
	if r.single { // the time to prepare what is sent does not count
		took = 0
		for _, one := range latencies {
			took += one
		}
	}
	after, err := s.look(ctx)
	if err != nil {
		return err
	}
	to.requests += len(latencies) + refused
	to.refused += refused
	to.units += float64(len(latencies)) * r.units
	to.busy += took
	to.latencies = append(to.latencies, latencies...)
	for kind := range to.cpu {
		to.cpu[kind] += after.cpu[kind] - before.cpu[kind]
	}
	to.objects += after.objects - before.objects
	to.bytes += after.bytes - before.bytes
	to.apiPeak = max(to.apiPeak, peak(s.ours.api.child.PID()))
	to.workPeak = max(to.workPeak, peak(s.ours.worker.child.PID()))
	return nil
}

// load runs op on all connections for one slice of time, or just once if the row is single. It returns how long each
// successful run took, and how many runs were refused. The error is the first error of a connection.
func (s *stack) load(
	ctx context.Context,
	r *row,
	op func(context.Context, *asker) error,
	seed uint64,
) (took []time.Duration, refused int, err error) {
	connections, until := s.connections, time.Now().Add(s.slice)
	if r.single {
		connections, until = 1, time.Now()
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	for n := range connections {
		group.Go(func() {
			mine, away, failed := repeat(ctx, s.asker(seed*1000+uint64(n)), op, until) //nolint:gosec // G115: small
			mu.Lock()
			defer mu.Unlock()
			took, refused, err = append(took, mine...), refused+away, cmp.Or(err, failed)
		})
	}
	group.Wait()
	return took, refused, err
}

// repeat runs op at least once, and again until the time until, or an error other than errRefused, which it returns. It
// returns how long each successful run took, and how many runs were refused.
func repeat(
	ctx context.Context,
	a *asker,
	op func(context.Context, *asker) error,
	until time.Time,
) (took []time.Duration, refused int, err error) {
	for again := true; again; again = time.Now().Before(until) {
		a.began = time.Now()
		switch err := op(ctx, a); {
		case errors.Is(err, errRefused):
			refused++
		case err != nil:
			return took, refused, err
		default:
			took = append(took, time.Since(a.began))
		}
	}
	return took, refused, nil
}

func (s *stack) asker(seed uint64) *asker {
	if s.client == nil {
		s.client = newClient(max(s.connections, 16))
	}
	return &asker{
		data: s.data, client: s.client, ours: s.ours.api.url + "/api/v1", limit: s.limit.url,
		random: rand.New(rand.NewPCG(seed, 7)), //nolint:gosec // G404: load, not secrets
	}
}

// look returns the present values of the counters.
func (s *stack) look(ctx context.Context) (snapshot, error) {
	var now snapshot
	var err error
	if now.objects, now.bytes, err = s.allocated(ctx); err != nil {
		return now, err
	}
	all, err := processes()
	if err != nil {
		return now, err
	}
	for kind, pid := range [processKinds]int{
		s.ours.api.child.PID(), s.ours.worker.child.PID(), s.postgres.PID(), s.redis.PID(), s.limit.child.PID(),
	} {
		now.cpu[kind] = used(all, pid)
	}
	return now, nil
}

// allocated returns how many objects and bytes the API has allocated since it was started.
func (s *stack) allocated(ctx context.Context) (objects, bytes float64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.ours.api.url+"/metrics", http.NoBody)
	if err != nil {
		return 0, 0, err
	}
	request.SetBasicAuth("bench", s.secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	metrics, err := readMetrics(response.Body)
	return metrics["go_memstats_mallocs_total"], metrics["go_memstats_alloc_bytes_total"], err
}

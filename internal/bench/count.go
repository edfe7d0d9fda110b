package main

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"dealflow/internal/bench/wire"
)

// samples is how many times the request of each row is sent to count its round trips and statements.
const samples = 7

// count starts an API and a worker whose connections to Postgres lead through proxies that count. It sends the request
// of each row samples times, with no other load, and stores the median numbers of round trips and statements in
// s.counted. It leaves out rows that are single. It stops the programs at the end, unless it returns an error.
func (s *stack) count(ctx context.Context, rows []*row) error {
	proxies := [2]*wire.Proxy{}
	for i := range proxies {
		proxy, err := wire.Start(ctx, s.postgres.URL())
		if err != nil {
			return err
		}
		defer proxy.Close()
		proxies[i] = proxy
	}
	var err error
	if s.ours, err = s.startPair(ctx, proxies[0].URL(s.postgres.URL()), proxies[1].URL(s.postgres.URL())); err != nil {
		return err
	}
	s.counted = map[string]counted{}
	asker := s.asker(99)
	for _, r := range rows {
		if r.single {
			continue
		}
		if s.counted[r.name], err = countRow(ctx, r, asker, proxies); err != nil {
			return err
		}
	}
	return s.ours.stop()
}

func countRow(ctx context.Context, r *row, a *asker, proxies [2]*wire.Proxy) (counted, error) {
	var found [4][]int
	for range samples {
		for _, proxy := range proxies {
			proxy.Take()
		}
		if err := r.ours(ctx, a); err != nil {
			return counted{}, err
		}
		api, worker := proxies[0].Take(), proxies[1].Take()
		for i, n := range []int{api.Trips, api.Statements, worker.Trips, worker.Statements} {
			found[i] = append(found[i], n)
		}
	}
	for _, numbers := range found {
		slices.Sort(numbers)
	}
	const middle = samples / 2
	return counted{found[0][middle], found[1][middle], found[2][middle], found[3][middle]}, nil
}

// readMetrics parses metrics in Prometheus's text format and returns their values by name. It leaves out metrics with
// labels.
func readMetrics(text io.Reader) (map[string]float64, error) {
	found := map[string]float64{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if number, err := strconv.ParseFloat(value, 64); err == nil && name != "#" {
			found[name] = number
		}
	}
	return found, lines.Err()
}

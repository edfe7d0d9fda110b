package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// side holds what was measured of the service, or of the limit program, in all turns.
type side struct {
	units     float64
	requests  int
	refused   int // of the requests; they count for nothing else
	busy      time.Duration
	latencies []time.Duration
	cpu       [processKinds]time.Duration
	objects   float64 // allocated by the API
	bytes     float64
	apiPeak   float64 // MB
	workPeak  float64
}

// measured holds the figures of one row.
type measured struct{ ours, limit side }

// rate returns units per second.
func (m *side) rate() float64 {
	if m.busy == 0 {
		return 0
	}
	return m.units / m.busy.Seconds()
}

// cost returns milliseconds of CPU per unit, which is the same as seconds per thousand.
func (m *side) cost(kinds ...int) float64 {
	var sum time.Duration
	for _, kind := range kinds {
		sum += m.cpu[kind]
	}
	if m.units == 0 {
		return 0
	}
	return sum.Seconds() * 1000 / m.units
}

// percentile returns the latency in milliseconds that this share of the requests did not exceed.
func (m *side) percentile(share float64) float64 {
	if len(m.latencies) == 0 {
		return 0
	}
	slices.Sort(m.latencies)
	return m.latencies[min(len(m.latencies)-1, int(share*float64(len(m.latencies))))].Seconds() * 1000
}

// figure formats a number with about three digits: fewer after the decimal point for larger numbers.
func figure(value float64) string {
	switch {
	case value == 0:
		return "0"
	case value < 1:
		return strconv.FormatFloat(value, 'f', 3, 64)
	case value < 10:
		return strconv.FormatFloat(value, 'f', 2, 64)
	case value < 100:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.0f", value), ".")
}

// counted is how many round trips to Postgres and statements one request costs, in the api and in the worker: the
// median of a few requests, one after the other.
type counted struct{ apiTrips, apiStatements, workerTrips, workerStatements int }

// waiting holds how long an AI creation waits on an idle system.
type waiting struct {
	start  [2]time.Duration // from telling the queue to the start of the work: median, 99th percentile
	answer [2]time.Duration // from the worker's message to the end of the answer
}

// Processes whose use of the CPU is shown, in the order of the table.
const (
	ofAPI = iota
	ofWorker
	ofPostgres
	ofRedis
	ofLimit
	processKinds
)

// row is one line of the table: an operation on the service, and on the limit program where there is something to
// compare.
type row struct {
	name        string
	ours, limit func(context.Context, *asker) error
	units       float64 // of one operation; rates and costs are by unit
	unit        string
	single      bool // one operation at a time and in each turn
}

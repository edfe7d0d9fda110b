package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// side has the sums of the measurements of all turns of a row: of the service or of the limit program.
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

// measured has the results of a row: of the service, and, if the row has an operation for it, of the limit program.
type measured struct{ ours, limit side }

// rate returns how many units were processed in a second; 0 if nothing was measured.
func (m *side) rate() float64 {
	if m.busy == 0 {
		return 0
	}
	return m.units / m.busy.Seconds()
}

// cost returns the CPU time of these kinds of processes for a unit, in milliseconds, which is the same number as in
// seconds for a thousand units. It returns 0 if nothing was measured.
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

// percentile returns the latency, in milliseconds, that this share of the requests, from 0 to 1, did not exceed; 0 if
// there were none. It sorts m.latencies.
func (m *side) percentile(share float64) float64 {
	if len(m.latencies) == 0 {
		return 0
	}
	slices.Sort(m.latencies)
	return m.latencies[min(len(m.latencies)-1, int(share*float64(len(m.latencies))))].Seconds() * 1000
}

// figure formats a number: with three decimals below 1, two below 10, one below 100, and none from 100 on.
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

// counted has the numbers of round trips to Postgres and of statements that a request costs, in the API and in the
// worker: the medians of samples requests, sent one after the other.
type counted struct{ apiTrips, apiStatements, workerTrips, workerStatements int }

// waiting has the median and the 99th percentile of how long an AI creation waits on an idle system.
type waiting struct {
	start  [2]time.Duration // from queueing the task to the start of the work
	answer [2]time.Duration // from the worker's message to the end of the response
}

// The kinds of processes whose CPU time is measured, as indexes of side.cpu. processKinds is their number.
const (
	ofAPI = iota
	ofWorker
	ofPostgres
	ofRedis
	ofLimit
	processKinds
)

// row is a line of the table: an operation on the service and, if there is one to compare it with, an operation on the
// limit program.
type row struct {
	name        string
	ours, limit func(context.Context, *asker) error
	units       float64 // that one operation processes; rates and costs are for a unit
	unit        string
	single      bool // each turn runs one operation only, such as an import
}

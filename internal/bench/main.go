// Command bench measures the service. It starts Postgres, Redis, an API and a worker in a temporary folder, seeds
// companies, and sends requests in turns to the API and to the limit program, which does the least work possible for
// the same requests (limit.go): other load of the machine affects both in the same way. It prints a table, and with -o
// also writes it into a document such as docs/performance.md. It sends requests only to this machine.
//
//	make bench
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	o := parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	err := run(ctx, o, log)
	stop()
	if err != nil {
		log.Error(err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, log *slog.Logger) (err error) {
	if o.serveLimit {
		return serveLimit(ctx, os.Stdin, o.limitAddr, o.limitFolder)
	}
	if o.programs, err = filepath.Abs(o.programs); err != nil {
		return err
	}
	start := func(o options) (*stack, error) { return startStack(ctx, o, log) }
	if o.growth {
		found, err := grow(ctx, o, start)
		if err != nil {
			return err
		}
		return found.report(o)
	}
	s, err := start(o)
	if err != nil {
		return err
	}
	defer s.stop()
	rows := s.chosen(strings.FieldsFunc(o.rows, func(r rune) bool { return r == ',' }))
	if err := s.count(ctx, rows); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	if err := s.startPrograms(ctx); err != nil {
		return err
	}
	if err := s.turns(ctx, rows, o.rounds); err != nil {
		return err
	}
	if err := s.waits(ctx); err != nil {
		return fmt.Errorf("measure the waits: %w", err)
	}
	return s.report(rows)
}

// turns measures each row once in each of this many rounds. Before these it runs one more round, in which the programs
// warm up; that leaves out rows that are single, and its results are dropped.
func (s *stack) turns(ctx context.Context, rows []*row, rounds int) error {
	for round := range rounds + 1 {
		if round == 1 {
			s.figures = nil
		}
		for _, row := range rows {
			if round == 0 && row.single {
				continue
			}
			if err := s.turn(ctx, row, round); err != nil {
				return fmt.Errorf("%s: %w", row.name, err)
			}
		}
	}
	return nil
}

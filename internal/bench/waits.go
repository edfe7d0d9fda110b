package main

import (
	"context"
	"slices"
	"time"
)

// waits sends 40 AI creations one after the other, and stores in s.waiting how long they wait: from queueing the task
// to the start of the work, and from the worker's message that the work is done to the end of the response.
func (s *stack) waits(ctx context.Context) error {
	client := s.redisClient()
	defer client.Close()
	heard := client.PSubscribe(ctx, "notify:*")
	defer heard.Close()
	if _, err := heard.Receive(ctx); err != nil {
		return err
	}
	messages := heard.Channel()
	began := time.Now()
	operation, asker := createByAI(nil), s.asker(12345)
	var answers []time.Duration
	for range 40 {
		var told time.Time
		done := make(chan error, 1)
		go func() { done <- operation(ctx, asker) }()
		for ended := false; !ended; {
			select {
			case <-messages:
				told = time.Now()
			case err := <-done:
				if err != nil {
					return err
				}
				ended = true
			}
		}
		if !told.IsZero() {
			answers = append(answers, time.Since(told))
		}
	}
	rows, err := s.conn.Query(
		ctx,
		`SELECT extract(epoch FROM started_at - COALESCE(told_at, created_at))::float8 FROM work
		WHERE kind = 'company.analyse' AND created_at > $1 AND started_at IS NOT NULL`,
		began,
	)
	if err != nil {
		return err
	}
	defer rows.Close()
	var starts []time.Duration
	for rows.Next() {
		var seconds float64
		if err := rows.Scan(&seconds); err != nil {
			return err
		}
		starts = append(starts, time.Duration(seconds*float64(time.Second)))
	}
	s.waiting = &waiting{start: middleAndEnd(starts), answer: middleAndEnd(answers)}
	return rows.Err()
}

func middleAndEnd(all []time.Duration) (found [2]time.Duration) {
	if len(all) > 0 {
		slices.Sort(all)
		found = [2]time.Duration{all[len(all)/2], all[len(all)*99/100]}
	}
	return found
}

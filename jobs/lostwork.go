package jobs

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"

	"dealflow/internal/work"
)

// sweepWork finds lost rows of work by work.Store.Due. It then admits bulk work and ends lost imports, and puts the
// lost rows into the queue again. For work that failed for good because its workers died, it notifies the process that
// waits for the result. If it cannot read which work is lost, it does nothing else. It logs errors.
func (s *Sweeper) sweepWork(ctx context.Context) {
	found, err := s.Work.Due(ctx, cmp.Or(s.Quiet, quietPeriod), dueBatch)
	if err != nil {
		s.sound = time.Time{}
		s.Logger.WarnContext(ctx, "lost work could not be looked for; the next sweep tries again", "error", err)
		return
	}
	s.reached(time.Now())
	s.sweepBulk(ctx)
	for _, f := range found {
		if f.Ended {
			s.tell(ctx, f)
			continue
		}
		if err := s.requeue(ctx, f.Ref); err != nil {
			s.Logger.WarnContext(ctx, "work could not be queued; the next sweep tries again", "work_id", f.ID, "error", err)
		}
	}
}

// sweepBulk admits bulk work, and ends imports whose receiver or worker died, if mayEndLost allows it. It logs errors.
func (s *Sweeper) sweepBulk(ctx context.Context) {
	if err := s.Work.Admit(ctx); err != nil {
		s.Logger.WarnContext(ctx, "waiting bulk work could not be admitted; the next sweep tries again", "error", err)
	}
	if !s.mayEndLost(time.Now()) {
		return
	}
	if _, err := s.Imports.EndLost(ctx); err != nil {
		s.Logger.WarnContext(ctx, "lost imports could not be ended; the next sweep tries again", "error", err)
	}
}

// reached records that a sweep has reached the database. A pause of more than returnGrace since the sweep before counts
// as an outage: the machine may have been suspended, with all receivers. The pause is measured by the wall clock, since
// the monotonic one stands still meanwhile.
func (s *Sweeper) reached(now time.Time) {
	if s.sound.IsZero() || now.Round(0).Sub(s.last) > returnGrace {
		s.sound = now
	}
	s.last = now.Round(0)
}

// mayEndLost reports whether, for returnGrace or longer, every sweep has reached the database, so that every living
// receiver could report that it lives.
func (s *Sweeper) mayEndLost(now time.Time) bool {
	return !s.sound.IsZero() && now.Sub(s.sound) >= returnGrace
}

func (s *Sweeper) tell(ctx context.Context, f work.Found) {
	s.Logger.ErrorContext(ctx, "work failed: its workers died", "work_id", f.ID, "kind", f.Kind)
	if err := s.Publisher.Publish(ctx, f.Waiter, f.ID.String()); err != nil {
		s.Logger.WarnContext(ctx, "a result could not be published", "work_id", f.ID, "error", err)
	}
}

// requeue puts an attempt into the queue, unless its task waits there already. If its task is there but does not wait,
// a worker took it and died before it claimed the row: requeue then renews the attempt, and the next sweep queues it.
func (s *Sweeper) requeue(ctx context.Context, ref work.Ref) error {
	err := s.Client.enqueue(ctx, ref, 0)
	if !errors.Is(err, asynq.ErrTaskIDConflict) {
		return err
	}
	info, err := s.Client.inspector.GetTaskInfo(ref.Queue, taskID(ref))
	if errors.Is(err, asynq.ErrTaskNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.State == asynq.TaskStatePending || info.State == asynq.TaskStateScheduled {
		return nil
	}
	return s.Work.Renew(ctx, ref)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"dealflow/internal/postgres"
	"dealflow/internal/timestamp"
	"dealflow/internal/work"
)

// mostListed is the largest number of rows of work that `work list` prints.
const mostListed = 1000

func (t *tool) workCommand() *cobra.Command {
	return group("work", "List background work, and queue failed work again", t.workListCommand(),
		t.workRetryCommand())
}

func (t *tool) workListCommand() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use: "list [--state failed|queued|running]", Short: "List work that is not done, of all accounts, the newest first",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.listWork(cmd.Context(), state) },
	}
	cmd.Flags().StringVar(&state, "state", "", "only work that is failed, queued or running")
	return cmd
}

func (t *tool) listWork(ctx context.Context, state string) error {
	if !slices.Contains([]string{"", work.Failed, work.Queued, work.Running}, state) {
		return fmt.Errorf("--state: %q is none of failed, queued and running", state)
	}
	return t.withWork(ctx, func(rows *work.Store) error {
		items, err := rows.List(ctx, state, mostListed)
		if err != nil {
			return err
		}
		if t.json {
			return t.print(map[string]any{"work": items}, "")
		}
		for _, item := range items {
			if err := t.print(nil, "%s", describeWork(item)); err != nil {
				return err
			}
		}
		return nil
	})
}

// describeWork returns a line about an item of work: id, creation, state, kind, and how often it failed, lost its
// worker or was interrupted; then, if it has them, when it is due, its last interruption and its last error.
func describeWork(item work.Listed) string {
	line := fmt.Sprintf("%s  %s  %-7s  %s  %d of %d failures, %d lost workers, %d outages", item.ID,
		timestamp.Format(item.CreatedAt), item.State, item.Kind,
		item.Failures, item.MaxAttempts, item.Losses, item.Outages)
	if item.State == work.Queued {
		line += ", due " + timestamp.Format(item.RunAfter)
	}
	if item.Interruption != nil {
		line += "; interrupted: " + *item.Interruption
	}
	if item.Error != nil {
		line += "; error: " + *item.Error
	}
	return line
}

func (t *tool) workRetryCommand() *cobra.Command {
	var id string
	var all bool
	cmd := &cobra.Command{
		Use: "retry --id ID | --all-failed", Short: "Queue work that failed for good again, as if it were new",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.retryWork(cmd.Context(), id, all) },
	}
	cmd.Flags().StringVar(&id, "id", "", "the work's id")
	cmd.Flags().BoolVar(&all, "all-failed", false, "all work that failed")
	return cmd
}

func (t *tool) retryWork(ctx context.Context, given string, all bool) (err error) {
	if (given == "") == !all {
		return errors.New("work retry takes one of --id ID and --all-failed")
	}
	id := uuid.Nil
	if !all {
		if id, err = parseID("id", given); err != nil {
			return err
		}
	}
	return t.withWork(ctx, func(rows *work.Store) error {
		retried, err := rows.Retry(ctx, id)
		if err != nil {
			return err
		}
		if !all && len(retried) == 0 {
			return fmt.Errorf("no failed work has the id %s: see dealflow work list", id)
		}
		return t.print(map[string]any{"retried": retried}, "Queued %d pieces of work again.", len(retried))
	})
}

// withWork calls do with a store of work that has neither a queue nor a logger: do must not call a method that also
// puts work into the queue, such as Add, Fail or Admit. List and Retry do not; the next sweep of a worker queues what
// Retry has changed.
func (t *tool) withWork(ctx context.Context, do func(*work.Store) error) error {
	return t.withDB(ctx, func(db *postgres.DB) error { return do(work.NewStore(db, nil, nil)) })
}

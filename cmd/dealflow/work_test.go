package main

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/testkit"
)

func TestWorkIsListedAndRetried(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	_, _ = d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	_, _ = d.make(t, "account", "create", "--name", "Fund", "--owner", ada)
	testkit.Exec(t, d.url, `INSERT INTO work (id, kind, queue, account_id, user_id, max_attempts, state, error)
		SELECT gen_random_uuid(), 'test', 'interactive', account_id, user_id, 4, state, 'it broke' FROM memberships,
		unnest(ARRAY['failed', 'failed', 'queued', 'done']) AS state`)
	all := d.run(t, "", "work", "list", "--json").object(t)["work"].([]any)
	failed := d.run(t, "", "work", "list", "--state", "failed", "--json").object(t)["work"].([]any)
	if len(all) != 3 || len(failed) != 2 {
		t.Fatalf("listed %d and %d failed, want 3 and 2", len(all), len(failed))
	}
	first := failed[0].(map[string]any)
	if first["error"] != "it broke" || first["kind"] != "test" || first["state"] != "failed" {
		t.Errorf("listed as %v", first)
	}
	if listed := d.run(t, "", "work", "list"); !strings.Contains(listed.out, "it broke") ||
		strings.Count(listed.out, "\n") != 3 {
		t.Errorf("listed %q", listed.out)
	}
	if got := d.run(t, "", "work", "retry", "--id", first["id"].(string), "--json").
		object(t)["retried"].([]any); len(got) != 1 || got[0] != first["id"] {
		t.Errorf("retried %v", got)
	}
	if got := d.run(t, "", "work", "retry", "--all-failed", "--json").object(t)["retried"].([]any); len(got) != 1 {
		t.Errorf("retried %v", got)
	}
	for name, args := range map[string][]string{
		"an unknown id": {"--id", uuid.NewString()}, "no id": {"--id", "x"}, "nothing": {},
		"both": {"--id", first["id"].(string), "--all-failed"},
	} {
		if got := d.run(t, "", append([]string{"work", "retry"}, args...)...); got.code != 1 || got.errOut == "" {
			t.Errorf("retry of %s: %+v", name, got)
		}
	}
	if got := d.run(t, "", "work", "list", "--state", "lost"); got.code != 1 {
		t.Errorf("list of an unknown state: %+v", got)
	}
}

package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"dealflow/internal/testkit"
	"dealflow/internal/work"
)

// TestALongQueueIsNotWaitedFor has one analysis that never ends, behind which others would wait.
func TestALongQueueIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker, c.Loaded, c.AnalysisWait = true, true, 10*time.Second })
	waiting := make(chan reply, 3)
	for range cap(waiting) {
		go func() { waiting <- s.form(s.key, s.parts()...) }()
	}
	for s.count("work") < cap(waiting) {
		time.Sleep(50 * time.Millisecond)
	}
	testkit.Exec(t, s.dbURL, `UPDATE work SET state = 'running', started_at = now() - interval '10 minutes',
		lease_until = now() + interval '1 hour'
		WHERE id = (SELECT id FROM work LIMIT 1)`)
	began := time.Now()
	s.form(s.key, s.parts()...).want(http.StatusOK) // the load may be a second old when it comes
	if got := s.form(s.key, s.parts()...).want(http.StatusOK); got.at("data.analysis.processedAt") != nil {
		t.Errorf("nobody analyzed it, and it is: %s", got.Raw)
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("two creations waited %s for a queue that is known to be longer than ANALYSIS_WAIT", took)
	}
	for range cap(waiting) {
		(<-waiting).want(http.StatusOK)
	}
}

// TestACrowdOfAnAccountDelaysNobodyElse creates more companies in one account than may have analyses in the interactive
// queue. The analyses beyond that must be bulk work, and that of another account must be in the interactive queue.
func TestACrowdOfAnAccountDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *setup) { c.NoWorker, c.Loaded, c.AnalysisWait = true, true, time.Millisecond })
	for range work.MaxInteractive + 4 {
		s.form(s.key, s.parts()...).want(http.StatusOK)
	}
	other, key := s.stranger()
	s.form(key, s.parts(part{"account_id", "", other.ID.String()})...).want(http.StatusOK)
	count := func(condition string) int {
		return len(testkit.Texts(t, s.dbURL, "SELECT id::text FROM work WHERE "+condition))
	}
	if crowd := count("queue = 'bulk' AND kind = 'company.analyse'"); crowd < 2 || crowd > 6 {
		t.Errorf("%d analyses of the crowd wait as bulk work, want about 4", crowd)
	}
	if own := count("queue = 'interactive' AND account_id = '" + other.ID.String() + "'"); own != 1 {
		t.Errorf("the other account's analysis is not in the interactive queue")
	}
}

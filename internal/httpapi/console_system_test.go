package httpapi_test

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dealflow/internal/pages/operators"
	"dealflow/internal/testkit"
)

// retry sends the form of the operators' page.
func (s *server) retry(header http.Header, work string) reply {
	s.Helper()
	sent := s.request(http.MethodPost, "/admin/system/retry", strings.NewReader(url.Values{"work": {work}}.Encode()))
	sent.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	maps.Copy(sent.Header, header)
	sent.SetBasicAuth("operator", "correct horse")
	return s.do(sent)
}

func TestOperatorsSeeWhatFailedAndRetryIt(t *testing.T) {
	t.Parallel()
	var down bool
	s := start(t, func(chosen *setup) {
		chosen.NoWorker = true
		chosen.fleet = func() (operators.Fleet, error) {
			if down {
				return operators.Fleet{}, errors.New("it is away")
			}
			return operators.Fleet{
				Processes: []operators.Process{{
					Host: "machine-one", PID: 7, Status: "active", Queues: []string{"interactive"},
					Running: 1, Most: 4,
				}},
				Queues: []operators.Queue{{Name: "interactive", Waiting: 3, Oldest: 2 * time.Second, Paused: true}},
			}, nil
		}
	})
	ids := []string{
		"00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002",
		"00000000-0000-4000-8000-000000000003",
	}
	for _, id := range ids {
		testkit.Exec(t, s.dbURL, `INSERT INTO work (id, kind, queue, account_id, user_id, max_attempts, state, error)
			VALUES ($1, 'company.analyze', 'interactive', $2, $3, 4, 'failed', 'the <b>deck</b> broke')`, id, s.account.ID,
			s.owner.ID)
	}
	stranger, _ := s.stranger()
	testkit.Exec(t, s.dbURL, `INSERT INTO imports (id, account_id, kind, format, status, error, created_by) VALUES ($1,
		$2, 'emails', 'mbox', 'failed', 'the mailbox ended', $3)`,
		ids[0], stranger.ID, s.owner.ID)
	page := func() string {
		t.Helper()
		got := s.as("operator", "correct horse", http.MethodGet, "/admin/system", nil).want(http.StatusOK)
		if policy := got.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is %q", policy)
		}
		return string(got.Raw)
	}
	shown := page()
	for _, want := range []string{
		"machine-one, 7", "1 of 4", "paused", "2 s", "the &lt;b&gt;deck", ids[2],
		"the mailbox ended", stranger.Name, `href="/admin/queues/"`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page lacks %q: %s", want, shown)
		}
	}
	s.retry(http.Header{"Sec-Fetch-Site": {"cross-site"}}, ids[0]).want(http.StatusForbidden)
	s.retry(nil, "x").want(http.StatusNotFound)
	s.retry(nil, "00000000-0000-0000-0000-000000000000").want(http.StatusNotFound)
	if failed := s.count("work WHERE state = 'failed'"); failed != 3 {
		t.Errorf("%d pieces of work have failed, want 3", failed)
	}
	for range 2 { // the second time there is nothing to retry
		s.retry(nil, ids[0]).want(http.StatusSeeOther)
	}
	if failed := s.count("work WHERE state = 'failed'"); failed != 2 {
		t.Errorf("%d pieces of work have failed, want 2", failed)
	}
	if to := s.retry(nil, "all").want(http.StatusSeeOther).Header.Get("Location"); to != "/admin/system?retried=2" {
		t.Errorf("it leads to %s", to)
	}
	down = true
	if shown = page(); !strings.Contains(shown, "The queue does not answer") ||
		!strings.Contains(shown, "Nothing has failed for good") {
		t.Errorf("without the queue the page is %s", shown)
	}
}

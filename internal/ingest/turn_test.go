package ingest_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/ingest"
	"dealflow/internal/testkit"
)

// turns refuses the first few, and counts those that were given and not given back.
type turns struct{ refuse, given, out atomic.Int64 }

func (n *turns) take(context.Context) (func(), error) {
	if n.refuse.Add(-1) >= 0 {
		return nil, fault.New(fault.Unavailable, "overloaded")
	}
	n.given.Add(1)
	n.out.Add(1)
	return func() { n.out.Add(-1) }, nil
}

// Each batch waits for its turn, and an import is not given up where that takes long.
func TestBatchesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	s := newImports(t)
	s.service = ingest.New(ingest.Deps{
		DB: s.DB, Blobs: s.blobs, Work: s.work, Logger: slog.New(slog.DiscardHandler), Heartbeat: time.Millisecond, Patience: time.Millisecond,
	})
	var n turns
	n.refuse.Store(5)
	begun := s.begin(t, ingest.KindEmails, ingest.FormatNDJSON)
	body := io.NopCloser(strings.NewReader(mailRows(0, 2500)))
	if _, err := s.service.Receive(t.Context(), begun, "r", n.take, body); err != nil {
		t.Fatal(err)
	}
	s.write(t)
	want(t, "after the others", s.get(t, begun.ID), "completed 2500/2500: 2500+0+0")
	if n.given.Load() < 3 || n.out.Load() != 0 {
		t.Errorf("%d turns were taken and %d not given back, want 3 batches and none", n.given.Load(), n.out.Load())
	}
}

func TestAHookWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	receiver := ingest.NewReceiver(ingest.ReceiverDeps{DB: team.DB, Logger: slog.New(slog.DiscardHandler)})
	hooks, err := ingest.NewIntegrations(ingest.IntegrationDeps{
		Receiver: receiver, Secrets: [][]byte{bytes.Repeat([]byte("k"), 32)}, Now: time.Now, MaxJSONSize: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	made, secret, err := hooks.Create(t.Context(), team.Owner, team.ID, ingest.NewIntegration{Kind: ingest.FromTally, Name: "Forms"})
	if err != nil {
		t.Fatal(err)
	}
	hook, err := hooks.Find(t.Context(), made.HookToken)
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"eventType":"FORM_RESPONSE","data":{"submissionId":"s1","fields":[{"key":"q1","label":"Name","type":"INPUT_TEXT","value":"Acme"}]}}`
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	var n turns
	n.refuse.Store(1)
	for try, want := range []bool{false, true} {
		added, err := hooks.Receive(t.Context(), hook, ingest.Delivery{
			ContentType: "application/json", Body: strings.NewReader(body), Turn: n.take,
			Proof: ingest.Proof{Tally: base64.StdEncoding.EncodeToString(mac.Sum(nil))},
		})
		if added != want || fault.Is(err, fault.Unavailable) == want || testkit.Count(t, team.URL, "form_submissions") != try {
			t.Errorf("try %d: %v, %v", try, added, err)
		}
	}
	if n.given.Load() != 1 || n.out.Load() != 0 {
		t.Errorf("%d turns were taken and %d not given back", n.given.Load(), n.out.Load())
	}
}

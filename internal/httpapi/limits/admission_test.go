package limits

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"dealflow/internal/fault"
)

func TestAdmissionIsBounded(t *testing.T) {
	t.Parallel()
	a := NewAdmission(1)
	one, another := uuid.New(), uuid.New()
	var leave []func()
	for range receivingOfUser {
		left, err := a.Enter(one)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, left)
	}
	if _, err := a.Enter(one); !fault.Is(err, fault.Unavailable) {
		t.Errorf("one user's upload too many: %v", err)
	}
	if _, err := a.Enter(another); err != nil {
		t.Errorf("another user's: %v", err)
	}
	leave[0]()
	if _, err := a.Enter(one); err != nil {
		t.Errorf("after one was read: %v", err)
	}
}

func TestWhoWaitsToBeStoredGetsATurn(t *testing.T) {
	t.Parallel()
	a := NewAdmission(1)
	done, err := a.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Store(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that has gone: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		next, err := a.Store(t.Context())
		if err == nil {
			next()
		}
		got <- err
	}()
	for a.waiting.Load() == 0 {
	}
	a.waiting.Add(waitingForEach) // as many as may wait for one slot, and one more
	if _, err := a.Enter(uuid.New()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a body would be read though too many wait: %v", err)
	}
	done()
	if err := <-got; err != nil {
		t.Errorf("who waited: %v", err)
	}
}

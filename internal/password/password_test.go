package password_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/password"
)

func TestHashesAreOfTheirPasswordAlone(t *testing.T) {
	t.Parallel()
	h := password.New(0)
	hash, err := h.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=1,p=2$") || strings.Contains(hash, "horse") {
		t.Fatalf("Hash = %q, %v", hash, err)
	}
	again, err := h.Hash(t.Context(), "correct horse")
	if err != nil || again == hash {
		t.Errorf("the same password has the same hash twice: %v", err)
	}
	broken := "plain"
	for name, tc := range map[string]struct {
		password string
		hash     *string
		want     bool
		fails    bool
	}{
		"right":                {"correct horse", &hash, true, false},
		"wrong":                {"correct Horse", &hash, false, false},
		"empty":                {"", &hash, false, false},
		"no hash":              {"correct horse", nil, false, false},
		"no hash, no password": {"", nil, false, false},
		"no argon2id":          {"plain", &broken, false, true},
	} {
		if got, err := h.MatchAny(tc.password, []*string{nil, tc.hash}); (got == 1) != tc.want || (err != nil) != tc.fails {
			t.Errorf("%s: MatchAny = %v, %v", name, got, err)
		}
	}
}

func TestHashesOfOneAddressShareTheirSalt(t *testing.T) {
	t.Parallel()
	h := password.New(0)
	first, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.HashLike(t.Context(), "battery staple", []*string{nil, &first})
	if err != nil || second[:strings.LastIndex(second, "$")] != first[:strings.LastIndex(first, "$")] || second == first {
		t.Fatalf("HashLike = %q beside %q, %v", second, first, err)
	}
	for text, want := range map[string]int{"correct horse": 0, "battery staple": 2, "neither": -1} {
		if got, err := h.MatchAny(text, []*string{&first, nil, &second}); got != want || err != nil {
			t.Errorf("%q is that of %d, %v", text, got, err)
		}
	}
}

func TestOnlySomeHashAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := password.New(10 * time.Second)
		first, err := h.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := h.Hash(t.Context(), "correct horse"); !fault.Is(err, fault.Unavailable) ||
			time.Since(began) != 10*time.Second {
			t.Errorf("the third got %v after %v", err, time.Since(began))
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Take(over); !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		first()
		if _, err := h.Take(t.Context()); err != nil {
			t.Errorf("a turn that was given back: %v", err)
		}
	})
}

func TestPasswordsHaveALength(t *testing.T) {
	t.Parallel()
	for given, right := range map[string]bool{
		"": false,
		strings.Repeat("é", password.Shortest-1): false,
		strings.Repeat("é", password.Shortest):   true,
		strings.Repeat("é", password.Longest):    true,
		strings.Repeat("é", password.Longest+1):  false,
	} {
		err := password.Check("new_password", given)
		if (err == nil) != right || !right && !fault.Is(err, fault.InvalidBody) {
			t.Errorf("Check of %d characters: %v", len([]rune(given)), err)
		}
	}
}

// TestHashesOutliveTheirParameters compares a password with hashes of another cost, as after a change of it.
func TestHashesOutliveTheirParameters(t *testing.T) {
	t.Parallel()
	before, now := password.NewWithMemory(0, 64), password.NewWithMemory(0, 128)
	hash, err := before.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if match, err := now.Match("correct horse", &hash); !match || err != nil {
		t.Errorf("matched: %t, %v", match, err)
	}
	if variants, err := now.Variants("correct horse", []*string{nil, &hash, &hash}); err != nil ||
		len(variants) != 1 || variants[0] != hash {
		t.Errorf("variants are %q, %v, want %q", variants, err, hash)
	}
}

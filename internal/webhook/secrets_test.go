package webhook_test

import (
	"log/slog"
	"strings"
	"testing"

	"dealflow/internal/testkit"
	"dealflow/internal/webhook"
)

func TestSignatures(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	_, other, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	testkit.Exec(t, s.Team.URL, "UPDATE webhooks SET old_secret_until = now()")
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	came := s.messages()
	if len(came) != 2 {
		t.Fatalf("%d messages came", len(came))
	}
	for name, tc := range map[string]struct {
		secret string
		m      received
		valid  bool
	}{
		"the new one":         {other, came[0], true},
		"the old one, so far": {s.secret, came[0], true},
		"the new one alone":   {other, came[1], true},
		"the old one no more": {s.secret, came[1], false},
		"another body":        {other, received{came[0].header, []byte(`{}`)}, false},
	} {
		if err := verify(t, tc.secret, tc.m); (err == nil) != tc.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTwoRotationsWithinADay has a receiver that uses the first secret until its day is over.
func TestTwoRotationsWithinADay(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	known := []string{s.secret}
	for range 2 {
		_, secret, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID)
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, secret)
	}
	send := func() received {
		if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
			t.Fatal(err)
		}
		s.deliver(t)
		came := s.messages()
		return came[len(came)-1]
	}
	came := send()
	for i, secret := range known {
		if err := verify(t, secret, came); err != nil {
			t.Errorf("secret %d of 3 does not sign within its day: %v", i+1, err)
		}
	}
	if n := len(strings.Fields(came.header.Get("webhook-signature"))); n != 3 {
		t.Errorf("%d signatures, want 3", n)
	}
	for range 30 {
		if _, _, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(strings.Fields(send().header.Get("webhook-signature"))); n != 21 {
		t.Errorf("%d signatures after many rotations, want 21", n)
	}
}

// TestSecretsOutliveTheKeyThatSealedThem reseals the secrets with a new key, and checks that messages are signed as
// before by a service that has only the new key.
func TestSecretsOutliveTheKeyThatSealedThem(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	if _, _, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	keys := [][]byte{[]byte("another secret, of as many letters"), []byte("a secret of thirty-two characters")}
	if done, err := webhook.Reseal(t.Context(), s.DB, keys); err != nil || done.Renewed != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	service, err := webhook.New(webhook.Deps{
		DB: s.DB, Work: s.rows, Secrets: keys[:1], AllowPrivate: true,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.service = service
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	if came := s.messages(); len(came) != 1 || verify(t, s.secret, came[0]) != nil {
		t.Errorf("%d messages, or not signed: %+v", len(came), s.log(t))
	}
}

// TestSecretThatCannotBeRead loses the key that sealed the secret.
func TestSecretThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	service, err := webhook.New(webhook.Deps{
		DB: s.DB, Work: s.rows, Secrets: [][]byte{[]byte("another secret, of as many letters")}, AllowPrivate: true,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.service = service
	if _, err := s.service.Test(t.Context(), s.Owner, s.ID, s.hook.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	d := s.log(t)[0]
	if d.State != webhook.Pending || d.Attempts != 1 || d.Error == nil || d.StatusCode != nil || len(s.messages()) != 0 {
		t.Errorf("%d messages, %+v", len(s.messages()), d)
	}
	if hook := s.listed(t); hook.FailingSince != nil {
		t.Errorf("the receiver is said to fail since %s", hook.FailingSince)
	}
	_, secret, err := s.service.Rotate(t.Context(), s.Owner, s.ID, s.hook.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	if came := s.messages(); len(came) != 1 || verify(t, secret, came[0]) != nil {
		t.Errorf("after a rotation %d messages, or not signed: %+v", len(came), s.log(t))
	}
}

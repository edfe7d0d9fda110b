package hooks_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"
	"time"

	"dealflow/internal/fault"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/testkit"
)

func TestAHookWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	receiver := hooks.NewReceiver(team.DB, nil, nil, nil, slog.New(slog.DiscardHandler))
	service, err := hooks.New(hooks.Deps{
		Receiver: receiver, Secrets: [][]byte{bytes.Repeat([]byte("k"), 32)}, Now: time.Now, MaxJSONSize: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	made, secret, err := service.Create(t.Context(), team.Owner, team.ID,
		hooks.NewIntegration{Kind: "tally", Name: "Forms"})
	if err != nil {
		t.Fatal(err)
	}
	hook, err := service.Find(t.Context(), made.HookToken)
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"eventType":"FORM_RESPONSE","data":{"submissionId":"s1","fields":[{"key":"q1","label":"Name",` +
		`"type":"INPUT_TEXT","value":"Acme"}]}}`
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	given, out := 0, 0
	for try, want := range []bool{false, true} {
		added, err := service.Receive(t.Context(), hook, hooks.Delivery{
			ContentType: "application/json", Body: strings.NewReader(body), Turn: func(context.Context) (func(), error) {
				if try == 0 {
					return nil, fault.New(fault.Unavailable, "overloaded")
				}
				given, out = given+1, out+1
				return func() { out-- }, nil
			},
			Proof: hooks.Proof{FormTool: base64.StdEncoding.EncodeToString(mac.Sum(nil))},
		})
		if added != want || fault.Is(err, fault.Unavailable) == want ||
			testkit.Count(t, team.URL, "form_submissions") != try {
			t.Errorf("try %d: %v, %v", try, added, err)
		}
	}
	if given != 1 || out != 0 {
		t.Errorf("%d turns were taken and %d not given back", given, out)
	}
}

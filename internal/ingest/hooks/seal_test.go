package hooks_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"dealflow/internal/ingest/hooks"
	"dealflow/internal/postgres"
	"dealflow/internal/postgres/paging"
	"dealflow/internal/reseal"
	"dealflow/internal/testkit"
)

// TestSecretsOutliveTheKeyThatSealedThem rotates SECRET_KEYS.
func TestSecretsOutliveTheKeyThatSealedThem(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	old, fresh := bytes.Repeat([]byte("o"), 32), bytes.Repeat([]byte("f"), 32)
	with := func(secrets ...[]byte) *hooks.Service {
		t.Helper()
		receiver := hooks.NewReceiver(team.DB, nil, nil, nil, slog.New(slog.DiscardHandler))
		made, err := hooks.New(hooks.Deps{Receiver: receiver, Secrets: secrets, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	before, secret, err := with(old).Create(t.Context(), team.Owner, team.ID,
		hooks.NewIntegration{Kind: "tally", Name: "Forms"})
	if err != nil {
		t.Fatal(err)
	}
	listed, _, err := with(fresh, old).List(t.Context(), postgres.AsUser(team.Owner), team.ID, paging.First(100))
	if err != nil || len(listed) != 1 || listed[0].HookToken != before.HookToken || before.HookToken == "" {
		t.Errorf("%v: %+v", err, listed)
	}
	if _, _, err := with(fresh).List(t.Context(), postgres.AsUser(team.Owner), team.ID,
		paging.First(100)); err == nil {
		t.Error("it opens without the key that sealed it")
	}
	for _, column := range []string{"token", "secret"} {
		if found := testkit.Texts(t, team.URL, "SELECT encode("+column+", 'escape') FROM integrations"); len(found) != 1 ||
			bytes.Contains([]byte(found[0]), []byte(secret)) ||
			bytes.Contains([]byte(found[0]), []byte(before.HookToken)) {
			t.Errorf("%s lies there in clear: %q", column, found)
		}
	}
	if _, err := hooks.New(hooks.Deps{}); err == nil {
		t.Error("it seals with no key")
	}
	lost, err := hooks.Reseal(t.Context(), team.DB, [][]byte{fresh})
	if err != nil || lost.Renewed != 0 || len(lost.Lost) != 2 {
		t.Errorf("without the old key: %+v, %v", lost, err)
	}
	for round, want := range []reseal.Result{{Renewed: 2}, {Fresh: 2}} {
		got, err := hooks.Reseal(t.Context(), team.DB, [][]byte{fresh, old})
		if err != nil || got.Renewed != want.Renewed || got.Fresh != want.Fresh || len(got.Lost) != 0 {
			t.Errorf("round %d: %+v, %v, want %+v", round, got, err, want)
		}
	}
	listed, _, err = with(fresh).List(t.Context(), postgres.AsUser(team.Owner), team.ID, paging.First(100))
	if err != nil || len(listed) != 1 || listed[0].HookToken != before.HookToken {
		t.Errorf("sealed anew: %v: %+v", err, listed)
	}
	if entries := testkit.Texts(t, team.URL,
		"SELECT action FROM audit_entries WHERE action = 'integration.updated'"); len(entries) > 0 {
		t.Errorf("sealing anew is told as a change: %v", entries)
	}
}

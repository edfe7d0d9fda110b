package hooks_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"dealflow/internal/ingest/hooks"
	"dealflow/internal/testkit"
)

func TestAnAccountHasSoManyIntegrationsAtMost(t *testing.T) {
	t.Parallel()
	team := testkit.NewTeam(t)
	service, err := hooks.New(hooks.Deps{
		Receiver: hooks.NewReceiver(team.DB, nil, nil, nil, slog.New(slog.DiscardHandler)),
		Secrets:  [][]byte{bytes.Repeat([]byte("k"), 32)}, Now: time.Now, MaxJSONSize: 1 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, team.URL, `INSERT INTO integrations (id, account_id, kind, name, create_companies, token_hash, token,
		secret, created_by) SELECT gen_random_uuid(), $1, 'tally', 'Forms', false, sha256(n::text::bytea), '', '', $2
		FROM generate_series(1, 199) AS n`, team.ID, team.Owner)
	if made := testkit.AtOnce(t, team.URL, "integrations", func() error {
		_, _, err := service.Create(t.Context(), team.Owner, team.ID,
			hooks.NewIntegration{Kind: "tally", Name: "Forms"})
		return err
	}); made != 1 {
		t.Errorf("%d were made where there is room for one", made)
	}
}

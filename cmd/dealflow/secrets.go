package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dealflow/internal/account/signin"
	"dealflow/internal/config"
	"dealflow/internal/ingest/hooks"
	"dealflow/internal/postgres"
	"dealflow/internal/reseal"
	"dealflow/internal/webhook"
)

func (t *tool) secretsCommand() *cobra.Command {
	return group("secrets", "Manage the secrets that are encrypted with SECRET_KEYS", &cobra.Command{
		Use: "reseal", Args: noArgs,
		Short: "Encrypt the secrets of integrations, webhooks and second factors again with the first key of " +
			"SECRET_KEYS, so that older keys can be dropped",
		RunE: func(cmd *cobra.Command, _ []string) error { return t.reseal(cmd.Context()) },
	})
}

// reseal encrypts the stored secrets again with the first key of SECRET_KEYS, and prints how many it encrypted. It
// leaves a secret unchanged that no key can decrypt; the error then names these secrets.
func (t *tool) reseal(ctx context.Context) error {
	keys, err := secretKeys()
	if err != nil {
		return err
	}
	done := reseal.Result{Lost: []string{}} // in JSON never null
	err = t.withDB(ctx, func(db *postgres.DB) error {
		factors, err := signin.ResealFactors(ctx, db, keys)
		if err != nil {
			return err
		}
		integrations, err := hooks.Reseal(ctx, db, keys)
		if err != nil {
			return err
		}
		webhooks, err := webhook.Reseal(ctx, db, keys)
		done.Add(factors)
		done.Add(integrations)
		done.Add(webhooks)
		return err
	})
	if err != nil {
		return err
	}
	if err := t.print(done, "Encrypted %d secrets again; %d were encrypted with the first key already.", done.Renewed,
		done.Fresh); err != nil {
		return err
	}
	if len(done.Lost) > 0 {
		return fmt.Errorf("no key of SECRET_KEYS decrypts these: %s: add their key at its end, or create them again",
			strings.Join(done.Lost, ", "))
	}
	return nil
}

// secretKeys returns the keys in SECRET_KEYS. If that is not set, it sets it to the keys that `up` stored in DATA_DIR,
// as `up` does for the API; the error says if there are none.
func secretKeys() ([][]byte, error) {
	if os.Getenv("SECRET_KEYS") == "" {
		cfg, err := config.LoadTool()
		if err != nil {
			return nil, err
		}
		made, err := os.ReadFile(dataDir(cfg.Embedded.DataDir).path(secretFile))
		if err != nil {
			return nil, fmt.Errorf("SECRET_KEYS is not set, and `dealflow up` has made none: %w", err)
		}
		if err := os.Setenv("SECRET_KEYS", keysIn(string(made))); err != nil {
			return nil, err
		}
	}
	return config.LoadSecrets()
}

// keysIn returns the content of secretFile as SECRET_KEYS takes it: without white space around the keys, each of which
// may be on a line of its own.
func keysIn(content string) string {
	keys := strings.Split(content, ",")
	for i, key := range keys {
		keys[i] = strings.TrimSpace(key)
	}
	return strings.Join(keys, ",")
}

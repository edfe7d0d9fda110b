package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"dealflow/internal/config"
	"dealflow/internal/doctor"
	"dealflow/internal/pdftext"
	"dealflow/internal/redisconn"
	"dealflow/migrations"
)

func (t *tool) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Examine settings, database, Redis, storage, clocks, PDF readers and the mail server",
		Long: `Examine what the service needs: that the settings are right, that Postgres has the schema and keeps row
security, that Redis and the storage answer and keep what they get, that all clocks agree, that a PDF can be read
here, and that the server of SMTP_URL, if set, takes the login. Servers are those of DATABASE_URL, REDIS_URL and
STORAGE_URL; what is not set is that of the dealflow up that runs on DATA_DIR. The exit code is 1 where something is
wrong.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.doctor(cmd.Context()) },
	}
}

func (t *tool) doctor(ctx context.Context) error {
	cfg, err := config.LoadUp()
	findings := []doctor.Finding{doctor.New("settings", "all can be used", errors.Join(err, misspelled()))}
	redisconn.LogTo(slog.New(slog.DiscardHandler)) // the findings have its errors
	if err == nil {
		servers, err := examined(cfg)
		if err != nil {
			findings = append(findings, doctor.New("servers", "", err))
		} else {
			findings = append(findings, doctor.Examine(ctx, servers)...)
		}
	}
	return t.report(findings)
}

func misspelled() error {
	if doubts := config.Misspelled(); len(doubts) > 0 {
		return errors.New(strings.Join(doubts, "\n"))
	}
	return nil
}

// examined returns the servers to examine: those in the settings, and for each that is not set, that of the `up` that
// runs on DATA_DIR. It returns an error if one is not set and no such `up` is ready.
func examined(cfg config.Up) (doctor.Options, error) {
	var r running
	if cfg.Database.URL == "" || cfg.Redis.URL == "" || cfg.Storage.URL == "" {
		var err error
		if r, err = dataDir(cfg.Embedded.DataDir).runningNow(); err != nil {
			return doctor.Options{}, err
		}
	}
	return doctor.Options{
		DatabaseURL: cmp.Or(cfg.Database.URL, r.DatabaseURL), RedisURL: cmp.Or(cfg.Redis.Address(), r.RedisURL),
		StorageURL: cmp.Or(cfg.Storage.URL, r.StorageURL), Migrations: migrations.Files,
		MailURL: cfg.Mail.URL, MailFrom: cfg.Mail.From,
		Reader: pdftext.Options{
			Timeout: cfg.Reader.Timeout, CacheDir: cfg.Reader.Cache(),
			Logger: slog.New(slog.DiscardHandler),
		},
	}, nil
}

// runningNow returns the content of run.json of the `up` that runs on this folder. It returns an error if no `up` runs
// on it, or if that `up` is not ready yet.
func (d dataDir) runningNow() (running, error) {
	nothing := fmt.Errorf("nothing to examine: set DATABASE_URL, REDIS_URL and STORAGE_URL, or start dealflow up on %s "+
		"first", d)
	unlock, err := d.lock("doctor")
	if other, held := errors.AsType[*inUse](err); held {
		if r, ok := d.running(other.pid); ok {
			return r, nil
		}
		return running{}, fmt.Errorf("dealflow up on %s is not ready yet", d)
	}
	if err == nil {
		unlock()
	}
	return running{}, nothing
}

func (t *tool) report(findings []doctor.Finding) error {
	wrong := 0
	for _, f := range findings {
		if !f.OK {
			wrong++
		}
	}
	if err := t.printFindings(findings); err != nil || wrong == 0 {
		return err
	}
	return fmt.Errorf("%d of %d are wrong", wrong, len(findings))
}

func (t *tool) printFindings(findings []doctor.Finding) error {
	if t.json {
		return t.print(map[string]any{"findings": findings}, "")
	}
	for _, f := range findings {
		mark, text := "ok   ", f.Detail
		if !f.OK {
			mark, text = "WRONG", f.Problem
		}
		if err := t.print(nil, "%s  %-9s %s", mark, f.Name, strings.ReplaceAll(text, "\n",
			"\n"+strings.Repeat(" ", 17))); err != nil {
			return err
		}
	}
	return nil
}

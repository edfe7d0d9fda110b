package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dealflow/internal/config"
)

func TestLoadUpNeedsNothing(t *testing.T) {
	for _, name := range []string{
		"DATABASE_URL", "REDIS_URL", "STORAGE_URL", "SECRET_KEYS", "DATA_DIR", "OPERATOR_USER", "OPERATOR_PASSWORD",
	} {
		t.Setenv(name, "")
	}
	c, err := config.LoadUp()
	if err != nil {
		t.Fatal(err)
	}
	if c.Database.URL != "" || c.Redis.URL != "" || c.Storage.URL != "" || len(c.Secrets.Keys) != 0 {
		t.Errorf("what is to be embedded has an address: %+v", c)
	}
	if here, err := filepath.Abs(".dealflow"); err != nil || c.Embedded.DataDir != here {
		t.Errorf("DataDir = %q, want %q", c.Embedded.DataDir, here)
	}
	if c.HTTP.Addr != "127.0.0.1:8080" || c.Worker.Addr != "127.0.0.1:8081" {
		t.Errorf("addresses %q, %q", c.HTTP.Addr, c.Worker.Addr)
	}
}

func TestLoadUpListsEveryMistake(t *testing.T) {
	wrong := map[string]string{
		"HTTP_ADDR": "nowhere", "WORKER_HTTP_ADDR": "here", "DATABASE_URL": "mysql://x", "MIGRATE_DATABASE_URL": "x",
		"REDIS_URL":   "http://x",
		"STORAGE_URL": "/srv", "SECRET_KEYS": "short", "OPERATOR_USER": "op", "RATE_LIMIT_PER_MINUTE": "-1",
		"WORKER_CONCURRENCY": "0",
		"PDF_CHILDREN":       "0", "DATABASE_MAX_CONNECTIONS": "1",
		"SIGNUP": "maybe", "SMTP_URL": "mailto:x", "MAIL_FROM": "", "SESSION_IDLE": "1000h", "AUDIT_RETENTION": "1h",
		"CHANGES_RETENTION": "1h", "WEBHOOK_CONCURRENCY": "0", "MIN_BODY_RATE": "-1",
	}
	for name, value := range wrong {
		t.Setenv(name, value)
	}
	t.Setenv("OPERATOR_PASSWORD", "")
	_, err := config.LoadUp()
	if err == nil {
		t.Fatal("LoadUp accepted it all")
	}
	for name := range wrong {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s:\n%v", name, err)
		}
	}
}

func TestLoadToolChecksItsOwnSettingsOnly(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing set":        {map[string]string{"DATABASE_URL": ""}, ""},
		"a database":         {map[string]string{"DATABASE_URL": "postgres://127.0.0.1/d"}, ""},
		"no database's URL":  {map[string]string{"DATABASE_URL": "sqlite://x"}, "DATABASE_URL must begin"},
		"the API's mistakes": {map[string]string{"DATABASE_URL": "", "HTTP_ADDR": "nowhere", "REDIS_URL": "nonsense"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			_, err := config.LoadTool()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("LoadTool says %v, want %q", err, test.want)
			}
		})
	}
}

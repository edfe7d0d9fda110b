package config_test

import (
	"strings"
	"testing"
	"time"

	"dealflow/internal/config"
)

// These tests set the environment, so they cannot run in parallel.

func setAPI(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"DATABASE_URL": "postgres://u:p@127.0.0.1/d", "REDIS_URL": "redis://127.0.0.1", "STORAGE_URL": "file:///srv/files",
		"SECRET_KEYS": strings.Repeat("k", 32) + "," + strings.Repeat("o", 40),
	} {
		t.Setenv(name, value)
	}
}

func TestLoadAPIDefaults(t *testing.T) {
	setAPI(t)
	c, err := config.LoadAPI()
	if err != nil {
		t.Fatal(err)
	}
	if c.HTTP.Addr != "127.0.0.1:8080" || c.HTTP.PublicURL != "http://127.0.0.1:8080" {
		t.Errorf("HTTP = %+v", c.HTTP)
	}
	if c.Limits.PerSecond != 100 || c.Limits.PerMinute != 1000 || c.Limits.MaxJSONSize != 1<<20 ||
		c.Files.MaxSize != 50<<20 {
		t.Errorf("limits = %+v, MaxFileSize %d", c.Limits, c.Files.MaxSize)
	}
	if c.Signup.Open() {
		t.Error("anybody may register")
	}
	for addr, want := range map[string]string{
		":8080": "http://127.0.0.1:8080", "0.0.0.0:81": "http://127.0.0.1:81", "[::]:8080": "http://127.0.0.1:8080",
		"deals.example:80": "http://deals.example", "[::1]:8080": "http://[::1]:8080",
	} {
		t.Setenv("HTTP_ADDR", addr)
		if c, err := config.LoadAPI(); err != nil || c.HTTP.PublicURL != want {
			t.Errorf("HTTP_ADDR=%s: PublicURL = %q, want %q (%v)", addr, c.HTTP.PublicURL, want, err)
		}
	}
	t.Setenv("SIGNUP", "open")
	if c, err := config.LoadAPI(); err != nil || !c.Signup.Open() {
		t.Errorf("nobody may register with SIGNUP=open: %v", err)
	}
	if c.Analysis.Wait != 30*time.Second || len(c.Secrets.Bytes()) != 2 || c.Operator.Enabled() {
		t.Errorf("wait %v, %d keys, operator on: %v", c.Analysis.Wait, len(c.Secrets.Bytes()), c.Operator.Enabled())
	}
}

// TestThePublicURLIsAsBrowsersWriteIt compares it with what browsers send as Origin, and refuses URLs to which no path
// can be appended.
func TestThePublicURLIsAsBrowsersWriteIt(t *testing.T) {
	setAPI(t)
	for given, want := range map[string]string{
		"https://deals.example": "https://deals.example", "https://Deals.Example:443//": "https://deals.example",
		"http://deals.example:80": "http://deals.example", "http://deals.example:443": "http://deals.example:443",
		"https://bücher.example:8443/Deals/": "https://xn--bcher-kva.example:8443/Deals",
		"http://[::1]:80":                    "http://[::1]",
		"http://[FE80::1]:8080":              "http://[fe80::1]:8080", "http://my_host": "http://my_host",
		"https://deals.example?x=1": "", "https://deals.example/?": "", "https://deals.example/#": "",
		"https://user:secret@deals.example": "", "https://:443": "", "deals.example": "", "https://": "",
	} {
		t.Setenv("PUBLIC_URL", given)
		c, err := config.LoadAPI()
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "PUBLIC_URL")):
			t.Errorf("%s: %v, want an error about it", given, err)
		case want == "" && strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: the error has the password: %v", given, err)
		case want != "" && (err != nil || c.HTTP.PublicURL != want):
			t.Errorf("%s: %q, %v, want %q", given, c.HTTP.PublicURL, err, want)
		case want != "" && (len(c.HTTP.Doubts()) > 0) != strings.HasSuffix(want, "/Deals"):
			t.Errorf("%s: the doubts are %q", given, c.HTTP.Doubts())
		}
	}
}

func TestLoadAPIListsEveryMistake(t *testing.T) {
	for name, value := range map[string]string{
		"HTTP_ADDR": "nowhere", "PUBLIC_URL": "ftp://x", "TRUSTED_PROXIES": "10.0.0.0/8,proxy", "DATABASE_URL": "mysql://x",
		"REDIS_URL":   "",
		"STORAGE_URL": "/srv", "MAX_FILE_SIZE": "0", "SECRET_KEYS": "short", "OPERATOR_USER": "op",
		"RATE_LIMIT_PER_SECOND": "-1",
		"ANALYSIS_WAIT":         "soon", "LOG_LEVEL": "LOUD", "DECK_CLASSES_FILE": "/does/not/exist.json",
		"MAX_JSON_SIZE": "0", "DATABASE_MAX_CONNECTIONS": "1",
		"SIGNUP": "yes", "SESSION_IDLE": "1000h",
	} {
		t.Setenv(name, value)
	}
	_, err := config.LoadAPI()
	if err == nil {
		t.Fatal("LoadAPI accepted it all")
	}
	for _, want := range []string{
		"HTTP_ADDR", "PUBLIC_URL", `"proxy"`, "DATABASE_URL must begin", "REDIS_URL is not set", "STORAGE_URL",
		"MAX_FILE_SIZE", "SECRET_KEYS: key 1",
		"OPERATOR_PASSWORD", "RATE_LIMIT_PER_SECOND", "ANALYSIS_WAIT", "LOG_LEVEL", "DECK_CLASSES_FILE", "MAX_JSON_SIZE",
		"DATABASE_MAX_CONNECTIONS",
		`SIGNUP: "yes"`, "SESSION_IDLE and SESSION_LIFETIME",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "10.0.0.0/8") && !strings.Contains(err.Error(), "such as") {
		t.Error("a good proxy range is called wrong")
	}
}

func TestLoadWorker(t *testing.T) {
	setAPI(t)
	c, err := config.LoadWorker()
	if err != nil || c.Queue.Concurrency != 4 || c.HTTP.Addr != "127.0.0.1:8081" {
		t.Fatalf("LoadWorker = %+v, %v", c, err)
	}
	for name, value := range map[string]string{
		"WORKER_CONCURRENCY": "0", "WORKER_LEASE": "1ms", "PDF_CHILDREN": "0", "PDF_TIMEOUT": "1ms", "OPENAI_API_KEY": "k",
		"OPENAI_BASE_URL": "nope",
		"AUDIT_RETENTION": "1h",
	} {
		t.Setenv(name, value)
	}
	_, err = config.LoadWorker()
	for _, want := range []string{
		"WORKER_CONCURRENCY", "WORKER_LEASE", "PDF_CHILDREN", "PDF_TIMEOUT", "OPENAI_BASE_URL", "AUDIT_RETENTION",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
	t.Setenv("PDF_TIMEOUT", "2m1s")
	if _, err = config.LoadWorker(); err == nil || !strings.Contains(err.Error(), "PDF_TIMEOUT: 2m1s is too long") {
		t.Errorf("a PDF_TIMEOUT that outlasts an analysis: %v", err)
	}
}

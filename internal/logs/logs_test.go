package logs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"dealflow/internal/logs"
)

func TestContextAttributesStandInEveryLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := logs.New(&out, slog.LevelInfo, "auto").With("process", "worker")
	ctx := logs.With(logs.With(t.Context(), slog.String("request_id", "r1")), slog.String("work_id", "w1"))
	log.InfoContext(ctx, "claimed", "attempt", 1)
	log.DebugContext(ctx, "hidden")

	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON line: %q", out.String())
	}
	for name, want := range map[string]any{
		"msg": "claimed", "request_id": "r1", "work_id": "w1", "process": "worker", "attempt": 1.0,
	} {
		if line[name] != want {
			t.Errorf("%s = %v, want %v", name, line[name], want)
		}
	}
}

func TestWithoutAttributesNothingIsAdded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logs.New(&out, slog.LevelInfo, "auto").InfoContext(context.Background(), "started")
	if bytes.Contains(out.Bytes(), []byte("request_id")) {
		t.Errorf("line = %s", out.String())
	}
}

func TestTextIsForPeople(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logs.New(&out, slog.LevelInfo, "text").With("process", "api").Info("serves", "address", "127.0.0.1:8080")
	line := out.String()
	if _, rest, _ := strings.Cut(line, " "); rest != "INF serves process=api address=127.0.0.1:8080\n" {
		t.Errorf("line = %q", line)
	}
}

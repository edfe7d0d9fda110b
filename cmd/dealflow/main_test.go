package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dealflow/internal/pdftext"
)

// asTool is the variable that makes the test binary run as the tool, so that a test sees what a user sees: exit code,
// stdout and stderr.
const asTool = "DEALFLOW_TEST_AS_TOOL"

// noRaceSleep keeps the race detector from waiting a second at the end of each process.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if pdftext.IsChild() {
		os.Exit(pdftext.RunChild())
	}
	if os.Getenv(asTool) != "" {
		main()
	}
	os.Exit(m.Run())
}

// outcome is the result of a run of the tool.
type outcome struct {
	code        int
	out, errOut string
}

// command is one run of the tool. Its environment is env alone.
type command struct {
	env   []string
	stdin string
	args  []string
}

func (c command) run(t *testing.T) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // compiling PDFium takes long with the race detector
	defer cancel()
	cmd := c.cmd(ctx, t)
	cmd.Stdin = strings.NewReader(c.stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("dealflow %v: %v", c.args, err)
	}
	return outcome{code: cmd.ProcessState.ExitCode(), out: out.String(), errOut: errOut.String()}
}

func (c command) cmd(ctx context.Context, t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, c.args...)
	cmd.Env = append([]string{
		asTool + "=1", "DATA_DIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), noRaceSleep,
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), // for `make cover`
	}, c.env...)
	return cmd
}

// object fails the test unless the run succeeded, wrote nothing to stderr, and wrote one JSON object to stdout, which
// it returns.
func (o outcome) object(t *testing.T) map[string]any {
	t.Helper()
	o.wantQuiet(t)
	decoder := json.NewDecoder(strings.NewReader(o.out))
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		t.Fatalf("stdout is no JSON object: %v\n%s", err, o.out)
	}
	if !atEnd(decoder) || strings.Count(o.out, "\n") != 1 {
		t.Errorf("stdout is more than one object on one line:\n%s", o.out)
	}
	return object
}

// wantQuiet fails the test unless the run succeeded and wrote nothing to stderr.
func (o outcome) wantQuiet(t *testing.T) {
	t.Helper()
	if o.code != 0 || o.errOut != "" {
		t.Fatalf("exit code %d, stderr %q", o.code, o.errOut)
	}
}

// wantRefusal fails the test unless the run failed, wrote nothing to stdout, and wrote one line that contains want to
// stderr.
func (o outcome) wantRefusal(t *testing.T, want string) {
	t.Helper()
	if o.code != 1 || o.out != "" {
		t.Errorf("exit code %d, stdout %q; want 1 and nothing", o.code, o.out)
	}
	if !strings.HasPrefix(o.errOut, "dealflow: ") || strings.Count(o.errOut, "\n") != 1 ||
		!strings.Contains(o.errOut, want) {
		t.Errorf("stderr is %q; want one line with %q", o.errOut, want)
	}
}

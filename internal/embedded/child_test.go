package embedded_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"dealflow/internal/embedded"
)

func child(t *testing.T, args ...string) *embedded.Child {
	t.Helper()
	return startChild(t, exec.CommandContext(t.Context(), args[0], args[1:]...))
}

// readyChild is like child, and returns when the child has written a byte.
func readyChild(t *testing.T, args ...string) *embedded.Child {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Stdout = write
	c := startChild(t, cmd)
	_ = write.Close()
	if _, err := read.Read(make([]byte, 1)); err != nil {
		t.Fatalf("wait for %v: %v", args, err)
	}
	return c
}

func startChild(t *testing.T, cmd *exec.Cmd) *embedded.Child {
	t.Helper()
	c, err := embedded.StartChild(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(syscall.SIGKILL, time.Second) })
	return c
}

func TestChildEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		want   string
	}{
		"well":     {"exit 0", ""},
		"badly":    {"exit 3", "exit status 3"},
		"signaled": {"kill -9 $$", "signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := child(t, "sh", "-c", test.script)
			got := ""
			if err := c.Err(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("ended with %q, want %q", got, test.want)
			}
			if err := c.Stop(syscall.SIGTERM, time.Second); err != nil {
				t.Errorf("stopping what has ended: %v", err)
			}
		})
	}
}

func TestChildIsStopped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"one that listens":     {[]string{"sh", "-c", "echo; exec sleep 60"}, ""},
		"one that does not":    {[]string{"/proc/self/exe", "nap"}, "was killed"},
		"one that has started": {[]string{"sh", "-c", "sleep 60 & echo; wait"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := readyChild(t, test.args...)
			grace := time.Minute
			if test.want != "" {
				grace = 300 * time.Millisecond
			}
			err := c.Stop(syscall.SIGTERM, grace)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("Stop says %v, want %q", err, test.want)
			}
			if alive(c.PID()) {
				t.Error("it lives")
			}
		})
	}
}

func TestChildThatCannotStart(t *testing.T) {
	t.Parallel()
	if _, err := embedded.StartChild(exec.CommandContext(t.Context(), "/nonexistent"), syscall.SIGKILL); err == nil {
		t.Error("no error")
	}
}

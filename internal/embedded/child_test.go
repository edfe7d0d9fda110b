package embedded_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"dealflow/internal/embedded"
)

func child(t *testing.T, args ...string) *embedded.Child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
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
		"one that listens":     {[]string{"sleep", "60"}, ""},
		"one that does not":    {[]string{"/proc/self/exe", "nap"}, "was killed"},
		"one that has started": {[]string{"sh", "-c", "sleep 60 & wait"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := child(t, test.args...)
			time.Sleep(100 * time.Millisecond) // until it ignores the signal
			err := c.Stop(syscall.SIGTERM, 300*time.Millisecond)
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

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newTerminal makes a pseudo-terminal: what a person sees and types at, and what a process has as its stdin.
func newTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return screen, terminal
}

// echoes reports whether the terminal shows what is typed.
func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// record is a buffer that one goroutine fills while another looks.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// session is a person who sets a password at a terminal.
type session struct {
	screen, terminal *os.File
	shown            record // on the terminal
	out, errOut      record
	ended            chan error
	interrupt        func() error
}

func startSession(t *testing.T, d database) *session {
	t.Helper()
	s := &session{ended: make(chan error, 1)}
	s.screen, s.terminal = newTerminal(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := command{env: []string{"DATABASE_URL=" + d.url}, args: []string{"user", "password", "--email", ada}}.cmd(ctx, t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.terminal, &s.out, &s.errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.interrupt = func() error { return cmd.Process.Signal(os.Interrupt) }
	go func() { s.ended <- cmd.Wait() }()
	go func() {
		for buffer := make([]byte, 256); ; {
			n, err := s.screen.Read(buffer)
			_, _ = s.shown.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	return s
}

// waitFor waits until the prompt is there and the terminal hides what is typed.
func (s *session) waitFor(t *testing.T, prompt string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.HasSuffix(s.errOut.String(), prompt) && !echoes(t, s.terminal) {
			return
		}
	}
	t.Fatalf("no %q with a silent terminal; stderr is %q", prompt, s.errOut.String())
}

func (s *session) answer(t *testing.T, prompt, typed string) {
	t.Helper()
	s.waitFor(t, prompt)
	if _, err := s.screen.WriteString(typed + "\n"); err != nil {
		t.Fatal(err)
	}
}

func TestPasswordOnATerminalIsNotShown(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	for name, tc := range map[string]struct {
		first, second, out, errOut string
		changes                    bool
	}{
		"twice the same": {"correct horse battery", "correct horse battery", "Set the password", "", true},
		"a slip":         {"correct horse battery", "correct horse batterz", "", "the two passwords differ", false},
		"too short":      {"correct", "correct", "", "must have 10 to 200 characters", false},
	} {
		before := passwordHash(t, d)
		s := startSession(t, d)
		s.answer(t, "New password: ", tc.first)
		s.answer(t, "The same again: ", tc.second)
		err := <-s.ended
		if (err == nil) != tc.changes || (passwordHash(t, d) != before) != tc.changes {
			t.Errorf("%s: ended with %v, hash changed %v", name, err, passwordHash(t, d) != before)
		}
		if out := s.out.String(); !strings.HasPrefix(out, tc.out) || (tc.out == "") != (out == "") ||
			!strings.Contains(s.errOut.String(), tc.errOut) {
			t.Errorf("%s: stdout %q, stderr %q", name, out, s.errOut.String())
		}
		if all := s.shown.String() + s.out.String() + s.errOut.String(); strings.Contains(all, "correct") {
			t.Errorf("%s: the password was shown: %q", name, all)
		}
		if !echoes(t, s.terminal) {
			t.Errorf("%s: the terminal stays silent", name)
		}
	}
}

func TestInterruptAtTheTerminal(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	d.make(t, "user", "create", "--email", ada, "--name", "Ada")
	s := startSession(t, d)
	s.waitFor(t, "New password: ")
	if err := s.interrupt(); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err == nil || !strings.Contains(s.errOut.String(), "interrupted: nothing was changed") {
		t.Errorf("ended with %v, stderr %q", err, s.errOut.String())
	}
	if !echoes(t, s.terminal) {
		t.Error("the terminal stays silent")
	}
	if hash := passwordHash(t, d); hash != "" {
		t.Errorf("a password was set: %s", hash)
	}
}

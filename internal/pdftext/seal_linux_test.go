//go:build !race

package pdftext_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"dealflow/internal/pdftext"
)

// escapeArgument makes the test program a sealed child that tries to break out.
const escapeArgument = "escape"

// escape seals this process and tries what a reader must not do. It prints a JSON object: what each attempt came to, ""
// if it went well.
func escape() error {
	var asked struct {
		CacheDir, Outside string
		Parent            int
	}
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&asked); err != nil {
		return err
	}
	cache, missing := pdftext.Seal(asked.CacheDir)
	results := map[string]string{"missing": strings.Join(missing, ", "), "user": strconv.Itoa(os.Getuid())}
	for name, try := range attempts(cache, asked.Outside, asked.Parent) {
		results[name] = ""
		if err := try(); err != nil {
			results[name] = err.Error()
		}
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}

func attempts(cache, outside string, parent int) map[string]func() error {
	dial := func(network, address string) func() error {
		return func() error {
			conn, err := new(net.Dialer).DialContext(context.Background(), network, address)
			if err == nil {
				_ = conn.Close()
			}
			return err
		}
	}
	read := func(path string) func() error {
		return func() error { _, err := os.ReadFile(path); return err }
	}
	return map[string]func() error{
		"read the cache": read(filepath.Join(cache, "compiled")),
		"UDP":            dial("udp", "127.0.0.1:53"),
		"TCP":            dial("tcp", "127.0.0.1:9"),
		"a Unix socket":  dial("unix", "@abstract"),
		"listen": func() error {
			_, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
			return err
		},
		"parent's secrets":   read(fmt.Sprintf("/proc/%d/environ", parent)),
		"parent's memory":    read(fmt.Sprintf("/proc/%d/mem", parent)),
		"users":              read("/etc/passwd"),
		"another file":       read(outside),
		"write a file":       func() error { return os.WriteFile(outside+".new", []byte("x"), 0o600) },
		"write to the cache": func() error { return os.WriteFile(filepath.Join(cache, "new"), []byte("x"), 0o600) },
		"run a program":      func() error { return exec.CommandContext(context.Background(), "/proc/self/exe", "-h").Run() },
		"fork": func() error {
			pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
			if errno != 0 {
				return errno
			}
			if pid == 0 {
				_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
			}
			return nil
		},
		"clone3": func() error {
			if _, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, 0, 0, 0); errno != 0 {
				return errno
			}
			return nil
		},
		"signal the parent": func() error { return syscall.Kill(parent, 0) },
		"trace the parent":  func() error { return syscall.PtraceAttach(parent) },
		"become root": func() error {
			if err := syscall.Setuid(0); err != nil || os.Getuid() != 0 {
				return errors.Join(err, errors.New("no"))
			}
			return nil
		},
	}
}

func TestNobodyBreaksOutOfAReader(t *testing.T) {
	t.Parallel()
	users := map[string]*syscall.Credential{"as the user of this test": nil}
	if os.Getuid() == 0 {
		users["as an ordinary user"] = &syscall.Credential{Uid: 12345, Gid: 12345}
	}
	for name, user := range users {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := runEscape(t, user)
			if results["missing"] != "" {
				t.Logf("this kernel or container lacks: %s", results["missing"])
			}
			if results["read the cache"] != "" {
				t.Errorf("the cache cannot be read: %s", results["read the cache"])
			}
			// Programs with cgo could begin no thread after another refusal.
			if want := unix.ENOSYS.Error(); results["clone3"] != want && !strings.Contains(results["missing"], "seccomp") {
				t.Errorf("clone3: %s, want %s", results["clone3"], want)
			}
			if results["user"] == "0" {
				t.Error("a reader is root")
			}
			for name, result := range results {
				if result == "" && name != "missing" && name != "read the cache" {
					t.Errorf("%s is possible", name)
				}
			}
		})
	}
}

// runEscape runs escape as this user and returns what it printed.
func runEscape(t *testing.T, user *syscall.Credential) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp("", "seal") //nolint:usetesting // another user can enter it, unlike the test's own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cache := filepath.Join(dir, "cache")
	for _, do := range []func() error{
		func() error { return os.Chmod(dir, 0o777) },
		func() error { return os.Mkdir(cache, 0o755) },
		func() error { return os.WriteFile(filepath.Join(cache, "compiled"), []byte("code"), 0o644) },
		func() error { return os.WriteFile(filepath.Join(dir, "secret"), []byte("words"), 0o644) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if user != nil {
		if err := os.Chown(cache, int(user.Uid), int(user.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := json.Marshal(map[string]any{
		"CacheDir": cache, "Outside": filepath.Join(dir, "secret"), "Parent": os.Getpid(),
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", escapeArgument)
	cmd.Stdin, cmd.Env = strings.NewReader(string(asked)), []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var results map[string]string
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return results
}

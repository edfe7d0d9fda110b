package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// asProgram is the variable that makes the test binary run as the program.
const asProgram = "DEALFLOW_TEST_AS_SERVERS"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns a command that runs the program, in an environment without servers, and the folder that the program
// uses for temporary files.
func command(t *testing.T, args ...string) (cmd *exec.Cmd, temporary string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temporary = t.TempDir()
	cmd = exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", databaseVariable+"=", redisVariable+"=", "TMPDIR="+temporary)
	if servers := os.Getenv("TEST_SERVERS"); servers != "" {
		cmd.Env = append(cmd.Env, "DATA_DIR="+filepath.Dir(servers))
	}
	cmd.Stderr = t.Output()
	return cmd, temporary
}

func expectNothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestServersRunACommand(t *testing.T) {
	t.Parallel()
	// Postgres is started once, since that takes seconds. Redis is started each time, and stopped whatever happens.
	const aPostgres = databaseVariable + "=postgres://mine"
	for name, test := range map[string]struct {
		set    string
		script string
		code   int
		want   []string
	}{
		"that succeeds": {
			"", `echo "$TEST_DATABASE_URL $TEST_REDIS_URL"`, 0, []string{"postgres://dealflow:", "redis://127.0.0.1:"},
		},
		"that fails":    {aPostgres, "exit 7", 7, nil},
		"that is ended": {aPostgres, "kill -9 $$", 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, temporary := command(t, "--", "sh", "-c", test.script)
			cmd.Env = append(cmd.Env, test.set)
			out, err := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("the exit code is %d, want %d (%v)", code, test.code, err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("it printed %q, want %q", out, want)
				}
			}
			expectNothingLeft(t, temporary)
		})
	}
}

func TestServersUseWhatIsSet(t *testing.T) {
	t.Parallel()
	cmd, temporary := command(t, "sh", "-c", `echo "$TEST_DATABASE_URL $TEST_REDIS_URL"; ls "$TMPDIR"/*`)
	cmd.Env = append(cmd.Env, "TEST_DATABASE_URL=postgres://mine", "TEST_REDIS_URL=redis://mine")
	out, _ := cmd.Output() // ls finds an empty folder
	if !strings.HasPrefix(string(out), "postgres://mine redis://mine\n") || strings.Contains(string(out), "data") {
		t.Errorf("it printed %q", out)
	}
	expectNothingLeft(t, temporary)
}

func TestServersStayUntilInterrupted(t *testing.T) {
	t.Parallel()
	cmd, temporary := command(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	missing := []string{"export TEST_DATABASE_URL='postgres://", "export TEST_REDIS_URL='redis://"}
	for lines := bufio.NewScanner(out); len(missing) > 0 && lines.Scan(); {
		missing = slices.DeleteFunc(missing, func(want string) bool { return strings.HasPrefix(lines.Text(), want) })
	}
	if len(missing) > 0 {
		t.Errorf("it did not print %q", missing)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	expectNothingLeft(t, temporary)
}

func TestFoldersOfRunsThatWereKilledAreRemoved(t *testing.T) {
	t.Parallel()
	cmd, temporary := command(t, "true")
	cmd.Env = append(cmd.Env, "TEST_DATABASE_URL=postgres://mine", "TEST_REDIS_URL=redis://mine")
	const nobody = 1 << 30 // more than a pid can be
	dead, living := filepath.Join(temporary, fmt.Sprintf("dealflow-test-%d-x", nobody)),
		filepath.Join(temporary, fmt.Sprintf("dealflow-test-%d-x", os.Getpid()))
	for _, folder := range []string{dead, living} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("the folder of a dead run stays")
	}
	if _, err := os.Stat(living); err != nil {
		t.Errorf("the folder of a living run: %v", err)
	}
}

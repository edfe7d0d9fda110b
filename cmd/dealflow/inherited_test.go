package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// family returns the ids of the processes below pid, each with the id of its parent.
func family(t *testing.T, pid int) map[int]int {
	t.Helper()
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])); len(fields) > 1 {
			parents[id], _ = strconv.Atoi(fields[1])
		}
	}
	below := map[int]int{}
	for grown := true; grown; {
		grown = false
		for id, parent := range parents {
			_, known := below[id]
			if _, inside := below[parent]; !known && (inside || parent == pid) {
				below[id], grown = parent, true
			}
		}
	}
	return below
}

func environmentOf(id int) string {
	environment, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "environ"))
	return "\x00" + string(environment)
}

// testInherited reads the environments, command lines and open files of all processes that `up` and its children
// started, and expects secrets only in the environments of the API and the worker. The servers and the readers of
// hostile PDFs get none.
func (s *service) testInherited(t *testing.T, pid int, ready told) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(s.data, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{strings.TrimSpace(string(key)), ready.OperatorPassword, ready.APIKey}
	seen := map[string]int{}
	for id, parent := range family(t, pid) {
		proc := filepath.Join("/proc", strconv.Itoa(id))
		exe, _ := os.Readlink(filepath.Join(proc, "exe"))
		name := filepath.Base(exe)
		if parent != pid && (name == "api" || name == "worker") {
			name = "reader"
		}
		seen[name]++
		environment := environmentOf(id)
		s.expectVariables(t, name, environment)
		command, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		for i, secret := range secrets {
			inEnvironment := strings.Contains(environment, secret) && name != "api" && (name != "worker" || i != 1)
			if inEnvironment || strings.Contains(string(command), secret) {
				t.Errorf("secret %d is in the environment or the command line of %s (process %d)", i+1, name, id)
			}
		}
		expectNoSecretFile(t, name, proc, s.data)
	}
	for _, name := range []string{"api", "worker", "reader", "postgres"} {
		if seen[name] == 0 {
			t.Errorf("no process %s was found: %v", name, seen)
		}
	}
}

// expectVariables fails the test if an environment has a variable that it may not have.
func (*service) expectVariables(t *testing.T, name, environment string) {
	t.Helper()
	has := func(variable string) bool { return strings.Contains(environment, "\x00"+variable+"=") }
	switch name {
	case "api":
		if !has("SECRET_KEYS") || has("OPENAI_API_KEY") {
			t.Error("the API has no SECRET_KEYS, or has OPENAI_API_KEY")
		}
	case "worker":
		if has("SECRET_KEYS") {
			t.Error("the worker has SECRET_KEYS")
		}
	case "reader": // servers write their titles over what they were given
		for variable := range strings.SplitSeq(strings.Trim(environment, "\x00"), "\x00") {
			known, _, _ := strings.Cut(variable, "=")
			if !slices.Contains([]string{"", "PATH", "HOME", "TMPDIR"}, known) {
				t.Errorf("a reader inherits the variable %s", known)
			}
		}
	}
}

func expectNoSecretFile(t *testing.T, name, proc, data string) {
	t.Helper()
	entries, _ := os.ReadDir(filepath.Join(proc, "fd"))
	for _, entry := range entries {
		target, _ := os.Readlink(filepath.Join(proc, "fd", entry.Name()))
		if slices.Contains([]string{"secret.key", "run.json", "dev.env", "operator.password"}, filepath.Base(target)) &&
			strings.HasPrefix(target, data) {
			t.Errorf("%s has %s open", name, target)
		}
	}
}

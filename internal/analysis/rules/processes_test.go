package rules_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// answersOnly is set for a process that TestProcessesAgree starts: it prints a digest of its answers and ends.
const answersOnly = "DEALFLOW_TEST_ANSWERS_ONLY"

// TestProcessesAgree starts twenty processes, in each of which Go orders its maps differently, and compares their
// answers to some of the labelled texts.
func TestProcessesAgree(t *testing.T) {
	t.Parallel()
	const processes = 20
	if os.Getenv(answersOnly) != "" {
		fmt.Fprintf(os.Stdout, "digest=%s\n", digestOfAnswers(t))
		return
	}
	if slowdown > 1 {
		t.Skip("processes are compared without the race detector, which finds nothing between them")
	}
	want := digestOfAnswers(t)
	for range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesAgree$", "-test.count=1")
		cmd.Env = append(os.Environ(), answersOnly+"=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !strings.Contains(string(out), "digest="+want+"\n") {
			t.Fatalf("another process answers otherwise: %s, not %s", out, want)
		}
	}
}

// digestOfAnswers returns a digest of what the rules answer to every eighteenth labelled text.
func digestOfAnswers(t *testing.T) string {
	t.Helper()
	const step = 18
	samples := labelledSamples(t)
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.ID, b.ID) })
	var some []sample
	for i := 0; i < len(samples); i += step {
		some = append(some, samples[i])
	}
	inputs := inputsOf(some)
	sum := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(inputs)) {
		found, err := builtIn().Analyze(context.Background(), inputs[id])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %+v\n", id, found)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

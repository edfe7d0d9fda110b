package program_test

import (
	"strings"
	"testing"

	"dealflow/internal/program"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	usage := program.Usage{Name: "api", Does: "Serves.", Settings: []string{"HTTP_ADDR=127.0.0.1:8080"}}
	for _, tc := range []struct {
		args        string
		code        int
		done        bool
		out, errOut string
	}{
		{"", 0, false, "", ""},
		{"--version", 0, true, "api " + program.ThisBuild().Version, ""},
		{"--help", 0, true, "HTTP_ADDR=127.0.0.1:8080", ""},
		{"-h", 0, true, "Serves.", ""},
		{"--port 80", 2, true, "", "takes no arguments but"},
	} {
		var out, errOut strings.Builder
		code, done := program.Answer(usage, strings.Fields(tc.args), &out, &errOut)
		if code != tc.code || done != tc.done {
			t.Errorf("api %s: code %d, done %v; want %d, %v", tc.args, code, done, tc.code, tc.done)
		}
		if !strings.Contains(out.String(), tc.out) || !strings.Contains(errOut.String(), tc.errOut) {
			t.Errorf("api %s printed %q and %q", tc.args, out.String(), errOut.String())
		}
	}
}

func TestThisBuildKnowsItsGo(t *testing.T) {
	t.Parallel()
	if build := program.ThisBuild(); !strings.HasPrefix(build.Go, "go1") || build.Version == "" {
		t.Errorf("build = %+v", build)
	}
}

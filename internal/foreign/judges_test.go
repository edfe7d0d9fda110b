//go:build foreign

package foreign_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"dealflow/internal/testkit/process"
)

// judges runs the programs that judges/package.json lists, in a folder below the one where npm installs them.
type judges struct {
	t      *testing.T
	folder string // of this run; the programs are installed above it
}

const judgesHome = "../../.tools/judges"

// newJudges installs the programs, unless they are installed, and copies their settings into a new folder.
func newJudges(t *testing.T) judges {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal("the judges of the OpenAPI document need npm, and Node.js 20.19 or later. Type: apt-get install -y " +
			"--no-install-recommends npm")
	}
	home, err := filepath.Abs(judgesHome)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	lock := read(t, "judges/package-lock.json")
	if there, err := os.ReadFile(filepath.Join(home, "installed.json")); err != nil || !bytes.Equal(there, lock) {
		write(t, filepath.Join(home, "package.json"), string(read(t, "judges/package.json")))
		write(t, filepath.Join(home, "package-lock.json"), string(lock))
		judges{t: t, folder: home}.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		write(t, filepath.Join(home, "installed.json"), string(lock))
	}
	folder, err := os.MkdirTemp(home, "run") //nolint:usetesting // beside node_modules, where node looks for it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	for _, name := range []string{"package.json", "redocly.yaml", "spectral.yaml", "tsconfig.json", "mainjob.ts"} {
		write(t, filepath.Join(folder, name), string(read(t, "judges/"+name)))
	}
	return judges{t: t, folder: folder}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// run runs a program and returns its standard output. If the program fails, it marks the test as failed, and the test
// goes on.
func (j judges) run(name string, args ...string) []byte {
	j.t.Helper()
	cmd := exec.CommandContext(j.t.Context(), name, args...)
	cmd.Dir = j.folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "NO_COLOR=1", "npm_config_update_notifier=false",
		"REDOCLY_TELEMETRY=off",
		"REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		j.t.Errorf("%s %q: %v\n%s%s", name, args, err, out, said.Bytes())
	}
	return out
}

// node is run for a program that npm installed.
func (j judges) node(name string, args ...string) []byte {
	j.t.Helper()
	return j.run(filepath.Join(j.folder, "..", "node_modules", ".bin", name), args...)
}

// judge has third-party programs check the OpenAPI document that api serves, generate clients from it, and do the main
// job with them.
func judge(t *testing.T, api client) {
	t.Helper()
	j := newJudges(t)
	write(t, filepath.Join(j.folder, "openapi.json"),
		string(api.do(http.MethodGet, api.base+"/openapi.json", "", nil, http.StatusOK, nil)))
	j.redocly()
	j.node("spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "openapi.json")
	j.oapiCodegen()
	j.node("openapi-ts", "-i", "openapi.json", "-o", "hey")
	j.node("openapi-typescript", "openapi.json", "-o", "api.d.ts")
	j.node("tsc", "--project", ".")
	path, err := filepath.Abs(deck)
	if err != nil {
		t.Fatal(err)
	}
	j.run("node", "built/mainjob.js", api.base, api.team.Key, api.team.AccountID, path)
	j.ogen()
	j.run("./mainjob", api.base, api.team.Key, api.team.AccountID, path)
}

// redocly runs Redocly's linter. Its warnings and ignored problems fail the test too.
func (j judges) redocly() {
	j.t.Helper()
	out := j.node("redocly", "lint", "--config", "redocly.yaml", "--format", "json", "openapi.json")
	var found struct {
		Totals struct{ Errors, Warnings, Ignored int }
	}
	if err := json.Unmarshal(out, &found); err != nil || found.Totals != (struct{ Errors, Warnings, Ignored int }{}) {
		j.t.Errorf("Redocly: %v\n%s", err, out)
	}
}

// oapiCodegen generates a client by the version of oapi-codegen that generated package client, without the templates of
// that package.
func (j judges) oapiCodegen() {
	j.t.Helper()
	made := regexp.MustCompile(`by (github\.com/oapi-codegen/\S+) (v\S+)\.`).
		FindSubmatch(read(j.t, "../../client/generated.go"))
	if made == nil {
		j.t.Fatal("client/generated.go does not say by what it was generated")
	}
	j.run("go", "run", string(made[1])+"/cmd/oapi-codegen@"+string(made[2]), "-generate", "types,client", "-package",
		"api", "-o", "oapi.txt", "openapi.json")
}

// ogen generates a client and builds a program that does the main job with it, in a module of its own:
// judges/ogen/go.mod has the versions.
func (j judges) ogen() {
	j.t.Helper()
	for name, target := range map[string]string{"go.mod": "go.mod", "go.sum": "go.sum", "mainjob.go.txt": "mainjob.go"} {
		write(j.t, filepath.Join(j.folder, target), string(read(j.t, "judges/ogen/"+name)))
	}
	j.run("go", "tool", "ogen", "--target", "api", "--package", "api", "openapi.json")
	j.run("go", "build", "-o", "mainjob", ".")
}

// judgeDocument starts a service, and judges its OpenAPI document.
func judgeDocument(t *testing.T, programs process.Programs, redisURL string) {
	t.Helper()
	var given settings
	given.fill(t, redisURL)
	environment := given.variables()
	team := programs.NewTeam(t, environment)
	programs.Start(t, "worker", environment)
	judge(t, client{t: t, base: "http://" + programs.Start(t, "api", environment).Address + "/api/v1", team: team})
}

//go:build foreign

package foreign_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dealflow/internal/testkit/process"
)

const (
	operatorName     = "operator"
	operatorPassword = "a password for the test"
)

// watchByPrometheus has promtool check the metrics of an API and a worker, the alerts and their tests, and the
// expressions of the dashboard. Alerts and expressions may name only metrics that are served.
func watchByPrometheus(t *testing.T, programs process.Programs, redisURL string) {
	t.Helper()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is missing. Type: apt-get install -y --no-install-recommends prometheus")
	}
	run := func(stdin, folder string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir, cmd.Stdin = folder, strings.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	rules := "../../deploy/prometheus"
	run("", rules, "check", "rules", "--lint-fatal", "alerts.yml")
	run("", rules, "test", "rules", "alerts_test.yml")
	run("", rules, "check", "config", "--syntax-only", "prometheus.yml")

	served := serveMetrics(t, programs, redisURL)
	for _, text := range served {
		run(text, ".", "check", "metrics")
	}
	expressions := dashboardExpressions(t)
	run("", ".", "check", "rules", asRules(t, expressions))
	known := strings.Join(served, "\n")
	used := append(expressions, string(read(t, rules+"/alerts.yml")))
	for _, name := range regexp.MustCompile(`dealflow_[a-z_]+[a-z]`).FindAllString(strings.Join(used, "\n"), -1) {
		plain := regexp.MustCompile(`_(bucket|count)$`).ReplaceAllString(name, "")
		if !strings.Contains(known, "# TYPE "+plain+" ") {
			t.Errorf("%s is watched, and nobody serves it", name)
		}
	}
}

// serveMetrics returns the bodies of /metrics of an API and a worker, after an AI creation and an import.
func serveMetrics(t *testing.T, programs process.Programs, redisURL string) []string {
	t.Helper()
	var given settings
	given.environment = []string{
		"OPERATOR_USER=" + operatorName, "OPERATOR_PASSWORD=" + operatorPassword, "OPENAI_API_KEY=none",
		"OPENAI_BASE_URL=http://127.0.0.1:1",
	}
	given.fill(t, redisURL)
	environment := given.variables()
	team := programs.NewTeam(t, environment)
	worker, api := programs.Start(t, "worker", environment), programs.Start(t, "api", environment)
	c := client{t: t, base: "http://" + api.Address + "/api/v1", team: team}
	c.doMainJob("GridMint")
	c.importEmails()
	var served []string
	for _, address := range []string{api.Address, worker.Address} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(operatorName, operatorPassword)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%d %v: %s", answer.StatusCode, err, text)
		}
		served = append(served, string(text))
	}
	return served
}

// dashboardExpressions returns the expressions of the dashboard's panels, with values in place of its variables.
func dashboardExpressions(t *testing.T) []string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(read(t, "../../deploy/grafana/dealflow.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$__rate_interval", "5m", "$job", ".+", "$instance", ".+")
	var expressions []string
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, fill.Replace(target.Expr))
		}
	}
	if len(expressions) < 10 || slices.Contains(expressions, "") {
		t.Fatalf("the dashboard has the expressions %q", expressions)
	}
	return expressions
}

// asRules writes expressions into a file of recording rules, which promtool can check, and returns its path.
func asRules(t *testing.T, expressions []string) string {
	t.Helper()
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	for i, expression := range expressions {
		rules = append(rules, rule{"dealflow:panel" + strings.Repeat("x", i), expression})
	}
	var text bytes.Buffer
	file := map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}}
	if err := json.NewEncoder(&text).Encode(file); err != nil { // JSON is YAML
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

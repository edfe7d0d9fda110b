//go:build foreign

package foreign_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestKubernetesManifests reads them into the types of Kubernetes itself.
func TestKubernetesManifests(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = "judges/kubernetes"
	cmd.Stdin = bytes.NewReader(read(t, "../../deploy/kubernetes/dealflow.yaml"))
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "6" {
		t.Errorf("%v: %s", err, out)
	}
}

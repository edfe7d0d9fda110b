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
	var log bytes.Buffer // also names each module that go downloads
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "6" {
		t.Errorf("%v: %s%s", err, out, &log)
	}
}

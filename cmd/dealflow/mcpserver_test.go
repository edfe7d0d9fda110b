package main

import "testing"

func TestMCPNeedsAServer(t *testing.T) {
	t.Parallel()
	command{args: []string{"mcp"}}.run(t).wantRefusal(t, "set --url or DEALFLOW_URL, and --api-key or DEALFLOW_API_KEY (")
	command{args: []string{"mcp", "now"}}.run(t).wantRefusal(t, "takes nothing but flags")
	ended := command{
		env:  []string{"DEALFLOW_URL=http://127.0.0.1:1/api/v1", "DEALFLOW_API_KEY=mk_x"},
		args: []string{"mcp"},
	}.run(t)
	if ended.code != 0 || ended.out != "" {
		t.Errorf("with stdin at its end: exit code %d, stdout %q", ended.code, ended.out)
	}
}

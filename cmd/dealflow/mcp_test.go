package main_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// testAgent lets an agent start the tool as its configuration would, with nothing but the folder of dev.env.
func (s *service) testAgent(t *testing.T) {
	t.Helper()
	cmd := s.command(t, "mcp")
	cmd.Env = []string{
		"DATA_DIR=" + s.data, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		result, err := session.CallTool(context.WithoutCancel(t.Context()),
			&mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || result.IsError {
			t.Fatalf("%s: %v, %+v", tool, err, result)
		}
		return result.StructuredContent.(map[string]any)
	}
	added := call("add_company", map[string]any{
		"text": "Hi, I'm Ada Lovelace, founder of Brackenfield. We make kites.",
		"name": "Brackenfield",
	})
	read := call("get_company", map[string]any{"company_id": added["id"]})
	if name := read["untrusted"].(map[string]any)["name"]; name != "Brackenfield" {
		t.Errorf("read %v", read)
	}
	refused, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "move_company", Arguments: map[string]any{
		"company_id": added["id"], "status": "Nowhere",
	}})
	if err != nil || !refused.IsError || !strings.Contains(refused.Content[0].(*mcp.TextContent).Text, "It has: New") {
		t.Errorf("moved to nowhere: %v, %+v", err, refused)
	}
	if err := session.Close(); err != nil {
		t.Errorf("the tool ended with %v", err)
	}
}

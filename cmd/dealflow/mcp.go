package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"dealflow/client"
	"dealflow/internal/agents"
	"dealflow/internal/config"
	"dealflow/internal/program"
)

func (t *tool) mcpCommand() *cobra.Command {
	var server config.Server
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an agent use a running service by the Model Context Protocol, on stdin and stdout",
		Long: `Speak the Model Context Protocol on stdin and stdout, for agents that start their tools themselves. The tools
call a running service with an API key, with the rights of the key. Without flags and variables, address and key are
those of the dealflow up on DATA_DIR. Agents that speak HTTP use /mcp of the service itself.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.serveAgent(cmd.Context(), server) },
	}
	cmd.Flags().StringVar(&server.URL, "url", "", "the API's address with /api/v1; default: "+urlVariable)
	cmd.Flags().StringVar(&server.Key, "api-key", "", "the API key; default: "+keyVariable)
	return cmd
}

// serveAgent serves the tools of package agents to a program that speaks MCP, on stdin and stdout, until stdin is
// closed or ctx ends.
func (t *tool) serveAgent(ctx context.Context, given config.Server) error {
	cfg, err := config.LoadClient()
	if err != nil {
		return err
	}
	server, err := nearest(given, cfg)
	if err != nil {
		return err
	}
	if err := checkServer(server); err != nil {
		return err
	}
	api, err := client.New(server.URL, server.Key)
	if err != nil {
		return err
	}
	tools, err := agents.New(api, program.ThisBuild().Version, t.logger(cfg.Log))
	if err != nil {
		return err
	}
	return tools.Serve(ctx, io.NopCloser(t.in), unclosed{t.out})
}

// unclosed is a writer whose Close does nothing, so that a library does not close stdout.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }

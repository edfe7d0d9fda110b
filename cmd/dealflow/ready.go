package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const (
	readyPatience = 4 * time.Second
	readySize     = 4 << 10 // the number of bytes of an answer that are shown
)

func (t *tool) readyCommand() *cobra.Command {
	address := "http://127.0.0.1:8080"
	cmd := &cobra.Command{
		Use: "ready", Short: "Check whether an API or a worker is ready; for health checks of containers",
		Long: "Request /readyz of an API or a worker, and print the answer. The exit code is 1 unless the process is ready.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.ready(cmd.Context(), address) },
	}
	cmd.Flags().StringVar(&address, "url", address, "the address of the process")
	return cmd
}

func (t *tool) ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+"/readyz",
		http.NoBody)
	if err != nil {
		return fmt.Errorf("--url: %w", err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, readySize))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %d %s", answer.StatusCode, strings.TrimSpace(string(said)))
	}
	_, err = fmt.Fprintln(t.out, strings.TrimSpace(string(said)))
	return err
}

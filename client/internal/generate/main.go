// Command generate writes the Go client from the OpenAPI document. It downloads the generator, unless the module cache
// has it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"dealflow/client/internal/document"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate DOCUMENT OUTPUT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := generate(ctx, os.Args[1], os.Args[2])
	stop()
	if err != nil {
		slog.New(slog.NewTextHandler(os.Stderr, nil)).ErrorContext(ctx, "the client is not generated", slog.Any("error", err))
		os.Exit(1)
	}
}

// generate reads the OpenAPI document in the file from, and writes the client to the file to. A comment of the client
// has the document.Sum that it was generated from. The generator runs in a temporary folder.
func generate(ctx context.Context, from, to string) error {
	written, err := os.ReadFile(from) //nolint:gosec // the document that the caller names
	if err != nil {
		return err
	}
	prepared, err := document.Prepare(written)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	sum, err := document.Sum(prepared)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "client")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	made, err := run(ctx, folder, prepared)
	if err != nil {
		return err
	}
	mark := []byte("// Made of sha256:" + sum + ".\n\npackage ")
	//nolint:gosec // source code, for everybody
	return os.WriteFile(to, bytes.Replace(made, []byte("package "), mark, 1), 0o644)
}

// run runs the generator on a prepared document in folder, and returns the Go source that it writes.
func run(ctx context.Context, folder string, prepared []byte) ([]byte, error) {
	if err := os.CopyFS(folder, document.Settings()); err != nil {
		return nil, err
	}
	input, output := filepath.Join(folder, "document.json"), filepath.Join(folder, "client.go")
	if err := os.WriteFile(input, prepared, 0o600); err != nil { //nolint:gosec // a folder of ours
		return nil, err
	}
	//nolint:gosec // constants, and a folder of ours
	cmd := exec.CommandContext(ctx, "go", "run", document.Generator, "-config", filepath.Join(folder, "generator.yaml"),
		"-templates", filepath.Join(folder, "templates"), "-o", output, input)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", document.Generator, err)
	}
	return os.ReadFile(output) //nolint:gosec // as above
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"dealflow/client"
	"dealflow/internal/config"
	"dealflow/internal/progress"
)

// exported is the object that the export command prints with --json.
type exported struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func (t *tool) exportCommand() *cobra.Command {
	var server config.Server
	var path string
	cmd := &cobra.Command{
		Use: "export -o FILE.zip", Short: "Save everything that an account has, with its files",
		Long: `Save a zip archive of everything that the owner of the API key sees of an account; it has neither the private
companies of others nor secrets. The key needs the scope admin. dealflow import imports the archive, also into another
installation.`,
		Example: `  dealflow export -o team.zip`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return t.export(cmd.Context(), server, path) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&path, "output", "o", "", "the file to write, which must not exist")
	flags.StringVar(&server.URL, "url", "", "the API's address with /api/v1; default: "+urlVariable)
	flags.StringVar(&server.Key, "api-key", "", "the API key; default: "+keyVariable)
	flags.StringVar(&server.AccountID, "account", "", "the account's id; default: "+accountVariable)
	return cmd
}

func (t *tool) export(ctx context.Context, given config.Server, path string) error {
	if path == "" {
		return errors.New("say where the archive goes: -o FILE.zip")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already: choose another name", path)
	}
	server, err := completed(given)
	if err != nil {
		return err
	}
	account, err := uuid.Parse(server.AccountID)
	if err != nil {
		return fmt.Errorf("the account %q is no id: set --account or %s", server.AccountID, accountVariable)
	}
	deals, err := client.New(server.URL, server.Key)
	if err != nil {
		return err
	}
	// The file gets its final name once it is complete.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	written, err := t.saveExport(ctx, deals, account, file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return refused(ctx, err, server.URL, nil)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return t.print(exported{File: path, Bytes: written}, "Saved %s, %d bytes.", path, written)
}

func (t *tool) saveExport(ctx context.Context, deals *client.Client, account uuid.UUID, file io.Writer) (int64, error) {
	counted, show := &progress.Writer{Writer: file}, progress.New(t.errOut)
	show.Start("received")
	stop := show.Every(func() { show.Bytes("received", counted.Count(), -1) })
	err := deals.ExportArchive(ctx, account, counted)
	stop()
	show.Done()
	return counted.Count(), err
}

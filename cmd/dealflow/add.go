package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dealflow/client"
	"dealflow/internal/config"
)

// maxFiles is how many files the API accepts with a company. The command refuses more before it sends any.
const maxFiles = 10

func (t *tool) addCommand() *cobra.Command {
	var server config.Server
	cmd := &cobra.Command{
		Use:   "add --text T [FILE...]",
		Short: "Add a company from a text and files; the workers of a running service analyse them",
		Long: `Send a text and up to 10 files to a running service, wait until its workers have analysed them, and show the
company that was created from them. Without flags and variables, address, key and account are those of the dealflow up
on DATA_DIR.`,
		Example: `  dealflow add --text @mail.txt deck.pdf`,
		RunE: func(cmd *cobra.Command, files []string) error {
			return t.add(cmd.Context(), server, cmd.Flags(), files)
		},
	}
	flags := cmd.Flags()
	flags.String("text", "", "the text: itself, @FILE, or - for stdin")
	flags.String("name", "", "the company's name; default: the one that the analysis finds")
	flags.String("visibility", "", "private, shared or team; default: team")
	flags.String("source", "", "manual, email, form, referral, website, event or other; default: as the analysis finds")
	flags.String("notes", "", "internal notes")
	flags.String("status", "", "the id of the company's status; default: the one that the analysis finds")
	flags.String("metadata", "", "a JSON object that is merged with what the analysis finds")
	flags.Bool("dry-run", false, "analyse, but store nothing")
	flags.StringVar(&server.URL, "url", "", "the API's address with /api/v1; default: "+urlVariable)
	flags.StringVar(&server.Key, "api-key", "", "the API key; default: "+keyVariable)
	flags.StringVar(&server.AccountID, "account", "", "the account's id; default: "+accountVariable)
	return need(cmd, "text")
}

func (t *tool) add(ctx context.Context, given config.Server, flags *pflag.FlagSet, paths []string) error {
	server, err := completed(given)
	if err != nil {
		return err
	}
	form, err := t.form(server.AccountID, flags)
	if err != nil {
		return err
	}
	files, err := openFiles(paths)
	if err != nil {
		return err
	}
	for _, file := range files {
		defer file.Close()
		form.Files = append(form.Files, client.File{Name: filepath.Base(file.Name()), Content: file})
	}
	text, err := t.openText(flags.Lookup("text").Value.String())
	if err != nil {
		return err
	}
	defer text.Close()
	form.Text = text
	deals, err := client.New(server.URL, server.Key)
	if err != nil {
		return err
	}
	made, err := deals.CreateCompanyByAI(ctx, form)
	if err != nil {
		return refused(ctx, err, server.URL, paths)
	}
	return t.showAdded(made)
}

// form returns a form with the account, and with a member for each flag about the company that was set, even to an
// empty value, except --text. The error is about an account that is not an id, or the last flag whose value cannot be
// parsed.
func (t *tool) form(account string, flags *pflag.FlagSet) (form client.AICreationForm, err error) {
	if form.AccountID, err = uuid.Parse(account); err != nil {
		return form, fmt.Errorf("the account %q is no id: set --account or %s", account, accountVariable)
	}
	flags.Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		switch f.Name {
		case "name":
			form.Name = &value
		case "notes":
			form.Notes = &value
		case "visibility":
			form.Visibility = new(client.Visibility(value))
		case "source":
			form.Source = new(client.Source(value))
		case "dry-run":
			form.DryRun = new(value == "true")
		case "metadata":
			form.Metadata, err = metadata(value)
		case "status":
			if id, failed := uuid.Parse(value); failed != nil {
				err = fmt.Errorf("--status: %q is no id", value)
			} else {
				form.CompanyStatusID = &id
			}
		}
	})
	return form, err
}

// metadata parses the value of --metadata, which must be one JSON object. Numbers are of the type json.Number.
func metadata(value string) (map[string]any, error) {
	var object map[string]any
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil || object == nil || !atEnd(decoder) {
		return nil, errors.New("--metadata must be a JSON object")
	}
	return object, nil
}

// atEnd reports whether only white space follows what the decoder has read. Its method More does not: it returns false
// before a closing bracket, too.
func atEnd(decoder *json.Decoder) bool {
	_, err := decoder.Token()
	return errors.Is(err, io.EOF)
}

// openFiles opens files, which the caller must close. It returns an error and no open file if there are more than
// maxFiles, or if one of them cannot be opened, is not a regular file, or is empty.
func openFiles(paths []string) ([]*os.File, error) {
	if len(paths) > maxFiles {
		return nil, fmt.Errorf("a company takes at most %d files, and these are %d", maxFiles, len(paths))
	}
	files := []*os.File{}
	for _, path := range paths {
		file, err := openFile(path)
		if err == nil {
			files = append(files, file)
			err = notEmpty(file)
		}
		if err != nil {
			for _, opened := range files {
				_ = opened.Close()
			}
			return nil, err
		}
	}
	return files, nil
}

func notEmpty(file *os.File) error {
	info, err := file.Stat()
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("%s is empty", file.Name())
	}
	return err
}

// openText returns a reader of the text of --text: stdin for "-", the file PATH for "@PATH", and otherwise value
// itself. The caller must close it, which does not close stdin.
func (t *tool) openText(value string) (io.ReadCloser, error) {
	if value == "-" {
		return io.NopCloser(t.in), nil
	}
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		file, err := os.Open(path) //nolint:gosec // the file that the user names
		if err != nil {
			return nil, fmt.Errorf("--text: %w (a text that begins with @ can be given on stdin, with --text -)", err)
		}
		return file, nil
	}
	return io.NopCloser(strings.NewReader(value)), nil
}

func (t *tool) showAdded(made client.AICreation) error {
	c := made.Company
	if c.AccountID == uuid.Nil {
		return errors.New("understand the company that the API answered with: it has no account")
	}
	// Names come from outside: quoting removes sequences that control the terminal.
	sentence := fmt.Sprintf("Would add %q", c.Name)
	if c.ID != nil {
		sentence = fmt.Sprintf("Added %q with the id %s", c.Name, *c.ID)
	}
	return t.print(c, "%s: %s.", sentence, findings(made))
}

// findings returns the source, status, deck and number of attachments of a company as one line, and says if its
// analysis is still running.
func findings(made client.AICreation) string {
	c := made.Company
	found := []string{"source " + string(c.Source), "no status", "no deck"}
	if c.CompanyStatus != nil {
		found[1] = fmt.Sprintf("status %q", c.CompanyStatus.StatusText)
	}
	switch {
	case c.DeckStoragePath != nil:
		found[2] = "deck stored"
	case c.DeckLink != nil:
		found[2] = fmt.Sprintf("deck at %q", *c.DeckLink)
	}
	if n := len(made.Attachments); n > 0 {
		found = append(found, fmt.Sprintf("attachments: %d", n))
	}
	if made.Analysis.ProcessedAt == nil {
		found = append(found, "the analysis goes on and is written to the company when it is done")
	}
	return strings.Join(found, ", ")
}

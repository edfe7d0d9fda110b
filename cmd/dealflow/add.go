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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dealflow/internal/config"
)

// maxFiles is how many the API takes with a company. More are refused here, before they are sent.
const maxFiles = 10

func (t *tool) addCommand() *cobra.Command {
	var server config.Server
	cmd := &cobra.Command{
		Use: "add --text T [FILE...]", Short: "Add a company from a text and files, which the workers of a running service analyse",
		Long: `Send a text and up to 10 files to a running service, wait until its workers have analysed them, and show the company that was made of them.
Address, key and account are those of the dealflow up on DATA_DIR where nothing else is said.`,
		Example: `  dealflow add --text @mail.txt deck.pdf`,
		RunE: func(cmd *cobra.Command, files []string) error {
			return t.add(cmd.Context(), server, cmd.Flags(), files)
		},
	}
	flags := cmd.Flags()
	flags.String("text", "", "what was written: the text itself, @FILE, or - for stdin")
	flags.String("name", "", "the company's name; default: what is found")
	flags.String("visibility", "", "private, shared or team; default: team")
	flags.String("source", "", "manual, email, form, referral, website, event or other; default: what is found")
	flags.String("notes", "", "internal notes")
	flags.String("status", "", "the id of the company's status; default: what is found")
	flags.String("metadata", "", "a JSON object that is merged with what is found")
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
	form := upload{fields: append([][2]string{{"account_id", server.AccountID}}, formFields(flags)...)}
	if form.files, err = openFiles(paths); err != nil {
		return err
	}
	if form.text, err = t.openText(flags.Lookup("text").Value.String()); err != nil {
		return err
	}
	body, contentType := form.body()
	defer body.Close() // lets the writing end
	var made added
	if err := post(ctx, server, "/companies/upload/ai", contentType, body, &made); err != nil {
		return withFileNames(err, paths)
	}
	return t.showAdded(made)
}

// formFields are the fields of the flags that were given, be their value empty or not.
func formFields(flags *pflag.FlagSet) [][2]string {
	fields := [][2]string{}
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "name", "visibility", "source", "notes", "metadata":
			fields = append(fields, [2]string{f.Name, f.Value.String()})
		case "status":
			fields = append(fields, [2]string{"company_status_id", f.Value.String()})
		case "dry-run":
			fields = append(fields, [2]string{"dry_run", f.Value.String()})
		}
	})
	return fields
}

// openFiles opens all files, or none where there is anything wrong with any.
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

// openText gives the text of --text: what stands there, or the file or stdin that it names.
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

// withFileNames tells a refused file by its name where the API told it by its field.
func withFileNames(err error, paths []string) error {
	if refused, ok := errors.AsType[*refusal](err); ok {
		for i, detail := range refused.Details {
			for position, path := range paths {
				if detail.Field == fileField(position) {
					refused.Details[i].Field = filepath.Base(path)
				}
			}
		}
	}
	return err
}

// added is what the API answers.
type added struct {
	Company     json.RawMessage   `json:"company"` // as it is, for --json
	Attachments []json.RawMessage `json:"attachments"`
	Analysis    struct {
		ProcessedAt *string `json:"processedAt"`
	} `json:"analysis"`
}

// addedCompany is what a person is told of a company.
type addedCompany struct {
	ID       *string `json:"id"` // null where nothing was stored
	Name     string  `json:"name"`
	Source   string  `json:"source"`
	DeckLink *string `json:"deck_link"`
	DeckPath *string `json:"deck_storage_path"`
	Status   *struct {
		Text string `json:"status_text"`
	} `json:"company_status"`
}

func (t *tool) showAdded(made added) error {
	var c addedCompany
	if err := json.Unmarshal(made.Company, &c); err != nil {
		return fmt.Errorf("understand the company that the API answered with: %w", err)
	}
	// Names come from outside: quoted, they cannot steer the terminal.
	sentence := fmt.Sprintf("Would add %q", c.Name)
	if c.ID != nil {
		sentence = fmt.Sprintf("Added %q with the id %s", c.Name, *c.ID)
	}
	return t.print(made.Company, "%s: %s.", sentence, c.findings(made))
}

// findings sums up what is known of the company.
func (c addedCompany) findings(made added) string {
	found := []string{"source " + c.Source, "no status", "no deck"}
	if c.Status != nil {
		found[1] = fmt.Sprintf("status %q", c.Status.Text)
	}
	switch {
	case c.DeckPath != nil:
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

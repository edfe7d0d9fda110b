package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"dealflow/client"
	"dealflow/internal/config"
	"dealflow/internal/progress"
)

// importFlags are the flags of the import command.
type importFlags struct {
	kind, format string
	create       bool
	server       config.Server
}

func (t *tool) importCommand() *cobra.Command {
	var given importFlags
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Import emails, form submissions, companies or a whole export from a file of any size",
		Long: `Send a file to a running service and show the progress until all rows are written, also over broken
connections. The extension of its name shows its format (.ndjson and .jsonl, .csv, .mbox, .eml), and its first row the
kind of the rows: emails if it has a sender, companies if it has a text, else form submissions. A file may be sent again
after its upload failed: rows that were stored before are counted as duplicates. The exit code is 1 if the import
did not complete or any row is bad.

A .zip is an archive of dealflow export, which may be of another installation: its lines are written, then its files are
sent. Invite the people first, so that the records that they created stay theirs. The key needs the scope admin.`,
		Example: `  dealflow import team.zip
  dealflow import mailbox.mbox --create-companies
  dealflow import answers.csv --kind form-submissions`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return t.importFile(cmd.Context(), given, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&given.kind, "kind", "",
		"emails, form-submissions or companies; default: the kind that the first row shows")
	flags.StringVar(&given.format, "format", "",
		"ndjson, csv, mbox or eml; default: the format of the file name's extension")
	flags.BoolVar(&given.create, "create-companies", false,
		"make a company of each new email or submission, unless it is there")
	flags.StringVar(&given.server.URL, "url", "", "the API's address with /api/v1; default: "+urlVariable)
	flags.StringVar(&given.server.Key, "api-key", "", "the API key; default: "+keyVariable)
	flags.StringVar(&given.server.AccountID, "account", "", "the account's id; default: "+accountVariable)
	return cmd
}

// importing is one run of the import command.
type importing struct {
	tool    *tool
	deals   *client.Client
	account uuid.UUID
	server  string
	show    *progress.Display
}

func (t *tool) importFile(ctx context.Context, given importFlags, path string) error {
	server, err := completed(given.server)
	if err != nil {
		return err
	}
	run := importing{tool: t, server: server.URL, show: progress.New(t.errOut)}
	if run.account, err = uuid.Parse(server.AccountID); err != nil {
		return fmt.Errorf("the account %q is no id: set --account or %s", server.AccountID, accountVariable)
	}
	if run.deals, err = client.New(server.URL, server.Key); err != nil {
		return err
	}
	file, err := os.Open(path) //nolint:gosec // the file that the user names
	if err != nil {
		return err
	}
	defer file.Close()
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		return run.archive(ctx, path)
	}
	up, err := given.upload(file)
	if err != nil {
		return err
	}
	return run.rows(ctx, up)
}

// rows uploads rows, shows the progress until the import ends, and prints the result. The error is reported{} if the
// only problem is that some rows were bad; see report.
func (i importing) rows(ctx context.Context, up client.Upload) error {
	made, err := i.send(ctx, up)
	if err != nil {
		return refused(ctx, err, i.server, nil)
	}
	if made, err = i.watch(ctx, made); err != nil {
		return refused(ctx, err, i.server, nil)
	}
	return i.report(ctx, made)
}

// upload returns the upload of a file. Kind and format are those of the flags; if a flag is not set, the kind is the
// one that the first row shows, and the format that of the extension of the file's name. It returns an error for a
// folder, and if the kind or the format is not known.
func (f importFlags) upload(file *os.File) (client.Upload, error) {
	info, err := file.Stat()
	if err != nil {
		return client.Upload{}, err
	}
	if info.IsDir() {
		return client.Upload{}, fmt.Errorf("%s is a folder", file.Name())
	}
	in := bufio.NewReaderSize(file, 1<<20)
	up := client.Upload{Kind: client.ImportKind(f.kind), Content: in, Size: info.Size(), CreateCompanies: f.create}
	if !info.Mode().IsRegular() {
		up.Size = -1
	}
	format := f.format
	if format == "" {
		format = formatOfName(file.Name())
	}
	media := map[string]string{
		"ndjson": "application/x-ndjson", "csv": "text/csv", "mbox": "application/mbox", "eml": "message/rfc822",
	}
	if up.MediaType = media[format]; up.MediaType == "" {
		return up, fmt.Errorf("the format of %s is not known by its name: give --format ndjson, csv, mbox or eml",
			filepath.Base(file.Name()))
	}
	if up.Kind == "" {
		up.Kind, err = kindOfRows(format, in)
	} else if !slices.Contains([]string{"emails", "form-submissions", "companies"}, f.kind) {
		err = fmt.Errorf("--kind: %q is neither emails nor form-submissions nor companies", f.kind)
	}
	return up, err
}

func formatOfName(name string) string {
	return map[string]string{
		".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".tsv": "csv", ".mbox": "mbox", ".mbx": "mbox", ".eml": "eml",
	}[strings.ToLower(filepath.Ext(name))]
}

// kindOfRows returns the kind of the rows of a file: emails for mbox and eml, else the one that the names of the
// columns, or of the members of the first row, show. CSV without a column "text" is form submissions. If the first row
// shows no kind, the error says to use --kind. It peeks at most a megabyte of in, which must have such a buffer, and
// consumes nothing.
func kindOfRows(format string, in *bufio.Reader) (client.ImportKind, error) {
	if format == "mbox" || format == "eml" {
		return "emails", nil
	}
	head, err := in.Peek(1 << 20)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} { // UTF-16: without its NULs, the names of members are ASCII
		if rest, found := bytes.CutPrefix(head, []byte(mark)); found {
			head = bytes.ReplaceAll(rest, []byte{0}, nil)
		}
	}
	row, rest := firstLine(head)
	if format == "csv" {
		if bytes.HasPrefix(row, []byte("sep=")) { // a line that Excel writes
			row, _ = firstLine(rest)
		}
		isText := func(name string) bool { return strings.Trim(name, "\" \t\r") == "text" }
		if slices.ContainsFunc(strings.FieldsFunc(string(row),
			func(r rune) bool { return strings.ContainsRune(",;\t|", r) }), isText) {
			return "companies", nil
		}
		return "form-submissions", nil
	}
	members := membersOf(row)
	for _, known := range []struct {
		member string
		kind   client.ImportKind
	}{{"from_email", "emails"}, {"message_id", "emails"}, {"attachments", "emails"}, {"data", "form-submissions"}, {
		"text", "companies",
	}} {
		if members[known.member] {
			return known.kind, nil
		}
	}
	return "", errors.New(
		"the first row does not show what the rows are: give --kind emails, form-submissions or companies",
	)
}

// firstLine returns the first line that is not blank, without the white space before it and without its end, and the
// text after that line. Both are empty if all lines are blank.
func firstLine(text []byte) (line, rest []byte) {
	text = bytes.TrimLeft(text, "\ufeff \t\r\n")
	end := bytes.IndexAny(text, "\r\n")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// membersOf returns the names of the members of a JSON object. If the object is cut off or malformed, it returns the
// names before that point: attachments may make a row longer than the part that was read.
func membersOf(row []byte) map[string]bool {
	members, in := map[string]bool{}, json.NewDecoder(bytes.NewReader(row))
	if begin, err := in.Token(); err != nil || begin != json.Delim('{') {
		return members
	}
	for in.More() {
		name, err := in.Token()
		text, isText := name.(string)
		if err != nil || !isText {
			break
		}
		members[text] = true
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
	}
	return members
}

// send uploads the file, shows how much of it was sent, and returns the import, which is still running in general.
func (i importing) send(ctx context.Context, up client.Upload) (client.Import, error) {
	counted := &progress.Reader{Reader: up.Content}
	up.Content = counted
	i.show.Start("sent")
	stop := i.show.Every(func() { i.show.Bytes("sent", counted.Count(), up.Size) })
	made, err := i.deals.StartImport(ctx, i.account, up)
	stop()
	if err == nil {
		i.show.Bytes("sent", counted.Count(), up.Size)
	}
	i.show.Done()
	return made, err
}

// showRows shows how many rows were written. It does nothing if the display was updated a moment ago, unless the import
// has ended.
func (i importing) showRows(now client.Import) {
	if i.show.Due(now.FinishedAt != nil) {
		i.show.Show("rows", int64(now.Processed), int64(now.Total), func(rate float64) string {
			return fmt.Sprintf("%d of %d rows written, %.0f/s, %d duplicates, %d bad",
				now.Processed, now.Total, rate, now.Duplicates, now.Failed)
		})
	}
}

// watchAgain is how long watch waits before it connects again, and watchPatience the time without an event after which
// it gives up.
const (
	watchAgain    = time.Second
	watchPatience = 5 * time.Minute
)

// watch shows the progress of the import until the import ends, and returns the ended import. If a connection breaks,
// or the service refuses for a while (429 and 5xx), watch connects again. The error is another refusal of the service,
// or says that ctx has ended or that no event came for watchPatience. The import continues after an error.
func (i importing) watch(ctx context.Context, made client.Import) (client.Import, error) {
	defer i.show.Done()
	heard := time.Now()
	for made.FinishedAt == nil {
		err := i.deals.WatchImport(ctx, i.account, made.ID, func(now client.Import) error {
			made, heard = now, time.Now()
			i.showRows(now)
			return nil
		})
		refusal, isRefusal := errors.AsType[*client.Error](err)
		switch {
		case ctx.Err() != nil:
			return made, fmt.Errorf("no longer watched: the import %s goes on", made.ID)
		case isRefusal && refusal.Status < 500 && refusal.Status != 429:
			return made, err
		case err != nil && time.Since(heard) > watchPatience:
			return made, fmt.Errorf("the import %s cannot be watched any more, it goes on: %w", made.ID, err)
		case made.FinishedAt == nil:
			select {
			case <-ctx.Done():
			case <-time.After(watchAgain):
			}
		}
	}
	return made, nil
}

// shownErrors is how many bad rows report shows.
const shownErrors = 5

// report prints the result of the import, and the errors of the first shownErrors bad rows. It returns an error if the
// import did not complete or a row is bad: reported{} if the printed text says so already.
func (i importing) report(ctx context.Context, made client.Import) error {
	if err := i.tool.print(made, "Import %s %s: %d rows, %d new, %d duplicates, %d bad.", made.ID, made.Status,
		made.Total, made.Created, made.Duplicates, made.Failed); err != nil {
		return err
	}
	if made.Failed > 0 {
		if err := i.showErrors(ctx, made); err != nil {
			return refused(ctx, err, i.server, nil)
		}
	}
	switch {
	case made.Error != nil:
		return fmt.Errorf("the import %s: %s", made.Status, *made.Error)
	case made.Status != "completed" || made.Failed > 0:
		return reported{}
	}
	return nil
}

func (i importing) showErrors(ctx context.Context, made client.Import) error {
	shown, enough := 0, errors.New("enough")
	err := i.deals.ImportErrors(ctx, i.account, made.ID, func(e client.RowError) error {
		if shown++; shown > shownErrors {
			return enough
		}
		_, err := fmt.Fprintf(i.tool.errOut, "row %d: %q\n", e.Row, e.Reason) // quoted, as it may control the terminal
		return err
	})
	if errors.Is(err, enough) {
		_, err = fmt.Fprintf(i.tool.errOut, "… all %d: GET %s/accounts/%s/imports/%s/errors\n", made.Failed, i.server,
			i.account, made.ID)
	}
	return err
}

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"dealflow/client"
)

const (
	// archiveLines is the name of the file with the lines in an archive.
	archiveLines = "export.ndjson"
	// fileAttempts is how often a file is sent at most while the service requests a later attempt, or does not answer.
	fileAttempts = 8
	// longestPause is how long to wait at most before a file is sent again to a service that did not answer.
	longestPause = 30 * time.Second
)

// archive imports an archive of dealflow export. It first sends the lines that have no file, since files refer to other
// lines, and then each other line with its file. If lines are bad, it sends the files all the same and returns
// reported{}, or the error that ended the files. Any other error of the lines ends the import.
func (i importing) archive(ctx context.Context, path string) error {
	opened, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("%s: %w: is it an archive of dealflow export, and whole?", path, err)
	}
	defer opened.Close()
	files, err := checkLines(&opened.Reader)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	reader, writer := io.Pipe()
	defer reader.Close()
	go func() {
		writer.CloseWithError(eachLine(&opened.Reader, func(line []byte, about archiveLine) error {
			if about.Data.Path != "" {
				return nil
			}
			_, err := writer.Write(append(line, '\n'))
			return err
		}))
	}()
	written := i.rows(ctx, client.Upload{Kind: "account", MediaType: "application/x-ndjson", Content: reader, Size: -1})
	if written != nil && !errors.Is(written, reported{}) { // after bad rows, the files are sent all the same
		return written
	}
	if err := i.files(ctx, &opened.Reader, files); err != nil {
		return err // not joined with written: run would take it for one that was printed
	}
	return written
}

// archiveLine has the members of a line of an archive that decide how the line is sent.
type archiveLine struct {
	Type string `json:"type"`
	Data struct {
		Path  string `json:"path"`
		Lines int    `json:"lines"`
	} `json:"data"`
}

// eachLine calls fn with each line of the archive that is not blank, without its end. It stops at the first line that
// is not JSON, and at the first error of fn, and returns that error. It also returns an error if the archive lacks the
// file with the lines.
func eachLine(archive *zip.Reader, fn func(line []byte, about archiveLine) error) error {
	file, err := archive.Open(archiveLines)
	if err != nil {
		return fmt.Errorf("it has no %s: is it an archive of dealflow export?", archiveLines)
	}
	defer file.Close()
	for in := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var about archiveLine
			if err := json.Unmarshal(line, &about); err != nil {
				return fmt.Errorf("a line of %s: %w", archiveLines, err)
			}
			if err := fn(line, about); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// checkLines returns how many lines of an archive have a file. It returns an error if the last line is not that of a
// complete export, or if a line is not JSON.
func checkLines(archive *zip.Reader) (files int, err error) {
	count, whole := 0, false
	err = eachLine(archive, func(_ []byte, about archiveLine) error {
		whole = about.Type == "end" && about.Data.Lines == count
		count++
		if about.Data.Path != "" {
			files++
		}
		return nil
	})
	if err == nil && !whole {
		err = fmt.Errorf("%s has no end: it is not a whole export", archiveLines)
	}
	return files, err
}

// showFiles shows how many files were sent (now) of how many (total). It does nothing if the display was updated a
// moment ago, unless now is total.
func (i importing) showFiles(now, total int) {
	if i.show.Due(now == total) {
		i.show.Show("files", int64(now), int64(total), func(rate float64) string {
			return fmt.Sprintf("%d of %d files sent, %.0f/s", now, total, rate)
		})
	}
}

// files sends each line that has a file, together with the file; total is the number of such lines. It reports a file
// that is missing in the archive or that the service refuses, continues with the next, and returns reported{} at the
// end. Any other error ends it.
func (i importing) files(ctx context.Context, archive *zip.Reader, total int) error {
	made, there, bad := 0, 0, 0
	i.show.Start("files")
	err := eachLine(archive, func(line []byte, about archiveLine) error {
		if about.Data.Path == "" {
			return nil
		}
		sent, err := i.file(ctx, archive, line, about.Data.Path)
		_, isRefusal := errors.AsType[*client.Error](err)
		switch {
		case isRefusal || errors.Is(err, fs.ErrNotExist):
			bad++
			_, err = fmt.Fprintf(i.tool.errOut, "%q: %v\n", about.Data.Path, err)
			return err
		case err != nil:
			return refused(ctx, err, i.server, nil)
		case sent.Created:
			made++
		default:
			there++
		}
		i.showFiles(made+there+bad, total)
		return nil
	})
	i.show.Done()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(i.tool.errOut, "%d files: %d new, %d there already, %d bad.\n", total, made, there,
		bad); err != nil {
		return err
	}
	if bad > 0 {
		return reported{}
	}
	return nil
}

// file sends a file with its line. It tries again as pauseAfter says, up to fileAttempts times in all. If a response
// was lost, it sends the file again, which is safe: the service restores nothing twice.
func (i importing) file(ctx context.Context, archive *zip.Reader, line []byte, path string) (client.RestoredFile,
	error,
) {
	for attempt := 1; ; attempt++ {
		content, err := archive.Open(path)
		if err != nil {
			return client.RestoredFile{}, err
		}
		sent, err := i.deals.ImportAccountFile(ctx, i.account, client.AccountFileForm{
			Line: bytes.NewReader(line), File: client.File{Name: "content", Content: content},
		})
		_ = content.Close() // its error adds nothing
		wait, again := pauseAfter(err, attempt)
		if !again || attempt == fileAttempts {
			return sent, err
		}
		if err := pause(ctx, wait); err != nil {
			return sent, err
		}
	}
}

// pauseAfter reports whether a file must be sent again after an attempt that returned err, and how long to wait before
// that. It reports false for nil, errors of reading the archive, and refusals of the service without Retry-After. The
// wait is that of Retry-After or, if the service did not answer, for example because it is being restarted, longer with
// each attempt, up to longestPause. attempt counts from 1.
func pauseAfter(err error, attempt int) (wait time.Duration, again bool) {
	if refusal, is := errors.AsType[*client.Error](err); is {
		return refusal.RetryAfter, refusal.RetryAfter > 0
	}
	_, unread := errors.AsType[*client.ReadError](err)
	return min(time.Second<<(attempt-1), longestPause), err != nil && !unread
}

package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// Upload is a file to import.
type Upload struct {
	Kind            ImportKind
	MediaType       string    // application/x-ndjson, text/csv, application/mbox or message/rfc822
	Content         io.Reader // read once, while it is sent; not closed
	Size            int64     // bytes; -1 if it is not known
	CreateCompanies bool      // create a company from each new email or submission
}

// RowError says what is wrong with a row of an import. Row counts from 1 and does not count a header.
type RowError struct {
	Row    int64  `json:"row"`
	Reason string `json:"reason"`
}

// ErrBroken is the error that WatchImport returns, as it is or wrapped, if the stream of events ended before the import
// did: test for it with errors.Is. The caller may call WatchImport again, unless its context has ended.
var ErrBroken = errors.New("the stream of events broke off")

// maxEvent is how many bytes a line of an event may have. A longer line, which the service does not send, ends the
// stream with an error.
const maxEvent = 1 << 20

// StartImport sends a file of any size, and returns the import once the service has received all of the file; the rows
// are written later: see WatchImport. Errors in the content of the file are not errors of StartImport: see
// ImportErrors. The error is a *ReadError if up.Content fails, and an *Error if the service refuses.
func (c *Client) StartImport(ctx context.Context, accountID AccountID, up Upload, options ...Option) (Import, error) {
	address := c.base + expand("/accounts/%s/imports/%s", accountID, up.Kind)
	if up.CreateCompanies {
		address += "?" + url.Values{"create_companies": {"true"}}.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, address,
		io.NopCloser(marked{File{Name: "the file", Content: up.Content}}))
	if err != nil {
		return Import{}, err
	}
	sent.ContentLength = up.Size
	sent.Header.Set("Content-Type", up.MediaType)
	sent.Header.Set("Expect", "100-continue") // a refusal that needs no body comes before the body is sent
	response, err := c.send(sent, options)
	if err != nil {
		return Import{}, err
	}
	defer response.Body.Close()
	var data struct {
		Import Import `json:"import"`
	}
	return data.Import, c.read(response, &data)
}

// WatchImport calls each with the import as it is now, and again at each change, and returns nil once the import is
// over. If each returns an error, WatchImport ends and returns that error. If the stream ends before the import is
// over, the error is ErrBroken or wraps it. If the service refuses, it is an *Error.
func (c *Client) WatchImport(
	ctx context.Context, accountID AccountID, importID uuid.UUID, each func(Import) error, options ...Option,
) error {
	response, err := c.get(ctx, expand("/accounts/%s/imports/%s/events", accountID, importID), options)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEvent)
	for data := ""; lines.Scan(); {
		if line, found := strings.CutPrefix(lines.Text(), "data: "); found {
			data = line
			continue
		}
		// A blank line ends an event. A stream that breaks off may end with a part of an event, which is ignored.
		if lines.Text() != "" || data == "" {
			continue
		}
		var now Import
		if err := json.Unmarshal([]byte(data), &now); err != nil {
			return fmt.Errorf("understand an event of %s: %w", c.base, err)
		}
		if err := each(now); err != nil || now.FinishedAt != nil {
			return err
		}
		data = ""
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return ErrBroken
}

// ImportErrors calls each with the bad rows of an import, in the order of the rows. It stops at the first error of
// each, and returns that error. The error is an *Error if the service refuses.
func (c *Client) ImportErrors(
	ctx context.Context, accountID AccountID, importID uuid.UUID, each func(RowError) error, options ...Option,
) error {
	response, err := c.get(ctx, expand("/accounts/%s/imports/%s/errors", accountID, importID), options)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	for lines := json.NewDecoder(response.Body); ; {
		var one RowError
		if err := lines.Decode(&one); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the row errors of %s: %w", c.base, err)
		}
		if err := each(one); err != nil {
			return err
		}
	}
}

// get requests a file or a stream, and returns the response, whose status is 200. The caller must close its body. The
// error is an *Error if the service refuses.
func (c *Client) get(ctx context.Context, path string, options []Option) (*http.Response, error) {
	sent, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := c.send(sent, options)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	if err := c.read(response, nil); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s answered %d, and not as this API does", c.base, response.StatusCode)
}

func (c *Client) send(sent *http.Request, options []Option) (*http.Response, error) {
	if c.key != "" {
		sent.Header.Set("Authorization", "Bearer "+c.key)
	}
	sent.Header.Set("User-Agent", "dealflow")
	for _, option := range options {
		option(sent)
	}
	return c.http.Do(sent)
}

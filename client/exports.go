package client

import (
	"context"
	"fmt"
	"io"
)

// ExportArchive writes to out a zip archive of everything in an account that the user of the key sees. The user must be
// an admin of the account. The error is an *Error if the service refuses. After any other error, out may have a part of
// an archive.
func (c *Client) ExportArchive(ctx context.Context, accountID AccountID, out io.Writer, options ...Option) error {
	response, err := c.get(ctx, expand("/accounts/%s/export?format=zip", accountID), options)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(out, response.Body); err != nil {
		return fmt.Errorf("read the export of %s: %w", c.base, err)
	}
	return nil
}

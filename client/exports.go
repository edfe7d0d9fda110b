package client

import (
	"context"
	"fmt"
	"io"
)

// ExportArchive writes the zip archive of everything an account has to out. What was written is no archive where it
// fails.
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

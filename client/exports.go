package client

import (
	"context"
	"fmt"
	"io"
)

// ExportArchive writes to out a zip archive of everything that the user of the key sees of an account. The user must be
// an admin of the account. After an error, the output is not a valid archive.
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

package imports

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
	"dealflow/internal/transfer"
)

// accountRows are rows that are lines of an export of an account. No line refers to a later one.
type accountRows struct{}

func (accountRows) read(_ string, _ *header, raw []byte) (any, string, error) {
	line, err := transfer.ReadLine(raw)
	return &line, line.Type + " " + line.Key, err
}

func (accountRows) prepare(context.Context, uuid.UUID, Import, []row) error { return nil }

// refuse returns the lines whose content is missing, by their numbers, with the reason. The error is Forbidden or
// NotFound if the user is neither an owner nor an admin any more.
func (accountRows) refuse(tx *postgres.Tx, it Import, rows []row) (map[int64]error, error) {
	if err := account.RequireAdmin(tx, it.AccountID); err != nil {
		return nil, fmt.Errorf("restore account %s: %w", it.AccountID, err)
	}
	missing, err := transfer.Missing(tx, it.AccountID, linesOf(rows))
	if err != nil {
		return nil, err
	}
	refused := map[int64]error{}
	for position, reason := range missing {
		refused[rows[position].number] = reason
	}
	return refused, nil
}

func (accountRows) write(tx *postgres.Tx, it Import, rows []row) ([]journal.Thing, error) {
	return transfer.Restore(tx, it.AccountID, linesOf(rows))
}

func linesOf(rows []row) []transfer.Line {
	lines := make([]transfer.Line, len(rows))
	for i, r := range rows {
		if line, isLine := r.item.(*transfer.Line); isLine {
			lines[i] = *line
		}
	}
	return lines
}

package transfer

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/postgres"
)

// csvColumns are the columns of the companies' table.
func csvColumns() []string {
	return slices.Concat([]string{"id", "name", "status", "visibility", "source"}, company.PlainNames(),
		[]string{"text", "external_id", "assignees", "created_by", "created_at", "updated_at", "metadata"})
}

// csvCompanies has such a row for each company. Times are written as JSON has them.
func csvCompanies() string {
	return `SELECT c.id::text, c.name, (SELECT s.name FROM company_statuses s WHERE s.id = c.company_status_id),
		c.visibility, c.source, ` + company.PlainSQL("c.") + `, c.source_content, c.external_id,
		(SELECT string_agg(u.email, ', ' ORDER BY u.email) FROM company_assignees a JOIN users u ON u.id = a.user_id
		WHERE a.company_id = c.id),
		(SELECT u.email FROM users u WHERE u.id = c.created_by), to_json(c.created_at) #>> '{}',
		to_json(c.updated_at) #>> '{}', c.metadata::text
	FROM companies c WHERE c.account_id = $1 ORDER BY c.id`
}

// ExportCSV writes the companies as a table for spreadsheets. Refusals are as of Export.
func (s *Service) ExportCSV(ctx context.Context, who *postgres.Identity, accountID uuid.UUID, out io.Writer) error {
	return s.snapshot(ctx, who, accountID, func(ctx context.Context, read *postgres.Snapshot) error {
		table := csv.NewWriter(out)
		if err := table.Write(csvColumns()); err != nil {
			return err
		}
		cells := make([]string, len(csvColumns()))
		err := read.Each(ctx, func(columns [][]byte) error {
			for i, text := range columns {
				cells[i] = Defused(string(text))
			}
			return table.Write(cells)
		}, csvCompanies(), accountID)
		if err != nil {
			return fmt.Errorf("export companies as CSV: %w", err)
		}
		table.Flush()
		return table.Error()
	})
}

// Defused returns a cell that no spreadsheet takes for a formula, whatever somebody wrote.
func Defused(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}

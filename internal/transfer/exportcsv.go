package transfer

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/company/plain"
	"dealflow/internal/postgres"
)

// column is a column of a CSV table: its name, and the SQL for the text of its cells.
type column struct{ name, text string }

// same returns a column of a CSV table with the values of the database's column of the same name.
func same(name string) column { return column{name, "x." + name + "::text"} }

// when returns a column with a time.
func when(name string) column { return column{name, timeOf("x." + name)} }

// list returns a column with an array, whose elements are separated by ", ".
func list(name string) column { return column{name, "array_to_string(x." + name + ", ', ')"} }

// table returns the database table for a kind of things, and the columns of its CSV table. It treats an unknown kind as
// KindCompanies.
func table(kind string) (from string, columns []column) {
	created, updated, metadata := when("created_at"), when("updated_at"), same("metadata")
	by := column{"created_by", person("x.created_by")}
	switch kind {
	case KindMinutes:
		return "meeting_minutes", []column{
			same("id"), same("title"), same("content"), same("company_id"), when("meeting_date"), list("attendees"),
			same("processed"), by, created, updated, metadata,
		}
	case KindSubmissions:
		return "form_submissions", []column{
			same("id"), same("integration_type"), same("external_id"), same("company_id"), same("processed"), same("data"),
			created, updated, metadata,
		}
	case KindEmails:
		return "emails", []column{
			same("id"), same("external_id"), same("from_email"), same("from_name"), list("to_emails"), same("subject"),
			same("content"), list("tags"), same("processed"), same("attachments_count"),
			{"company_ids", "(SELECT string_agg(l.company_id::text, ', ' ORDER BY l.company_id) FROM email_companies l " +
				"WHERE l.email_id = x.id)"},
			created, updated, metadata,
		}
	}
	columns = []column{
		same("id"), same("name"),
		{"status", "(SELECT s.name FROM company_statuses s WHERE s.id = x.company_status_id)"},
		same("visibility"), same("source"),
	}
	for _, name := range plain.Names() {
		columns = append(columns, same(name))
	}
	return "companies", append(columns, []column{
		{"text", "x.source_content"},
		same("external_id"),
		{"assignees", "(SELECT string_agg(u.email, ', ' ORDER BY u.email) FROM company_assignees a JOIN users u " +
			"ON u.id = a.user_id WHERE a.company_id = x.id)"},
		by, created, updated, metadata,
	}...)
}

// ExportCSV writes the things of one kind that the caller sees as a CSV table for spreadsheets. An unknown kind counts
// as KindCompanies. The error is NotFound or Forbidden if the caller is neither an owner nor an admin of the account,
// and Unavailable if too many exports run; nothing was written then. After any other error the table is incomplete.
func (s *Service) ExportCSV(
	ctx context.Context, who *postgres.Identity, accountID uuid.UUID, kind string, out io.Writer,
) error {
	from, columns := table(kind)
	names, texts := make([]string, len(columns)), make([]string, len(columns))
	for i, one := range columns {
		names[i], texts[i] = one.name, one.text
	}
	query := "SELECT " + strings.Join(texts, ", ") + " FROM " + from + " x WHERE x.account_id = $1 ORDER BY x.id"
	return s.snapshot(ctx, who, accountID, func(ctx context.Context, read *postgres.Snapshot) error {
		rows := NewCSV(out)
		if err := rows.Row(names...); err != nil {
			return err
		}
		cells := make([]string, len(names))
		err := read.Each(ctx, func(columns [][]byte) error {
			for i, text := range columns {
				cells[i] = string(text)
			}
			return rows.Row(cells...)
		}, query, accountID)
		if err != nil {
			return fmt.Errorf("export %s as CSV: %w", kind, err)
		}
		return rows.Flush()
	})
}

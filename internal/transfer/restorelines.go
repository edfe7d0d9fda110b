package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"dealflow/internal/fault"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
	"dealflow/internal/savedview"
)

// Line is a parsed line of an export.
type Line struct {
	Type string
	Key  string // the id; unique among the lines of its type
	Data json.RawMessage

	Path   string // of the line's content in the archive; "" if it has no content
	SHA256 string // of the content, in hexadecimal
}

// check returns InvalidBody if the data of a line has values that no export has.
func (l Line) check() error {
	if err := checkShape(l.Data); err != nil {
		return err
	}
	if l.Type == TypeView {
		return checkView(l.Data)
	}
	return nil
}

// ReadLine parses a line that Export wrote. The Key is "" for a header, an account, a member and the end; any other
// line must have an id. The error is InvalidBody if it has none, if the text is not a JSON object with an object as its
// data, if its type is unknown, if a header is not that of an export or is of a newer version, or if checkShape or
// checkView refuses the data. Other members are checked only when the line is restored.
func ReadLine(raw []byte) (Line, error) {
	var read struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		return Line{}, fault.JSON(err)
	}
	var known struct {
		ID      *uuid.UUID `json:"id"`
		EmailID *uuid.UUID `json:"email_id"`
		Path    *string    `json:"path"`
		SHA256  *string    `json:"sha256"`
		Format  string     `json:"format"`
		Version int        `json:"version"`
	}
	if err := json.Unmarshal(read.Data, &known); err != nil {
		return Line{}, fault.Field("data", "must be an object with the members of its type")
	}
	line := Line{Type: read.Type, Data: read.Data}
	if err := line.check(); err != nil {
		return line, err
	}
	switch read.Type {
	case TypeHeader:
		if known.Format != "dealflow-export" || known.Version < 1 || known.Version > Version {
			return line, fault.Field("version",
				fmt.Sprintf("must be at most %d: this export is of a newer version of the service", Version))
		}
		return line, nil
	case TypeAccount, TypeMember, TypeEnd:
		return line, nil
	case TypeEmailMessage:
		known.ID = known.EmailID
	default:
		if restores()[read.Type].insert == "" {
			return line, fault.Field("type", fmt.Sprintf("%.40q is not known", read.Type))
		}
	}
	if known.ID == nil {
		return line, fault.Field("data", "has no id")
	}
	line.Key = known.ID.String()
	if known.Path != nil && known.SHA256 != nil {
		line.Path, line.SHA256 = *known.Path, *known.SHA256
	}
	return line, nil
}

// checkView returns InvalidBody for a saved view that savedview.Draft.Check refuses, since pages rely on that check.
func checkView(data json.RawMessage) error {
	var view struct {
		Name    string   `json:"name"`
		Search  string   `json:"search"`
		Source  string   `json:"source"`
		SortBy  string   `json:"sort_by"`
		Columns []string `json:"columns"`
	}
	if err := json.Unmarshal(data, &view); err != nil {
		return fault.JSON(err)
	}
	draft := savedview.Draft{
		Name: view.Name, Search: view.Search, Source: view.Source, SortBy: view.SortBy, Columns: view.Columns,
	}
	return draft.Check()
}

// Restore writes lines back to an account, in the transaction of an owner or admin of it, and returns the things that
// are new, for the journal of imports. The lines must be in the order in which Export wrote them. The caller commits.
// Restore skips headers, accounts, members, ends, and lines with content, which need RestoreContent. It does not change
// what the account has already. An error that wraps gorm.ErrForeignKeyViolated means that a line refers to a row that
// the account does not have.
func Restore(tx *postgres.Tx, accountID uuid.UUID, lines []Line) (added []journal.Thing, err error) {
	for first := 0; first < len(lines); {
		next := first + 1
		for next < len(lines) && lines[next].Type == lines[first].Type {
			next++
		}
		made, err := restoreSome(tx, accountID, lines[first:next])
		if err != nil {
			return nil, fmt.Errorf("restore lines of type %s: %w", lines[first].Type, err)
		}
		added, first = append(added, journal.Things(kindOf(lines[first].Type), made)...), next
	}
	return added, nil
}

// kindOf returns the kind of package journal for lines of a type that Restore writes. For other types the result is
// meaningless.
func kindOf(lineType string) string {
	switch lineType {
	case TypeStatus:
		return journal.Status
	case TypeField:
		return journal.Field
	case TypeView:
		return journal.View
	case TypeCompany:
		return journal.Company
	case TypeFile:
		return journal.File
	case TypeMinutes:
		return journal.Minutes
	case TypeSubmission:
		return journal.Submission
	case TypeActivity:
		return journal.Activity
	case TypeMerge:
		return journal.Merge
	}
	return journal.Email
}

// restoreSome writes back lines, of which there must be at least one, and which must have the same type. It returns the
// ids of the rows that are new; none for a type that is not written back, such as the header.
func restoreSome(tx *postgres.Tx, accountID uuid.UUID, lines []Line) ([]uuid.UUID, error) {
	kind, rows := lines[0].Type, arrayOf(lines)
	how, found := restores()[kind]
	if !found {
		return nil, nil // a header, the account, a member or the end: nothing is made of it
	}
	return how.run(tx, accountID, rows, nil)
}

// run writes rows, given as a JSON array, with the rows that belong to them, and returns the ids of the new ones. key
// is the storage key of the content of a file; without it, rows that need content are skipped. It returns the errors of
// requireParents.
func (r restore) run(tx *postgres.Tx, accountID uuid.UUID, rows string, key *string) ([]uuid.UUID, error) {
	if err := r.requireParents(tx, accountID, rows); err != nil {
		return nil, err
	}
	args := []any{accountID, rows}
	if r.stored {
		args = append(args, key)
	}
	added, err := tx.Returning(r.insert, args...)
	if err != nil || len(added) == 0 {
		return added, err
	}
	ids := make([]string, len(added))
	for i, id := range added {
		ids[i] = id.String()
	}
	for _, statement := range r.parts {
		if err := tx.Run(postgres.Do(statement, accountID, rows, ids)); err != nil {
			return nil, fmt.Errorf("restore what belongs to the lines: %w", err)
		}
	}
	return added, nil
}

// requireParents returns InvalidBody if one of the rows refers to a row, such as a company, that the user does not see
// in the account. The error wraps gorm.ErrForeignKeyViolated.
func (r restore) requireParents(tx *postgres.Tx, accountID uuid.UUID, rows string) error {
	if r.parent == "" {
		return nil
	}
	missing, err := tx.Returning(fmt.Sprintf(`SELECT r.%[1]s FROM json_to_recordset($2::json) AS r (%[1]s uuid)
		WHERE r.%[1]s IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM %[2]s p WHERE p.account_id = $1::uuid AND p.id = app_restored_id($1::uuid, '%[2]s',
		r.%[1]s)) LIMIT 1`,
		r.parent, r.parents), accountID, rows)
	if err != nil {
		return fmt.Errorf("look for what lines refer to: %w", err)
	}
	if len(missing) > 0 {
		return fault.Field(r.parent, missing[0].String()+" is not in this account").Because(gorm.ErrForeignKeyViolated)
	}
	return nil
}

// arrayOf returns the data of lines, of which there must be at least one, as a JSON array.
func arrayOf(lines []Line) string {
	var rows bytes.Buffer
	for i, line := range lines {
		_ = rows.WriteByte("[,"[min(i, 1)]) // a buffer's error is always nil
		_, _ = rows.Write(line.Data)
	}
	return rows.String() + "]"
}

// errNoContent is the error for a line that must be sent with its content.
var errNoContent = errors.New("its content is not here: send it with POST …/imports/account/files")

// Missing returns, by their positions in lines, an error for each line whose content the account does not have yet:
// RestoreContent must restore it. It needs the transaction of an owner or admin.
func Missing(tx *postgres.Tx, accountID uuid.UUID, lines []Line) (map[int]error, error) {
	refused := map[int]error{}
	for i, line := range lines {
		if line.Path == "" {
			continue
		}
		there, err := isThere(tx, accountID, line)
		if err != nil {
			return nil, err
		}
		if !there {
			refused[i] = errNoContent
		}
	}
	return refused, nil
}

// isThere reports whether the account has the file, or the message, of a line with content.
func isThere(tx *postgres.Tx, accountID uuid.UUID, line Line) (there bool, err error) {
	id, err := uuid.Parse(line.Key)
	if err != nil {
		return false, err
	}
	query := map[string]string{
		TypeFile: "SELECT EXISTS (SELECT 1 FROM company_files WHERE id = app_restored_id($1, 'company_files', $2))",
		TypeEmailFile: "SELECT EXISTS (SELECT 1 FROM email_attachments WHERE id = app_restored_id($1, " +
			"'email_attachments', $2))",
		TypeEmailMessage: "SELECT EXISTS (SELECT 1 FROM emails WHERE id = app_restored_id($1, 'emails', $2) AND " +
			"raw_storage_path IS NOT NULL)",
	}[line.Type]
	if query == "" {
		return false, nil
	}
	if err := tx.Run(postgres.Value(&there, query, accountID, id)); err != nil {
		return false, fmt.Errorf("look for content: %w", err)
	}
	return there, nil
}

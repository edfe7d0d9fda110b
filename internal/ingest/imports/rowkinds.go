package imports

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/analyst"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	"dealflow/internal/form"
	"dealflow/internal/ingest/journal"
	"dealflow/internal/postgres"
)

// row is a row of an import that could be parsed. Rows with equal keys are the same email, submission, company or line.
type row struct {
	number int64
	key    string
	item   any // *email.Message, *form.Incoming, *transfer.Line, *aicreation.Draft, or after prepare *analyst.Studied
}

// rowKind parses and writes the rows of one kind of import.
type rowKind interface {
	// read parses a row and returns it with its key. An error refuses this row alone.
	read(format string, head *header, raw []byte) (item any, key string, err error)
	// prepare does the steps that must not run in the transaction, such as storing files and analyzing companies. It
	// may replace the items of rows. An error fails the whole batch.
	prepare(ctx context.Context, user uuid.UUID, it Import, rows []row) error
	// refuse returns, in the transaction, the reasons why rows are refused, by the numbers of the rows. An error fails
	// the whole batch.
	refuse(tx *postgres.Tx, it Import, rows []row) (map[int64]error, error)
	// write stores rows and returns those that are new. The account has the others already.
	write(tx *postgres.Tx, it Import, rows []row) ([]journal.Thing, error)
}

// emailRows are rows that are emails, in any format.
type emailRows struct{ emails *email.Service }

func (emailRows) read(format string, _ *header, raw []byte) (any, string, error) {
	var m email.Message
	var err error
	switch format {
	case FormatMbox:
		m, err = email.ReadMIME(unquoteMbox(raw))
	case FormatEML:
		m, err = email.ReadMIME(raw)
	default:
		m, err = email.ReadRow(raw)
	}
	if err == nil {
		err = m.Check()
	}
	return &m, m.ExternalID, err
}

func (e emailRows) prepare(ctx context.Context, _ uuid.UUID, it Import, rows []row) error {
	var carrying []*email.Message
	for _, r := range rows {
		if m, isMessage := r.item.(*email.Message); isMessage && (len(m.Files) > 0 || len(m.Raw) > 0) {
			carrying = append(carrying, m)
		}
	}
	if len(carrying) == 0 {
		return nil
	}
	if err := e.emails.StoreFiles(ctx, it.AccountID, carrying...); err != nil {
		return fmt.Errorf("store attachments: %w", err)
	}
	for _, m := range carrying { // they are in storage now, and need no memory
		m.Files, m.Raw = nil, nil
	}
	return nil
}

//nolint:nilnil // nothing is refused
func (emailRows) refuse(*postgres.Tx, Import, []row) (map[int64]error, error) { return nil, nil }

func (e emailRows) write(tx *postgres.Tx, it Import, rows []row) ([]journal.Thing, error) {
	drafts := make([]*email.Draft, len(rows))
	for i, r := range rows {
		if m, isMessage := r.item.(*email.Message); isMessage {
			drafts[i] = &m.Draft
		}
	}
	added, err := e.emails.AddBatch(tx, it.AccountID, drafts)
	return journal.Things(journal.Email, added), err
}

// formRows are rows that are form submissions.
type formRows struct{}

func (formRows) read(_ string, head *header, raw []byte) (any, string, error) {
	var in form.Incoming
	fields, err := fieldsOf(head, raw)
	switch {
	case err != nil:
	case fields != nil:
		in, err = form.ReadFields(head.Columns, fields)
	default:
		in, err = form.ReadRow(raw)
	}
	return &in, in.IntegrationType + " " + in.ExternalID, err
}

func (formRows) prepare(context.Context, uuid.UUID, Import, []row) error { return nil }

func (formRows) refuse(tx *postgres.Tx, it Import, rows []row) (map[int64]error, error) {
	var about []uuid.UUID
	for _, r := range rows {
		if in, isForm := r.item.(*form.Incoming); isForm && in.CompanyID != nil {
			about = append(about, *in.CompanyID)
		}
	}
	seen, err := company.Visible(tx, it.AccountID, about...)
	if err != nil {
		return nil, fmt.Errorf("look for the companies of submissions: %w", err)
	}
	refused := map[int64]error{}
	for _, r := range rows {
		if in, isForm := r.item.(*form.Incoming); isForm && in.CompanyID != nil && !seen[*in.CompanyID] {
			refused[r.number] = fault.Field("company_id", in.CompanyID.String()+" is no company of this account")
		}
	}
	return refused, nil
}

func (formRows) write(tx *postgres.Tx, it Import, rows []row) ([]journal.Thing, error) {
	submissions := make([]*form.Incoming, len(rows))
	for i, r := range rows {
		submissions[i], _ = r.item.(*form.Incoming)
	}
	added, err := form.AddBatch(tx, it.AccountID, submissions)
	return journal.Things(journal.Submission, added), err
}

// companyRows are rows that are companies. Each company is created as AI creation does it, with an analysis.
type companyRows struct{ companies *analyst.Creator }

func (companyRows) read(_ string, head *header, raw []byte) (any, string, error) {
	var d aicreation.Draft
	fields, err := fieldsOf(head, raw)
	switch {
	case err != nil:
	case fields != nil:
		d, err = aicreation.ReadFields(head.Columns, fields)
	default:
		d, err = aicreation.ReadRow(raw)
	}
	if err == nil {
		d.AccountID = uuid.Max // Check wants an account; CreateBatch is given the import's
		err = d.Check()
	}
	return &d, d.ExternalID, err
}

func (c companyRows) prepare(ctx context.Context, user uuid.UUID, it Import, rows []row) error {
	drafts := make([]*aicreation.Draft, 0, len(rows))
	for _, r := range rows {
		if d, isDraft := r.item.(*aicreation.Draft); isDraft {
			d.AccountID = it.AccountID
			drafts = append(drafts, d)
		}
	}
	all, err := c.companies.Study(ctx, user, it.AccountID, drafts)
	if err != nil {
		return fmt.Errorf("analyze companies: %w", err)
	}
	for i := range rows {
		rows[i].item = all[i]
	}
	return nil
}

func (companyRows) refuse(tx *postgres.Tx, it Import, rows []row) (map[int64]error, error) {
	var wanted []uuid.UUID
	for _, r := range rows {
		if one, isCompany := r.item.(*analyst.Studied); isCompany && one.Draft.StatusID != nil {
			wanted = append(wanted, *one.Draft.StatusID)
		}
	}
	known, err := company.Stages(tx, it.AccountID, wanted...)
	if err != nil {
		return nil, fmt.Errorf("look for the statuses of companies: %w", err)
	}
	refused := map[int64]error{}
	for _, r := range rows {
		if one, isCompany := r.item.(*analyst.Studied); isCompany && one.Draft.StatusID != nil &&
			!known[*one.Draft.StatusID] {
			refused[r.number] = company.NoStage()
		}
	}
	return refused, nil
}

func (c companyRows) write(tx *postgres.Tx, it Import, rows []row) ([]journal.Thing, error) {
	all := make([]*analyst.Studied, len(rows))
	for i, r := range rows {
		all[i], _ = r.item.(*analyst.Studied)
	}
	added, err := c.companies.CreateBatch(tx, it.AccountID, all)
	return journal.Things(journal.Company, added), err
}

// nameOf returns what people call a character that separates fields.
func nameOf(comma string) string {
	switch comma {
	case ",":
		return "a comma"
	case ";":
		return "a semicolon"
	case "\t":
		return "a tab"
	}
	return comma
}

// fieldsOf returns the fields of a row of CSV, one for each column of the header; nil if the file is not CSV. It
// returns an error if the row is not CSV or has more fields than the header.
func fieldsOf(head *header, raw []byte) ([]string, error) {
	if head == nil {
		return nil, nil
	}
	fields, err := readCSV(head, raw)
	switch {
	case err != nil:
		return nil, err
	case len(fields) > len(head.Columns):
		return nil, fmt.Errorf("the row has %d fields, but the header has %d: put double quotes around each field with %s "+
			"in it", len(fields), len(head.Columns), nameOf(head.Comma))
	}
	// some programs leave out empty cells at the end
	return append(fields, make([]string, len(head.Columns)-len(fields))...), nil
}
